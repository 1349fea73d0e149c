"""Models by name: packaged, in a folder, and pulled from a hub that may lie or fail."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mirror_server import MirrorServer, break_off, status
from scholar_indexes.attribution import trained as attribute
from scholar_indexes.attribution.pipeline import DEFAULT_MODEL as SPEAKER_MODEL
from scholar_indexes.errors import (
    ConfigError,
    Damaged,
    NotThere,
    Offline,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.models import engines, registry
from scholar_indexes.models.registry import ModelFiles
from scholar_indexes.net.client import Fetcher
from scholar_indexes.settings import DEFAULT_FACET_MODEL, DEFAULT_MODEL, DEFAULT_PAPERS_MODEL
from tiny_models import rewrite

PACKAGED = sorted([SPEAKER_MODEL, DEFAULT_MODEL, DEFAULT_PAPERS_MODEL, DEFAULT_FACET_MODEL])
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "example/tiny"
POOLING = {"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}
MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]
FILES = {
    "config.json": json.dumps({"hidden_size": 8, "max_position_embeddings": 128}).encode(),
    "modules.json": json.dumps(MODULES).encode(),
    "1_Pooling/config.json": json.dumps(POOLING).encode(),
    "tokenizer.json": b"{}",
    "model.safetensors": b"these are eight weights " * 100,
}
WEIGHTS = hashlib.sha256(FILES["model.safetensors"]).hexdigest()


@dataclass
class Hub:
    """A server with the two addresses of a hub, and one model in it."""

    server: MirrorServer
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))

    def listing(self, revision: str = "main") -> str:
        return f"/api/models/{NAME}/revision/{revision}?blobs=true"

    def address(self, file: str) -> str:
        return f"/{NAME}/resolve/{COMMIT}/{file}"

    def siblings(self) -> list[dict[str, Any]]:
        return [_described(name, content) for name, content in self.files.items()]

    def publish(self, revision: str = "main", **changed: Any) -> None:
        """Serve the files and their description, some of its values changed."""
        for name, content in self.files.items():
            self.server.put(self.address(name), content)
        described = {"sha": COMMIT, "siblings": self.siblings(), **changed}
        self.server.put(self.listing(revision), json.dumps(described).encode())


def _described(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    described: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if name.endswith((".safetensors", ".bin")):
        sha256 = hashlib.sha256(content).hexdigest()
        described["lfs"] = {"sha256": sha256, "size": len(content), "pointerSize": 130}
    return described


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with MirrorServer(tmp_path / "hub") as server:
        yield Hub(server)


@pytest.fixture
def pulled(home: Path) -> Path:
    return home / "models"


@pytest.fixture
def pull(home: Path, hub: Hub, pulled: Path):
    """Return a function that calls models.pull on the hub, by a Fetcher that does not wait."""

    def pull(
        name: str = NAME, *, revision: str = "main", offline: bool = False, messages: Any = None
    ) -> ModelFiles:
        fetcher = Fetcher(home / "http", offline=offline, pause_s=0, retries=0, timeout_s=5)
        announce = messages.append if messages is not None else lambda line: None
        return registry.pull(
            name, pulled, fetcher, hub.server.url(), revision=revision, announce=announce
        )

    return pull


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of sentence-transformers without a card."""
    for name, content in FILES.items():
        path = tmp_path / "own-model" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "own-model"


def left_in(pulled: Path) -> list[str]:
    return [path.name for path in pulled.iterdir()] if pulled.exists() else []


