"""Characters: described, and known by their descriptions."""
