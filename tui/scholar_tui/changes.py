"""The changes that a user makes on the screen, as data that outlives the program.

A change is made by the queue (change_queue), and can be written as a record and read again
(waiting_changes). All but `Toggle` may be made twice without harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from scholar_indexes.storage.bookmarks import ReadingPosition, SavedQuotation, collection_name

if TYPE_CHECKING:
    from scholar_indexes.attribution.corrections.kinds import Correction
    from scholar_indexes.library import Library
    from scholar_indexes.storage.bookmarks import Bookmarks
    from scholar_indexes.types import Progress


@dataclass(frozen=True, slots=True)
class Desk:
    """The stores to which changes are made."""

    library: Library
    bookmarks: Bookmarks
    dropped: dict[str, list[SavedQuotation]] = field(default_factory=dict)
    """The dropped quotations that can be brought back, the latest last, by the screen that dropped
    them."""

    def drop(self, screen: str, quotation: SavedQuotation) -> None:
        """Delete a quotation so that it can be brought back."""
        if gone := self.bookmarks.delete(quotation.number):
            self.dropped.setdefault(screen, []).append(gone)


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Records the position where reading stopped."""

    position: ReadingPosition

    @property
    def label(self) -> str:
        return "the place where reading stopped"

    def make(self, desk: Desk, _: Progress) -> None:
        desk.bookmarks.record_position(self.position)


@dataclass(frozen=True, slots=True)
class Keep:
    """Saves a quotation in its collection."""

    quotation: SavedQuotation

    @property
    def label(self) -> str:
        return _mark(self.quotation)

    def make(self, desk: Desk, _: Progress) -> bool:
        """Return True if the quotation was already saved."""
        saved = desk.bookmarks.quotations(collection_name(self.quotation.collection))
        return desk.bookmarks.save(self.quotation).number in {before.number for before in saved}


@dataclass(frozen=True, slots=True)
class Drop:
    """Removes a quotation from its collection."""

    quotation: SavedQuotation
    screen: str

    @property
    def label(self) -> str:
        return _mark(self.quotation)

    def make(self, desk: Desk, _: Progress) -> None:
        desk.drop(self.screen, self.quotation)


@dataclass(frozen=True, slots=True)
class Toggle:
    """Saves a quotation in its collection, or removes it if it is there."""

    quotation: SavedQuotation
    screen: str

    @property
    def label(self) -> str:
        return _mark(self.quotation)

    def make(self, desk: Desk, _: Progress) -> SavedQuotation | None:
        """Return the quotation that was removed."""
        for saved in desk.bookmarks.quotations(self.quotation.collection):
            if saved.locator == self.quotation.locator:
                desk.drop(self.screen, saved)
                return saved
        desk.bookmarks.save(self.quotation)
        return None


@dataclass(frozen=True, slots=True)
class BringBack:
    """Restores the quotation that a screen dropped last, with its note."""

    screen: str

    @property
    def label(self) -> str:
        return "the dropped quotation"

    def make(self, desk: Desk, _: Progress) -> SavedQuotation | None:
        """Return the restored quotation; None if there is nothing left to restore."""
        dropped = desk.dropped.get(self.screen)
        if not dropped:
            return None
        restored = desk.bookmarks.restore(dropped[-1])
        dropped.pop()
        return restored


@dataclass(frozen=True, slots=True)
class Annotate:
    """Saves a quotation with a note."""

    quotation: SavedQuotation
    note: str

    @property
    def label(self) -> str:
        return f"the note on {self.quotation.locator}"

    def make(self, desk: Desk, _: Progress) -> None:
        # Save it even if it was saved before: another program may have deleted it meanwhile.
        desk.bookmarks.annotate(desk.bookmarks.save(self.quotation).number, self.note)


@dataclass(frozen=True, slots=True)
class Reorder:
    """Puts a saved quotation directly before or after another one of its collection."""

    number: int
    neighbour: int
    after: bool

    @property
    def label(self) -> str:
        return "the order of the collection"

    def make(self, desk: Desk, _: Progress) -> None:
        desk.bookmarks.reorder(self.number, self.neighbour, after=self.after)


