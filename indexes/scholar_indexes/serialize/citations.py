"""Citations of books: MLA 9, Chicago 17 and APA 7, and items for reference managers.

A book of Project Gutenberg is cited by the web page of its ebook; a printed edition, if the user
gives one, by its publisher and year.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, product
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple

from scholar_indexes.books.citation.chapter_names import numeral_word
from scholar_indexes.books.citation.cited_titles import cited_title
from scholar_indexes.books.citation.contributors import (
    MOST_NAMED,
    OTHERS,
    particle_surname,
    plain_name,
    series,
    split_names,
)
from scholar_indexes.books.segmentation.headings import parse_heading
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import given_names
from scholar_indexes.papers.formats import csl_names
from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.results import CitedPlace
    from scholar_indexes.types import Book, Chapter, Imprint

CslName = Mapping[str, str]

PROJECT_GUTENBERG = "Project Gutenberg"

ITALICS = "\ue000"
"""The mark around titles in entries, for formats that have their own italics."""

_CHAPTER = "chapter-number"

_DROPPING = frozenset(("de", "von", "van", "zu", "af"))
_NO_GIVEN_NAMES = frozenset(("Mrs.", "Mrs", "Miss", "Mme", "Mme.", "Madame", "Lord", "Lady"))
_INITIAL = re.compile(r"[^\W\d_][\w'’]*\.?")
_CAPITALS = re.compile(r"\b(?![IVXLCDM]+\b)[A-Z][A-Z]+\b")
_SMALL_WORD = re.compile(r"(?<=\w )(?:The|Of|And|In)\b")
_ARTICLE = re.compile(r"^(?:The|An?)\s+(?=\S)")
_ABBREVIATIONS = {
    "chapter": "ch.",
    "scene": "sc.",
    "volume": "vol.",
    "part": "pt.",
    "book": "bk.",
    "section": "sec.",
}
_ABBREVIATIONS_BY_STYLE = {
    CitationStyle.MLA: _ABBREVIATIONS,
    CitationStyle.CHICAGO: {**_ABBREVIATIONS, "chapter": "chap."},
}
_NUMBERED = re.compile(r"(?:(?P<part>[^.]+)\.)?(?P<number>\d+)")


class Citation(NamedTuple):
    """A citation: its form in the text or in a note, and its entry in the bibliography."""

    in_text: str
    entry: str


def people(names: str) -> list[CslName]:
    """Return the names of several people, separated by semicolons or "and"."""
    return [person(name) for name in split_names(names)]


def person(name: str) -> CslName:
    """Return a name in CSL form, without ranks, degrees and text in parentheses.

    Particles such as "de" and "van" are dropped before a surname alone (Balzac, Beethoven), except
    a "van" after a given name that has English short forms (Henry van Dyke).
    """
    if name == OTHERS:
        return {"literal": csl_names.OTHERS}
    plain = plain_name(name)
    if divided := particle_surname(plain):
        return {"family": divided[1], "given": divided[0]}
    parsed = csl_names.parse_name(plain)
    particle, _, family = parsed.get("family", "").partition(" ")
    if particle not in _DROPPING or not family[:1].isupper():  # but "de la Mare"
        return parsed
    first = parsed.get("given", "").partition(" ")[0]
    if particle == "van" and fold_text(first) in given_names.SHORTENED:
        return parsed
    return {**parsed, "family": family, "dropping-particle": particle}


def _natural(name: CslName) -> str:
    """Return a name in natural order."""
    parts = ("given", "dropping-particle")
    suffix = name.get("suffix", "")
    return _join(" ", *(name.get(part, "") for part in parts), _surname(name), suffix)


def _inverted(name: CslName) -> str:
    """Return a name with the surname first: "Balzac, Honoré de", "Dumas, Alexandre, Jr."."""
    given = _join(" ", name.get("given", ""), name.get("dropping-particle", ""))
    return _join(", ", _surname(name), given, name.get("suffix", ""))


def _abbreviated(name: CslName) -> str:
    """Return a name with initials, as in APA's list: "Fitzgerald, F. S."."""
    given = _join(" ", _initials(name), name.get("dropping-particle", ""))
    return _join(", ", _surname(name), given, name.get("suffix", ""))


def _surname(name: CslName) -> str:
    if csl_names.is_others(name):
        return OTHERS
    parts = ("non-dropping-particle", "family", "literal")
    return _join(" ", *(name.get(part, "") for part in parts))


