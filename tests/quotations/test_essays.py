"""Essays: their quotations, and the positions of the quotations."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.quotations.essays import (
    html,
    latex,
    latex_files,
    markdown,
    marks,
    plain,
    reading,
    word,
)
from scholar_indexes.results import EssayFormat

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "{}</w:body></w:document>"
)


def quoted(text: str, *, is_block: bool = False) -> list[str]:
    return [mark.span.of(text) for mark in marks.find(text, is_block=is_block)]


def found(tmp_path: Path, name: str, text: str) -> list[tuple[str, int, int]]:
    """Return the quotations of a file with their lines and columns."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return [(found.text, found.line, found.column) for found in reading.quotations(str(path))]


def make_docx(paragraphs: str, **others: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", WORD.format(paragraphs))
        for name, content in others.items():
            archive.writestr(f"word/{name}.xml", content)
    return file.getvalue()


def make_archive(name: str, content: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


ODT = "application/vnd.oasis.opendocument.text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He says “we beat on”, twice.", ["we beat on"]),
        ('He says "we beat on," twice.', ["we beat on,"]),
        ("He says ‘we can’t go on’ twice.", ["we can’t go on"]),
        ("He says 'we can't go on' twice.", ["we can't go on"]),
        ("“‘We beat on,’ he said,” she wrote.", ["‘We beat on,’ he said,"]),
        ("« on y va » et „so ist es“", ["on y va", "so ist es"]),
        ("“one” and “two”", ["one", "two"]),
        ("It's the dogs' home, and 'tis late", []),
        ("'Tis said that the dogs' tails and cats' ears, and 'Twas or 'Em, are boys' things", []),
        ("He says 'Time and again' or 'Round the corner'", ["Time and again", "Round the corner"]),
        ("He said `no’ and ‘twas it' so", ["no", "twas it"]),
        ("a 6\" ruler and the '90s", []),
        ("“  ” and ''", []),
    ],
)
def test_text_between_marks_is_quoted(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


PAIRS = (
    "“” \"\" ‘’ '' «» »« »» „“ „” ”” ‹› ›‹ ‚‘ ‚’ 「」 『』 ｢｣ 〝〞 〝〟 ″″ ＂＂ `' "
    '“" "“ "” „" “„ ““ ”“ ″” ‘\''
).split()


@pytest.mark.parametrize(("pair", "space"), [*((pair, "") for pair in PAIRS), ("«»", " ")])
def test_a_quotation_ends_at_its_mark_whatever_the_language(pair: str, space: str) -> None:
    quote = f"{pair[0]}{space}so we beat on, boats{space}{pair[1]}"
    for text in (f"It ends: {quote}, he says, and “goes on” so.", f"({quote}) and “goes on”."):
        assert quoted(text) == ["so we beat on, boats", "goes on"]


@pytest.mark.parametrize(
    "typed",
    ["``{}''", ",,{}''", "‘‘{}’’", "''{}''", "<<{}>>", "&quot;{}&quot;", "&ldquo;{}&rdquo;"],
)
def test_marks_of_several_characters_are_read(tmp_path: Path, typed: str) -> None:
    text = f"It ends {typed.format('we beat on')} and {typed.format('boats')}, the dogs' way."
    start = 9 + typed.index("{")
    quotations = found(tmp_path, "essay.txt", text)
    assert [quote for quote, _, _ in quotations] == ["we beat on", "boats"]
    assert quotations[0] == ("we beat on", 1, start)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('“He says "so" then” and “x”', ['He says "so" then', "x"]),
        ('“A 6" ruler” and “x”', ['A 6" ruler', "x"]),
        ("„Er sagt “so” und “x”.“", ["Er sagt “so” und “x”."]),
        ("«Il dit “oui », dit-elle. «Non»", ["Il dit “oui", "Non"]),
        ("»Er sagt ›so‹ dann« und »so«", ["Er sagt ›so‹ dann", "so"]),
        ("”Han säger” och ”så", ["Han säger", "så"]),
        ("“Never closed and “closed” here", ["Never closed and", "closed"]),
        ("„Nie zu und „zu“ hier", ["Nie zu und", "zu"]),
        ("The `code` of 'this thing' is it", ["this thing"]),
        ("It is 5″ by 6″ and the dogs’ boats", []),
        ("He beats on “into the past (180).” Or “the past (p. 3)”", ["into the past", "the past"]),
    ],
)
def test_nested_and_stray_marks_hide_no_quotation(text: str, expected: list[str]) -> None:
    assert quoted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He: "we beat\n\non," and "so".', [("we beat\n\non,", False), ("so", False)]),
        ("He: “we\n\nbeat\n\non” and “so”.", [("we\n\nbeat\n\non", False), ("so", False)]),
        ("He: «we beat\n\non », she.", [("we beat\n\non", False)]),
        ('He: "we beat\n\n"On and" so.', [("we beat", False), ("On and", False)]),
        ("He: “we beat\n\nShe: “on” so.", [("we beat", True), ("on", False)]),
        ("He: “we beat\n\n    A block”\n\nSo.", [("we beat", True), ("A block”", False)]),
    ],
)
def test_a_quotation_may_end_in_a_later_paragraph(
    tmp_path: Path, text: str, expected: list[tuple[str, bool]]
) -> None:
    path = tmp_path / "essay.txt"
    path.write_text(text, "utf-8")
    assert [(found.text, found.is_open) for found in reading.quotations(str(path))] == expected


