"""Split an abstract into sentences, with the facets of a structured abstract.

Sentences are split by rules: an abstract is short, and in any language its difficult cases are few
and known ("et al.", "e.g.", "Fig. 2", a full stop without a space after it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scholar_indexes.papers import clean, notices
from scholar_indexes.types import Facet

MAX_SENTENCES = 1_000
"""Further sentences of an abstract are dropped."""

MAX_SENTENCE_CHARS = 2_000
"""A longer sentence is broken at a space."""

_FACETS = {
    Facet.BACKGROUND: "background backgrounds introduction context objective objectives aim aims "
    "purpose purposes motivation goal goals problem problems rationale importance question "
    "hypothesis hypotheses scope need",
    Facet.METHOD: "method methods methodology methodologies material materials design approach "
    "procedure procedures setting settings participants patients subjects intervention "
    "interventions measurements measures sources selection extraction synthesis collection "
    "analysis analyses algorithm technique techniques experiment experiments implementation "
    "sample",
    Facet.RESULT: "result results finding findings conclusion conclusions discussion outcome "
    "outcomes interpretation significance implication implications relevance contribution "
    "contributions summary",
    Facet.OTHER: "availability registration funding contact limitation limitations originality "
    "value keywords trial information copyright sponsorship disclosure",
}
_FACET_OF = {word: facet for facet, words in _FACETS.items() for word in words.split()}
_QUALIFIERS = frozenset(
    "and or of the a main key principal primary secondary study research data experimental "
    "general practical clinical theoretical specific overall statistical systematic review "
    "supplementary brief major our".split()
)
_WHOLE_LABELS: dict[str, Facet | None] = {
    # Exceptions to _FACET_OF and _QUALIFIERS
    "main outcome measures": Facet.METHOD,
    "main outcome measure": Facet.METHOD,
    "outcome measures": Facet.METHOD,
    "main outcomes and measures": Facet.METHOD,
    "data analysis": Facet.METHOD,
    "problem statement": Facet.BACKGROUND,
    "related work": Facet.BACKGROUND,
    "availability and implementation": Facet.OTHER,
    "originality/value": Facet.OTHER,
    "paper type": Facet.OTHER,
    "significance statement": Facet.RESULT,
    "public health relevance": Facet.RESULT,
}

# A label ends with a colon, a stop or a dash, or is in capitals.
_LABEL = re.compile(
    r"(?P<words>[^\W\d_]+(?:(?: ?[/&,] ?| )[^\W\d_]+){0,4})"
    r"(?:(?P<colon> ?:|\s?(?:[—–]|--+)(?=\s|[A-Z0-9])|\s-(?=\s))"
    r"|(?P<stop>\.)(?=\s|$)|(?=\s|$))\s*"
)
_WORD = re.compile(r"[^\W\d_]+")
_CONJUNCTION = re.compile(r"[/&,]| and ")
_ABSTRACT = re.compile(r"(?i:abstract)\s?(?:[:.—–-]\s*|\s(?=[A-Z]))|(?:Abstract|ABSTRACT)(?=[A-Z])")
_MARKED_LABEL = re.compile(r"(\*{1,3}|_{1,3})(?P<words>[^\W\d_][^*_\n]{2,50}?)[:.]?\1 ?[:.]?\s*")
_NUMBERED_LABEL = re.compile(
    r"(?P<stop>[;.]?)\s*\([1-9]\)\s*(?=(?P<words>[A-Z][a-z]+(?: [a-z]+){0,4}):)"
)
_GLUED_LABEL = re.compile(r"(?<=[.!?)])(?=(?:[A-Z]{5,}|[A-Z][a-z]{3,})(?:[ /&][A-Za-z]{2,}){0,4}:)")

_STOP = re.compile(r"(?P<mark>[.!?…]+|[。！？।؟]+)(?P<close>[\"'”’»)\]]{0,3})(?P<space>\s*)")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie cf vs viz resp approx ca fig figs eq eqs eqn eqns sec sect ref refs tab vol no "
    "nos pp ch chap dr prof mr mrs ms st jr sr dept univ inc ltd co corp al etc al.'s def thm "
    "lem prop cor ex w.r.t wrt i.i.d iid a.k.a aka incl max min avg std spp sp var subsp "
    "jan feb mar apr jun jul aug sept sep oct nov dec".split()
)
_MAY_END = frozenset(["al", "etc", "inc", "ltd", "co", "corp", "jr", "sr", "iid", "i.i.d", "aka"])
_NUMBERED = frozenset(
    ["p", "no", "nos", "max", "min", "mar", "sec", "co", "var", "def", "cor", "ex"]
)
"""Abbreviations that are also words if no number follows."""

_STARTERS = frozenset(
    "A After Although An And As At Based Because Both But By Compared Consequently Current "
    "Despite Each Existing Experimental Experiments Extensive Finally First For From Furthermore "
    "Given Hence Here How However If In Instead It Its Many Moreover Most Much Nevertheless "
    "Next No Not On One Our Previous Recent Recently Results Second See Several Since So Some "
    "Specifically Such That The Their Then There Therefore These They This Those Through Thus To "
    "Two Under Unlike Using We What When Where Whereas While With Without Yet You".split()
)
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_](?<=[A-Z])|(?:[^\W\d_]\.)+[^\W\d_]")
_LAST_WORD = re.compile(r"[^\s(\[\"“‘—–/]+$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[]*([^\W\d_]+)")
_OPENERS = "\"'“‘«([¿¡"
_LATIN_WITH_CAPITAL = re.compile(r"[a-zα-ω][A-Z0-9-]")  # mRNA, k-means, iPhone, n-gram
_LOOK_BACK = 40


def split_abstract(abstract: str, tex: bool | None = None) -> tuple[tuple[str, Facet | None], ...]:
    """Return the sentences of an abstract in order, each with the facet of its section or None.

    Takes plain text, HTML, JATS or LaTeX (tex as in clean.to_text). In a structured
    abstract the labels ("Methods:", "BACKGROUND We ...", a heading on a line of its
    own, "**Methods**", "(2) Methods: ...") are removed and give the facet of the text after them.
    A single label counts if there are other sentences: a label of results for all that follows,
    since results come last; any other label for its own sentence, since the end of its section is
    not known. A label of two facets ("Methods and results") is removed and gives None. Copyright
    lines and placeholders such as "[No abstract available]" are left out.
    """
    sentences = [
        sentence for block in _blocks(abstract, tex) for sentence in split_sentences(block)
    ]
    labelled = [_section(sentence) for sentence in sentences]
    labels = [row for row, (_, section) in enumerate(labelled) if section is not None]
    if len(labels) < 2:
        return tuple(_label_single(sentences, labelled, labels)[:MAX_SENTENCES])
    result: list[tuple[str, Facet | None]] = []
    facet: Facet | None = None
    for sentence, section in labelled:
        if section is not None:
            facet = section[0]
        if sentence:
            result.append((sentence, facet))
    return tuple(result[:MAX_SENTENCES])


def _label_single(
    sentences: list[str],
    labelled: list[tuple[str, tuple[Facet | None] | None]],
    labels: list[int],
) -> list[tuple[str, Facet | None]]:
    """Return the sentences of an abstract with at most one label, see split_abstract."""
    plain: list[tuple[str, Facet | None]] = [(sentence, None) for sentence in sentences]
    if not labels or len(sentences) < 2:
        return plain
    (row,) = labels
    text, section = labelled[row]
    if not section or not section[0]:
        return plain
    end = len(plain) if section[0] is Facet.RESULT else row + 1 + (not text)
    own = [(text, section[0])] if text else []
    following = [(sentence, section[0]) for sentence in sentences[row + 1 : end]]
    return [*plain[:row], *own, *following, *plain[end:]]


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a block of clean text; joined by spaces they are the text.

    Sentences without a space between them, "end.Start", are the exception. Each sentence has a
    letter or a digit, unless the whole text has none.
    """
    sentence = ""
    for piece in _pieces(text):
        sentence = f"{sentence} {piece}" if sentence else piece
        if any(char.isalnum() for char in piece):
            yield from _break_long(sentence)
            sentence = ""
    if sentence:
        yield from _break_long(sentence)


