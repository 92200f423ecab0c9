"""Why a check could not run. A verdict is never an exception."""

from __future__ import annotations


class CouldNotRun(Exception):
    """A check could not run: unreadable input, no connection, a limit."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(f"{message} [{code}]" + (f"; {help}" if help else ""))
        self.code = code
        self.message = message
        self.help = help


class NotConfirmed(AssertionError):
    """What ``Report.assert_confirmed`` raises."""
