"""Character descriptions: GANDALF (Carlsson et al. 2022)."""
