"""Files of the user: SQLite, LanceDB tables, book folders, bookmarks."""
