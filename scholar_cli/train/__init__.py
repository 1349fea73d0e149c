"""Making the models that scholar ships; nothing of the product imports this."""
