"""The miner of quotations, on made-up works and critics."""

from __future__ import annotations

import csv
import itertools
import random
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scholar_cli.laboratory.relic import relic_data
from scholar_cli.laboratory.relic.mining import Mined, mine
from scholar_cli.laboratory.relic.relic_data import SPLITS, QuotedWork, fold
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.types import silent

WORDS = (
    "lamp harbour widow letter orchard candle brother winter garden silver promise window captain"
    " river mother stranger evening carriage sorrow bridge market shadow cousin thunder ribbon"
    " parlour village doctor mirror secret morning forest soldier kitchen music anchor bread"
    " colour patience danger meadow chimney sister journey feather honour whisper marriage"
).split()


def prose(seed: str, sentences: int) -> list[str]:
    """Return sentences that are unique to the seed."""
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=12)).capitalize() + "." for _ in range(sentences)]


def book(*paragraphs: str) -> str:
    ending = prose(f"ending of {paragraphs}", 3)
    return "\n\n".join(("CHAPTER I", *paragraphs, "CHAPTER II", *ending)) + "\n"


def released(title: str, author: str, language: str, text: str) -> str:
    """Return a text as Project Gutenberg ships it."""
    return (
        f"Title: {title}\n\nAuthor: {author}\n\nLanguage: {language}\n\n"
        f"*** START OF THE PROJECT GUTENBERG EBOOK {title.upper()} ***\n\n{text}\n\n"
        f"*** END OF THE PROJECT GUTENBERG EBOOK {title.upper()} ***\n"
    )


NOVEL = prose("novel", 400)
LAMPLIGHTER = book(*(" ".join(NOVEL[at : at + 8]) for at in range(0, 400, 8)))
BEFORE = "Nowhere does Ann Example show better how little she thought of a settled home:"
AFTER = "After this it is hard to believe that she ever meant them to be happy together."


def essay(*quoting: str, seed: str = "essay") -> str:
    """Return a critic's chapter that contains the paragraphs."""
    opening, rest = prose(seed, 12), prose(f"{seed} again", 12)
    return book(" ".join(opening), *quoting, " ".join(rest))


class Corpus:
    """A folder of texts to fill and mine."""

    def __init__(self, folder: Path) -> None:
        self.texts, self.out = folder / "texts", folder / "out"
        self.messages: list[str] = []
        self._rows: list[tuple[str, ...]] = []

    def put(self, group: str, id: str, text: str, *row: str) -> None:
        """Add a text; row is its author, title and optional genre."""
        (self.texts / group).mkdir(parents=True, exist_ok=True)
        (self.texts / group / f"{id}.txt").write_text(text, "utf-8")
        if row:
            self._rows.append((id, group, *row, *("",) * (3 - len(row))))
        with (self.texts / "catalog.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("pgid", "group", "author", "title", "genre"), *self._rows])

    def mine(self) -> Mined:
        return mine(self.texts, self.out, progress=silent, say=self.messages.append)

    def works(self) -> Mapping[str, QuotedWork]:
        every = (relic_data.read(self.out, split) for split in SPLITS)
        return {work.title: work for work in itertools.chain(*every)}

    def mined(self, criticism: str) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Return the quotations of the novel mined from one critic, with their context."""
        self.put("criticism", "c1", criticism, "A Critic", "On Novels")
        self.mine()
        return [
            (work.text(window.start, window.size), window.left, window.right)
            for work in self.works().values()
            for window in work.windows
        ]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Return a corpus of one novel, without criticism."""
    corpus = Corpus(tmp_path)
    corpus.put("primary", "n1", LAMPLIGHTER, "Ann Example", "The Lamplighter", "novel")
    return corpus


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"neither primary/ nor primary\.tar\.xz"):
        Corpus(tmp_path).mine()


def test_works_without_criticism_are_refused(corpus: Corpus) -> None:
    with pytest.raises(NotThere, match=r"neither criticism/ nor criticism\.tar\.xz"):
        corpus.mine()
    (corpus.texts / "criticism").mkdir()
    with pytest.raises(NotThere, match="contains no criticism; put texts"):
        corpus.mine()


