"""Forms in which people name the kinds of RELiC's quotations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

import relic_works
import spreadsheet_forms
from command_line import Scholar, error_line, succeeded
from scholar_cli.laboratory.relic import quotation_kinds, relic_data
from scholar_cli.laboratory.relic.relic_data import QuotationWindow, QuotedWork
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from spreadsheet_forms import rows_of

fill_in = partial(spreadsheet_forms.fill_in, column="kind")


def written(path: Path, *, count: int = 4, name: str = "form.csv", seed: int = 0) -> Path:
    """Write a form about a small collection; return it."""
    data = relic_works.folder(path / "data")
    quotation_kinds.write(path / name, data, split="test", count=count, seed=seed)
    return path / name


def test_a_form_that_may_be_filled_in_is_not_replaced(tmp_path: Path) -> None:
    written(tmp_path)
    with pytest.raises(UsageError, match="already exists"):
        written(tmp_path)


def test_a_split_without_published_criticism_makes_no_form(tmp_path: Path) -> None:
    window = QuotationWindow("written-158-0", ("He was sure",), 0, 1, ())
    relic_data.write(
        tmp_path, "train", [QuotedWork("Emma", ("She smiled.",), (window,), {1: (0,)})]
    )
    with pytest.raises(NoMatch, match="only written claims"):
        quotation_kinds.write(tmp_path / "form.csv", tmp_path, split="train", count=9)


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        pytest.param(("plot", "", "", ""), "'plot' is not a kind; write claim, ", id="a kind"),
        pytest.param(("", "", "", ""), "no item is answered", id="nothing"),
    ],
)
def test_a_form_without_valid_kinds_is_refused(
    tmp_path: Path, kinds: Sequence[str], message: str
) -> None:
    with pytest.raises((UsageError, NoMatch), match=message):
        quotation_kinds.score([fill_in(written(tmp_path), "ann.csv", kinds)])


def test_a_missing_form_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match=r"there is no .*ann\.csv"):
        quotation_kinds.score([tmp_path / "ann.csv"])


def test_a_form_has_the_quotation_between_its_context_and_no_kind(tmp_path: Path) -> None:
    form = written(tmp_path)
    [ship] = relic_data.read(tmp_path / "data", "test")
    texts = {ship.text(window.start, window.size) for window in ship.windows}
    rows = rows_of(form)
    assert len({row["item"] for row in rows}) == len(rows) == 4
    for row in rows:
        assert row["before"].startswith("it rained in the house the critic says")
        assert row["quotation"] in texts
        assert (row["after"], row["kind"]) == ("and why", "")
    assert rows_of(written(tmp_path, name="same.csv")) == rows
    assert rows_of(written(tmp_path, name="other.csv", seed=1)) != rows


def test_kinds_are_shares_of_the_answers_and_agreement_is_beyond_chance(tmp_path: Path) -> None:
    form = written(tmp_path)
    people = {
        "ann": ("claim", "Claim", "paraphrase", ""),
        "ben": ("claim", "claim", "other", "claim"),
    }
    forms = [fill_in(form, f"{name}.csv", kinds) for name, kinds in people.items()]
    ann, ben, both = quotation_kinds.score(forms)
    assert (ann.system, ann.n, ben.n, both.n) == ("ann", 3, 4, 3)
    assert ann.metrics["claim"] == pytest.approx(2 / 3)
    assert ben.metrics["other"] == pytest.approx(1 / 4)
    assert both.metrics["agreed"] == pytest.approx(2 / 3)
    assert 0 < both.metrics["alpha"] < 1


def test_the_command_writes_a_form_and_scores_it(tmp_path: Path, lab: Scholar) -> None:
    data, form = relic_works.folder(tmp_path / "data"), tmp_path / "form.csv"
    options = ("--data", str(data), "--split", "test", "--form", str(form))
    result = succeeded(lab("bench", "kinds", *options, "--items", "2", "--json"))
    assert result.json == [{"form": str(form), "items": 2}]
    filled_in = fill_in(form, "ann.csv", ("claim", "paraphrase"))
    scores = succeeded(lab("bench", "kinds", "--answers", str(filled_in), "--json")).json
    assert scores[0]["metrics"]["paraphrase"] == 0.5
    for wrong in ((), ("--data", str(data)), (*options, "--answers", str(filled_in))):
        assert "or only --answers" in error_line(lab("bench", "kinds", *wrong), 2)
