"""Results as data and text: JSON, CSV, Markdown, BibTeX, RIS."""
