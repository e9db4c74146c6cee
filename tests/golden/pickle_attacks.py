#!/usr/bin/env python3
"""Writes pickle_attacks.h: pickles that run code, recurse or ask for memory when they are loaded.

Usage: python3 pickle_attacks.py    (from any folder; Python 3.11 and NumPy 1.24 made the file in git)

Those that run code are loaded by Python first, which shows that they do: each makes the file that
$OPINE_MARK names.
"""

import importlib
import operator
import os
import pickle
import runpy
import struct
import subprocess
import tempfile

import numpy as np

from c_arrays import HERE, c_array

SHELL = 'touch "$OPINE_MARK"'
CODE = "open(__import__('os').environ['OPINE_MARK'], 'w').close()"
HUGE = 2**62


class Call:
    """Pickles as a call of a function, with what may follow it: state, items."""

    def __init__(self, function, *args, more=()):
        self.call = (function, args, *more)

    def __reduce_ex__(self, protocol):
        return self.call


class Named(pickle.Pickler):
    """Has a persistent id for every text."""

    def persistent_id(self, obj):
        return "os.system" if isinstance(obj, str) else None


# ---- code ------------------------------------------------------------------------------

def calls():
    """Name, what Python writes for it, and the end of the global that is refused first: older protocols
    have other names of modules."""
    import_os = Call(importlib.import_module, "os")
    yield "system", Call(os.system, SHELL), "system"
    yield "popen", Call(subprocess.Popen, SHELL, 0, None, None, None, None, None, True, True), \
        "Popen"
    yield "eval", Call(eval, CODE), "eval"
    yield "exec", Call(exec, CODE), "exec"
    yield "runpy", Call(runpy._run_code, CODE, {}), "_run_code"
    yield "loads", Call(pickle.loads, pickle.dumps(Call(eval, CODE), 0)), "loads"
    yield "chain", Call(operator.call, Call(getattr, import_os, "system"), SHELL), "call"
    yield "inside", {"graph": [1, (2, [Call(eval, CODE)])]}, "eval"
    yield "key", {(1, Call(os.system, SHELL)): 1}, "system"
    yield "objects", np.array([1, Call(eval, CODE)], dtype=object), "eval"
    yield "state", Call(np.dtype, "f8", more=(Call(eval, CODE),)), "eval"


def dangerous(found):
    """Calls in every protocol, and what is like them by hand."""
    for name, value, refused in calls():
        for protocol in range(6):
            found[f"{name}_p{protocol}"] = (pickle.dumps(value, protocol), "UNSUPPORTED",
                                            f"{refused} is refused", True)
    shell = b"S'" + SHELL.encode() + b"'\n"
    for name, data, words in (
            ("inst", b"(" + shell + b"ios\nsystem\n.", "(INST): refused"),
            ("obj", b"(cos\nsystem\n" + shell + b"o.", "os.system is refused"),
            ("newobj_ex", b"\x80\x04csubprocess\nPopen\n(" + shell + b"t}\x92.", "subprocess.Popen"),
            ("chain_by_hand", b"c__builtin__\ngetattr\n(c__builtin__\n__import__\n(S'os'\ntRS'system'\n"
             b"tR(" + shell + b"tR.", "__builtin__.getattr is refused"),
            ("build", b"ccollections\nOrderedDict\n)R(S'__class__'\ncos\nsystem\ndb.",
             "os.system is refused"),
            ("dotted", b"\x80\x04\x8c\x05numpy\x8c\x0ef2py.os.system\x93.",
             "numpy.f2py.os.system is refused"),
            ("factory", b"ccollections\ndefaultdict\n(cos\nsystem\ntR.", "os.system is refused"),
            ("reconstructor", b"ccopy_reg\n_reconstructor\n(csubprocess\nPopen\nc__builtin__\nobject\n"
             b"NtR.", "subprocess.Popen is refused"),
            ("numpy_load", b"cnumpy\nload\n(S'evil.npy'\ntR.", "numpy.load is refused"),
            ("numpy_run", b"cnumpy.testing._private.utils\nrunstring\n(" + shell + b"}tR.",
             "numpy.testing._private.utils.runstring is refused"),
            ("two_of_the_list", b"cnumpy\nencode\n.", "numpy.encode is refused"),
            ("space", b"cnumpy \ndtype\n.", "numpy .dtype is refused"),
            ("upper", b"cNumpy\ndtype\n.", "Numpy.dtype is refused"),
            ("longer", b"cnumpy\ndtypes\n.", "numpy.dtypes is refused"),
            ("empty", b"c\n\n.", ". is refused"),
            ("nul", b"\x80\x04\x8c\x06numpy\x00\x8c\x05dtype\x93.", "numpy?.dtype is refused"),
            ("extension", b"\x80\x02\x84\x01\x00\x00\x00.", "(EXT4): refused"),
            ("buffer", b"\x80\x05\x97.", "(NEXT_BUFFER): refused"),
            ("set", pickle.dumps({1, 2}, 4), "(EMPTY_SET): refused"),
            ("frozen", pickle.dumps(frozenset((1, 2)), 4), "(FROZENSET): refused"),
            ("factory_call", b"c__builtin__\nset\n(]tR.", "a call of __builtin__.set is refused"),
            ("class_call", b"cscipy.sparse\ncsr_matrix\n)R.", "is refused")):
        found[name] = (data, "UNSUPPORTED", words, False)
    for protocol in range(6):
        made = tempfile.SpooledTemporaryFile()
        Named(made, protocol).dump(["a", "b"])
        made.seek(0)
        found[f"persistent_p{protocol}"] = (
            made.read(), "UNSUPPORTED", "PERSID): refused", False)


