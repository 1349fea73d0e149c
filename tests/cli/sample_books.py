"""The books of the bundled sample, and a claim about one of them."""

from __future__ import annotations

CLAIM = "symbols of Gatsby's wealth"
SAMPLE = {"pg64317", "pg1342", "pg84"}
