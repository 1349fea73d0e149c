"""Forms of quotations that are not spoken: thoughts, letters, signs, verse, words."""
