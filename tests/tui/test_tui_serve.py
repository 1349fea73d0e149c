"""The screens in a real browser, and refused requests."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
import pytest
from yarl import URL

from command_line import error_line, finish, invoke_in_home, start
from scholar_indexes.storage.bookmarks import Bookmarks
from screens import QUAY, busy_desk, user_paths

ESCAPE = re.compile(r"\x1b(?:\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|.)")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def a_free_port() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


ADDRESS = re.compile(r"open (http://\S+/\?token=\S+)")


class Served:
    """A running `scholar tui --serve`: its port, its process, and the addresses it prints."""

    def __init__(self, home: Path, *options: str) -> None:
        self.port = a_free_port()
        self.process = start(
            home,
            "tui",
            "--serve",
            "--port",
            str(self.port),
            *options,
            env={"TERM": "xterm-256color"},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )

    def next_address(self) -> str:
        """Return the next printed address."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            match = ADDRESS.search(line.decode())
            if match:
                return match[1]
        raise AssertionError("the server ended")

    def programs(self) -> list[int]:
        """Return the running processes that the server has started."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for task in tasks for pid in task.read_text().split()]


@contextmanager
def served(home: Path, *options: str) -> Iterator[Served]:
    """Run `scholar tui --serve` and yield it."""
    server = Served(home, *options)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.communicate(timeout=20)


@pytest.fixture(scope="module")
def server(small_library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server shared by tests that leave it running and without programs."""
    home = tmp_path_factory.mktemp("served") / "home"
    shutil.copytree(small_library, home)
    with served(home) as running:
        yield running


def answer(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    async def get() -> tuple[int, dict[str, str], str]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, headers=headers, allow_redirects=False) as response,
        ):
            return response.status, dict(response.headers), await response.text()

    return asyncio.run(get())


class Visit(NamedTuple):
    """A browser's answer for a printed address: the redirect, and the cookie to send there."""

    place: str
    cookie: str


def visit(address: str) -> Visit:
    """Visit a printed address."""
    status, headers, _ = answer(address)
    assert status == 303, headers
    return Visit(headers["Location"], headers["Set-Cookie"].partition(";")[0])


