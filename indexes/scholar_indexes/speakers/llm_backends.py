"""Language models that name a speaker for each number: one loaded here, or one on a server.

Both answer with a JSON object of numbers and names. The local one cannot answer anything
else, because it only ever chooses between the names it was given; a server is asked for a
schema, where it takes one, and is believed in nothing.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from scholar_indexes import http_chat
from scholar_indexes.errors import ConfigError, Damaged, NotThere, RetryLater, ScholarError
from scholar_indexes.http_answers import TryAgain, is_web_address, plain
from scholar_indexes.types import Span
from scholar_indexes.untrusted import one_line

DEFAULT_MODEL = "meta-llama/Meta-Llama-3-8B-Instruct"
"""The model of Michel et al., "Evaluating LLMs for Quotation Attribution in Literary
Texts", section 4."""

REASONING = "reasoning"
"""The first key of an answer that thinks aloud before it names anyone."""

MAX_ANSWER_BYTES = 8 * 1024**2

Messages = Sequence[Mapping[str, str]]
"""A conversation: role and content of each message."""

# Everything that repeats is bounded, so that reading is linear in whatever a model says.
_SAID = re.compile(
    r"""["']?[<\[]?([0-9]{1,6})[>\]]?["']?\s{0,20}:\s{0,20}(?:"((?:[^"\\\n]|\\.)*)"|null\b)"""
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, whether it came to its end, and how likely each name was.

    chances holds, for each id where it is known, the geometric mean of the probabilities
    of the tokens of its name.
    """

    text: str
    whole: bool = True
    chances: Mapping[str, float] = field(default_factory=dict)


class Backend(Protocol):
    """A language model; name tells its answers from those of another."""

    @property
    def name(self) -> str: ...

    def count_tokens(self, text: str) -> int:
        """How many tokens a text is for this model, about."""
        ...

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Answer:
        """The answer to a conversation that asks for a name for each id.

        With thought_tokens the model may first write about so many tokens of free text
        under the key REASONING. Raises only errors of errors.py.
        """
        ...


def said(text: str) -> Iterator[tuple[str, str | None, Span]]:
    """Every id and name in an answer, and where the name stands; None for a null.

    The answer may stand in other text, in fences, be cut off or have commas too many; a
    name that is cut off is left out, since it could be the beginning of another.
    """
    for found in _SAID.finditer(text):
        name = found[2]
        if name is not None:
            with suppress(ValueError):
                name = json.loads(f'"{name}"', strict=False)
        yield str(int(found[1])), name, Span(*found.span(2))


# -- a model on this machine ---------------------------------------------------------------


def chosen(
    model: str | None,
    server: str | None,
    *,
    api_key: str | None = None,
    device: str = "auto",
    eight_bit: bool = False,
) -> Backend:
    """A server's model where a server is named, else one of this machine; see Server and load."""
    if server:
        return Server(server, model or "", api_key=api_key)
    return load(model or DEFAULT_MODEL, device, eight_bit=eight_bit)


def load(model: str = DEFAULT_MODEL, device: str = "auto", *, eight_bit: bool = False) -> Local:
    """A causal language model of transformers, from a folder or from the hub's cache.

    device is one of settings.DEVICES; eight_bit halves the memory with bitsandbytes, as
    the paper does (appendix F). Nothing is downloaded, only safetensors are read and no
    code that comes with a model is run. Raises ConfigError (no torch, device or
    bitsandbytes; not enough memory), NotThere (no such model) and Damaged.
    """
    if any(importlib.util.find_spec(each) is None for each in ("torch", "transformers")):
        raise ConfigError(f"{model} needs torch; run: pip install 'scholar-cli[gpu]'")
    from scholar_indexes.torch_encoder import chosen

    device = chosen(device)
    extra: dict[str, Any] = {}
    if eight_bit:
        extra = _eight_bit(device)
    folder = _folder(model)

    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()
    safely: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _enough_memory(model, device):
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safely)
            loaded, report = transformers.AutoModelForCausalLM.from_pretrained(
                folder, use_safetensors=True, dtype="auto", output_loading_info=True,
                **safely, **extra,
            )  # fmt: skip
            if report["missing_keys"]:  # would be filled with random numbers
                raise ValueError(f"it lacks {sorted(report['missing_keys'])[0]}")
        except Exception as broken:
            if _is_out_of_memory(broken):
                raise
            raise Damaged(
                f"the model {plain(model)} cannot be loaded ({one_line(str(broken), 120)}); "
                "download it again, or choose a causal language model of transformers"
            ) from broken
        if not eight_bit:
            loaded = loaded.to(device)
    marked = f"{model} {_fingerprint(folder)}{' 8-bit' if eight_bit else ''}"
    return Local(loaded.eval(), tokenizer, marked)


