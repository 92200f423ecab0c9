"""``python -m crosscheck``, and the command ``crosscheck-cli`` that ``uvx`` looks for, are the program."""

import os
import subprocess
import sys

from ._program import find_program


def main() -> None:
    program = find_program()
    if os.name == "nt":
        sys.exit(subprocess.run([program, *sys.argv[1:]], check=False).returncode)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
