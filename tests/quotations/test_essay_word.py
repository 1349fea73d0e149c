"""Word documents: block quotations by style or indent, and text as shown."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from essay_files import WORD, make_docx
from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.essays import reading, word


def test_word_has_block_quotations_by_their_style_and_notes(tmp_path: Path) -> None:
    style = '<w:pPr><w:pStyle w:val="IntenseQuote"/></w:pPr>'
    data = make_docx(
        "<w:p><w:r><w:t>He said “we </w:t></w:r><w:r><w:t>beat on”.</w:t></w:r></w:p>"
        f"<w:p>{style}<w:r><w:t>A block</w:t><w:br/><w:t>of two lines</w:t></w:r></w:p>",
        footnotes=WORD.format("<w:p><w:r><w:t>“in a note”</w:t></w:r></w:p>"),
    )
    (tmp_path / "essay.docx").write_bytes(data)
    quotations = reading.quotations(str(tmp_path / "essay.docx"))
    assert [(quotation.text, quotation.line, quotation.is_block) for quotation in quotations] == [
        ("we beat on", 1, False),
        ("A block\nof two lines", 2, True),
        ("in a note", 3, False),
    ]


STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
RUN = "<w:r><w:t>{}</w:t></w:r>"


def para(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{RUN.format(text)}</w:p>"


def styled(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def style(name: str, shown: str, inside: str = "", kind: str = "paragraph") -> str:
    return (
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{shown}"/>{inside}</w:style>'
    )


STYLES = WORD.format(
    style("Normal", "Normal")
    + style("a1", "Quote", '<w:basedOn w:val="Normal"/>')
    + style("Mine", "My block", '<w:basedOn w:val="a1"/>')
    + style("Inner", "Innermost", '<w:basedOn w:val="Mine"/>')
    + style("Thesis", "Thesis Block Quotation")
    + style("Loop", "Loop", '<w:basedOn w:val="Loop"/>')
    + style("Far", "Far", '<w:pPr><w:ind w:left="720"/></w:pPr>')
    + style("Items", "Items", '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>')
    + style("Secret", "Secret", "<w:rPr><w:vanish/></w:rPr>", "character")
    + style("Raised", "Raised", '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>', "character")
    + style("Away", "Away", "<w:rPr><w:vanish/></w:rPr>")
)


def quotations_of_word(tmp_path: Path, data: bytes) -> list[tuple[str, bool]]:
    path = tmp_path / "essay.docx"
    path.write_bytes(data)
    return [(quotation.text, quotation.is_block) for quotation in reading.quotations(str(path))]


@pytest.mark.parametrize("is_strict", [False, True], ids=["transitional", "strict"])
@pytest.mark.parametrize(
    ("properties", "is_block"),
    [
        *((styled(name), True) for name in ("a1", "Mine", "Inner", "Thesis", "Far", "Zitat")),
        *((styled(name), True) for name in ("Citát", "Sitat", "Цитата", "Epigraph", "Verse", "BQ")),
        *((styled(name), False) for name in ("Normal", "Loop", "None", "ListParagraph")),
        ('<w:ind w:left="720"/>', True),
        ('<w:ind w:start="0.5in" w:end="36pt"/>', True),
        ('<w:ind w:left="142"/>', False),
        ('<w:ind w:left="720" w:hanging="720"/>', False),
        ('<w:ind w:firstLine="720"/>', False),
        ('<w:ind w:left="720"/><w:jc w:val="center"/>', False),
        ('<w:numPr><w:numId w:val="1"/></w:numPr><w:ind w:left="720"/>', False),
        (styled("Items") + '<w:ind w:left="720"/>', False),
        (styled("Far") + '<w:ind w:left="0"/>', False),
    ],
)
def test_block_quotations_of_word_have_a_style_or_an_indent(
    tmp_path: Path, properties: str, is_block: bool, is_strict: bool
) -> None:
    text = "The body of the essay has most of the text, and “a quotation” is in it as well."
    data = make_docx(para(text) + para("We beat on", properties), styles=STYLES)
    if is_strict:
        data = repacked(
            data, "http://schemas.openxmlformats.org/wordprocessingml/2006/main", STRICT
        )
    blocks = [("We beat on", True)] if is_block else []
    assert quotations_of_word(tmp_path, data) == [("a quotation", False), *blocks]


def repacked(data: bytes, old: str, new: str) -> bytes:
    """Return a document with some text of its parts replaced."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w") as archive:
        for name in before.namelist():
            archive.writestr(name, before.read(name).decode().replace(old, new))
    return file.getvalue()


def test_a_word_document_that_is_indented_throughout_has_no_blocks(tmp_path: Path) -> None:
    indent = '<w:ind w:left="1440"/>'
    data = make_docx(para("He says “we beat on”.", indent) + para("And so on.", indent))
    assert quotations_of_word(tmp_path, data) == [("we beat on", False)]


