"""Collections: passages gathered for an argument, with notes and citations."""
