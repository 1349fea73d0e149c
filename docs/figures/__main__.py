"""Write the figures of the pages from their run files, or rerun benchmarks.

.venv/bin/python docs/figures                   write the tables of all pages
.venv/bin/python docs/figures --check           list outdated pages and runs, and how to fix them
.venv/bin/python docs/figures --run NAME...     run benchmarks (or all), keep their output, write
"""

from __future__ import annotations

import argparse

import benchmarks
import pages


def main() -> None:
    """Run the program; exit with a message if something is outdated."""
    parser = argparse.ArgumentParser(prog="docs/figures", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say what is old")
    parser.add_argument("--run", nargs="+", metavar="NAME", default=[], help="run these again")
    options = parser.parse_args()
    for name in benchmarks.BENCHMARKS if options.run == ["all"] else options.run:
        benchmarks.run(name)
    try:
        if not options.check:
            pages.write()
        elif problems := [*pages.old_pages(), *benchmarks.old_runs()]:
            raise SystemExit("\n".join(problems))
    except (FileNotFoundError, LookupError) as problem:
        raise SystemExit(str(problem)) from problem


if __name__ == "__main__":
    main()
