"""A small feed of the catalogue of Project Gutenberg."""

from __future__ import annotations

import csv
import io

FEED = "/cache/epub/feeds/pg_catalog.csv.gz"
HEADER = ["Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC"]
BOOKS = [
    "1342|Text|1998-06-01|Pride and Prejudice|en|Austen, Jane, 1775-1817|Courtship -- Fiction; "
    "England -- Fiction|PR",
    "158|Text|1994-08-01|Emma|en|Austen, Jane, 1775-1817|Humorous stories; England -- Fiction|PR",
    "17797|Text|2006-02-01|Memoir of Jane Austen|en|Austen-Leigh, James Edward, 1798-1874|"
    "Austen, Jane, 1775-1817|PR",
    "17489|Text|2006-01-01|Les misérables Tome I: Fantine|fr|Hugo, Victor, 1802-1885|Épopées|PQ",
    "2229|Text|2000-06-01|Faust: Der Tragödie\r\nerster Teil|de; en|"
    "Goethe, Johann Wolfgang von, 1749-1832; Bell, Ann [Translator]||PT",
    "26|Text|1992-02-01|Paradise Lost|en|Milton, John, 1608-1674|Epic poetry|PR",
    "9000|Sound|2003-01-01|Pride and Prejudice, read aloud|en|Austen, Jane, 1775-1817||PR",
]


def catalog(*rows: str, header: list[str] = HEADER) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(row.split("|") for row in rows)
    return text.getvalue().encode()
