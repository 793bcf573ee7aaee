#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Timelines as their viewers read them.

    run.py TAKT

Kernels on several cores, as a Kanata log and as trace events. Each is read by a reader stricter
than the viewers: what they would drop, repair or draw elsewhere is an error here. Both must tell
of the same slots and µops in the same cycles.
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok  # noqa: E402

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "kernels"
CASES = [("SKX", "list_sum.s"), ("SNB", "gauss_seidel.s"), ("HSW", "dot_product.s"),
         ("RKL", "stream_triad.s"), ("SPR", "gauss_seidel.s"), ("ZEN4", "stream_triad.s"),
         ("N1", "aarch64/daxpy-gcc-neon.s"), ("A64FX", "aarch64/stream_triad-gcc-sve.s")]
ITERATIONS = 12


class Wrong(Exception):
    pass


def need(condition, what):
    if not condition:
        raise Wrong(what)


# ---- Kanata ----------------------------------------------------------------------------------

class Kanata:
    """Version 4. Slots: (entered, retired); µops: (slot, ready, dispatched, done)."""
    FIELDS = {"I": 4, "L": 4, "S": 4, "E": 4, "R": 4, "W": 4, "C": 2}

    def __init__(self, text):
        lines = text.split("\n")
        need(lines.pop() == "", "the last line is not ended")
        need(lines[:2] == ["Kanata\t0004", "C=\t0"], f"header {lines[:2]}")
        self.cycle = 0
        self.slots, self.stages, self.open, self.labels = {}, {}, {}, {}
        self.retired = []
        self.arrows = []
        for self.line, line in enumerate(lines[2:], 3):
            fields = line.split("\t")
            self.need(len(fields) == self.FIELDS.get(fields[0]), "fields")
            self.need(all(c.isprintable() for c in line.replace("\t", "")), "characters")
            getattr(self, "read_" + fields[0])(*fields[1:])
        need(self.slots.keys() == set(range(len(self.retired))), "not all retire")
        need(not any(self.open.values()), "stages are left open")

    def need(self, condition, what):
        need(condition, f"line {self.line}: {what}")

    def alive(self, slot):
        self.need(int(slot) in self.slots and self.slots[int(slot)][1] is None, "not alive")
        return int(slot)

    def read_C(self, cycles):
        self.need(int(cycles) > 0, "time stands still")
        self.cycle += int(cycles)

    def read_I(self, slot, _simulator, _thread):
        self.need(int(slot) == len(self.slots), "not numbered in order")
        self.slots[int(slot)] = [self.cycle, None]

    def read_L(self, slot, kind, text):
        self.need(kind in "01", "kind")
        key = self.alive(slot), kind
        self.need(key not in self.labels, "second label")
        self.labels[key] = text

    def read_S(self, slot, lane, stage):
        key = self.alive(slot), int(lane)
        self.need(not self.open.get(key), "the stage before has not ended")
        self.open[key] = (stage, self.cycle)

    def read_E(self, slot, lane, stage):
        key = self.alive(slot), int(lane)
        opened = self.open.get(key)
        self.need(opened and opened[0] == stage, "ends what has not begun")
        self.stages.setdefault(key, []).append((stage, opened[1], self.cycle))
        self.open[key] = None

    def read_R(self, slot, number, flushed):
        slot = self.alive(slot)
        self.need(int(number) == slot == len(self.retired) and flushed == "0", "order")
        self.slots[slot][1] = self.cycle
        self.retired.append(slot)

    def read_W(self, consumer, producer, kind):
        self.need(int(producer) in self.slots and kind == "0", "producer")
        self.arrows.append((self.alive(consumer), int(producer)))

    def uops(self):
        """The last stage of a lane does not execute: its end would be taken for retirement."""
        for (slot, lane), stages in self.stages.items():
            names = [name for name, _, _ in stages]
            if lane == 0:
                need(names in (["Q", "Rn", "Cm"], ["F", "Dc", "Q", "Rn", "Cm"]), f"slot {slot}: {names}")
                continue
            need(len(names) == 3 and names[0] == "Wp" and names[1][0] == "X" and
                 names[2] == "Wb" and "X" not in names[0] + names[2], f"slot {slot}: {names}")
            yield slot, stages[0][1], stages[1][1], stages[1][2]


def check_kanata(text):
    kanata = Kanata(text)
    executing = {slot for (slot, lane) in kanata.stages if lane}
    for consumer, producer in kanata.arrows:
        need({consumer, producer} <= executing, "an arrow from or to what does not execute")
    return ([tuple(s) for s in kanata.slots.values()], sorted(kanata.uops()), len(kanata.arrows))


