"""Corrections to characters: what is refused, and what each kind does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marshes import (
    ANN,
    BEN,
    CLEO,
    DETECTED,
    MARSHES,
    SHIP,
    WHY,
    any_correction,
    applied,
    at,
    correct,
    problem,
    speakers,
)
from scholar_indexes.attribution.corrections import toml_form
from scholar_indexes.attribution.corrections.application import (
    add_first_words,
    apply,
    fingerprint,
)
from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NarratorOf,
    NewCharacter,
    NotAPerson,
    Rename,
    SpeakerOf,
    Split,
)
from scholar_indexes.types import (
    Attribution,
    Character,
    Gender,
    QuotationForm,
    QuoteKind,
)


@pytest.mark.parametrize(
    "correction",
    [
        Merge(("Ann Marsh", "Benn")),
        Split("Benn"),
        Split("Miss Marsh", "Benn"),
        Rename("Benn", "Benjamin"),
        NotAPerson("Benn"),
        GenderOf("Benn", "male"),
        NarratorOf("Benn"),
        SpeakerOf(WHY, "Benn"),
    ],
    ids=lambda correction: type(correction).__name__,
)
def test_an_unknown_name_is_refused_with_the_nearest_one(correction: Correction) -> None:
    assert "no character is called 'Benn'; perhaps Ben" in problem(correction)


def test_a_locator_of_no_quotation_is_refused() -> None:
    assert "there is no quotation at own-marsh:1.2:1-6" in problem(
        SpeakerOf("own-marsh:1.2:1-6", "Ben")
    )


def test_first_words_that_no_quotation_or_several_have_are_refused() -> None:
    elsewhere = "own-marsh:1.2:1-6"
    assert "no other does" in problem(SpeakerOf(WHY, "Ben", words="Never"))
    assert "several others do" in problem(SpeakerOf(elsewhere, "Ben", words="A"))


def test_a_quotation_is_found_by_its_first_words_where_another_is_at_its_place() -> None:
    dialogue = applied(SpeakerOf(WHY, "Cleo Lamb", words="The Dolphin"))
    assert speakers(dialogue)[1] == "Ann Marsh"
    assert speakers(dialogue)[4] == "Cleo Lamb"


def test_first_words_are_added_to_what_has_none() -> None:
    corrections = (SpeakerOf(WHY, "Ben"), Rename("Ben", "Benjamin"), SpeakerOf(WHY, "Ben"))
    assert add_first_words(MARSHES, DETECTED, corrections) == (
        SpeakerOf(WHY, "Ben", words="Why?"),
        Rename("Ben", "Benjamin"),
    )


def test_a_chapter_that_is_not_there_is_refused() -> None:
    assert "there is no section 7; the last is 2" in problem(NarratorOf("Ben", "7"))


@pytest.mark.parametrize(
    ("corrections", "reason"),
    [
        pytest.param(
            (Merge(("Ann Marsh", "Ben")), Merge(("Ben", "Ann Marsh"))),
            "Ben and Ann Marsh are already one",
            id="a circle of two merges",
        ),
        pytest.param(
            (
                Merge(("Ann Marsh", "Ben")),
                Merge(("Ben", "Cleo Lamb")),
                Merge(("Cleo Lamb", "Ann Marsh")),
            ),
            "Cleo Lamb and Ann Marsh are already one",
            id="a circle of three merges",
        ),
        pytest.param(
            (Split("Miss Marsh", "Cleo Lamb"), Merge(("Ann Marsh", "Cleo Lamb"))),
            "another correction separates (Miss Marsh is Cleo Lamb)",
            id="a merge of those whom a split parts",
        ),
        pytest.param(
            (
                Split("Miss Marsh"),
                Merge(("Ben", "Ann Marsh")),
                Merge(("Ben", "Miss Marsh")),
            ),
            "another correction separates",
            id="a merge by way of another of those whom a split parts",
        ),
        pytest.param(
            (Split("Miss Marsh"), Split("Miss Marsh", "Ben")), "split off twice", id="two splits"
        ),
        pytest.param((Split("Ben"),), "no other name than 'Ben'", id="a split of the only name"),
        pytest.param(
            (Split("Miss Marsh", "Ann Marsh"),),
            "is already a name of Ann Marsh",
            id="a split from oneself",
        ),
        pytest.param(
            (Split("Marsh"),),
            "'Marsh' is not a full name of Ann Marsh; write one of: Ann Marsh, Miss Marsh",
            id="a split of a part of a name",
        ),
        pytest.param(
            (Rename("Ben", "Benjamin"), Rename("Ben", "Benedict")), "renamed twice", id="two names"
        ),
        pytest.param(
            (Rename("Ben", "Benjamin"), Rename("Cleo Lamb", "Clea"), Merge(("Ben", "Clea"))),
            "one character is renamed Benjamin and Clea",
            id="a merge of two who are renamed",
        ),
        pytest.param(
            (Rename("Ben", "Miss Marsh"),),
            "if they are the same, write a merge",
            id="a name of another",
        ),
        pytest.param(
            (Merge(("Ann Marsh", "Ben")), NotAPerson("Ben")),
            "also merged or renamed",
            id="merged and no person",
        ),
        pytest.param(
            (NotAPerson("Ben"), GenderOf("Ben", "male")),
            "also marked as not a person",
            id="no person with a gender",
        ),
        pytest.param(
            (GenderOf("Ben", "male"), GenderOf("ben", "female")), "two genders", id="two genders"
        ),
        pytest.param(
            (NarratorOf("Ben"), NarratorOf("Ann Marsh")), "two narrators", id="two narrators"
        ),
        pytest.param(
            (NarratorOf("Ben", "1"), NarratorOf("Ann Marsh", "1-2")),
            "sections 1-2 are given two narrators",
            id="two narrators of a chapter",
        ),
        pytest.param(
            (SpeakerOf(WHY, "Ben"), SpeakerOf(WHY, "Cleo Lamb")), "two speakers", id="two speakers"
        ),
        pytest.param(
            (NewCharacter("Dora", aliases=("Miss Marsh",)),),
            "'Miss Marsh' is already a name of Ann Marsh; remove it, or write a split",
            id="a new character with the name of another",
        ),
        pytest.param(
            (NewCharacter("Dora"), NewCharacter("Ada", aliases=("Dora",))),
            "'Dora' is already a name of Dora",
            id="two new characters of one name",
        ),
    ],
)
def test_the_last_of_clashing_corrections_is_refused(
    corrections: Sequence[Correction], reason: str
) -> None:
    assert reason in problem(*corrections)


def test_corrections_that_still_fit_are_applied_despite_others_that_do_not() -> None:
    corrected = correct(NotAPerson("the Kraken"), Rename("Ben", "Benjamin"))
    assert list(corrected.problems) == [NotAPerson("the Kraken")]
    assert "Benjamin" in speakers(corrected.dialogue)


# -- what each kind does -------------------------------------------------------------------------


def test_without_corrections_a_dialogue_stays_as_it_was_detected() -> None:
    assert applied() == DETECTED


def test_a_merge_makes_one_character_with_all_names_and_quotations() -> None:
    merged = applied(Merge(("Ben", "Ann Marsh")))
    assert merged.cast == (
        Character("ben", "Ben", ("Ben", "Ann Marsh", "Miss Marsh"), Gender.FEMALE),
        CLEO,
        SHIP,
    )
    assert speakers(merged) == ["Ben", "Ben", "Cleo Lamb", "Ben", "Ben", "?", "the Dolphin"]


def test_merges_of_merges_make_one_character() -> None:
    merged = applied(Merge(("Ann Marsh", "Ben")), Merge(("Ben", "the Dolphin")))
    assert [character.name for character in merged.cast] == ["Ann Marsh", "Cleo Lamb"]


def test_a_merge_with_the_narrator_narrates() -> None:
    assert applied(Merge(("Ben", "Cleo Lamb"))).cast[1].narrator


def test_a_split_makes_a_new_character_with_the_quotations_whose_cue_names_it() -> None:
    split = applied(Split("Miss Marsh"))
    assert split.cast[0].aliases == ("Ann Marsh",)
    assert split.cast[-1] == Character("miss-marsh", "Miss Marsh", ("Miss Marsh",))
    assert speakers(split)[:2] == ["Ann Marsh", "Miss Marsh"]


def test_a_split_gives_a_name_to_another_character() -> None:
    split = applied(Split("miss marsh", "Cleo"))
    assert split.cast[2].aliases == ("Cleo Lamb", "Miss Marsh")
    assert speakers(split)[:2] == ["Ann Marsh", "Cleo Lamb"]


def test_a_character_who_loses_the_listed_name_gets_the_next_one() -> None:
    split = applied(Split("Ann Marsh"))
    assert split.cast[0].name == "Miss Marsh"
    assert split.cast[-1].id == "ann-marsh-2"


def test_a_new_character_can_be_named_by_other_corrections() -> None:
    dialogue = applied(
        NewCharacter("Dora Lamb", aliases=("Dora", "Mrs. Lamb"), gender="female"),
        SpeakerOf(WHY, "Mrs. Lamb"),
        Split("Miss Marsh", "Dora"),
    )
    names = ("Dora Lamb", "Dora", "Mrs. Lamb", "Miss Marsh")
    assert dialogue.cast[-1] == Character("dora-lamb", "Dora Lamb", names, Gender.FEMALE)
    assert speakers(dialogue)[1] == "Dora Lamb"


def test_a_new_character_without_a_name_is_called_by_its_description() -> None:
    dialogue = applied(
        NewCharacter(description="the man in the red sweater"),
        SpeakerOf(WHY, "the man in the red sweater"),
    )
    assert speakers(dialogue)[1] == "the man in the red sweater"


def test_a_new_name_makes_the_id_and_the_old_one_stays_an_alias() -> None:
    renamed = applied(Rename("Ben", "Ann Marsh the Younger"), Rename("the Dolphin", "Ship")).cast
    assert renamed[1] == Character(
        "ann-marsh-the-younger", "Ann Marsh the Younger", ("Ann Marsh the Younger", "Ben")
    )
    assert renamed[3].id == "ship"


def test_other_corrections_may_use_the_new_name_and_the_old_one() -> None:
    dialogue = applied(
        Rename("Ben", "Benjamin"), GenderOf("Benjamin", "male"), SpeakerOf(WHY, "Ben")
    )
    assert dialogue.cast[1].gender is Gender.MALE
    assert speakers(dialogue)[1] == "Benjamin"


def test_a_merged_character_keeps_the_name_that_one_of_both_was_given() -> None:
    merged = applied(Merge(("Ann Marsh", "Ben")), Rename("Ben", "Benjamin"))
    assert merged.cast[0].name == "Benjamin"
    assert merged.cast[0].id == "benjamin"


def test_a_merged_character_may_be_called_by_a_name_of_the_other() -> None:
    for corrections in (
        (Merge(("Ann Marsh", "Ben")), Rename("Ann Marsh", "Ben")),
        (Rename("Ann Marsh", "Ben"), Merge(("Ben", "Miss Marsh"))),
    ):
        (merged, *_) = applied(*corrections).cast
        assert merged.name == "Ben"
        assert set(merged.aliases) == {"Ann Marsh", "Miss Marsh", "Ben"}


def test_a_quotation_of_a_removed_character_has_no_speaker() -> None:
    dialogue = applied(NotAPerson("Dolphin"))
    assert dialogue.cast == (ANN, BEN, CLEO)
    assert dialogue.attributions[-1] == Attribution(None, QuoteKind.EXPLICIT, None, 0.0)


def test_the_narrator_of_the_book_says_what_i_say_and_is_the_only_one() -> None:
    dialogue = applied(NarratorOf("Ben"))
    assert [character.narrator for character in dialogue.cast] == [False, True, False, False]
    assert speakers(dialogue) == [*["Ann Marsh"] * 2, *["Ben"] * 4, "the Dolphin"]


def test_a_longer_cue_with_i_in_it_may_be_anybodys() -> None:
    longer = replace(DETECTED.attributions[2], evidence=at("I said.\n\n“Ho!” cried Ben"))
    attributions = (*DETECTED.attributions[:2], longer, *DETECTED.attributions[3:])
    detected = replace(DETECTED, attributions=attributions)
    assert speakers(apply(MARSHES, detected, [NarratorOf("Ben")]).dialogue)[2] == "Cleo Lamb"


def test_the_narrator_of_chapters_says_what_i_say_in_them() -> None:
    dialogue = applied(NarratorOf("Ann Marsh", "2"))
    assert [character.narrator for character in dialogue.cast] == [True, False, True, False]
    assert (speakers(dialogue)[2], speakers(dialogue)[5]) == ("Cleo Lamb", "Ann Marsh")


def test_the_chapters_of_an_older_file_are_sections_as_they_were() -> None:
    [older] = toml_form.loads('[[narrator]]\nname = "Ann Marsh"\nchapters = "2-3"', "own-marsh")
    assert older == NarratorOf("Ann Marsh", sections="2-3")


def test_a_narrator_of_chapters_is_kept_with_the_narrator_of_the_book() -> None:
    dialogue = applied(NarratorOf("Ben"), NarratorOf("Ann Marsh", "2-"))
    assert (speakers(dialogue)[2], speakers(dialogue)[5]) == ("Ben", "Ann Marsh")


def test_a_quotation_is_whose_a_person_says_for_certain() -> None:
    dialogue = applied(NarratorOf("Ben"), SpeakerOf("own-marsh:1.3:1-6", "the Dolphin"))
    assert dialogue.attributions[2] == Attribution(SHIP, QuoteKind.EXPLICIT, None, 1.0)


@pytest.mark.parametrize(
    ("form", "corrected"),
    [
        pytest.param(QuotationForm.LETTER, QuotationForm.SPEECH, id="a letter is spoken"),
        pytest.param(QuotationForm.THOUGHT, QuotationForm.THOUGHT, id="a thought is hers"),
    ],
)
def test_a_quotation_with_a_speaker_is_speech_or_thought(
    form: QuotationForm, corrected: QuotationForm
) -> None:
    first = replace(DETECTED.attributions[0], form=form)
    detected = replace(DETECTED, attributions=(first, *DETECTED.attributions[1:]))
    correction = SpeakerOf("own-marsh:1.1:1-7", "Cleo")
    dialogue = apply(MARSHES, detected, [correction]).dialogue
    assert dialogue.attributions[0] == Attribution(CLEO, first.kind, None, 1.0, corrected)


def test_notes_change_no_fingerprint_and_everything_else_does() -> None:
    assert fingerprint(()) == ""
    noted = fingerprint([Rename("Ben", "Benjamin", "his letters")])
    assert noted == fingerprint([Rename("Ben", "Benjamin")])
    assert noted != fingerprint([Rename("Ben", "Benedict")])
    assert noted != fingerprint([Split("Ben", "Benjamin")])


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(any_correction, max_size=8))
def test_no_corrections_break_a_dialogue(corrections: list[Correction]) -> None:
    dialogue = correct(*corrections).dialogue
    ids = [character.id for character in dialogue.cast]
    assert len(set(ids)) == len(ids)
    for attribution in dialogue.attributions:
        assert attribution.speaker is None or attribution.speaker in dialogue.cast


known = st.sampled_from(["Ann Marsh", "Miss Marsh", "Ben", "Cleo Lamb", "the Dolphin", "Dora"])
fitting_correction = st.one_of(
    st.builds(NewCharacter, known, aliases=st.lists(known, max_size=2).map(tuple)),
    st.builds(Split, known, st.just("") | known),
    st.builds(Rename, known, known),
    st.builds(Merge, st.lists(known, min_size=2, max_size=3, unique=True).map(tuple)),
    st.builds(NotAPerson, known),
    st.builds(GenderOf, known, st.sampled_from(["female", "male"])),
    st.builds(NarratorOf, known, st.sampled_from(["", "1", "2"])),
    st.builds(SpeakerOf, st.just(WHY), known),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(fitting_correction, max_size=6))
def test_corrected_characters_keep_their_names_apart(corrections: list[Correction]) -> None:
    dialogue = correct(*corrections).dialogue
    aliases = [alias for character in dialogue.cast for alias in character.aliases]
    assert len(set(aliases)) == len(aliases)
    assert all(character.name in character.aliases for character in dialogue.cast)
    assert len({character.id for character in dialogue.cast}) == len(dialogue.cast)
    for attribution in dialogue.attributions:
        assert attribution.speaker is None or attribution.speaker in dialogue.cast
