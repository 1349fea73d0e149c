"""Words that tell who somebody is, for reading novels without a parser."""
