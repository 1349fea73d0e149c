"""Titles and authors as people cite them, from the heads of Gutenberg's files."""

from __future__ import annotations

import pytest

from scholar_indexes.books.citation.cited_titles import cited_title, main_title
from scholar_indexes.books.citation.contributors import natural_names, plain_name, split_names
from scholar_indexes.books.citation.sentence_case import sentence_case
from scholar_indexes.books.formats import gutenberg
from scholar_indexes.books.gutenberg import gutenberg_catalog
from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
from scholar_indexes.results import CitationStyle, CitedPlace
from scholar_indexes.serialize.citations import cite, csl_item
from scholar_indexes.serialize.passages import citation
from scholar_indexes.types import Book, Chapter, ChapterKind, Span

MARKER = "\n\n*** START OF THE PROJECT GUTENBERG EBOOK{} ***\n\n"
TEXT = (
    "They spoke of an antiquary and of two cities, of a critical study and a man in a tempest, of "
    "houses, of the work of a lady and her life. He went to Bleak House and from Bleak House, and "
    "the bleak sky was over a house; a portrait hung there. "
) * 3


def head(title: str, author: str, *more: str) -> str:
    """Return the head of a file; lines of a field after the first are indented."""
    fields = [f"Title: {title}", f"Author: {author}", *more, "Release Date: May, 2001 [EBook #1]"]
    return "\n\n".join(field.replace("\n", "\n        ") for field in fields) + MARKER.format(" X")


