"""The benchmarks of scholar; nothing of the product imports this."""
