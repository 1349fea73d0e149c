"""Mutation testing of a small package: survivors are found, and samples depend on the seed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import mutants
from core_modules import AREAS, Area
from mutants import ModuleResult, interval, read_results, sample, table

ROOT = Path(__file__).parents[2]

MODULE = """def is_adult(age):
    return age >= 18


def double(number):
    return number * 2


def never_called(number):
    return number + 1
"""

TESTS = """from scholar_indexes.toy import double, is_adult


def test_grown_up_people_are_adults():
    assert is_adult(40) and not is_adult(3)


def test_twice_five_is_ten():
    assert double(5) == 10
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout of one module, with a test that does not check the boundary 18."""
    if find_spec("mutmut") is None:
        pytest.skip("mutmut is not installed")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading plugins is slow
    root = tmp_path / "checkout"
    for folder in ("indexes/scholar_indexes", "tests/toy"):
        (root / folder).mkdir(parents=True)
    (root / "indexes/scholar_indexes/__init__.py").touch()
    (root / "indexes/scholar_indexes/toy.py").write_text(MODULE)
    (root / "tests/toy/test_toy.py").write_text(TESTS)
    (root / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\nmarkers = ['slow', 'shared']\n"
    )
    return root


COPIED = {"indexes/scholar_indexes": "scholar_indexes", "tests": "tests"}
TOY = Area(("toy.py",), ("toy/test_toy.py",))


@pytest.mark.slow
def test_a_change_that_no_test_notices_survives_and_is_shown(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    mutants.lay_out(work, toy, TOY, COPIED)
    (result,) = mutants.run_area(work, seed=1, size=50, seconds=120)
    assert result.ran == result.mutants > len(result.survivors) >= 2
    printed = capsys.readouterr().out
    assert "+    return age > 18" in printed
    assert "+    return number + 2" in printed  # never called: no test reaches it
    assert "number / 2" not in printed
    assert (toy / "indexes/scholar_indexes/toy.py").read_text() == MODULE


def test_a_sample_depends_on_its_seed_and_its_own_module_alone() -> None:
    names = {"a.py": [f"a{n}" for n in range(50)], "b.py": ["b1", "b2"]}
    drawn = sample(names, 7, 5)
    assert drawn == sample({"a.py": list(reversed(names["a.py"])), "b.py": ["b2", "b1"]}, 7, 5)
    assert drawn["a.py"] == sample({"a.py": names["a.py"]}, 7, 5)["a.py"]
    assert drawn["a.py"] != sample(names, 8, 5)["a.py"]
    assert len(set(drawn["a.py"])) == 5
    assert set(drawn["b.py"]) == {"b1", "b2"}


def test_unreached_mutants_survive_and_ones_that_did_not_run_do_not_count() -> None:
    codes = {"a.py": {"k": 1, "s": 0, "n": 33, "t": 36, "x": None, "u": 0}}
    assert read_results(codes, {"a.py": ["k", "s", "n", "t", "x"]}) == [
        ModuleResult("a.py", mutants=6, ran=4, timeouts=1, survivors=("s", "n"))
    ]


@pytest.mark.parametrize(
    ("survived", "ran", "bounds"),
    [
        pytest.param(0, 0, (0.0, 1.0), id="nothing ran"),
        pytest.param(0, 20, (0.0, 0.161), id="none of twenty"),
        pytest.param(10, 20, (0.299, 0.701), id="half of twenty"),
        pytest.param(20, 20, (0.839, 1.0), id="all of twenty"),
    ],
)
def test_intervals_are_wilsons(survived: int, ran: int, bounds: tuple[float, float]) -> None:
    """Newcombe (1998), Statistics in Medicine 17, method 3."""
    assert interval(survived, ran) == pytest.approx(bounds, abs=0.001)


def test_the_table_has_shares_of_modules_packages_and_all() -> None:
    lines = table(
        [
            ModuleResult("scholar_indexes/x/a.py", 100, 20, 0, ("m",) * 5),
            ModuleResult("scholar_indexes/x/b.py", 10, 10, 1, ()),
        ]
    ).splitlines()
    assert [line.split()[0] for line in lines] == ["module", "x/a.py", "x/b.py", "x/", "all"]
    assert lines[1].split()[1:6] == ["100", "20", "0", "5", "25%"]
    assert lines[-1].split()[1:6] == ["110", "30", "1", "5", "17%"]


@pytest.mark.parametrize("name", AREAS)
def test_every_module_and_test_of_an_area_is_there(name: str) -> None:
    for pattern in AREAS[name].modules:
        assert list((ROOT / "indexes" / "scholar_indexes").glob(pattern)), pattern
    for test in AREAS[name].tests:
        assert (ROOT / "tests" / test).is_file(), test


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["poetry"], "there is no area 'poetry'; list them with --list", id="no such area"
        ),
        pytest.param(
            ["bank", "--only", "*moths*"], "these areas have no module '*moths*'", id="no module"
        ),
    ],
)
def test_an_unknown_area_or_folder_is_named(arguments: list[str], message: str) -> None:
    if find_spec("mutmut") is None:
        pytest.skip("mutmut is not installed")
    command = [sys.executable, str(Path(mutants.__file__)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
