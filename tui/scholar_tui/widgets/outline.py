"""The parts and the chapters of a book, as a folding tree next to its page."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Chapter

MANY = 60
"""In a book with more chapters, the parts are folded at first."""


class Outline(Tree[Chapter]):
    """A tree whose cursor follows the current chapter."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"outline--here"}
    DEFAULT_CSS = """
    Outline {
        background: $surface; border-right: solid $panel; padding: 0 0 0 1;
        scrollbar-size-vertical: 1; overflow-x: hidden;
        &:focus { border-right: solid $primary; }
        & > .outline--here { text-style: bold; }
    }
    """

    class ChapterChosen(Message):
        """A chapter, or the part that it begins, was chosen."""

        def __init__(self, chapter: Chapter) -> None:
            self.chapter = chapter
            super().__init__()

    def __init__(self, id: str | None = None) -> None:
        self._leaves: dict[int, TreeNode[Chapter]] = {}
        self._current = -1
        super().__init__("", id=id)
        self.show_root = False
        self.show_guides = False
        self.guide_depth = 2
        self.auto_expand = False

    def show(self, chapters: tuple[Chapter, ...], book_title: str) -> None:
        self.clear()
        self._leaves.clear()
        self._current = -1
        self.root.expand()
        parts: dict[tuple[str, ...], TreeNode[Chapter]] = {(): self.root}
        for chapter in chapters:
            above = self.root
            for depth in range(1, len(chapter.part) + 1):
                path = chapter.part[:depth]
                if path not in parts:
                    parts[path] = above.add(
                        Text(one_line(path[-1])), chapter, expand=len(chapters) <= MANY
                    )
                above = parts[path]
            self._leaves[chapter.number] = above.add_leaf(Text(label(chapter, book_title)), chapter)

    def follow(self, chapter: Chapter) -> None:
        """Mark the current chapter; the cursor stays while the user is choosing."""
        if self._current == chapter.number or chapter.number not in self._leaves:
            return
        node = self._leaves[chapter.number]
        before, self._current = self._leaves.get(self._current), chapter.number
        for changed in (before, node):
            if changed is not None:
                changed.set_label(changed.label)  # redraws it
        above = node.parent
        while above is not None and not above.is_root:
            above.expand()
            above = above.parent
        if not self.has_focus:
            self.call_after_refresh(self.move_cursor, node)

    def render_label(self, node: TreeNode[Chapter], base_style: Style, style: Style) -> Text:
        text = super().render_label(node, base_style, style)
        if node is self._leaves.get(self._current):
            text.stylize(self.get_component_rich_style("outline--here", partial=True))
        depth = 0
        above = node.parent
        while above is not None and not above.is_root:
            depth, above = depth + 1, above.parent
        text.truncate(max(self.size.width - 2 - self.guide_depth * depth, 8), overflow="ellipsis")
        return text

    def on_resize(self) -> None:
        self._clear_line_cache()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Chapter]) -> None:
        event.stop()
        if event.node.data is not None:
            self.post_message(self.ChapterChosen(event.node.data))


def label(chapter: Chapter, book_title: str) -> str:
    """Return the label of a chapter in an outline."""
    name = chapter_name(chapter, book_title)
    return name if chapter.number else name.capitalize()