@pytest.mark.parametrize(
    "name", ["", "..", "../tiny", "a/b/c", "/tiny", "tiny/", "-tiny", "a b", "a/..", "b" * 97]
)
def test_what_is_no_name_is_refused_before_anything_is_asked(pull, hub: Hub, name: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        pull(name)
    assert hub.server.requested_paths == []


@pytest.mark.parametrize("revision", ["", "../main", "a..b", "-r", "a b", "?x"])
def test_what_is_no_revision_is_refused(pull, hub: Hub, revision: str) -> None:
    with pytest.raises(UsageError, match="revision"):
        pull(revision=revision)
    assert hub.server.requested_paths == []


@pytest.mark.parametrize(
    ("code", "error"),
    [(401, ScholarError), (403, ScholarError), (404, NotThere), (500, RetryLater)],
)
@pytest.mark.parametrize("which", ["listing", "weights"])
def test_a_hub_that_refuses_leaves_nothing(
    pull, hub: Hub, pulled: Path, code: int, error: type[ScholarError], which: str
) -> None:
    hub.publish()
    path = hub.listing() if which == "listing" else hub.address("model.safetensors")
    hub.server.script(path, status(code))
    with pytest.raises(error):
        pull()
    assert left_in(pulled) == []


def test_offline_forbids_a_pull(pull, hub: Hub, pulled: Path) -> None:
    hub.publish()
    with pytest.raises(Offline):
        pull(offline=True)
    assert left_in(pulled) == []


@pytest.mark.parametrize(
    "described",
    [
        pytest.param(b"<html>", id="a web page"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="nothing"),
        pytest.param(json.dumps({"sha": COMMIT, "siblings": [1]}).encode(), id="no files"),
        pytest.param(json.dumps({"sha": "", "siblings": []}).encode(), id="no commit"),
        pytest.param(json.dumps({"sha": "../main", "siblings": []}).encode(), id="a path"),
        pytest.param(b"\xff\xfe", id="not text"),
    ],
)
def test_a_description_that_cannot_be_read_is_one_clear_line(
    pull, hub: Hub, pulled: Path, described: bytes
) -> None:
    hub.server.put(hub.listing(), described)
    with pytest.raises(ScholarError, match="description of example/tiny cannot be read"):
        pull()
    assert left_in(pulled) == []


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        pytest.param("model.safetensors", {"lfs": {"sha256": "../../../etc"}}, id="a path"),
        pytest.param("model.safetensors", {"lfs": {"sha256": "A" * 64}}, id="not hexadecimal"),
        pytest.param("config.json", {"blobId": "x"}, id="not a blob's"),
    ],
)
def test_a_hash_that_is_none_is_refused(pull, hub: Hub, file: str, changed: dict[str, Any]) -> None:
    siblings = [
        sibling | changed if sibling["rfilename"] == file else sibling for sibling in hub.siblings()
    ]
    hub.publish(siblings=siblings)
    with pytest.raises(ScholarError, match="cannot be read"):
        pull()


def test_a_hub_without_hashes_is_refused(pull, hub: Hub) -> None:
    hub.publish(siblings=[{"rfilename": name} for name in hub.files])
    with pytest.raises(ScholarError, match="no hashes"):
        pull()


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_file_of_another_hash_is_refused_and_the_next_pull_asks_for_it_again(
    pull, hub: Hub, pulled: Path, file: str
) -> None:
    hub.publish()
    hub.server.put(hub.address(file), b"something else")
    with pytest.raises(Damaged):
        pull()
    assert left_in(pulled) == []
    hub.publish()
    assert pull().name == NAME


def test_weights_as_pickle_only_are_refused_and_never_fetched(pull, hub: Hub, pulled: Path) -> None:
    hub.files["pytorch_model.bin"] = hub.files.pop("model.safetensors")
    hub.publish()
    with pytest.raises(ScholarError, match="no weights as safetensors"):
        pull()
    assert hub.server.requested_paths == [hub.listing()]
    assert left_in(pulled) == []


