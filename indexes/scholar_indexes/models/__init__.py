"""Model names to verified files, and encoders that turn texts into vectors."""