def test_a_mark_without_its_closing_mark_is_reported_as_open() -> None:
    [mark] = marks.find("He says “we beat on, boats")
    assert mark.is_open
    assert [mark.is_open for mark in marks.find("“one” “two")] == [False, True]


def test_a_straight_mark_that_opens_again_ends_what_is_not_closed() -> None:
    text = 'He says "her voice is full and adds "boats against the current" so'
    assert [(mark.span.of(text), mark.is_open) for mark in marks.find(text)] == [
        ("her voice is full and adds", True),
        ("boats against the current", False),
    ]


@pytest.mark.parametrize("name", ["essay.md", "essay.txt"])
def test_a_quotation_of_several_paragraphs_is_closed_by_the_last(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("He: “In vain.\n\n“You must.”\n\nShe: “Not closed.\n\nThe end.\n", "utf-8")
    assert [found.is_open for found in reading.quotations(str(path))] == [False, False, True]


def test_a_text_of_windows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    path.write_bytes("“Her voice is full of money,” he said.\n".encode("cp1252"))
    [quotation] = reading.quotations(str(path))
    assert quotation.text == "Her voice is full of money,"


@pytest.mark.parametrize("space", [" ", "\n"])
@pytest.mark.parametrize(
    "citation",
    [
        "(Fitzgerald 48)",
        "(ch. 3).",
        "(Fitzgerald, The Great Gatsby)",
        "(Brontë).",
        "(Fitzgerald, ch. IX)",
        "(Fitzgerald, vol. I, ch. ix; emphasis added)",
        "(emphasis mine)",
        "(Fitzgerald 48) (my italics).",
        "(ibid.)",
        "",
    ],
)
def test_a_block_quotation_is_one_without_its_citation(citation: str, space: str) -> None:
    assert quoted(f"He smiled “understandingly”.{space}{citation}", is_block=True) == [
        "He smiled “understandingly”."
    ]


SOURCE_LINES = pytest.mark.parametrize(
    "source",
    [
        "— Nick Carraway",
        "--- F. Scott Fitzgerald, The Great Gatsby, chapter 9",
        "F. Scott Fitzgerald, The Great Gatsby, ch. 9",
        "Austen, “Pride and Prejudice”, vol. 1, ch. IX.",
        "Shakespeare, Hamlet, 3.1.55–60",
        "Charlotte Brontë, Jane Eyre (1847)",
    ],
)


@SOURCE_LINES
def test_a_line_that_names_the_source_is_no_part_of_a_block_quotation(source: str) -> None:
    assert quoted(f"He smiled understandingly,\nI thought.\n{source}", is_block=True) == [
        "He smiled understandingly,\nI thought."
    ]


@SOURCE_LINES
def test_a_paragraph_that_names_the_source_is_no_quotation(source: str) -> None:
    assert quoted(source, is_block=True) == [""]


@pytest.mark.parametrize(
    "text",
    [
        "He smiled at his friend (Mr. Bingley)",
        "He smiled at his friends (Jane, and so forth)",
        "He smiled. (He did so again.)",
        "He smiled at them all (poor things, every one of them).",
        "He smiled in 7 ways,\nand wept in chapter 9",
        "He smiled,\nMr. Bingley was then aged 23",
        "He smiled at the emphasis of mine",
    ],
)
def test_numbers_and_names_at_the_end_of_a_block_quotation_are_compared(text: str) -> None:
    assert quoted(text, is_block=True) == [text]


@pytest.mark.parametrize(
    "citation", ["(Fitzgerald, The Great Gatsby)", "(Fitzgerald 48).", "(italics added)", "(ch. I)"]
)
def test_a_citation_within_the_last_sentence_is_no_part_of_a_block_quotation(citation: str) -> None:
    assert quoted(f"He smiled at Tom and Daisy {citation}", is_block=True) == [
        "He smiled at Tom and Daisy"
    ]


@pytest.mark.parametrize("ending", ["(A" * 99, "A, " * 66, "(A, " * 50, "(p. i; " * 28, "()" * 99])
def test_an_ending_like_many_citations_is_read_at_once(ending: str) -> None:
    assert len(quoted(f"He smiled. {ending}!", is_block=True)) == 1


@pytest.mark.parametrize(
    "first_line",
    ["[!NOTE]", "[!quote] (Fitzgerald, ch. 9) [[The Great Gatsby]]", "[!cite]- He “said so”"],
)
def test_the_first_line_of_a_callout_is_no_part_of_its_quotation(
    tmp_path: Path, first_line: str
) -> None:
    assert found(tmp_path, "essay.md", f"So:\n\n> {first_line}\n> We beat on. (p. 3)[^1]\n") == [
        ("We beat on.", 4, 3)
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("| So we beat on,\n|   boats against\n| it.", ["So we beat on,\nboats against\nit."]),
        ("So:\n\n| We beat\n  on\n\nAnd “so”.", ["We beat\non", "so"]),
        ("| a | “b” |\n|---|---|\n| “c” | d |", ["b", "c"]),
        ("“So we” %%“no”%% beat", ["So we"]),
        ("x\n\n%%\n“no”\n\n“no”\n%%\n\n“So we”", ["So we"]),
        ("```\n%%timeit\n```\n\n“So we”\n\n```\n%%timeit\n```\n", ["So we"]),
        ("“so {~~he~>we~~} beat”", ["so we beat"]),
        ("“so {--he--}we {++beat++}{>>“no”<<} {==on==}”", ["so we beat on"]),
        ("“so we [@fitz, p. 180] beat [see @x]” [-@y]", ["so we beat"]),
        ("> So we beat. [@fitz, p. 180]", ["So we beat."]),
        ("> So we beat. @fitz [180]\n\n“so @fitz we” ann@fitz.example", ["So we beat.", "so  we"]),
        ("> So we beat. [Fitzgerald 180](http://x.test)", ["So we beat."]),
        ("> So we [beat](x), he\n\n> [So we beat. 180](x)", ["So we beat, he", "So we beat. 180"]),
        ("“so [[we]] [[boats|beat]]” and ![[note]]", ["so we beat"]),
        ("So:\n\n::: {.blockquote}\nSo we\nbeat.\n:::\nAnd “on”.", ["So we\nbeat.", "on"]),
        (
            "::: quote :::\nSo we\n\n::: {.small}\nbeat\n::::\n\non\n:::\nIt.",
            ["So we", "beat", "on"],
        ),
        (":::: {.columns}\n::: {#x .note}\nNot it\n:::\n::::", []),
        (">>> ::: verse\n>>> So we\n", ["So we"]),
        ("```\n::: quote\n```\n\nNot it\n\n:::\n\nNor this", []),
        ("<blockquote>So we <b>beat</b></blockquote>\n\nIt.", ["So we beat"]),
        ("<blockquote>\n\nSo *we*\n\nbeat\n\n</blockquote>\n\nIt.", ["So we", "beat"]),
        ("<div>\n<p>He: “so we”</p>\n<!-- “no” -->\n</div>", ["so we"]),
        ("<pre>\n“no”\n</pre>\n\n<p hidden>“no”</p>\n", []),
        ("He: <q>so we</q> and “beat <del>up</del>~~off~~ on”", ["so we", "beat  on"]),
    ],
)
def test_what_other_dialects_of_markdown_have_is_read_as_shown(
    tmp_path: Path, source: str, expected: list[str]
) -> None:
    assert [text for text, _, _ in found(tmp_path, "essay.md", source)] == expected


