"""Learned coreference: mentions of people and things in a text, and the chains they form."""
