"""Rule-based information extraction of character descriptions: tokens, sentences, pronoun
resolution, subjects, predicates, appositions, kinship votes and selection."""
