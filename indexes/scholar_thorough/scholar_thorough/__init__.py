"""The weights of the large reader; scholar_indexes.models.registry finds them here."""
