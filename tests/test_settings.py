"""The sources of settings, their precedence, and where files live."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.errors import ConfigError, ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import user_paths
from scholar_indexes.settings import DEFAULT_MIRRORS, DEFAULT_MODEL, load


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


@pytest.mark.parametrize(
    ("written", "message"),
    [
        pytest.param("device = ", "cannot be read as TOML", id="not TOML"),
        pytest.param("devise = 'cpu'", "no setting 'devise'; choose from device", id="unknown"),
        pytest.param("[books]\nx = 1", "there is no setting 'books'", id="a section"),
        pytest.param("device = 'gpu'", "choose one of auto, cpu, cuda, mps", id="no such device"),
        pytest.param("device = 3", "device must be a string", id="a number for a text"),
        pytest.param("model = ' '", "model must be a string", id="an empty text"),
        pytest.param("offline = 'perhaps'", "offline must be true or false", id="neither"),
        pytest.param("threads = -1", "threads must be a whole number", id="below nought"),
        pytest.param("threads = 1.5", "threads must be a whole number", id="not whole"),
        pytest.param("threads = inf", "threads must be a whole number", id="endless threads"),
        pytest.param("threads = true", "threads must be a whole number", id="true for a number"),
        pytest.param("pause_s = nan", "pause_s must be a number", id="no number"),
        pytest.param("timeout_s = inf", "timeout_s must be a number", id="endless"),
        pytest.param("timeout_s = []", "timeout_s must be a number", id="a list for a number"),
        pytest.param("mirrors = [1]", "mirrors must be a list of strings", id="a list of numbers"),
        pytest.param("mirrors = []", "mirrors must be a list of strings", id="an empty list"),
        pytest.param("mirrors = {a = 1}", "mirrors must be a list of strings", id="a table"),
        pytest.param("mirrors = 1", "mirrors must be a list of strings", id="a number for a list"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_its_file(
    config: Path, written: str, message: str
) -> None:
    config.write_text(written, "utf-8")
    with pytest.raises(ConfigError) as refusal:
        load(config, {})
    assert str(config) in str(refusal.value)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SCHOLAR_DEVICE", "tpu"),
        ("SCHOLAR_THREADS", "many"),
        ("SCHOLAR_THREADS", "1.5"),
        ("SCHOLAR_OFFLINE", "sometimes"),
        ("SCHOLAR_PAUSE_S", "nan"),
        ("SCHOLAR_MIRRORS", " , "),
        ("SCHOLAR_MODEL", ""),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(config: Path, variable: str, value: str) -> None:
    with pytest.raises(ConfigError, match=variable):
        load(config, {variable: value})


def test_a_flag_that_cannot_be_used_is_named(config: Path) -> None:
    with pytest.raises(ConfigError, match=r"flag: device is 'gpu'"):
        load(config, {}, device="gpu")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"model = '\xe9'"])
def test_a_file_in_another_encoding_is_one_clear_line(config: Path, content: bytes) -> None:
    config.write_bytes(content)
    with pytest.raises(ConfigError, match="fix or remove it"):
        load(config, {})


def test_a_folder_in_place_of_the_file_is_one_clear_line(config: Path) -> None:
    config.mkdir()
    with pytest.raises(ConfigError, match="fix or remove it"):
        load(config, {})


def test_without_anything_set_the_defaults_count(config: Path) -> None:
    settings, origin = load(config, {})
    assert (settings.model, settings.device, settings.mirrors) == (
        DEFAULT_MODEL,
        "auto",
        DEFAULT_MIRRORS,
    )
    assert settings.pause_s >= 2
    assert set(origin.values()) == {"default"}


def test_flags_count_over_variables_over_the_file_over_defaults(config: Path) -> None:
    config.write_text("model = 'file'\nthreads = 1\ndevice = 'cpu'\n", "utf-8")
    settings, origin = load(
        config, {"SCHOLAR_MODEL": "variable", "SCHOLAR_THREADS": "2"}, model="flag", device=None
    )
    assert (settings.model, settings.threads, settings.device) == ("flag", 2, "cpu")
    assert origin["model"] == "flag"
    assert origin["threads"] == "SCHOLAR_THREADS"
    assert origin["device"] == str(config)
    assert origin["hub"] == "default"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", True),
        ("true", True),
        ("Yes", True),
        ("0", False),
        ("FALSE", False),
        ("no", False),
        ("", False),
    ],
)
def test_true_and_false_go_by_several_words(config: Path, value: str, expected: bool) -> None:
    assert load(config, {"SCHOLAR_OFFLINE": value})[0].offline is expected


def test_several_mirrors_are_separated_by_commas_or_in_a_list(config: Path) -> None:
    config.write_text("mirrors = ['https://a.example/', 'https://b.example/']", "utf-8")
    expected = ("https://a.example/", "https://b.example/")
    assert load(config, {})[0].mirrors == expected
    written = {"SCHOLAR_MIRRORS": " https://a.example/ , https://b.example/ ,"}
    assert load(Path("nowhere"), written)[0].mirrors == expected


def test_a_file_with_a_byte_order_mark_is_read(config: Path) -> None:
    config.write_bytes(b"\xef\xbb\xbfthreads = 3\n")
    assert load(config, {})[0].threads == 3


def test_other_variables_of_ours_are_no_settings(config: Path) -> None:
    assert load(config, {"SCHOLAR_HOME": "/x", "SCHOLAR_DEBUG": "1"})[0] == load(config, {})[0]


@given(st.sampled_from(["THREADS", "PAUSE_S", "OFFLINE", "MIRRORS", "DEVICE"]), st.text())
def test_any_value_is_taken_or_refused(name: str, value: str) -> None:
    try:
        load(Path("nowhere"), {f"SCHOLAR_{name}": value})
    except ConfigError:
        return


def test_everything_lives_under_one_home(home: Path) -> None:
    paths = user_paths()
    assert {paths.data.parent, paths.cache.parent, paths.config.parent} == {home}
    assert not home.exists()


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="not a folder"):
        user_paths({"SCHOLAR_HOME": str(tmp_path / "file")})


def test_the_home_of_nobody_is_only_a_name() -> None:
    assert user_paths({"SCHOLAR_HOME": "~nobody-of-that-name"}).data.name == "data"


def test_without_a_home_data_and_cache_are_kept_apart() -> None:
    paths = user_paths({})
    assert paths.data != paths.cache
    assert "scholar" in str(paths.data).lower()


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("ENOSPC", "is full"),
        ("EDQUOT", "is full"),
        ("EACCES", "no permission"),
        ("EROFS", "no permission"),
        ("ENOTDIR", "in the way"),
    ],
)
def test_a_refusal_to_write_says_what_to_do(number: str, message: str) -> None:
    import errno

    def write() -> Any:
        with explain_write_errors(Path("/shelf")):
            raise OSError(getattr(errno, number), "refused", "/shelf/file")

    with pytest.raises(ScholarError, match=f"{message}.*SCHOLAR_HOME"):
        write()


def test_any_other_trouble_passes() -> None:
    with pytest.raises(OSError, match="strange"), explain_write_errors(Path("/shelf")):
        raise OSError(errno.EXDEV, "strange")
