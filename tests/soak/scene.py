"""scene.py -- the small files that commands are tried on, for faults.py and limits.py."""

import shlex
import subprocess
import sys

TINY = "--epochs 3 --threads 1"
# What a training may leave: to be resumed from, or because it cannot be removed.
LEFT_OVER = (".checkpoint", ".checkpoint.lock")

GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="x" for="node" attr.name="x" attr.type="double"/>
<graph edgedefault="undirected">
<node id="a"><data key="label">one</data><data key="x">1.5</data></node>
<node id="b"><data key="label">two</data><data key="x">-1</data></node>
<node id="c"><data key="x">0.25</data></node>
<edge source="a" target="b"/><edge source="b" target="c"/>
</graph></graphml>
"""


def prepare(opine, folder, seconds=60):
    """What the cases read, and what they are to replace: graphs in every form, models of two of them,
    predictions, and files called old."""
    def make(line):
        done = subprocess.run([opine, *shlex.split(line), "-q"], cwd=folder, capture_output=True,
                              timeout=seconds, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"opine {line}: {done.stderr.decode()}")

    make("data generate --nodes 60 --classes 2 --features 12 -o g.npz")
    for name in ("folder", "few"):
        make(f"data convert g.npz -o {name}")
    labels = folder / "few" / "labels.csv"
    labels.write_text("".join(labels.read_text().splitlines(keepends=True)[:31]))
    (folder / "few" / "split.csv").unlink(missing_ok=True)
    make("data shard g.npz --blocks 4 -o g.shards")
    make(f"train g.npz --model s-bgcn-t-k {TINY} -o m.safetensors")
    make(f"train few --model s-bgcn-t-k {TINY} -o few.safetensors")
    make("predict m.safetensors g.npz --threads 1 -o p.csv")
    (folder / "g.graphml").write_text(GRAPHML, encoding="utf-8")
    for ending in ("npz", "safetensors", "csv", "json", "html"):
        (folder / f"old.{ending}").write_bytes(b"as it was\n")
