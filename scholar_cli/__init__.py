"""The command line of scholar, its benchmarks and its training."""

import scholar_indexes  # noqa: F401  switches telemetry off before anything else is imported
