"""The style sheet of the app, which parses the styles of a widget only once."""

from __future__ import annotations

from textual.css.stylesheet import Stylesheet

MOST_SOURCES = 1_000
"""The most sources that stay parsed; all screens together have some sixty."""


class KeptStylesheet(Stylesheet):
    """A style sheet that keeps what it has parsed until a variable of the theme changes.

    Textual parses all sources again, twice, for each screen that it opens: half of the time from
    the key to the new screen.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache.grow(MOST_SOURCES)

    def fits(self, variables: dict[str, str]) -> bool:
        """Return True if what is parsed has these variables of a theme."""
        return variables == self._variables

    def set_variables(self, variables: dict[str, str]) -> None:
        if not self.fits(variables):
            super().set_variables(variables)

    def reparse(self) -> None:
        self.parse()