@given(st.text(alphabet="ab “”‘’\"'«»,.\n", max_size=80))
def test_quotations_follow_one_another(text: str) -> None:
    ends = 0
    for mark in marks.find(text):
        assert ends <= mark.span.start < mark.span.end <= len(text)
        ends = mark.span.end


def test_a_long_paragraph_of_open_marks_is_read_at_once() -> None:
    assert len(list(marks.find(" ‘ab" * 20_000))) == 0


READERS = pytest.mark.parametrize("read", [plain.read, markdown.read, latex.read, html.read])
SOURCES = st.text(alphabet="ab 1²^!\n\\{}$%`'“”\"*_[]()>#-&~\t|<", max_size=120)


@READERS
@given(text=SOURCES)
def test_every_character_has_a_place_in_the_source(read, text: str) -> None:  # type: ignore[no-untyped-def]
    for stretch in read(text):
        assert len(stretch.text) == len(stretch.offsets)
        assert all(0 <= offset <= len(text) for offset in stretch.offsets)


def test_plain_text_has_quotations_and_indented_blocks(tmp_path: Path) -> None:
    text = "He “beat\non” so.\n\n    A block of verse\n    and more\n\n\tAnother one (12)\n"
    assert found(tmp_path, "essay.txt", text) == [
        ("beat\non", 1, 5),
        ("A block of verse\n    and more", 4, 5),
        ("Another one", 7, 2),
    ]


def test_words_between_two_rules_at_the_beginning_of_markdown_are_read(tmp_path: Path) -> None:
    text = '---\n\nHe said "we beat on" then.\n\n---\n\nShe said "boats against" it.\n'
    assert [quote for quote, _, _ in found(tmp_path, "essay.md", text)] == [
        "we beat on",
        "boats against",
    ]


