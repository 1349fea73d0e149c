"""Check the subjects of commits: plain imperatives of at most 72 characters.

python tests/commit_subjects.py          the last 50 commits; passes if there is no history
python tests/commit_subjects.py FILE     the message in FILE, as the commit-msg hook does
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMITS = 50
LONGEST = 72
NOT_IMPERATIVE = re.compile(r"(?:ed|ing|(?<!s)s)$")
IMPERATIVE = frozenset({"bring", "embed", "feed", "focus", "need", "ping", "seed", "speed"})
"""Imperatives with the ending of a past tense, a participle or a third person."""


def faults(subject: str) -> list[str]:
    """Return the faults of a subject, each as the end of a sentence about it."""
    first = re.split(r"\W", subject, maxsplit=1)[0]
    checks = {
        f"has {len(subject)} characters; use at most {LONGEST}": len(subject) > LONGEST,
        "ends with a full stop; drop it": subject.endswith("."),
        "does not begin with a capital letter": not first[:1].isupper(),
        f"begins with {first!r}; begin with an imperative": bool(NOT_IMPERATIVE.search(first))
        and first.lower() not in IMPERATIVE,
    }
    return [fault for fault, is_found in checks.items() if is_found]


def recent_subjects() -> list[str]:
    """Return the subjects of the last commits; none outside a checkout of git."""
    command = ["git", "log", f"-{COMMITS}", "--no-merges", "--format=%s"]
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return []


def main(arguments: list[str]) -> int:
    """Print the faults of the subjects; return the exit code."""
    if arguments:
        subjects = Path(arguments[0]).read_text("utf-8").splitlines()[:1]
    else:
        subjects = recent_subjects()
    lines = [f"“{subject}” {fault}" for subject in subjects for fault in faults(subject)]
    print(*lines, sep="\n", end="\n" if lines else "")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
