"""Files of papers for the commands to add."""

from __future__ import annotations

from pathlib import Path

BIBTEX = """
@article{lamp2020, title = {Lamps That Count Moths}, year = 2020, doi = {10.5555/lamp},
  author = {Ann Example and Ben Other},
  abstract = {Moths are counted by hand. We count moths with a lamp that weighs them.
    The lamp is right for nine moths in ten.}}
@article{broken2021, title = {No end to this
@article{moth2021, title = {Moths of the Fens}, year = 2021, doi = {10.5555/fens},
  abstract = {We walked the fens for a year. Forty kinds of moths were seen.}}
"""


def write_file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)
