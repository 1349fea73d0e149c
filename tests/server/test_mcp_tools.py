"""`scholar mcp`: the tools, called by the client of the protocol's own SDK."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer

from command_line import Scholar, succeeded
from libraries import overwrite
from scholar_cli.commands import common
from scholar_cli.server.bounds import Bounds, Workers
from scholar_cli.server.journeys import Journeys
from scholar_cli.server.mcp_tools import create_server

READERS = set("books find show locate check cite speakers who similar_papers collection".split())


@pytest.fixture
def client(sample: Path) -> Client:
    return Client(server())


def server(*, allow_writes: bool = False) -> MCPServer:
    library = common.open_library()
    workers = Workers(Bounds.of(library.settings))
    return create_server(Journeys(library), workers, allow_writes=allow_writes)


async def test_an_assistant_sees_what_each_tool_does(client: Client) -> None:
    async with client:
        tools = (await client.list_tools()).tools
        assert "exact" in (client.instructions or "")
    assert {tool.name for tool in tools} == READERS
    for tool in tools:
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        described = tool.input_schema.get("properties", {}).values()
        assert all("description" in str(parameter) for parameter in described)


async def test_a_failure_says_what_to_do(client: Client) -> None:
    async with client:
        refused = await client.call_tool("show", {"locator": "pg9:1"})
        invalid = await client.call_tool("find", {"claim": "", "n": 1})
        unknown = await client.call_tool("keep", {"name": "x", "locators": ["pg84:1.1"]})
    assert refused.is_error
    assert "scholar add 9" in refused.content[0].text  # type: ignore[union-attr]
    assert invalid.is_error
    assert "claim" in invalid.content[0].text  # type: ignore[union-attr]
    assert unknown.is_error


async def test_an_answer_that_an_unreadable_book_may_change_is_an_error(two_books: Path) -> None:
    overwrite(next((two_books / "data" / "books").glob("own-the-lamplighter.*")) / "text.txt")
    quotes = ["The lamplighter walked to the quarry on day 3 of month 1"]
    async with Client(server()) as client:
        refused = await client.call_tool("locate", {"quotes": quotes})
    assert refused.is_error
    said = refused.content[0].text  # type: ignore[union-attr]
    assert "own-the-lamplighter" in said
    assert '"status": "unknown"' in said
    assert '"not_searched"' in said


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        pytest.param(
            "find",
            {"claim": "the green light", "book": "frankenstein"},
            "no such parameter: book; parameters: claim, books, n, author, chapter",
            id="find",
        ),
        pytest.param("books", {"n": 2}, "no such parameter: n; parameters: none", id="books"),
    ],
)
async def test_a_parameter_that_a_tool_does_not_have_is_refused(
    client: Client, tool: str, arguments: dict[str, object], message: str
) -> None:
    async with client:
        refused = await client.call_tool(tool, arguments)
    assert refused.is_error
    assert message in refused.content[0].text  # type: ignore[union-attr]


async def test_an_assistant_gets_verbatim_quotations_with_their_places(
    client: Client, scholar: Scholar
) -> None:
    async with client:
        answer = await client.call_tool("find", {"claim": "the green light", "n": 2})
        located = await client.call_tool("locate", {"quotes": ["So we beat on, boats"]})
    assert answer.structured_content is not None
    assert located.structured_content is not None
    hits = answer.structured_content["hits"]
    assert hits == succeeded(scholar("find", "the green light", "-n", "2", "--json")).json
    assert located.structured_content["quotations"][0]["status"] == "verbatim"


async def test_passages_are_kept_where_writing_is_allowed(own_sample: Path) -> None:
    async with Client(server(allow_writes=True)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        await client.call_tool("keep", {"name": "hope", "locators": ["pg84:1.1"]})
        shown = await client.call_tool("collection", {"name": "hope"})
    annotations = tools["keep"].annotations
    assert annotations
    assert not annotations.read_only_hint
    assert shown.structured_content
    assert shown.structured_content["passages"][0]["locator"] == "pg84:1.1"
