"""What stands in quotation marks and nobody says: thoughts, letters, signs, verse, words."""
