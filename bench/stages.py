"""What bench/train and bench/attention share: training stage by stage, in turn with
PyTorch, its tables, and targets."""
from dataclasses import dataclass

from tables import SOURCE, Sample, Server, Shown, take_turns, verdict

PYTHON = "/usr/bin/python3"  # Debian's, which has its PyTorch
OURS = "opine"
N_EPOCHS, N_SAMPLES = 200, 100  # of a whole run


@dataclass(frozen=True)
class Length:
    """Of a run: epochs of teacher and student, and samples; 0 for the teacher alone."""

    epochs: int = N_EPOCHS
    samples: int = N_SAMPLES


@dataclass
class Runs:
    """The results of one side's runs on a dataset."""

    length: Length
    lines: list  # as the program prints them
    peak: float  # MB of the process

    def column(self, c):
        return Sample([line[c] for line in self.lines])

    @property
    def prior(self):
        return self.column(1)

    @property
    def samples(self):
        """Scaled to as many as a whole run has."""
        scale = N_SAMPLES / max(self.length.samples, 1)
        return Sample([scale * line[3] for line in self.lines])

    @property
    def whole(self):
        """Measured, or extrapolated from what was."""
        if self.length.epochs == N_EPOCHS:
            return self.column(4)
        epochs = zip(self.column(5).values, self.column(6).values)
        return Sample([N_EPOCHS * sum(pair) + prior + samples for pair, prior, samples in
                       zip(epochs, self.prior.values, self.samples.values)])

    @property
    def teacher_epoch(self):
        return self.column(5)

    @property
    def student_epoch(self):
        return self.column(6)

    @property
    def accuracy(self):
        return self.column(7)

    @property
    def has_student(self):
        return self.length.samples > 0


# ---- the sides -----------------------------------------------------------------------

def engine(build, n_threads, length, name, *params):
    """opine on a dataset; params are names and values in turn."""
    return Server(n_threads, build / "bench/engine", "train", n_threads, length.epochs,
                  length.samples, name, *params)


def peer(script, n_threads, length, mode, data, validates):
    options = ["--validate"] if validates else []
    if length.samples == 0:
        options.append("--teacher-only")
    return Server(n_threads, PYTHON, SOURCE / "bench/peer" / script, n_threads,
                  length.epochs, length.samples, mode, data, *options)


def run_in_turns(lengths, start, n_runs):
    """Runs by the key of their length; start(key) starts the server."""
    lines, peaks = take_turns(lengths, start, n_runs)
    return {key: Runs(length, lines[key], peaks[key]) for key, length in lengths.items()}


# ---- tables and targets --------------------------------------------------------------

def stage_table(results, stage, rivals, scale, digits):
    """Times of one stage by dataset and number of threads, if there are several, and how
    many times faster opine is. rivals: words by side."""
    has_threads = len({n_threads for _, n_threads in results}) > 1
    rows = [["data", *(["threads"] if has_threads else []), "opine"]]
    for words in rivals.values():
        rows[0] += [words, "times as long"]
    for (name, n_threads), sides in results.items():
        ours = getattr(sides[OURS], stage)
        row = [name, *([str(n_threads)] if has_threads else []),
               Shown(ours, scale, digits)]
        for mode in rivals:
            if stage != "teacher_epoch" and not sides[mode].has_student:
                row += ["", ""]
                continue
            theirs = getattr(sides[mode], stage)
            row += [Shown(theirs, scale, digits, has_spread=False),
                    Shown(theirs.over(ours))]
        rows.append(row)
    return rows


class Targets:
    def __init__(self):
        self.rows = [["what", "measured", "target", ""]]

    def at_least(self, what, sample, least):
        self.rows.append([what, Shown(sample, digits=2), f"at least {least:g}",
                          verdict(float(sample) >= least)])

    def at_most(self, what, sample, most, scale=1, digits=2):
        self.rows.append([what, Shown(sample, scale, digits), f"at most {scale * most:g}",
                          verdict(float(sample) <= most)])


def add_ratios(targets, results, ratios, rivals, words):
    """ratios: stage, rival, and the least number of times faster by dataset; on one
    core."""
    for stage, rival, least in ratios:
        for name, ratio in least.items():
            if (name, 1) in results:
                sides = results[name, 1]
                sample = getattr(sides[rival], stage).over(getattr(sides[OURS], stage))
                targets.at_least(f"{name}, {words[stage]}, times as fast as "
                                 f"{rivals[rival]}", sample, ratio)