def test_a_model_without_a_configuration_is_refused(pull, hub: Hub) -> None:
    del hub.files["config.json"]
    hub.publish()
    with pytest.raises(ScholarError, match=r"no config\.json"):
        pull()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param(
            "config.json",
            {"hidden_size": 8, "auto_map": {"AutoModel": "modeling.Own"}},
            id="auto_map",
        ),
        pytest.param(
            "modules.json", [{"idx": 0, "name": "0", "path": "", "type": "own.Module"}], id="module"
        ),
    ],
)
def test_a_model_that_needs_code_of_its_own_is_refused(
    pull, hub: Hub, pulled: Path, file: str, content: object
) -> None:
    hub.files[file] = json.dumps(content).encode()
    hub.publish()
    with pytest.raises(ScholarError, match="tiny needs code of its own"):
        pull()
    assert left_in(pulled) == []


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param("config.json", b"{", id="not JSON"),
        pytest.param("config.json", b"[]", id="a list"),
        pytest.param("config.json", b'{"hidden_size": "wide"}', id="a width in words"),
        pytest.param("modules.json", b"{}", id="modules that are no list"),
        pytest.param("modules.json", b"[1]", id="modules that are none"),
        pytest.param("1_Pooling/config.json", b'{"pooling_mode": 3}', id="no pooling"),
        pytest.param("sentence_bert_config.json", b'{"max_seq_length": "all"}', id="no limit"),
    ],
)
def test_a_model_that_is_not_described_is_one_clear_line(
    pull, hub: Hub, pulled: Path, file: str, content: bytes
) -> None:
    hub.files[file] = content
    del hub.files["1_Pooling/config.json"]
    if file.startswith("1_"):
        hub.files[file] = content
    hub.publish()
    with pytest.raises(ConfigError):
        pull()
    assert left_in(pulled) == []


def test_a_pull_that_breaks_off_leaves_nothing_and_can_be_repeated(
    pull, hub: Hub, pulled: Path
) -> None:
    hub.publish()
    weights = hub.files["model.safetensors"]
    hub.server.script(hub.address("model.safetensors"), break_off(weights, 700))
    with pytest.raises(RetryLater):
        pull()
    assert left_in(pulled) == []
    hub.server.scripts.clear()
    assert pull().weights_sha256 == WEIGHTS


def test_ctrl_c_leaves_nothing(pull, hub: Hub, pulled: Path) -> None:
    hub.publish()

    class Impatient(list[str]):
        def append(self, line: str) -> None:
            if "model.safetensors" in line:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(messages=Impatient())
    assert left_in(pulled) == []


def test_a_pulled_model_is_pinned_to_its_commit_and_every_file_has_its_hash(pull, hub: Hub) -> None:
    hub.publish()
    model = pull()
    card = json.loads((model.folder / "card.json").read_text("utf-8"))
    assert card["revision"] == COMMIT
    assert card["source"] == hub.server.url(f"/{NAME}")
    assert card["weights_sha256"] == WEIGHTS
    expected = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    assert card["files"] == model.files == expected
    assert (model.name, model.origin) == (NAME, "pulled")
    assert (model.dimensions, model.max_tokens, model.pooling) == (8, 128, "mean")
    assert model.space == f"tiny_{WEIGHTS[:8]}"
    registry.verify(model)


def test_a_branch_or_a_commit_can_be_asked_for(pull, hub: Hub) -> None:
    hub.publish("refs/pr/1")
    assert pull(revision="refs/pr/1").name == NAME


def test_nothing_is_fetched_that_is_not_wanted_and_no_path_leaves_the_folder(
    pull, hub: Hub, pulled: Path
) -> None:
    strange = [
        "../outside.json",
        "/etc/config.json",
        "1_Pooling/../../config.json",
        "README.md",
        "modeling.py",
        "pytorch_model.bin",
        "onnx/model.onnx",
        "a/b/config.json",
        "..\\config.json",
        "config.json/../x",
    ]
    more = [_described(name, b"content") for name in strange]
    hub.publish(siblings=hub.siblings() + more)
    model = pull()
    assert set(hub.server.requested_paths) == {hub.listing(), *map(hub.address, FILES)}
    there = {path.relative_to(model.folder).as_posix() for path in model.folder.rglob("*.*")}
    assert there == {*FILES, "card.json"}
    assert left_in(pulled) == ["example--tiny"]


def test_every_download_is_announced_before_it_begins(pull, hub: Hub) -> None:
    hub.publish()
    messages: list[str] = []
    pull(messages=messages)
    assert any("model.safetensors" in line and "downloading" in line for line in messages)


def test_nothing_of_a_pulled_model_is_kept_twice(pull, hub: Hub, home: Path) -> None:
    hub.publish()
    pull()
    assert not [
        path
        for path in (home / "http").rglob("*")
        if path.is_file() and path.read_bytes() == FILES["model.safetensors"]
    ]


