"""Project Gutenberg: its catalogue, and its texts from mirrors."""
