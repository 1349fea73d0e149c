"""Forms for human readers: RELiC's three-way task as CSV, filled in and scored by a key."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

import spreadsheet_forms
from command_line import CommandResult, error_line, succeeded
from scholar_cli.laboratory.relic import sheet_scores, sheets
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork, write
from scholar_cli.laboratory.relic.sheet_scores import krippendorff_alpha
from scholar_cli.laboratory.relic.sheets import CANDIDATES, COLUMNS, QUOTATION
from scholar_cli.laboratory.report import Report
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from spreadsheet_forms import rows_of

fill_in = partial(spreadsheet_forms.fill_in, column="choice")

SENTENCES = (
    "=the ship left the harbour",
    "rain fell on the house and on the harbour",
    "the widow wept over the harbour",
    "a ship went to sea",
    "she read the letter",
    "she read the letter",
)
QUOTED = {"ship": 0, "rain": 1, "sea": 3}


def folder(path: Path, quoted: Mapping[str, int] = QUOTED) -> Path:
    """Write a test split of one work; critics name the first words of their quotations."""
    windows = tuple(
        QuotationWindow(
            name, ("Far.", f"It is the {name} of the harbour:"), start, 1, ("-2+3 he says.",)
        )
        for name, start in quoted.items()
    )
    works = [QuotedWork("The Ship (Ann Example)", SENTENCES, windows, {1: (*range(6),)})]
    write(path, "test", works)
    return path


def drawn(path: Path, **options: object) -> tuple[list[sheets.SheetItem], sheets.SheetKey]:
    def load(name: str) -> object:
        raise AssertionError(f"{name} is not needed")

    chosen = {"split": "test", "count": 9, "load": load, **options}
    return sheets.draw_items(path, **chosen)  # type: ignore[arg-type]


def written(path: Path, **options: object) -> Path:
    """Write a form and its key; return the form."""
    form = path / "form.csv"
    sheets.write(form, *drawn(folder(path / "data"), **options))
    return form


def answers(form: Path) -> dict[str, int]:
    """Return the quotation number of each item, from the key."""
    key = json.loads(sheets.key_path(form).read_text("utf-8"))
    return {item: kinds.index(QUOTATION) + 1 for item, kinds in key["items"].items()}


def scored(*forms: Path, key: Path | None = None) -> dict[str, Report]:
    return {report.system: report for report in sheet_scores.score(forms, key)}


def test_a_work_without_three_different_passages_makes_no_form(tmp_path: Path) -> None:
    windows = (QuotationWindow("q", ("It is said:",), 0, 1, ()),)
    write(tmp_path, "test", [QuotedWork("Twice", ("a", "a", "a", "b"), windows, {1: (0, 1, 2)})])
    with pytest.raises(NoMatch, match="no quotation of test"):
        drawn(tmp_path)


def test_a_rank_that_no_quotation_is_beyond_makes_no_form(tmp_path: Path) -> None:
    with pytest.raises(NoMatch, match="a rank beyond 6; write a smaller --beyond"):
        drawn(folder(tmp_path), beyond=6)


def test_wrong_answers_are_of_one_system(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'dense' means 2 systems; name one, such as dense:MODEL"):
        drawn(folder(tmp_path), system="dense", models=["one", "two"])


@pytest.mark.parametrize("there", ["form.csv", "form-key.json"])
def test_a_form_that_may_be_filled_in_is_not_replaced(tmp_path: Path, there: str) -> None:
    (tmp_path / there).write_text("mine", "utf-8")
    with pytest.raises(UsageError, match=f"{there} already exists"):
        written(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [there]
    assert (tmp_path / there).read_text("utf-8") == "mine"


def test_a_form_has_the_context_and_three_candidates_and_no_answer(tmp_path: Path) -> None:
    form = written(tmp_path)
    rows = rows_of(form)
    assert len(rows) == 3
    right = answers(form)
    texts = set()
    for row in rows:
        assert list(row) == list(COLUMNS)
        assert row["work"] == "The Ship (Ann Example)"
        assert row["before"].startswith("Far. It is the ")
        assert (row["choice"], row["comment"]) == ("", "")
        texts.add(row[f"candidate {right[row['item']]}"].lstrip("'"))
        assert len({row[name] for name in CANDIDATES}) == 3
    assert texts == {SENTENCES[start] for start in QUOTED.values()}
    assert QUOTATION not in form.read_text("utf-8-sig")


def test_no_cell_of_a_form_is_a_formula(tmp_path: Path) -> None:
    rows = rows_of(written(tmp_path))
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
    assert "'=the ship left the harbour" in cells
    assert {row["after"] for row in rows} == {"'-2+3 he says."}


def test_the_wrong_candidates_are_the_best_others_of_a_system(tmp_path: Path) -> None:
    items, _ = drawn(folder(tmp_path))
    (rain,) = [item for item in items if item.quotation == "rain"]
    kinds = dict(zip(rain.kinds, rain.texts, strict=True))
    assert {kinds["wrong 1"], kinds["wrong 2"]} == {SENTENCES[0], SENTENCES[2]}


def test_only_quotations_far_down_are_drawn_where_that_is_asked_for(tmp_path: Path) -> None:
    items, key = drawn(folder(tmp_path, {"rain": 1, "widow": 3}), beyond=3)
    assert [item.quotation for item in items] == ["widow"]
    assert key.beyond == 3


def test_the_same_seed_draws_the_same_form_and_another_another(tmp_path: Path) -> None:
    data = folder(tmp_path)
    first, again, other = (drawn(data, count=2, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first[1].items.keys().isdisjoint(other[1].items)


def test_right_choices_are_counted_among_the_choices_made(tmp_path: Path) -> None:
    form = written(tmp_path)
    first, second, _ = answers(form).values()
    filled_in = fill_in(form, "ann.csv", [first, second % 3 + 1, ""])
    report = scored(filled_in, key=sheets.key_path(form))["ann"]
    assert (report.n, report.metrics["accuracy"], report.metrics["unanswered"]) == (2, 0.5, 1)
    assert (report.bench, report.split) == ("relic sheet", "test")


def test_the_key_next_to_a_completed_form_is_found(tmp_path: Path) -> None:
    form = written(tmp_path)
    fill_in(form, form.name, answers(form).values())
    assert scored(form)["form"].metrics["accuracy"] == 1


@pytest.mark.parametrize("delimiter", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_form_is_read_as_spreadsheet_programs_save_it(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    form = written(tmp_path)
    choices = [f"{number}.0" for number in answers(form).values()]
    filled_in = fill_in(form, "ann.csv", choices, delimiter=delimiter, encoding=encoding)
    assert scored(filled_in, key=sheets.key_path(form))["ann"].metrics["accuracy"] == 1


def test_a_majority_is_right_where_two_of_three_are(tmp_path: Path) -> None:
    form = written(tmp_path)
    right = list(answers(form).values())
    wrong = [number % 3 + 1 for number in right]
    people = {
        "ann": [right[0], wrong[1], right[2]],
        "ben": [right[0], wrong[1], wrong[2]],
        "cat": [wrong[0], right[1], right[2]],
    }
    forms = [fill_in(form, f"{name}.csv", choices) for name, choices in people.items()]
    reports = scored(*forms, key=sheets.key_path(form))
    assert list(reports) == ["ann", "ben", "cat", "majority"]
    assert reports["majority"].metrics["accuracy"] == pytest.approx(2 / 3)
    assert reports["majority"].metrics["alpha"] < 0
    assert reports["majority"].metrics["all_chose_one_wrong"] == 0


def test_a_wrong_passage_that_everybody_prefers_is_counted(tmp_path: Path) -> None:
    form = written(tmp_path)
    right = list(answers(form).values())
    choices = [right[0], right[1] % 3 + 1, right[2]]
    forms = [fill_in(form, f"{name}.csv", choices) for name in ("ann", "ben")]
    majority = scored(*forms, key=sheets.key_path(form))["majority"]
    assert majority.metrics["all_chose_one_wrong"] == 1


def test_forms_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    form = written(tmp_path)
    forms = []
    for name in ("ann", "ben"):
        (tmp_path / name).mkdir()
        forms.append(fill_in(form, f"{name}/form.csv", [*answers(form).values()]))
    reports = scored(*forms, key=sheets.key_path(form))
    assert list(reports) == [*map(str, forms), "majority"]
    assert "alpha" not in reports["majority"].metrics  # agreement needs more than one annotator


@pytest.mark.parametrize(
    ("units", "alpha"),
    [
        # Krippendorff (2011), section C: two observers, twelve units, nominal values.
        pytest.param("aa bb bc cc cc dd de ee ab", None, id="by hand"),
        pytest.param("ab ba ab ba", 1 - 7 * 8 / (64 - 32), id="never"),
        pytest.param("aa bb aa", 1.0, id="always"),
    ],
)
def test_alpha_is_agreement_beyond_chance(units: str, alpha: float | None) -> None:
    values = units.split()
    if alpha is None:
        pairs = [(one, other) for unit in values for one, other in (unit, unit[::-1])]
        counts = {value: "".join(values).count(value) for value in "abcde"}
        n = sum(counts.values())
        observed = sum(one != other for one, other in pairs) / n
        expected = sum(
            counts[one] * counts[other] for one in counts for other in counts if one != other
        ) / (n * (n - 1))
        alpha = 1 - observed / expected
    assert krippendorff_alpha(values) == pytest.approx(alpha)


def test_alpha_of_three_answers_ignores_units_with_one() -> None:
    three = krippendorff_alpha(["aab", "abb", "aaa"])
    assert three == pytest.approx(1 - 8 * (2 + 2) / (81 - 36 - 9))
    assert krippendorff_alpha(["aab", "abb", "aaa", "b"]) == three


def test_answers_by_chance_have_an_alpha_near_nothing() -> None:
    drawing = random.Random(7)
    units = ["".join(drawing.choices("abc", k=3)) for _ in range(2_000)]
    assert krippendorff_alpha(units) == pytest.approx(0, abs=0.05)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        pytest.param("4", "'4' is not a choice; write 1 to 3, or nothing", id="four"),
        pytest.param("first", "'first' is not a choice", id="a word"),
        pytest.param("=1", "'=1' is not a choice", id="a formula"),
    ],
)
def test_a_choice_that_is_none_is_named_with_its_item(
    tmp_path: Path, choice: str, message: str
) -> None:
    form = written(tmp_path)
    item = next(iter(answers(form)))
    filled_in = fill_in(form, "ann.csv", [choice, 1, 1])
    with pytest.raises(UsageError, match=f"'{item}': {message}"):
        scored(filled_in, key=sheets.key_path(form))


def test_a_form_that_nobody_filled_in_is_no_match(tmp_path: Path) -> None:
    with pytest.raises(NoMatch, match="no item is answered; write 1 to 3"):
        scored(written(tmp_path))


def test_a_form_of_another_key_is_refused(tmp_path: Path) -> None:
    form = written(tmp_path)
    other = written(tmp_path / "other", seed=1)
    with pytest.raises(UsageError, match="is not in the key; name the key of this form"):
        scored(form, key=sheets.key_path(other))


def test_a_missing_form_is_named_before_its_key(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*ann\.csv; check its name"):
        scored(tmp_path / "ann.csv")


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    form = written(tmp_path)
    sheets.key_path(form).unlink()
    with pytest.raises(NotThere, match=r"there is no .*form-key\.json; name the key of the form"):
        scored(form)


def test_an_item_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    form = written(tmp_path)
    form.write_bytes(form.read_bytes() + form.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(UsageError, match="occurs twice; keep one of its rows"):
        scored(form)


@pytest.mark.parametrize("content", ["", "item,work\na,b\n", "choice\n1\n", "item,choice\n"])
def test_a_table_that_is_no_form_is_refused(tmp_path: Path, content: str) -> None:
    form = written(tmp_path)
    form.write_text(content, "utf-8")
    with pytest.raises(UsageError, match="save the form as CSV with all of its columns"):
        scored(form)


def test_the_command_writes_a_form_and_scores_it(
    lab: Callable[..., CommandResult], tmp_path: Path
) -> None:
    data, form = folder(tmp_path / "data"), tmp_path / "forms" / "pride.csv"
    options = ("--data", str(data), "--split", "test", "--work", "ship", "--sheet", str(form))
    result = succeeded(lab("bench", "relic", *options, "--items", "2", "--json"))
    assert result.json == [
        {"form": str(form), "key": str(form.with_name("pride-key.json")), "items": 2}
    ]
    fill_in(form, form.name, [*answers(form).values()])
    scores = succeeded(lab("bench", "relic", "--sheet-answers", str(form), "--json"))
    assert [report["system"] for report in scores.json] == ["pride"]
    assert scores.json[0]["metrics"]["accuracy"] == 1
    again = lab("bench", "relic", *options)
    assert "already exists" in error_line(again, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param((), "forms to score (--sheet-answers)", id="nothing"),
        pytest.param(("--sheet", "form.csv"), "forms to score (--sheet-answers)", id="no data"),
        pytest.param(("--sheet", "a.csv", "--sheet-answers", "b.csv"), "give only one", id="both"),
        pytest.param(("--sheet", "a.csv", "--system", "bm25"), "leave out --system", id="a system"),
        pytest.param(("--data", "x", "--beyond", "9"), "with --sheet", id="rivals of no form"),
        pytest.param(("--data", "x", "--key", "k.json"), "--sheet-answers", id="a key of no form"),
    ],
)
def test_a_command_that_asks_for_nothing_or_both_is_refused(
    lab: Callable[..., CommandResult], options: tuple[str, ...], message: str
) -> None:
    assert message in error_line(lab("bench", "relic", *options), 2)
