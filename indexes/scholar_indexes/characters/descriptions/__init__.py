"""Character descriptions: a bank of written ones, and automatic ones read from the text."""
