"""The screens in a real browser, and requests that are refused."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from command_line import error_line, finish, run_process, start

ESCAPE = re.compile(r"\x1b(?:\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|.)")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def a_free_port() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def served(home: Path) -> Iterator[int]:
    """Run `scholar tui --serve` and yield its port."""
    port = a_free_port()
    process = start(
        home,
        "tui",
        "--serve",
        "--port",
        str(port),
        env={"TERM": "xterm-256color"},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        for _ in range(300):
            with closing(socket.socket()) as tried:
                tried.settimeout(0.1)
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, "the server ended"
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
        yield port
    finally:
        process.terminate()
        process.wait(20)


def answer(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    async def get() -> tuple[int, dict[str, str], str]:
        async with (
            aiohttp.ClientSession() as session,
            session.get(url, headers=headers) as response,
        ):
            return response.status, dict(response.headers), await response.text()

    return asyncio.run(get())


def test_a_port_that_is_taken_is_an_error(two_books: Path) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run_process(two_books, "tui", "--serve", "--port", str(port))
    assert "choose another: --port" in error_line(result, 1, after_progress=True)


def test_the_screen_without_a_terminal_says_what_else_there_is(two_books: Path) -> None:
    assert "scholar find" in error_line(run_process(two_books, "tui"), 2)


def test_a_missing_book_is_an_error_before_the_screen_opens(two_books: Path) -> None:
    assert "no book is called" in error_line(run_process(two_books, "tui", "Ulysses"), 4)


def test_only_pages_of_its_own_may_drive_the_screen(two_books: Path) -> None:
    with served(two_books) as port:
        own = f"http://127.0.0.1:{port}/"
        status, headers, page = answer(own)
        assert status == 200
        assert "connect-src 'self'" in headers["Content-Security-Policy"]
        assert "scholar" in page
        assert answer(own, Host="evil.example")[0] == 403, "another name for this address"
        assert answer(f"{own}ws", Origin="https://evil.example")[0] == 403
        assert answer(f"{own}ws", Origin=f"http://localhost:{port + 1}")[0] == 403


def test_it_is_served_on_loopback_only(two_books: Path) -> None:
    addresses = {
        info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    }
    others = [address for address in addresses if not address.startswith("127.")]
    if not others:
        pytest.skip("this machine has no address but loopback")
    with served(two_books) as port, closing(socket.socket()) as tried:
        tried.settimeout(2)
        assert tried.connect_ex((others[0], port)) != 0


@pytest.mark.slow
def test_a_claim_is_searched_in_a_browser(two_books: Path, tmp_path: Path) -> None:
    if BROWSER is None:
        pytest.skip("there is no Chromium to show the screen in")
    sync_api = pytest.importorskip("playwright.sync_api")
    with served(two_books) as port, sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 760})
        urls: list[str] = []
        terminal = Terminal(page)
        page.on("request", lambda request: urls.append(request.url))
        page.goto(f"http://127.0.0.1:{port}/?fontsize=14")
        terminal.wait_for("The Lamplighter")
        page.keyboard.press("F3")
        terminal.wait_for("Claim")
        page.keyboard.type("who buried the key in the orchard", delay=15)
        terminal.wait_for("buried the key")
        page.screenshot(path=str(tmp_path / "browser.png"))
        page.keyboard.press("F4")
        terminal.wait_for("CHAPTER 1")
        browser.close()
    elsewhere = [url for url in urls if f"//127.0.0.1:{port}" not in url and "data:" not in url]
    assert not [url for url in elsewhere if "fonts.googleapis" not in url]
    assert (tmp_path / "browser.png").stat().st_size > 10_000


class Terminal:
    """The text that a terminal in a page is sent: the page draws on a canvas and has no text."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._sent = ""
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, payload: str | bytes) -> None:
        if isinstance(payload, bytes):
            self._sent += ESCAPE.sub("", payload.decode("utf-8", "replace"))

    def wait_for(self, text: str) -> None:
        """Wait until a text has been drawn since the last one that was waited for."""
        for _ in range(600):
            if text in self._sent:
                self._sent = ""
                return
            self._page.wait_for_timeout(50)
        raise AssertionError(f"{text!r} is not drawn, but {self._sent[-2000:]!r}")


def test_an_interrupted_server_ends_at_once(two_books: Path) -> None:
    import signal

    process = start(two_books, "tui", "--serve", "--port", str(a_free_port()))
    try:
        process.wait(3)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    result = finish(process)
    assert "Traceback" not in result.stderr
    assert "in a browser" in result.stderr
