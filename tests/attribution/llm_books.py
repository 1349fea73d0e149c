"""A short book with its cast, for attribution by language models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from scholar_indexes.attribution.by_language_model.attributor import attribute
from scholar_indexes.llm.remote_model import RemoteModel
from scholar_indexes.types import Attribution, Character, Gender, Quotation, Span

JANE = Character("jane", "Jane Bennet", ("Jane Bennet", "Jane", "Miss Bennet"), Gender.FEMALE)
DARCY = Character("darcy", "Mr. Darcy", ("Mr. Darcy", "Darcy"), Gender.MALE)
HOSTILE = Character("h", 'O"} \\ <|end|>\n\u202eX', ('O"} \\ <|end|>\n\u202eX', "Ox"))
CAST = (JANE, DARCY)

BOOK = "\n\n".join(
    f"“Line {n},” said {'Jane Bennet' if n % 2 else 'Mr. Darcy'} to the others in the room."
    for n in range(1, 13)
)


def quoted(text: str) -> list[Quotation]:
    return [Quotation((Span(*match.span(1)),)) for match in re.finditer("“([^”]*)”", text)]


def whole(text: str) -> list[Span]:
    return [Span(0, len(text))]


def attribute_book(backend: RemoteModel, **options: Any) -> list[Attribution]:
    """Return the attributions of all quotations of BOOK by a model."""
    return list(attribute(BOOK, quoted(BOOK), CAST, whole(BOOK), backend, **options))


def names(attributions: Sequence[Any]) -> list[str | None]:
    return [
        attribution.speaker.name if attribution.speaker else None for attribution in attributions
    ]