def _blocks(abstract: str, tex: bool | None) -> list[str]:
    """Return the blocks of an abstract, each with its lines joined."""
    blocks: list[list[str]] = []
    starts_block = True
    text = notices.without_notices("\n".join(clean.to_lines(abstract, tex)))
    for number, line in enumerate(text.splitlines()):
        line = _MARKED_LABEL.sub(_plain_label, line)
        if number == 0:
            line = _ABSTRACT.sub("", line, count=1) if _ABSTRACT.match(line) else line
            if line.rstrip(":.").casefold() in ("", "abstract"):
                continue
        heading = _is_heading(line)
        if heading and blocks and not starts_block and blocks[-1][-1][-1] not in '.!?:)]”"':
            heading = False  # a line of running text
        if heading or starts_block:
            blocks.append([line])
        else:
            blocks[-1].append(line)
        starts_block = heading
    return [_NUMBERED_LABEL.sub(_plain_label, " ".join(block)) for block in blocks]


def _plain_label(match: re.Match[str]) -> str:
    """Return the replacement for the number or the marks of a label; other text is unchanged."""
    if _facets(match["words"]) is None:
        return match[0]
    if match.re is _MARKED_LABEL:
        return f"{match['words']}: "
    return ". " if match["stop"] else " "


def _is_heading(line: str) -> bool:
    label = _LABEL.fullmatch(line)
    return label is not None and line[0].isupper() and _facets(label["words"]) is not None


def _section(sentence: str) -> tuple[str, tuple[Facet | None] | None]:
    """Return the text after a label, and the facet of the label in a tuple, None without one.

    A label is followed by a colon or a dash, or is a sentence of its own ("Results."), or
    is in capitals.
    """
    label = _LABEL.match(sentence)
    if not label or not sentence[0].isupper():
        return sentence, None
    words, rest = label["words"], sentence[label.end() :]
    if label["colon"] or not rest:
        facets = _facets(words)
        if facets is not None:
            return rest, facets
    capitals = _leading_capitals(words)
    facets = _facets(capitals) if capitals else None
    rest = sentence[len(capitals) :].lstrip(" .:—–-")
    if facets is not None and (
        not rest or rest[0].isupper() or rest[0].isdigit() or rest[0] == "("
    ):
        return rest, facets
    return sentence, None


