"""Adding the bundled sample to an empty library."""

from __future__ import annotations

from collections.abc import Callable

from scholar_indexes.errors import ScholarError
from scholar_indexes.types import Progress
from scholar_tui.controllers.hit_list import HitListController
from scholar_tui.screens.mode_screen import ModeScreen

GROUP = "sample"


class SampleController:
    """Adds the bundled books in a worker thread."""

    def __init__(
        self,
        screen: ModeScreen,
        hits: HitListController,
        on_added: Callable[[], None],
        on_error: Callable[[ScholarError], None],
    ) -> None:
        self._screen = screen
        self._hits = hits
        self._on_added = on_added
        self._on_error = on_error

    def add(self) -> None:
        """Add the books; this continues while another screen is shown."""
        self._hits.show_text("Adding three books; you can type your claim meanwhile.")
        if self._screen.is_working(GROUP):
            return
        self._screen.run_in_worker(
            self._work, self._show_added, on_error=self._show_refusal, group=GROUP, lasting=True
        )

    def _work(self, progress: Progress) -> None:
        library = self._screen.library
        if not library.books.add_sample_once(progress):
            library.books.adder.add_sample(progress)

    def _show_added(self, _: None) -> None:
        self._screen.show_message("the sample is on the shelf")
        self._on_added()

    def _show_refusal(self, refusal: ScholarError) -> None:
        self._screen.show_message(str(refusal), severity="error")
        self._on_error(refusal)
