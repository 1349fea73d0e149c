"""The laboratory: what measures and trains the product, which never imports it."""
