"""Train the speaker model on novels in PDNC's form.

    novels -> scripts -> windows -> an encoder that points from quotations to names -> weights

MiniLM reads a window of the book in which names and quotation marks are marks of their own
(scholar_indexes.speakers.script). Each opening mark asks, each name offers, and their inner
product says who speaks: a pointer network (Vinyals et al. 2015) over names. Every epoch cuts
the books into other windows, gives the characters other numbers and tells the speakers of
some quotations beforehand, as decoding will.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from scholar_cli.bench.pdnc_form import Novel
from scholar_indexes.errors import NoMatch
from scholar_indexes.speakers import decode, mentions
from scholar_indexes.speakers.decode import MARKS, MOST_TOKENS
from scholar_indexes.speakers.script import GENDERS, SLOTS, STEPS, Script, Vocabulary, Window
from scholar_indexes.types import Progress, silent

LENGTHS = (64, 128, 256, 384, MOST_TOKENS)
"""Batches have one of these lengths: every new shape costs a processor's library time."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what comes out, beside the data.

    told_share of the windows have some quotations whose speakers are told, of which
    told_wrong wrongly; gender_hidden is how often a character's gender is.
    """

    epochs: float = 3.0
    batch: int = 8
    learning_rate: float = 2e-4
    new_rate: float = 1e-3
    warmup_share: float = 0.06
    weight_decay: float = 0.01
    vocabulary: int = 8_000
    width: int = 128
    told_share: float = 0.6
    told_wrong: float = 0.05
    gender_hidden: float = 0.1
    seed: int = 0


class Pointer(torch.nn.Module):  # type: ignore[misc]
    """An encoder, and what each of its tokens asks and offers."""

    def __init__(self, encoder: Any, width: int) -> None:
        super().__init__()
        self.encoder = encoder
        size = encoder.config.hidden_size
        self.asks = torch.nn.Linear(size, 2 * width)
        self.offers = torch.nn.Linear(size, 2 * width)
        self.near = torch.nn.Parameter(torch.zeros(STEPS))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Token numbers (n, t) and their mask to two tensors (n, t, 2 * width)."""
        tokens = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.asks(tokens) * self.asks.out_features**-0.5, self.offers(tokens)


@dataclass(frozen=True, slots=True)
class Reader:
    """How a model reads: its tokenizer, cut down to the words of the training novels."""

    tokenizer: Tokenizer
    vocabulary: Vocabulary

    @staticmethod
    def of(tokenizer: Tokenizer) -> Reader:
        numbers = tokenizer.get_vocab()
        return Reader(tokenizer, Vocabulary(numbers["[CLS]"], numbers["[SEP]"], len(numbers)))

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [each.ids for each in found]

    def script(self, novel: Novel) -> Script:
        named = mentions.find(novel.text, novel.cast)
        return Script(
            novel.text, novel.quotations, novel.cast, named, self.tokenize, self.vocabulary
        )


