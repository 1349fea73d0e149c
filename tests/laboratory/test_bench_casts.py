"""`bench casts`: main characters of whole novels, and the packaged annotation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import DIALOGUE_BOOK, Scholar, error_line
from scholar_cli.laboratory import gutenberg_texts
from scholar_cli.laboratory.casts import casts_bench, casts_data
from scholar_cli.laboratory.casts.casts_data import AnnotatedCast, MainCharacter
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.books.adding.ingest import BookSource, parse_draft
from scholar_indexes.coreference.mentions import match_names, name_words
from scholar_indexes.errors import Damaged, NotThere, UsageError
from scholar_indexes.types import Character, Gender
from short_novels import find_quoted

TEXT = (
    "Emma went. Miss Woodhouse came. Emma sat. Harriet ran to Mr. Elton. "
    "Emma Watson slept. Catherine and Mr. Elton rose."
)


def main_character(*names: str, gender: Gender = Gender.FEMALE) -> MainCharacter:
    return MainCharacter(names[0], gender, names)


def person(*names: str, gender: Gender = Gender.FEMALE) -> Character:
    return Character(names[0], names[0], names, gender)


CAST = AnnotatedCast(
    "pg158",
    "Emma",
    "dev",
    "",
    (
        main_character("Emma", "Miss Woodhouse"),
        main_character("Harriet"),
        main_character("Mr. Elton", gender=Gender.MALE),
    ),
    ("Emma Watson", "Catherine"),
)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Return a folder of texts with one book."""
    (tmp_path / "primary").mkdir()
    (tmp_path / "primary" / "7.txt").write_text(DIALOGUE_BOOK, "utf-8")
    return tmp_path


@pytest.fixture
def quay(texts: Path) -> AnnotatedCast:
    """Return the annotated cast of that book."""
    path = texts / "primary" / "7.txt"
    draft = parse_draft(BookSource(path.read_bytes(), str(path), 7))
    characters = (
        main_character("Elizabeth", "Elizabeth Marsh"),
        main_character("Mr. Hale", gender=Gender.MALE),
    )
    return AnnotatedCast("pg7", "The Quay", "dev", draft.book.sha256, characters, ())


def test_a_book_that_is_not_there_is_named(tmp_path: Path, quay: AnnotatedCast) -> None:
    with pytest.raises(NotThere, match="the text of The Quay is missing"):
        casts_bench.score_novels(tmp_path / "other", [quay])


def test_another_text_than_the_annotated_one_is_refused(texts: Path, quay: AnnotatedCast) -> None:
    with pytest.raises(UsageError, match="not the annotated text of The Quay"):
        casts_bench.score_novels(texts, [replace(quay, text_sha256="0" * 64)])


@pytest.mark.parametrize("content", ["no json", "{}\n", '{"book": "pg1"}\n'])
def test_a_damaged_annotation_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "novels.jsonl"
    path.write_text(content, "utf-8")
    with pytest.raises(Damaged, match=r"novels\.jsonl cannot be read"):
        casts_data.read(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param([], "name a folder of novels", id="nothing"),
        pytest.param(["--texts", ".", "--part", "train"], "choose from dev, test", id="part"),
        pytest.param(["--texts", ".", "-b", "pg1"], "no cast of 'pg1' is annotated", id="book"),
    ],
)
def test_an_unknown_choice_of_novels_is_named(
    lab: Scholar, options: list[str], message: str
) -> None:
    assert message in error_line(lab("bench", "casts", *options), 2)


def test_a_character_is_whole_and_alone_under_every_name() -> None:
    cast = [person("Emma", "Miss Woodhouse"), person("Harriet"), person("Mr. Elton")]
    emma, harriet, elton = casts_bench.score_cast(TEXT, CAST, cast)
    assert (emma.places, emma.completeness, emma.purity) == (3, 1, 1)
    assert emma.is_whole_and_alone
    assert harriet.is_whole_and_alone
    assert emma.is_gender_right
    assert not elton.is_gender_right


def test_a_name_detected_as_a_separate_character_splits_one() -> None:
    cast = [person("Emma"), person("Miss Woodhouse"), person("Harriet"), person("Mr. Elton")]
    emma = casts_bench.score_cast(TEXT, CAST, cast)[0]
    assert (emma.completeness, emma.purity) == (pytest.approx(2 / 3), 1)
    assert emma.is_split
    assert not emma.is_merged
    assert emma.row()["split"] == "Miss Woodhouse 1"


def test_two_who_are_taken_for_one_are_merged_both() -> None:
    cast = [person("Emma", "Miss Woodhouse", "Harriet"), person("Mr. Elton")]
    emma, harriet, elton = casts_bench.score_cast(TEXT, CAST, cast)
    assert (emma.completeness, emma.purity) == (1, pytest.approx(3 / 4))
    assert (harriet.completeness, harriet.purity) == (1, pytest.approx(1 / 4))
    assert emma.is_merged
    assert harriet.is_merged
    assert not elton.is_merged
    assert harriet.row()["merged"] == "Emma 3"


