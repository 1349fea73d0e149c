"""Who is meant: descriptions of characters as people type them, answered from the whole novel."""
