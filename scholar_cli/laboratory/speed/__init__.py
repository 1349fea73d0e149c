"""Speed measurements of whole commands, as ratios within one run."""
