"""The second stages of search by name: models that read a claim and its best passages again."""
