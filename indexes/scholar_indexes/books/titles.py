"""What a division is called, and dividing a book by titles alone."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

from scholar_indexes.books.headings import Mark, Rank, is_contents, is_title_like, read, recase
from scholar_indexes.books.manuscript import Heading
from scholar_indexes.books.outline import Block, Place

_LONGEST = 260  # characters of a title that runs over several lines
_ENTRIES = 400  # lines of a table of contents looked at
_SHARE = 0.6  # of its chapters: what so many of them have under the heading is a title
_MISPRINTS = 5  # entries of a table that may differ by a letter from the headings they list
_TALE = 1500  # characters of the median division by titles alone
_REPEATS = 2  # a title that comes more often than this is a speaker or an ornament


class Titles:
    """The titles of one book: on the line of the heading, below it, or in the contents."""

    def __init__(
        self, text: str, blocks: Sequence[Block], tables: Sequence[tuple[int, int]]
    ) -> None:
        self.text = text
        self.blocks = blocks
        self.entries, self.after_contents = _entries(text, blocks, tables)
        self._said = {_plain(entry) for entry in self.entries}
        self._usual: set[str] = set()

    def learn(self, chosen: Sequence[Place]) -> None:
        """Find out what usually stands under the headings of this book."""
        seen = Counter(
            self._look(place.block + 1)
            for place in chosen
            if not place.mark.title and not place.mark.uncounted and place.mark.rank >= Rank.CHAPTER
        )
        total = seen.total()
        self._usual = {
            look
            for look, count in seen.items()
            if look and (count >= _SHARE * total or (look == "shouted" and count >= 0.25 * total))
        }

    def of(self, place: Place, container: bool = False) -> tuple[str, int]:
        """The title of a division as it is to be printed, and where its text begins."""
        block = self.blocks[place.block]
        mark = place.mark
        title = mark.title
        body = block.end
        if block.lines > 1:
            title, body = self._below_in_block(block, mark)
        if not title and not mark.uncounted and mark.number is not None and body == block.end:
            below = place.block + 1
            look = self._look(below)
            wanted = {"shouted"} if container else self._usual
            mark_below = read(self.blocks[below].first) if look else None
            if mark_below is not None:
                wanted = set() if container else {look}
            if look and (look in wanted or (self._is_entry(below) and mark_below is None)):
                title = recase(self._one_line(below))
                body = self.blocks[below].end
        return (f"{mark.label}. {title}" if title and mark.label else title or mark.label), body

    def joined(self, first: int, after: int) -> str:
        """Several blocks of headings as one name."""
        return ". ".join(recase(self._one_line(n).rstrip(".")) for n in range(first, after))

    def _below_in_block(self, block: Block, mark: Mark) -> tuple[str, int]:
        """The title and its end, where the lines under a heading touch it."""
        at = block.start + len(block.first)
        rest = self.text[at : block.end]
        title = mark.title
        lines = rest.strip("\n").split("\n")
        if len(rest) <= _LONGEST and all(is_title_like(line) for line in lines):
            joined = " ".join(" ".join(lines).split())
            return f"{title} {recase(joined)}".strip(), block.end
        return title, at

    def _one_line(self, number: int) -> str:
        block = self.blocks[number]
        return " ".join(self.text[block.start : min(block.end, block.start + 400)].split())

    def _is_entry(self, number: int) -> bool:
        return _plain(self._one_line(number)) in self._said

    def _look(self, number: int) -> str:
        """What a block under a heading looks like: "shouted", "titled", "short" or nothing."""
        if number >= len(self.blocks):
            return ""
        block = self.blocks[number]
        line = self._one_line(number)
        mark = read(block.first)
        if block.end - block.start > _LONGEST or line[:1] in "\"“‘'[(":
            return ""
        if mark is not None and mark.number is not None:
            return ""
        letters = [c for c in line if c.isalpha()]
        if len(letters) > 2 and line == line.upper():
            return "shouted"
        if block.lines > 2 or line[-1] in ',;!?"”':
            return ""
        if is_title_like(line):
            return "titled"
        return "short" if line[-1] not in ".:" or line.startswith("_") else ""


def _plain(entry: str) -> str:
    """A title reduced to what two printings of it have in common."""
    words = entry.replace("’", "'").rstrip(" .0123456789").split()
    mark = read(entry.strip())
    if mark is not None and mark.title:
        words = mark.title.replace("’", "'").rstrip(" .0123456789").split()
    return "".join(c for c in "".join(words).lower() if c.isalnum())


def _entries(
    text: str, blocks: Sequence[Block], tables: Sequence[tuple[int, int]]
) -> tuple[list[str], int]:
    """The lines of the first table of contents, and the first block after it."""
    opening = next((n for n, block in enumerate(blocks[:400]) if is_contents(block.first)), None)
    if opening is None:
        return [], 0
    entries: list[str] = []
    n = opening
    while n < len(blocks) and len(entries) < _ENTRIES:
        block = blocks[n]
        lines = text[block.start : block.end].split("\n")
        if any(len(line) > _LONGEST for line in lines):
            break
        here = [line.strip() for line in (lines[1:] if n == opening else lines) if line.strip()]
        if entries and here and _plain(here[0]) in {_plain(entry) for entry in entries[:3]}:
            break
        entries.extend(here)
        n += 1
    return entries, n


def by_contents(titles: Titles) -> list[Place]:
    """The blocks that say, in order, what the table of contents lists without numbers."""
    entries = [_plain(entry) for entry in titles.entries if not _is_keyworded(entry)]
    if len(entries) < 3:
        return []
    where: dict[str, list[int]] = defaultdict(list)
    for n in range(titles.after_contents, len(titles.blocks)):
        block = titles.blocks[n]
        if block.end - block.start <= _LONGEST:
            where[_plain(titles._one_line(n))].append(n)
        elif len(block.first) <= 120:
            where[_plain(block.first)].append(n)
    misprinted = [entry for entry in entries if entry not in where]
    if len(misprinted) <= _MISPRINTS:
        for entry in misprinted:
            where[entry] = next((where[name] for name in where if _is_misprint(entry, name)), [])
    found: list[Place] = []
    at = -1
    for entry in entries:
        spots = where.get(entry, []) if len(entry) > 2 else []
        next_spot = bisect_left(spots, at + 1)
        if next_spot < len(spots):
            at = spots[next_spot]
            found.append(
                Place(
                    at,
                    _title_mark(
                        titles._one_line(at)
                        if titles.blocks[at].lines < 4
                        else titles.blocks[at].first
                    ),
                )
            )
    return found if len(found) >= 0.5 * len(entries) else []


def _is_misprint(entry: str, name: str) -> bool:
    """Whether two titles differ by one letter left out, put in or changed."""
    if len(entry) < 6 or abs(len(entry) - len(name)) > 1 or entry[0] != name[0]:
        return False
    same = next((n for n, (a, b) in enumerate(zip(entry, name, strict=False)) if a != b), 0)
    rest, other = entry[same:], name[same:]
    return rest[1:] in (other, other[1:]) or rest == other[1:]


def _is_keyworded(entry: str) -> bool:
    mark = read(entry)
    return mark is not None and mark.number is not None and mark.rank < Rank.NUMERAL


def by_headings(text: str, blocks: Sequence[Block], headings: Sequence[Heading]) -> list[Place]:
    """The headings of the level that a source divides its text with."""
    counts = Counter(heading.level for heading in headings)
    level = next((lv for lv in sorted(counts) if counts[lv] >= 2), None)
    starts = [block.start for block in blocks]
    return [
        Place(
            max(0, bisect_left(starts, heading.span.start + 1) - 1),
            _title_mark(heading.span.of(text)),
        )
        for heading in headings
        if heading.level == level
    ]


def by_shouting(text: str, blocks: Sequence[Block]) -> list[Place]:
    """Blocks in capitals that stand alone and part long stretches of text."""
    found = [
        n
        for n, block in enumerate(blocks)
        if block.lines == 1
        and 3 < len(block.first) <= 80
        and block.first == block.first.upper()
        and sum(c.isalpha() for c in block.first) > 3
        and block.first.strip()[-1] not in ',;!?:"”'
    ]
    counts = Counter(blocks[n].first for n in found)
    found = [n for n in found if counts[blocks[n].first] <= _REPEATS]
    ends = [*found[1:], len(blocks) - 1] if found else []
    places = [
        Place(n, _title_mark(blocks[n].first))
        for n, after in zip(found, ends, strict=True)
        if blocks[after].start - blocks[n].end >= _TALE
    ]
    return places if len(places) >= 3 and len(places) * 2 > len(found) else []


def _title_mark(title: str) -> Mark:
    return Mark(Rank.CHAPTER, "title", "", None, recase(title), "")
