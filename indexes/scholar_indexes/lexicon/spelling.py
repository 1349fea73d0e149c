"""British, American and old spellings of one word."""

from __future__ import annotations

import re

_IRREGULAR = {
    variant: word
    for word, variants in {
        "burned": ("burnt",),
        "choose": ("chuse",),
        "connection": ("connexion",),
        "curb": ("kerb",),
        "dispatch": ("despatch",),
        "draft": ("draught",),
        "dreamed": ("dreamt",),
        "dropped": ("dropt",),
        "gray": ("grey",),
        "inquire": ("enquire",),
        "inquiry": ("enquiry",),
        "jail": ("gaol",),
        "learned": ("learnt",),
        "mustache": ("moustache",),
        "plow": ("plough",),
        "program": ("programme",),
        "show": ("shew",),
        "showed": ("shewed",),
        "shown": ("shewn",),
        "skeptic": ("sceptic",),
        "skeptical": ("sceptical",),
        "stopped": ("stopt",),
        "surprise": ("surprize",),
        "tire": ("tyre",),
        "wagon": ("waggon",),
    }.items()
    for variant in variants
}

_RULES = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"(?<=\w\w)our", "or"),  # colour, favourite
        (r"(?<=[bcdt])re(s?)$", r"er\1"),  # theatre
        (r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)", "iz"),  # realise
        (r"ys(?=(?:e|ed|es|er|ing)$)", "yz"),  # analyse
        (r"(?<=\w\w)[ao]e(?=\w\w\w)|^a(?=esthet|eon)", "e"),  # encyclopaedia, manoeuvre
        (r"ence(s?)$", r"ense\1"),  # defence
        (r"ogue(s?)$", r"og\1"),  # catalogue
        (r"(?<=m)ould", "old"),  # mould, smoulder
        (r"dgement", "dgment"),  # judgement
        (r"(?<=\w\w[aeiou])ll(?=(?:ed|ing|ers?|ors?|ous|ful|fully)$)", "l"),  # travelled, skillful
        (r"fill(?=(?:ment)?$)", "fil"),  # fulfill
        (r"xion(s?)$", r"ction\1"),  # reflexion
    )
)


def spelling_key(word: str) -> str:
    """Return a key that all spellings of a lower-case word share.

    The key is not itself a spelling: only keys are compared.

    >>> spelling_key("colour") == spelling_key("color")
    True
    """
    key = _IRREGULAR.get(word, word)
    for pattern, plain in _RULES:
        key = pattern.sub(plain, key)
    return key
