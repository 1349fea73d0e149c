"""Other names for the characters of a book (GANDALF, Carlsson et al. 2022)."""
