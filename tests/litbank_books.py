"""Small books in LitBank's form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scholar_cli.laboratory.litbank import litbank_data

SENTENCES = (
    "Mrs. Elizabeth Marsh laughed , for she knew the captain 's dog .",
    "“ I do n't like the sea , ” said Elizabeth Marsh , and she shut her book .",
    "“ Then stay at home , ” said Mr. Hale .",
)
ANNOTATION = """\
MENTION\tT1\t0\t0\t0\t2\tMrs. Elizabeth Marsh\tPER\tPROP
MENTION\tT2\t0\t6\t0\t6\tshe\tPER\tPRON
MENTION\tT3\t0\t8\t0\t10\tthe captain 's\tPER\tNOM
MENTION\tT4\t1\t5\t1\t6\tthe sea\tLOC\tNOM
MENTION\tT5\t2\t8\t2\t9\tMr. Hale\tPER\tPROP
COREF\tT1\tElizabeth-1
COREF\tT2\tElizabeth-1
COREF\tT3\tcaptain-2
COREF\tT4\tsea-3
COP\tT5\tT3
"""


def write_books(folder: Path, names: Sequence[str], *, annotated: bool = True) -> Path:
    """Write a book of SENTENCES under each name; return the folder."""
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / litbank_data.TEXT).write_text("\n".join(SENTENCES) + "\n", "utf-8")
        if annotated:
            (folder / name / litbank_data.ANNOTATION).write_text(ANNOTATION, "utf-8")
    return folder