HEADS = [
    (
        head("A Christmas Carol\nA Ghost Story of Christmas", "Charles Dickens"),
        "Dickens, Charles. A Christmas Carol: A Ghost Story of Christmas. Project",
        "Charles Dickens, A Christmas Carol",
    ),
    (
        head("Rob Roy, Complete, Illustrated", "Sir Walter Scott"),
        "Scott, Walter. Rob Roy. Project",
        "Walter Scott, Rob Roy",
    ),
    (
        head("Les Misérables\nComplete in Five Volumes", "Victor Hugo"),
        "Hugo, Victor. Les Misérables. Project",
        "Victor Hugo, Les Misérables",
    ),
    (
        head("Hours in a Library\nNew Edition, with Additions. Vol. II (of 3)", "Leslie Stephen"),
        "Stephen, Leslie. Hours in a Library. Vol. 2, Project",
        "Leslie Stephen, Hours in a Library, vol. 2",
    ),
    (
        head("The Marble Faun, Volume I.\nThe Romance of Monte Beni", "Nathaniel Hawthorne"),
        "Hawthorne, Nathaniel. The Marble Faun: The Romance of Monte Beni. Vol. 1, Project",
        "Nathaniel Hawthorne, The Marble Faun, vol. 1",
    ),
    (
        head("The Brontë Family, Vol. 1 of 2\nwith special reference to Patrick", "F. Leyland"),
        "Leyland, F. The Brontë Family, with Special Reference to Patrick. Vol. 1, Project",
        "F. Leyland, The Brontë Family, with Special Reference to Patrick, vol. 1",
    ),
    (
        head(
            "Sketches of Romance and the Drama, Vol 1\nA Revised Edition", "The Rev. E. Coe, LL.D."
        ),
        "Coe, E. Sketches of Romance and the Drama: A Revised Edition. Vol. 1, Project",
        "E. Coe, Sketches of Romance and the Drama, vol. 1",
    ),
    (
        head("The Complete Poetical Works Volume I", "Percy Shelley\nEdited by Tom Hutch, M. A."),
        "Shelley, Percy. The Complete Poetical Works. Edited by Tom Hutch, vol. 1, Project",
        "Percy Shelley, The Complete Poetical Works, vol. 1",
    ),
    (
        head("Fielding\n(English Men of Letters Series)", "Austin Dobson"),
        "Dobson, Austin. Fielding. Project",
        "Austin Dobson, Fielding",
    ),
    (
        head("Life of Johnson\nAbridged and Edited, with Notes by C. Osgood", "James Boswell"),
        "Boswell, James. Life of Johnson. Project",
        "James Boswell, Life of Johnson",
    ),
    (
        head("Evelina, by the Author of Cecilia", "Fanny Burney"),
        "Burney, Fanny. Evelina. Project",
        "Fanny Burney, Evelina",
    ),
    (
        head("Guy Mannering, or The Astrologer, Complete", "Sir Walter Scott"),
        "Scott, Walter. Guy Mannering; or, The Astrologer. Project",
        "Walter Scott, Guy Mannering",
    ),
    (
        head("George Eliot; A Critical Study of Her Life & Works", "G. W. Cooke"),
        "Cooke, G. W. George Eliot: A Critical Study of Her Life and Works. Project",
        "G. W. Cooke, George Eliot",
    ),
    (
        head("Life On The Mississippi", "Mark Twain (Samuel Clemens)"),
        "Twain, Mark. Life on the Mississippi. Project",
        "Mark Twain, Life on the Mississippi",
    ),
    (
        head("Jane Austen and her Country-house Comedy", "W.H. Helm"),
        "Helm, W. H. Jane Austen and Her Country-House Comedy. Project",
        "W. H. Helm, Jane Austen and Her Country-House Comedy",
    ),
    (
        head("Hawthorne", "Henry James, Junr."),
        "James, Henry, Jr. Hawthorne. Project",
        "Henry James, Jr., Hawthorne",
    ),
    (
        head("The Souls of Black Folk", "W. E. B. Du Bois"),
        "Du Bois, W. E. B. The Souls of Black Folk. Project",
        "W. E. B. Du Bois, The Souls of Black Folk",
    ),
    (
        head("Companionable Books", "Henry van Dyke"),
        "van Dyke, Henry. Companionable Books. Project",
        "Henry van Dyke, Companionable Books",
    ),
    (
        head("Idylls of the King", "Alfred, Lord Tennyson"),
        "Tennyson, Alfred. Idylls of the King. Project",
        "Alfred Tennyson, Idylls of the King",
    ),
    (
        head("Don Juan", "Lord Byron"),
        "Byron, Lord. Don Juan. Project",
        "Lord Byron, Don Juan",
    ),
    (
        head("Charles Dickens", "G. K. Chesterton\nFrederick George Kitton"),
        "Chesterton, G. K., and Frederick George Kitton. Charles Dickens. Project",
        "G. K. Chesterton and Frederick George Kitton, Charles Dickens",
    ),
    (
        head("Women Novelists", "Mrs. [Margaret] Oliphant\nMrs. Linton\nMrs. Alexander\nMrs. Parr"),
        "Oliphant, Mrs. Margaret, et al. Women Novelists. Project",
        "Mrs. Margaret Oliphant et al., Women Novelists",
    ),
    (
        head("Works", "Alexander Pope et al"),
        "Pope, Alexander, et al. Works. Project",
        "Alexander Pope et al., Works",
    ),
    (
        head("War and Peace", "Leo Tolstoy", "Translators: Louise and Aylmer Maude"),
        "Tolstoy, Leo. War and Peace. Translated by Louise Maude and Aylmer Maude, Project",
        "Leo Tolstoy, War and Peace",
    ),
    (
        head("The Nights: A Book of Tales", "Various"),
        "The Nights: A Book of Tales. Project",
        "The Nights",
    ),
    (
        "The Project Gutenberg Etext of The Canterbury Tales\nby Geoffrey Chaucer\n\n"
        f"November, 2000  [Etext #2383]{MARKER.format(' THE TALES')}",
        "Chaucer, Geoffrey. The Canterbury Tales. Project",
        "Geoffrey Chaucer, The Canterbury Tales",
    ),
    (
        f"{MARKER.format(' CHARLES DICKENS AND OTHERS')}_By Sir Arthur Quiller-Couch_\n\n",
        "Quiller-Couch, Arthur. Charles Dickens and Others. Project",
        "Arthur Quiller-Couch, Charles Dickens and Others",
    ),
    (
        f"{MARKER.format(' R. L. STEVENSON')}R. L. STEVENSON\n\n_UNIFORM WITH THIS_:\n\n"
        "  J. M. SYNGE\n    BY P. P. HOWE\n\n",
        "R. L. Stevenson. Project",
        "R. L. Stevenson",
    ),
    (
        "KING HENRY VIII\n\nby William Shakespeare\n\n",
        "Shakespeare, William. King Henry VIII. Project",
        "William Shakespeare, King Henry VIII",
    ),
    (
        "MUCH ADO ABOUT NOTHING; OR, WHAT YOU WILL\n\nby P. P. HOWE\n\n",
        "Howe, P. P. Much Ado about Nothing; or, What You Will. Project",
        "P. P. Howe, Much Ado about Nothing",
    ),
]


def cited_place(start: str) -> CitedPlace:
    manuscript = gutenberg.read((start + TEXT).encode())
    book = Book("pg1", manuscript.title, manuscript.author, "en", "", "")
    title = sentence_case(cited_title(book.title).title, manuscript.text)
    return CitedPlace(book, manuscript.imprint, None, "pg1", title)


@pytest.mark.parametrize(("start", "entry", "source"), HEADS, ids=[source for *_, source in HEADS])
def test_a_head_of_gutenberg_is_cited_as_people_do(start: str, entry: str, source: str) -> None:
    place = cited_place(start)
    span = Span(0, 1)
    chapter = Chapter(4, "The Storm", (), ChapterKind.CHAPTER, span, span, "4")
    assert cite(place, CitationStyle.MLA).entry.startswith(entry)
    assert citation(place.book, chapter) == f"{source}, The Storm"


