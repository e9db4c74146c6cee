#!/usr/bin/env python3
"""ranks_test.py -- opine-mpi under mpirun against one process of opine.

    tests/ranks/ranks_test.py OPINE OPINE_MPI [CLAIM...]

Each claim is a function below. Exit code 77, which ctest reports as skipped, where opine-mpi
was not built or there is no mpirun.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
SECONDS = 240  # after which a run hangs
OPINE, OPINE_MPI = sys.argv[1:3]


def launcher():
    """mpirun with what each of the implementations needs on a small machine."""
    about = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False)
    if "Open MPI" in about.stdout or "OpenRTE" in about.stdout:
        return ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none"]
    return ["mpirun"]


def run(*words, code=0):
    """Runs a command and checks its exit code; returns what it wrote to stderr."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=SECONDS,
                          check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}, not {code}:\n{done.stderr}")
    if code is None and done.returncode == 0:
        sys.exit(f"{' '.join(map(str, words))}\nended well")
    return done.stderr


def ranks(n, *words, code=0):
    return run(*launcher(), "-n", n, OPINE_MPI, *words, "--threads", 1, code=code)


def same(one, other):
    if Path(one).read_bytes() != Path(other).read_bytes():
        sys.exit(f"{one} and {other} differ")


def expect(part, text):
    if part not in text:
        sys.exit(f"expected {part!r} in:\n{text}")


def shard(blocks=8):
    if not Path("g.shards").exists():
        run(OPINE, "data", "generate", "--nodes", 700, "--classes", 3, "--features", 60, "-q",
            "-o", "g.npz")
        run(OPINE, "data", "shard", "g.npz", "--blocks", blocks, "-q", "-o", "g.shards")


# ---- claims ----------------------------------------------------------------------------

def bits():
    """Models and predictions have the same bits for one process and 2 to 4 ranks."""
    shard()
    for model in (["s-bgcn-t-k", "--patience", 3], ["s-bsage-t-k", "--dropout", 0.3],
                  ["s-bmlp-t-k", "--normalise", "standard"], ["dpn-gcn"]):
        train = ["train", "g.shards", "--epochs", 10, "--samples", 4, "-q", "--model", *model]
        run(OPINE, *train, "-o", "one.safetensors")
        run(OPINE, "predict", "one.safetensors", "g.shards", "-q", "-o", "one.csv")
        for n in (2, 3, 4):
            ranks(n, *train, "-o", "some.safetensors")
            same("one.safetensors", "some.safetensors")
            ranks(n, "predict", "some.safetensors", "g.shards", "-q", "-o", "some.csv")
            same("one.csv", "some.csv")


def messages():
    """The first rank alone speaks, and what it reports does not stop the others."""
    shard()
    train = ["train", "g.shards", "--epochs", 10, "--model", "s-bgcn-t-k", "-v"]
    said = ranks(3, *train, "-o", "some.safetensors")
    if said.count("epoch 10: loss") != 2:  # of teacher and student
        sys.exit(f"epochs are not reported once:\n{said}")


def resume():
    """An interrupted training goes on with another number of ranks, to the same bits."""
    shard()
    # Epochs enough that a fast machine is still at it when the first checkpoint is seen.
    train = ["train", "g.shards", "--epochs", 8000, "--patience", 0, "--model", "s-gcn"]
    words = [*launcher(), "-n", "3", OPINE_MPI, *train, "-o", "some.safetensors", "--threads", 1,
             "--checkpoint-every", 0.05, "-q"]
    with subprocess.Popen([str(w) for w in words], stderr=subprocess.PIPE, text=True) as going:
        until = time.monotonic() + SECONDS
        while not Path("some.safetensors.checkpoint").exists() and time.monotonic() < until:
            time.sleep(0.005)
        # The ranks and not mpirun, which in some versions drops what they say when it is interrupted.
        for rank in children_of(going.pid):
            os.kill(rank, signal.SIGINT)
        said = going.communicate(timeout=SECONDS)[1]
    if going.returncode == 0:
        sys.exit("an interrupted training ended well")
    expect("training so far is saved", said)
    left = sorted(p.name for p in Path(".").glob("some.*"))
    if left != ["some.safetensors.checkpoint"]:
        sys.exit(f"an interrupted training left {left}")
    ranks(2, *train, "-o", "some.safetensors", "--resume", "-q")
    run(OPINE, *train, "-o", "one.safetensors", "-q")
    same("one.safetensors", "some.safetensors")


