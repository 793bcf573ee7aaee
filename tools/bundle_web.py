#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one HTML file of web/, as a C file with two arrays: what precedes the data, and what follows.

bundle_web.py [--live] OUTPUT FILE…, of which one is HTML and the others are CSS and JavaScript, in order. The
page's Content-Security-Policy allows this script and this style, by their hashes, and nothing else; with
--live, the page of `takt serve` is made, which may also ask its server.
"""
import base64
import collections
import hashlib
import pathlib
import re
import sys

DATA = "@DATA@"


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def script_of(files):
    """Return the files of JavaScript as one function, so that they share names and add none."""
    names = collections.Counter(name for path in files for name in re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", path.read_text(encoding="utf-8"), re.M))
    twice = [name for name, count in names.items() if count > 1]
    assert not twice, f"two functions of one name, of which JavaScript takes the last: {twice}"
    parts = [f"/* {path.name} */\n{path.read_text(encoding='utf-8')}" for path in files]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"


def page(files, is_live):
    """Return the page, in which DATA stands for the data, and the sources that its policy allows."""
    def of(suffix):
        return [path for path in files if path.suffix == suffix]

    style = "".join(path.read_text(encoding="utf-8") for path in of(".css"))
    script = script_of(of(".js"))
    for text in style, script:
        assert DATA not in text and "</s" not in text.lower() and "<!--" not in text
    sources = f"script-src 'sha256-{digest(script)}'; style-src 'sha256-{digest(style)}'"
    policy = (f"default-src 'none'; {sources}; " + ("connect-src 'self'; " if is_live else "") +
              "base-uri 'none'; form-action 'none'")
    text = of(".html")[0].read_text(encoding="utf-8")
    for name, value in (("@POLICY@", policy), ("@STYLE@", style), ("@SCRIPT@", script)):
        assert text.count(name) == 1, name
        text = text.replace(name, value)
    return text, sources


def array(name, text):
    data = text.encode()
    rows = [",".join(map(str, data[at:at + 32])) for at in range(0, len(data), 32)]
    return (f"const unsigned char {name}[] = {{\n" + ",\n".join(rows) +
            f"}};\nconst size_t {name}_bytes = sizeof({name});\n")


def main():
    is_live = sys.argv[1] == "--live"
    output, *names = sys.argv[2 if is_live else 1:]
    text, sources = page([pathlib.Path(name) for name in names], is_live)
    head, foot = text.split(DATA)
    header, prefix = ("serve/serve.h", "takt_live") if is_live else ("page/page.h", "takt_page")
    pathlib.Path(output).write_text(
        f'/* Made by tools/bundle_web.py. */\n#include "{header}"\n\n' +
        array(f"{prefix}_head", head) + array(f"{prefix}_foot", foot) +
        (f'const char takt_live_policy[] = "{sources}";\n' if is_live else ""), encoding="utf-8")


main()
