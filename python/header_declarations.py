"""The public headers of the library as declarations that cffi reads.

Nothing is copied by hand: the headers are written so that, without comments, preprocessor
lines and the three macros of base.h, they are plain C declarations.
"""

import re
from pathlib import Path


def strip_header(text):
    """The declarations of one header."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"^static inline [^;{]*\{.*?^\}\n", "", text, flags=re.M | re.S)
    text = re.sub(r"OPN_PRINTF\([^)]*\)", "", text)
    return re.sub(r"\bOPN_(?:API|NODISCARD)\b", "", text)


def header_order(folder):
    """The headers that opine.h includes, each after those that it needs."""
    ordered = []

    def visit(name):
        if name in ordered:
            return
        text = (folder / name).read_text(encoding="utf-8")
        for other in re.findall(r'^#include "([^"]+)"', text, flags=re.M):
            visit(other)
        ordered.append(name)

    visit("opine.h")
    return ordered


def declarations(folder):
    """All declarations of the headers in `folder`, include/opine."""
    folder = Path(folder)
    parts = [(folder / name).read_text(encoding="utf-8") for name in header_order(folder)]
    return "\n".join(strip_header(part) for part in parts)
