"""What a novel tells of its characters, from sentences to descriptions.

    sentences -> pronouns -> subjects -> predicates, appositions, kinship -> ranking

tokens are what sentences are made of, said what comes out of them; phrases and complements are
how far a noun or a verb can be read. automatic.py, beside this folder, goes the way from end
to end.
"""
