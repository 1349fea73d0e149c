"""The command line of scholar, its benchmarks and its training."""