# ---- trace events ----------------------------------------------------------------------------

KEYS = {"M": {"args"}, "X": {"dur"}, "s": {"cat", "id"}, "f": {"cat", "id", "bp"},
        "b": {"cat", "id"}, "e": {"cat", "id"}}


def check_event(event):
    need(KEYS[event["ph"]] | {"ph", "name", "pid", "tid", "ts"} <= event.keys() <=
         KEYS[event["ph"]] | {"ph", "name", "pid", "tid", "ts", "args"}, f"keys of {event}")
    need(event["name"], f"no name: {event}")
    need(all(type(event[k]) is int and event[k] >= 0 for k in ("pid", "tid", "ts")),
         f"numbers of {event}")


def check_slices(events):
    """On a thread slices must not overlap; each thread has a name and a place."""
    ends = {}
    for event in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
        thread = event["pid"], event["tid"]
        need(event["dur"] > 0 and event["ts"] >= ends.get(thread, 0), f"overlap: {event}")
        ends[thread] = event["ts"] + event["dur"]
    told = {(e["pid"], e["tid"], e["name"]) for e in events if e["ph"] == "M"}
    for process, thread in ends:
        need({(process, thread, "thread_name"), (process, thread, "thread_sort_index"),
              (process, 0, "process_name"), (process, 0, "process_sort_index")} <= told,
             f"thread {thread} of {process} has no name")


def check_flows(events):
    """Arrows lead from a slice to a later one. How many there are."""
    slices = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = {e["id"]: e for e in events if e["ph"] == "f"}
    need(starts.keys() == ends.keys(), "half an arrow")
    need(2 * len(starts) == sum(e["ph"] in "sf" for e in events), "an arrow twice")
    for number, start in starts.items():
        end = ends[number]
        need(all((e["pid"], e["tid"], e["ts"]) in slices for e in (start, end)),
             f"an arrow from or to nothing: {start}")
        need((start["cat"], start["name"]) == (end["cat"], end["name"]), "names of an arrow")
        need(end["bp"] == "e" and end["ts"] >= start["ts"], f"an arrow backwards: {start}")
    return len(starts)


def nested_slots(events):
    """(begin, end) of each slot; parts lie inside, one after the other, without a gap."""
    stacks, found = {}, {}
    for event in events:
        if event["ph"] == "b":
            stacks.setdefault(event["id"], []).append(event)
        elif event["ph"] == "e":
            begin = stacks[event["id"]].pop()
            need(begin["name"] == event["name"] and begin["ts"] <= event["ts"], f"{event}")
            found.setdefault(event["id"], []).append((begin["ts"], event["ts"]))
    need(not any(stacks.values()), "a slot is left open")
    for parts in found.values():
        outer = parts.pop()
        need(parts[0][0] == outer[0] and parts[-1][1] == outer[1] and
             all(a[1] == b[0] for a, b in zip(parts, parts[1:])), f"parts of {outer}")
        yield outer[0], outer[1] - 1


def check_events(text):
    record = json.loads(text)
    need(record.keys() == {"displayTimeUnit", "otherData", "traceEvents"}, "keys")
    events = record["traceEvents"]
    for event in events:
        check_event(event)
    check_slices(events)
    uops = sorted((e["args"]["ready"], e["ts"], e["args"]["done"])
                  for e in events if e["ph"] == "X" and "done" in e.get("args", {}))
    return list(nested_slots(events)), uops, check_flows(events)


# ---- both ------------------------------------------------------------------------------------

def run(takt, arch, kernel, form):
    return subprocess.run([takt, "analyze", f"--arch={arch}", f"--timeline={ITERATIONS}",
                           "--no-sensitivity", f"--timeline-format={form}", str(KERNELS / kernel)],
                          capture_output=True, text=True, check=True, timeout=120).stdout


def check(takt, arch, kernel):
    slots, uops, arrows = check_kanata(run(takt, arch, kernel, "konata"))
    event_slots, event_uops, flows = check_events(run(takt, arch, kernel, "perfetto"))
    need(slots == event_slots, "not the same slots")
    executed = sorted(u[1:] for u in uops)
    need(len(event_uops) <= len(executed) and set(event_uops) <= set(executed),
         "not the same µops")
    need(slots and uops and arrows and flows, "nothing there")


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    for arch, kernel in CASES:
        wrong = None
        try:
            check(takt, arch, kernel)
        except Wrong as error:
            wrong = error
        ok(not wrong, f"{kernel} on {arch}", wrong)
    return finish()


sys.exit(main())
