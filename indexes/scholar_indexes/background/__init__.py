"""Work in a separate process while its caller answers questions."""
