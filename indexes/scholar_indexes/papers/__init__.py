"""Papers: read, label and store them, and find papers that are similar in one facet."""
