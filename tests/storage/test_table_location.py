"""The location of an index: addresses, the options of Lance, and the name of a library there."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Scholar, error_line
from scholar_indexes.errors import ConfigError, Damaged
from scholar_indexes.storage import library_id
from scholar_indexes.storage.table_location import check_address, s3_options


@pytest.mark.parametrize(
    "address",
    [
        "/tmp/index",
        "file:///tmp",
        "s3://",
        "s3:///prefix",
        "s3://B/p",
        "s3://books/a?b",
        "http://x",
    ],
)
def test_an_invalid_s3_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="s3://bucket/scholar"):
        check_address(address)


@pytest.mark.parametrize("address", ["s3://books", "s3://books/", "s3://my.books-2/of/me_too"])
def test_buckets_with_and_without_a_prefix_are_addresses(address: str) -> None:
    check_address(address)


def test_a_command_says_what_the_setting_must_be(
    scholar: Scholar, two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_INDEX", "gopher://books")
    assert "s3://bucket/scholar" in error_line(scholar("find", "the lamplighter"), 2)


def test_books_that_were_indexed_in_a_folder_are_missing_in_a_store(
    scholar: Scholar, two_books: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHOLAR_INDEX", "s3://books/scholar")
    assert "run: scholar index rebuild" in error_line(scholar("find", "the lamplighter"), 4)


def test_the_variables_of_aws_become_options_and_no_others() -> None:
    environment = {"AWS_ACCESS_KEY_ID": "key", "AWS_REGION": "here", "AWS_PROFILE": "", "HOME": "/"}
    assert s3_options(environment) == {"aws_access_key_id": "key", "aws_region": "here"}


@pytest.mark.parametrize(
    ("url", "allowed"), [("http://127.0.0.1:9000", "true"), ("https://store.example", None)]
)
def test_only_an_endpoint_without_tls_is_told_to_be_one(url: str, allowed: str | None) -> None:
    options = s3_options({"AWS_ENDPOINT_URL": url})
    assert options["aws_endpoint"] == url
    assert options.get("allow_http") == allowed


def test_an_endpoint_of_s3_alone_counts_over_that_of_all_services() -> None:
    environment = {"AWS_ENDPOINT_URL_S3": "https://s3.example", "AWS_ENDPOINT_URL": "https://aws"}
    assert s3_options(environment) == {"aws_endpoint": "https://s3.example"}


def test_a_library_keeps_its_name_and_no_two_have_one(tmp_path: Path) -> None:
    first = library_id.read_or_create(tmp_path / "a" / "library-id")
    assert library_id.read_or_create(tmp_path / "a" / "library-id") == first
    assert library_id.read_or_create(tmp_path / "b" / "library-id") != first
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["library-id"]


@pytest.mark.parametrize("content", ["", "../elsewhere", "library-xyz"])
def test_a_damaged_name_is_an_error_and_no_path(tmp_path: Path, content: str) -> None:
    (tmp_path / "library-id").write_text(content)
    with pytest.raises(Damaged, match="remove it"):
        library_id.read_or_create(tmp_path / "library-id")
