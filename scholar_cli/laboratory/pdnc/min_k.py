"""Min-K%: the likelihood of a novel's annotation under a language model (Shi et al. 2024,
"Detecting Pretraining Data from Large Language Models").

As Michel et al. use it (section 5, appendix E): a fifth of a novel's annotated quotations is drawn,
each is verbalized, and the log-probabilities of the K % of its tokens that are least likely given
the preceding ones are averaged. The wording differs from the authors' (their Figure 4).
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.sanitize import one_line

SHARE = 0.2
"""The share of a novel's quotations to draw."""

K = 20
"""The share of tokens in percent; Shi et al. found 20 best."""


def min_k(log_probabilities: Sequence[float], k: float) -> float:
    """Return the mean of the k % lowest log-probabilities of a text's tokens, at least one
    (Shi et al. 2024, equation 1). Raises ValueError if there are none."""
    if not log_probabilities:
        raise ValueError("a text without tokens has no likelihood")
    count = max(1, math.floor(len(log_probabilities) * k / 100))
    return math.fsum(sorted(log_probabilities)[:count]) / count


def draw_instances(
    novel: AnnotatedNovel, *, title: str, author: str, seed: int = 0, most: int
) -> list[str]:
    """Return verbalized annotations of a random SHARE of a novel's quotations with a speaker, at
    most `most`; the seed determines the draw."""
    numbers = [index for index, speaker in enumerate(novel.speakers) if speaker >= 0]
    count = min(most, math.ceil(SHARE * len(numbers)))
    drawn = random.Random(f"{seed} {novel.name} annotation").sample(numbers, count)
    return [verbalize(novel, index, title, author) for index in sorted(drawn)]


def verbalize(novel: AnnotatedNovel, index: int, title: str, author: str) -> str:
    """Return the annotation of a quotation in words."""
    words = one_line(novel.quotations[index].of(novel.text), 4_000)
    parts = [
        f"In {title} by {author}, quotation {novel.ids[index]} reads: “{words}”",
        f"Its speaker is {novel.cast[novel.speakers[index]].name}.",
    ]
    if novel.addressees and novel.addressees[index]:
        names = ", ".join(novel.cast[addressee].name for addressee in novel.addressees[index])
        parts.append(f"It is addressed to {names}.")
    if novel.kinds[index]:
        parts.append(f"Its type is {novel.kinds[index]}.")
    return " ".join(parts)
