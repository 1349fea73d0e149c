"""The name of a library among the libraries that share an object store for their indexes."""

from __future__ import annotations

import os
import re
from pathlib import Path

from scholar_indexes.errors import Damaged
from scholar_indexes.locks import explain_read_errors, explain_write_errors

_FORM = re.compile(r"library-[0-9a-f]{16}")


def read_or_create(path: Path) -> str:
    """Return the name in a file, which is created on first use; raises Damaged."""
    with explain_write_errors(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}.part")
            temporary.write_text(f"library-{os.urandom(8).hex()}\n", "utf-8")
            try:
                # A link fails if the name exists, so that two programs agree on one name.
                os.link(temporary, path)
            except FileExistsError:
                pass  # another program was first
            except OSError:  # a file system without links
                os.replace(temporary, path)
            finally:
                temporary.unlink(missing_ok=True)
    with explain_read_errors(path):
        name = path.read_text("utf-8").strip()
    if not _FORM.fullmatch(name):
        raise Damaged(f"{path} is damaged; remove it, and run: scholar index rebuild")
    return name
