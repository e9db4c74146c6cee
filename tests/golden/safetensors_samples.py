#!/usr/bin/python3
"""Writes safetensors_samples.h: a safetensors file put together by hand from the format's
description, as an oracle for both our reader and our writer.

    python3 tests/golden/safetensors_samples.py > tests/golden/safetensors_samples.h
"""

import json
import struct

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
    data = sample()
    print("// safetensors_samples.h -- made by safetensors_samples.py; do not edit.")
    print()
    print("#ifndef SAFETENSORS_SAMPLES_H")
    print("#define SAFETENSORS_SAMPLES_H")
    print()
    print("static const unsigned char safetensors_sample[%d] = {" % len(data))
    for i in range(0, len(data), 13):
        print("        " + " ".join("0x%02x," % byte for byte in data[i : i + 13]))
    print("};")
    print()
    print("#endif // SAFETENSORS_SAMPLES_H")


if __name__ == "__main__":
    main()
