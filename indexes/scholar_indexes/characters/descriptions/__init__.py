"""Character descriptions: written ones in banks, and automatic ones extracted from the text."""
