"""One module per screen, and the dialogs that they open."""
