"""Give the characters of a book other names (GANDALF, Carlsson et al. 2022)."""