# ---- recursion and memory --------------------------------------------------------------

def itself(kind):
    value = kind()
    if kind is list:
        value.append(value)
    else:
        value["self"] = value
    return value


def laughs(levels=60):
    """Ten times the list before, again and again: as a tree it has 10^levels leaves."""
    value = ["ha"]
    for _ in range(levels):
        value = [value] * 10
    return value


def array(shape, dtype, content):
    state = b"(K\x01(" + b"".join(b"L%dL\n" % n for n in shape) + b"tcnumpy\ndtype\n(S'" + dtype \
        + b"'\nK\x00K\x01tRI00\n" + content + b"tb"
    return b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tS'b'\ntR" + state + b"."


def bombs(found):
    """Those that are data are read, in memory that grows with the file; others are refused."""
    array_of_itself = (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tS'b'\ntRq\x00"
                       b"(K\x01(K\x01tcnumpy\ndtype\n(S'O'\nK\x00K\x01tRI00\n(lh\x00atb.")
    for protocol in range(6):
        found[f"laughs_p{protocol}"] = (pickle.dumps(laughs(), protocol), "OK", "", False)
        found[f"list_of_itself_p{protocol}"] = (pickle.dumps(itself(list), protocol), "OK", "", False)
        found[f"dict_of_itself_p{protocol}"] = (pickle.dumps(itself(dict), protocol), "OK", "", False)
    for name, data, status, words in (
            ("array_of_itself", array_of_itself, "OK", ""),
            ("memo_4", b"Nr\xff\xff\xff\xff.", "FORMAT", "memo index 4294967295"),
            ("memo_0", b"Np%d\n." % (2**63 - 1), "FORMAT", "memo index"),
            ("memo_beyond", b"Np%d\n." % 2**64, "OVERFLOW", "more than 64 bits"),
            ("memo_get", b"j\xff\xff\xff\xff.", "FORMAT", "was never put"),
            ("text_8", b"\x8d" + struct.pack("<Q", HUGE) + b"a.", "FORMAT", "bytes are announced"),
            ("bytes_8", b"\x8e" + struct.pack("<Q", 2**64 - 1) + b"a.", "FORMAT",
             "bytes are announced"),
            ("bytearray_8", b"\x96" + struct.pack("<Q", HUGE) + b"a.", "FORMAT",
             "bytes are announced"),
            ("string_4", b"T\xff\xff\xff\xffa.", "FORMAT", "bytes are announced"),
            ("frame", b"\x95" + struct.pack("<Q", HUGE) + b"N.", "FORMAT", "bytes are announced"),
            ("long_4", b"\x8b\xff\xff\xff\x7f\x01.", "FORMAT", "bytes are announced"),
            ("shape", array([HUGE], b"i8", b"S'a'\n"), "FORMAT", "array"),
            ("shapes", array([2**32, 2**32, 2**32], b"i1", b"S'a'\n"), "FORMAT", "array"),
            ("shape_of_nothing", array([HUGE, 0], b"i1", b"S''\n"), "OK", ""),
            ("shape_of_objects", array([HUGE], b"O", b"(l"), "FORMAT", "array"),
            ("type", array([1], b"V4611686018427387904", b"S'a'\n"), "FORMAT", "a type name of"),
            ("type_of_nothing", array([HUGE], b"S0", b"S''\n"), "FORMAT",
             "items without a byte")):
        found[name] = (data, status, words, False)


# ---- output ----------------------------------------------------------------------------

def runs(data):
    """Whether Python runs what the pickle says."""
    with tempfile.TemporaryDirectory() as folder:
        mark = os.path.join(folder, "mark")
        subprocess.run(["/usr/bin/python3", "-c",
                        "import pickle, subprocess, sys\n"
                        "found = pickle.loads(sys.stdin.buffer.read())\n"
                        "getattr(found, 'wait', lambda: None)()"],
                       input=data, env={"OPINE_MARK": mark, "PATH": os.environ["PATH"]},
                       stderr=subprocess.DEVNULL, check=False)
        return os.path.exists(mark)


def main():
    found = {}
    dangerous(found)
    bombs(found)
    for name, (data, _, _, is_code) in found.items():
        if is_code and not runs(data):
            raise SystemExit(f"{name} does no harm, so that it shows nothing")
    with open(os.path.join(HERE, "pickle_attacks.h"), "w", encoding="utf-8") as out:
        out.write("// pickle_attacks.h -- written by pickle_attacks.py; do not edit.\n\n"
                  "#ifndef OPN_PICKLE_ATTACKS_H\n#define OPN_PICKLE_ATTACKS_H\n\n"
                  "// clang-format off\n\n")
        for name, (data, *_) in found.items():
            out.write(c_array("attack_" + name, data))
        out.write("\n#define PICKLE_ATTACKS(X) \\\n")
        rows = [f'    X({name}, {"OPN_OK" if status == "OK" else "OPN_ERR_" + status}, "{words}")'
                for name, (_, status, words, _) in found.items()]
        out.write(" \\\n".join(rows))
        out.write("\n\n// clang-format on\n\n#endif // OPN_PICKLE_ATTACKS_H\n")


if __name__ == "__main__":
    main()
