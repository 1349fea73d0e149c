"""Leave models that learned from restricted labels out of a build: SCHOLAR_NO_NC=1 hatch build.

Their folders are excluded in pyproject.toml, and this hook of hatchling puts them into the wheel
and the sdist unless the variable is set. What an sdist lacks, its wheel lacks too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "SCHOLAR_NO_NC"


class RestrictedModels(BuildHookInterface[Any]):
    """Adds the folders of `models` in the hook's configuration to a build."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folders to put into a build; see BuildHookInterface.

        An editable installation has them anyway, since it points at the checkout.
        """
        if version == "editable" or os.environ.get(VARIABLE, "") not in ("", "0"):
            return
        for name in self.config["models"]:
            folder = Path("indexes/scholar_indexes/weights") / name
            if (Path(self.root) / folder).is_dir():
                place = folder if self.target_name == "sdist" else folder.relative_to("indexes")
                build_data["force_include"][str(Path(self.root) / folder)] = str(place)
