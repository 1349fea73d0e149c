"""The screens of scholar."""
