"""Training of the model that labels the sentences of an abstract with facets."""
