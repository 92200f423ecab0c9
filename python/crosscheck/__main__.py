"""``python -m crosscheck`` is the program."""

import os
import subprocess
import sys

from ._program import find_program

program = find_program()
if os.name == "nt":
    sys.exit(subprocess.run([program, *sys.argv[1:]], check=False).returncode)
os.execv(program, [program, *sys.argv[1:]])
