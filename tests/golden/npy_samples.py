#!/usr/bin/env python3
"""Writes npy_samples.h (and the fuzzers' first inputs): small arrays as NumPy writes them.

Usage: python3 npy_samples.py    (from any folder; NumPy 1.24 made the file in git)
"""

import io
import os
import struct
import warnings
import zipfile

import numpy as np
from numpy.lib import format as npy

from c_arrays import CORPUS, HERE, c_array, write

NUMBERS = [0, 1, 2, 3, 100, 127]  # fit every type; the test knows them


def npy_bytes(array, version=None):
    out = io.BytesIO()
    npy.write_array(out, array, version=version, allow_pickle=False)
    return out.getvalue()


def with_header(text, payload, version=1):
    """A file with a header NumPy reads but does not write itself."""
    head = text.encode("latin1")
    size = struct.pack("<H" if version == 1 else "<I", len(head))
    data = b"\x93NUMPY" + bytes([version, 0]) + size + head + payload
    return data


def npz_bytes(save, **arrays):
    out = io.BytesIO()
    save(out, **arrays)
    return out.getvalue()


def samples():
    """Name, bytes; those named number_* hold NUMBERS as (2, 3) in C order."""
    for order in "<>":
        for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
            if order == ">" and kind[1] == "1":
                continue
            array = np.array(NUMBERS, dtype=order + kind).reshape(2, 3)
            side = "little" if order == "<" else "big"
            yield f"number_{kind}_{side}_c", npy_bytes(array)
            yield f"number_{kind}_{side}_fortran", npy_bytes(np.asfortranarray(array))
    array = np.array(NUMBERS, dtype="<f4").reshape(2, 3)
    yield "number_version_2", npy_bytes(array, (2, 0))
    yield "number_version_3", npy_bytes(array, (3, 0))
    payload = np.array(NUMBERS, dtype="<i8").tobytes()
    yield "number_python_2", with_header(
        "{'shape': (2L, 3L), \"descr\": '<i8' , 'fortran_order':False}\n", payload)
    yield "bool", npy_bytes(np.array([True, False, True]))
    yield "scalar", npy_bytes(np.array(7, dtype="<i8"))
    yield "empty", npy_bytes(np.zeros((0, 4), dtype="<f4"))
    cube = np.arange(24, dtype="<i2").reshape(2, 3, 4)
    yield "cube_c", npy_bytes(cube)
    yield "cube_fortran", npy_bytes(np.asfortranarray(cube))
    text = np.array([["a", "ünï"], ["", "日本"], ["😀", "z"]])
    yield "text_little", npy_bytes(text)
    yield "text_big", npy_bytes(text.astype(">U3"))
    yield "text_fortran", npy_bytes(np.asfortranarray(text))
    yield "bytes", npy_bytes(np.array([b"abc", "é".encode(), b"\xe9t", b""], dtype="S4"))
    yield "complex", npy_bytes(np.zeros(2, dtype="<c8"))
    yield "long_double", npy_bytes(np.zeros(1, dtype="<f16"))
    yield "date", npy_bytes(np.zeros(2, dtype="<M8[s]"))
    yield "record", npy_bytes(np.zeros(2, dtype=[("x", "<f4"), ("y", "<i4")]))
    yield "object", with_header(
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", b"\x80\x04N.")
    arrays = {"counts": np.arange(5, dtype="<i4"), "names": np.array(["x", "yz"])}
    yield "npz_stored", npz_bytes(np.savez, **arrays)
    yield "npz_deflated", npz_bytes(np.savez_compressed, **arrays)
    yield "zip_bzip2", raw_zip([("a", b"hello", zipfile.ZIP_BZIP2)])
    yield "zip_twice", raw_zip([(name, b"", zipfile.ZIP_STORED) for name in "aba"])
    yield "zip_control", raw_zip([("a\nb", b"", zipfile.ZIP_STORED)])
    yield "zip_no_array", raw_zip([("a.npy", b"hello", zipfile.ZIP_STORED)])
    yield "zip_empty", raw_zip([])
    # An end that claims 2^40 members in no bytes.
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 0, 0)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, 0, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xffff, 0xffff, 2**32 - 1, 2**32 - 1, 0)
    yield "zip_many_members", end64 + locator + end


def raw_zip(entries, comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data, method in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, data)
        archive.comment = comment
    return out.getvalue()


def main():
    warnings.simplefilter("ignore")  # zipfile's about the name that is there twice
    made = list(samples())
    text = ("// npy_samples.h -- arrays as NumPy writes them; made by npy_samples.py.\n\n"
            "#ifndef OPN_NPY_SAMPLES_H\n#define OPN_NPY_SAMPLES_H\n\n"
            "#include <stddef.h>\n\n"
            "// clang-format off\n")
    text += "\n".join(c_array("npy_" + name, data) for name, data in made)
    text += "// clang-format on\n\n"
    text += ("typedef struct npy_sample {\n    const char *name;\n"
             "    const unsigned char *data;\n    size_t n_bytes;\n} npy_sample;\n\n"
             "// 0, 1, 2, 3, 100, 127 as (2, 3), in every type of number.\n"
             "static const npy_sample npy_numbers[] = {\n")
    for name, data in made:
        if name.startswith("number_"):
            text += f'        {{"{name}", npy_{name}, {len(data)}}},\n'
    text += "};\n\n#endif // OPN_NPY_SAMPLES_H\n"
    write(os.path.join(HERE, "npy_samples.h"), text.encode())

    seeds = dict(made)
    for name in ("number_f4_big_fortran", "number_f2_little_c", "number_version_3",
                 "number_python_2", "bool", "scalar", "empty", "text_fortran", "bytes",
                 "record", "cube_fortran"):
        write(os.path.join(CORPUS, "npy", name + ".npy"), seeds[name])
    zips = os.path.join(CORPUS, "zip_archive")
    write(os.path.join(zips, "stored.npz"), seeds["npz_stored"])
    write(os.path.join(zips, "deflated.npz"), seeds["npz_deflated"])
    for name in ("bzip2", "twice", "empty", "many_members"):
        write(os.path.join(zips, name + ".zip"), seeds["zip_" + name])
    store, deflate = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    write(os.path.join(zips, "comment.zip"),
          raw_zip([("a", b"hello", store), ("b", b"x" * 500, deflate)], b"a comment"))


if __name__ == "__main__":
    main()