def test_criticism_without_works_is_refused(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    (corpus.texts / "primary").mkdir(parents=True)
    corpus.put("criticism", "c1", essay())
    with pytest.raises(NotThere, match="contains no usable works"):
        corpus.mine()


def test_criticism_that_quotes_nothing_is_no_match(corpus: Corpus) -> None:
    corpus.put("criticism", "c1", essay(BEFORE))
    with pytest.raises(NoMatch, match=r"no critic in .* quotes a work in it; add"):
        corpus.mine()


def test_a_broken_archive_is_named(corpus: Corpus) -> None:
    (corpus.texts / "criticism.tar.xz").write_bytes(b"no archive")
    with pytest.raises(UsageError, match=r"criticism\.tar\.xz cannot be unpacked; fetch it again"):
        corpus.mine()


def test_a_catalogue_without_its_columns_is_refused(corpus: Corpus) -> None:
    (corpus.texts / "catalog.csv").write_text("number,name\n1,Emma\n", "utf-8")
    with pytest.raises(UsageError, match="is missing columns; it needs pgid, group, author, title"):
        corpus.mine()


def test_a_quoted_sentence_is_found_with_the_prose_around_it(corpus: Corpus) -> None:
    text, left, right = corpus.mined(essay(BEFORE, f"“{NOVEL[40]}”", AFTER))[0]
    assert text == NOVEL[40]
    assert left == (*prose("essay", 12)[-3:], BEFORE)
    assert right == (AFTER, *prose("essay again", 12)[:3])


def test_a_work_is_given_with_all_its_sentences_and_candidates(corpus: Corpus) -> None:
    corpus.mined(essay(BEFORE, f"“{NOVEL[40]}”", AFTER))
    work = corpus.works()["The Lamplighter (Ann Example)"]
    assert work.sentences[:400] == tuple(NOVEL)
    assert work.candidates[1] == tuple(range(403))
    assert work.candidates[5] == tuple(range(396)), "five sentences of one chapter"


def head(sentence: str, count: int) -> str:
    return " ".join(sentence.split()[:count])


def tail(sentence: str, count: int) -> str:
    return " ".join(sentence.split()[-count:])


def changed(sentence: str) -> str:
    words = sentence.split()
    return " ".join([*words[:5], "daughter", *words[6:]])


def bracketed(sentence: str) -> str:
    words = sentence.split()
    return " ".join([*words[:6], "[the elder one]", *words[6:]])


@pytest.mark.parametrize(
    ("quotation", "first", "size"),
    [
        pytest.param(NOVEL[40].lower(), 40, 1, id="in small letters"),
        pytest.param(changed(NOVEL[40]), 40, 1, id="with a word changed"),
        pytest.param(NOVEL[40].replace(" ", " _", 1).replace(".", "_."), 40, 1, id="in italics"),
        pytest.param(" ".join(NOVEL[40:44]), 40, 4, id="as a block"),
        pytest.param(f"{NOVEL[40]} {changed(NOVEL[41])}", 40, 2, id="as a block with a change"),
        pytest.param(
            f"{head(NOVEL[40], 6)} ... {tail(NOVEL[41], 6)}", 40, 2, id="with an ellipsis"
        ),
        pytest.param(f"{NOVEL[40]} . . . {NOVEL[42]}", 40, 3, id="without a sentence between"),
        pytest.param(bracketed(NOVEL[40]), 40, 1, id="with a remark in brackets"),
        pytest.param(f"{tail(NOVEL[40], 8)} {NOVEL[41]}", 40, 2, id="from within a sentence"),
        pytest.param(f"{tail(NOVEL[40], 3)} {NOVEL[41]}", 41, 1, id="with a scrap before it"),
        pytest.param(f"{NOVEL[40]} {head(NOVEL[41], 8)}", 40, 2, id="into a sentence"),
    ],
)
def test_quotations_are_given_in_the_words_of_the_work(
    corpus: Corpus, quotation: str, first: int, size: int
) -> None:
    assert [text for text, _, _ in corpus.mined(essay(BEFORE, f"“{quotation}”", AFTER))] == [
        " ".join(NOVEL[first : first + size])
    ]


def test_a_quotation_within_a_sentence_leaves_what_is_around_it(corpus: Corpus) -> None:
    within = f"She calls it “{NOVEL[40][:-1].lower()},” as if nobody had known it before her."
    _, left, right = corpus.mined(essay(BEFORE, within, AFTER))[0]
    assert left[-1] == "She calls it"
    assert right[0] == "as if nobody had known it before her."


def test_a_long_extract_is_cut_after_five_sentences_and_has_no_right_side(corpus: Corpus) -> None:
    [(text, left, right)] = corpus.mined(essay(BEFORE, " ".join(NOVEL[40:52]), AFTER))
    assert text == " ".join(NOVEL[40:45])
    assert left[-1] == BEFORE
    assert right == ()


def test_a_sentence_that_repeats_the_work_is_no_context(corpus: Corpus) -> None:
    elsewhere = f"So too when {head(NOVEL[300], 9).lower()} is all that she will say about it."
    nearby = f"It says {head(NOVEL[42], 5).lower()} and much else of that kind just after it."
    text, left, right = corpus.mined(essay(elsewhere, BEFORE, f"“{NOVEL[40]}”", nearby, AFTER))[0]
    assert text == NOVEL[40]
    assert left[-1] == BEFORE
    assert elsewhere not in left
    assert right[0] == AFTER


def test_marks_of_notes_and_places_do_not_reach_the_context(corpus: Corpus) -> None:
    noted = "She was at her best then,[12] as everybody knows (vol. ii. p. 34) who has read her."
    _, left, _ = corpus.mined(essay(BEFORE, noted, f"“{NOVEL[40]}”", AFTER))[0]
    assert left[-1] == "She was at her best then, as everybody knows who has read her."


def reasons(corpus: Corpus, criticism: str, *row: str) -> Mapping[str, int]:
    """Return why no quotation of a critic is kept, although another quotes the novel well."""
    corpus.put("criticism", "c0", essay(BEFORE, f"“{NOVEL[390]}”", AFTER, seed="other"))
    corpus.put("criticism", "c1", criticism, *row)
    mined = corpus.mine()
    assert sum(mined.windows.values()) == 1
    return mined.dropped


def test_an_edition_is_no_criticism(corpus: Corpus) -> None:
    edition = book(BEFORE, *(f"“{sentence}”" for sentence in NOVEL[:300]))
    assert "edition or retelling" in reasons(corpus, edition)


def test_a_retelling_is_no_criticism(corpus: Corpus) -> None:
    retold = [
        f"{own} {NOVEL[2 * n]}" if n % 2 else f"{own} “{NOVEL[2 * n]}”"
        for n, own in enumerate(prose("retold", 60))
    ]
    assert reasons(corpus, book(BEFORE, *retold)) == {"edition or retelling": 60}


def test_words_that_are_not_marked_as_quoted_are_passed_over(corpus: Corpus) -> None:
    unmarked = f"She goes on to say at last that {NOVEL[40].lower()} That is all of it."
    assert reasons(corpus, essay(BEFORE + " Yes.", unmarked)) == {"not marked as quoted": 1}


def test_a_critic_who_never_names_the_author_is_passed_over(corpus: Corpus) -> None:
    nameless = essay("We read in a book:", f"“{NOVEL[40]}”", AFTER)
    assert reasons(corpus, nameless) == {"author never named": 1}


def test_a_passage_in_the_works_of_two_authors_belongs_to_neither(corpus: Corpus) -> None:
    borrowed = book(*prose("borrower", 60), NOVEL[40], *prose("borrower again", 60))
    corpus.put("primary", "n2", borrowed, "Ben Sample", "The Borrower", "novel")
    dropped = reasons(corpus, essay(BEFORE, f"“{NOVEL[40]}”", AFTER))
    assert dropped == {"also in another author's work": 1}


@pytest.mark.parametrize(
    ("criticism", "reason"),
    [
        pytest.param(
            released("Kritik", "Ein Kritiker", "German", essay(BEFORE, f"“{NOVEL[40]}”", AFTER)),
            "critics not in English",
            id="in German",
        ),
        pytest.param("Too short.", "critics that are no text", id="of two words"),
        pytest.param(
            released(
                "A Dictionary of Novels", "Nobody", "English", essay(BEFORE, f"“{NOVEL[40]}”")
            ),
            "works of reference",
            id="a dictionary",
        ),
    ],
)
def test_a_text_is_passed_over(corpus: Corpus, criticism: str, reason: str) -> None:
    assert reasons(corpus, criticism) == {reason: 1}


def test_criticism_reprinted_in_two_books_is_kept_once(corpus: Corpus) -> None:
    same = (BEFORE, f"“{NOVEL[390]}”", AFTER)
    assert reasons(corpus, essay(*same, seed="another book")) == {"duplicate": 1}


def test_a_second_edition_of_a_work_is_left_out_and_reported(corpus: Corpus) -> None:
    again = "A new edition, revised by its author.\n\n" + LAMPLIGHTER
    corpus.put("primary", "n2", again, "Ann Example", "The Lamplighter, Revised", "novel")
    assert len(corpus.mined(essay(BEFORE, f"“{NOVEL[40]}”", AFTER))) == 1
    assert list(corpus.works()) == ["The Lamplighter (Ann Example)"]
    assert corpus.messages == ["skipped n2: it is the same work as n1"]


def test_a_work_without_a_row_is_known_by_its_own_header(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("primary", "n1", released("The Lamplighter", "Ann Example", "English", LAMPLIGHTER))
    assert corpus.mined(essay(BEFORE, f"“{NOVEL[40]}”", AFTER))
    assert list(corpus.works()) == ["The Lamplighter (Ann Example)"]


def test_a_folder_needs_no_catalogue(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("primary", "n1", released("The Lamplighter", "Ann Example", "English", LAMPLIGHTER))
    corpus.put("criticism", "c1", essay(BEFORE, f"“{NOVEL[40]}”", AFTER))
    (corpus.texts / "catalog.csv").unlink()
    assert corpus.mine().windows == {"train": 1, "val": 0, "test": 0, "written": 0}


def test_a_work_without_row_and_header_is_left_out_and_reported(corpus: Corpus) -> None:
    corpus.put("primary", "n2", book(*prose("stray", 60)))
    assert corpus.mined(essay(BEFORE, f"“{NOVEL[40]}”", AFTER))
    assert corpus.messages == [
        "skipped n2: it names no title and author; add a row for it to catalog.csv"
    ]


def test_a_work_goes_into_the_split_that_relic_has_it_in(corpus: Corpus) -> None:
    austen = prose("austen", 100)
    corpus.put("primary", "n2", book(*austen), "Jane Austen", "Emma", "novel")
    quoting = (f"Miss Austen says: “{austen[50]}”", BEFORE, f"“{NOVEL[40]}”", AFTER)
    corpus.put("criticism", "c1", essay(*quoting))
    assert corpus.mine().windows == {"train": 1, "val": 1, "test": 0, "written": 0}


def test_no_critic_gives_more_than_sixty_quotations_of_a_work(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    novel = prose("long novel", 1500)
    corpus.put("primary", "n1", book(*novel), "Ann Example", "The Lamplighter", "novel")
    paragraphs = [
        f"Example writes: “{novel[9 * n]}” {own}" for n, own in enumerate(prose("eager", 80))
    ]
    corpus.put("criticism", "c1", book(BEFORE, *paragraphs))
    mined = corpus.mine()
    assert mined.windows["train"] == 60
    assert mined.dropped == {"more than enough by one critic": 20}


def written(folder: Path) -> dict[str, bytes]:
    return {split: (folder / f"{split}.json").read_bytes() for split in SPLITS}


@pytest.fixture
def four_critics(corpus: Corpus) -> Corpus:
    for n in range(4):
        quoting = essay(BEFORE, f"“{NOVEL[50 * n]}”", AFTER, seed=f"critic {n}")
        corpus.put("criticism", f"c{n}", quoting.replace("hard", f"hard in year {n}"))
    return corpus


def test_archives_give_what_folders_give(four_critics: Corpus) -> None:
    four_critics.mine()
    unpacked = written(four_critics.out)
    for group in ("primary", "criticism"):
        folder = four_critics.texts / group
        with tarfile.open(four_critics.texts / f"{group}.tar.xz", "w:xz") as archive:
            archive.add(folder, group)
        folder.rename(folder.with_suffix(".moved"))
    four_critics.mine()
    assert written(four_critics.out) == unpacked


def interrupted_at(critic: int) -> Callable[[str, int, int], None]:
    def progress(label: str, done: int, total: int) -> None:
        if label == "critics" and done == critic:
            raise KeyboardInterrupt

    return progress


def test_a_run_that_was_interrupted_goes_on_where_it_stopped(four_critics: Corpus) -> None:
    texts, matched = four_critics.texts, four_critics.out / "matched"
    with pytest.raises(KeyboardInterrupt):
        mine(texts, four_critics.out, progress=interrupted_at(2), say=print)
    finished = {path: path.stat().st_mtime_ns for path in matched.iterdir()}
    assert len(finished) == 2
    resumed = four_critics.mine()
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert len(list(matched.iterdir())) == 4

    whole = mine(texts, texts.parent / "whole", progress=silent, say=print)
    assert written(whole.folder) == written(four_critics.out)
    assert (resumed.windows, resumed.dropped) == (whole.windows, whole.dropped)


def test_a_changed_critic_is_matched_again(four_critics: Corpus) -> None:
    four_critics.mine()
    four_critics.put("criticism", "c0", essay(BEFORE, f"“{NOVEL[7]}”", AFTER))
    four_critics.mine()
    work = four_critics.works()["The Lamplighter (Ann Example)"]
    assert sorted(window.start for window in work.windows) == [7, 50, 100, 150]


def test_a_match_file_that_cannot_be_read_is_made_again(four_critics: Corpus) -> None:
    four_critics.mine()
    before = written(four_critics.out)
    for path in (four_critics.out / "matched").iterdir():
        path.write_text("{}", "utf-8")
    four_critics.mine()
    assert written(four_critics.out) == before


def test_progress_counts_works_critics_and_files(four_critics: Corpus) -> None:
    steps: list[tuple[str, int, int]] = []
    mine(
        four_critics.texts,
        four_critics.out,
        progress=lambda *step: steps.append(step),
        say=print,
    )
    assert steps[:2] == [("reading works", 0, 1), ("reading works", 1, 1)]
    assert [step for step in steps if step[0] == "critics"] == [("critics", n, 4) for n in range(5)]
    assert steps[-1][0] == "writing"


quotations = st.lists(
    st.tuples(
        st.integers(0, 390),
        st.integers(1, 7),
        st.integers(0, 6),
        st.integers(0, 6),
        st.sampled_from(["“{}”", "{}", "“{}", "Ann Example says: {}", "so “{}” it is"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(quotations)
def test_whatever_is_quoted_every_window_is_sound(
    tmp_path_factory: pytest.TempPathFactory, quoted: list[tuple[int, int, int, int, str]]
) -> None:
    corpus = Corpus(tmp_path_factory.mktemp("shelf"))
    corpus.put("primary", "n1", LAMPLIGHTER, "Ann Example", "The Lamplighter", "novel")
    paragraphs = []
    for n, (first, size, without_first, without_last, form) in enumerate(quoted):
        words = " ".join(NOVEL[first : first + size]).split()
        words = words[without_first : len(words) - without_last]
        paragraphs += [prose(f"own {n}", 1)[0], form.format(" ".join(words))]
    corpus.put("criticism", "c0", essay(BEFORE, f"“{NOVEL[399]}”", AFTER, seed="other"))
    corpus.put("criticism", "c1", essay(BEFORE, *paragraphs))
    corpus.mine()
    for work in corpus.works().values():
        assert len({window.id for window in work.windows}) == len(work.windows)
        for window in work.windows:
            assert 1 <= window.size <= 5
            assert 0 <= window.start <= len(work.sentences) - window.size
            assert window.start in work.candidates[window.size]
            assert 10 <= len(work.text(window.start, window.size).split()) <= 200
            assert max(len(window.left), len(window.right)) <= 4
            assert window.left or window.right
            passage = fold(work.text(window.start, window.size))
            for sentence in (*window.left, *window.right):
                words = fold(sentence).split()
                runs = (" ".join(words[at : at + 5]) for at in range(len(words) - 4))
                assert not any(run in passage for run in runs)
