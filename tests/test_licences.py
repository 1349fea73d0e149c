"""Licences of shipped files and training data, and a build without restricted labels."""

from __future__ import annotations

import json
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_indexes.library import Library
from scholar_indexes.models import registry
from scholar_indexes.settings import OWN_FACET_MODEL

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
THIRD_PARTY = (ROOT / "THIRD_PARTY.md").read_text("utf-8")

PARTLY_LISTED = {
    "lexicon/data": "`lexicon/data/*.tsv`",
    "descriptions/bank": "`characters/descriptions/bank`",
    "books/samples": "`books/samples`",
}
"""Folders of data that the page names as a whole, and how."""


def cards() -> dict[str, dict[str, Any]]:
    """Return the cards of the packaged models by their names."""
    paths = registry.PACKAGED.glob("*/card.json")
    return {path.parent.name: json.loads(path.read_text("utf-8")) for path in paths}


def shipped_data() -> list[Path]:
    """Return the files of the packages that are neither code nor part of a model."""
    packages = [ROOT / "scholar_cli", ROOT / "indexes" / "scholar_indexes"]
    return [
        path
        for package in packages
        for path in sorted(package.rglob("*"))
        if path.is_file()
        and path.suffix not in (".py", ".pyc", ".typed")
        and registry.PACKAGED not in path.parents
    ]


