"""Forms of quotations that nobody says: thoughts, letters, signs, verse, words."""
