"""Decode bytes to text by the bytes themselves, not by a declaration in a header."""

from __future__ import annotations

import codecs
import re
from html import unescape

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, because it begins with the UTF-16 mark
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAX_BROKEN = 0.01  # a UTF-8 file may have this share of broken multi-byte characters
_TWICE = re.compile(
    "[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac][\u0080-\u00bf\u0152-\u2122]"
)
"""Two or three characters that are one in UTF-8, read as Windows-1252: "Ã©", "â€œ"."""

_LOST = re.compile("\u00e2\u20ac(?![\u0080-\u00bf\u0152-\u2122])\ufffd?")
"""A closing quotation mark without its last byte, which Windows-1252 does not have."""

_LEAST_TWICE = 3
_MAX_WESTERN = 0.3  # a text with a larger share of high bytes is not in a Western language

_WIDE_SAMPLE = 1 << 14
_ZEROS = 0.4  # the least share of zeros where a wide encoding has them
_ZERO_PLACES = {
    "utf-16-le": (1, 3),
    "utf-16-be": (0, 2),
    "utf-32-le": (1, 2, 3),
    "utf-32-be": (0, 1, 2),
}
"""The places of zeros in four bytes of a wide encoding."""

_OLD = ("mac_roman", "cp850", "cp437")
"""The encodings of the Macintosh and of DOS, if Windows-1252 gives a text that looks wrong."""

_LATIN_9 = "iso8859-15"

_ODD = re.compile(
    r"(?<=[a-zß-öø-ÿ])[À-ÖØ-ÞŠŽŒŸ]"  # IÕve, cafŽ
    r"|(?<=[A-Z])[À-ÖØ-ÞŠŽŒŸ](?=[a-z])"
    r"|\b[À-ÖØ-Þ](?=[A-Z][a-z])|\b[ß-öø-ÿ](?=[A-Z])"  # ÒNever, ôNever
    r"|(?<=[.,!?;])[À-ÖØ-öø-ÿŠšŽžŒœŸ]"  # life.Ó
    r"|(?<=[a-zß-öø-ÿ])[^\x00-\x7f\w\s‘’“”—–…·\xad](?=[a-z])"
    r"|(?<=[A-Za-z])[‚„ˆ‰˜“](?=[\s.,;!?_a-z])|(?<=[a-z])‘(?=[a-z])|[À-ÿœžš](?=\d)"
    r"|[¼½¾®](?=[a-z])|ÿ(?=[ÿ\sA-Z])|(?<=[a-z])”(?=[a-z])|(?<=\s)”(?=[A-Za-z])"
    r"|[\u0391-\u03ff\u02c6-\u02dd\u2202-\u22ff\u2310-\u25ff\ufb01\ufb02\uf8ff₧ⁿ◊ƒ]"
)
"""Characters at places where a text in a Western language has none, such as a capital in a word."""

_CERTAIN = frozenset(("ascii", "utf-8", "utf-16", "utf-32", "latin-1", "cp1252"))

_HIGH = re.compile(rb"[\x80-\xff]")
_WINDOWS = re.compile(rb"[\x80-\x9f]")
_UNUSED = re.compile(
    "["
    "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"  # C0 and C1 except tab, line ends and NEL
    "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff"
    "]"
)
_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")
_CONTROLS = {
    code: letter
    for code in range(0x80, 0xA0)
    if (letter := bytes([code]).decode("cp1252", "ignore"))
}
"""The characters of Windows-1252 by the control characters that Latin-1 has in their places."""

_WRITTEN = re.compile(r"&(?:#\d{2,6}|#x[\da-fA-F]{2,5}|[a-zA-Z]{2,8});")
_LEAST_WRITTEN = 10
_LINE_ENDS = re.compile("\r\r?\n|\r|[\x0c\x85\u2028]|\u2029")
LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
"""Letters that are printed as one, as PDFs have them."""

_LIGATURE = re.compile(f"[{''.join(LIGATURES)}]")
_SPACES = re.compile("[\u00a0\u1680\u2007\u202f\u205f\u3000]")


def decode(data: bytes) -> tuple[str, str]:
    """Return the decoded text, and the name of its encoding.

    Never raises: UTF-16 and UTF-32 if there are zeros, UTF-8 if it fits, also if it was encoded
    twice or is mixed with Windows-1252, else the likeliest of the Western encodings of old books,
    else a guess from letter frequencies, else Latin-1, which fits any bytes.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(_with_byte_order(encoding, mark), "replace")
            return _decode_again(text) or (text, encoding)
    return _decode_wide(data) or _decode_utf8(data) or _decode_western(data) or _guess(data)


def is_text(data: bytes) -> bool:
    """Return True for bytes without zeros, or with the zeros of UTF-16 and UTF-32."""
    return b"\0" not in data or _wide_encoding(data[:_WIDE_SAMPLE]) is not None


def _with_byte_order(encoding: str, mark: bytes) -> str:
    if encoding == "utf-8":
        return encoding
    is_little = mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF32_LE)
    return f"{encoding}-{'le' if is_little else 'be'}"


def _decode_wide(data: bytes) -> tuple[str, str] | None:
    """Decode UTF-16 or UTF-32 without a byte-order mark; None for other bytes."""
    encoding = _wide_encoding(data[:_WIDE_SAMPLE])
    return (data.decode(encoding, "replace"), encoding) if encoding else None


def _wide_encoding(sample: bytes) -> str | None:
    """Return the encoding of bytes with zeros: most letters, spaces and line ends have them at
    the same place of each pair or four of bytes."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if sample.startswith(mark):
            return _with_byte_order(encoding, mark)
    if len(sample) < 8 or b"\0" not in sample:
        return None
    zeros = [sample[place::4].count(0) * 4 / len(sample) for place in range(4)]
    has_zeros, has_none = [share > _ZEROS for share in zeros], [share < 0.01 for share in zeros]
    return next(
        (
            encoding
            for encoding, places in _ZERO_PLACES.items()
            if all((has_zeros if at in places else has_none)[at] for at in range(4))
        ),
        None,
    )