def _folder(model: str) -> Path:
    folder = Path(os.path.expanduser(model))
    if not model or not folder.is_dir():
        from transformers.utils import cached_file

        try:
            folder = Path(cached_file(model, "config.json", local_files_only=True)).parent
        except (OSError, ValueError) as missing:
            raise NotThere(
                f"the model {plain(model)} is not here; run: hf download {plain(model)}, "
                "name the folder of a model, or give the address of a server"
            ) from missing
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise NotThere(
            f"{folder} holds no config.json with *.safetensors; "
            "name the folder of a causal language model of transformers"
        )
    return folder


def _fingerprint(folder: Path) -> str:
    """Changes when a file of the model does, without reading gigabytes."""
    digest = sha256((folder / "config.json").read_bytes())
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}".encode())
    return digest.hexdigest()[:12]


def _eight_bit(device: str) -> dict[str, Any]:
    lacking = [each for each in ("bitsandbytes", "accelerate")
               if importlib.util.find_spec(each) is None]  # fmt: skip
    if lacking or device != "cuda":
        what = f"needs {' and '.join(lacking)}" if lacking else f"does not run on {device}"
        mend = f"run: pip install {' '.join(lacking)}, or" if lacking else "use a GPU, or"
        raise ConfigError(f"8-bit precision {what}; {mend} load the model in full precision")
    from transformers import BitsAndBytesConfig

    return {
        "quantization_config": BitsAndBytesConfig(load_in_8bit=True),
        "device_map": {"": device},
    }


def _is_out_of_memory(error: BaseException) -> bool:
    import torch

    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return True
    said_so = ("out of memory", "can't allocate memory", "not enough memory")
    return isinstance(error, RuntimeError) and any(each in str(error) for each in said_so)


@contextmanager
def _enough_memory(model: str, device: str) -> Iterator[None]:
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not _is_out_of_memory(error):
            raise
        raise ConfigError(
            f"{plain(model)} needs more memory than {device} has free; close other programs, "
            "load it with 8 bits, use smaller chunks or choose a smaller model"
        ) from error


@dataclass(slots=True)
class _Node:
    """A place in the trie of names: the tokens that may follow, or the name that ends here."""

    next: dict[int, _Node] = field(default_factory=dict)
    name: str | None = None