def _initials(name: CslName) -> str:
    """Return the initials of the given names, "F. S."; hyphens stay, and titles such as "Mrs."."""
    parts = (
        word
        if word in _NO_GIVEN_NAMES
        else "-".join(f"{match[0][0]}." for match in map(_INITIAL.match, word.split("-")) if match)
        for word in name.get("given", "").split()
    )
    return _join(" ", *parts)


def csl_items(places: Iterable[CitedPlace]) -> list[dict[str, Any]]:
    """Return the books of places as CSL-JSON items, each once with all chapters cited from it."""
    items: dict[str, dict[str, Any]] = {}
    for place in places:
        item = csl_item(place)
        first = items.setdefault(place.book.id, item)
        chapters = [first.get(_CHAPTER, ""), item.get(_CHAPTER, "")]
        if chapter := _join(", ", *dict.fromkeys(", ".join(chapters).split(", "))):
            first[_CHAPTER] = chapter
    return list(items.values())


def csl_item(place: CitedPlace) -> dict[str, Any]:
    """Return a book as a CSL-JSON item, with the chapter of the place."""
    item = book_item(place.book, place.imprint)
    if place.chapter is not None and place.chapter.number:
        item[_CHAPTER] = place.chapter.printed or _heading(place.chapter.title)
    if place.edition is not None:
        item["publisher"] = place.edition.publisher
        item["issued"] = {"date-parts": [[place.edition.year]]}
        item |= {"publisher-place": place.edition.city} if place.edition.city else {}
        for variable in ("URL", "translator", "editor", "volume"):
            item.pop(variable, None)
    return item


def book_item(book: Book, imprint: Imprint | None = None) -> dict[str, Any]:
    """Return a stored book as a CSL-JSON item."""
    title, volume = cited_title(book.title, book.language)
    item: dict[str, Any] = {"id": book.id, "type": "book", "title": title}
    item |= {"volume": volume} if volume else {}
    roles = {"author": people(book.author)}
    if imprint is not None:
        roles["translator"] = [person(name) for name in imprint.translators]
        roles["editor"] = [person(name) for name in imprint.editors]
    item |= {role: names for role, names in roles.items() if names}
    if book.language:
        item["language"] = book.language
    if imprint is not None and imprint.year is not None:
        item["issued"] = {"date-parts": [[imprint.year]]}
    if book.id.startswith("pg"):
        item["publisher"] = PROJECT_GUTENBERG
        item["URL"] = f"https://www.gutenberg.org/ebooks/{book.id[2:]}"
    return item


def cited_record(place: CitedPlace, style: CitationStyle, *, italics: str = "") -> dict[str, Any]:
    """Return the citation of a place in a style as a record, with its CSL-JSON item."""
    cited = cite(place, style, italics=italics)
    return {
        "schema_version": 1,
        "locator": place.locator,
        "style": str(style),
        "in_text": cited.in_text,
        "entry": cited.entry,
        "csl": csl_item(place),
    }


def cite(
    place: CitedPlace,
    style: CitationStyle,
    *,
    italics: str = "",
    names_work: bool = False,
    year_letter: str = "",
) -> Citation:
    """Return the citation of a place in a style, with `italics` around the title.

    Several works by one author need more: `names_work` adds the title to the in-text citation of
    MLA, `year_letter` follows the year of APA (see year_letters).
    """
    title = cited_title(place.book.title, place.book.language)
    main = f"{italics}{title.main}{italics}"
    if style is CitationStyle.APA:
        return _apa(place, f"{italics}{one_line(place.title)}{italics}", main, year_letter)
    citation = _STYLES[style](place, f"{italics}{title.title}{italics}", main)
    if names_work and style is CitationStyle.MLA:
        short = f"{italics}{_ARTICLE.sub('', title.main, count=1)}{italics}"
        citation = citation._replace(in_text=_mla_in_text(place, main, short))
    return citation


def books_of_same_names(places: Iterable[CitedPlace]) -> frozenset[str]:
    """Return the ids of the books that are cited by the same names as another work."""
    titles: dict[str, set[str]] = defaultdict(set)
    names: dict[str, str] = {}
    for place in places:
        name = names[place.book.id] = _surnames(_credits(place).leading, "and")
        titles[name].add(cited_title(place.book.title, place.book.language).main)
    return frozenset(book for book, name in names.items() if len(titles[name]) > 1)


def year_letters(places: Iterable[CitedPlace]) -> dict[str, str]:
    """Return the letters that distinguish works by the same people in one year in APA, "2021a" or
    "n.d.-b", in the order of their titles, by the ids of their books."""
    works: dict[tuple[str, str], dict[str, tuple[str, int, str]]] = defaultdict(dict)
    for place in places:
        if names := _listed(_credits(place)):
            title, volume = cited_title(place.book.title, place.book.language)
            _, year, _ = _published(place)
            order = _ARTICLE.sub("", title, count=1).casefold(), len(volume), volume
            works[names, year][place.book.id] = order
    return {
        book: letters
        for titles in works.values()
        if len(titles) > 1
        for letters, book in zip(_letters(), sorted(titles, key=titles.__getitem__), strict=False)
    }


