"""Books, passages and their indexes, independent of any user interface."""

from scholar_indexes import telemetry

telemetry.switch_off()
