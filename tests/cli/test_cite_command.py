"""scholar cite: passages in three styles, and entries for reference managers."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_indexes.papers.formats import bibtex, csl, ris
from scholar_indexes.results import CitationStyle, CitedPlace, PrintedEdition
from scholar_indexes.serialize import citations
from scholar_indexes.types import Book, Chapter, ChapterKind, Imprint, Span

PLACE = "pg64317:9.164:0-78"
WEB = "www.gutenberg.org/ebooks/64317"


def cited(author: str, style: CitationStyle, imprint: Imprint, title: str = "A Title") -> str:
    book = Book("pg1", title, author, "en", "", "")
    return citations.cite(CitedPlace(book, imprint, None, "pg1", title), style).entry


@pytest.mark.parametrize(
    ("style", "in_text", "entry"),
    [
        (
            "mla",
            "(Fitzgerald, ch. 9)",
            f"Fitzgerald, F. Scott. The Great Gatsby. Project Gutenberg, 2021, {WEB}.",
        ),
        (
            "chicago",
            "F. Scott Fitzgerald, The Great Gatsby (Project Gutenberg, 2021), chap. 9, "
            f"https://{WEB}.",
            f"Fitzgerald, F. Scott. The Great Gatsby. Project Gutenberg, 2021. https://{WEB}.",
        ),
        (
            "apa",
            "(Fitzgerald, 2021, Chapter 9)",
            f"Fitzgerald, F. S. (2021). The great Gatsby. Project Gutenberg. https://{WEB}",
        ),
    ],
)
def test_an_ebook_is_cited_by_its_page(
    scholar: Scholar, sample: Path, style: str, in_text: str, entry: str
) -> None:
    [record] = succeeded(scholar("cite", PLACE, "--style", style, "--json")).json
    assert (record["in_text"], record["entry"]) == (in_text, entry)


@pytest.mark.parametrize(
    ("style", "in_text", "entry"),
    [
        ("mla", "(Fitzgerald 12–15)", "Fitzgerald, F. Scott. The Great Gatsby. Scribner, 2004."),
        (
            "chicago",
            "F. Scott Fitzgerald, The Great Gatsby (New York: Scribner, 2004), 12–15.",
            "Fitzgerald, F. Scott. The Great Gatsby. New York: Scribner, 2004.",
        ),
        (
            "apa",
            "(Fitzgerald, 2004, pp. 12–15)",
            "Fitzgerald, F. S. (2004). The great Gatsby. Scribner.",
        ),
    ],
)
def test_an_edition_in_print_takes_its_place(
    scholar: Scholar, sample: Path, style: str, in_text: str, entry: str
) -> None:
    options = ("--edition", "New York: Scribner, 2004", "--page", "pp. 12-15", "--style", style)
    [record] = succeeded(scholar("cite", PLACE, *options, "--json")).json
    assert (record["in_text"], record["entry"]) == (in_text, entry)
    assert "URL" not in record["csl"]


TRANSLATED = Imprint(translators=("Eva Martin",), year=2001)


@pytest.mark.parametrize(
    ("author", "style", "entry"),
    [
        (
            "Fyodor Dostoyevsky",
            CitationStyle.MLA,
            "Dostoyevsky, Fyodor. A Title. Translated by Eva Martin, Project Gutenberg, 2001, "
            "www.gutenberg.org/ebooks/1.",
        ),
        (
            "Fyodor Dostoyevsky",
            CitationStyle.CHICAGO,
            "Dostoyevsky, Fyodor. A Title. Translated by Eva Martin. Project Gutenberg, 2001. "
            "https://www.gutenberg.org/ebooks/1.",
        ),
        (
            "Fyodor Dostoyevsky",
            CitationStyle.APA,
            "Dostoyevsky, F. (2001). A Title (E. Martin, Trans.). Project Gutenberg. "
            "https://www.gutenberg.org/ebooks/1",
        ),
        (
            "Mark Twain; Charles Dudley Warner",
            CitationStyle.MLA,
            "Twain, Mark, and Charles Dudley Warner. A Title. Translated by Eva Martin, Project "
            "Gutenberg, 2001, www.gutenberg.org/ebooks/1.",
        ),
        (
            "Mark Twain; Charles Dudley Warner",
            CitationStyle.APA,
            "Twain, M., & Warner, C. D. (2001). A Title (E. Martin, Trans.). Project Gutenberg. "
            "https://www.gutenberg.org/ebooks/1",
        ),
        (
            "",
            CitationStyle.APA,
            "A Title (E. Martin, Trans.). (2001). Project Gutenberg. "
            "https://www.gutenberg.org/ebooks/1",
        ),
    ],
)
def test_translators_and_several_authors_are_named(
    author: str, style: CitationStyle, entry: str
) -> None:
    assert cited(author, style, TRANSLATED) == entry


def test_three_authors_are_the_first_and_others() -> None:
    entry = cited("Ann Ash; Bo Birch", CitationStyle.MLA, Imprint(), "Why?")
    assert entry.startswith("Ash, Ann, and Bo Birch. Why? Project")
    imprint = Imprint(editors=("Di Dale",))
    entry = cited("Ann Ash; Bo Birch; Cy Cole", CitationStyle.MLA, imprint, "Why?")
    assert entry == (
        "Ash, Ann, et al. Why? Edited by Di Dale, Project Gutenberg, www.gutenberg.org/ebooks/1."
    )
    entry = cited("Ann Ash", CitationStyle.APA, Imprint(("Eva Martin",), ("Di Dale",)))
    assert "A Title (E. Martin, Trans.; D. Dale, Ed.)." in entry


@pytest.mark.parametrize(
    ("style", "editors", "head"),
    [
        (CitationStyle.MLA, ("Di Dale",), "Dale, Di, editor. A Title."),
        (CitationStyle.MLA, ("Di Dale", "Ed Elm"), "Dale, Di, and Ed Elm, editors. A Title."),
        (CitationStyle.CHICAGO, ("Di Dale",), "Dale, Di, ed. A Title. Project"),
        (CitationStyle.APA, ("Di Dale",), "Dale, D. (Ed.). (n.d.). A Title. Project"),
        (CitationStyle.APA, ("Di Dale", "Ed Elm"), "Dale, D., & Elm, E. (Eds.). (n.d.)."),
    ],
)
def test_the_editors_of_a_book_without_an_author_come_first(
    style: CitationStyle, editors: tuple[str, ...], head: str
) -> None:
    assert cited("", style, Imprint(editors=editors)).startswith(head)


def test_an_undated_book_has_no_date_in_apa() -> None:
    assert "(n.d.)" in cited("Ann A", CitationStyle.APA, Imprint())


@pytest.mark.parametrize(
    ("name", "mla", "apa"),
    [
        ("F. Scott Fitzgerald", "Fitzgerald, F. Scott.", "Fitzgerald, F. S. ("),
        ("Ludwig van Beethoven", "Beethoven, Ludwig van.", "Beethoven, L. van. ("),
        ("Honoré de Balzac", "Balzac, Honoré de.", "Balzac, H. de. ("),
        ("Walter de la Mare", "de la Mare, Walter.", "de la Mare, W. ("),
        ("Alexandre Dumas, Jr.", "Dumas, Alexandre, Jr.", "Dumas, A., Jr. ("),
        ("Alexandre Dumas Jr.", "Dumas, Alexandre, Jr.", "Dumas, A., Jr. ("),
        ("Jean-Jacques Rousseau", "Rousseau, Jean-Jacques.", "Rousseau, J.-J. ("),
        ("Austen, Jane", "Austen, Jane.", "Austen, J. ("),
        ("D. H. (David Herbert) Lawrence", "Lawrence, D. H.", "Lawrence, D. H. ("),
        ("Voltaire", "Voltaire.", "Voltaire. ("),
    ],
)
def test_names_are_divided(name: str, mla: str, apa: str) -> None:
    assert cited(name, CitationStyle.MLA, Imprint()).startswith(f"{mla} A Title.")
    assert cited(name, CitationStyle.APA, Imprint()).startswith(apa)


@pytest.mark.parametrize(
    ("title", "printed", "part", "cited_as"),
    [
        ("PREFACE.", "", "", "(Balzac, Preface)"),
        ("III", "3", "", "(Balzac, ch. 3)"),
        ("IV", "1.4", "BOOK THE FIRST: SOWING", "(Balzac, Book the First, ch. 4)"),
        ("IV", "2.4", "VOLUME II", "(Balzac, Volume II, ch. 4)"),
    ],
)
def test_headings_are_cited_without_capitals_and_subtitles(
    title: str, printed: str, part: str, cited_as: str
) -> None:
    parts, span = (part,) if part else (), Span(0, 1)
    chapter = Chapter(1, title, parts, ChapterKind.CHAPTER, span, span, printed)
    book = Book("pg1", "A Title", "Honoré de Balzac", "en", "", "")
    place = CitedPlace(book, Imprint(), chapter, "pg1:1", "A title")
    assert citations.cite(place, CitationStyle.MLA).in_text == cited_as


@pytest.mark.parametrize(
    ("title", "part", "printed", "style", "cited_as"),
    [
        pytest.param(
            "Scene I. A room", "Act III", "3.1", CitationStyle.MLA, "(Ash 3.1)", id="scene, MLA"
        ),
        pytest.param(
            "Scene I. A room",
            "Act III",
            "3.1",
            CitationStyle.CHICAGO,
            "Ann Ash, Novel, Act III, sc. 1.",
            id="scene, Chicago",
        ),
        pytest.param(
            "Scene I. A room",
            "Act III",
            "3.1",
            CitationStyle.APA,
            "(Ash, n.d., Act III, Scene 1)",
            id="scene, APA",
        ),
        pytest.param(
            "Scene II",
            "Induction",
            "1.2",
            CitationStyle.MLA,
            "(Ash, Induction, sc. 2)",
            id="a scene of no act",
        ),
        pytest.param("Canto IV", "", "4", CitationStyle.MLA, "(Ash, canto 4)", id="canto"),
        pytest.param("BOOK II", "", "2", CitationStyle.MLA, "(Ash, bk. 2)", id="book"),
        pytest.param(
            "Stave Two", "", "2", CitationStyle.APA, "(Ash, n.d., Stave 2)", id="stave, APA"
        ),
        pytest.param(
            "CHAPTER II", "", "2", CitationStyle.CHICAGO, "Ann Ash, Novel, chap. 2.", id="chapter"
        ),
    ],
)
def test_a_division_is_cited_by_the_word_of_its_heading(
    title: str, part: str, printed: str, style: CitationStyle, cited_as: str
) -> None:
    assert citations.cite(numbered("Novel", title, part, printed), style).in_text == cited_as


@pytest.mark.parametrize(
    ("book", "style", "cited_as"),
    [
        ("THE SONNETS", CitationStyle.MLA, "(Ash, sonnet 18)"),
        ("THE SONNETS", CitationStyle.APA, "(Ash, n.d., Sonnet 18)"),
        ("Poems Published in 1820", CitationStyle.MLA, "(Ash 18)"),
        ("A Novel", CitationStyle.MLA, "(Ash, ch. 18)"),
    ],
)
def test_a_numeral_is_cited_as_a_chapter_but_in_verse(
    book: str, style: CitationStyle, cited_as: str
) -> None:
    assert citations.cite(numbered(book, "XVIII", "", "18"), style).in_text == cited_as


def numbered(book: str, title: str, part: str, printed: str) -> CitedPlace:
    """Return a citable numbered section of a book."""
    parts, span = (part,) if part else (), Span(0, 1)
    chapter = Chapter(1, title, parts, ChapterKind.CHAPTER, span, span, printed)
    stored = Book("own-1", book, "Ann Ash", "en", "", "")
    return CitedPlace(stored, Imprint(), chapter, "own-1:1", book)


def test_the_translator_of_the_ebook_is_not_that_of_an_edition_in_print() -> None:
    book = Book("pg1", "A Title", "Leo Tolstoy", "en", "", "")
    edition = PrintedEdition("", "Penguin", 2003)
    place = CitedPlace(book, TRANSLATED, None, "pg1", "A title", edition=edition)
    assert citations.cite(place, CitationStyle.MLA).entry == (
        "Tolstoy, Leo. A Title. Penguin, 2003."
    )


@pytest.mark.parametrize(
    ("name", "read"), [("bibtex", bibtex.read), ("csl-json", csl.read), ("ris", ris.read)]
)
def test_entries_are_read_back(scholar: Scholar, sample: Path, name: str, read) -> None:  # type: ignore[no-untyped-def]
    answer = succeeded(scholar("cite", PLACE, "pg64317:1", "pg84", "--to", name)).stdout
    items = [entry.csl for entry in read(answer.encode(), "cited")]
    assert [item["title"] for item in items] == [
        "The Great Gatsby",
        "Frankenstein; or, The Modern Prometheus",
    ]
    assert items[0]["author"] == [{"family": "Fitzgerald", "given": "F. Scott"}]
    assert items[0]["issued"] == {"date-parts": [[2021]]}
    assert items[0]["chapter-number"] == "9, 1"
    assert "chapter-number" not in items[1]


def test_the_translator_comes_from_the_header(scholar: Scholar, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text(
        "The Project Gutenberg eBook of A Novel, by Ann Example\n\nTitle: A Novel\n\nAuthor: Ann "
        "Example\n\nTranslator: Eva Martin and Bo Lee\n\nTranslator: Cy Cole\n\n"
        "Release Date: May, 2001 [eBook #99001]\n\n"
        "Language: English\n\n*** START OF THE PROJECT GUTENBERG EBOOK A NOVEL ***\n\n"
        + "The prince sat in the room and spoke of the general. "
        * 60,
        "utf-8",
    )
    succeeded(scholar("add", str(path)))
    [record] = succeeded(scholar("cite", "pg99001", "--json")).json
    assert (
        "Translated by Eva Martin, Bo Lee, and Cy Cole, Project Gutenberg, 2001" in record["entry"]
    )
    [folder] = (home / "data" / "books").glob("pg99001.*")
    (folder / "imprint.json").write_text("garbage", "utf-8")
    refused = scholar("cite", "pg99001")
    assert "scholar add 99001 --refresh" in error_line(refused, 1)


@pytest.mark.parametrize(
    ("options", "cited_as"),
    [
        (("--style", "mla"), "Translated by Eva Martin, Project Gutenberg, 2001"),
        (("--style", "chicago"), "Translated by Eva Martin. Project Gutenberg, 2001"),
        (("--style", "apa"), "(E. Martin, Trans.)"),
        (("--to", "bibtex"), "Martin, Eva"),
        (("--to", "csl-json"), '"translator"'),
    ],
)
def test_the_translator_of_the_title_page_is_cited_where_the_header_names_none(
    scholar: Scholar, tmp_path: Path, options: tuple[str, ...], cited_as: str
) -> None:
    path = tmp_path / "novel.txt"
    path.write_text(
        "Title: A Novel\n\nAuthor: Ann Example\n\nRelease Date: May, 2001 [eBook #99002]\n\n"
        "Language: English\n\n*** START OF THE PROJECT GUTENBERG EBOOK A NOVEL ***\n\nA NOVEL\n\n"
        "by Ann Example\n\nTranslated by Eva Martin\n\n"
        + "The prince sat in the room and spoke of the general. "
        * 60,
        "utf-8",
    )
    succeeded(scholar("add", str(path)))
    assert cited_as in succeeded(scholar("cite", "pg99002", *options)).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("nonsense here",), 2, "is not a locator"),
        (("pg9:1",), 4, "scholar add 9"),
        (("pg84:99",), 4, "has no section 99"),
        (("pg84:1.9999",), 4, "has no paragraph 9999"),
        (("pg84", "--edition", "Penguin"), 2, "has no publisher and year"),
        (("pg84", "--style", "oxford"), 2, "mla"),
        (("pg84", "--page", "12"), 2, "give it with --edition"),
        (("pg84", "pg1342", "--edition", "Penguin, 2003"), 2, "an edition is of one book"),
    ],
)
def test_an_unknown_place_cannot_be_cited(
    scholar: Scholar, sample: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    assert message in error_line(scholar("cite", *arguments), code)


def test_markdown_has_the_title_in_italics(scholar: Scholar, sample: Path) -> None:
    answer = succeeded(scholar("cite", "pg84", "--format", "md", "--style", "apa")).stdout
    assert "*Frankenstein; or, the modern Prometheus*." in answer
