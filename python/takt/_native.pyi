# SPDX-License-Identifier: MIT
# The extension module that build_native.py declares to cffi, for checkers of types.
from typing import Any

ffi: Any
lib: Any
