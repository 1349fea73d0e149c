"""Quitting at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens import at


@pytest.mark.parametrize("mode", ["library", "find", "reader", "characters", "papers", "quiz"])
async def test_quitting_while_a_screen_opens_is_no_error(home: Path, mode: str) -> None:
    async with at("find" if mode == "library" else "library") as pilot:
        pilot.app.switch_mode(mode)
        pilot.app.exit(return_code=143)  # the program ends before the screen has its widgets
    assert pilot.app.return_code == 143
