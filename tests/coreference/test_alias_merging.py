"""An example of each rule of alias merging."""

from __future__ import annotations

import pytest

from scholar_indexes.coreference.alias_merging import AliasMerger
from scholar_indexes.coreference.merge_rules import RULES, MergeRule
from scholar_indexes.coreference.name_parts import parse_names
from scholar_indexes.coreference.person_names import collect_person_names
from scholar_indexes.coreference.tokenized_novel import TokenizedNovel
from short_novels import FILLER, find_quoted

EXAMPLES = {
    "same full name": (
        "John Smith came. “No,” said John Smith. “So,” said Mr. John Smith, and rose.",
        ("Mr. John Smith", {"John Smith", "Mr. John Smith"}),
    ),
    "like full name": (
        "Elizabeth Bennet smiled. “Yes,” said Elizabeth Bennet. “Oh,” said Lizzy Bennet.",
        ("Lizzy Bennet", {"Elizabeth Bennet", "Lizzy Bennet"}),
    ),
    "woman who marries": (
        "“No,” said Grace Melbury. Grace smiled. " * 20
        + "“Yes,” said Grace Fitzpiers. “Ah,” said Mrs. Fitzpiers.",
        ("Grace Fitzpiers", {"Grace", "Grace Melbury", "Grace Fitzpiers", "Mrs. Fitzpiers"}),
    ),
    "given name and patronymic": (
        "“No,” said Parfen Rogojin. Parfen Rogojin rose. “Yes,” said Parfen Semionovitch. "
        "Parfen Semionovitch smiled.",
        ("Parfen Semionovitch", {"Parfen Rogojin", "Parfen Semionovitch"}),
    ),
    "same title": (
        "Dr. Watson came. “So,” said Dr. Watson. Doctor Watson rose.",
        ("Doctor Watson", {"Dr. Watson", "Doctor Watson"}),
    ),
    "wife by her husband's name": (
        "Mrs. John Dashwood came. “Yes,” said Mrs. John Dashwood. “No,” said Mrs. Dashwood. "
        "And John Dashwood came.",
        ("Mrs. Dashwood", {"Mrs. John Dashwood", "Mrs. Dashwood"}),
    ),
    "only married woman": (
        "Clarissa Dalloway came. “Yes,” said Clarissa Dalloway. “No,” said Mrs. Dalloway.",
        ("Mrs. Dalloway", {"Clarissa Dalloway", "Mrs. Dalloway"}),
    ),
    "full name of a title": (
        "Fitzwilliam Darcy bowed. “No,” said Mr. Darcy.",
        ("Mr. Darcy", {"Fitzwilliam Darcy", "Mr. Darcy"}),
    ),
    "far more frequent title": (
        "“No,” said Mr. Trelawney. Mr. Trelawney rose. " * 6 + "“Yes,” said Squire Trelawney.",
        ("Squire Trelawney", {"Mr. Trelawney", "Squire Trelawney"}),
    ),
    "prince by his title": (
        "Prince Andrew Bolkonski came. Andrew Rostov came. "
        + "“No,” said Andrew Rostov. " * 3
        + "“Yes,” said Prince Andrew.",
        ("Prince Andrew", {"Prince Andrew Bolkonski", "Prince Andrew"}),
    ),
    "same given name": (
        "Elizabeth Bennet smiled. “Yes,” said Elizabeth.",
        ("Elizabeth", {"Elizabeth Bennet", "Elizabeth"}),
    ),
    "commoner of a given name": (
        "Prince Nicholas Bolkonski came. “So,” said Nicholas Rostov. “Yes,” said Nicholas.",
        ("Nicholas", {"Nicholas Rostov", "Nicholas"}),
    ),
    "short form": (
        "Elizabeth Bennet smiled. “Yes,” said Lizzy.",
        ("Lizzy", {"Elizabeth Bennet", "Lizzy"}),
    ),
    "surname that nobody bears": (
        "“No,” said Holmes. Holmes laughed.",
        ("Holmes", {"Holmes"}),
    ),
    "surname that several share": (
        "John Knightley rose. George Knightley rose. “Yes,” said John Knightley. “No,” said "
        "George Knightley. “Well,” said Knightley. Knightley rose.",
        ("Knightley", set()),
    ),
    "other than who goes by the given name": (
        "Paul Morel came, and Walter Morel. " + "Paul saw Morel. Morel nodded. " * 40,
        ("Morel", {"Walter Morel", "Morel"}),
    ),
    "likeliest bearer": (
        "Mr. Darcy bowed. “No,” said Darcy.",
        ("Darcy", {"Mr. Darcy", "Darcy"}),
    ),
    "bride": (
        "“No,” said Dorothea Brooke. Mr. Casaubon bowed. “Oh,” said Miss Brooke. " * 5
        + "Dorothea smiled at Mr. Casaubon. " * 10
        + "“Yes,” said Mrs. Casaubon. Mr. Casaubon bowed. " * 5
        + "Dorothea rose. " * 30,
        ("Mrs. Casaubon", {"Dorothea Brooke", "Miss Brooke", "Dorothea", "Mrs. Casaubon"}),
    ),
    "new character": (
        "Mr. Bingley bowed. “No,” said Mr. Darcy.",
        ("Mr. Darcy", {"Mr. Darcy"}),
    ),
}
"""By the name of each rule: a text, the name it decides there, and the names merged with it."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_rule_decides_its_example(rule: MergeRule) -> None:
    assert rule.name in EXAMPLES, f"give an example of the rule {rule.name!r}: {rule.joins}"
    text, (alias, expected) = EXAMPLES[rule.name]
    novel = TokenizedNovel(FILLER + text, find_quoted(FILLER + text))
    variants = collect_person_names(novel)
    merger = AliasMerger(parse_names(variants), len(novel))
    clusters = merger.merge()
    decided_by = {variants[name].surface: row.name for name, row in merger.decided_by.items()}
    aliases = [{stats.surface for stats in cluster.variants.values()} for cluster in clusters]
    assert decided_by[alias] == rule.name
    assert next((names for names in aliases if alias in names), set()) == expected


def test_rules_have_names_of_their_own_and_no_example_is_of_another_rule() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert set(EXAMPLES) == set(names)
