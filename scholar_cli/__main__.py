"""Run the `scholar` command with `python -m scholar_cli`."""

from scholar_cli.main import run

run()
