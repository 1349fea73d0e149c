"""A plugin of pytest for mutants: quick tests come first, and properties are tried on the
same examples each time, of which none is made smaller."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "mutants",
    database=None,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests of whole books last: mutmut ends at the first that fails."""
    items.sort(key=lambda item: "golden" in item.nodeid)