BOX = "<w:txbxContent>" + para("“against”") + "</w:txbxContent>"
MARKUP = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("<w:del><w:r><w:delText>old </w:delText><w:tab/></w:r></w:del>", ["we beat on"]),
        (f"<w:moveFrom>{RUN.format('old ')}</w:moveFrom>", ["we beat on"]),
        (f"<w:moveTo>{RUN.format('new ')}</w:moveTo>", ["we new beat on"]),
        (f"<w:ins>{RUN.format('new ')}</w:ins>", ["we new beat on"]),
        (f"<w:sdt><w:sdtContent>{RUN.format('new ')}</w:sdtContent></w:sdt>", ["we new beat on"]),
        ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden </w:t></w:r>", ["we beat on"]),
        ('<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>new </w:t></w:r>', ["we new beat on"]),
        ("<w:r><w:rPr><w:strike/></w:rPr><w:t>old </w:t></w:r>", ["we beat on"]),
        ("<w:r><w:rPr><w:dstrike/></w:rPr><w:t>old </w:t></w:r>", ["we beat on"]),
        ('<w:r><w:rPr><w:strike w:val="0"/></w:rPr><w:t>new </w:t></w:r>', ["we new beat on"]),
        ('<w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>no </w:t></w:r>', ["we beat on"]),
        ("<w:r><w:instrText>CITE “x y”</w:instrText></w:r>", ["we beat on"]),
        (
            '<w:r><w:rPr><w:rStyle w:val="Raised"/></w:rPr><w:t>12</w:t><w:tab/></w:r>',
            ["we \tbeat on"],
        ),
        (
            '<w:r><w:rPr><w:position w:val="6"/></w:rPr><w:t>12</w:t><w:tab/></w:r>',
            ["we \tbeat on"],
        ),
        ('<w:r><w:rPr><w:position w:val="-6"/></w:rPr><w:t>12 </w:t></w:r>', ["we 12 beat on"]),
        ('<w:r><w:sym w:char="201D"/></w:r>', ["we"]),
        ('<w:r><w:sym w:char="F04A"/><w:sym w:char="x"/></w:r>', ["we beat on"]),
        (f"<w:r><w:pict>{BOX}</w:pict></w:r>", ["we beat on", "against"]),
        (
            f"<w:r><mc:AlternateContent {MARKUP}><mc:Choice>{BOX}</mc:Choice>"
            f"<mc:Fallback>{BOX}</mc:Fallback></mc:AlternateContent></w:r>",
            ["we beat on", "against"],
        ),
        (
            f"<w:r><mc:AlternateContent {MARKUP}><mc:Fallback>{BOX}</mc:Fallback>"
            "</mc:AlternateContent></w:r>",
            ["we beat on", "against"],
        ),
    ],
)
def test_word_is_read_as_shown_with_all_changes_accepted(
    tmp_path: Path, inside: str, expected: list[str]
) -> None:
    body = f"<w:p>{RUN.format('“we ')}{inside}{RUN.format('beat on”')}</w:p>"
    data = make_docx(body, styles=STYLES)
    assert [text for text, _ in quotations_of_word(tmp_path, data)] == expected


def test_paragraphs_of_word_that_are_hidden_or_joined_are_read_as_shown(tmp_path: Path) -> None:
    data = make_docx(
        para("“hidden words”", styled("Away"))
        + para("“we ", "<w:rPr><w:del/></w:rPr>")
        + para("beat on”")
        + para("“S", '<w:framePr w:dropCap="drop"/>')
        + para("o we”"),
        styles=STYLES,
    )
    assert quotations_of_word(tmp_path, data) == [("we beat on", False), ("So we", False)]


@pytest.mark.parametrize("is_absolute", [False, True])
def test_the_parts_of_word_may_have_any_names(tmp_path: Path, is_absolute: bool) -> None:
    root = "/" if is_absolute else ""
    relation = '<Relationship Type="http://x.test/relationships/{}" Target="{}" Id="{}"/>'
    relations = '<Relationships xmlns="http://x.test/relationships">{}</Relationships>'
    parts = {
        "_rels/.rels": relations.format(relation.format("officeDocument", f"{root}w/Main2.xml", 1)),
        "w/_rels/main2.xml.rels": relations.format(
            relation.format("footnotes", f"{'/w/' if is_absolute else ''}notes9.xml", 1)
            + relation.format("styles", "../s.xml", 2)
        ),
        "w/main2.xml": WORD.format(para("So:") + para("We beat on", styled("Mine"))),
        "w/notes9.xml": WORD.format(para("“in a note”")),
        "s.xml": STYLES,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert quotations_of_word(tmp_path, file.getvalue()) == [
        ("We beat on", True),
        ("in a note", False),
    ]


def test_a_word_document_that_includes_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / "essay.docx").write_bytes(make_docx('<w:altChunk w:id="x"/>' + para("So.")))
    with pytest.raises(UsageError, match="includes other files, which are not read"):
        reading.quotations(str(tmp_path / "essay.docx"))


def bomb() -> bytes:
    return make_docx("<w:p/>" + " " * (word.SMALL * 40))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"garbage", "a damaged Word document"),
        (make_docx("<w:p>")[:-40], "a damaged Word document"),
        (make_docx("<w:p>"), "a damaged Word document"),
        (make_docx("&lol;"), "a damaged Word document"),
        (bomb(), "unreasonably large when unpacked"),
    ],
    ids=["garbage", "cut", "broken XML", "entity", "bomb"],
)
def test_a_broken_word_document_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "essay.docx"
    path.write_bytes(data)
    with pytest.raises(UsageError, match=message):
        reading.quotations(str(path))


def test_an_archive_that_is_no_document_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(UsageError, match="not a Word document"):
        word.read(file.getvalue(), "essay.docx")


def test_a_word_document_of_another_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "essay.bak"
    path.write_bytes(make_docx("<w:p><w:r><w:t>He said “we beat on”.</w:t></w:r></w:p>"))
    assert [quotation.text for quotation in reading.quotations(str(path))] == ["we beat on"]
