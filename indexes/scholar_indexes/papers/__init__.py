"""Papers: read, label, keep, and find those alike in one respect."""