def test_one_whom_nobody_answers_for_is_missed() -> None:
    score = casts_bench.score_cast(TEXT, CAST, [person("Emma", "Miss Woodhouse")])[2]
    assert (score.completeness, score.purity, score.missed, score.detected) == (0, 0, 2, "")
    assert not score.is_split
    assert not score.is_merged


def test_places_of_shared_names_are_not_scored() -> None:
    cast = [person("Emma", "Miss Woodhouse", "Catherine"), person("Emma Watson")]
    emma = casts_bench.score_cast(TEXT, CAST, cast)[0]
    assert (emma.places, emma.purity) == (3, 1)


def test_the_main_characters_of_a_novel_of_pdnc_speak_often() -> None:
    text = "“Yes,” said Emma Hart. “No,” said Jane Hart. " * 10 + "“So,” said Mr. Hart. "
    people = (person("Emma Hart", "Emma"), person("Jane Hart", "Jane"), person("Mr. Hart"))
    quotations = tuple(find_quoted(text))
    novel = AnnotatedNovel(
        "Harts",
        text,
        people,
        tuple(map(str, range(21))),
        quotations,
        (*(0, 1) * 10, 2),
        ("Explicit",) * 21,
    )
    cast = casts_data.from_pdnc(novel)
    assert [character.name for character in cast.characters] == ["Emma Hart", "Jane Hart"]
    names = cast.names()
    assert names["emma",] == names["emma", "hart"] == 0
    assert names["mr", "hart"] == casts_data.SHARED


def test_the_command_reports_figures_and_lists_errors(lab: Scholar, tmp_path: Path) -> None:
    folder = tmp_path / "pdnc" / "Harts"
    folder.mkdir(parents=True)
    text = "“Yes,” said Emma. “No,” said Jane.\n" * 12
    spans = [(quotation.span.start, quotation.span.end) for quotation in find_quoted(text)]
    speakers = ("Emma", "Jane") * 12
    rows = [
        f'Q{number},"[[{start}, {end}]]",{speaker}'
        for number, ((start, end), speaker) in enumerate(zip(spans, speakers, strict=True))
    ]
    (folder / "novel_text.txt").write_text(text, "utf-8", newline="")
    (folder / "quotation_info.csv").write_text(
        "\n".join(["quoteID,quoteByteSpans,speaker", *rows]) + "\n", "utf-8"
    )
    (folder / "character_info.csv").write_text(
        "Character ID,Main Name,Aliases,Gender,Category\n"
        "0,Emma,\"{'Emma'}\",F,major\n1,Jane,\"{'Jane'}\",F,major\n",
        "utf-8",
    )
    options = ("bench", "casts", "--data", str(tmp_path / "pdnc"), "--json")
    [report] = json.loads(lab(*options).stdout)
    assert "queries" not in report
    [with_queries] = json.loads(lab("bench", "--per-query", *options[1:]).stdout)
    assert with_queries["queries"]["whole_and_alone"] == [1, 1]
    assert with_queries["queries"]["group"] == [0, 0]
    assert (report["split"], report["n"], report["metrics"]["whole_and_alone"]) == ("pdnc", 2, 1)
    rows_listed = json.loads(lab(*options, "--list").stdout)
    assert [row["detected"] for row in rows_listed] == ["Emma", "Jane"]


def test_every_packaged_cast_is_sound() -> None:
    casts = casts_data.read()
    assert len(casts) >= 40
    for cast in casts:
        assert 4 <= len(cast.characters) <= casts_data.MOST_CHARACTERS
        names = [name for character in cast.characters for name in character.names]
        folded = [name_words(name) for name in [*names, *cast.shared]]
        assert len(set(folded)) == len(folded), cast.title


def test_a_third_of_the_novels_is_for_testing_and_none_in_both_parts() -> None:
    parts: dict[str, set[str]] = {part: set() for part in gutenberg_texts.PARTS}
    for cast in casts_data.read():
        parts[cast.part].add(cast.book)
    assert not parts[gutenberg_texts.DEVELOPMENT] & parts[gutenberg_texts.TEST]
    assert 0.3 <= len(parts[gutenberg_texts.TEST]) / sum(map(len, parts.values())) <= 0.4


@pytest.mark.shared
def test_packaged_names_occur_in_the_texts(shared_texts: Path) -> None:
    for cast in casts_data.select(casts_data.read(), (), ("pg242", "pg209")):
        text = gutenberg_texts.open_annotated(shared_texts, cast).text
        standing = {
            name_words(mention.span.of(text)) for mention in match_names(text, cast.names())
        }
        assert standing == set(cast.names())
