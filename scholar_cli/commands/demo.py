"""scholar demo: a first look with the bundled books."""

from __future__ import annotations

import typer

from scholar_cli.commands import common, find

app = typer.Typer(rich_markup_mode=None)

CLAIM = "symbols of Gatsby's wealth"


@app.command()
def demo() -> None:
    """Add the bundled books and run a first search."""
    library = common.open_library()
    common.say("adding the bundled books: The Great Gatsby, Pride and Prejudice, Frankenstein")
    with common.progress() as progress:
        library.books.adder.add_sample(progress)
    common.say(f'$ scholar find "{CLAIM}" -n 5')
    find.find(CLAIM, n=5)
    common.say("now try: scholar find CLAIM, scholar add 2701, scholar show LOCATOR")
