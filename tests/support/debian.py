# SPDX-License-Identifier: MIT
"""Source packages of Debian, as apt-get verifies them. Its lists are not the machine's, which need not name
sources."""
import os
import pathlib
import subprocess

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"
FETCH_SECONDS = 900


def fetch_sources(folder, names, unpack=True):
    """Fetches source packages into `folder`; `unpack` also unpacks them there. Raises OSError or
    subprocess.SubprocessError, as without a network."""
    folder = pathlib.Path(folder)
    for part in ("lists/partial", "cache"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb-src {MIRROR} {SUITE} main\n", encoding="utf-8")
    (folder / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{folder}/sources.list";\nDir::Etc::sourceparts "-";\n'
        f'Dir::State::Lists "{folder}/lists";\nDir::Cache "{folder}/cache";\n', encoding="utf-8")
    environment = dict(os.environ, APT_CONFIG=str(folder / "apt.conf"))
    for command in (["apt-get", "update"],
                    ["apt-get", "source", *([] if unpack else ["--download-only"]), *names]):
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True,
                       timeout=FETCH_SECONDS)