def test_markdown_has_no_quotations_in_code_and_addresses(tmp_path: Path) -> None:
    text = (
        '---\ntitle: "a title here"\n---\n\n*He* said "we _beat_ on" and `"not this one"`.\n\n'
        '    "nor this one"\n\n> A block\n> of **two** lines.\n\n[text](http://x.org "a title")\n'
        '\n| a | "in a cell" |\n|---|---|\n| b | c |\n'
    )
    assert found(tmp_path, "essay.md", text) == [
        ("we beat on", 5, 12),
        ("A block\nof two lines.", 9, 3),
        ("in a cell", 14, 8),
    ]


def test_entities_of_markdown_are_read(tmp_path: Path) -> None:
    [(text, line, _)] = found(tmp_path, "essay.md", "x\n\nHe &ldquo;beat \\* on&rdquo; so")
    assert (text, line) == ("beat * on", 3)


def test_latex_is_read_without_its_commands(tmp_path: Path) -> None:
    text = (
        "\\documentclass{article}\n\\title{``Not this title here''}\n\\begin{document}\n"
        "He said ``we \\emph{beat} on \\ldots{} into the past''~\\cite[p.~3]{fitz}. % ``no''\n"
        "She: \\enquote{caf\\'e \\& cr\\`{e}me} and $x''$.\n\n"
        "\\begin{quote}\n  A block of prose.\n\\end{quote}\n"
        "\\blockquote[p. 3]{Another, with {braces} in it}\n"
        "\\begin{equation} ``x'' \\end{equation}\n"
        "\\end{document}\n"
    )
    assert found(tmp_path, "essay.tex", text) == [
        ("we beat on … into the past", 4, 11),
        ("café & crème", 5, 15),
        ("A block of prose.", 8, 3),
        ("Another, with braces in it", 10, 19),
    ]


def test_notes_of_latex_inside_a_quotation_are_not_part_of_it(tmp_path: Path) -> None:
    text = (
        "``We beat\\footnote{See ``the {green} light'' too.\n\nAnd more.} on'' he says.\n"
        "\\begin{quote}\nA block\\footnote[2]{Austen 1.} of prose.\n\\end{quote}\n"
        "``Boats\\endnote{unclosed against''"
    )
    assert [quotation for quotation, _, _ in found(tmp_path, "essay.tex", text)] == [
        "We beat on",
        "the green light",
        "A block of prose.",
        "Boats\n\nunclosed against",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "`we beat on'",
        "\\textcquote[2]{fitz}{we beat on}",
        "\\blockcquote[2]{fitz}{we beat on}",
        "\\foreignquote{english}{we beat on}",
        "\\textquote[{\\cite[3]{fitz}}]{we beat on}",
        "\\begin{displaycquote}[180]{fitz}we beat on\\end{displaycquote}",
        "\\begin{foreigndisplayquote}{english}we beat on\\end{foreigndisplayquote}",
        "\\begin{foreigndisplaycquote}{english}[2]{fitz}we beat on\\end{foreigndisplaycquote}",
        "\\hybridblockquote{english}{we beat on}",
        "\\hybridblockcquote{english}[2]{fitz}{we beat on}",
        "\\foreigntextcquote{english}[cf.][2]{fitz}[.]{we beat on}",
        "\\enquote*{we beat on}",
        "\\begin{quoting}we beat on\\end{quoting}",
        "\\begin{quoting}[indent=2em]we beat on\\end{quoting}",
        "\\begin{quote*}we beat on\\end{quote*}",
        "\\begin{blockquotation}we beat on\\end{blockquotation}",
        "\\epigraph{we beat on}{Fitzgerald}",
        "\\glq we beat on\\grq{} x",
        "\\glqq we beat on\\grqq{} x",
        "\\frqq we beat on\\flqq{} x",
        "\\frq we beat on\\flq{} x",
        "\\flqq we beat on\\frqq{} x",
        "\\og we beat on\\fg{} x",
        "\\guillemotleft we beat on\\guillemotright",
        "\\guillemetleft{}we beat on\\guillemetright",
        "\\textquotedblleft we beat on\\textquotedblright",
        "\\quotedblbase we beat on\\textquotedblleft",
        '"`we beat on"\' x',
        '"<we beat on"> x',
        "<<we beat on>>",
        ",,we beat on''",
        "``\\,we beat on\\,''",
        "``we beat\\/ o\\-n''",
        "\\begin{tabular}{l|r} x & ``we beat on'' \\\\ \\end{tabular}",
        "\\begin{figure}\\caption{x ``we beat on''}\\end{figure}",
    ],
)
def test_every_form_of_csquotes_is_read(tmp_path: Path, source: str) -> None:
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == ["we beat on"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\enquote{the busy, \\textelp{} tired}", "the busy, […] tired"),
        ("\\enquote{the \\textins{hunted}, so}", "the [hunted], so"),
        ("\\enquote{\\textins*{S}o we \\textelp{boats} on}", "[S]o we […] [boats] on"),
        ("\\enquote{so \\textdel{we} on}", "so […] on"),
        ("\\begin{verse}so we\\\\[2pt]\n[b]oats\\end{verse}", "so we\n\n[b]oats"),
        ("``so \\parencite[2]{fitz}\\Autocite{x}we on''", "so we on"),
        ("``so % a comment\n   we on''", "so we on"),
    ],
)
def test_what_the_writer_changes_in_a_quotation_of_latex_is_marked(
    tmp_path: Path, source: str, expected: str
) -> None:
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == [expected]


