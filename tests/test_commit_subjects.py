"""The check of commit subjects, which `make lint` and the commit-msg hook run."""

from __future__ import annotations

from pathlib import Path

import pytest

from commit_subjects import faults, main


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        pytest.param("Read " + "a" * 68, "has 73 characters; use at most 72", id="too long"),
        pytest.param("Read older claims.", "ends with a full stop", id="a full stop"),
        pytest.param("read older claims", "capital letter", id="a small letter"),
        pytest.param("Fixed the index", "begins with 'Fixed'", id="a past tense"),
        pytest.param("Fixes: the index", "begins with 'Fixes'", id="a third person"),
        pytest.param("Fixing the index", "begins with 'Fixing'", id="a participle"),
    ],
)
def test_a_subject_is_refused_with_its_fault(subject: str, fault: str) -> None:
    (line,) = faults(subject)
    assert fault in line


@pytest.mark.parametrize(
    "subject", ["Read " + "a" * 67, "Pass the lock", "Embed claims", "Bring figures up to date"]
)
def test_an_imperative_is_accepted(subject: str) -> None:
    assert not faults(subject)


def test_the_hook_checks_the_first_line_of_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = tmp_path / "COMMIT_EDITMSG"
    message.write_text("Fixed the index\n\nIt was damaged.\n", "utf-8")
    assert main([str(message)]) == 1
    assert (
        capsys.readouterr().out
        == "“Fixed the index” begins with 'Fixed'; begin with an imperative\n"
    )