@pytest.mark.parametrize(
    ("style", "entry"),
    [
        (CitationStyle.MLA, "Edited by Ann Lee, vol. 2, Project Gutenberg, 2001, www"),
        (CitationStyle.CHICAGO, "A Lady. Vol. 2. Edited by Ann Lee. Project Gutenberg, 2001."),
        (CitationStyle.APA, "A lady (A. Lee, Ed.; Vol. 2). Project Gutenberg."),
    ],
)
def test_a_volume_is_where_the_style_puts_it(style: CitationStyle, entry: str) -> None:
    place = cited_place(head("A Lady, Vol. II (of 3)", "Bo Cole", "Editor: Ann Lee"))
    assert entry in cite(place, style).entry
    assert csl_item(place)["volume"] == "2"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Bleak House", "Bleak House"),
        ("The Portrait of a Lady", "The portrait of a lady"),
        ("A Tale of Two Cities", "A tale of two cities"),
        ("The Work of the Antiquary", "The work of the antiquary"),
        ("King Henry VIII", "King Henry VIII"),
    ],
)
def test_sentence_case_keeps_what_the_book_has_as_a_name(title: str, expected: str) -> None:
    text = TEXT + "He was a tale of two kings and Henry, a King Henry and a king, was one of two. "
    assert sentence_case(title, text) == expected


@pytest.mark.parametrize(
    "title",
    [
        "Pride and Prejudice",
        "Q: A Novel",
        "Among My Books: First Series",
        "The Complete Angler",
        "The Voyage Out",
        "Volume One",
        "As You Like It",
        "Spenser's The Faerie Queene, Book I",
        "Mademoiselle de Maupin",
        "",
    ],
)
def test_a_title_that_people_cite_stays(title: str) -> None:
    assert cited_title(title) == (title, "")


def test_a_title_that_is_not_in_english_keeps_its_capitals() -> None:
    assert main_title("Le rouge & le noir: chronique", "fr") == "Le rouge & le noir"


@pytest.mark.parametrize(
    ("names", "people"),
    [
        ("Ann Ash, Bo Birch and Cy Cole", ["Ann Ash", "Bo Birch", "Cy Cole"]),
        ("Austen, Jane", ["Austen, Jane"]),
        ("Voltaire and Emilie Roe", ["Voltaire", "Emilie Roe"]),
        ("Anonymous", []),
        ("", []),
    ],
)
def test_people_are_told_apart(names: str, people: list[str]) -> None:
    assert split_names(names) == people


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Edward Bulwer-Lytton, Baron Lytton", "Edward Bulwer-Lytton"),
        ("Alfred Tennyson Tennyson", "Alfred Tennyson"),
        ("CAPTAIN FREDERICK O'MARRYAT", "Frederick O'Marryat"),
        ("Prof. A. Bell, M.A., F.R.S.", "A. Bell"),
        ("Captain Marryat", "Captain Marryat"),
        ("Henry James Senior", "Henry James, Sr."),
        ("John Ash, Jun.", "John Ash, Jr."),
        ("Amartya Sen", "Amartya Sen"),
        ("Madonna", "Madonna"),
    ],
)
def test_a_name_is_without_ranks_and_degrees(name: str, plain: str) -> None:
    assert (plain_name(name), natural_names(name)) == (plain, plain)


@pytest.mark.parametrize(
    ("title", "author", "catalogued", "expected"),
    [
        (
            "Life of Charlotte Bronte - Volume 1",
            "E. C. Gaskell",
            ("The Life of Charlotte Brontë — Volume 1", "Gaskell, Elizabeth Cleghorn, 1810-1865"),
            ("The Life of Charlotte Brontë - Volume 1", "Elizabeth Cleghorn Gaskell"),
        ),
        (
            "My Antonia",
            "",
            ("My Ántonia", "Cather, Willa, 1873-1947"),
            ("My Ántonia", "Willa Cather"),
        ),
        (
            "The Professor",
            "(AKA Charlotte Bronte) Currer Bell",
            ("The Professor", "Brontë, Charlotte, 1816-1855"),
            ("The Professor", "Charlotte Brontë"),
        ),
        ("Emma", "Ann Other", ("Emma", "Austen, Jane"), ("Emma", "Ann Other")),
        ("Tales", "", ("A Book of Tales", "Various"), ("Tales", "")),
        ("Tales", "", ("", ""), ("Tales", "")),
    ],
)
def test_accents_and_names_are_the_catalogue_s(
    title: str, author: str, catalogued: tuple[str, str], expected: tuple[str, str]
) -> None:
    entry = CatalogEntry(1, *catalogued, "en", "", ())
    assert gutenberg_catalog.respelled(title, author, entry) == expected
