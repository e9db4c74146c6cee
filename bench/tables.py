"""What the measuring scripts share: programs that take turns, samples, tables, and the
section of a document."""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from contextlib import ExitStack
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
        return float(median(self.values))

    def text(self, scale=1.0, digits=1):
        low, middle, high = (
            f"{scale * x:.{digits}f}"
            for x in (min(self.values), median(self.values), max(self.values)))
        return f"{middle} ({low} to {high})"

    def over(self, other):
        """Ratios, run by run: both sides of each ran one after the other."""
        return Sample([x / y for x, y in zip(self.values, other.values)])


@dataclass
class Shown:
    """A sample in a table: rounded for the eye, every run in JSON."""

    sample: Sample
    scale: float = 1.0
    digits: int = 1
    has_spread: bool = True

    def __str__(self):
        if self.has_spread and len(self.sample.values) > 1:
            return self.sample.text(self.scale, self.digits)
        return f"{self.scale * float(self.sample):.{self.digits}f}"

    def as_json(self):
        return {"median": self.scale * float(self.sample),
                "runs": [self.scale * x for x in self.sample.values]}


class Server:
    """A program that prints "ready" and then answers every line that it reads, so that
    several can take turns. It runs on the last n_cores cores, like the others."""

    def __init__(self, n_cores, *command):
        self.command = [str(part) for part in command]
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(allowed)[-n_cores:])  # which the program inherits
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        os.sched_setaffinity(0, allowed)
        if self.line() != "ready":
            raise RuntimeError(f"{self.command[0]} did not get ready")

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise RuntimeError(f"{' '.join(self.command)} ended early")
        return text.strip()

    def ask(self):
        """Makes it work once; returns the first line of its answer."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.line()

    def numbers(self):
        return [float(x) for x in self.ask().split()]

    def table(self):
        """Names and numbers of an answer that ends with an empty line."""
        rows, line = {}, self.ask()
        while line:
            name, *numbers = line.split()
            rows[name] = [float(x) for x in numbers]
            line = self.line()
        return rows

    def peak(self):
        """Its peak memory so far, in MB."""
        path = Path(f"/proc/{self.process.pid}/status")
        with open(path, encoding="utf-8") as file:
            return next(float(line.split()[1]) / 1024 for line in file
                        if line.startswith("VmHWM"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def take_turns(keys, start, n_runs):
    """Starts a server by start(key) for each key; when all are ready they take turns.
    Returns the numbers of each run, and the peak in MB, by key."""
    with ExitStack() as stack:
        servers = {key: stack.enter_context(start(key)) for key in keys}
        lines = {key: [] for key in servers}
        for _ in range(n_runs):
            for key, server in servers.items():
                lines[key].append(server.numbers())
        return lines, {key: server.peak() for key, server in servers.items()}


def columns(*command):
    """Runs a program that prints a line of numbers per run: a sample for each column."""
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
            print(f"{Path(sys.argv[0]).name}: {name} is skipped: {file} is not in the "
                  "data folder", file=sys.stderr)
    return folder, found


def verdict(met, goal_met=False):
    return "MISSED" if not met else "goal met" if goal_met else "met"


def as_markdown(rows):
    rows = [[str(cell) for cell in row] for row in rows]
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


def read_options(description, n_runs=5):
    """The options of the scripts."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=n_runs, metavar="N")
    parser.add_argument("--markdown", type=Path, metavar="FILE")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("build", type=Path, metavar="BUILD")
    options = parser.parse_args()
    options.build = options.build.resolve()
    return options


def sections_of(path):
    """What another command measured, and a person added to the file of tables."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    _, found, rest = text.partition("\n## ")
    return found + rest


class Section:
    """What one script measured: printed as it grows, then written to files. All tables go
    to a file of their own, and the most telling one to its section of a document."""

    def __init__(self, heading, n_runs):
        self.heading = heading
        self.about = {"script": f"bench/{Path(sys.argv[0]).name}",
                      "date": str(datetime.date.today()), "machine": machine(),
                      "runs": n_runs}
        self.tables = []
        self.how = f"medians of {n_runs} runs (smallest to largest)"
        self.loads = [os.getloadavg()[0]]  # at the start and after each table
        self.text = self.headline = ""

    @property
    def intro(self):
        return (f"`{self.about['script']}` on {self.about['date']}, "
                f"{self.about['machine']}, load {min(self.loads):.1f} to "
                f"{max(self.loads):.1f}; {self.how}.")

    def add(self, caption, rows, is_headline=False):
        text = f"{caption}\n\n{as_markdown(rows)}\n"
        print(text, flush=True)
        self.loads.append(os.getloadavg()[0])
        self.text += text
        self.headline += text if is_headline else ""
        cells = [[cell.as_json() if isinstance(cell, Shown) else cell for cell in row]
                 for row in rows]
        self.tables.append({"caption": caption, "columns": cells[0], "rows": cells[1:]})

    def targets(self):
        """How many are met and missed, which the headline may not show."""
        ends = [row[-1] for table in self.tables for row in table["rows"]]
        n_missed = ends.count(verdict(False))
        n_met = ends.count(verdict(True)) + ends.count(verdict(True, True))
        return f"Targets: {n_met} met, {n_missed} missed. " if n_met + n_missed else ""

    def put_into(self, path):
        """Takes the place of the section with the same heading, else goes to the end."""
        bulk = Path("measurements") / f"{Path(sys.argv[0]).name}.md"
        (path.parent / bulk).parent.mkdir(exist_ok=True)
        (path.parent / bulk).write_text(
            f"{self.heading[1:]}\n\n{self.intro}\n\n{self.text.rstrip()}\n"
            f"{sections_of(path.parent / bulk)}", encoding="utf-8")
        section = (f"{self.heading}\n\n{self.intro} {self.targets()}All tables: "
                   f"[{bulk}]({bulk}).\n\n{self.headline}")
        text = path.read_text(encoding="utf-8") if path.exists() else "# Performance\n"
        before, found, after = text.partition(self.heading + "\n")
        following = after.find("\n## ") if found else -1
        rest = after[following + 1:] if following >= 0 else ""
        parts = [part.strip("\n") for part in (before, section, rest)]
        path.write_text("\n\n".join(part for part in parts if part) + "\n",
                        encoding="utf-8")

    def put_into_json(self, path):
        """Likewise, with what every run gave, in the unit of its column."""
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        known[self.heading.lstrip("# ")] = {**self.about, "load": self.loads,
                                             "tables": self.tables}
        path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")

    def write(self, options):
        print(f"Load of the machine: {min(self.loads):.1f} to {max(self.loads):.1f}")
        if options.markdown:
            self.put_into(options.markdown)
        if options.json:
            self.put_into_json(options.json)