@pytest.fixture
def without_restricted_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit the packaged models to a build with SCHOLAR_NO_NC=1."""
    weights = tmp_path / "weights"
    weights.mkdir()
    for folder in registry.PACKAGED.iterdir():
        if folder.name not in registry.LEFT_OUT:
            (weights / folder.name).symlink_to(folder)
    monkeypatch.setattr(registry, "PACKAGED", weights)


def test_every_file_of_data_that_is_shipped_has_its_source_listed() -> None:
    for path in shipped_data():
        place = path.as_posix()
        folders = [words for folder, words in PARTLY_LISTED.items() if folder in place]
        # docs/data.md lists their training data
        fitted = path.name in ("weights.json", "phrase_weights.json", "support.json")
        named = (*folders, path.name)
        assert fitted or any(words in THIRD_PARTY for words in named), place


def test_every_dependency_is_listed_and_has_a_licence_as_installed() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "third_party.py"))
    for extra, names in page["dependencies"]().items():
        shown = f"`{extra}`" if extra else ""
        for name in names:
            row = re.escape(f"| {name} | ") + r".*\w.*" + re.escape(f" | {shown} |")
            assert re.search(row, THIRD_PARTY), f"{name}: run .venv/bin/python docs/third_party.py"
            assert page["licence"](name), name


def test_the_licence_of_a_package_that_is_not_installed_is_not_made_up() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "third_party.py"))
    with pytest.raises(page["metadata"].PackageNotFoundError):
        page["licence"]("no-package-of-this-name")


@pytest.mark.parametrize("name", sorted(cards()))
def test_every_card_has_a_licence_and_says_what_a_commercial_user_may_do(name: str) -> None:
    card = cards()[name]
    assert card["licence"].startswith("Apache-2.0")
    restricted = "labels_licence" in card
    assert card["use"].startswith(("No", "Not") if restricted else "Yes")
    assert f"`{name}`" in THIRD_PARTY


def test_a_build_can_leave_out_exactly_the_models_trained_on_restricted_labels() -> None:
    restricted = {name for name, card in cards().items() if "labels_licence" in card}
    build = PROJECT["tool"]["hatch"]["build"]
    assert restricted == set(registry.LEFT_OUT)
    assert restricted == set(build["hooks"]["custom"]["models"])
    for target in ("wheel", "sdist"):
        excluded = build["targets"][target]["exclude"]
        assert restricted == {Path(folder).name for folder in excluded if "/weights/" in folder}


@pytest.mark.parametrize(
    ("target", "version", "variable", "places"),
    [
        pytest.param("wheel", "standard", None, "scholar_indexes/weights", id="wheel"),
        pytest.param("wheel", "standard", "0", "scholar_indexes/weights", id="wheel, not asked"),
        pytest.param("sdist", "standard", None, "indexes/scholar_indexes/weights", id="sdist"),
        pytest.param("wheel", "standard", "1", "", id="wheel without"),
        pytest.param("sdist", "standard", "1", "", id="sdist without"),
        pytest.param("wheel", "editable", None, "", id="editable, which points at the checkout"),
    ],
)
def test_a_build_has_restricted_models_unless_it_is_to_leave_them_out(
    target: str, version: str, variable: str | None, places: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("hatchling", reason="building needs the extra [dev]")
    hook = runpy.run_path(str(ROOT / ".ci" / "hatch_build.py"))
    monkeypatch.delenv(hook["VARIABLE"], raising=False)
    if variable is not None:
        monkeypatch.setenv(hook["VARIABLE"], variable)
    settings = PROJECT["tool"]["hatch"]["build"]["hooks"]["custom"]
    build_data: dict[str, Any] = {"force_include": {}}
    hook["RestrictedModels"](str(ROOT), settings, None, None, "", target).initialize(
        version, build_data
    )
    expected = {f"{places}/{name}" for name in registry.LEFT_OUT} if places else set()
    assert set(build_data["force_include"].values()) == expected


@pytest.mark.parametrize("target", ["WheelBuilder", "SdistBuilder"])
def test_without_the_hook_no_file_of_a_restricted_model_is_built(target: str) -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel", reason="needs the extra [dev]")
    sdist = pytest.importorskip("hatchling.builders.sdist")
    builder = getattr(wheel if target == "WheelBuilder" else sdist, target)(str(ROOT))
    built = {Path(file.distribution_path).parent.name for file in builder.recurse_included_files()}
    assert built & set(cards()) == set(cards()) - set(registry.LEFT_OUT)


@pytest.mark.usefixtures("without_restricted_models")
def test_a_model_that_was_left_out_says_how_to_train_ones_own(scholar: Scholar) -> None:
    for name, command in registry.LEFT_OUT.items():
        line = error_line(scholar("models", "show", name), 4)
        assert line.startswith(f"this build of scholar comes without {name}")
        assert command in line


@pytest.mark.usefixtures("without_restricted_models")
def test_abstracts_are_labelled_by_the_model_of_own_labels_and_a_message_says_so(
    home: Path,
) -> None:
    said: list[str] = []
    library = Library.of_user(said.append)
    abstract = home.parent / "draft.txt"
    abstract.write_text(
        "Parcels are sorted by hand in small depots. A robot arm reads labels and places each "
        "parcel. Throughput doubles and no parcel was damaged.\n"
    )
    library.papers.add(str(ROOT / "tests" / "data" / "papers.jsonl"))
    query, hits = library.papers.similar(str(abstract), facet=None, n=1)
    assert [facet.value for facet in query.paper.facets] == ["background", "method", "result"]
    assert hits
    assert library.papers.models.facets_name == OWN_FACET_MODEL
    assert sum(f"{OWN_FACET_MODEL} labels sentences" in line for line in said) == 1


@pytest.mark.usefixtures("without_restricted_models", "quay")
def test_speakers_are_found_by_rules_where_their_model_was_left_out(scholar: Scholar) -> None:
    by_rules = succeeded(scholar("speakers", "quay", "--method", "sieve", "--json"))
    result = succeeded(scholar("speakers", "quay", "--json"))
    assert result.json == by_rules.json
    assert "speakers are found by rules" not in by_rules.stderr
    refused = error_line(scholar("speakers", "quay", "--method", "trained"), 4)
    assert "comes without pdnc-turns" in refused


@pytest.mark.usefixtures("without_restricted_models", "quay")
def test_a_message_says_once_that_rules_find_the_speakers(scholar: Scholar) -> None:
    first = succeeded(scholar("characters", "quay"))
    assert first.stderr.count("comes without pdnc-turns: speakers are found by rules") == 1
    assert "comes without" not in succeeded(scholar("characters", "quay")).stderr


def test_a_damaged_model_is_not_taken_for_one_that_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pdnc-turns").mkdir()
    (tmp_path / "pdnc-turns" / "card.json").write_text("{")
    monkeypatch.setattr(registry, "PACKAGED", tmp_path)
    assert not registry.is_left_out("pdnc-turns", tmp_path / "none")


def test_the_citation_names_this_version_and_the_four_papers() -> None:
    yaml = pytest.importorskip("yaml", reason="comes with mkdocs, in the extra [dev]")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(citation)
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert len(citation["references"]) == 4
    for reference in citation["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        assert all(
            set(author) == {"family-names", "given-names"} for author in reference["authors"]
        )


def test_the_notice_has_the_required_credits() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for name in ("LitBank", "CSFCube", "Project Dialogism", "all-MiniLM-L6-v2", "Gutenberg"):
        assert name in notice
