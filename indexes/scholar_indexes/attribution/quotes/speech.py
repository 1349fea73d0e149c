"""Selection of the quoted pieces that are speech, and grouping of interrupted quotations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scholar_indexes.attribution.quotes.marks import OTHER_MARKS
from scholar_indexes.attribution.quotes.pieces import Piece
from scholar_indexes.lexicon.titles import ABBREVIATED

FAR = 200
"""The most characters of narration that interrupt a quotation without ending it."""

PHRASE = 4
LONG = 8
"""The minimum number of words in a phrase that continues a quotation, and in a sentence."""

_WORD = r"[^\W_]"
_OUTER = " \t\r\n\xa0" + OTHER_MARKS
_FINISHED = frozenset(".!?")
_ENDS = frozenset(".!?…-—–")
_EXCLAIMS = frozenset("!?")
SPEECH_VERBS = (
    "(?:said|says?|saying|cr(?:y|ied|ies|ying)|answer(?:s|ed|ing)?|exclaim(?:s|ed|ing)?"
    "|repl(?:y|ied|ies|ying)|add(?:s|ed|ing)?|ask(?:s|ed|ing)?|whisper(?:s|ed|ing)?"
    "|murmur(?:s|ed|ing)?|mutter(?:s|ed|ing)?|shout(?:s|ed|ing)?|call(?:s|ed|ing) out"
    "|beg[ai]n(?:s|ning)?|repeat(?:s|ed|ing)?|return(?:s|ed|ing)?|continu(?:es|ed|ing)"
    "|remark(?:s|ed|ing)?|observ(?:es|ed|ing)|[ei]nquir(?:es|ed|ing)|demand(?:s|ed|ing)?"
    "|declar(?:es|ed|ing)|respond(?:s|ed|ing)?|resum(?:es|ed|ing)|interrupt(?:s|ed|ing)"
    "|quoth|went on|goes on)"
)
_SAYING = re.compile(rf"\b{SPEECH_VERBS}$", re.IGNORECASE)
_NAME_SAYS = re.compile(
    r"(?!(?:He|She|They|It|We|Then|And|But|So|Here)\b)"
    rf"[^\W\d_]+\.?(?:\s+[A-Z]{_WORD}*)?\s+{SPEECH_VERBS}\b"
)
_SENTENCE_ENDS = re.compile(rf"(\b{_WORD}*|)[.!?]+[)\"'”’_]*\s+[(\"'“‘_]*[A-Z]")
_LEAD_CHARS = 40


def is_speech(text: str, paragraph_start: int, piece: Piece, before: Piece | None) -> bool:
    """Return True if a quoted piece is speech; `before` is the paragraph's last piece of speech.

    Punctuation or a verb of speech precedes speech. A piece that follows the narration
    without either is a title or a mentioned word, unless it is a whole sentence or
    continues the previous piece.
    """
    lead = text[max(paragraph_start, piece.opened - _LEAD_CHARS) : piece.opened].rstrip(_OUTER)
    # A title or a mentioned word continues the sentence; a speech follows punctuation.
    if not lead or not lead[-1].isalnum():
        return True
    quoted = piece.span.of(text)
    words = len(quoted.split(maxsplit=LONG))
    last = quoted.rstrip("_")[-1:]
    if quoted.lstrip(_OUTER)[:1].isupper():
        return last in _EXCLAIMS or words >= LONG or bool(_SAYING.search(lead))
    if words < PHRASE or last not in _ENDS or before is None:
        return False
    return _is_one_quotation(text, before, piece)


def group_pieces(text: str, pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the pieces of each quotation of a paragraph."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and _is_one_quotation(text, groups[-1][-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _is_one_quotation(text: str, before: Piece, after: Piece) -> bool:
    """Return True if two pieces of a paragraph are one quotation that was interrupted.

    As in PDNC (Vishnubhotla et al. 2022), they are two if narration with a sentence of
    its own separates them, or if nothing does.
    """
    if after.opened - before.span.end > FAR:
        return False
    between = text[before.span.end : after.opened].lstrip(_OUTER)
    if not between:
        return False
    finished = before.span.of(text).rstrip(_OUTER)[-1:] in _FINISHED
    if finished and between[0].isupper() and not _NAME_SAYS.match(between):
        return False
    return all(match.group(1).lower() in ABBREVIATED for match in _SENTENCE_ENDS.finditer(between))
