"""What the scripts beside this one share: bytes as C arrays, and where files go.

A module, not a script: run by itself it does nothing.
"""

import os

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(HERE, "..", "..", "fuzz", "corpus")


def c_array(name, data, per_line=16, form="%d,"):
    lines = ["static const unsigned char %s[%d] = {" % (name, len(data))]
    for i in range(0, len(data), per_line):
        lines.append("        " + " ".join(form % byte for byte in data[i:i + per_line]))
    return "\n".join(lines) + "\n};\n"


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)
