"""HTML: the quotations as shown, and their positions in the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from essay_files import found
from scholar_indexes.quotations.essays import html, reading


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
        (
            "<div class='block-quote'><div><p>a</div><p>b</div>“c”",
            [("a", 1, 34), ("b", 1, 44), ("c", 1, 52)],
        ),
        ("<div class=no-quotes>a</div><section class=epigraph>b</section>", [("b", 1, 53)]),
        ("“<ruby>a<rp>(</rp><rt>no<rp>)</ruby> c”", [("a c", 1, 8)]),
        ("<span style='mso-hide:all'>“no”</span>“c”", [("c", 1, 40)]),
        ("<![if x]>“c”<![endif]><o:p></o:p><!-- “no”", [("c", 1, 11)]),
    ],
)
def test_html_is_read_with_the_places_of_its_quotations(
    tmp_path: Path, markup: str, expected: list[tuple[str, int, int]]
) -> None:
    assert found(tmp_path, "essay.html", markup) == expected


def test_text_that_the_style_sheet_of_a_page_hides_is_left_out(tmp_path: Path) -> None:
    page = (
        "<style>\n.x, p.y { display: none }</style><p class=x>“no”<p>“so we”<b class='y x'>“no”</b>"
    )
    assert [text for text, _, _ in found(tmp_path, "essay.html", page)] == ["so we"]


INDENTED = "We beat on."


@pytest.mark.parametrize(
    ("style", "paragraph", "is_block"),
    [
        (".c2{margin-left:36pt;text-align:left}", "<p class='c1 c2'>", True),
        ("p.c2 { padding-left: 2em }", "<p class=c2>", True),
        ("", "<p style='margin: 0in 0in 8pt .5in'>", True),
        ("", '<p style="padding-left: 40px;">', True),
        ("", "<p style='margin:0 10%'>", True),
        ("", "<p style='margin-inline-start: 3em; padding: 1em'>", True),
        (".c2{margin-left:36pt}.c2{margin-left:0}", "<p class=c2>", False),
        (".c2{margin-left:36pt}.c3{text-indent:-36pt}", "<p class='c3 c2'>", False),
        ("", "<p style='margin-left: 40px; text-align: center'>", False),
        ("", "<p style='text-indent: 36pt'>", False),
        ("", "<p style='margin-left: 6pt'>", False),
        ("", "<p class=MsoListParagraph style='margin-left:.5in'>", False),
        (".c2{margin-left:36pt}", "<ul><li class=c2>", False),
        (".usual{margin-left:36pt}", "<p class=usual>", False),
    ],
)
def test_paragraphs_that_are_indented_more_than_the_text_are_block_quotations(
    tmp_path: Path, style: str, paragraph: str, is_block: bool
) -> None:
    page = f"<style>{style}</style><p class=usual>A long paragraph before.</p>{paragraph}{INDENTED}"
    texts = [text for text, _, _ in found(tmp_path, "essay.html", page)]
    assert texts == ([INDENTED] if is_block else [])


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
