"""Moving a whole library to another machine: one archive, written, verified and restored."""
