#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of a core's timing file with what a survey by time alone measured.

    take_over.py [--composed] [--ports-only] [--leave=REGEX] --busy=PORT TIMING EXPORT REPORT > NEW

TIMING is the core's file; EXPORT and REPORT are what `takt characterize --export=timing` and
`--export=report` say of the survey; PORT is the core's pseudo port that stands for its sequencer.
Forms without a row of their own, which are composed of others' rows, get one with --composed only:
correct the others first, and see what still differs. Latencies of composed forms with memory are
left: they follow from the form with registers. Taken over are, in rows that then say src=h,

- latencies that the report finds different, but not if only by how fast stored values are loaded
  (EXPORT has none through memory that the core renames: no experiment tells them);
- throughputs that take longer than the model's, by a whole number of cycles: PORT is busy so long;
- throughputs that take less, where µops on one set of ports are all there is: fewer of them, or,
  if there is but one, a larger set: which of that size is a guess, the commonest one of that
  mnemonic, or of all;
- ports, if the report finds as many µops elsewhere, and EXPORT has names for these;
- that nothing is executed if all registers are one: a row with [same].

Latencies of forms that match REGEX are left, such as those of additions on a core whose
fp_add_forward_cycles says them. With --ports-only, nothing but ports that are elsewhere is taken
over. What is left is counted on standard error, by why.
docs/characterize.md has the recipe.
"""
import argparse
import collections
import re
import sys

ROW = re.compile(r"^(\S[^|]*?)\s*\|\s*([^|]*?)\s*\|\s*(.*)$")
# "      add m32, r32      2.00, model 1.00"
DIFFERENCE = re.compile(r"^      (\S.*?)\s{2,}(.*)$")
IDIOM = re.compile(r"^  (\S.*?)\s{2,}on one register it is not executed, model: waits$")
FIGURES = re.compile(r"([\d.]+), model ([\d.]+)")
UNTOLD = "latency: only by how fast stored values are loaded"
# Figures of these are of what the experiment makes them do, not of what programs do with them.
VALUE_DEPENDENT = re.compile(r"^(rep|repne) |^(div|idiv) |^(popf|pushf|leave)|^vp?maskmov")
MEMORY = re.compile(r"\bm\d+")
WHOLE = 0.07  # cycles, by which a figure may be off a whole number
DECODED_MOST = 2  # µops of an instruction that needs no microcode, on AMD's cores
LEAST_LONGER = 0.93  # of the figure, that the model has at most for PORT to be the cause


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = ROW.match(line)
            if match and not line.startswith("#"):
                yield match.groups()


class Report:
    """Which forms differ in latencies, in throughput: (measured, model), and in ports."""

    def __init__(self, path):
        self.latency, self.longer, self.less, self.idioms = set(), {}, {}, []
        self.elsewhere = set()
        kind = ""
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith(" "):
                    kind = line.split(",")[0].strip()
                match = DIFFERENCE.match(line)
                idiom = IDIOM.match(line)
                if idiom:
                    self.idioms.append(idiom[1])
                elif match:
                    self.add(kind, match[1], match[2])

    def forget_all_but_ports(self):
        self.latency, self.longer, self.less, self.idioms = set(), {}, {}, []

    def add(self, kind, form, text):
        figures = FIGURES.match(text)
        if kind.startswith("latency: ") and kind != UNTOLD:
            self.latency.add(form)
        elif kind == "ports: as many µops":
            self.elsewhere.add(form)
        elif figures and kind == "throughput: takes longer":
            self.longer[form] = tuple(map(float, figures.groups()))
        elif figures and kind == "throughput: takes less":
            self.less[form] = tuple(map(float, figures.groups()))


def busy_ports(ports, busy, measured, model):
    """Ports with `busy` for as long as was measured; None if that is no whole number of cycles."""
    cycles = round(measured)
    if cycles < 1 or abs(measured - cycles) > max(WHOLE, 0.01 * measured):
        return None
    if model > LEAST_LONGER * cycles:
        return None
    return "+".join([*without(ports, busy), f"{cycles}*{busy}"])


def without(ports, busy):
    return [part for part in ports.split("+") if not re.fullmatch(rf"\d+\*{busy}", part)]


def mnemonic_of(form):
    return re.sub(r"^\{.*?\} ", "", form).split(" ")[0]


class Sets:
    """How often each set of ports is that of a single µop alone, of a mnemonic and of all."""

    def __init__(self, rows):
        self.all, self.by_mnemonic = collections.Counter(), collections.Counter()
        for form, (ports, _) in rows.items():
            if re.fullmatch(r"1\*[a-z]+\d+", ports):
                self.all[ports[2:]] += 1
                self.by_mnemonic[mnemonic_of(form), ports[2:]] += 1

    def larger(self, form, letters, digits, size):
        """The commonest one of so many ports that has these among them."""
        fitting = [name for name in self.all
                   if name.startswith(letters) and len(name) == len(letters) + size and
                   set(digits) <= set(name[len(letters):])]
        return max(fitting, default=letters + digits, key=lambda name: (
            self.by_mnemonic[mnemonic_of(form), name], self.all[name]))


def fewer_uops(form, ports, busy, measured, sets):
    """Ports with as many µops of the first set as fit into the time, and not kept busy."""
    parts = without(ports, busy)
    match = re.fullmatch(r"(\d+)\*([a-z]+)(\d+)", parts[0]) if parts else None
    if match:
        count, letters, digits = int(match[1]), match[2], match[3]
        if count == 1 and measured * len(digits) < 1 - WHOLE:
            parts[0] = "1*" + sets.larger(form, letters, digits, round(1 / measured))
        else:
            fitting = min(count, max(1, round(measured * len(digits))))
            parts[0] = f"{fitting}*{letters}{digits}"
    return "+".join(parts) or ports


def latencies_of(attributes):
    """1>1:2,2>1:3 … as a set."""
    match = re.search(r"\blat=(\S+)", attributes)
    return set(match[1].split(",")) if match else set()


def fitting_microcode(ports, busy, attributes):
    """No more µops from microcode than there are, and none of so few that decoders make them."""
    parts = [part.split("*") for part in ports.split("+")]
    uops = sum(int(count) for count, names in parts if names[0] != busy[0])  # no pseudo ports
    microcode = re.search(r"\bms=(\d+)", attributes)
    if not microcode or int(microcode[1]) <= uops:
        return attributes
    said = f"ms={uops}" if uops > DECODED_MOST else ""
    return " ".join(attributes.replace(microcode[0], said).split())


def new_attributes(old, new, latencies):
    replaced = ("src=", "rtp=", "lat=") if latencies else ("src=", "rtp=")
    kept = [word for word in old.split() if not word.startswith(replaced)]
    measured = [word for word in new.split() if latencies and word.startswith("lat=")]
    return " ".join([*measured, *kept, "src=h"])


class Corrector:
    def __init__(self, report, exported, busy, leave):
        self.report, self.exported, self.busy = report, exported, busy
        self.leave = re.compile(leave)
        self.sets = Sets(exported)
        self.counts = collections.Counter()

    def ports(self, form, ports):
        if form in self.report.longer:
            new = busy_ports(ports, self.busy, *self.report.longer[form])
            self.counts["longer" if new else "longer, not by whole cycles: left"] += 1
            return new or ports
        if form in self.report.less:
            new = fewer_uops(form, ports, self.busy, self.report.less[form][0], self.sets)
            self.counts["less" if new != ports else "less, not by ports: left"] += 1
            return new
        if form in self.report.elsewhere:
            new = self.exported[form][0]
            self.counts["elsewhere" if new != ports else "elsewhere, without names: left"] += 1
            return new
        return ports

    def row(self, form, ports, attributes, composed=False):
        """The row corrected, or None if nothing is to be."""
        if form not in self.exported:
            return None
        if VALUE_DEPENDENT.search(form):
            self.counts["depends on values: left"] += form in self.report.latency
            return None
        new_ports = self.ports(form, ports)
        measured = self.exported[form][1]
        latencies = (form in self.report.latency and not self.leave.search(form) and
                     latencies_of(measured) != latencies_of(attributes) and
                     not (composed and MEMORY.search(form)))
        self.counts["latencies"] += latencies
        if new_ports == ports and not latencies:
            return None
        attributes = new_attributes(attributes, measured, latencies)
        return new_ports, fitting_microcode(new_ports, self.busy, attributes)


def text_of(form, ports, attributes):
    return f"{form:<32} | {ports:<16} | {attributes}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--composed", action="store_true")
    parser.add_argument("--ports-only", action="store_true")
    parser.add_argument("--leave", default="(?!)")
    parser.add_argument("--busy", required=True)
    for name in ("timing", "export", "report"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    report = Report(arguments.report)
    if arguments.ports_only:
        report.forget_all_but_ports()
    exported = {form: (ports, attributes)
                for form, ports, attributes in rows_of(arguments.export)}
    corrector = Corrector(report, exported, arguments.busy, arguments.leave)
    done = set()
    with open(arguments.timing, encoding="utf-8") as file:
        for line in file:
            match = ROW.match(line)
            row = None
            if match and not line.startswith("#"):
                done.add(match[1])
                row = corrector.row(*match.groups())
            print(text_of(match[1], *row) if row else line.rstrip("\n"))
    for form in sorted(exported.keys() - done) if arguments.composed else ():
        row = corrector.row(form, *exported[form], composed=True)
        if row:
            print(text_of(form, *row))
    for form in corrector.report.idioms:
        print(text_of(f"{form} [same]", "-", "lat=0 slots=1 zero src=h"))
        corrector.counts["idioms"] += 1
    for what, count in sorted(corrector.counts.items()):
        print(f"{count:6} {what}", file=sys.stderr)


main()
