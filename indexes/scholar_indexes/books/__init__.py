"""Books: their texts, chapters and passages, and the services that add, read and cite them."""
