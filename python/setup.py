"""Builds the wheel; pyproject.toml has what does not need code."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
os.environ["OPINE_PYTHON_FOLDER"] = str(HERE)
sys.path.insert(0, str(HERE))

from setuptools import setup  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402
from wheel.bdist_wheel import bdist_wheel  # noqa: E402

import build_opine  # noqa: E402


class BuildWithLibrary(build_ext):
    """Compiles the library first, and only where an extension is to be built."""

    def run(self):
        library = build_opine.build_library()
        for extension in self.extensions:
            extension.extra_objects.append(str(library))
            extension.extra_link_args.extend(build_opine.link_flags())
        super().run()


class AnyPython(bdist_wheel):
    """A wheel for Python 3.11 and all that follow: the extension keeps to the limited API."""

    def finalize_options(self):
        self.py_limited_api = "cp311"
        super().finalize_options()


setup(
    version=build_opine.version(),
    cffi_modules=["build_opine.py:ffibuilder"],
    cmdclass={"build_ext": BuildWithLibrary, "bdist_wheel": AnyPython},
)
