"""What the measuring scripts share: samples, tables, and the section of a document."""
import datetime
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

SOURCE = Path(__file__).resolve().parent.parent

# Name, and file below the data folder.
DATASETS = [
    ("demo", None),
    ("cora", "planetoid/ind.cora"),
    ("citeseer", "planetoid/ind.citeseer"),
    ("pubmed", "planetoid/ind.pubmed"),
    ("photo", "gnn-benchmark/amazon_electronics_photo.npz"),
    ("computers", "gnn-benchmark/amazon_electronics_computers.npz"),
    ("physics", "gnn-benchmark/ms_academic_phy.npz"),
]


@dataclass
class Sample:
    """One number for each run."""

    values: list

    def __float__(self):
        return median(self.values)

    def text(self, scale=1.0, digits=1):
        low, middle, high = (
            f"{scale * x:.{digits}f}"
            for x in (min(self.values), median(self.values), max(self.values)))
        return f"{middle} ({low} to {high})"


def columns(*command):
    """Runs a program that prints a line of numbers a run: a sample for each column."""
    shown = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                           text=True, check=True)
    lines = [[float(x) for x in line.split()] for line in shown.stdout.splitlines()]
    return [Sample(list(column)) for column in zip(*lines)]


def megabytes(path):
    """Size of a file, of all files of a folder, or of those that begin with a prefix."""
    if path.is_dir():
        files = path.iterdir()
    else:
        files = [path] if path.is_file() else path.parent.glob(path.name + ".*")
    return sum(file.stat().st_size for file in files) / 1e6


def find_data():
    """The data folder, which becomes $OPINE_DATA, and the datasets that are there."""
    folder = Path(os.environ.get("OPINE_DATA") or SOURCE.parent / "shared" / "data")
    os.environ["OPINE_DATA"] = str(folder)
    found = []
    for name, file in DATASETS:
        if file is None or megabytes(folder / file) > 0:
            found.append((name, file))
        else:
            print(f"{Path(sys.argv[0]).name}: {name} left out: {file} is not in the data "
                  "folder", file=sys.stderr)
    return folder, found


def verdict(met):
    return "met" if met else "MISSED"


def as_markdown(rows):
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths)] for row in rows]
    padded.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(row) + " |" for row in padded) + "\n"


def machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file
                         if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores"


class Section:
    """A section of a document: printed as it grows, then put into a file."""

    def __init__(self, heading, n_runs):
        self.heading = heading
        self.text = (f"{heading}\n\n`bench/{Path(sys.argv[0]).name}` on "
                     f"{datetime.date.today()}, {machine()}; medians of {n_runs} runs "
                     "(smallest to largest).\n\n")

    def add(self, caption, rows):
        text = f"{caption}\n\n{as_markdown(rows)}\n"
        print(text, flush=True)
        self.text += text

    def put_into(self, path):
        """Takes the place of the section with the same heading, else goes to the end."""
        text = path.read_text(encoding="utf-8") if path.exists() else "# Performance\n"
        before, found, after = text.partition(self.heading + "\n")
        following = after.find("\n## ") if found else -1
        rest = after[following + 1:] if following >= 0 else ""
        parts = [part.strip("\n") for part in (before, self.text, rest)]
        path.write_text("\n\n".join(part for part in parts if part) + "\n",
                        encoding="utf-8")
