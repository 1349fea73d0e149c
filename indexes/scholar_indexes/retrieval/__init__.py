"""From a claim to ranked passages."""
