"""The commands of `scholar-lab`: each parses its options, calls one function and prints."""