def _letters() -> Iterator[str]:
    """Yield a, b, …, z, aa, ab, and so on."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))


def _mla(place: CitedPlace, title: str, main_title: str) -> Citation:
    credits = _credits(place)
    contributors = [
        f"{role} {series(list(map(_natural, names)), 'and')}"
        for role, names in (
            ("translated by", credits.translators),
            ("edited by", credits.editors),
        )
        if names
    ]
    publisher, year, address = _published(place)
    address = address.removeprefix("https://")
    volume = _volume(place, "vol. ")
    container = _capital(_join(", ", *contributors, volume, publisher, year, address))
    head = _join(", ", _mla_names(credits.leading), credits.role("editor", "editors"))
    entry = _join(" ", *map(_sentence, (head, title, container)))
    return Citation(_mla_in_text(place, main_title), entry)


def _mla_in_text(place: CitedPlace, main_title: str, short_title: str = "") -> str:
    """Return the in-text citation, with a title after the names if one is given."""
    chapter = _act_and_scene(place.chapter) or _chapter(place, CitationStyle.MLA)
    cited = place.page or _join(", ", _volume(place, "vol. "), chapter)
    separator = " " if place.page or cited[:1].isdigit() else ", "
    names = _surnames(_credits(place).leading, "and")
    shown = _join(", ", names, short_title) if names else main_title
    return f"({_join(separator, shown, cited)})"


def _chicago(place: CitedPlace, title: str, main_title: str) -> Citation:
    credits = _credits(place)
    publisher, year, address = _published(place)
    city = place.edition.city if place.edition else ""
    imprint = _join(", ", f"{city}: {publisher}" if city else publisher, year)
    cited = place.page or _chapter(place, CitationStyle.CHICAGO)
    translators = series(list(map(_natural, credits.translators)), "and")
    editors = series(list(map(_natural, credits.editors)), "and")
    roles = [f"trans. {translators}" if translators else "", f"ed. {editors}" if editors else ""]
    role = credits.role("ed.", "eds.")
    leading = series(list(map(_natural, credits.leading)), "and")
    if len(credits.leading) > MOST_NAMED:
        leading = series([_natural(credits.leading[0]), OTHERS], "and")
    head = _join(", ", leading, role, title, *roles, _volume(place, "vol. "))
    note = _join(", ", f"{head} ({imprint})" if imprint else head, cited, address)
    listed = series(_inverted_first(credits.leading), "and", before_last=True)
    entry = _join(
        " ",
        _sentence(_join(", ", listed, role)),
        _sentence(title),
        _sentence(_volume(place, "Vol. ")),
        f"Translated by {_sentence(translators)}" if translators else "",
        f"Edited by {_sentence(editors)}" if editors else "",
        _sentence(imprint),
        _sentence(address),
    )
    return Citation(_sentence(note), entry)


def _apa(place: CitedPlace, title: str, main_title: str, year_letter: str) -> Citation:
    credits = _credits(place)
    publisher, year, address = _published(place)
    year = f"{year}{year_letter}" if year else _join("-", "n.d.", year_letter)
    cited = _pages(place.page) if place.page else _chapter(place, CitationStyle.APA)
    in_text = f"({_join(', ', _surnames(credits.leading, '&') or main_title, year, cited)})"
    contributors = [
        f"{series([f'{_initials(name)} {_surname(name)}'.strip() for name in names], '&')}, {role}"
        for role, names in (
            ("Trans.", credits.translators),
            ("Eds." if len(credits.editors) > 1 else "Ed.", credits.editors),
        )
        if names
    ]
    if details := _join("; ", *contributors, _volume(place, "Vol. ")):
        title = f"{title} ({details})"
    listed = _listed(credits)
    role = credits.role("(Ed.)", "(Eds.)")
    head, dated = _join(" ", _sentence(listed) if not role else listed, role), f"({year})."
    parts = (_sentence(head), dated, _sentence(title)) if head else (_sentence(title), dated)
    return Citation(in_text, _join(" ", *parts, _sentence(publisher), address))


_STYLES = {
    CitationStyle.MLA: _mla,
    CitationStyle.CHICAGO: _chicago,
}


def _listed(credits: _Credits) -> str:
    """Return the people whom an entry begins with, as in APA's list."""
    return series(list(map(_abbreviated, credits.leading)), "&", before_last=True)


