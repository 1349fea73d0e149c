"""From a model's answers about windows to one speaker for each quotation of a book.

The most certain answers are given first and told to the model, which then answers again for
the rest: who says "Yes" is clear once it is known who asked. This is mask-predict (Ghazvininejad
et al. 2019) over the speakers of a book instead of the words of a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.speakers.script import SLOTS, Script, Window
from scholar_indexes.types import Progress, silent

Floats = NDArray[np.float32]
Run = Callable[[NDArray[np.int64], NDArray[np.int64]], tuple[Floats, Floats]]
"""Token numbers (n, t) and their mask to what each token asks (n, t, d) and offers (n, t, d);
the first half of what is asked is the opening mark's, the second the closing mark's."""

MOST_TOKENS = 512
MARKS = 27
"""Tokens of a window that are not of its paragraphs, at most."""

STRIDE = 256
BATCH = 8
CERTAIN = (0.9, 0.6)
"""How likely an answer must be to be told to the model before each further round."""


def speakers(
    script: Script,
    count: int,
    run: Run,
    near: Floats,
    *,
    certain: Sequence[float] = CERTAIN,
    progress: Progress = silent,
) -> Floats:
    """How likely each character says each of so many quotations, (count, characters).

    A row is zero where no character stands near. run answers for a batch of windows; near
    (STEPS,) is what a name gains by how it stands to a quotation.
    """
    cast = len(script.genders)
    chances = np.zeros((count, cast), np.float32)
    if not count or not cast:
        return chances
    windows = list(script.cut(MOST_TOKENS - MARKS, stride=STRIDE))
    known: dict[int, int] = {}
    for turn, threshold in enumerate((*certain, 0.0)):
        pending = [
            (first, end) for first, end in windows
            if any(q not in known for each in script.quoted[first:end] for q in each.tolist())
        ]  # fmt: skip
        found = np.zeros_like(chances)
        weight = np.zeros(count, np.float32)
        for start in range(0, len(pending), BATCH):
            progress("attributing", turn * len(windows) + start, len(windows) * (1 + len(certain)))
            cut = [
                script.window(first, end, known) for first, end in pending[start : start + BATCH]
            ]
            for window, scores in zip(cut, score(cut, run, near), strict=True):
                _add(window, _softmax(scores), found, weight)
        asked = weight > 0
        chances[asked] = found[asked] / weight[asked, None]
        best = chances.argmax(1)
        sure = chances[np.arange(count), best]
        for q in np.flatnonzero(asked & (sure >= threshold)).tolist():
            known.setdefault(q, int(best[q]))
    return chances


def score(windows: Sequence[Window], run: Run, near: Floats) -> list[Floats]:
    """For each window, how well each of its characters fits each opening mark (p, c)."""
    longest = max(len(each.ids) for each in windows)
    ids = np.zeros((len(windows), longest), np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    asks, offers = run(ids, mask)
    found = []
    for row, each in enumerate(windows):
        half = asks.shape[2] // 2
        ask = np.concatenate([asks[row, each.asked, :half], asks[row, each.closed, half:]], axis=1)
        scores = ask @ offers[row, each.named].T + near[each.steps]
        found.append(gathered(scores, each.slots, len(each.characters)))
    return found


def gathered(scores: Floats, slots: NDArray[np.int64], characters: int) -> Floats:
    """The scores of names (p, m) as scores of characters (p, c): log of the sum of exp."""
    found = np.full((len(scores), characters), -30.0, np.float32)
    if not len(scores):
        return found
    top = scores.max(1, keepdims=True) if scores.shape[1] else np.zeros((len(scores), 1))
    mass = np.zeros((len(scores), max(characters, SLOTS)), np.float64)
    for slot in np.unique(slots):
        mass[:, slot] = np.exp(scores[:, slots == slot] - top).sum(1)
    inside = mass[:, :characters] > 0
    logs = np.log(np.where(inside, mass[:, :characters], 1.0)) + top
    return np.where(inside, logs, found).astype(np.float32)


def _softmax(scores: Floats) -> Floats:
    if not scores.shape[1]:
        return scores
    powers = np.exp(scores - scores.max(1, keepdims=True))
    result: Floats = powers / powers.sum(1, keepdims=True)
    return result


def _add(window: Window, chances: Floats, found: Floats, weight: Floats) -> None:
    """A mark counts for more the more of its surroundings the window shows."""
    if not len(window.asked) or not window.characters:
        return
    near = np.minimum(window.asked / 2, len(window.ids) - window.asked) + 8
    columns = np.array(window.characters)
    for row, quotation in enumerate(window.quoted.tolist()):
        found[quotation, columns] += near[row] * chances[row]
        weight[quotation] += near[row]
