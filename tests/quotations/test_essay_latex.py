"""LaTeX: the quotations as printed, and their positions in the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from essay_files import found
from scholar_indexes.quotations.essays import latex, latex_files, reading
from scholar_indexes.results import EssayFormat


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
        "\\begin{displayquote}[{\\cite[3]{fitz}}]we beat on\\end{displayquote}",
        "\\begin{myquote}[Smith, p. 3]{The {\\em Novel}}we beat on\\end{myquote}",
        "\\begin{myquote}{Smith}{3}\n we beat on\\end{myquote}",
        "\\begin{myquote}[Smith]we beat on\\end{myquote}",
        "\\begin{myquote}[frame={x}]{\\cite[3]{fitz}}[t]\nwe beat on\\end{myquote}",
        "\\begin{myquote}{\\itshape we beat} on\\end{myquote}",
        "\\begin{myquote}{we beat on}\\end{myquote}",
        "\\begin{quote}we beat on\\hfill Fitzgerald\\end{quote}",
        "\\begin{quote}we beat on\\\\\n\\raggedleft --- \\emph{Gatsby}, 1925\\end{quote}",
        "\\begin{quote}we beat on\n\\begin{flushright}Fitzgerald\\end{flushright}\\end{quote}",
        "\\begin{quote}\\raggedleft we beat on\\end{quote}",
        "\\begin{quote}we beat on \\attrib{Fitzgerald}\\end{quote}",
        "\\begin{savequote}[75mm]we beat on\\qauthor{Fitzgerald}\\end{savequote}",
        "\\begin{epigraphs}\\qitem{we beat on}{Fitzgerald}\\end{epigraphs}",
        "\\epigraph{we beat on}{Fitzgerald}",
        "\\dictum[Fitzgerald]{we beat on}",
        "\\uv{we beat on}",
        "\\dq we beat on\\dq{} x",
        "\\begin{verse}[\\versewidth]\\poemlines{5}we beat on\\end{verse}",
        "\\settowidth{\\versewidth}{``no''}\\begin{verse}we beat on\\end{verse}",
        "\\begin{quote}\\setlength{\\parindent}{0pt}we beat on\\end{quote}",
        "\\begin{quote}\\addtolength\\leftskip{1cm}we beat on\\end{quote}",
        "\\begin{quote}\\parindent=0pt\\parskip 1ex we beat on\\end{quote}",
        "\\begin{quote}\\leftskip=\\parindent we beat on\\end{quote}",
        "\\begin{displayquote}[{\\cite[p.~3]{fitz}}][.]we beat on\\end{displayquote}",
        "\\begin{adjustwidth}{1cm}{1cm}we beat on\\end{adjustwidth}",
        "\\begin{quote}\\begin{spacing}{1.0}we beat on\\end{spacing}\\end{quote}",
        "\\begin{minipage}{5cm}``we beat on''\\end{minipage}",
        "\\foreignlanguage{english}{``we beat on''}",
        "``we \\textcolor{red}{beat}{\\color[rgb]{1,0,0} on}''",
        "``we beat\\index{boats!beating|see{\\emph{x}}} on''",
        "``we \\sout{ran }\\deleted{no }\\replaced[id=x]{beat}{ran}\\phantom{xx} on''",
        "``\\colorbox{red}{we} \\resizebox{1cm}{!}{beat}\\thinspace on''",
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
        ("\\begin{verse}so\\\\*\n\\flagverse{5}we\\\\!\non\\end{verse}", "so\n\nwe\n\non"),
    ],
)
def test_changes_by_the_writer_are_marked_in_a_quotation_of_latex(
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
        ("\\newcommand{\\x}{beat\\xspace}", "``we \\x on''"),
        ("\\def\\x{#0}", "\\x ``we beat on''"),
        ("\\newcommand{\\x}{\\itshape}", "``we \\x beat on''"),
        ("\\newcommand{\\color}[1]{#1}", "``we \\color{beat} on''"),
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
        "\\if0 ``no'' \\ifx a b ``no'' \\fi ``no'' \\fi",
        "\\verb|``no''| \\verb*+``no''+ \\lstinline!``no''!",
        "\\(x``no''\\) \\[ ``no'' \\]",
        "% \\begin{comment} ``no''\n",
        "\\\\% ``no''\n",
    ],
)
def test_latex_that_is_not_printed_is_not_read(tmp_path: Path, hidden: str) -> None:
    text = f"\\begin{{document}}\nx {hidden} ``we beat on''\n\\end{{document}}\n``no''"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", text)] == ["we beat on"]


@pytest.mark.parametrize(
    "part",
    [
        "\\begin{myquote}{{",
        "\\begin{myquote}[{",
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
    assert [
        (quotation.file, quotation.text, quotation.line)
        for quotation in reading.quotations(str(thesis))
    ] == [
        ("", "So we", 3),
        ("parts/one.tex", "beat on", 3),
        ("parts/two.tex", "boats", 1),
        ("parts/deep/four.tex", "against", 1),
    ]


def unread(essay: Path, format: EssayFormat | None = None) -> list[str]:
    """Return the lines that are announced while an essay is read."""
    lines: list[str] = []
    reading.quotations(str(essay), format, lines.append)
    return lines


def test_files_that_are_included_and_not_read_are_announced(thesis: Path) -> None:
    assert unread(thesis) == [
        "not read: ../diary (it is not in the folder of the essay)",
        "not read: parts/lost (it does not exist)",
        "not read: \\jobname (it does not exist)",
    ]
    assert unread(thesis, EssayFormat.PLAIN) == []


def test_included_files_are_bounded(thesis: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latex_files, "MAX_BYTES", 60)
    assert "not read: parts/two.tex (the included files are too large)" in unread(thesis)
    monkeypatch.setattr(latex_files, "MOST_FILES", 2)
    (line,) = unread(thesis)
    assert line.endswith("(it has more than 2 included files)")


@pytest.mark.parametrize("name", ["parts", ".", "a\x01b", "a" * 5_000, "nul\\", "parts/one.tex/x"])
def test_a_name_of_no_file_is_no_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "essay.tex").write_text(f"\\input{{{name}}} “So we”")
    assert len(reading.quotations(str(tmp_path / "essay.tex"))) == 1


def test_a_comment_of_latex_may_begin_like_the_name_of_a_pdf(tmp_path: Path) -> None:
    source = "%PDF of the essay: make essay\n``we beat on''"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == ["we beat on"]


@pytest.mark.parametrize("environment", ["quote", "myquote"])
@pytest.mark.parametrize("space", ["", "\n"])
def test_a_bracketed_capital_begins_a_quotation_of_latex(
    tmp_path: Path, environment: str, space: str
) -> None:
    source = f"\\begin{{{environment}}}{space}[I]t is a truth\n\\end{{{environment}}}"
    assert [text for text, _, _ in found(tmp_path, "essay.tex", source)] == ["[I]t is a truth"]