def test_a_port_that_is_taken_is_an_error(two_books: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = invoke_in_home(two_books, "tui", "--serve", "--port", str(port))
    assert "choose another: --port" in error_line(result, 1, after_progress=True)


def test_the_screen_without_a_terminal_says_what_else_there_is(two_books: Path) -> None:
    assert "scholar find" in error_line(invoke_in_home(two_books, "tui"), 2)


def test_a_missing_book_is_an_error_before_the_screen_opens(two_books: Path) -> None:
    assert "no book is called" in error_line(invoke_in_home(two_books, "tui", "Ulysses"), 4)


def test_only_pages_of_its_own_may_drive_the_screen(server: Served) -> None:
    place, key = visit(server.next_address())
    own = f"http://127.0.0.1:{server.port}{place}"
    status, headers, page = answer(own, Cookie=key)
    assert status == 200
    assert "connect-src 'self'" in headers["Content-Security-Policy"]
    assert "scholar" in page
    evil = answer(own, Cookie=key, Host="evil.example")
    assert (evil[0], "--allow-host" in evil[2]) == (403, True), "another name of this address"
    for origin in ("https://evil.example", f"http://localhost:{server.port + 1}", "null"):
        assert answer(f"{own}ws", Cookie=key, Origin=origin)[0] == 403


def test_nothing_is_answered_without_the_address_that_was_printed(server: Served) -> None:
    own = f"http://127.0.0.1:{server.port}"
    printed = server.next_address()
    place, _ = visit(printed)
    printed = server.next_address()
    for path in (place, f"{place}ws", f"{place}static/js/textual.js"):
        assert answer(own + path)[0] == 403, path
    for path in ("/", "/ws", "/static/js/textual.js", "/download/x", "/?token=", "/?token=x"):
        assert answer(own + path)[0] == 403, path
    status, headers, _ = answer(f"{printed}&fontsize=20")
    assert (status, headers["Location"]) == (303, f"{place}?fontsize=20")
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=Strict" in headers["Set-Cookie"]
    assert answer(printed)[0] == 403, "an address is valid for one visit"
    assert answer(own + place, Cookie=visit(server.next_address()).cookie)[0] == 200


def test_a_server_on_another_port_is_sent_no_cookie_of_the_screen(server: Served) -> None:
    async def visit_both(addresses: list[str]) -> None:
        jar = aiohttp.CookieJar(unsafe=True)  # accepts cookies of IP addresses, as browsers do
        async with aiohttp.ClientSession(cookie_jar=jar) as browser:
            for _ in range(2):
                for address in addresses:
                    async with browser.get(address, allow_redirects=True) as response:
                        assert response.status == 200
                    addresses[addresses.index(address)] = str(response.url)
        assert len(jar) == 4
        for path in ("/", "/ws", "/static/", "/download", f"/{'x' * 32}/"):
            assert not jar.filter_cookies(URL(f"http://127.0.0.1:{server.port + 1}{path}")), path

    with served(Path(os.environ["SCHOLAR_HOME"])) as other:
        asyncio.run(visit_both([server.next_address(), other.next_address()]))


def test_names_of_this_machine_are_answered_if_they_are_allowed(two_books: Path) -> None:
    with served(two_books, "--host", "0.0.0.0", "--allow-host", "reading.example") as server:
        place, key = visit(server.next_address())
        own = f"http://127.0.0.1:{server.port}{place}"
        for name in ("localhost", "127.0.0.1", "Reading.Example"):
            host = f"{name}:{server.port}"
            status, _, page = answer(own, Cookie=key, Host=host, Origin=f"http://{host}")
            assert (status, f"ws://{host}{place}ws" in page) == (200, True)
        assert answer(f"http://127.0.0.2:{server.port}{place}", Cookie=key)[0] == 200
        for name in ("evil.example", "8.8.8.8", "[::1", ""):
            assert answer(own, Cookie=key, Host=f"{name}:{server.port}")[0] in (400, 403), name


Drive = Callable[[aiohttp.ClientWebSocketResponse], Awaitable[None]]


def drive(server: Served, drive_socket: Drive, query: str = "") -> None:
    """Open a screen over a websocket, as a page does, and run `drive_socket` on it."""

    place, key = visit(server.next_address())

    async def connect() -> None:
        own = f"http://127.0.0.1:{server.port}"
        async with (
            aiohttp.ClientSession(headers={"Cookie": key, "Origin": own}) as session,
            session.ws_connect(f"{own}{place}ws{query}", max_msg_size=0) as socket,
        ):
            await drive_socket(socket)

    asyncio.run(connect())


async def drawn(socket: aiohttp.ClientWebSocketResponse, text: str) -> int:
    """Wait until a text has been drawn, and return the number of characters drawn so far."""
    seen = ""
    async for message in socket:
        if message.type == aiohttp.WSMsgType.BINARY:
            seen += ESCAPE.sub("", message.data.decode("utf-8", "replace"))
            if text in seen:
                return len(seen)
    raise AssertionError(f"{text!r} was not drawn, but {seen[-500:]!r}")


def has_ended(process: int) -> bool:
    """Wait until a process that is not our child has ended; return False if it still runs."""
    for _ in range(300):
        if not Path(f"/proc/{process}").exists():
            return True
        time.sleep(0.1)
    return False


def ended(server: Served) -> bool:
    """Wait until the server has no programs; return False if it keeps one."""
    for _ in range(300):
        if not server.programs():
            return True
        with suppress(subprocess.TimeoutExpired):
            server.process.wait(0.1)
    return False


@pytest.mark.parametrize(
    "size",
    [
        pytest.param({"width": 20_000, "height": 20_000}, id="huge"),
        pytest.param({"width": 10**30, "height": -1}, id="beyond numbers", marks=pytest.mark.slow),
        pytest.param({"width": "wide", "height": None}, id="no numbers", marks=pytest.mark.slow),
    ],
)
def test_a_screen_of_any_size_stays_small_and_ends_with_its_socket(
    server: Served, size: dict[str, Any]
) -> None:
    async def resize(socket: aiohttp.ClientWebSocketResponse) -> None:
        assert await drawn(socket, "The Lamplighter") < 1_000_000
        assert len(server.programs()) == 1
        await socket.send_json(["resize", size])
        if size["width"] != 10**30:
            await socket.send_json(["stdin", "\x1bOR"])
            assert await drawn(socket, "Claim") < 4_000_000

    drive(server, resize, "?width=99999&height=99999")
    assert ended(server)


def test_a_size_that_is_none_is_the_one_of_before_and_a_huge_one_is_cut() -> None:
    from scholar_tui.serve import _clamped

    assert [_clamped(size, 80, 500) for size in (120, 20_000, 10**30)] == [120, 500, 500]
    assert [_clamped(size, 80, 500) for size in ("wide", None, [])] == [80, 80, 80]


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("{", marks=pytest.mark.slow),
        pytest.param("1", marks=pytest.mark.slow),
        "[]",
        pytest.param('["resize"]', marks=pytest.mark.slow),
        pytest.param('["stdin", 3]', marks=pytest.mark.slow),
        '["stdin", "\\ud800"]',
    ],
)
def test_an_invalid_message_closes_the_socket(server: Served, message: str) -> None:
    async def send(socket: aiohttp.ClientWebSocketResponse) -> None:
        await socket.send_str(message)
        async for _ in socket:
            pass

    drive(server, send)
    assert ended(server)