def test_pulling_again_replaces_what_was_there(pull, hub: Hub, pulled: Path) -> None:
    hub.publish()
    first = pull()
    hub.files["model.safetensors"] = b"new weights" * 100
    hub.publish()
    second = pull()
    assert second.folder == first.folder
    assert second.space != first.space
    assert left_in(pulled) == ["example--tiny"]
    registry.verify(second)


def test_the_pulled_twin_of_the_packaged_encoder_can_be_named(pull, hub: Hub, pulled: Path) -> None:
    packaged = registry.find(DEFAULT_MODEL, pulled)
    assert registry.find(f"sentence-transformers/{DEFAULT_MODEL}", pulled) == packaged
    twin = pulled / f"sentence-transformers--{DEFAULT_MODEL}"
    shutil.copytree(packaged.folder, twin)
    rewrite(twin / "card.json", name=f"sentence-transformers/{DEFAULT_MODEL}")
    assert registry.find(f"sentence-transformers/{DEFAULT_MODEL}", pulled).folder == twin
    assert registry.find(DEFAULT_MODEL, pulled) == packaged
    assert registry.remove(f"sentence-transformers/{DEFAULT_MODEL}", pulled).folder == twin


def test_a_model_that_is_not_here_says_how_to_get_it(pulled: Path) -> None:
    with pytest.raises(NotThere, match="run: scholar models pull example/tiny"):
        registry.find(NAME, pulled)


@pytest.mark.parametrize("name", ["", "no such/folder/at/all", "a b", "~nobody-of-that-name/tiny"])
def test_what_is_neither_a_name_nor_a_folder_points_to_the_list(pulled: Path, name: str) -> None:
    with pytest.raises(NotThere, match="scholar models list"):
        registry.find(name, pulled)


def test_a_folder_of_ones_own_is_a_model(folder: Path, pulled: Path) -> None:
    model = registry.find(str(folder), pulled)
    assert (model.origin, model.dimensions, model.onnx) == ("folder", 8, None)
    assert set(model.files) == set(FILES)
    assert model.weights_sha256 == WEIGHTS


def test_a_folder_without_weights_is_refused(folder: Path, pulled: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ConfigError, match="safetensors"):
        registry.find(str(folder), pulled)


def test_a_folder_without_a_card_cannot_be_verified_and_says_so(folder: Path, pulled: Path) -> None:
    with pytest.raises(UsageError, match=r"no card\.json"):
        registry.verify(registry.find(str(folder), pulled))


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param({"pooling_mode_mean_tokens": True}, "mean", id="mean"),
        pytest.param({"pooling_mode": "mean"}, "mean", id="mean, the newer way"),
        pytest.param({"pooling_mode": "cls"}, "cls", id="cls, the newer way"),
        pytest.param(
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls", id="cls"
        ),
        pytest.param(
            {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
            "cls_mean",
            id="both",
        ),
    ],
)
def test_the_pooling_of_a_folder_is_read_and_is_part_of_its_space(
    folder: Path, pulled: Path, configuration: dict[str, Any], expected: str
) -> None:
    (folder / "1_Pooling" / "config.json").unlink()
    rewrite(folder / "1_Pooling" / "config.json", word_embedding_dimension=8, **configuration)
    model = registry.find(str(folder), pulled)
    assert model.pooling == expected
    assert model.dimensions == 8 * (1 + expected.count("_"))
    plain = f"own_model_{WEIGHTS[:8]}"
    assert model.space == (plain if expected == "mean" else f"{plain}_{expected}")


def test_a_last_layer_sets_the_width_and_belongs_to_the_weights(folder: Path, pulled: Path) -> None:
    before = registry.find(str(folder), pulled)
    (folder / "2_Dense").mkdir()
    rewrite(folder / "2_Dense" / "config.json", in_features=8, out_features=4)
    (folder / "2_Dense" / "model.safetensors").write_bytes(b"four weights")
    after = registry.find(str(folder), pulled)
    assert after.dimensions == 4
    assert after.space != before.space


@pytest.mark.parametrize("key", ["hidden_size", "dim", "d_model"])
def test_the_width_goes_by_several_names(folder: Path, pulled: Path, key: str) -> None:
    (folder / "config.json").write_text(json.dumps({key: 16}), "utf-8")
    shutil.rmtree(folder / "1_Pooling")
    assert registry.find(str(folder), pulled).dimensions == 16


