"""The page of a report in a real browser: hostile evidence stays text, nothing is fetched, and it can be read anywhere."""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crosscheck

HOME = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HOME / "scripts"))
import browser  # noqa: E402

LONG = "w" * 600
# for each element that shows a text: its own colour against what is painted behind it, as WCAG counts
CONTRAST = """(() => {
  const parts = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0]).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const probe = document.body.appendChild(document.createElement("div"));
  probe.style.backgroundColor = "Canvas";
  const canvas = parts(getComputedStyle(probe).backgroundColor);
  probe.remove();
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((v, i) => v * a + below[i] * (1 - a));
  const behind = (node) => (node ? over(parts(getComputedStyle(node).backgroundColor), behind(node.parentElement)) : canvas);
  const hasText = (node) => [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());
  const shown = [...document.querySelectorAll("body *")].filter((node) => hasText(node) && node.getClientRects().length);
  return Math.min(...shown.map((node) => {
    const both = [light(parts(getComputedStyle(node).color)), light(behind(node))];
    return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
  }));
})()"""


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """A server of the attacker: nobody may ask it for anything."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        ended = threading.Event()

        def listen() -> None:
            while not ended.is_set():
                with contextlib.suppress(TimeoutError):
                    client, _ = server.accept()
                    heard.append(client.recv(200))
                    client.close()

        thread = threading.Thread(target=listen)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
        ended.set()
        thread.join()


def hostile(evil: str) -> list[str]:
    script = "window.owned=1;document.title='owned'"
    return [
        f"<script>{script}</script>",
        f"</script></style></pre><script src={evil}/a.js></script>",
        f'"><img src={evil}/b.png onerror="{script}">',
        f"'><svg onload={script}><use href={evil}/c.svg></svg>",
        f"<style>@import '{evil}/d.css';</style><link rel=stylesheet href={evil}/e.css>",
        f"<iframe src={evil}/f></iframe><object data={evil}/g></object><meta http-equiv=refresh content='0;url={evil}/h'>",
        f"<a href=javascript:{script}>javascript:{script}</a>{{{{7*7}}}}${{7*7}}",
        f"<base href={evil}><form action={evil}/i><button autofocus onfocus={script}>x</form>",
        f"\u202e\u2066evil\x1b]8;;{evil}/j\x07 {LONG}",
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, listener: tuple[str, list[bytes]]) -> Path:
    """A report of `ci` with a history, in which every text is hostile."""
    folder = tmp_path_factory.mktemp("page")
    texts = hostile(listener[0])
    with contextlib.closing(sqlite3.connect(folder / "shop.db")) as database, database:
        database.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, note TEXT)")
        database.executemany("INSERT INTO orders VALUES (?, ?)", [(f"o{n}", texts[-1 - n]) for n in range(len(texts))])
    calls = [{"tool": f"orders.update{text}" if n % 2 else "orders.update", "params": {"id": f"o{n}", "note": text}} for n, text in enumerate(texts)]
    log = folder / '"><img src=x onerror=window.owned=1>.ndjson'
    log.write_text("".join(json.dumps(call) + "\n" for call in calls))
    (folder / "notes.txt").write_text("\n".join(texts) + "\n")
    claims = []
    for number, text in enumerate(texts):
        locator = {"type": "line_range", "path": "notes.txt", "start": number + 1, "end": number + 1}
        evidence = [{"source": text, "locator": locator, "quote": text + "?"}]
        claims.append({"claim_id": f"c{number}", "claim": text, "confidence": 0.9, "evidence": evidence})
    answer = {"question": texts[0], "summary": texts[1], "claims": claims}
    result = {"version": "SubResult.v1", "task_id": "t", "status": "ok", "answers": [answer], "coverage": {"inputs_scanned": []}}
    (folder / "result.json").write_text(json.dumps(result))
    (folder / "crosscheck.toml").write_text(
        '[[check]]\nname = "rows"\nverifier = "rows"\nlog = "*.ndjson"\nsqlite = "shop.db"\n\n'
        '[[check]]\nname = "claims"\nverifier = "claims"\ndocument = "result.json"\n'
    )
    words = [crosscheck.find_program(), "ci", "--quiet", "--ledger", "h.db", "--output", "html=page.html"]
    for _ in range(3):
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2), done.stderr
    return folder / "page.html"


@pytest.fixture(scope="module")
def window() -> Iterator[browser.Browser]:
    program = browser.find()
    if not program:
        pytest.skip("no Chromium answers here; the page was not opened")
    with browser.Browser(program) as opened:
        yield opened


def seen(window: browser.Browser, page: Path, **size: Any) -> None:
    window.look()
    window.open(page, **size)


def test_hostile_evidence_stays_text_and_nothing_is_fetched(
    window: browser.Browser, page: Path, listener: tuple[str, list[bytes]]
) -> None:
    seen(window, page)
    assert window.value("window.owned") is None
    assert window.value("document.title").startswith("crosscheck")
    foreign = "img, iframe, object, embed, link, form, base, use, video, audio, script[src], meta[http-equiv=refresh]"
    assert window.value(f"[...document.querySelectorAll('{foreign}')].map((one) => one.outerHTML)") == []
    assert window.value("document.scripts.length") == 1
    handlers = "[...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).filter((one) => /^on/i.test(one.name)).length"
    assert window.value(handlers) == 0
    links = window.value("[...document.links].map((one) => one.protocol)")
    assert set(links) <= {"file:", "http:", "https:"}, links
    text = window.value("document.body.innerText")
    assert "<script>window.owned=1" in text and "onerror=" in text, "the evidence is shown as it is"
    assert not any(sign in text for sign in "\u202e\u2066\x1b"), "no sign reorders a line"
    assert {address for address in window.asked_for() if not address.startswith("file:")} == set()
    assert listener[1] == []


def test_the_page_can_be_filtered_searched_and_read_without_its_script(window: browser.Browser, page: Path) -> None:
    seen(window, page)
    cards = "[...document.querySelectorAll('details')].filter((one) => one.getClientRects().length).length"
    every = window.value(cards)
    assert every > 10
    window.value("(() => { const box = document.querySelector('input[type=search], input:not([type=checkbox])');"
                 " box.value = 'iframe'; box.dispatchEvent(new Event('input', {bubbles: true})); })()")
    assert 0 < window.value(cards) < every
    window.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        window.open(page)
        assert window.value(cards) == every
        assert window.value("document.querySelector('#filter').hidden")
    finally:
        window.ask("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_is_cut_off_and_no_text_is_tiny(window: browser.Browser, page: Path, width: int) -> None:
    seen(window, page, width=width, height=844)
    assert window.value("document.documentElement.scrollWidth") <= width
    small = "Math.min(...[...document.querySelectorAll('body *')].filter((one) => one.innerText).map((one) => parseFloat(getComputedStyle(one).fontSize)))"
    assert window.value(small) >= 12


@pytest.mark.parametrize(("media", "scheme"), [("", "light"), ("", "dark"), ("print", "light"), ("print", "dark")])
def test_it_is_readable_in_the_dark_in_the_light_and_on_paper(window: browser.Browser, page: Path, media: str, scheme: str) -> None:
    seen(window, page)
    window.look(media, scheme)
    assert window.value(CONTRAST) >= 4.5
    if media == "print":
        assert window.value("[...document.querySelectorAll('input')].filter((one) => one.getClientRects().length).length") == 0
        closed = "[...document.querySelectorAll('details:not([open])')].length"
        assert window.value(closed) == 0, "what is folded is not on the paper"
