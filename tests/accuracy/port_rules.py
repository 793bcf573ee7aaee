#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which port each µop is given, against the published rules.

    port_rules.py TAKT

The timeline of a block says when each µop was renamed and dispatched, and to which port. From
that the counters are made up again that the rules look at (uiCA's authors, ICS 2022, section
4.2.2), and each choice is made a second time here, from the words of the rules. Golden Cove's
is as measured (docs/accuracy-trace.md, "Rules measured for it").
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

ITERATIONS = 60
CORES = {6: "SNB IVB", 8: "HSW BDW SKL SKX CLX", 10: "ICL TGL RKL", 12: "ADL-P SPR"}

# Instruction: port sets of its µops, by the number of ports; of vpaddd on SNB to BDW apart.
KINDS = {
    "add": {6: ["015"], 8: ["0156"], 10: ["0156"], 12: ["0156B"]},
    "imul": {6: ["1"], 8: ["1"], 10: ["1"], 12: ["1"]},
    "shl": {6: ["05"], 8: ["06"], 10: ["06"], 12: ["06"]},
    "vpaddd": {6: ["15"], 8: ["015"], 10: ["015"], 12: ["015"]},
    "load": {6: ["23"], 8: ["23"], 10: ["23"], 12: ["23A"]},
    "store": {6: ["23", "4"], 8: ["237", "4"], 10: ["78", "49"], 12: ["78", "49"]},
    "nop": {6: [], 8: [], 10: [], 12: []},
}
TEXTS = {"add": "add r{0}, rsi", "imul": "imul r{0}, rsi", "shl": "shl r{0}, 1", "nop": "nop",
         "vpaddd": "vpaddd xmm{0}, xmm1, xmm2", "load": "mov r{0}, [rdi]",
         "store": "mov [rdx], rsi"}
# Ports that are all alike, ports in short supply, chains, and everything at odd places.
BLOCKS = ["add add add add", "add imul shl add nop", "shl add shl nop vpaddd",
          "imul add add vpaddd load store", "load load store add vpaddd add imul",
          "add shl shl vpaddd nop add add store load", "vpaddd vpaddd vpaddd imul add nop nop"]