def _decode_utf8(data: bytes) -> tuple[str, str] | None:
    """Decode UTF-8 in which most characters outside ASCII are whole, the others by Windows-1252;
    None for other bytes."""
    try:
        text = data.decode("utf-8")
        return _decode_again(text) or (text, "ascii" if data.isascii() else "utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = sum(1 for char in text if char > "\x7f") - broken
    if whole < 10 or broken > whole:
        return None
    is_mixed = broken > max(1, _MAX_BROKEN * whole)
    return data.decode(
        "utf-8", "scholar.windows-1252"
    ), "utf-8 with cp1252" if is_mixed else "utf-8"


def _decode_again(text: str) -> tuple[str, str] | None:
    """Return a text that was UTF-8 read as Windows-1252 and encoded again; None for others."""
    if len(_TWICE.findall(text)) < _LEAST_TWICE:
        return None
    try:
        data = _LOST.sub("\u00e2\u20ac\x9d", text).encode("cp1252", "scholar.windows-1252")
        return data.decode("utf-8"), "utf-8 in utf-8"
    except UnicodeError:
        return None


def _windows(error: UnicodeError) -> tuple[str | bytes, int]:
    """Decode bytes that are not UTF-8 by Windows-1252, or encode what it does not have as one
    byte."""
    if isinstance(error, UnicodeDecodeError) and error.end == len(error.object):
        return "\ufffd", error.end  # the text is cut off
    if isinstance(error, UnicodeDecodeError):
        return error.object[error.start : error.end].decode("cp1252", "replace"), error.end
    if isinstance(error, UnicodeEncodeError):
        return error.object[error.start : error.end].encode("latin-1"), error.end
    raise error


codecs.register_error("scholar.windows-1252", _windows)


def _decode_western(data: bytes) -> tuple[str, str] | None:
    """Decode Windows-1252, Latin-1, Mac Roman or a code page of DOS; None if too many bytes are
    not ASCII."""
    if len(_HIGH.findall(data)) > _MAX_WESTERN * len(data):
        return None
    windows = "cp1252" if _WINDOWS.search(data) else "latin-1"
    old = _OLD if windows == "cp1252" else (_LATIN_9, *_OLD)
    texts = {name: text for name in (windows, *old) if (text := _decoded(data, name)) is not None}
    oddities = {name: _count_odd(text) for name, text in texts.items()}
    best = min(oddities, key=lambda name: oddities[name])
    if windows in texts and 2 * oddities[best] >= oddities[windows]:
        best = windows
    return texts[best], best


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _count_odd(text: str) -> int:
    """Return the number of characters at places where a Western text has none."""
    return sum(1 for _ in _ODD.finditer(text))


def is_guess(encoding: str) -> bool:
    """Return True for an encoding that `decode` found by what the text looks like."""
    return encoding not in _CERTAIN


def _guess(data: bytes) -> tuple[str, str]:
    """Decode with an encoding guessed from letter frequencies."""
    from charset_normalizer import from_bytes  # slow to import and rarely needed

    guesses = [match.encoding for match in from_bytes(data[: 1 << 18])][:8]
    # the wrong Cyrillic encoding can give the right letters in the wrong case
    texts = {encoding: data.decode(encoding, "replace") for encoding in [*guesses, "latin-1"]}
    best = min(guesses, key=lambda name: _oddity(texts[name]), default="latin-1")
    return texts[best], best


def _oddity(text: str) -> int:
    """Return a count of characters that look wrong: capitals, and non-letters counted twice."""
    return sum(char.isupper() + 2 * (char > "\x7f" and not char.isalpha()) for char in text)


def with_windows_characters(text: str) -> str:
    """Return a text with characters of Windows-1252 for control characters, as in HTML: “ for
    U+0093. U+0085 is one of them only in a text with others.
    """
    return text.translate(_CONTROLS) if _CONTROL.search(text) else text


def with_entities(text: str) -> str:
    """Return a plain text with characters for the entities of HTML, if it has many."""
    if len(_WRITTEN.findall(text)) < _LEAST_WRITTEN:
        return text
    return _WRITTEN.sub(lambda entity: unescape(entity[0]), text)


def plain(text: str) -> str:
    """Return a text with ordinary line ends and spaces and without control characters.

    Some become characters of Windows-1252. Soft hyphens, byte-order marks and direction marks are
    removed; form feeds and the line ends of other systems become line feeds; ligatures become
    letters; tabs are expanded to multiples of eight columns.
    """
    text = _LIGATURE.sub(lambda match: LIGATURES[match[0]], with_windows_characters(text))
    text = _SPACES.sub(" ", _UNUSED.sub("", _LINE_ENDS.sub("\n", text)))
    if "\t" in text:
        text = "\n".join(line.expandtabs(8) for line in text.split("\n"))
    return text
