"""The coreference systems that bench litbank compares, by name."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from scholar_cli.laboratory.litbank.litbank_data import PERSON, TokenMention
from scholar_cli.laboratory.litbank.plain_text import PlainText, join_tokens
from scholar_indexes.attribution import sieve
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.coreference.mentions import find_mentions, find_mentions_and_titles, name_words
from scholar_indexes.coreference.pronouns import GENDERS
from scholar_indexes.coreference.resolver import resolution
from scholar_indexes.coreference.resolver.mention_table import ENTITY_CLASSES
from scholar_indexes.coreference.resolver.model import CoreferenceModel, load
from scholar_indexes.errors import UsageError
from scholar_indexes.models.registry import find
from scholar_indexes.paths import user_paths
from scholar_indexes.types import Character, Gender, Quotation, Span

System = Callable[[Sequence[Sequence[str]]], Sequence[TokenMention]]
"""A function from tokenized sentences to mentions with their classes and chains."""

_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|My|Mine|Myself|Me)\b")
_THIRD_PERSON = re.compile(rf"\b(?:{'|'.join(sorted(GENDERS))})\b", re.IGNORECASE)


def resolve_exact_names(sentences: Sequence[Sequence[str]]) -> list[TokenMention]:
    """Return the names of people; names with the same words are one chain."""
    plain = join_tokens(sentences)
    cast = detect_cast(plain.text, find_quotations(plain.text))
    spans = (mention.span for mention in find_mentions(plain.text, cast))
    return list(
        _to_token_mentions(
            plain, ((span, " ".join(name_words(span.of(plain.text)))) for span in spans)
        )
    )


def resolve_by_sieve(sentences: Sequence[Sequence[str]]) -> list[TokenMention]:
    """Return names, titles and singular pronouns, resolved by rules.

    Names are from the cast. "He" and "she" denote the last named character of that gender; "I"
    denotes the narrator, or in a quotation its speaker by the sieve.
    """
    plain = join_tokens(sentences)
    quotations = find_quotations(plain.text)
    cast = detect_cast(plain.text, quotations)
    names = [
        (mention.span, mention.character) for mention in find_mentions_and_titles(plain.text, cast)
    ]
    names += _first_person(plain.text, quotations, cast)
    names += _third_person(plain.text, sorted(names), cast)
    return list(
        _to_token_mentions(plain, ((span, cast[character].id) for span, character in names))
    )


def resolve_by_model(
    model: CoreferenceModel, sentences: Sequence[Sequence[str]]
) -> list[TokenMention]:
    """Return the mentions of all classes that a trained model finds."""
    plain = join_tokens(sentences)
    text = resolution.read_text(plain.text, find_quotations(plain.text))
    resolved = resolution.resolve(text, model)
    mentions: list[TokenMention] = []
    for row, chain in enumerate(resolved.chains.tolist()):
        tokens = plain.tokens_of(resolved.span(row))
        if tokens is not None:
            entity_class = ENTITY_CLASSES[resolved.table.entity_class[row]]
            mentions.append(TokenMention(tokens, entity_class, "", str(chain)))
    return mentions


MODEL = "model"
BASELINES: Mapping[str, System] = {"sieve": resolve_by_sieve, "names": resolve_exact_names}
SYSTEMS = (MODEL, *BASELINES)
"""The systems that can be measured, the best first."""


def select_systems(names: Sequence[str], model: str | None = None) -> dict[str, System]:
    """Return systems by name, by default all that can run.

    `model` is the name or the folder of a coreference model. Raises UsageError for an unknown name
    and for MODEL without a model, and the errors of registry.find.
    """
    for name in names:
        if name not in SYSTEMS:
            raise UsageError(f"{name!r} is not a system; choose from {', '.join(SYSTEMS)}")
    chosen = names or (SYSTEMS if model else [*BASELINES])
    return {name: BASELINES.get(name) or _open_model(model) for name in chosen}


def _open_model(model: str | None) -> System:
    if model is None:
        raise UsageError(
            "no coreference model is packaged; train one: scholar-lab train coreference, "
            "and give its folder: --model FOLDER"
        )
    return partial(resolve_by_model, load(find(model, user_paths().models)))


def _first_person(
    text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
) -> Iterator[tuple[Span, int]]:
    """Yield the first-person pronouns with a known speaker or narrator."""
    numbers = {character.id: number for number, character in enumerate(cast)}
    narrator = next((number for number, one in enumerate(cast) if one.narrator), None)
    pieces = sorted(
        (piece, attribution.speaker)
        for quotation, attribution in zip(
            quotations, sieve.attribute(text, quotations, cast), strict=True
        )
        for piece in quotation.pieces
    )
    starts = [piece.start for piece, _ in pieces]
    for match in _FIRST_PERSON.finditer(text):
        at = bisect_right(starts, match.start()) - 1
        if at >= 0 and match.start() < pieces[at][0].end:
            speaker = pieces[at][1]
            character = numbers[speaker.id] if speaker else None
        else:
            character = narrator
        if character is not None:
            yield Span(*match.span()), character


def _third_person(
    text: str, names: Sequence[tuple[Span, int]], cast: Sequence[Character]
) -> Iterator[tuple[Span, int]]:
    """Yield the third-person pronouns that follow a name of their gender."""
    latest: dict[Gender, int] = {}
    at = 0
    for match in _THIRD_PERSON.finditer(text):
        while at < len(names) and names[at][0].start < match.start():
            character = names[at][1]
            latest[cast[character].gender] = character
            at += 1
        gender = GENDERS[match.group().lower()]
        if gender in latest:
            yield Span(*match.span()), latest[gender]


def _to_token_mentions(
    plain: PlainText, mentions: Iterator[tuple[Span, str]]
) -> Iterator[TokenMention]:
    for span, chain in mentions:
        tokens = plain.tokens_of(span)
        if tokens is not None:
            yield TokenMention(tokens, PERSON, "", chain)
