"""Scene breaks: the rules and ornaments that separate the scenes of a chapter.

A paragraph that is only an ornament is a scene break. The format readers remove most such
paragraphs from a text, and record their positions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from scholar_indexes.types import Chapter, SceneBreak, Span

RULE = "—" * 10
"""The ornament for a rule that a page draws without characters."""

_LONGEST = 200
_FLEURONS = "⁂⁑☙❦❧※✢✣✤✥✦✧✱✲✳✴✶✻✽❀❁❂❃❇❈❉❊❋❖◆◇○●■□▪★☆§♦♣♠♥"
_ORNAMENT = re.compile(
    rf"""[*\#]                                # one asterisk, or the sign of a typescript
    |(?:[*\#=~+•·∙][ ]*){{2,}}                 # * * *  ~ ~ ~
    |(?:[-_][ ]*){{3,}}|(?:[–—―⸺⸻][ ]*){{2,}}  # ----------  ————
    |(?:\.[ ]*){{4,}}                          # . . . . .
    |(?:[-–—―*~•·][ ]*)*(?:[{_FLEURONS}][ ]*)+(?:[-–—―*~•·][ ]*)*  # ⁂  --❦--
    |(?:[-–—―=]+[ ]*)(?:[*oO~+•·][ ]*)+[-–—―=]+  # ---o---  -- * --""",
    re.VERBOSE,
)


def ornament(paragraph: str) -> str:
    """Return a paragraph that is an ornament, on one line; empty for any other paragraph."""
    if len(paragraph) > _LONGEST:
        return ""
    line = " ".join(paragraph.split())
    return line if _ORNAMENT.fullmatch(line) else ""


def between_blocks(blocks: Sequence[str], ornaments: Mapping[int, str]) -> tuple[SceneBreak, ...]:
    """Return the breaks of a text made of blocks separated by blank lines.

    `ornaments` are by the number of the block that follows each.
    """
    starts = list(accumulate((len(block) + 2 for block in blocks), initial=0))
    return tuple(
        SceneBreak(Span(starts[number], starts[number]), ornaments[number])
        for number in sorted(ornaments)
        if 0 < number < len(blocks)
    )


def assign(chapters: Iterable[Chapter], breaks: Sequence[SceneBreak]) -> tuple[Chapter, ...]:
    """Return the chapters, each with the breaks between its paragraphs."""
    return tuple(
        replace(
            chapter,
            breaks=tuple(
                scene_break
                for scene_break in breaks
                if chapter.body.start < scene_break.span.start < chapter.body.end
            ),
        )
        for chapter in chapters
    )


def find_breaks(text: str, chapter: Chapter, paragraphs: Iterable[Span]) -> tuple[SceneBreak, ...]:
    """Return all breaks of a chapter in order, including ornaments still in its text."""
    in_text = [
        SceneBreak(span, printed)
        for span in paragraphs
        if span.end - span.start <= _LONGEST and (printed := ornament(span.of(text)))
    ]
    return tuple(sorted((*chapter.breaks, *in_text), key=lambda scene_break: scene_break.span))