class Local:
    """A model of transformers that chooses between names and can say nothing else.

    The object's keys and marks are written for it; the model only picks the next token
    wherever two names part, each time the likeliest. What it has read stays read.
    """

    def __init__(self, model: Any, tokenizer: Any, name: str) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._name = name
        limits = (
            getattr(model.config.get_text_config(), "max_position_embeddings", None),
            getattr(tokenizer, "model_max_length", None),
        )
        self.max_tokens = min((int(each) for each in limits if each), default=0)
        self._keeps = "logits_to_keep" in inspect.signature(model.forward).parameters

    @property
    def name(self) -> str:
        return self._name

    def count_tokens(self, text: str) -> int:
        return len(self._tokens(text))

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Answer:
        """See Backend. The answer is an object of the ids, in order, and listed names.

        Where the model can read no more it ends early, after some of the ids, and is not
        whole. Raises ConfigError where not even one fits, or the memory does not suffice.
        """
        if not ids or not names:
            return Answer("{}")
        keys = [self._after(",\n", f'{json.dumps(each)}: "') for each in ids]
        between = self._trie(names, '",\n')
        last = self._trie(names, '"\n}')
        prompt = self._prompt(messages)
        longest = max(map(_depth, (between, last)))
        room = len(prompt) + thought_tokens + 20 + len(keys[0]) + longest
        if self.max_tokens and room > self.max_tokens:
            raise ConfigError(
                f"{self._name} reads {self.max_tokens} tokens at once and {room} are needed; "
                "use smaller chunks or a model that reads more"
            )
        chosen: dict[str, str] = {}
        chances: dict[str, float] = {}
        device = str(self._model.device)
        with _enough_memory(self._name, device):
            reader = _Reader(self._model, self._keeps)
            if thought_tokens:
                prompt += self._tokens(f'{{\n"{REASONING}": "')
                chosen[REASONING] = self._thought(reader, prompt, thought_tokens)
                reader.read(self._after("x", '",\n') + keys[0])
            else:
                reader.read(prompt + self._after("\n", "{\n") + keys[0])
            for number, each in enumerate(ids):
                if number and self.max_tokens and reader.count + 2 * longest > self.max_tokens:
                    return Answer(json.dumps(chosen, indent=0), False, chances)
                end = number == len(ids) - 1
                name, logs = _walk(
                    reader, last if end else between, [] if end else keys[number + 1]
                )
                chosen[each] = name
                if logs and math.isfinite(mean := math.fsum(logs) / len(logs)):
                    chances[each] = math.exp(mean)
        return Answer(json.dumps(chosen, indent=0), True, chances)

    def likelihoods(self, context: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """For each lead and text the mean log-probability of the text's tokens, where it
        stands after the context and the lead.

        Where the model cannot read all of it, the context loses its beginning. Raises
        ConfigError where lead and text alone are too long, or the memory does not suffice.
        """
        begin = [each for each in [self._tokenizer.bos_token_id] if each is not None]
        read = [(self._tokens(lead), self._after(lead, text)) for lead, text in pairs]
        longest = max((len(lead) + len(text) for lead, text in read), default=0)
        room = self.max_tokens - len(begin) - longest if self.max_tokens else None
        if room is not None and room < 0:
            raise ConfigError(
                f"{self._name} reads {self.max_tokens} tokens at once and "
                f"{longest + len(begin)} are needed; use a model that reads more"
            )
        told = self._tokens(context)
        told = told if room is None else told[max(len(told) - room, 0) :]
        found = []
        with _enough_memory(self._name, str(self._model.device)):
            common = _Reader(self._model, self._keeps)
            common.read(begin + told)
            for lead, text in read:
                logs = common.fork().read(lead + text, known=len(lead) + len(text))
                own = logs[len(logs) - len(text) :]
                found.append(math.fsum(own) / len(own) if own else -math.inf)
        return found

    def _thought(self, reader: _Reader, prompt: Sequence[int], limit: int) -> str:
        """Free text up to a quotation mark, a line's end or so many tokens; it is read too."""
        special = set(self._tokenizer.all_special_ids)
        tokens: list[int] = []
        reader.read(prompt)
        while len(tokens) < limit:
            token = int(reader.logs.argmax())
            if token in special or set(self._tokenizer.decode([token])) & set('"\n'):
                break
            tokens.append(token)
            reader.read([token])
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True))

    def _prompt(self, messages: Messages) -> list[int]:
        """The conversation in the model's own form where it has one.

        What the messages say is turned into tokens apart from the template around it, so
        that nothing in it can be read as a mark of the template.
        """
        content = "\n\n".join(each["content"] for each in messages)
        place = "\ue000content\ue000"  # a private character, which content is rid of
        content = content.replace("\ue000", "")
        if getattr(self._tokenizer, "chat_template", None):
            try:
                form = self._tokenizer.apply_chat_template(
                    [{"role": "user", "content": place}],
                    tokenize=False, add_generation_prompt=True,
                )  # fmt: skip
            except Exception as broken:
                raise Damaged(
                    f"the chat template of {self._name} cannot be used "
                    f"({one_line(str(broken), 120)}); choose another model"
                ) from broken
            before, _, after = str(form).partition(place)
            start = self._tokens(before, marks=True)
        else:
            start = [each for each in [self._tokenizer.bos_token_id] if each is not None]
            after = "\n\nAnswer:\n"
        return start + self._tokens(content) + self._tokens(after, marks=True)

    def _tokens(self, text: str, marks: bool = False) -> list[int]:
        """Token numbers; the special tokens are plain text unless marks are wanted."""
        if not text:
            return []
        tokens: list[int] = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=not marks,
            return_attention_mask=False, verbose=False,
        )["input_ids"]  # fmt: skip
        return list(tokens)

    def _after(self, before: str, text: str) -> list[int]:
        """The tokens of a text as they are when it stands after another."""
        start, whole = self._tokens(before), self._tokens(before + text)
        if whole[: len(start)] == start:
            return whole[len(start) :]
        return self._tokens(text)

    def _trie(self, names: Sequence[str], end: str) -> _Node:
        """The names as JSON, each with the marks after it.

        The marks belong to it because models write them as one token: '",' and not '"'.
        Of two names that the tokenizer cannot tell apart the first one counts.
        """
        root = _Node()
        for name in names:
            written = json.dumps(name, ensure_ascii=False)[1:-1]
            node = root
            for token in self._after(': "', written + end):
                if node.name is not None:
                    break
                node = node.next.setdefault(token, _Node())
            if node.name is None and not node.next:
                node.name = name
        return root


