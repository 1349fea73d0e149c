"""Train the quotation attribution model."""
