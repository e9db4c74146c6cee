#!/usr/bin/env python3
"""Writes safetensors_samples.h: a safetensors file put together by hand from the format's
description, as an oracle for both our reader and our writer.

Usage: python3 safetensors_samples.py    (from any folder)
"""

import json
import os
import struct

from c_arrays import HERE, c_array, write

METADATA = {"model": "s-bgcn-t-k", "seed": "7", "títle": 'a "b"\n\\'}
TENSORS = [  # name, dtype, shape, struct format, values
    ("w0", "F32", [2, 3], "f", [0.0, 1.0, -2.5, 3.4028234663852886e38, 1e-45, 0.1]),
    ("ids", "I64", [2], "q", [-1, 2**40]),
    ("flag", "BOOL", [3], "B", [1, 0, 1]),
    ("empty", "F64", [0, 4], "d", []),
    ("labels", "I32", [2], "i", [-(2**31), 2708]),
    ("scalar", "U16", [], "H", [65535]),
]


def sample():
    header = {"__metadata__": dict(sorted(METADATA.items()))}
    block = b""
    for name, dtype, shape, code, values in TENSORS:
        data = struct.pack("<%d%s" % (len(values), code), *values)
        offsets = [len(block), len(block) + len(data)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        block += data
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + block


def main():
    text = ("// safetensors_samples.h -- made by safetensors_samples.py; do not edit.\n\n"
            "#ifndef SAFETENSORS_SAMPLES_H\n#define SAFETENSORS_SAMPLES_H\n\n")
    text += c_array("safetensors_sample", sample(), 13, "0x%02x,")
    text += "\n#endif // SAFETENSORS_SAMPLES_H\n"
    write(os.path.join(HERE, "safetensors_samples.h"), text.encode())


if __name__ == "__main__":
    main()
