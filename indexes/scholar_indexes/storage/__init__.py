"""The user's files: SQLite databases, LanceDB tables, book folders, bookmarks."""