@pytest.mark.parametrize(
    ("definition", "use"),
    [
        ("\\newcommand{\\zitat}[1]{``#1''}", "\\zitat{we beat on}"),
        ("\\newcommand\\zitat[2][x]{``#2'' (#1)}", "\\zitat[p. 3]{we beat on}"),
        ("\\newcommand{\\zitat}[2]{\\enquote{#2}, #1}", "\\zitat{x}{we beat on}"),
        ("\\def\\zitat#1{``#1''}", "\\zitat{we beat on}"),
        ("\\NewDocumentCommand{\\zitat}{m}{``#1''}", "\\zitat{we beat on}"),
        ("\\newcommand{\\a}{``}\\newcommand{\\z}{''}", "\\a we beat on\\z{} so"),
        ("\\newcommand{\\x}{beat}", "``we \\x{} on''"),
        ("\\newcommand{\\x}[1]{``#1''}\\newcommand{\\y}[1]{\\x{#1}}", "\\y{we beat on}"),
        ("\\newenvironment{bq}{\\begin{quote}}{\\end{quote}}", "\\begin{bq}we beat on\\end{bq}"),
        ("\\newcommand{\\enquote}[1]{``#1''}", "\\enquote{we beat on}"),
    ],
)
@pytest.mark.parametrize("begin", ["", "\\begin{document}"])
def test_macros_of_the_writer_are_expanded(
    tmp_path: Path, definition: str, use: str, begin: str
) -> None:
    text = f"{definition}\n{begin}\n\n{use}\n"
    [(quotation, line, _)] = found(tmp_path, "essay.tex", text)
    assert (quotation, line) == ("we beat on", 4)


@pytest.mark.parametrize(
    "hidden",
    [
        "\\begin{comment} ``no'' \\end{comment}",
        "\\begin{verbatim} ``no'' { \\end{verbatim}",
        "\\begin{minted}{py} ``no'' \\end{minted}",
        "\\iffalse ``no'' \\ifx a b ``no'' \\fi ``no'' \\fi",
        "\\iffalse ``no'' \\else",
        "\\verb|``no''| \\verb*+``no''+ \\lstinline!``no''!",
        "\\(x``no''\\) \\[ ``no'' \\]",
        "% \\begin{comment} ``no''\n",
        "\\\\% ``no''\n",
    ],
)
def test_what_latex_does_not_print_is_not_read(tmp_path: Path, hidden: str) -> None:
    text = f"\\begin{{document}}\nx {hidden} ``we beat on''\n\\end{{document}}\n``no''"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", text)] == ["we beat on"]


@pytest.mark.parametrize(
    "part",
    [
        "\\begin{comment}",
        "\\iffalse ",
        "\\verb|",
        "\\[",
        "\\newcommand{\\a}[1]{",
        "\\a{",
        "\\def\\a",
    ],
)
def test_a_long_essay_of_unclosed_latex_is_read_at_once(part: str) -> None:
    assert list(latex.read("\\newcommand{\\a}[1]{\\a{#1}\\a{#1}}\n" + part * 5_000)) is not None


def test_latex_that_does_not_compile_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = "}} \\end{quote} \\begin{quote A ``we beat on'' \\unknown{``another one''"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", text)] == [
        "we beat on",
        "another one",
    ]


@pytest.fixture
def thesis(tmp_path: Path) -> Path:
    """Return a document that includes files in its folder, and others."""
    folder = tmp_path / "thesis"
    (folder / "parts" / "deep").mkdir(parents=True)
    (tmp_path / "diary.tex").write_text("“No.”")
    (folder / "thesis.tex").write_text(
        "\\input{macros}\n\\begin{document}\n\\cq{So we} % \\input{parts/gone}\n"
        "\\include{parts/one}\\input parts/two.tex\n\\import{parts/}{three}\n"
        "\\input{../diary}\\input{parts/lost}\\input{\\jobname}\\verb|\\input{x}|\n"
        "\\end{document}\\input{y}"
    )
    (folder / "macros.tex").write_text("\\newcommand{\\cq}[1]{``#1''}")
    (folder / "parts" / "one.tex").write_text("So:\n\n  ``beat on'' \\input{thesis}")
    (folder / "parts" / "two.tex").write_text("\\cq{boats} \\input{parts/two}")
    (folder / "parts" / "three.tex").write_text("\\subimport{deep/}{four}")
    (folder / "parts" / "deep" / "four.tex").write_text("“against”")
    return folder / "thesis.tex"


