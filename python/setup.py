# SPDX-License-Identifier: MIT
"""Packs the library of a build directory into a wheel: `make wheel`.

TAKT_BUILD names that directory (../build unless set). The library is linked into the extension
module, and the modules that it loads when they are needed are put beside it, unless TAKT_MODULES is
"no": a distribution's package uses those that are installed with the command.
"""
import os
import pathlib
import re
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("TAKT_BUILD", HERE.parent / "build")).resolve()
MODULES = BUILD / "src" / "modules"


def version():
    header = (HERE.parent / "include" / "takt" / "common.h").read_text(encoding="utf-8")
    return re.search(r'#define TAKT_VERSION "([^"]*)"', header)[1]


class BuildWithModules(build_py):
    """Adds the modules, where the library looks for them: in the folder `takt` beside itself."""

    def run(self):
        super().run()
        if os.environ.get("TAKT_MODULES") == "no":
            return
        folder = pathlib.Path(self.build_lib) / "takt" / "takt"
        folder.mkdir(parents=True, exist_ok=True)
        for module in [*MODULES.glob("takt-*.so"), MODULES / "takt-assembler"]:
            if module.exists():
                shutil.copy(module, folder)


setup(
    name="takt",
    version=version(),
    description="Cycles of machine code on a given core, why, and what would change it",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.9",
    install_requires=["cffi>=1.15"],
    extras_require={"tables": ["numpy", "pandas"]},
    packages=["takt"],
    package_data={"takt": ["py.typed", "_native.pyi"]},
    cffi_modules=["build_native.py:builder"],
    cmdclass={"build_py": BuildWithModules},
)