def children_of(pid):
    """Processes of OPINE_MPI below one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            name = (folder / "cmdline").read_bytes().split(b"\0")[0].decode()
        except (OSError, IndexError, ValueError):
            continue
        if parent == pid:
            found += [int(folder.name)] if name == OPINE_MPI else children_of(int(folder.name))
    return found


def ended():
    """When a rank is killed the others end soon and leave no file."""
    shard()
    words = [*launcher(), "-n", "3", OPINE_MPI, "train", "g.shards", "--epochs", 100000, "--patience",
             0, "--model", "s-gcn", "-o", "killed.safetensors", "--threads", 1, "-q"]
    with subprocess.Popen([str(w) for w in words], stderr=subprocess.DEVNULL) as going:
        until = time.monotonic() + 60
        while len(children_of(going.pid)) < 3 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(2)
        os.kill(children_of(going.pid)[-1], signal.SIGKILL)
        begun = time.monotonic()
        going.wait(timeout=SECONDS)
        took = time.monotonic() - begun
    if going.returncode == 0 or took > 60:  # 5 s on a machine that does nothing else
        sys.exit(f"ended with {going.returncode} after {took:.1f} s")
    if Path("killed.safetensors").exists():
        sys.exit("a killed training wrote its model")


def refused():
    """What several ranks cannot do is refused by name, before training."""
    shard()
    out = ["-o", "some.safetensors", "-q"]
    for words, why in (
            (["train", "g.shards", "--model", "gat"], "gat: several ranks cannot share it yet"),
            (["train", "g.shards", "--model", "dropedge-gcn"], "dropedge-gcn: several ranks"),
            (["train", "g.shards", "--model", "s-blinks-t-k"], "s-blinks-t-k: several ranks"),
            (["train", "g.shards"], "several ranks train one model"),
            (["train", "g.shards", "--model", "gcn", "--members", 3], "several ranks train one"),
            (["train", "g.npz", "--model", "gcn"], "cut into blocks"),
            (["evaluate", "g.shards", "--model", "gcn"], "evaluate is for one process")):
        expect(why, ranks(2, *words, *(out if words[0] == "train" else []), code=None))
        if Path("some.safetensors").exists():
            sys.exit(f"{words} wrote a model")
    expect("9 ranks for 8 blocks", ranks(9, "train", "g.shards", "--model", "gcn", *out, code=None))
    with open("g.shards/block-0007.safetensors", "ab") as block:  # of the last rank alone
        block.write(b"x")
    expect("block-0007.safetensors: is not the file",
           ranks(2, "train", "g.shards", "--model", "gcn", *out, code=None))
    # By rank, because two commands with ":" between them make mpirun of Open MPI 5.0.7 crash.
    first_apart = '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" != 0 ] || export OPINE_KERNEL=ref; exec "$@"'
    other_kernels = [*launcher(), "-n", 2, "sh", "-c", first_apart, "sh", OPINE_MPI, "train", "g.shards",
                     "--model", "gcn", *out]
    if "ref" not in run(OPINE, "version", "-v") + subprocess.run(
            [OPINE, "version", "-v"], capture_output=True, text=True, check=False).stdout:
        expect("different programs or kernels", run(*other_kernels, code=None))
    if Path("some.safetensors").exists():
        sys.exit("a refused training wrote a model")


def unwritable():
    """A model that the first rank cannot write fails on all."""
    shard()
    if not Path("/dev/full").exists():
        return
    said = ranks(2, "train", "g.shards", "--model", "gcn", "--epochs", 2, "-q", "-o", "/dev/full",
                 code=None)
    expect("/dev/full", said)


# ---- two machines ----------------------------------------------------------------------

class TwoMachines:
    """Two network namespaces with a wire between them: what two hosts have of each other."""

    def __init__(self):
        self.names = [f"opine-{os.getpid()}-{end}" for end in "ab"]
        self.addresses = ["10.213.77.1", "10.213.77.2"]

    def __enter__(self):
        wires = [f"opn{os.getpid()}{end}" for end in "ab"]
        for name in self.names:
            run("ip", "netns", "add", name)
        run("ip", "link", "add", wires[0], "type", "veth", "peer", "name", wires[1])
        for name, wire, address in zip(self.names, wires, self.addresses):
            run("ip", "link", "set", wire, "netns", name)
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", wire)
            run("ip", "-n", name, "link", "set", wire, "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        # In the place of ssh: the only other host is the second one.
        agent = Path("agent").absolute()
        agent.write_text(f'#!/bin/sh\nshift\nexec ip netns exec {self.names[1]} sh -c "$*"\n',
                         encoding="ascii")
        agent.chmod(0o755)
        self.agent = agent
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)

    def ranks(self, *words):
        """One rank on each, which have only the wire to talk over."""
        network = "10.213.77.0/24"
        hosts = ",".join(f"{address}:1" for address in self.addresses)
        run("ip", "netns", "exec", self.names[0], *launcher(), "-n", 2, "--host", hosts,
            "--mca", "plm_rsh_agent", self.agent, "--mca", "oob_tcp_if_include", network,
            "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", network, "-wdir", os.getcwd(),
            OPINE_MPI, *words, "--threads", 1)

    def sent(self):
        """Bytes that went over the wire so far."""
        text = subprocess.run(["ip", "netns", "exec", self.names[0], "cat", "/proc/net/dev"],
                              capture_output=True, text=True, check=True).stdout
        return sum(int(line.split()[9]) for line in text.splitlines() if "opn" in line)


def why_no_machines():
    """Why there cannot be two, or nothing."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return "network namespaces need root and the command ip"
    made = subprocess.run(["ip", "netns", "add", f"opine-{os.getpid()}-try"], capture_output=True,
                          check=False)
    if made.returncode != 0:
        return "this system makes no network namespaces"
    run("ip", "netns", "delete", f"opine-{os.getpid()}-try")
    about = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False)
    if "Open MPI) 4" not in about.stdout:
        return "the launcher is told about hosts as Open MPI 4 is"
    return None


def machines():
    """Two ranks that have only a network between them come to the same bits."""
    why = why_no_machines()
    if why is not None:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    shard()
    train = ["train", "g.shards", "--epochs", 10, "--samples", 4, "-q", "--model", "s-bgcn-t-k"]
    run(OPINE, *train, "-o", "one.safetensors")
    with TwoMachines() as two:
        two.ranks(*train, "-o", "some.safetensors")
        # 10 epochs of the student alone exchange 4 · halo · (2·16 + 2·8) bytes each.
        if two.sent() < 100_000:
            sys.exit(f"only {two.sent()} bytes went over the wire")
    same("one.safetensors", "some.safetensors")


CLAIMS = {f.__name__: f for f in (bits, messages, resume, ended, refused, unwritable, machines)}


def main():
    if not Path(OPINE_MPI).exists() or shutil.which("mpirun") is None:
        print(f"skipped: no {'mpirun' if Path(OPINE_MPI).exists() else OPINE_MPI}")
        return SKIPPED
    for name in sys.argv[3:] or CLAIMS:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            CLAIMS[name]()
            os.chdir("/")
        print(f"{name}: {CLAIMS[name].__doc__}")
    return 0


sys.exit(main())
