"""Markdown and plain text: the quotations as shown, and their positions in the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from essay_files import found
from scholar_indexes.quotations.essays import markdown


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
        ("> So we\n> <footer>F, <cite>G</cite></footer>\n", ["So we"]),
        ("> So we <cite>F</cite>\n\n“on <cite>the</cite> sea”", ["So we", "on  the  sea"]),
        ("> <p>So we</p>\n> <footer>F</footer>\n\n“on”", ["So we", "on"]),
        ("<div>\n<p>He: “so we”</p>\n<!-- “no” -->\n</div>", ["so we"]),
        ("<pre>\n“no”\n</pre>\n\n<p hidden>“no”</p>\n", []),
        ("“so^[See “boats”, [p. 3].] we”\n\n`^[no]`", ["so we", "boats"]),
        ("```\n^[“no”]\n```\n\n“so ^[of\nit] we”", ["so \n we"]),
        ("# “So [we]{.smallcaps}” {#id .x}", ["So we"]),
        (
            "“so \\emph{we}\\footnote{x} \\textsc{beat}” \\newpage \\enquote{on}",
            ["so we beat", "on"],
        ),
        (r"“and\or C:\Users so” “we\ldots beat\cite{x}”", [r"and\or C:\Users so", "we beat"]),
        ("“so \\noindent we\\* beat” “\\\\server\\on”", ["so  we* beat", "\\server\\on"]),
        ("> So we beat. ^abc123\n\n“on” ^2 x", ["So we beat.", "on"]),
        ("{% quote %}“so {{< fn 1 >}}we”{% endquote %}", ["so we"]),
        ('+++\ntitle = "no"\n+++\n“so”', ["so"]),
        ("#+BEGIN_QUOTE\nSo we\n#+END_QUOTE\nNot it", ["So we"]),
        ("x\n\n{{< blockquote author='F' >}}\nSo we\n{{< /blockquote >}}\nNot it", ["So we"]),
        ("{% blockquote F, G %}\nSo *we*\n{% endblockquote %}\n\nNot it", ["So we"]),
        ("```\n#+begin_quote\nNot it\n```\n#+begin_src\nNot it\n#+end_src", []),
        (
            '!!! quote "Not “this” title"\n    So we\n    beat\n\n    on\n\nNot it',
            ["So we\nbeat", "on"],
        ),
        ("!!! note On “so we”\n    Not it", ["so we"]),
        (
            "```{epigraph}\nSo *we* “beat”\n\non\n```\n\n```{code}\nNot it\n```",
            ["So we “beat”", "on"],
        ),
        ("He: <q>so we</q> and “beat <del>up</del>~~off~~ on”", ["so we", "beat  on"]),
    ],
)
def test_other_dialects_of_markdown_are_read_as_shown(
    tmp_path: Path, source: str, expected: list[str]
) -> None:
    assert [text for text, _, _ in found(tmp_path, "essay.md", source)] == expected


def test_plain_text_has_quotations_and_indented_blocks(tmp_path: Path) -> None:
    text = "He “beat\non” so.\n\n    A block of verse\n    and more\n\n\tAnother one (12)\n"
    assert found(tmp_path, "essay.txt", text) == [
        ("beat\non", 1, 5),
        ("A block of verse\n    and more", 4, 5),
        ("Another one", 7, 2),
    ]


def test_quotations_in_a_directive_of_myst_keep_their_places(tmp_path: Path) -> None:
    text = "So:\n\n````{pull-quote}\nSo we\n\n```{epigraph}\nno\n```\n\n  *beat*\n````\n\nIt."
    assert found(tmp_path, "essay.md", text) == [("So we", 4, 1), ("beat", 10, 4)]


def test_plain_text_has_quotations_as_in_mail(tmp_path: Path) -> None:
    text = (
        "He:\n\n> So we\n>> beat\n\n> not all lines\nof it “on”\n\n"
        "On it “she”\nwrote:\n> it:\n> beat\n"
    )
    assert found(tmp_path, "essay.txt", text) == [
        ("So we\nbeat", 3, 3),
        ("on", 7, 8),
        ("she", 9, 8),
        ("it:\nbeat", 11, 3),
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


@pytest.mark.parametrize("line", ["> " * 99, "[^" * 2_000, "^1" * 2_000, "[^1]:" * 2_000])
def test_a_long_line_of_beginnings_of_signs_is_read_at_once(line: str) -> None:
    *_, end = markdown.read(f"{line}\n\nThe end.")
    assert end.text == "The end."


def test_a_long_line_of_backticks_is_read_at_once() -> None:
    assert list(markdown.read("`" * 60_000)) == []


def test_quotations_of_a_note_of_markdown_keep_their_places(tmp_path: Path) -> None:
    text = "He said “we beat[^1] on”, she “so[^n]”.\n\n[^1]: “boats against”\n[^n]: “the current”"
    assert found(tmp_path, "essay.md", text) == [
        ("we beat on", 1, 10),
        ("so", 1, 32),
        ("boats against", 3, 8),
        ("the current", 4, 8),
    ]
