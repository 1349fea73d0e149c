"""Models pulled from a hub that may send false data or fail."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hub import COMMIT, FILES, NAME, WEIGHTS, Hub, described, left_in
from mirror_server import break_off, status
from scholar_indexes.errors import (
    ConfigError,
    Damaged,
    NotThere,
    Offline,
    RetryLater,
    ScholarError,
    UsageError,
)
from scholar_indexes.models import registry
from scholar_indexes.settings import DEFAULT_MODEL
from tiny_models import rewrite


@pytest.mark.parametrize(
    "name", ["", "..", "../tiny", "a/b/c", "/tiny", "tiny/", "-tiny", "a b", "a/..", "b" * 97]
)
def test_an_invalid_name_is_refused_before_any_request(pull, hub: Hub, name: str) -> None:
    with pytest.raises(UsageError, match="owner/name"):
        pull(name)
    assert hub.server.requested_paths == []


@pytest.mark.parametrize("revision", ["", "../main", "a..b", "-r", "a b", "?x"])
def test_an_invalid_revision_is_refused(pull, hub: Hub, revision: str) -> None:
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
    with pytest.raises(ScholarError, match="no safetensors weights"):
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
    more = [described(name, b"content") for name in strange]
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
