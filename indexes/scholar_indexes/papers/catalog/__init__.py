"""The catalogue of papers: one SQLite file with their records, ids, titles and collections."""
