"""Who is meant: names, their variants and the characters they belong to."""
