#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes data/timing/NAME.timing of an AArch64 core.

    aarch64.py RULES IMPORTED [OSACA.yml]

IMPORTED is what `takt model import --arch=NAME llvm:CPU` wrote. RULES
(tools/import/aarch64/NAME.rules) names the sources, says what OSACA's ports are and for
which forms its figures are better, and corrects rows by pattern:

    source v vendor  …
    osaca o 0=f0 0DV=x0 …              # tag, and OSACA's ports as ours
    take fadd * | fmul *               # forms that have OSACA's figures
    fmla v.* | = | lat=4,1>1:2 src=v   # `=` keeps what was imported
    str* | 1*p34+1*p5 | =,a>2:4 src=p  # and adds a latency
    ?strb q, [x] | …                   # not an error if there is no such form
    atomics | 2*l01+1*d01 | lat=7 …    # forms of LSE that have no row yet
    like v1 v0123=v01 | aes* | sha* …  # rows of another core, with its ports as ours
    copy ldapr x, [x] = ldar x, [x] src=e  # a form that has another one's row
    isb | {branch} | lat=20 src=e      # the µops of a class in the core's file

common.rules beside it come first.
"""
import fnmatch
import os
import re
import sys

FORM_WIDTH, UOPS_WIDTH = 40, 32
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")
LANES = {"b": "16b", "h": "8h", "s": "4s", "d": "2d", "q": "1q"}


def matches(form, pattern):
    """`*` alone is special: brackets are part of forms."""
    return fnmatch.fnmatchcase(form, pattern.replace("[", "[[]"))


# ---- OSACA -----------------------------------------------------------------


def operand(op):
    """One operand of an OSACA entry as a takt kind, or None."""
    kind = op.get("class")
    if kind == "register":
        prefix, shape = str(op.get("prefix", "")), op.get("shape")
        lanes = op.get("lanes")
        if prefix == "p":
            predication = op.get("predication")
            if predication and predication != "*":
                return "p/" + predication
            return "p" if not shape else "p." + shape
        if prefix == "v":
            if not shape:
                return None
            if shape not in LANES:
                return None
            return "v." + (str(lanes) + shape if lanes and lanes != "*" else LANES[shape])
        if prefix == "z":
            return "z." + shape if shape else "z"
        return prefix if prefix in "wxbhsdq" else None
    if kind == "immediate":
        return "i"
    if kind == "identifier":
        return "label"
    if kind == "condition":
        return "cond"
    return None


def ports(pressure, names):
    """[[1, '01'], [24, ['0DV']]] as '1*f01+24*x0'; None if a port has no name."""
    total = {}
    for cycles, units in pressure:
        ours = []
        for unit in units:
            if unit not in names:
                return None
            ours.append(names[unit])
        key = tuple(sorted(set(ours)))
        total[key] = total.get(key, 0) + round(float(cycles))
    text = []
    for key, cycles in total.items():
        run, letter = "", ""
        for name in key:
            run += name if name[0] != letter else name[1:]
            letter = name[0]
        text.append("%d*%s" % (max(cycles, 1), run))
    return "+".join(text) or "-"


def osaca_rows(path, names):
    import yaml

    rows = {}
    with open(path, encoding="utf-8") as file:
        forms = yaml.safe_load(file)["instruction_forms"]
    for entry in forms:
        mnemonics = entry["name"] if isinstance(entry["name"], list) else [entry["name"]]
        kinds = [operand(op) for op in entry.get("operands") or []]
        if None in kinds or entry.get("latency") is None:
            continue
        uops = ports(entry.get("port_pressure") or [], names)
        if uops is None or uops == "-":
            continue
        for mnemonic in mnemonics:
            form = (str(mnemonic).lower() + " " + ", ".join(kinds)).strip()
            rows.setdefault(form, (uops, round(float(entry["latency"]))))
    return rows


# ---- rows --------------------------------------------------------------------


def read_import(path):
    rows, skipped = {}, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = [field.strip() for field in line.split("|")]
            if line.startswith("# left out"):
                skipped.append(line)
            elif len(fields) == 3:
                rows[fields[0]] = [fields[1], fields[2] + " src=m"]
    return rows, skipped


def class_uops(core):
    """The µops of the classes in a core's file: {"int": "1*s01m0", "load": …}."""
    uops = {}
    with open(os.path.join(DATA, "cores", core + ".core"), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] in ("default", "compose"):
                uops[words[1]] = words[3]
    return uops


def read_rules(path, rules):
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            word = line.split(" ")[0]
            if word == "source":
                rules["sources"].append(line)
            elif word == "osaca":
                rules["osaca"] = line.split()[1]
                rules["names"] = dict(pair.split("=") for pair in line.split()[2:])
            elif word == "take":
                rules["take"] += [part.strip() for part in line[4:].split("|")]
            elif word == "like":
                rules["like"].append(line[4:].strip())
            elif word == "copy":
                rules["copy"].append(line[4:].strip().split(" = "))
            elif line:
                rules["rows"].append([field.strip() for field in line.split("|")])


def latency_with(attributes, cycles):
    """The row's attributes with another latency; pairs of other operands stay as they are."""
    lat = re.search(r"lat=(\d+)((?:,[^ ]*)?)", attributes)
    pairs = [p for p in lat.group(2).split(",") if p and "b:" in p]
    return ",".join(["lat=%d" % cycles] + pairs)


