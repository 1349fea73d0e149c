"""Resolve the noun phrases of claims to the people of novels."""
