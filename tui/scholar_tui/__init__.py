"""The screens of scholar."""

import scholar_indexes  # noqa: F401  switches telemetry off before anything else is imported