def test_a_program_that_does_not_quit_is_ended(server: Served) -> None:
    async def stop_program(socket: aiohttp.ClientWebSocketResponse) -> None:
        await drawn(socket, "The Lamplighter")
        os.kill(server.programs()[0], signal.SIGSTOP)

    drive(server, stop_program)
    assert ended(server)


def test_a_mark_that_waits_when_the_page_is_closed_is_kept_for_the_next_page(
    attributed_quay: Path,
) -> None:
    desk = Bookmarks(user_paths().bookmarks)
    other_program = ExitStack()

    async def mark(socket: aiohttp.ClientWebSocketResponse) -> None:
        await drawn(socket, "raining")
        other_program.enter_context(busy_desk())
        for key in "ms":
            await socket.send_json(["stdin", key])
        await drawn(socket, "is not saved yet")

    async def look(socket: aiohttp.ClientWebSocketResponse) -> None:
        await drawn(socket, "saved now, from a closed screen")

    with served(attributed_quay, QUAY) as server:
        with other_program:
            drive(server, mark)
            assert ended(server)
            assert desk.quotations() == []
        drive(server, look)
    assert [quotation.locator for quotation in desk.quotations()] == [f"{QUAY}:1.1:0-91"]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_is_ended_leaves_no_program(two_books: Path, end: signal.Signals) -> None:
    """A killed server cannot end its programs; they notice that it is gone."""
    programs = []

    async def end_server(socket: aiohttp.ClientWebSocketResponse) -> None:
        await drawn(socket, "The Lamplighter")
        programs.extend(server.programs())
        server.process.send_signal(end)
        async for _ in socket:
            pass

    with served(two_books) as server:
        drive(server, end_server)
        server.process.wait(30)
    [program] = programs
    assert has_ended(program)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_programs_while_a_browser_is_connected(
    two_books: Path, number: signal.Signals
) -> None:
    async def interrupt(socket: aiohttp.ClientWebSocketResponse) -> None:
        await drawn(socket, "The Lamplighter")
        [program] = server.programs()
        if number is signal.SIGTERM:
            os.kill(program, signal.SIGSTOP)  # like a program too busy to react
        server.process.send_signal(number)
        async for _ in socket:
            pass
        assert server.process.wait(120) == 0
        assert not Path(f"/proc/{program}").exists()

    with served(two_books) as server:
        drive(server, interrupt)


def test_it_is_served_on_loopback_only(server: Served) -> None:
    addresses = {
        info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    }
    others = [address for address in addresses if not address.startswith("127.")]
    if not others:
        pytest.skip("this machine has no address but loopback")
    with closing(socket.socket()) as tried:
        tried.settimeout(2)
        assert tried.connect_ex((others[0], server.port)) != 0


@pytest.mark.slow
def test_a_claim_is_searched_in_a_browser(two_books: Path, tmp_path: Path) -> None:
    if BROWSER is None:
        pytest.skip("there is no Chromium to show the screen in")
    sync_api = pytest.importorskip("playwright.sync_api")
    with served(two_books) as server, sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        urls: list[str] = []
        terminal = BrowserTerminal(page)
        page.on("request", lambda request: urls.append(request.url))
        page.goto(f"{server.next_address()}&fontsize=14")
        terminal.wait_for("The Lamplighter")
        page.keyboard.press("F3")
        terminal.wait_for("Claim")
        page.keyboard.type("who buried the key in the orchard", delay=15)
        terminal.wait_for("buried the key")
        page.screenshot(path=str(tmp_path / "browser.png"))
        page.keyboard.press("F4")
        terminal.wait_for("CHAPTER 1")
        browser.close()
    elsewhere = [
        url for url in urls if f"//127.0.0.1:{server.port}" not in url and "data:" not in url
    ]
    assert not [url for url in elsewhere if "fonts.googleapis" not in url]
    assert (tmp_path / "browser.png").stat().st_size > 10_000


class BrowserTerminal:
    """The text sent to a terminal in a page, which draws on a canvas and has no text itself."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._sent = ""
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, payload: str | bytes) -> None:
        if isinstance(payload, bytes):
            self._sent += ESCAPE.sub("", payload.decode("utf-8", "replace"))

    def wait_for(self, text: str) -> None:
        """Wait until a text has been drawn since the previous wait."""
        for _ in range(600):
            if text in self._sent:
                self._sent = ""
                return
            self._page.wait_for_timeout(50)
        raise AssertionError(f"{text!r} is not drawn, but {self._sent[-2000:]!r}")


@pytest.mark.slow
def test_an_interrupted_server_ends_without_a_traceback(two_books: Path) -> None:
    process = start(two_books, "tui", "--serve", "--port", str(a_free_port()))
    assert process.stderr is not None
    seen = next(line for line in process.stderr if ADDRESS.search(line.decode()))
    process.send_signal(signal.SIGINT)
    result = finish(process)
    assert "Traceback" not in seen.decode() + result.stderr
    assert result.exit_code == 0
