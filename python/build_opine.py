"""Compiles opine._opine: the C library, linked statically, behind cffi in API mode."""

import os
import subprocess
import sys
from pathlib import Path

from cffi import FFI

# cffi runs this file by exec(), which knows no folder of its own.
HERE = Path(os.environ.get("OPINE_PYTHON_FOLDER") or Path.cwd()).resolve()
sys.path.insert(0, str(HERE))
from header_declarations import declarations  # noqa: E402

# The whole project; where this folder was copied for a build, it says so.
ROOT = Path(os.environ.get("OPINE_SOURCE") or HERE.parent).resolve()

# What the library calls while it works; opine/_library.py has their bodies.
HOOKS = """
extern "Python" {
    void opine_py_log(void *user, opn_log_level level, const char *message);
    void opine_py_progress(void *user, const opn_progress *progress);
    int opine_py_interrupted(void *user);
    void opine_py_epoch(void *user, const opn_epoch *epoch);
    void opine_py_release(void *user);
}
"""

# Taking the interpreter's lock may have to wait for another thread, 5 ms if that one computes, so
# the library, which asks more often on large graphs, passes that on at most every 10 ms.
SOURCE = """
#include <opine/opine.h>
#include <time.h>

static int opine_py_interrupted(void *user);

static int opine_look(void *user)
{
    static _Thread_local struct timespec last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000 < 10)
        return 0;
    const int stops = opine_py_interrupted(user);
    clock_gettime(CLOCK_MONOTONIC, &last);
    return stops;
}
"""

# Shared libraries of Debian that libopine.a needs; those that pkg-config knows.
MODULES = ["libzip", "libdeflate", "jansson", "libutf8proc", "zlib"]


def run(*command):
    subprocess.run([str(part) for part in command], check=True)


def build_library():
    """Compiles libopine.a without downloads, and so without libcurl and libcrypto."""
    given = os.environ.get("OPINE_STATIC_LIBRARY")
    if given:
        return Path(given).resolve()
    folder = Path(os.environ.get("OPINE_BUILD_FOLDER") or HERE / "build" / "library").resolve()
    run("cmake", "--log-level=NOTICE", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
        "-DOPINE_FETCH=OFF", "-DOPINE_TESTS=OFF")
    run("cmake", "--build", folder, "--parallel", os.cpu_count() or 2, "--target", "opine_static")
    return folder / "libopine.a"


def link_flags():
    flags = subprocess.run(["pkg-config", "--libs", *MODULES], check=True, capture_output=True,
                           text=True).stdout.split()
    return flags + ["-lgomp", "-lm", "-ldl", "-lpthread", "-Wl,--exclude-libs,ALL"]


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return text.split("project(opine VERSION ", 1)[1].split()[0]


ffibuilder = FFI()
ffibuilder.cdef(declarations(ROOT / "include" / "opine"))
ffibuilder.cdef(HOOKS)
ffibuilder.cdef("int opine_look(void *user);")
ffibuilder.set_source(
    "opine._opine", SOURCE,
    include_dirs=[str(ROOT / "include")],
    extra_objects=[],  # setup.py adds the library, once it is to be built
    extra_compile_args=["-O2", "-fvisibility=hidden"],
    py_limited_api=True,
)
