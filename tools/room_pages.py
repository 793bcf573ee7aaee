# SPDX-License-Identifier: MIT
"""Checks that documents name the files that there are; tools/check_layers.py calls it.

- The table "Files" of docs/architecture/ROOM.md names every file of src/ROOM, and only files that exist. Its first
  column has names relative to the folder, in backticks; `*`, `[ch]` and `{a,b}` are patterns.
- Paths in backticks, and on the pages of rooms file names, are of something that exists.
- `make TARGET` names a target of the Makefile, and `takt_NAME()` or `TAKT_NAME()` what src/ or include/ has.
- Links in README.md, CONTRIBUTING.md, ARCHITECTURE.md and docs/ lead to pages and headings that exist.
"""
import re

PAGES = "docs/architecture"
# Pages of folders outside src/; that of tests/ names the folder's entries, not every file in them.
OTHER_FOLDERS = {"plugin": "plugin", "marker": "marker", "tests": "tests"}
# Pages without a table of files: src/modules has no code.
WITHOUT_FILES = {"modules"}
NOT_NAMED = {"meson.build"}
TOP_FOLDERS = r"(?:src|include|plugin|marker|data|docs|tests|tools|kernels|bench|examples|python|web|\.ci)"
CODE = re.compile(r"`([^`\s]+)`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(TOP_FOLDERS + r"/[\w./*+\[\]{},-]*")
FILE = re.compile(r"[\w/*\[\]{},-]+\.(?:\[ch\]p?p?|c|h|cpp|hpp|def|py)")
PLACEHOLDER = re.compile(r"NAME|ROOM|ISA|FAMILY")
TARGET = re.compile(r"`make ([a-z][\w-]*)[^`]*`")
CALL = re.compile(r"`(takt_\w+|TAKT_\w+)\([^`]*\)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def expand(pattern):
    """`a_{b,c}.c` as ["a_b.c", "a_c.c"]."""
    match = re.search(r"\{([^{}]*)\}", pattern)
    if not match:
        return [pattern]
    return [name for choice in match.group(1).split(",")
            for name in expand(pattern[:match.start()] + choice + pattern[match.end():])]


def find(folder, pattern):
    """Files and folders below `folder` that match each expansion, or None if one has no match."""
    found = set()
    for name in expand(pattern):
        # `name.[ch]` stands for both files.
        names = [name.replace("[ch]", letter) for letter in "ch"] if "[ch]" in name else [name]
        for one in names:
            matches = set(folder.glob(one))
            if not matches and "*" in name and found:
                continue  # `trace*.[ch]` may have no header
            if not matches:
                return None
            found |= matches
    return found


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, page, findings):
    for link, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        target = page.parent / link if link else page
        if not target.exists():
            findings.append(f"{page.relative_to(root)}: links to {link}, which does not exist")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            findings.append(f"{page.relative_to(root)}: links to {link}#{anchor}, which is no heading")


def check_table(root, page, folder, findings):
    place = page.relative_to(root)
    section = re.search(r"^## Files\n(.*?)(?=^## |\Z)", page.read_text(encoding="utf-8"),
                        re.MULTILINE | re.DOTALL)
    if not section:
        findings.append(f"{place}: has no section 'Files'")
        return
    named = set()
    for row in re.findall(r"^\|([^|]*)\|", section.group(1), re.MULTILINE):
        for name in CODE.findall(row):
            found = find(folder, name)
            if found is None:
                findings.append(f"{place}: names {name}, which is not in {folder.relative_to(root)}")
            named |= found or set()
    is_tests = folder.name == "tests"
    there = folder.iterdir() if is_tests else (p for p in folder.rglob("*") if p.is_file())
    for path in sorted(there):
        if path not in named and path.name not in NOT_NAMED and path.is_dir() == is_tests \
                and path.name != "__pycache__":
            findings.append(f"{place}: does not name {path.relative_to(root)}")


def check_names(root, page, folder, findings):
    place = page.relative_to(root)
    text = page.read_text(encoding="utf-8")
    for name in CODE.findall(FENCE.sub("", text)):
        if PLACEHOLDER.search(name):
            continue
        if PATH.fullmatch(name):
            if find(root, name.rstrip("/")) is None:
                findings.append(f"{place}: names {name}, which does not exist")
        elif FILE.fullmatch(name) and folder:
            if find(folder, name) is None and find(folder, "**/" + name) is None \
                    and find(root / "tests", "**/" + name) is None:
                findings.append(f"{place}: names {name}, which does not exist")


def check_calls(root, page, known, findings):
    """`known` are the targets of the Makefile and all words of the sources."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for name in TARGET.findall(text) + CALL.findall(text):
        if name not in known and not PLACEHOLDER.search(name):
            findings.append(f"{page.relative_to(root)}: names {name}, which does not exist")


def find_known(root):
    known = set(re.findall(r"^([\w-]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for folder in "src", "include", "marker", "plugin":
        for path in (root / folder).rglob("*.[ch]"):
            known.update(re.findall(r"\btakt_\w+|\bTAKT_\w+", path.read_text(encoding="utf-8")))
    return known


def check(root, rooms):
    """A list of findings. `rooms` are the folders of src/."""
    findings = []
    folders = {room: root / "src" / room for room in rooms}
    folders.update({name: root / folder for name, folder in OTHER_FOLDERS.items()})
    pages = {page.stem: page for page in sorted((root / PAGES).glob("*.md"))}
    for name in sorted(folders.keys() - pages.keys()):
        findings.append(f"{PAGES}/{name}.md: is missing")
    for name in sorted(pages.keys() - folders.keys()):
        findings.append(f"{PAGES}/{name}.md: there is no such room")
    for name in sorted(pages.keys() & folders.keys()):
        if name not in WITHOUT_FILES:
            check_table(root, pages[name], folders[name], findings)
        check_names(root, pages[name], folders[name], findings)
    known = find_known(root)
    others = [root / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    for page in others + sorted((root / "docs").rglob("*.md")):
        if page not in pages.values() and page.parent.name != "notes":  # notes may name what was
            check_names(root, page, None, findings)
        if page.parent.name != "notes":
            check_calls(root, page, known, findings)
        check_links(root, page, findings)
    return findings