@pytest.mark.parametrize(
    ("bert", "tokenizer", "positions", "expected"),
    [
        pytest.param(64, 512, 512, 64, id="said for sentences"),
        pytest.param(None, 32, 512, 32, id="said by the tokenizer"),
        pytest.param(None, int(1e30), 128, 128, id="said by the positions"),
        pytest.param(None, None, 8192, 512, id="more than is of use"),
        pytest.param(None, None, None, 512, id="not said"),
    ],
)
def test_a_model_reads_as_much_as_it_says(
    folder: Path,
    pulled: Path,
    bert: int | None,
    tokenizer: int | None,
    positions: int | None,
    expected: int,
) -> None:
    rewrite(folder / "sentence_bert_config.json", max_seq_length=bert)
    rewrite(folder / "tokenizer_config.json", model_max_length=tokenizer)
    rewrite(folder / "config.json", max_position_embeddings=positions)
    assert registry.find(str(folder), pulled).max_tokens == expected


def test_a_flipped_byte_is_found(pull, hub: Hub) -> None:
    hub.publish()
    model = pull()
    weights = model.folder / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[1000] ^= 1
    weights.write_bytes(content)
    with pytest.raises(Damaged, match=r"model\.safetensors is not what .*models pull example/tiny"):
        registry.verify(model)


def test_a_missing_file_is_found_and_the_model_can_still_be_listed(
    pull, hub: Hub, pulled: Path
) -> None:
    hub.publish()
    model = pull()
    (model.folder / "model.safetensors").unlink()
    assert next(model for model in registry.installed(pulled) if model.name == NAME).size_bytes > 0
    with pytest.raises(Damaged, match=r"model\.safetensors is missing"):
        registry.verify(model)


@pytest.mark.parametrize("card", ["", "{}", "[]", '{"name": 1, "files": []}', "\x00"])
def test_a_model_whose_card_cannot_be_read_is_not_listed(
    pull, hub: Hub, pulled: Path, card: str
) -> None:
    hub.publish()
    (pull().folder / "card.json").write_text(card, "utf-8")
    assert [model.name for model in registry.installed(pulled)] == PACKAGED
    with pytest.raises(NotThere):
        registry.find(NAME, pulled)


def test_a_folder_whose_card_cannot_be_read_is_damaged(folder: Path, pulled: Path) -> None:
    (folder / "card.json").write_text("{}", "utf-8")
    with pytest.raises(Damaged, match=r"card\.json cannot be read"):
        registry.find(str(folder), pulled)


def test_a_pulled_model_can_be_removed(pull, hub: Hub, pulled: Path) -> None:
    hub.publish()
    model = pull()
    assert registry.remove(NAME, pulled).folder == model.folder
    assert left_in(pulled) == []


@pytest.mark.parametrize("which", ["packaged", "folder"])
def test_only_a_pulled_model_can_be_removed(folder: Path, pulled: Path, which: str) -> None:
    name = str(folder) if which == "folder" else DEFAULT_MODEL
    with pytest.raises(UsageError, match="not pulled"):
        registry.remove(name, pulled)
    assert registry.find(name, pulled).folder.is_dir()


def test_the_packaged_speaker_model_is_what_its_card_says(pulled: Path) -> None:
    model = registry.find(SPEAKER_MODEL, pulled)
    registry.verify(model)
    assert (model.origin, model.task) == ("packaged", registry.SPEAKERS)
    assert len(attribute.load(model).rounds) == 3


def test_a_speaker_model_is_no_encoder(pulled: Path) -> None:
    with pytest.raises(ConfigError, match="is for speakers, not for passages"):
        engines.load(registry.find(SPEAKER_MODEL, pulled))


def test_the_packaged_encoder_is_what_its_card_says(pulled: Path) -> None:
    model = registry.find(DEFAULT_MODEL, pulled)
    registry.verify(model)
    assert model.origin == "packaged"
    assert model.space == f"relic_minilm_{model.weights_sha256[:8]}"
    assert model.masked
