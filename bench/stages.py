"""What bench/train and bench/attention share: training stage by stage, in turn with
PyTorch, its tables, and targets."""
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tables import SOURCE, Sample, Server, Shown, take_turns, verdict

PYTHON = "/usr/bin/python3"  # Debian's, which has its PyTorch
PEERS = (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
         / "opine/peers/bin/python")  # of `tools/bootstrap peers`
OURS = "opine"
N_EPOCHS, N_SAMPLES = 200, 100  # of a whole run


@dataclass(frozen=True)
class Length:
    """Of a run: epochs of teacher and student, and samples; 0 for the teacher alone."""

    epochs: int = N_EPOCHS
    samples: int = N_SAMPLES


# Seconds of a line that a program prints: these by the clock, then these in CPU time.
SECONDS = ("teacher", "prior", "student", "samples", "whole", "teacher_epoch",
           "student_epoch")
ACCURACY, MEGABYTES = 2 * len(SECONDS), 2 * len(SECONDS) + 1


def seconds_of(lines, name, is_cpu):
    place = SECONDS.index(name) + (len(SECONDS) if is_cpu else 0)
    return Sample([line[place] for line in lines])


@dataclass
class Runs:
    """The results of one side's runs on a dataset."""

    length: Length
    lines: list
    peak: float  # MB of the process

    def seconds(self, name, is_cpu=True):
        """A whole run is measured, or extrapolated from what was; samples are scaled to
        as many as a whole run has."""
        found = seconds_of(self.lines, name, is_cpu)
        if name == "samples":
            scale = N_SAMPLES / max(self.length.samples, 1)
            return Sample([scale * x for x in found.values])
        if name == "whole" and self.length.epochs != N_EPOCHS:
            parts = [self.seconds(part, is_cpu).values for part in
                     ("teacher_epoch", "student_epoch", "prior", "samples")]
            return Sample([N_EPOCHS * (teacher + student) + prior + samples
                           for teacher, student, prior, samples in zip(*parts)])
        return found

    @property
    def accuracy(self):
        return Sample([line[ACCURACY] for line in self.lines])

    @property
    def has_student(self):
        return self.length.samples > 0


# ---- the sides -----------------------------------------------------------------------

def engine(build, n_threads, length, name, *params):
    """opine on a dataset; params are names and values in turn."""
    return Server(n_threads, build / "bench/engine", "train", n_threads, length.epochs,
                  length.samples, name, *params)


@dataclass(frozen=True)
class Today:
    """A rival of which Debian has no current version."""

    words: str
    arguments: tuple  # mode and options of the scripts in bench/peer
    probe: str  # works if it is there


TODAY = {
    "sparse-now": Today("torch.sparse", ("sparse",), "import torch, scipy"),
    "bag-now": Today("embedding_bag", ("bag",), "import torch, scipy"),
    "pyg": Today("PyG", ("pyg",), "import torch_geometric, scipy"),
    "pyg-compiled": Today("PyG compiled", ("pyg", "--compile"),
                          "import scipy, torch, torch_geometric\n"
                          "torch.compile(lambda x: x + 1)(torch.ones(9))"),
    "dgl": Today("DGL", ("dgl",), "import library_layers\nlibrary_layers.import_dgl()"),
}


def ask_peers(lines):
    return subprocess.run([PEERS, "-W", "ignore", "-c", lines], text=True, check=False,
                          cwd=SOURCE / "bench/peer", capture_output=True)


def find_today():
    """Words by side of those that work here; others are skipped with a message."""
    found, me = {}, Path(sys.argv[0]).name
    if not PEERS.exists():
        print(f"{me}: current PyTorch, PyG and DGL are skipped: `tools/bootstrap peers` "
              "has not installed them", file=sys.stderr)
        return found
    for side, rival in TODAY.items():
        done = ask_peers(rival.probe)
        if done.returncode == 0:
            found[side] = rival.words
        else:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"{me}: {rival.words} ({side}) is skipped: {why}", file=sys.stderr)
    return found