def _published(place: CitedPlace) -> tuple[str, str, str]:
    """Return the publisher, year and address of the cited edition; each may be empty."""
    if place.edition is not None:
        return place.edition.publisher, str(place.edition.year), ""
    item = book_item(place.book, place.imprint)
    year = place.imprint.year
    return item.get("publisher", ""), "" if year is None else str(year), item.get("URL", "")


class _Credits(NamedTuple):
    """The people of a citation: the ones whom its entry begins with, who are the editors of a book
    without an author, and the translators and editors after the title."""

    leading: Sequence[CslName]
    is_led_by_editors: bool
    translators: Sequence[CslName]
    editors: Sequence[CslName]

    def role(self, one: str, several: str) -> str:
        """Return the word for one leading editor or for several, empty if authors lead."""
        if not self.is_led_by_editors:
            return ""
        return several if len(self.leading) > 1 else one


def _credits(place: CitedPlace) -> _Credits:
    item = csl_item(place)
    authors, translators, editors = (
        item.get(role, []) for role in ("author", "translator", "editor")
    )
    if authors or not editors:
        return _Credits(authors, False, translators, editors)
    return _Credits(editors, True, translators, ())


def _mla_names(names: Sequence[CslName]) -> str:
    if len(names) > 2 or any(map(csl_names.is_others, names)):
        return f"{_inverted(names[0])}, et al."
    return _join(", and ", *_inverted_first(names))


def _inverted_first(names: Sequence[CslName]) -> list[str]:
    return [_natural(name) if number else _inverted(name) for number, name in enumerate(names)]


def _surnames(names: Sequence[CslName], conjunction: str) -> str:
    """Return the surnames of people for an in-text citation."""
    if len(names) > 2:
        return f"{_surname(names[0])} et al."
    return series([_surname(name) for name in names], conjunction)


def _volume(place: CitedPlace, word: str) -> str:
    """Return the volume number of a book, after a word for it; empty for a whole work."""
    number: str = csl_item(place).get("volume", "")
    return f"{word}{number}" if number else ""


def _pages(pages: str) -> str:
    """Return pages as APA abbreviates them: "p. 180", "pp. 12–15"."""
    return f"{'p.' if pages.isalnum() else 'pp.'} {pages}"


def _chapter(place: CitedPlace, style: CitationStyle) -> str:
    """Return a chapter for a citation: the part above it, the word for it, and its number; its
    heading if it has no number."""
    chapter = place.chapter
    if chapter is None or not chapter.number:
        return ""
    numbered = _NUMBERED.fullmatch(chapter.printed)
    if numbered is None:
        return _heading(chapter.printed or chapter.title)
    part = _heading(chapter.part[-1]) if numbered["part"] and chapter.part else ""
    word = _division_word(place.book, chapter)
    if style is CitationStyle.APA:
        word = word.capitalize()
    else:
        word = _ABBREVIATIONS_BY_STYLE[style].get(word, word)
    return _join(", ", part, _join(" ", word, numbered["number"]))


def _division_word(book: Book, chapter: Chapter) -> str:
    """Return the word for a numbered chapter, such as "scene", from its heading; a numeral alone is
    a sonnet in a book of sonnets and has no word in a book of poems."""
    mark = parse_heading(chapter.title)
    if mark is not None and mark.word:
        return mark.word
    return numeral_word(book.title)


def _act_and_scene(chapter: Chapter | None) -> str:
    """Return a scene of an act in MLA form, "3.1"; empty for everything else."""
    if chapter is None or not chapter.part:
        return ""
    act, scene = parse_heading(chapter.part[-1]), parse_heading(chapter.title)
    if act is None or scene is None or (act.word, scene.word) != ("act", "scene"):
        return ""
    return f"{act.number}.{scene.number}"


def _heading(text: str) -> str:
    """Return a heading without its subtitle and in title case: "Book the First" for "BOOK THE
    FIRST: SOWING"."""
    name = one_line(text).partition(":")[0].strip(" .,;—–-_")
    cased = _CAPITALS.sub(lambda word: word[0].capitalize(), name)
    return _SMALL_WORD.sub(lambda word: word[0].lower(), cased)


def _sentence(text: str) -> str:
    """Return a text with a full stop, unless it already ends with a mark."""
    return (
        text if not text or text.rstrip(f'*_"”{ITALICS}').endswith((".", "?", "!")) else f"{text}."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _join(separator: str, *parts: str) -> str:
    return separator.join(filter(None, parts))
