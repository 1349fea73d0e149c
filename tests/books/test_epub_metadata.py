"""The title, the people and the language of an EPUB."""

from __future__ import annotations

import pytest

from epubs import Epub, read_epub


def refined(name: str, id_: str, text: str, **refinements: str) -> str:
    """Return an element of EPUB 3 with the metadata that refines it."""
    metas = "".join(
        f"<meta refines='#{id_}' property='{key.replace('_', '-')}'>{value}</meta>"
        for key, value in refinements.items()
    )
    return f"<dc:{name} id='{id_}'>{text}</dc:{name}>{metas}"


@pytest.mark.parametrize(
    ("metadata", "author", "translators", "editors"),
    [
        pytest.param("<dc:creator>Pool, Ann</dc:creator>", "Ann Pool", (), (), id="inverted"),
        pytest.param(
            "<dc:creator>Ann Pool, Ben Ford</dc:creator>",
            "Ann Pool and Ben Ford",
            (),
            (),
            id="two in one element",
        ),
        pytest.param(
            "<dc:creator>Ann Pool</dc:creator><dc:creator>Ford, Ben</dc:creator>"
            "<dc:creator>Cy Cole</dc:creator>",
            "Ann Pool; Ben Ford; Cy Cole",
            (),
            (),
            id="three",
        ),
        pytest.param(
            "<dc:creator opf:role='ill'>Brush, Carl</dc:creator>"
            "<dc:creator opf:role='aut'>Ann Pool</dc:creator>",
            "Ann Pool",
            (),
            (),
            id="an illustrator first",
        ),
        pytest.param(
            "<dc:creator opf:role='ill'>Carl Brush</dc:creator>",
            "",
            (),
            (),
            id="only an illustrator",
        ),
        pytest.param(
            "<dc:creator opf:role='edt'>Ed Itor</dc:creator>"
            "<dc:contributor opf:role='trl'>Lator, Tran</dc:contributor>"
            "<dc:contributor>calibre (6.13)</dc:contributor>",
            "",
            ("Tran Lator",),
            ("Ed Itor",),
            id="an editor and a translator",
        ),
        pytest.param(
            refined("creator", "a", "Carl Brush", role="ill")
            + refined("creator", "b", "Ben Ford", role="aut", display_seq="2")
            + refined("creator", "c", "Ann Pool", role="marc:aut", display_seq="1"),
            "Ann Pool and Ben Ford",
            (),
            (),
            id="EPUB 3",
        ),
        pytest.param(
            "<dc:creator opf:role='AUT'>Ann Pool</dc:creator>"
            "<dc:creator opf:role='aut'>Ann Pool</dc:creator>",
            "Ann Pool",
            (),
            (),
            id="one author twice",
        ),
        pytest.param(
            "<dc:creator>Pool, Ann &amp; Ford, Ben</dc:creator>",
            "Ann Pool and Ben Ford",
            (),
            (),
            id="two inverted names in one element",
        ),
        pytest.param(
            "<dc:creator>By Ann Pool</dc:creator><dc:creator>Ben Ford (Translator)</dc:creator>",
            "Ann Pool",
            ("Ben Ford",),
            (),
            id="roles in the text",
        ),
        pytest.param(
            refined("creator", "c", "Ann Pool", role="ill").replace(
                "</meta>", "</meta><meta refines='#c' property='role'>aut</meta>", 1
            ),
            "Ann Pool",
            (),
            (),
            id="an author who is the illustrator too",
        ),
        pytest.param("<dc:creator opf:file-as='Pool, Ann'/>", "Ann Pool", (), (), id="no text"),
        pytest.param(
            "<dc:creator>Pool, Ann, Jr.</dc:creator>", "Ann Pool, Jr.", (), (), id="a suffix"
        ),
        pytest.param("<dc:creator>Unknown</dc:creator>", "", (), (), id="unknown"),
    ],
)
def test_people_are_named_by_their_roles(
    metadata: str, author: str, translators: tuple[str, ...], editors: tuple[str, ...]
) -> None:
    book = read_epub(Epub(metadata=metadata + "<dc:language>en</dc:language>"))
    assert (book.author, book.imprint.translators, book.imprint.editors) == (
        author,
        translators,
        editors,
    )


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        pytest.param(
            "<dc:title>The Geese</dc:title><dc:title>Geese, The</dc:title>",
            "The Geese",
            id="the first",
        ),
        pytest.param("<dc:title>Geese & Co</dc:title>", "Geese & Co", id="a bare ampersand"),
        pytest.param("<dc:title>Les &Eacute;p&eacute;es</dc:title>", "Les Épées", id="entities"),
        pytest.param("<dc:title>Unknown</dc:title>", "", id="unknown"),
        pytest.param(
            refined("title", "s", "A Tale", title_type="subtitle")
            + refined("title", "m", "The Geese", title_type="main"),
            "The Geese: A Tale",
            id="a subtitle first",
        ),
        pytest.param(
            refined("title", "c", "Tales, 4", title_type="collection")
            + "<dc:title>The Geese</dc:title>",
            "The Geese",
            id="a series first",
        ),
        pytest.param(
            "<dc:title>The Geese</dc:title>"
            + refined("title", "f", "The Geese: A Tale", title_type="extended"),
            "The Geese",
            id="an extended title",
        ),
        pytest.param(
            refined("title", "m", "The Geese: A Tale", title_type="main")
            + refined("title", "s", "A Tale", title_type="subtitle"),
            "The Geese: A Tale",
            id="a subtitle that is in the title",
        ),
        pytest.param(
            "<dc:title>Geese (Introduction)</dc:title>", "Geese (Introduction)", id="no role"
        ),
    ],
)
def test_the_title_is_the_main_title_with_its_subtitle(metadata: str, title: str) -> None:
    assert read_epub(Epub(metadata=metadata)).title == title


def test_metadata_of_oeb_1_are_read() -> None:
    metadata = (
        "<dc-metadata xmlns:dc='http://purl.org/dc/elements/1.0/'><dc:Title>The Geese</dc:Title>"
        "<dc:Creator role='aut'>Ann Pool</dc:Creator><dc:Language>en</dc:Language></dc-metadata>"
    )
    book = read_epub(Epub(metadata=metadata))
    assert (book.title, book.author, book.language) == ("The Geese", "Ann Pool", "en")


def test_the_text_decides_between_several_languages() -> None:
    languages = "<dc:language>la</dc:language><dc:language>en</dc:language>"
    assert read_epub(Epub(metadata=languages)).language == ""
    assert read_epub(Epub(metadata=languages.replace(">la<", ">en-GB<"))).language == "en"
