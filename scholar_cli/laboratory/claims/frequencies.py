"""Count in how many sentences of novels the stems of words stand, for lexicon.word_frequencies.

The novels are those that graded claims of `train` are about, so none by which anything is chosen
or tested.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from scholar_cli.laboratory import outputs
from scholar_cli.laboratory.claims import graded
from scholar_cli.laboratory.relic import texts
from scholar_indexes.books.formats import sources
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.books.segmentation.sentences import chapter_sentences
from scholar_indexes.errors import NotThere
from scholar_indexes.lexicon.word_frequencies import RAREST
from scholar_indexes.retrieval.stemming import stem
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent


def run(folder: Path, out: Path, progress: Progress = silent) -> int:
    """Write the stems that RAREST or more of a million sentences have, the most frequent first.

    The folder holds primary/<number>.txt. Returns the number of sentences that were read. Raises
    NotThere where no novel of `train` is in the folder, and UsageError for an out that exists, or
    is in no folder.
    """
    outputs.check_new_file(out)
    novels = {str(claim.gutenberg_id) for claim in graded.load() if claim.part == graded.TRAIN}
    counts: Counter[str] = Counter()
    sentences = 0
    files = [file for file in texts.files(folder, "primary") if file[0] in novels]
    for done, (number, raw) in enumerate(files):
        progress("counting words", done, len(files))
        text = sources.read(raw, number).text
        for sentence in chapter_sentences(text, divide(text)):
            words = re.findall(r"[^\W_]+", sentence.span.of(text).lower())
            counts.update({stem(word) for word in words})
            sentences += 1
    if not sentences:
        raise NotThere(f"{folder / 'primary'} holds none of the novels; put <number>.txt there")
    per_million = {
        word: round(count * 1_000_000 / sentences)
        for word, count in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    }
    lines = [f"{word}\t{count}" for word, count in per_million.items() if count >= RAREST]
    atomic.write_text(out, "\n".join(["stem\tper_million", *lines]) + "\n")
    return sentences
