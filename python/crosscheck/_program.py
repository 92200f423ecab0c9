"""Finds the program that the package carries."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

_NAME = "crosscheck.exe" if os.name == "nt" else "crosscheck"


def find_program() -> str:
    """The path of the program.

    ``CROSSCHECK_PROGRAM`` names another one; otherwise it is the one that was
    installed with this package, or the first on the ``PATH``.
    """
    named = os.environ.get("CROSSCHECK_PROGRAM")
    if named:
        return named
    for folder in _folders():
        program = folder / _NAME
        if program.is_file():
            return str(program)
    found = shutil.which(_NAME)
    if found:
        return found
    raise FileNotFoundError(
        "the program crosscheck was not found; install it with `pip install crosscheck-cli`, "
        "or name it in CROSSCHECK_PROGRAM"
    )


def _folders() -> list[Path]:
    scripts = [sysconfig.get_path("scripts")]
    scripts.append(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    folders = [Path(folder) for folder in scripts if folder]
    # `pip install --target` puts programs beside the packages
    folders.append(Path(__file__).resolve().parent.parent / "bin")
    folders.append(Path(sys.executable).parent)
    return folders
