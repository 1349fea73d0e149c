"""Essays: the quotations in Markdown, LaTeX, Word and plain text, each with its place."""