def test_the_files_that_latex_includes_are_read(thesis: Path) -> None:
    assert [(each.file, each.text, each.line) for each in reading.quotations(str(thesis))] == [
        ("", "So we", 3),
        ("parts/one.tex", "beat on", 3),
        ("parts/two.tex", "boats", 1),
        ("parts/deep/four.tex", "against", 1),
    ]


def test_files_that_are_included_and_not_read_are_named(thesis: Path) -> None:
    assert [(file.name, file.refusal) for file in reading.unread_files(str(thesis))] == [
        ("../diary", "it is not in the folder of the essay"),
        ("parts/lost", "it does not exist"),
        ("\\jobname", "it does not exist"),
    ]
    assert reading.unread_files(str(thesis), EssayFormat.PLAIN) == []


def test_included_files_are_bounded(thesis: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latex_files, "MAX_BYTES", 60)
    (file, *_) = reading.unread_files(str(thesis))
    assert (file.name, file.refusal) == ("parts/two.tex", "the included files are too large")
    monkeypatch.setattr(latex_files, "MOST_FILES", 2)
    (file,) = reading.unread_files(str(thesis))
    assert file.refusal == "it has more than 2 included files"


@pytest.mark.parametrize("name", ["parts", ".", "a\x01b", "a" * 5_000, "nul\\", "parts/one.tex/x"])
def test_a_name_of_no_file_is_no_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "essay.tex").write_text(f"\\input{{{name}}} “So we”")
    assert len(reading.quotations(str(tmp_path / "essay.tex"))) == 1


def test_word_has_block_quotations_by_their_style_and_notes(tmp_path: Path) -> None:
    style = '<w:pPr><w:pStyle w:val="IntenseQuote"/></w:pPr>'
    data = make_docx(
        "<w:p><w:r><w:t>He said “we </w:t></w:r><w:r><w:t>beat on”.</w:t></w:r></w:p>"
        f"<w:p>{style}<w:r><w:t>A block</w:t><w:br/><w:t>of two lines</w:t></w:r></w:p>",
        footnotes=WORD.format("<w:p><w:r><w:t>“in a note”</w:t></w:r></w:p>"),
    )
    (tmp_path / "essay.docx").write_bytes(data)
    quotations = reading.quotations(str(tmp_path / "essay.docx"))
    assert [(found.text, found.line, found.is_block) for found in quotations] == [
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
    + style("Away", "Away", "<w:rPr><w:vanish/></w:rPr>")
)


def quotations_of_word(tmp_path: Path, data: bytes) -> list[tuple[str, bool]]:
    path = tmp_path / "essay.docx"
    path.write_bytes(data)
    return [(found.text, found.is_block) for found in reading.quotations(str(path))]


