"""Essays: the quotations in Markdown, LaTeX, HTML, Word and plain text, each with its position."""
