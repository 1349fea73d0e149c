"""Words whose apostrophe may be mistaken for a quotation mark."""

CLIPPED_BEFORE = frozenset(
    "tis tisn twas twasn twere tweren twill twould twouldn twon t em un ud ull n s d ll ve re m "
    "cause bout round till til neath gainst mid midst mongst twixt tween pon cept scuse spose "
    "spect deed stead fraid fore way low ere er im is e is ad ave as ow eard ome ouse".split()
)
"""Words that are written with an apostrophe before them."""

CLIPPED_AFTER = frozenset("o th an wi t d ol i ha wha tha lo fo mo po gi ta fa ca wa".split())
"""Words that are written with an apostrophe after them."""

OFTEN_CLIPPED = ("s", "x", "z", "in")
"""Endings of words before an apostrophe: the dogs' bones, goin' home."""