def fit(
    novels: Sequence[Novel],
    base: Path,
    recipe: Recipe,
    *,
    device: str = "cpu",
    say: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> tuple[Pointer, Reader]:
    """Train on novels from a BERT-like sentence-transformers folder; takes minutes an epoch.

    Raises NoMatch where no novel has a quotation of a character.
    """
    if not any(who >= 0 for novel in novels for who in novel.speakers):
        raise NoMatch("no novel has a quotation with its speaker; give annotated novels")
    torch.manual_seed(recipe.seed)
    draw = np.random.default_rng(recipe.seed)
    tokenizer, kept = smaller(base / "tokenizer.json", novels, recipe.vocabulary)
    reader = Reader.of(tokenizer)
    model = Pointer(_encoder(base, kept, reader), recipe.width).to(device).train()
    made = [reader.script(each) for each in novels]
    queue = epoch(novels, made, recipe, draw)
    total = math.ceil(recipe.epochs * max(1, len(queue)) / recipe.batch)
    warm = max(1, round(recipe.warmup_share * total))
    new = [*model.asks.parameters(), *model.offers.parameters()]
    optimizer = torch.optim.AdamW(
        [
            {"params": model.encoder.parameters()},
            {"params": new, "lr": recipe.new_rate},
            {"params": [model.near], "lr": 20 * recipe.new_rate, "weight_decay": 0.0},
        ],
        lr=recipe.learning_rate, weight_decay=recipe.weight_decay,
    )  # fmt: skip
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, max(0.02, 1 - step / total))
    )
    recent, began = 0.0, time.monotonic()
    for step in range(1, total + 1):
        while len(queue) < recipe.batch:
            queue += epoch(novels, made, recipe, draw)
        batch, queue = queue[: recipe.batch], queue[recipe.batch :]
        loss = _loss(model, batch, torch.device(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        recent += float(loss.detach())
        progress(f"training, loss {float(loss.detach()):.2f}", step, total)
        if step % 50 == 0:
            say(f"step {step} of {total}, {time.monotonic() - began:.0f} s: loss {recent / 50:.3f}")
            recent = 0.0
    return model.eval(), reader


def smaller(path: Path, novels: Sequence[Novel], most: int) -> tuple[Tokenizer, Ints]:
    """A WordPiece tokenizer with the pieces that novels use most, and their old numbers.

    Single letters stay, so that every word can still be spelled.
    """
    whole = Tokenizer.from_file(str(path))
    whole.no_truncation()
    counts: Counter[int] = Counter()
    for novel in novels:
        counts.update(whole.encode(novel.text, add_special_tokens=False).ids)
    said = json.loads(path.read_text("utf-8"))
    by_piece: Mapping[str, int] = said["model"]["vocab"]
    marks = {each["content"] for each in said["added_tokens"]}
    spelled = {
        piece for piece in by_piece
        if len(piece.removeprefix("##")) == 1 and piece[-1] < "\u2100"
    }  # fmt: skip
    always = sorted(by_piece[piece] for piece in (marks & by_piece.keys()) | spelled)
    often = [number for number, _ in counts.most_common() if number not in set(always)]
    kept = np.array([*always, *often[: max(0, most - len(always))]], np.int64)
    pieces = {number: piece for piece, number in by_piece.items()}
    said["model"]["vocab"] = {pieces[int(old)]: new for new, old in enumerate(kept)}
    said["added_tokens"] = [
        {**each, "id": said["model"]["vocab"][each["content"]]} for each in said["added_tokens"]
    ]
    post = said.get("post_processor") or {}
    for name, special in (post.get("special_tokens") or {}).items():
        special["ids"] = [said["model"]["vocab"][name]]
    said["padding"] = said["truncation"] = None
    return Tokenizer.from_str(json.dumps(said)), kept


def _marks(words: torch.Tensor, reader: Reader) -> torch.Tensor:
    """First vectors for the marks, from those of words that serve in their places.

    A character is "he", "she" or "they" and something of its own, which its name shares
    with the mark that it speaks.
    """
    number = reader.tokenizer.get_vocab()
    v = reader.vocabulary
    quotation, own = words[number['"']], torch.empty(SLOTS, words.shape[1])
    own.normal_(std=float(words.std()))
    marks = torch.empty(v.size - v.words, words.shape[1])
    for mark, word in ((v.asked, '"'), (v.close, '"'), (v.paragraph, "[SEP]"), (v.cut, "-")):
        marks[mark - v.words] = words[number[word]]
    for gender, word in enumerate(("she", "he", "they")):
        marks[v.names - v.words + gender : v.said - v.words : len(GENDERS)] = (
            words[number.get(word, number["[UNK]"])] + own
        )
    marks[v.said - v.words :] = quotation + own
    return marks


def _encoder(base: Path, kept: Ints, reader: Reader) -> Any:
    """The encoder with the word vectors that are kept, and new ones for the marks."""
    import transformers
    from transformers import AutoModel

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    encoder = AutoModel.from_pretrained(
        base, use_safetensors=True, local_files_only=True, add_pooling_layer=False,
        attn_implementation="sdpa", attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.0,
    )  # fmt: skip
    words = encoder.get_input_embeddings().weight.detach()[torch.from_numpy(kept)]
    vectors = torch.cat([words, _marks(words, reader)])
    encoder.set_input_embeddings(torch.nn.Embedding.from_pretrained(vectors, freeze=False))
    encoder.config.vocab_size = reader.vocabulary.size
    return encoder


def epoch(
    novels: Sequence[Novel], made: Sequence[Script], recipe: Recipe, draw: np.random.Generator
) -> list[tuple[Window, Ints]]:
    """Windows over all novels by chance, and for each of their opening marks the place of the
    speaker among the window's characters, -1 where it is not there."""
    found: list[tuple[Window, Ints]] = []
    most = MOST_TOKENS - MARKS
    for novel, script in zip(novels, made, strict=True):
        for first, end in script.cut(most, int(draw.integers(most // 4, most))):
            asked = {q for each in script.quoted[first:end] for q in each.tolist()}
            told = _told(sorted(asked), novel, recipe, draw)
            hidden = draw.random(len(novel.cast)) < recipe.gender_hidden
            window = script.window(first, end, told, draw, hidden)
            places = {who: at for at, who in enumerate(window.characters)}
            right = [places.get(novel.speakers[q], -1) for q in window.quoted.tolist()]
            if any(place >= 0 for place in right):
                found.append((window, np.array(right, np.int64)))
    return [found[at] for at in draw.permutation(len(found))]


def _told(
    asked: Sequence[int], novel: Novel, recipe: Recipe, draw: np.random.Generator
) -> dict[int, int]:
    """The speakers of some quotations, a few of them wrong.

    Decoding knows first what is said explicitly, so mostly those are told.
    """
    if draw.random() >= recipe.told_share:
        return {}
    share = draw.random()
    explicit = 0.95 if draw.random() < 0.7 else share
    told = {}
    for q in asked:
        chance = explicit if novel.kinds[q] == "Explicit" else share
        if novel.speakers[q] >= 0 and draw.random() < chance:
            wrong = draw.random() < recipe.told_wrong
            told[q] = int(draw.integers(len(novel.cast))) if wrong else novel.speakers[q]
    return told


def _loss(
    model: Pointer, batch: Sequence[tuple[Window, Ints]], device: torch.device
) -> torch.Tensor:
    """Cross entropy of the speakers, a character's score being that of all its names."""
    longest = max(len(window.ids) for window, _ in batch)
    shape = (len(batch), next(each for each in LENGTHS if each >= longest))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, (window, _) in enumerate(batch):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
    with torch.autocast(device.type, torch.bfloat16):
        asks, offers = model(torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device))
    losses = []
    for row, (window, right) in enumerate(batch):
        there = np.flatnonzero(right >= 0)
        half = asks.shape[2] // 2
        opened, closed = (
            asks[row, window.asked[there], :half],
            asks[row, window.closed[there], half:],
        )
        scores = torch.cat([opened, closed], 1).float() @ offers[row, window.named].float().T
        scores = scores + model.near[torch.from_numpy(window.steps[there]).to(device)]
        slots = torch.from_numpy(window.slots).to(device)
        top = scores.max(1, keepdim=True).values.detach()
        mass = torch.zeros(len(there), len(window.characters), device=device)
        mass = mass.index_add(1, slots, torch.exp(scores - top)).clamp_min(1e-12)
        losses.append(
            torch.nn.functional.cross_entropy(
                mass.log(), torch.from_numpy(right[there]).to(device), reduction="none"
            )
        )
    return torch.cat(losses).mean()


def runner(model: Pointer) -> decode.Run:
    """The model as decoding calls it."""
    device = next(model.parameters()).device

    def run(ids: Ints, mask: Ints) -> tuple[decode.Floats, decode.Floats]:
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16):
            asks, offers = model(
                torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)
            )
        return asks.float().cpu().numpy(), offers.float().cpu().numpy()

    return run