class _Reader:
    """A model that has read count tokens; logs are the log-probabilities of the next one."""

    def __init__(self, model: Any, keeps: bool) -> None:
        self._model = model
        self._keeps = keeps
        self._cache: Any = None
        self.logs: Any = None
        self.count = 0

    def fork(self) -> _Reader:
        """Another that has read the same and reads on by itself."""
        other = _Reader(self._model, self._keeps)
        other._cache, other.logs, other.count = deepcopy(self._cache), self.logs, self.count
        return other

    def read(self, tokens: Sequence[int], known: int = 0) -> list[float]:
        """Read on; the log-probabilities of the 2nd to the known-th of the tokens."""
        import torch

        if not tokens:
            return []
        with torch.inference_mode():
            ids = torch.tensor([list(tokens)], device=self._model.device)
            # The logits of a whole prompt would take gigabytes.
            keep = {"logits_to_keep": len(tokens) if known > 1 else 1} if self._keeps else {}
            out = self._model(input_ids=ids, past_key_values=self._cache, use_cache=True, **keep)
            self._cache = out.past_key_values
            self.count += len(tokens)
            rows = out.logits[0, -len(tokens) if known > 1 else -1 :].float().log_softmax(-1)
            self.logs = rows[-1]
            if known < 2:
                return []
            found: list[float] = rows[: known - 1].gather(1, ids[0, 1:known, None])[:, 0].tolist()
            return found


def _walk(reader: _Reader, node: _Node, following: Sequence[int]) -> tuple[str, list[float]]:
    """Down the trie to a name, and the log-probabilities of its tokens; then what follows
    is read too. The model is asked only where there is a choice."""
    logs: list[float] = []
    unread: list[int] = []
    while node.name is None:
        options = list(node.next)
        if len(options) > 1 and unread:
            logs += reader.read(unread, known=len(unread))
            unread = []
        token = options[0]
        if len(options) > 1:
            token = options[int(reader.logs[options].argmax())]
        if not unread:
            logs.append(float(reader.logs[token]))
        unread.append(token)
        node = node.next[token]
    logs += reader.read([*unread, *following], known=len(unread))
    return node.name, logs


