#!/usr/bin/python3
"""limits.py -- commands at the limits of sizes, names, files, memory and surroundings.

    tests/soak/limits.py OPINE [--quick] [--most N] [CASE...]

Each case below and in odd_graphs.py has a claim, and runs commands that have to keep the promises of promises.py: the exit
code that is expected, a message that names the file or the option, no crash, no half-written file. Where
a limit is swept over, --most N tries N values of it instead of all. --quick leaves out the large graphs and
what runs a hundred commands.
Printed is a table in Markdown: how many commands were run and how many of them were refused, the most
memory that one of them had, and how many promises were broken. Exit code 1 if one was.

Read-only and full file systems are mounted in a name space of this process, which ends with it; where
that is not allowed these cases are left out by name, as is the locale where localedef cannot make it.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import odd_graphs  # whose cases come first
from promises import CASES, LeftOut, Place, at_most, case, run, shown
from scene import TINY, prepare
from timeless import contents, lines_sorted, without_times

IS_INSIDE = "OPINE_LIMITS_INSIDE"  # set once this runs in a name space of its own


# ---- surroundings ----

# Commands that write, and what of theirs is told.
WRITERS = {
    "data generate --nodes 60 -o {}.npz": "{}.npz",
    "data convert g.npz -o {}.npz": "{}.npz",
    "data convert g.npz -o {}": "{}",
    "data shard g.npz --blocks 4 -o {}.shards": "{}.shards",
    f"train g.npz --model s-bgcn-t-k {TINY} -o {{}}.safetensors": "{}.safetensors",
    f"train g.npz {TINY} -o {{}}.safetensors": "{}.safetensors",
    "predict m.safetensors g.npz --samples 2 -o {}.csv": "{}.csv",
    "predict m.safetensors g.npz --samples 2 -o {}.json": "{}.json",
    "predict m.safetensors g.npz --samples 2 -o {}.npz": "{}.npz",
    "predict m.safetensors g.npz --samples 2 -o {}.graphml": "{}.graphml",
    "decide p.csv -o {}.csv": "{}.csv",
    "suggest few.safetensors few -n 3 -o {}.csv": "{}.csv",
    "suspects m.safetensors g.npz -o {}.csv": "{}.csv",
    "report m.safetensors g.npz -o {}.html": "{}.html",
    f"evaluate demo --model gcn --seeds 1 --samples 2 {TINY} -o {{}}": "{}",
    "tune demo --model gcn --trials 2 --seeds 2 --epochs 2 -o {}": "{}",
}


class Mounted:
    """A tmpfs of `room` in the folder of a place, until the end of the block."""

    def __init__(self, place, room):
        self.path, self.room = place.folder / "mounted", room

    def __enter__(self):
        if not os.environ.get(IS_INSIDE):
            raise LeftOut("no file system may be mounted here")
        self.path.mkdir()
        self.mount("-t", "tmpfs", "-o", f"size={self.room}", "tmpfs", str(self.path))
        return self

    def mount(self, *words):
        done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LeftOut(f"no file system may be mounted here: {done.stderr.strip()}")

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.path)], check=False, capture_output=True)


@case("read-only", "a file system that cannot be written to is told, and can be read from")
def read_only(place):
    with Mounted(place, "64m") as mounted:
        for name in ("g.npz", "m.safetensors", "p.csv"):
            shutil.copy(place.folder / name, mounted.path / name)
        shutil.copytree(place.folder / "folder", mounted.path / "folder")
        (mounted.path / "old.csv").write_bytes(b"as it was\n")
        mounted.mount("-o", "remount,ro", str(mounted.path))
        for line, told in WRITERS.items():
            place.expect(line.format("mounted/new"), 1,
                         (told.format("mounted/new"), "Read-only file system"))
        place.expect("demo -o mounted/new.html", 1, "mounted/new.html")
        place.expect("predict m.safetensors g.npz -o mounted/old.csv", 1, "mounted/old.csv")
        place.expect("data fetch cora --data-dir mounted/data", 1, "mounted/data")
        for line in ("data info mounted/g.npz", "data info mounted/folder",
                     "predict mounted/m.safetensors mounted/g.npz", "decide mounted/p.csv",
                     "explain mounted/m.safetensors mounted/folder 3"):
            place.expect(line)


@case("full disk", "a file system without room is told, and leaves the old file and nothing else")
def full_disk(place):
    with Mounted(place, "64k") as mounted:
        (mounted.path / "old.csv").write_bytes(b"as it was\n")
        with open(mounted.path / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass
        for line, told in WRITERS.items():
            place.expect(line.format("mounted/new"), 1, (told.format("mounted/new"),
                                                         "No space left on device"),
                         keeps=["mounted/new"])
            shutil.rmtree(mounted.path / "new", ignore_errors=True)
        place.expect("predict m.safetensors g.npz -o mounted/old.csv", 1, "mounted/old.csv")
        place.check((mounted.path / "old.csv").read_bytes() == b"as it was\n", "old.csv is not as it was")


def spread(values, most):
    values = list(values)
    return values if not most or len(values) <= most else [
        values[i * (len(values) - 1) // (most - 1)] for i in range(most)]


@case("RLIMIT_FSIZE", "a limit on the size of files is told, whatever it is, and leaves nothing")
def file_size(place):
    for line, told in WRITERS.items():
        name = told.format("new")
        place.expect(line.format("new"), writes=[name])
        written = place.folder / name
        sizes = [p.stat().st_size for p in written.rglob("*") if p.is_file()] \
            if written.is_dir() else [written.stat().st_size]
        remove(written)
        for limit in spread(range(0, max(sizes)), min(place.most or 12, 12)):
            place.expect(line.format("new"), (0, 1), ("File too large", "new"), writes=[name],
                         keeps=["new"] if name == "new" else (),
                         limits={resource.RLIMIT_FSIZE: limit})
            remove(written)
    place.expect("predict m.safetensors g.npz -o old.csv", 1, "old.csv",
                 limits={resource.RLIMIT_FSIZE: 100})


def remove(path):
    """What a command has written, and what a training may have left beside it."""
    for each in (path, *path.parent.glob(path.name + ".checkpoint*")):
        if each.is_dir():
            shutil.rmtree(each)
        else:
            each.unlink(missing_ok=True)


@case("RLIMIT_AS", "with any limit on memory from a start upwards a command does its work, the same as without, or"
      " says that there is too little")
def address_space(place):
    lines = ("data info folder --json", "data info g.graphml", "data convert g.npz -o new.npz",
             f"train g.npz --model s-bgcn-t-k {TINY} -o new.safetensors",
             "train g.npz --epochs 3 --threads 2 -o new.safetensors",
             "predict m.safetensors g.npz --samples 2 --threads 2 -o new.json",
             "report m.safetensors g.npz --threads 2 -o new.html",
             "explain m.safetensors g.npz 3 --threads 1 --json",
             "evaluate demo --model gcn --seeds 2 --epochs 3 --samples 2 --threads 2 -o new.run",
             "data generate --nodes 20000 --threads 2 -o new.npz")
    least = next(n for n in range(4, 512) if run([place.opine, "version"], place.folder, 60,
                                                  at_most(n)).code == 0)
    for line in lines:
        name = next((word for word in line.split() if word.startswith("new.")), None)
        writes = [name] if name else []
        wanted = place.expect(line, writes=writes)
        files = written_files(place, name)
        enough = next(n for n in range(least, 4096, 16) if fits(place, line, name, n))
        for megabytes in spread(range(least, enough + 2), place.most):
            # 3: libxml2, which is loaded when it is needed, does not fit.
            ended = place.expect(line, (0, 1, 3) if "graphml" in line else (0, 1), writes=writes,
                                 keeps=["new.run"], limits=at_most(megabytes))
            if ended.code == 0:
                place.check(printed(line, ended) == printed(line, wanted)
                            and written_files(place, name) == files,
                            f"opine {line}: something else in {megabytes} MB")
            if name:
                remove(place.folder / name)


def fits(place, line, name, megabytes):
    ended = run([place.opine, *line.split()], place.folder, 60, at_most(megabytes))
    if name:
        remove(place.folder / name)
    return ended.code == 0


def printed(line, ended):
    """What a command has printed, unless it is a table with times."""
    has_times = line.startswith(("evaluate", "tune")) and "--json" not in line
    return b"" if has_times else without_times(ended.stdout)


def written_files(place, name):
    """Bytes of what a command has written, but for times and tables of them."""
    path = place.folder / (name or "")
    if not name:
        return None
    if path.is_dir():
        return lines_sorted({n: data for n, data in contents(path).items()
                             if not n.endswith((".txt", ".md"))})
    return without_times(path.read_bytes())


@case("HOME", "without HOME, with an empty one and with one that is no folder, all but downloads works")
def no_home(place):
    keep = {k: v for k, v in os.environ.items()
            if k not in ("HOME", "OPINE_DATA", "OPINE_DATA_MIRROR") and not k.startswith("XDG_")}
    (place.folder / "file").write_text("no folder\n")
    mirror = place.folder / "mirror"
    mirror.mkdir()
    for more in ({}, {"HOME": ""}, {"HOME": "/nonexistent"}, {"HOME": str(place.folder / "file")},
                 {"HOME": "", "XDG_DATA_HOME": ""}, {"XDG_DATA_HOME": "relative"},
                 {"XDG_DATA_HOME": str(place.folder / "file")}):
        env = {**keep, **more}
        place.expect("data list", env=env)
        place.expect("data info demo", env=env)
        place.expect("data info cora", 3, "cora", env=env)
        place.expect(f"data fetch cora --mirror {mirror}", (1, 2, 3), "opine: ", env=env)
        place.expect(f"train g.npz --model gcn {TINY} -o new.safetensors", env=env,
                     writes=["new.safetensors"])
        place.expect("report m.safetensors g.npz -o new.html", env=env, writes=["new.html"])
        place.expect("version -v", env=env)


@case("closed streams", "closed standard streams lose no file, and what could not be printed is a failure",
      is_long=True)
def closed_streams(place):
    prints = ("data info g.npz", "data list", "version", "help train", "data info g.npz --json",
              "predict m.safetensors g.npz --samples 2", "explain m.safetensors g.npz 3",
              "decide p.csv", "data convert g.npz -o -",
              f"train g.npz --model gcn {TINY} -o new.safetensors")
    for line in prints:
        written = ["new.safetensors"] if " -o new" in line else []
        for closed in ((0,), (2,), (0, 2)):
            place.expect(line, closed=closed, writes=written)
        for closed in ((1,), (0, 1), (1, 2), (0, 1, 2)):
            # The model is written before anything is said about it.
            place.expect(line, 1, "standard output", closed=closed, keeps=written)
        with open("/dev/full", "wb") as full:
            place.expect(line, 1, "standard output", keeps=written, stdout=full)
    for line, told in WRITERS.items():
        name = told.format("new")
        wanted = written_once(place, line, name, ())
        for closed in ((0,), (0, 1), (0, 1, 2)):
            place.check(written_once(place, line, name, closed) == wanted,
                        f"opine {line}: writes something else without streams {closed}")
    for line in ("data info -", "predict - g.npz", "train - -o new.safetensors"):
        place.expect(line, 3, "standard input", closed=(0,))


def written_once(place, line, name, closed):
    place.expect(line.format("new"), (0, 1), "standard output", closed=closed, writes=[name],
                 keeps=[name])
    files = written_files(place, name)
    remove(place.folder / name)
    return files


@case("FIFOs", "pipes that have names are read and written as files are; one in a folder is refused")
def fifos(place):
    data, model, out = (place.folder / name for name in ("data.fifo", "model.fifo", "out.csv"))
    for path in (data, model, out):
        os.mkfifo(path)
    wanted = place.expect("predict m.safetensors g.npz --samples 2").stdout

    def feed(path, source, n_bytes=None):
        def work():
            try:
                with open(path, "wb") as pipe:
                    pipe.write((place.folder / source).read_bytes()[:n_bytes])
            except BrokenPipeError:
                pass
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    feeders = [feed(data, "g.npz"), feed(model, "m.safetensors")]
    said = place.expect("predict model.fifo data.fifo --samples 2").stdout
    place.check(said == wanted, "predictions from pipes are others than from files")
    for thread in feeders:
        thread.join(60)
    for source, n in (("g.npz", 100), ("g.npz", 0), ("m.safetensors", 10)):
        path, line = (model, "predict model.fifo g.npz") if n == 10 else (data, "data info data.fifo")
        thread = feed(path, source, n)
        place.expect(line, 3, path.name)
        thread.join(60)
    read = []
    reader = threading.Thread(target=lambda: read.append(out.read_bytes()), daemon=True)
    reader.start()
    place.expect("predict m.safetensors g.npz --samples 2 -o out.csv")
    reader.join(60)
    place.check(read == [wanted], "what comes out of a pipe is not what a file would hold")
    place.check(out.is_fifo(), "out.csv was replaced by a file")
    (place.folder / "folder" / "labels.csv").unlink()
    os.mkfifo(place.folder / "folder" / "labels.csv")
    place.expect("data info folder", 3, "folder/labels.csv")
    # Nobody at the other end: it waits, and a signal ends the wait.
    for line in ("data info data.fifo", "predict m.safetensors g.npz --samples 2 -o out.csv"):
        place.expect(line, 130, "interrupted", before=lambda: end_soon(1.0))


def end_soon(seconds):
    """In the child: SIGTERM to itself after a while, from another process, which ends with that."""
    parent = os.getpid()
    if os.fork() == 0:
        try:
            os.setsid()
            threading.Event().wait(seconds)
            os.kill(parent, signal.SIGTERM)
        finally:
            os._exit(0)


LOCALE_SHIM = r"""
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
// As a program would that embeds the library and shows numbers as its user writes them.
__attribute__((constructor)) static void settle(void)
{
    setlocale(LC_ALL, "");
    FILE *mark = fopen(getenv("OPINE_LOCALE_MARK"), "w");
    if (mark != NULL) {
        fprintf(mark, "%.1f", 1.5);
        fclose(mark);
    }
}
"""


@case("decimal comma", "in a locale with a decimal comma every output has the same bytes")
def decimal_comma(place):
    tools = place.folder.parent / "locale"
    (tools / "made").mkdir(parents=True)
    (tools / "shim.c").write_text(LOCALE_SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tools / "shim.so", tools / "shim.c"], check=True)
    try:
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", tools / "made" / "comma"],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise LeftOut("there is no localedef") from None
    if not (tools / "made" / "comma").is_dir():
        raise LeftOut(f"localedef: {made.stderr.strip()}")
    mark = tools / "mark"
    plain = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    comma = {**plain, "LOCPATH": str(tools / "made"), "LC_ALL": "comma",
             "OPINE_LOCALE_MARK": str(mark)}
    embedded = {**comma, "LD_PRELOAD": str(tools / "shim.so")}
    lines = [*((line.format("new"), told.format("new")) for line, told in WRITERS.items()),
             *((line, None) for line in (
                 "data info folder --json", "data info g.npz", "data info g.graphml --json",
                 "explain m.safetensors g.npz 3", "explain m.safetensors g.npz 3 --json",
                 "predict m.safetensors g.npz --abstain-above vacuity=0.5 --coverage 0.9",
                 "decide p.csv --target-accuracy 0.8", "decide p.csv --json",
                 "evaluate demo --model gcn --seeds 2 --samples 2 --epochs 3 --json",
                 "train g.npz --model gcn --learning-rate 0.02 --dropout 0.25 --epochs 3 --json"
                 " -o new.safetensors"))]
    for line, name in lines:
        name = name or ("new.safetensors" if " -o " in line else None)
        said = []
        for env in ({**plain, "LC_ALL": "C"}, comma, embedded):
            ended = place.expect(line, env=env, writes=[name] if name else [])
            said.append((printed(line, ended), written_files(place, name)))
            if name:
                remove(place.folder / name)
        place.check(said[0] == said[1], f"opine {line}: other bytes with a decimal comma")
        # What the command prints for people is none of the library's.
        is_document = "--json" in line or line.startswith("predict")
        place.check(said[0][1] == said[2][1] and (said[0][0] == said[2][0] or not is_document),
                    f"opine {line}: other bytes where the program has a decimal comma")
        place.check(mark.exists() and mark.read_text() == "1,5", "the locale was not in force")
        mark.unlink(missing_ok=True)
    for value in ("0,5", "0.5"):
        place.expect(f"train g.npz --model gcn --dropout {value} {TINY} -o new.safetensors",
                     2 if "," in value else 0, "--dropout", env=embedded, writes=["new.safetensors"])


# ---- the table ----


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("opine")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    return parser.parse_intermixed_args()


def go_inside():
    """Goes on in a name space of mounts of its own, if there may be one."""
    command = ["unshare", "--map-root-user", "--mount"]
    if os.environ.get(IS_INSIDE) or not shutil.which(command[0]):
        return
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[IS_INSIDE] = "yes"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])


def try_case(name, opine, base, folder, most):
    """What a case broke, in a copy of the base, and its row of the table."""
    claim, _, function = CASES[name]
    shutil.copytree(base, folder)
    place = Place(opine, folder, most=most)
    try:
        function(place)
    except LeftOut as why:
        return [], f"| {name} | {claim} | left out: {why} | | | |"
    except (OSError, ValueError, KeyError) as error:
        place.complain(f"the case itself fails: {error!r}")
    finally:
        shutil.rmtree(folder.parent)
    return place.broken, (f"| {name} | {claim} | {place.n_run} | {place.n_refused} | "
                          f"{place.peak_mb:.0f} | {len(place.broken)} |")


def main():
    options = arguments()
    go_inside()
    opine, n_broken = str(Path(options.opine).resolve()), 0
    chosen = options.cases or [name for name, (_, is_long, _) in CASES.items()
                               if not (options.quick and is_long)]
    with tempfile.TemporaryDirectory() as root:
        base = Path(root) / "base"
        base.mkdir()
        prepare(opine, base)
        print("| Limit | Claim | Commands | Refused | Peak memory, MB | Promises broken |")
        print("|---|---|--:|--:|--:|--:|")
        for name in chosen:
            broken, row = try_case(name, opine, base, Path(root) / "case" / "work", options.most)
            for complaint in broken:
                print(f"{name}: {shown(complaint, 1000)}", file=sys.stderr)
            n_broken += len(broken)
            print(row, flush=True)
    return 1 if n_broken else 0


sys.exit(main())
