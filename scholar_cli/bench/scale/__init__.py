"""Measure libraries of many books: copies of the books at hand, asked as a user asks."""
