"""Reading, encoding and character analysis of many books on the nodes of a Ray cluster."""