def _leading_capitals(words: str) -> str:
    """Return the words in capitals at the start of a text: "AIMS AND METHODS" for "... We"."""
    end = 0
    for word in _WORD.finditer(words):
        if not word[0].isupper() or len(word[0]) < 2:
            break
        end = word.end()
    return words[:end]


def _facets(label: str) -> tuple[Facet | None] | None:
    """Return the facet of a section label in a tuple, None if it is not one.

    A label that names two facets has the facet None.
    """
    label = label.casefold().strip()
    if label in _WHOLE_LABELS:
        return (_WHOLE_LABELS[label],)
    if label.startswith(("the ", "a ", "our ")):
        return None  # "The method: we count."
    words = [word for word in _WORD.findall(label) if word not in _QUALIFIERS]
    if not words or any(word not in _FACET_OF for word in words):
        return None
    if not _CONJUNCTION.search(label):
        return (_FACET_OF[words[-1]],)  # the head of "methods summary" is its last word
    facets = {_FACET_OF[word] for word in words}
    return (facets.pop(),) if len(facets) == 1 else (None,)


def _pieces(text: str) -> Iterator[str]:
    """Yield the text between the ends of sentences."""
    start = 0
    cuts = {label.start() for label in _GLUED_LABEL.finditer(text)}
    for stop in _STOP.finditer(text):
        end = stop.end("close")
        if stop.end() < len(text) and (end in cuts or _ends(text, stop, start)):
            yield text[start:end].strip()
            start = stop.end()
    if text[start:].strip():
        yield text[start:].strip()


def _ends(text: str, stop: re.Match[str], start: int) -> bool:
    """Return True if a sentence that begins at start ends at a stop."""
    mark, after = stop["mark"], text[stop.end() : stop.end() + _LOOK_BACK]
    if mark[0] in "。！？।؟":
        return True
    following = _NEXT_WORD.match(after)
    word = following[1] if following else ""
    before = _LAST_WORD.search(text, max(start, stop.start() - _LOOK_BACK), stop.start())
    last = before[0] if before else ""
    if not stop["space"]:
        return mark == "." and _is_glued(text, stop, last, word)
    if after[:1] in ",;:)" or (after[:1].islower() and not _LATIN_WITH_CAPITAL.match(after)):
        return False
    if mark != ".":
        return mark != "…" or after.lstrip(_OPENERS)[:1].isupper()
    return _ends_after_word(text, stop, last, word)


def _ends_after_word(text: str, stop: re.Match[str], last: str, word: str) -> bool:
    """Return True if a full stop after the word `last` and before `word` ends a sentence: it may
    belong to an abbreviation or initials."""
    after = text[stop.end() : stop.end() + _LOOK_BACK]
    name = last.rstrip(".").casefold()
    if stop["close"]:
        return not (name in _ABBREVIATIONS and word not in _STARTERS)
    if name in _NUMBERED:
        return not after.lstrip(_OPENERS)[:1].isdigit()
    if name in _MAY_END or _INITIALS.fullmatch(last):
        return (word in _STARTERS and after[:2] != "A.") or _is_labelled(text, stop.end())
    return name not in _ABBREVIATIONS


def _is_labelled(text: str, start: int) -> bool:
    """Return True if a label with a colon begins at start."""
    label = _LABEL.match(text, start)
    return bool(label and label["colon"] and _facets(label["words"]) is not None)


def _is_glued(text: str, stop: re.Match[str], last: str, word: str) -> bool:
    """Return True if "end.Start" is two sentences, not the name of a file, host or version."""
    start = stop.end()
    behind = text[start + len(word) : start + len(word) + 1]
    if not text[start : start + 1].isupper() or behind not in (" ", ",", "-"):
        return False
    if _is_address(last):
        return False
    if word in _STARTERS:
        return len(last) > 1 or last.isdigit() or bool(stop["close"])
    return _is_plain_word(last) and _is_plain_word(word)


def _is_address(word: str) -> bool:
    """Return True for a word such as "me@host", "http://host" or "www.host", but not for "1.2"."""
    return "@" in word or ":/" in word or ("." in word and not word.replace(".", "").isdecimal())


def _is_plain_word(word: str) -> bool:
    """Return True for a word of at least three letters, in lower case except for the first."""
    return len(word) > 2 and word.isalpha() and word[1:].islower()


def _break_long(sentence: str) -> Iterator[str]:
    while len(sentence) > MAX_SENTENCE_CHARS:
        cut = sentence.rfind(" ", 1, MAX_SENTENCE_CHARS)
        cut = cut if cut > 0 else MAX_SENTENCE_CHARS
        yield sentence[:cut]
        sentence = sentence[cut:].lstrip()
    if sentence:
        yield sentence