@pytest.mark.parametrize("is_strict", [False, True], ids=["transitional", "strict"])
@pytest.mark.parametrize(
    ("properties", "is_block"),
    [
        *((styled(name), True) for name in ("a1", "Mine", "Inner", "Thesis", "Far", "Zitat")),
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
        ('<w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>no </w:t></w:r>', ["we beat on"]),
        ("<w:r><w:instrText>CITE “x y”</w:instrText></w:r>", ["we beat on"]),
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
        + para("beat on”"),
        styles=STYLES,
    )
    assert quotations_of_word(tmp_path, data) == [("we beat on", False)]


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


@pytest.mark.parametrize(
    ("name", "data", "format_name"),
    [
        ("essay.rtf", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.txt", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.docx", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.pdf", b"%PDF-1.4\n1 0 obj << >> endobj\n(we beat on) Tj", "a PDF"),
        ("essay.doc", b"\xd0\xcf\x11\xe0 we beat on", "an old Word document"),
        ("essay.fodt", b"<?xml version='1.0'?><office:document/>", "XML"),
        ("essay.odt", make_archive("mimetype", ODT), "an OpenDocument file"),
        ("essay.docx", make_archive("mimetype", ODT), "an OpenDocument file"),
        ("essay.pages", make_archive("Index/Document.iwa", "we beat on"), "a Pages document"),
    ],
    # An archive contains its creation time, so its bytes cannot name a test.
    ids=[
        "RTF",
        "RTF named text",
        "RTF named Word",
        "PDF",
        "old Word",
        "flat XML",
        "OpenDocument",
        "OpenDocument named Word",
        "Pages",
    ],
)
def test_a_format_that_is_not_read_is_named_and_refused(
    tmp_path: Path, name: str, data: bytes, format_name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=f"is {format_name}; save it as docx, HTML or plain text"):
        reading.quotations(str(path))


def test_a_comment_of_latex_may_begin_like_the_name_of_a_pdf(tmp_path: Path) -> None:
    source = "%PDF of the essay: make essay\n``we beat on''"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == ["we beat on"]


def test_a_word_document_of_another_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "essay.bak"
    path.write_bytes(make_docx("<w:p><w:r><w:t>He said “we beat on”.</w:t></w:r></w:p>"))
    assert [quotation.text for quotation in reading.quotations(str(path))] == ["we beat on"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>He says “we beat\n  on”.</p>", [("we beat on", 1, 13)]),
        ("<p>He says &ldquo;we <em>beat</em> on&rdquo;.", [("we beat on", 1, 19)]),
        ('<p>He says &quot;we beat on&#34; and "so."', [("we beat on", 1, 18), ("so.", 1, 39)]),
        ("<p>\nHe says <q lang='en'>we beat on</q>.", [("we beat on", 2, 22)]),
        ("<blockquote><p>One.<p>Two</blockquote>", [("One.", 1, 16), ("Two", 1, 23)]),
        ("<blockquote>Two<br>lines.</blockquote>", [("Two\nlines.", 1, 13)]),
        ("<BLOCKQUOTE>We beat on.<footer>He</footer></BLOCKQUOTE>", [("We beat on.", 1, 13)]),
        ("<blockquote>We beat on.<cite>Gatsby</cite></blockquote>", [("We beat on.", 1, 13)]),
        ("<blockquote>A<cite>X</blockquote><blockquote>B", [("A", 1, 13), ("B", 1, 46)]),
        ("<p class=MsoQuote>We beat on.</p><p>So.</p>", [("We beat on.", 1, 19)]),
        ("<pre>“we\n  beat on”</pre>", [("we\n  beat on", 1, 7)]),
        ("“soft&shy;ly&nbsp;on”", [("softly on", 1, 2)]),
        ('<p title="a > “b”">“c”', [("c", 1, 21)]),
        ("<p title=don't>“we beat on”</p>", [("we beat on", 1, 17)]),
        ("“1 < 2 & 3” <!-- “no” --> <b", [("1 < 2 & 3", 1, 2)]),
        ("<script>“no”</script><code>“no”</code><title>“no”</title>", []),
        ("<style/><script src=x />“c”", [("c", 1, 26)]),
        ("“a <del>b</del><s>d</s><strike>e</strike><ins>c</ins>”", [("a c", 1, 2)]),
        ("<p hidden>“no”<p>“c”", [("c", 1, 19)]),
        ("<div hidden=''><div>“no”</div>“no”</div>“c”", [("c", 1, 42)]),
        ("<span style='display: none'>“no”</span>“c”", [("c", 1, 41)]),
        ("<div class=hidden-note>“c”</div><input hidden>“d”", [("c", 1, 25), ("d", 1, 48)]),
        ("<p>So he says in it: “c”</p><pre>“no”</pre>", [("c", 1, 23)]),
        ("<![if x]>“c”<![endif]><o:p></o:p><!-- “no”", [("c", 1, 11)]),
    ],
)  # fmt: skip
def test_html_is_read_with_the_places_of_its_quotations(
    tmp_path: Path, markup: str, expected: list[tuple[str, int, int]]
) -> None:
    assert found(tmp_path, "essay.html", markup) == expected


def test_text_that_the_style_sheet_of_a_page_hides_is_left_out(tmp_path: Path) -> None:
    page = (
        "<style>\n.x, p.y { display: none }</style><p class=x>“no”<p>“so we”<b class='y x'>“no”</b>"
    )
    assert [text for text, _, _ in found(tmp_path, "essay.html", page)] == ["so we"]


def test_a_page_of_any_name_is_read_as_one(tmp_path: Path) -> None:
    page = "<!DOCTYPE html>\n<html><body><p>&ldquo;we beat on&rdquo;</p></body></html>"
    assert found(tmp_path, "essay", page) == [("we beat on", 2, 23)]
    assert found(tmp_path, "essay.txt", f"<?xml version='1.0'?>{page}") == [("we beat on", 2, 23)]


def test_a_page_is_read_in_the_encoding_that_it_declares(tmp_path: Path) -> None:
    path = tmp_path / "essay.htm"
    path.write_bytes("<meta charset=windows-1251><p>«Всё» и “да”".encode("cp1251"))
    assert [quotation.text for quotation in reading.quotations(str(path))] == ["Всё", "да"]


@pytest.mark.parametrize("part", ["<", '<a =" ="', "<!--", "<script>", "<pre", "&", "<q>"])
def test_a_long_page_of_open_tags_is_read_at_once(part: str) -> None:
    assert list(html.read(part * 20_000))


@pytest.mark.parametrize("line", ["> " * 99, "[^" * 2_000, "^1" * 2_000, "[^1]:" * 2_000])
def test_a_long_line_of_beginnings_of_signs_is_read_at_once(line: str) -> None:
    *_, end = markdown.read(f"{line}\n\nThe end.")
    assert end.text == "The end."


def test_binary_and_too_large_essays_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="name an essay"):
        reading.quotations(str(tmp_path / "none.md"))
    path = tmp_path / "essay.md"
    path.write_bytes(b"PK\0\0")
    with pytest.raises(UsageError, match="is not text"):
        reading.quotations(str(path))
    path.write_bytes(b"a" * (reading.MAX_BYTES + 1))
    with pytest.raises(UsageError, match="larger than 16 MiB; check it in parts"):
        reading.quotations(str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        reading.quotations(str(tmp_path))


@pytest.mark.parametrize("name", ["essay.md", "essay.txt", "essay.tex", "essay.html", "essay.docx"])
def test_an_empty_essay_has_no_quotations(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(make_docx("") if name.endswith("docx") else b"")
    assert reading.quotations(str(tmp_path / name)) == []


def test_a_dash_within_a_block_quotation_is_no_citation() -> None:
    text = "He said nothing to her—And then he left."
    assert quoted(text, is_block=True) == [text]


def test_a_bracketed_capital_begins_a_quotation_of_latex(tmp_path: Path) -> None:
    source = "\\begin{quote}\n[I]t is a truth\n\\end{quote}"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == ["[I]t is a truth"]


def test_a_format_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "essay"
    path.write_text("> A block quotation", "utf-8")
    assert reading.quotations(str(path)) == []
    [quotation] = reading.quotations(str(path), EssayFormat.MARKDOWN)
    assert quotation.is_block


RAISED_RUN = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("essay.txt", "“We beat,² boats²”²"),
        ("essay.txt", "    We beat, boats.¹²\n\nSo."),
        ("essay.md", "“We beat,^1^ boats^12^”^3^"),
        ("essay.md", "“We beat,<sup>4</sup> boats<sup>[5](#n5)</sup>”"),
        ("essay.md", "“We beat,[^4] *boats.*[^b]”\n\n[^4]: Ibid.\n[^b]: x"),
        ("essay.md", "> We beat, boats.[^4]\n\n[^4]: x"),
        ("essay.html", "“We beat,<sup>4</sup> boats<sup><a href='#n'>[5]</a></sup>”"),
        ("essay.html", "<blockquote>We beat, boats.<sup id=a>4</sup></blockquote>"),
        ("essay.tex", "``We beat,\\textsuperscript{4} boats''"),
    ],
)
def test_signs_of_notes_are_no_words_of_a_quotation(tmp_path: Path, name: str, source: str) -> None:
    [(text, _, _)] = found(tmp_path, name, source)
    assert text.replace(".", "") == "We beat, boats"


