"""python -m scholar_cli is the command scholar."""

from scholar_cli.main import run

run()