def today_versions():
    return ask_peers("from importlib.metadata import version, packages_distributions\n"
                     "print(', '.join(f'{words} {version(name).split(\"+\")[0]}' "
                     "for words, name in (('PyTorch', 'torch'), ('PyG', "
                     "'torch_geometric'), ('DGL', 'dgl')) "
                     "if name in packages_distributions()))").stdout.strip()


def peer(script, n_threads, length, side, data, validates):
    python, (mode, *options) = PYTHON, [side]
    if side in TODAY:
        python, (mode, *options) = PEERS, TODAY[side].arguments
    if validates:
        options.append("--validate")
    if length.samples == 0:
        options.append("--teacher-only")
    return Server(n_threads, python, "-W", "ignore", SOURCE / "bench/peer" / script,
                  n_threads, length.epochs, length.samples, mode, data, *options)


def run_in_turns(lengths, start, n_runs):
    """Runs by the key of their length; start(key) starts the server."""
    lines, peaks = take_turns(lengths, start, n_runs)
    return {key: Runs(length, lines[key], peaks[key]) for key, length in lengths.items()}


# ---- tables and targets --------------------------------------------------------------

def stage_table(results, stage, rivals, scale, digits):
    """Times of one stage by dataset and number of threads, if there are several, and how
    many times faster opine is: in CPU time on one thread, which other programs on the
    machine disturb less, and by the clock on several. rivals: words by side."""
    has_threads = len({n_threads for _, n_threads in results}) > 1
    rows = [["data", *(["threads"] if has_threads else []), "opine, clock", "opine"]]
    for words in rivals.values():
        rows[0] += [words, "times as long"]
    for (name, n_threads), sides in results.items():
        is_cpu = n_threads == 1
        ours = sides[OURS].seconds(stage, is_cpu)
        row = [name, *([str(n_threads)] if has_threads else []),
               Shown(sides[OURS].seconds(stage, False), scale, digits, has_spread=False),
               Shown(ours, scale, digits)]
        for mode in rivals:
            if stage != "teacher_epoch" and not sides[mode].has_student:
                row += ["", ""]
                continue
            theirs = sides[mode].seconds(stage, is_cpu)
            row += [Shown(theirs, scale, digits, has_spread=False),
                    Shown(theirs.over(ours))]
        rows.append(row)
    return rows


def on_one_thread(results):
    return {key: sides for key, sides in results.items() if key[1] == 1}


def faster_table(results, stages, rivals):
    """Where a rival took less CPU time than opine. stages and rivals: words by name."""
    rows = [["data", "stage", "rival", "times as long as opine"]]
    for (name, _), sides in on_one_thread(results).items():
        for stage, words in stages.items():
            for side in rivals:
                if stage != "teacher_epoch" and not sides[side].has_student:
                    continue
                ratio = sides[side].seconds(stage).over(sides[OURS].seconds(stage))
                if float(ratio) < 1:
                    rows.append([name, words, rivals[side], Shown(ratio, digits=2)])
    return rows if len(rows) > 1 else [rows[0], ["none", "", "", ""]]


class Targets:
    def __init__(self):
        self.rows = [["what", "measured", "target", ""]]

    def at_least(self, what, sample, least, goal=None, scale=1):
        words = f"at least {scale * least:g}"
        words += "" if goal is None else f", goal {scale * goal:g}"
        self.rows.append([what, Shown(sample, scale, 2 if scale == 1 else 1), words,
                          verdict(float(sample) >= least,
                                  goal is not None and float(sample) >= goal)])

    def at_most(self, what, sample, most, scale=1, digits=2):
        self.rows.append([what, Shown(sample, scale, digits), f"at most {scale * most:g}",
                          verdict(float(sample) <= most)])


def add_ratios(targets, results, ratios, rivals, words):
    """ratios: stage, rival, and the least number of times faster, or that and the goal,
    by dataset; on one core, in CPU time."""
    for stage, rival, least in ratios:
        for name, ratio in least.items():
            if (name, 1) in results:
                sides = results[name, 1]
                sample = sides[rival].seconds(stage).over(sides[OURS].seconds(stage))
                targets.at_least(f"{name}, {words[stage]}, times as fast as "
                                 f"{rivals[rival]}", sample,
                                 *(ratio if isinstance(ratio, tuple) else [ratio]))