@pytest.mark.parametrize(
    ("name", "source", "quote"),
    [
        ("essay.txt", "“a square of 10² or x²”", "a square of 10² or x²"),
        ("essay.md", "“in 10^2^ ways, [2] or ^so^”", "in 10² ways, [2] or ^so^"),
        ("essay.md", "“the 4<sup>th</sup> of 4 boats 5”", "the 4th of 4 boats 5"),
        ("essay.html", "“the 4<sup>th</sup> of 4 boats”", "the 4th of 4 boats"),
        ("essay.html", "<p><sup>“one</p><p>“the 4 boats”</p>", "the 4 boats"),
    ],
)
def test_a_number_or_superscript_that_is_no_sign_of_a_note_is_compared(
    tmp_path: Path, name: str, source: str, quote: str
) -> None:
    assert found(tmp_path, name, source)[-1][0] == quote


def test_quotations_of_a_note_of_markdown_keep_their_places(tmp_path: Path) -> None:
    text = "He said “we beat[^1] on”, she “so[^n]”.\n\n[^1]: “boats against”\n[^n]: “the current”"
    assert found(tmp_path, "essay.md", text) == [
        ("we beat on", 1, 10),
        ("so", 1, 32),
        ("boats against", 3, 8),
        ("the current", 4, 8),
    ]


@pytest.mark.parametrize("style", ["", '<w:pPr><w:pStyle w:val="Quote"/></w:pPr>'])
def test_superscript_digits_of_word_are_signs_of_notes(tmp_path: Path, style: str) -> None:
    runs = "<w:r><w:t>{}</w:t></w:r>"
    data = make_docx(
        f"<w:p>{style}{runs.format('“We beat,')}{RAISED_RUN.format('4')}"
        f"{runs.format(' the 4')}{RAISED_RUN.format('th')}{runs.format(' of 4 boats.”')}"
        f"{RAISED_RUN.format('12')}</w:p>"
    )
    (tmp_path / "essay.docx").write_bytes(data)
    [quotation] = reading.quotations(str(tmp_path / "essay.docx"))
    assert quotation.text.strip("“”") == "We beat, the 4th of 4 boats."


@pytest.mark.parametrize(
    "sign",
    [
        "<sup>2</sup>",
        "<sup><a href='#n'>2</a></sup>",
        "<a class='footnote-ref' href='#n' role='doc-noteref'>2</a>",
        "<a class=fnanchor href='#n'>[2]</a>",
        "<a epub:type='noteref' href='#n'><sup>2</sup></a>",
    ],
)
def test_a_reference_to_a_note_in_a_page_is_no_word(sign: str) -> None:
    page = f"<p>He says “the moths came back{sign} to the lamp” there.</p>"
    [quotation] = reading.quotations_of_text(page, EssayFormat.HTML)
    assert quotation.text == "the moths came back to the lamp"
