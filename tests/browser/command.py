"""The program under test, for comparing a page with what the terminal says."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from checks import expect


def run_opine(command, folder=None):
    """The output of a command that starts with "opine"."""
    words = shlex.split(command)
    expect(words[0] == "opine", f"not a command of opine: {command}")
    made = subprocess.run([os.environ["OPINE"], *words[1:]], capture_output=True, text=True,
                          encoding="utf-8", cwd=folder, check=False)
    expect(made.returncode == 0, f"{command}: {made.stderr.strip()[:300]}")
    return made.stdout


def file_of(command, option="-o"):
    """The text of the file that a command writes, in a folder of its own."""
    words = shlex.split(command)
    at = words.index(option) + 1
    with tempfile.TemporaryDirectory(prefix="opine-page-") as folder:
        words[at] = str(Path(folder) / words[at])
        run_opine(shlex.join([*words, "-q"]))
        return Path(words[at]).read_text(encoding="utf-8")
