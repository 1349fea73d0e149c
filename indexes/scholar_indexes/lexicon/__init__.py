"""Word lists: titles, kin, verbs of speech, given names, closed classes."""
