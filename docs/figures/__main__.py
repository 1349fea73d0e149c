"""Write the figures of the pages from their run files, or run benchmarks anew.

.venv/bin/python docs/figures                   write the tables of all pages
.venv/bin/python docs/figures --check           say which pages or runs are old, and how to mend it
.venv/bin/python docs/figures --run NAME...     run benchmarks (or all), keep what they print, write
"""

from __future__ import annotations

import argparse

import benchmarks
import pages


def main() -> None:
    """Do what the options say; exit with a message where something is old."""
    parser = argparse.ArgumentParser(prog="docs/figures", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say what is old")
    parser.add_argument("--run", nargs="+", metavar="NAME", default=[], help="run these anew")
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
