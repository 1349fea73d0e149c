"""Controllers: parts of the behaviour of screens, each with one concern."""
