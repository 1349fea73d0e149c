"""Count the sentences of novels in which word stems occur, for lexicon.word_frequencies.

They are the novels of the graded claims of `train`, so nothing is chosen or tested on them.
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
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.lexicon.word_frequencies import RAREST
from scholar_indexes.storage import atomic
from scholar_indexes.types import Progress, silent


def run(folder: Path, out: Path, progress: Progress = silent) -> int:
    """Write the stems that occur in RAREST or more of a million sentences, the most frequent first.

    The folder contains primary/<number>.txt. Returns the number of sentences that were read. Raises
    NotThere if no novel of `train` is in the folder, and UsageError if out exists or its folder
    does not.
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
        raise NotThere(f"{folder / 'primary'} contains none of the novels; put <number>.txt there")
    per_million = {
        word: round(count * 1_000_000 / sentences)
        for word, count in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    }
    lines = [f"{word}\t{count}" for word, count in per_million.items() if count >= RAREST]
    atomic.write_text(out, "\n".join(["stem\tper_million", *lines]) + "\n")
    return sentences
