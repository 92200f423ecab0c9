"""A headless Chromium that a script can talk to: the DevTools protocol over two pipes, so that nothing listens anywhere."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find() -> str | None:
    """A browser that answers here; `CROSSCHECK_BROWSER` names another."""
    named = os.environ.get("CROSSCHECK_BROWSER")
    found = filter(None, map(shutil.which, [named] if named else NAMES))
    return next(found, None)


class Browser:
    """One page of a browser with a profile of its own."""

    def __init__(self, program: str) -> None:
        self.profile = tempfile.mkdtemp(prefix="browser-")
        commands, to_browser = os.pipe()
        from_browser, answers = os.pipe()

        def places() -> None:
            # copies first: the numbers 3 and 4 may be those of the pipes
            ends = [os.dup(commands), os.dup(answers)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        words = [
            program,
            "--headless=new",
            "--no-sandbox",  # as root, in a container
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--remote-debugging-pipe",
            f"--user-data-dir={self.profile}",
            "about:blank",
        ]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(words, preexec_fn=places, close_fds=False, **quiet)
        os.close(commands)
        os.close(answers)
        self.writer, self.reader = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 0)
        self.numbers = itertools.count(1)
        self.rest = b""
        self.events: list[dict[str, Any]] = []
        self.session: str | None = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(one for one in targets if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{part}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.writer.close()
        self.reader.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.writer.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            read = self.reader.read(1 << 16)
            if not read:
                raise RuntimeError("the browser ended")
            self.rest += read
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def open(self, path: Path, width: int = 1280, height: int = 900, scale: float = 1) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.ask("Page.navigate", url=path.resolve().as_uri())
        for _ in range(200):
            if self.value("document.readyState + location.protocol") == "completefile:":
                return
            time.sleep(0.05)
        raise RuntimeError("the page was not loaded")

    def look(self, media: str = "", scheme: str = "light") -> None:
        """As paper (`print`), or in a scheme of colours."""
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def asked_for(self) -> set[str]:
        """Every address that the page asked for."""
        sent = (event for event in self.events if event.get("method") == "Network.requestWillBeSent")
        return {event["params"]["request"]["url"] for event in sent}