@dataclass(frozen=True, slots=True)
class Highlight:
    """Saves a quotation with a colour, "" for none."""

    quotation: SavedQuotation
    colour: str

    @property
    def label(self) -> str:
        return f"the colour of {self.quotation.locator}"

    def make(self, desk: Desk, _: Progress) -> None:
        # As for a note, it may have been deleted meanwhile.
        desk.bookmarks.set_colour(desk.bookmarks.save(self.quotation).number, self.colour)


@dataclass(frozen=True, slots=True)
class Correct:
    """Puts corrections of a book in force together."""

    book_id: str
    corrections: tuple[Correction, ...]

    @property
    def label(self) -> str:
        return f"the correction “{'; '.join(map(str, self.corrections))}”"

    def make(self, desk: Desk, progress: Progress) -> None:
        desk.library.corrections.add(self.book_id, self.corrections, progress)


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Removes the correction of a book with this text, preferably the one with this number."""

    book_id: str
    number: int
    text: str

    @property
    def label(self) -> str:
        return f"taking back the correction “{self.text}”"

    def make(self, desk: Desk, progress: Progress) -> None:
        desk.library.corrections.undo(self.book_id, self.number, progress, text=self.text)


Change: TypeAlias = (
    RecordPlace
    | Keep
    | Drop
    | Toggle
    | BringBack
    | Annotate
    | Reorder
    | Highlight
    | Correct
    | TakeBack
)

KINDS: Mapping[str, type[Change]] = {
    "place": RecordPlace,
    "keep": Keep,
    "drop": Drop,
    "toggle": Toggle,
    "bring back": BringBack,
    "note": Annotate,
    "reorder": Reorder,
    "highlight": Highlight,
    "correct": Correct,
    "take back": TakeBack,
}
"""The classes of changes by their names in records."""

_NESTED: Mapping[str, type[ReadingPosition | SavedQuotation]] = {
    "position": ReadingPosition,
    "quotation": SavedQuotation,
}


def as_record(change: Change) -> dict[str, Any]:
    """Return a change as a JSON object."""
    kind = next(name for name, kind in KINDS.items() if isinstance(change, kind))
    record: dict[str, Any] = {"kind": kind, **asdict(change)}
    if isinstance(change, Correct):
        from scholar_indexes.attribution.corrections import toml_form

        record["corrections"] = toml_form.dumps_tables(change.corrections)
    return record


def from_record(record: Any) -> Change:
    """Return the change of a record; raises ValueError if the record is invalid."""
    values = _members(record)
    kind = KINDS.get(str(values.pop("kind", "")))
    if kind is None:
        raise ValueError("it has a change of an unknown kind")
    for name, nested in _NESTED.items():
        if name in values:
            values[name] = _build(nested, _members(values[name]))
    if kind is Correct:
        values["corrections"] = _corrections(values)
    change: Change = _build(kind, values)
    return change


def quotation_from_record(record: Any) -> SavedQuotation:
    """Return the quotation of a record; raises ValueError if the record is invalid."""
    quotation: SavedQuotation = _build(SavedQuotation, _members(record))
    return quotation


def _corrections(values: Mapping[str, Any]) -> tuple[Correction, ...]:
    from scholar_indexes.attribution.corrections import toml_form
    from scholar_indexes.errors import UsageError

    try:
        return toml_form.loads(str(values.get("corrections")), str(values.get("book_id")))
    except UsageError as error:
        raise ValueError(str(error)) from None


def _members(record: Any) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise ValueError("it has a change that is not an object")
    return dict(record)


def _build(kind: Any, values: Mapping[str, Any]) -> Any:
    """Return an instance of a class; raises ValueError if the values do not fit its fields."""
    types = {field.name: str(field.type) for field in fields(kind)}
    for name, value in values.items():
        expected = types.get(name)
        if expected not in ("str", "int", "bool") or type(value).__name__ == expected:
            continue
        raise ValueError(f"{name} is not of type {expected}")
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"it has an incomplete change ({error})") from None


def _mark(quotation: SavedQuotation) -> str:
    """Return the label of a mark that is not saved yet."""
    return f"the mark on {quotation.locator}"
