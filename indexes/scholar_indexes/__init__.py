"""Everything about books, passages and their indexes that is true without a terminal."""

from scholar_indexes import telemetry

telemetry.switch_off()
