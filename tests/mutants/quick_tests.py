"""A pytest plugin for mutants: fast tests run first, and properties are tried on the same
examples each time, without shrinking."""

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
    """Put tests of whole books last: mutmut stops at the first failure."""
    items.sort(key=lambda item: "golden" in item.nodeid)