def _depth(node: _Node) -> int:
    """Tokens of the longest name."""
    level, depth = [node], 0
    while level := [each for above in level for each in above.next.values()]:
        depth += 1
    return depth


# -- a model on a server -------------------------------------------------------------------


class Server:
    """A server that speaks as OpenAI's does: llama.cpp, Ollama, vLLM and others.

    url is its address with or without /v1; nothing is sent anywhere else. timeout_s
    bounds one whole answer. A request that fails in a way that may pass is repeated up to
    retries times, pause_s apart and each time twice as long, but never later than
    max_wait_s. The key is sent as a bearer token. Raises ConfigError for an address or a
    key that cannot be one.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 600.0,
        retries: int = 3,
        pause_s: float = 1.0,
        max_wait_s: float = 60.0,
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        if not is_web_address(url) or urlsplit(url).query or urlsplit(url).fragment:
            raise ConfigError(
                f"{plain(url)} is not the address of a server; give one such as "
                "http://localhost:8080, without a user name"
            )
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigError("the API key holds characters that no key has; copy it again")
        base = url.rstrip("/").removesuffix("/chat/completions").removesuffix("/v1")
        self._url = f"{base}/v1/chat/completions"
        self._host = plain(urlsplit(url).netloc)
        self._model = model
        self._headers = {"Content-Type": "application/json", "User-Agent": "scholar-cli"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._timeout_s = timeout_s
        self._retries = retries
        self._pause_s = pause_s
        self._max_wait_s = max_wait_s
        self._max_bytes = max_bytes
        self._rung = 0

    @property
    def name(self) -> str:
        return self._model

    def count_tokens(self, text: str) -> int:
        """An estimate, since not every server can be asked: four bytes are a token."""
        return (len(text.encode("utf-8", "replace")) + 3) // 4

    def complete(
        self,
        messages: Messages,
        ids: Sequence[str],
        names: Sequence[str],
        *,
        thought_tokens: int = 0,
    ) -> Answer:
        """See Backend; an answer too long to be read is empty and not whole.

        Asks for a schema, where the server refuses that for any JSON, and at last for
        text. Raises RetryLater (down, slow or busy), ConfigError (the key, the model,
        the address or the length of the prompt) and ScholarError (refused otherwise).
        """
        longest = max((len(each.encode("utf-8", "replace")) for each in names), default=0)
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [dict(each) for each in messages],
            "temperature": 0,
            "max_tokens": 64 + 2 * thought_tokens + len(ids) * (12 + longest // 2),
            "stream": False,
        }
        schema = {"name": "speakers", "strict": True,
                  "schema": _schema(ids, names, thought_tokens > 0)}  # fmt: skip
        rungs: list[dict[str, Any]] = [
            {
                "response_format": {"type": "json_schema", "json_schema": schema},
                "logprobs": True,
                "top_logprobs": 1,
            },
            {"response_format": {"type": "json_schema", "json_schema": schema}},
            {"response_format": {"type": "json_object"}},
            {},
        ]
        refusal = ""
        for rung in range(self._rung, len(rungs)):
            reply = self._send({**request, **rungs[rung]})
            if reply.status not in (400, 422):
                self._rung = rung
                return self._answer(reply)
            refusal = _complaint(reply)
        raise ConfigError(
            f"{self._host} refuses the request{refusal}; "
            "use smaller chunks, or check the server's context and model"
        )

    def _send(self, request: Mapping[str, Any]) -> http_chat.Reply:
        """The reply, however often it takes within the limits."""
        body = json.dumps(request).encode()
        for turn in range(self._retries + 1):
            wait_s = 0.0
            try:
                reply = http_chat.post(
                    self._url, body, self._headers,
                    timeout_s=self._timeout_s, max_bytes=self._max_bytes,
                )  # fmt: skip
                if reply.status == 429 or reply.status >= 500:
                    trouble = f"{self._host} is in trouble ({reply.status}){_complaint(reply)}"
                    wait_s = reply.wait_s
                elif reply.status == 200 and reply.whole and _json(reply.body) is None:
                    trouble = f"{self._host} answers with something that is no JSON"
                else:
                    return reply
            except TryAgain as again:
                trouble = str(again)
            if turn == self._retries or wait_s > self._max_wait_s:
                break
            time.sleep(min(max(wait_s, self._pause_s * 2**turn), self._max_wait_s))
        raise RetryLater(f"{trouble}; see that the server runs, then run the same command again")

    def _answer(self, reply: http_chat.Reply) -> Answer:
        status = reply.status
        if status in (401, 403):
            raise ConfigError(f"{self._host} refuses the API key ({status}); give the right one")
        if status == 404:
            raise ConfigError(
                f"{self._host} has no model {plain(self._model)} or no /v1/chat/completions "
                f"(404){_complaint(reply)}; check the model's name and the address"
            )
        if 300 <= status < 400:
            raise ConfigError(
                f"{self._host} passes on to another address ({status}), which is not followed; "
                "give the server's own address"
            )
        if status != 200:
            raise ScholarError(
                f"{self._host} refuses the request ({status}){_complaint(reply)}; "
                "check the server's settings"
            )
        if not reply.whole:
            return Answer("", whole=False)
        try:
            choice = _json(reply.body)["choices"][0]
            content = choice["message"].get("content") or ""
            if not isinstance(content, str):
                raise TypeError("its content is no text")
        except (KeyError, IndexError, TypeError, AttributeError) as strange:
            raise ConfigError(
                f"{self._host} does not answer as an OpenAI-compatible server does; "
                "check the address"
            ) from strange
        whole = choice.get("finish_reason") != "length"
        return Answer(content, whole, _chances(content, choice.get("logprobs")))


def _schema(ids: Sequence[str], names: Sequence[str], thought: bool) -> dict[str, Any]:
    """A JSON schema: exactly these keys in this order, each with one of the names."""
    properties: dict[str, Any] = {REASONING: {"type": "string"}} if thought else {}
    properties |= {each: {"$ref": "#/$defs/name"} for each in ids}
    return {
        "$defs": {"name": {"type": "string", "enum": list(names)}},
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _complaint(reply: http_chat.Reply) -> str:
    """What a server says went wrong, as ": ..." in one line, or nothing."""
    read = _json(reply.body)
    error = read.get("error") if isinstance(read, dict) else None
    text = error.get("message") if isinstance(error, dict) else error
    return f": {plain(one_line(str(text), 150))}" if text else ""


def _json(body: bytes) -> Any:
    """What a body says, None where it is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _chances(content: str, logprobs: Any) -> dict[str, float]:
    """For each id the geometric mean of the probabilities of its name's tokens.

    Empty where a server gives none, or tokens that do not make up the text.
    """
    try:
        tokens = [(str(each["token"]), min(0.0, float(each["logprob"])))
                  for each in logprobs["content"]]  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return {}
    if "".join(token for token, _ in tokens) != content:
        return {}
    found: dict[str, float] = {}
    at = start = 0  # a token, and where it begins
    for key, name, span in said(content):
        if name is None:
            continue
        logs = []
        while at < len(tokens) and start < span.end:
            token, log = tokens[at]
            if start + len(token) > span.start:
                logs.append(log)
            start, at = start + len(token), at + 1
        if logs:
            found[key] = math.exp(math.fsum(logs) / len(logs))
    return {key: chance for key, chance in found.items() if math.isfinite(chance)}
