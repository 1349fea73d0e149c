"""Detection of the quotations of a novel, by its quotation marks or dashes."""
