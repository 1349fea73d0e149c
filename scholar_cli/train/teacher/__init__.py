"""The large cross-encoder that reads a claim and a passage together: what `--rerank thorough`
ranks by, and what the small models learn from."""