def apply_osaca(rows, rules, path):
    used = 0
    for form, (uops, latency) in osaca_rows(path, rules["names"]).items():
        if form not in rows or not any(matches(form, take) for take in rules["take"]):
            continue
        rows[form] = [uops, latency_with(rows[form][1], latency) + " src=" + rules["osaca"]]
        used += 1
    sys.stderr.write("%d rows of OSACA\n" % used)


def atomics():
    """Forms of the large system extension, of which many of LLVM's tables say nothing."""
    bases = ["cas", "swp"] + ["ld" + op for op in (
        "add", "clr", "eor", "set", "smax", "smin", "umax", "umin")]
    for base in bases:
        for order in ("", "a", "l", "al"):
            for size in ("", "b", "h"):
                yield "%s%s%s w, w, [x]" % (base, order, size)
            yield "%s%s x, x, [x]" % (base, order)
            if base == "cas":
                yield "casp%s w, w, w, w, [x]" % order
                yield "casp%s x, x, x, x, [x]" % order
            if base.startswith("ld") and "a" not in order:
                for size in ("", "b", "h"):
                    yield "st%s%s%s w, [x]" % (base[2:], order, size)
                yield "st%s%s x, [x]" % (base[2:], order)


def apply_rule(rows, rule):
    pattern, uops, attributes = rule
    if pattern == "atomics":
        for form in atomics():
            if rows.get(form, "-")[0] == "-":
                rows[form] = [uops, attributes]
        return
    optional, pattern = pattern.startswith("?"), pattern.lstrip("?")
    found = 0
    for form in list(rows):
        if not matches(form, pattern):
            continue
        old = rows[form]
        new = attributes
        if attributes.startswith("="):
            # Slots follow the µops again where these change.
            gone = r" src=\w+" if uops == "=" else r" (src|slots|uops)=\w+"
            new = re.sub(gone, "", old[1]) + " "
            if attributes.startswith("=,"):
                new = re.sub(r"lat=\S+", r"\g<0>" + attributes[1:].split()[0], new)
            new += " ".join(attributes.split()[1:])
        rows[form] = [old[0] if uops == "=" else uops, new]
        found += 1
    if not found and not optional and "*" not in pattern and "=" not in (uops, attributes[:1]):
        rows[pattern] = [uops, attributes]
    elif not found and not optional:
        sys.stderr.write("no row for '%s'\n" % pattern)


def apply_like(rows, like):
    """Rows of another core that this one has not."""
    words, *patterns = [part.strip() for part in like.split("|")]
    core, *pairs = words.split()
    theirs, _ = read_import(os.path.join(DATA, "timing", core + ".timing"))
    names = dict(pair.split("=") for pair in pairs)
    for form, (uops, attributes) in theirs.items():
        if form in rows or not any(matches(form, pattern) for pattern in patterns):
            continue
        ours = "+".join(count + "*" + names.get(run, run) for count, run in
                        (part.split("*") for part in uops.split("+")))
        rows[form] = [ours, re.sub(r" src=\w+", "", attributes) + " src=i"]


EXTENSIONS = ("uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx")
LOGICAL = ("and", "ands", "bic", "bics", "eor", "eon", "orr", "orn", "tst", "mvn")


def variants(form):
    """Forms that LLVM's samples leave out and that have the same opcode as this one."""
    head, _, last = form.rpartition(" ")
    if last in EXTENSIONS:
        wide = head.endswith(" x")
        for other in EXTENSIONS:
            if wide == other.endswith("x") or head.count(" w") > 1 or " x" not in head:
                yield head + " " + other
    elif last == "asr" and form.split(" ")[0] in LOGICAL:
        yield head + " ror"
    if re.match(r"([su]?q?(inc|dec)|cnt)[bhwd] .*, op( mul)?$|ptrues? .*, op$", form):
        yield re.sub(r"\bop( mul)?$", r"i\1", form)


def main():
    name = re.search(r"([^/]+)\.rules$", sys.argv[1]).group(1)
    rules = {"sources": [], "take": [], "rows": [], "like": [], "copy": [], "osaca": None,
             "names": {}}
    read_rules(os.path.join(os.path.dirname(sys.argv[1]), "common.rules"), rules)
    read_rules(sys.argv[1], rules)
    rows, skipped = read_import(sys.argv[2])
    if len(sys.argv) > 3:
        apply_osaca(rows, rules, sys.argv[3])
    for like in rules["like"]:
        apply_like(rows, like)
    uops = class_uops(name)
    for pattern, *rest in rules["rows"]:
        apply_rule(rows, [pattern] + [re.sub(r"{(.*?)}", lambda m: uops[m.group(1)], field)
                                      for field in rest])
    for form, other in rules["copy"]:
        other, _, source = other.partition(" src=")
        if other in rows:
            tag = " src=" + source if source else ""
            rows.setdefault(form, [rows[other][0], rows[other][1] + tag])
    for form in list(rows):
        for other in variants(form):
            rows.setdefault(other, list(rows[form]))
    if "bti" in rows:
        rows.setdefault("bti op", list(rows["bti"]))
    print("takt timing 1\nname  %s\nisa   aarch64\n" % name)
    print("# Made by tools/import/aarch64.py of what LLVM's tables say, corrected by "
          "tools/import/aarch64/%s.rules." % name)
    print("\n".join(rules["sources"]))
    print("default-source m\n")
    for form in sorted(rows):
        uops, attributes = rows[form]
        attributes = attributes.replace(" src=m", "")
        print("%-*s| %-*s| %s" % (FORM_WIDTH, form, UOPS_WIDTH, uops, attributes))
    print("\n# %d rows" % len(rows))
    sys.stdout.write("".join(skipped))


main()
