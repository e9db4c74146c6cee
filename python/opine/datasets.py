"""Datasets known by name.

    >>> import opine
    >>> opine.datasets.load("demo").n_nodes
    2500
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._library import NULL, context, encode, ffi, lib, text
from .errors import OpineOSError, OpineValueError
from .graph import Graph

if TYPE_CHECKING:
    from ._types import Handle

    Folder = str | os.PathLike[str] | None


def _rows() -> list[Handle]:
    return [lib.opn_dataset_at(i) for i in range(lib.opn_dataset_count())]


def names() -> list[str]:
    """Names of all datasets.

    >>> names()[:3]
    ['demo', 'cora', 'citeseer']
    """
    return [text(row.name) for row in _rows()]


def load(name: str, data_dir: Folder = None) -> Graph:
    """Loads a dataset from data_dir, $OPINE_DATA or the user's data folder.

    fetch() downloads those that are missing; "demo" is built in.

    >>> load("demo")
    <opine.Graph demo: 2500 nodes, 4996 edges, 1000 features, 6 classes>
    """
    if name not in names():
        raise OpineValueError(f"there is no dataset {name!r}; there are {', '.join(names())}")
    return Graph.load(name, data_dir=data_dir)


def files(name: str) -> list[dict[str, Any]]:
    """The original files of a dataset: path, address, bytes and SHA-256 of each.

    >>> len(files("cora")), "planetoid/ind.cora.x" in [file["path"] for file in files("cora")]
    (8, True)
    """
    for row in _rows():
        if text(row.name) == name:
            break
    else:
        raise OpineValueError(f"there is no dataset {name!r}; there are {', '.join(names())}")
    out = ffi.new("opn_dataset_file *")
    found = []
    for i in range(lib.opn_dataset_n_files(row)):
        lib.opn_dataset_file_at(row, i, out)
        path = text(out.path)
        found.append({"path": path, "url": text(out.origin).rstrip("/") + "/" + Path(path).name,
                      "bytes": out.n_bytes, "sha256": text(out.sha256)})
    return found


def folder(data_dir: Folder = None) -> Path:
    """The folder that fetch() writes to.

    >>> folder("data").name
    'data'
    """
    room = ffi.new("char[4096]")
    with context() as ctx:
        ctx.call(lib.opn_data_folder, NULL if data_dir is None else encode(data_dir), room, 4096)
    return Path(os.fsdecode(ffi.string(room)))


def fetch(name: str, data_dir: Folder = None, mirror: str | None = None) -> Path:
    """Downloads the files of a dataset that are missing, and checks their size and SHA-256.

    mirror  an address that has them below planetoid/ and gnn-benchmark/, as $OPINE_DATA_MIRROR

    Returns the folder.

    >>> fetch("demo", "data").name  # built in, so there is nothing to download
    'data'
    """
    from urllib.request import urlopen
    mirror = mirror or os.environ.get("OPINE_DATA_MIRROR")
    target = folder(data_dir)
    for file in files(name):
        path = target / file["path"]
        if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == file["sha256"]:
            continue
        url = file["url"] if mirror is None else f"{mirror.rstrip('/')}/{file['path']}"
        with urlopen(url) as answer:  # noqa: S310 -- addresses of the table, or the caller's
            data = answer.read(file["bytes"] + 1)
        if hashlib.sha256(data).hexdigest() != file["sha256"]:
            raise OpineOSError(f"{url}: {len(data)} bytes that are not the original")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as part:
            whole = Path(part, path.name)  # with the rights of any new file
            whole.write_bytes(data)
            os.replace(whole, path)
    return target