def assemble(kinds, path):
    """Every second instruction goes on with the register of the one before."""
    lines = [TEXTS[kind].format(8 + i // 2 % 8) for i, kind in enumerate(kinds)]
    subprocess.run(["as", "--64", "-o", str(path), "-"], check=True, text=True,
                   input=".intel_syntax noprefix\n" + "\n".join(lines) + "\n")


class Uop:
    def __init__(self, renamed, slot, ports, port, dispatched):
        self.renamed, self.slot, self.ports = renamed, slot, ports
        self.port, self.dispatched = port, dispatched


def read_uops(log, sets):
    """In program order. `slot` is the place among those renamed in the cycle."""
    cycle, names, renamed, lanes = 0, {}, {}, {}
    for line in log.split("\n"):
        fields = line.split("\t")
        if fields[0] == "C":
            cycle += int(fields[1])
        elif fields[0] == "L" and fields[2] == "0":
            names[int(fields[1])] = int(re.match(r"\[\d+,(\d+)\]", fields[3])[1])
        elif fields[0] == "S" and fields[3] == "Rn":
            renamed[int(fields[1])] = cycle
        elif fields[0] == "S" and fields[3].startswith("X"):
            lanes.setdefault(int(fields[1]), {})[int(fields[2])] = (fields[3][-1], cycle)
    uops, taken = [], {}
    for slot, insn in sorted(names.items()):
        at = taken[renamed[slot]] = taken.get(renamed[slot], -1) + 1
        executed = [lanes[slot][lane] for lane in sorted(lanes.get(slot, {}))]
        assert len(executed) == len(sets[insn]), (insn, executed, sets[insn])
        uops += [Uop(renamed[slot], at, ports, port, dispatched)
                 for ports, (port, dispatched) in zip(sets[insn], executed)]
    return uops


def waiting(uops, cycle):
    """Counters at the start of a cycle: of µops not gone, which shows a cycle after."""
    counts = {}
    for uop in uops:
        if uop.renamed < cycle <= uop.dispatched:
            counts[uop.port] = counts.get(uop.port, 0) + 1
    return counts


def by_load(ports, counts):
    """Least used first, among equals the higher number."""
    return sorted(ports, key=lambda p: (counts.get(p, 0), -int(p, 16)))


def rule_6(uop, counts):
    used = [counts.get(p, 0) for p in uop.ports]
    if max(used) - min(used) >= 3:
        return uop.ports[used.index(min(used))]
    order = by_load(uop.ports, counts)
    if uop.ports == "015":
        return {"0": "0510", "1": "1501", "5": "5105"}[order[0]][uop.slot]
    return order[0] if uop.slot % 2 == 0 else order[-1]


def rule_8(uop, counts):
    first, second = by_load(uop.ports, counts)[:2]
    near = counts.get(second, 0) < counts.get(first, 0) + 3
    return second if uop.slot % 2 and near else first


def near_ports(uop, counts):
    """In their order, without those that are much busier than the first."""
    order = by_load(uop.ports, counts)
    return [p for p in order if counts.get(p, 0) < counts.get(order[0], 0) + 5]


def rule_10(uop, counts, uses):
    near = near_ports(uop, counts)
    if uop.slot == 4:
        return near[0]
    if uop.slot == 3 and not uses:
        return near[1 % len(near)]
    return near[uses % len(near)]


def rule_12(uop, counts, sets):
    """`sets`: what the slots before it in the cycle had to choose from; nothing for others."""
    near = near_ports(uop, counts)
    others = sum(sets.get(uop.slot - back) != uop.ports for back in (1, 2) if back <= uop.slot)
    return near[(uop.slot - others) % len(near)]


class Chooser:
    def __init__(self, rule, uops):
        self.rule, self.uops = rule, uops
        self.turns, self.uses, self.cycle, self.counts = {}, {}, None, {}
        self.sets = {}

    def begin(self, cycle):
        self.cycle, self.uses, self.sets = cycle, {}, {}
        self.counts = waiting(self.uops, cycle - (self.rule >= 10))

    def choose(self, uop):
        if uop.renamed != self.cycle:
            self.begin(uop.renamed)
        if len(uop.ports) == 1:
            return uop.ports
        if uop.ports in ("23", "78", "49", "23A"):
            turn = self.turns[uop.ports] = self.turns.get(uop.ports, -1) + 1
            return uop.ports[turn % len(uop.ports)]
        uses = self.uses.get(uop.ports, 0)
        self.uses[uop.ports] = uses + 1
        self.sets[uop.slot] = uop.ports
        if self.rule == 6:
            return rule_6(uop, self.counts)
        if self.rule == 8:
            return rule_8(uop, self.counts)
        if self.rule == 10:
            return rule_10(uop, self.counts, uses)
        return rule_12(uop, self.counts, self.sets)


def check(takt, core, rule, kinds, path):
    """An empty text if every choice is the rule's."""
    sets = [KINDS[kind][rule] for kind in kinds]
    if core in ("HSW", "BDW"):
        sets = [["15"] if kind == "vpaddd" else s for kind, s in zip(kinds, sets)]
    log = subprocess.run([takt, "analyze", f"--arch={core}", "--mode=unroll", "--whole",
                          "--no-sensitivity", f"--timeline={ITERATIONS}",
                          "--timeline-format=konata", str(path)],
                         capture_output=True, text=True, check=True, timeout=60).stdout
    uops = read_uops(log, sets)
    chooser = Chooser(rule, uops)
    for number, uop in enumerate(uops):
        port = chooser.choose(uop)
        if port != uop.port:
            return (f"µop {number} of ports {uop.ports}, slot {uop.slot} of cycle {uop.renamed}: "
                    f"{port}, got {uop.port}; waiting {chooser.counts}")
    return "" if uops else "no µops"


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    if missing("as"):
        skip_all(missing("as"))
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCKS:
            path = pathlib.Path(folder, "block.o")
            assemble(block.split(), path)
            for rule, cores in CORES.items():
                for core in cores.split():
                    wrong = check(takt, core, rule, block.split(), path)
                    ok(not wrong, f"{block} on {core}", wrong)
    return finish()


sys.exit(main())
