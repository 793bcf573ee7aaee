#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of a core's timing file with what a survey by time alone measured.

    take_over.py [--composed] [--leave=REGEX] --busy=PORT TIMING EXPORT REPORT > NEW

TIMING is the core's file; EXPORT and REPORT are what `takt characterize --export=timing` and
`--export=report` say of the survey; PORT is the core's pseudo port that stands for its sequencer.
Forms without a row of their own, which are composed of others' rows, get one with --composed only:
correct the others first, and see what still differs. Latencies of composed forms with memory are
left: they follow from the form with registers. Taken over are, in rows that then say src=h,

- latencies that the report finds different, but for those that an experiment cannot tell: through
  memory, where cores rename it, or only by how fast stored values are loaded;
- throughputs that take longer than the model's, by a whole number of cycles: PORT is busy so long;
- throughputs that take less, where µops on one set of ports are all there is: fewer of them.

Latencies of forms that match REGEX are left, such as those of additions on a core whose
fp_add_forward_cycles says them. What is left is counted on standard error, by why.
docs/characterize.md has the recipe.
"""
import argparse
import collections
import re
import sys

ROW = re.compile(r"^(\S[^|]*?)\s*\|\s*([^|]*?)\s*\|\s*(.*)$")
# "      add m32, r32      2.00, model 1.00"
DIFFERENCE = re.compile(r"^      (\S.*?)\s{2,}(.*)$")
FIGURES = re.compile(r"([\d.]+), model ([\d.]+)")
UNTOLD = ("latency: through memory", "latency: only by how fast stored values are loaded")
# Figures of these are of what the experiment makes them do, not of what programs do with them.
VALUE_DEPENDENT = re.compile(r"^(rep|repne) |^(div|idiv) |^(popf|pushf|leave)")
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
    """Which forms differ in latencies, and in throughput: (measured, model)."""

    def __init__(self, path):
        self.latency, self.longer, self.less = set(), {}, {}
        kind = ""
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith(" "):
                    kind = line.split(",")[0].strip()
                match = DIFFERENCE.match(line)
                if match:
                    self.add(kind, match[1], match[2])

    def add(self, kind, form, text):
        figures = FIGURES.match(text)
        if kind.startswith("latency: ") and kind not in UNTOLD:
            self.latency.add(form)
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
    others = [part for part in ports.split("+") if not re.fullmatch(rf"\d+\*{busy}", part)]
    return "+".join([*others, f"{cycles}*{busy}"])


def fewer_uops(ports, busy, measured):
    """Ports with as many µops of the first set as fit into the time, and not kept busy."""
    parts = [part for part in ports.split("+") if not re.fullmatch(rf"\d+\*{busy}", part)]
    match = re.fullmatch(r"(\d+)\*([a-z]+)(\d+)", parts[0]) if parts else None
    if match:
        fitting = min(int(match[1]), max(1, round(measured * len(match[3]))))
        parts[0] = f"{fitting}*{match[2]}{match[3]}"
    return "+".join(parts) or ports


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
        self.counts = collections.Counter()

    def ports(self, form, ports):
        if form in self.report.longer:
            new = busy_ports(ports, self.busy, *self.report.longer[form])
            self.counts["longer" if new else "longer, not by whole cycles: left"] += 1
            return new or ports
        if form in self.report.less:
            new = fewer_uops(ports, self.busy, self.report.less[form][0])
            self.counts["less" if new != ports else "less, not by ports: left"] += 1
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
        latencies = (form in self.report.latency and not self.leave.search(form) and
                     not (composed and MEMORY.search(form)))
        self.counts["latencies"] += latencies
        if new_ports == ports and not latencies:
            return None
        attributes = new_attributes(attributes, self.exported[form][1], latencies)
        return new_ports, fitting_microcode(new_ports, self.busy, attributes)


def text_of(form, ports, attributes):
    return f"{form:<32} | {ports:<16} | {attributes}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--composed", action="store_true")
    parser.add_argument("--leave", default="(?!)")
    parser.add_argument("--busy", required=True)
    for name in ("timing", "export", "report"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    exported = {form: (ports, attributes)
                for form, ports, attributes in rows_of(arguments.export)}
    corrector = Corrector(Report(arguments.report), exported, arguments.busy, arguments.leave)
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
    for what, count in sorted(corrector.counts.items()):
        print(f"{count:6} {what}", file=sys.stderr)


main()
