"""A transformers causal language model that chooses only between listed names."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.llm.backend import REASONING, Completion, Messages
from scholar_indexes.llm.decoding import TokenReader, TrieNode, choose_name
from scholar_indexes.llm.memory import report_lack_of_memory
from scholar_indexes.sanitize import one_line

_OPENING_TOKENS = 20
"""Tokens reserved for the opening of the answer: its brace and the key of the reasoning."""

_PLACEHOLDER = "\ue000content\ue000"
"""Text with a private-use character, which is removed from every message."""


class LocalModel:
    """A causal language model whose answers are constrained to listed names.

    The keys and punctuation of the JSON object are supplied; the model only chooses the most
    likely next token where names differ. Tokens are read once and cached. `max_tokens` is the
    length of its context, 0 if unknown.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self._name = name
        limits = (
            getattr(model.config.get_text_config(), "max_position_embeddings", None),
            getattr(tokenizer, "model_max_length", None),
        )
        self.max_tokens = min((int(limit) for limit in limits if limit), default=0)
        self._options = frozenset(inspect.signature(model.forward).parameters)

    @property
    def name(self) -> str:
        return self._name

    def count_tokens(self, text: str) -> int:
        return len(self.tokenize(text))

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Completion:
        """Return the answer as Backend does: an object of the ids, in order, and listed names.

        If the context is full, the answer ends after some of the ids and is not finished.
        Raises ConfigError if not even one name fits, or memory runs out.
        """
        if not ids or not names:
            return Completion("{}")
        keys = [self._tokenize_after(",\n", f'{json.dumps(item_id)}: "') for item_id in ids]
        between, last = self._build_trie(names, '",\n'), self._build_trie(names, '"\n}')
        longest = max(between.depth(), last.depth())
        prompt = self.tokenize_prompt(messages)
        self._check_length(len(prompt) + thought_tokens + _OPENING_TOKENS + len(keys[0]) + longest)
        answer: dict[str, str] = {}
        probabilities: dict[str, float] = {}
        count = 0
        with report_lack_of_memory(self._name, str(self.model.device)):
            reader = self._new_reader()
            if thought_tokens:
                prompt += self.tokenize(f'{{\n"{REASONING}": "')
                answer[REASONING] = self._generate_reasoning(reader, prompt, thought_tokens)
                reader.read(self._tokenize_after("x", '",\n') + keys[0])
            else:
                reader.read(prompt + self._tokenize_after("\n", "{\n") + keys[0])
            tries = [between] * (len(ids) - 1) + [last]
            for name, logs in self._choose_names(reader, tries, keys, longest):
                answer[ids[count]] = name
                if logs and math.isfinite(mean := math.fsum(logs) / len(logs)):
                    probabilities[ids[count]] = math.exp(mean)
                count += 1
        return Completion(json.dumps(answer, indent=0), count == len(ids), probabilities)

    def continuation_log_probabilities(
        self, context: str, pairs: Sequence[tuple[str, str]]
    ) -> list[list[float]]:
        """Return for each lead and text the log-probability of each of the text's tokens after the
        context and the lead.

        A context that is too long is truncated at its beginning. Raises ConfigError if lead and
        text alone are too long, or memory runs out.
        """
        begin = self._beginning()
        tokenized = [
            (self.tokenize(lead), self._tokenize_after(lead, text)) for lead, text in pairs
        ]
        longest = max((len(lead) + len(text) for lead, text in tokenized), default=0)
        if self.max_tokens and len(begin) + longest > self.max_tokens:
            raise ConfigError(
                f"{self._name} has a context of {self.max_tokens} tokens and "
                f"{longest + len(begin)} are needed; use a model with a longer context"
            )
        tokens = self.tokenize(context)
        if self.max_tokens:
            tokens = tokens[max(len(tokens) + len(begin) + longest - self.max_tokens, 0) :]
        log_probabilities = []
        with report_lack_of_memory(self._name, str(self.model.device)):
            context_reader = self._new_reader()
            context_reader.read(begin + tokens)
            for lead, text_tokens in tokenized:
                both = lead + text_tokens
                logs = context_reader.fork().read(both, known=len(both))
                log_probabilities.append(logs[len(logs) - len(text_tokens) :])
        return log_probabilities

    def token_log_probabilities(self, text: str) -> list[float]:
        """Return the log-probability of each token of a text given the tokens before it, without
        the first one if the model has no token that begins a text.

        A text longer than the context is truncated at its end. Raises ConfigError if memory runs
        out.
        """
        tokens = [*self._beginning(), *self.tokenize(text)]
        if self.max_tokens:
            del tokens[self.max_tokens :]
        with report_lack_of_memory(self._name, str(self.model.device)):
            return self._new_reader().read(tokens, known=len(tokens))

    def tokenize(self, text: str, *, special: bool = False) -> list[int]:
        """Return the token ids of a text; its special tokens are plain text unless `special`."""
        if not text:
            return []
        tokens: list[int] = self.tokenizer(
            text,
            add_special_tokens=False,
            split_special_tokens=not special,
            return_attention_mask=False,
            verbose=False,
        )["input_ids"]
        return list(tokens)

    def tokenize_prompt(self, messages: Messages) -> list[int]:
        """Return the tokens of a conversation, in the model's chat template if it has one.

        The contents of the messages are tokenized apart from the template around them, so
        that nothing in them can be read as a special token of the template.
        """
        content = "\n\n".join(message["content"] for message in messages)
        content = content.replace("\ue000", "")
        if getattr(self.tokenizer, "chat_template", None):
            before, after = self._template()
            start = self.tokenize(before, special=True)
        else:
            start, after = self._beginning(), "\n\nAnswer:\n"
        return start + self.tokenize(content) + self.tokenize(after, special=True)

    def _template(self) -> tuple[str, str]:
        """Return the parts of the chat template before and after the content of a message."""
        try:
            prompt = self.tokenizer.apply_chat_template(
                [{"role": "user", "content": _PLACEHOLDER}],
                tokenize=False,
                add_generation_prompt=True,
            )
        except Exception as error:
            raise Damaged(
                f"the chat template of {self._name} cannot be used "
                f"({one_line(str(error), 120)}); choose another model"
            ) from error
        before, _, after = str(prompt).partition(_PLACEHOLDER)
        return before, after

    def _beginning(self) -> list[int]:
        """Return the token that begins a text, if the model has one."""
        token = self.tokenizer.bos_token_id
        return [] if token is None else [token]

    def _new_reader(self) -> TokenReader:
        return TokenReader(self.model, self._options)

    def _check_length(self, needed: int) -> None:
        if self.max_tokens and needed > self.max_tokens:
            raise ConfigError(
                f"{self._name} has a context of {self.max_tokens} tokens and {needed} are needed; "
                "use smaller chunks or a model with a longer context"
            )

    def _choose_names(
        self,
        reader: TokenReader,
        tries: Sequence[TrieNode],
        keys: Sequence[Sequence[int]],
        longest: int,
    ) -> Iterator[tuple[str, list[float]]]:
        """Yield a name from each trie and its log-probabilities, until the context is full.

        The reader has read the first key; after each name it reads the next key.
        """
        for number, trie in enumerate(tries):
            if number and self.max_tokens and reader.count + 2 * longest > self.max_tokens:
                return
            next_key = keys[number + 1] if number + 1 < len(keys) else []
            yield choose_name(reader, trie, next_key)

    def _generate_reasoning(self, reader: TokenReader, prompt: Sequence[int], limit: int) -> str:
        """Return free text up to a quotation mark, the end of a line or `limit` tokens."""
        special = set(self.tokenizer.all_special_ids)
        tokens: list[int] = []
        reader.read(prompt)
        while len(tokens) < limit:
            token = int(reader.log_probabilities.argmax())
            if token in special or set(self.tokenizer.decode([token])) & set('"\n'):
                break
            tokens.append(token)
            reader.read([token])
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def _tokenize_after(self, before: str, text: str) -> list[int]:
        """Return the tokens of a text as it is tokenized after another."""
        start, both = self.tokenize(before), self.tokenize(before + text)
        if both[: len(start)] == start:
            return both[len(start) :]
        return self.tokenize(text)

    def _build_trie(self, names: Sequence[str], end: str) -> TrieNode:
        """Return the trie of the names as JSON strings, each with the punctuation after it.

        In many models the punctuation is part of the last token: '",' and not '"'. Of two
        names with the same tokens the first one counts.
        """
        root = TrieNode()
        for name in names:
            escaped = json.dumps(name, ensure_ascii=False)[1:-1]
            root.add(name, self._tokenize_after(': "', escaped + end))
        return root
