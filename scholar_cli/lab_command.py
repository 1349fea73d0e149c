"""The entry point of `scholar-lab`, whose package is in a checkout and not in the wheel."""

from __future__ import annotations

import importlib.util
import sys


def run() -> None:
    """Run the laboratory's command line, or say how to install it and exit with 4."""
    if importlib.util.find_spec("scholar_cli.laboratory") is None:
        print(  # noqa: T201
            "scholar-lab: the laboratory is not installed; "
            "in a checkout of the project, run: pip install -e '.[lab]'",
            file=sys.stderr,
        )
        raise SystemExit(4)
    from scholar_cli.laboratory import main

    main.run()
