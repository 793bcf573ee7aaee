# SPDX-License-Identifier: MIT
"""Timing rows of AMD's Zen cores, put together from several sources.

No source has all of a Zen core. uops.info (Zen+ to Zen 3) measured latencies per
operand pair, macro-ops and the floating-point pipes; LLVM's models name integer
pipes; the InstLatX64 dumps measured throughput. Rules, in this order:

  macro-ops   uops.info, else LLVM
  FP pipes    uops.info, else LLVM
  ALUs        LLVM
  throughput  a form whose pipes would allow more than the measured throughput
              occupies its busiest pipe set for longer (`uops=` then gives the true
              count); one whose pipes would allow less gets the set of LLVM, or of
              that width, instead
  latency     uops.info per pair; on Zen 4 and 5, which it lacks, its Zen 3 pairs
              moved to what InstLatX64 measured; else WINIC, InstLatX64, LLVM
  memory      load and store parts by rule (Machine below); a memory form is written
              only where it is not its register form plus those parts
"""

import re
from dataclasses import dataclass, field

import forms
import ports
import zen_idioms
from timing_file import Timing

MEMORY_UNITS = re.compile(r"Zn\d?(AGU|Load|Store|LSU)")
STORE_PART = 1          # of a round trip through memory, the rest is the load's
TOLERANCE = 0.12
RTHROUGHPUT_MAX = 600
SEQUENCER = "d7"        # what locked and microcoded operations occupy, as measured
START_UP = 0.45         # cycles; what is faster was measured with decode limits mixed in
MOVE = re.compile(r"(v?mov(aps|apd|ups|upd|dqa|dqu|dqa32|dqa64|dqu8|dqu16|dqu32|dqu64|ss|sd|q|d|"
                  r"hps|hpd|lps|lpd|nt\w*|zx|sx|sxd)?|vlddqu|lddqu|movbe|prefetch\w*|movsh)$")
LOAD_ONLY = re.compile(r"vp?broadcast\w+|v?movddup|v?movs[lh]dup")  # if so measured
FP_DIVIDE = re.compile(r"v?(div|sqrt)[ps][sdh]|fi?(div|divr)p?|fsqrt")
NOP = re.compile(r"f?nop\b|endbr64")
BRANCH = re.compile(r"j[a-z]+ (rel|r64|r32)$")
STACK = re.compile(r"(push|pop|call|ret)(f|fq)?$")
INT_DIVIDE = re.compile(r"i?div")
TO_GENERAL = re.compile(r"\b(r8|r16|r32|r64)\b")
LOCKED_DONOR = re.compile(r"lock .* m(8|16|32|64)\b.*")   # measured for add only
UNKNOWN = 100           # LLVM's µops or latency of what is microcoded and nobody measured


@dataclass
class Machine:
    """What differs between Zen generations."""
    name: str
    units: dict                # LLVM's unit -> takt port(s)
    alus: str                  # every ALU
    pairs: tuple               # port sets to choose from by width, preferred first
    dispatch: int              # macro-ops a cycle
    load_int: dict
    load_vector: dict
    store_int: dict
    store_vector: dict
    load_wide: dict = None     # of the widest vectors, where they take more
    store_wide: dict = None
    wide_bits: int = 0
    fp_divider: str = "d12"    # two divisions in flight
    int_divider: str = "d0"
    int_divide_alu: str = "a2"
    fp: str = "f0123"
    branches: str = "a03"
    transfer: str = "f2"       # pipes that carry vector values to general registers
    double_pumped: bool = False
    load_int_latency: int = 4
    load_vector_latency: int = 7
    round_trip_int: int = 7    # store data to a forwarded load's result: measured blocks of Zen 3
    round_trip_vector: int = 9

    def load(self, bits, vector):
        if not vector:
            return self.load_int
        return self.load_wide if self.load_wide and bits >= self.wide_bits else self.load_vector

    def store(self, bits, vector):
        if not vector:
            return self.store_int
        return self.store_wide if self.store_wide and bits >= self.wide_bits else self.store_vector


@dataclass
class Facts:
    """The sources of one core, each form -> something. Any may be empty."""
    llvm: dict
    groups: dict               # LLVM resource -> set of units
    info: dict                 # uops.info rows
    dump: dict                 # InstLatX64 figures
    memory: dict               # form -> [(direction, bits)]
    winic: dict = field(default_factory=dict)
    osaca: dict = field(default_factory=dict)
    stand_in: bool = False     # `info` is of the generation before


def is_unknown(llvm):
    return llvm is None or llvm.uops >= UNKNOWN or llvm.latency >= UNKNOWN


def is_microcode(macro_ops):
    return macro_ops > 2


class Builder:
    def __init__(self, machine, facts):
        self.machine = machine
        self.facts = facts
        self.rows = {}

    # ---- ports ----------------------------------------------------------------

    def llvm_ports(self, form, wanted):
        """LLVM's resources as takt ports, memory left out; `wanted`: letters to keep."""
        row = self.facts.llvm.get(form)
        if is_unknown(row):
            return {}
        out = {}
        for resource, cycles in row.resources.items():
            if MEMORY_UNITS.match(resource):
                continue
            units = self.facts.groups.get(resource, {resource})
            mapped = [self.machine.units[unit] for unit in units if unit in self.machine.units]
            if not mapped:
                continue
            name = self.machine.branches if "BRU" in resource else ports.name(
                frozenset().union(*(ports.members(m) for m in mapped)))
            if name and name[0] in wanted:
                # "4·n cycles of any of 4 ALUs" is LLVM's way to say that copies
                # of n µops wait for each other.
                if cycles == row.uops * ports.width(name):
                    cycles = row.uops
                out[name] = max(out.get(name, 0), cycles)
        return out

    def info(self, form):
        """uops.info's row; an EVEX encoding without one is as the VEX encoding."""
        return self.facts.info.get(form) or self.facts.info.get(form.removeprefix("{evex} "))

    def info_ports(self, form):
        row = self.info(form)
        if row is None:
            return {}
        out = {}
        for count, names in row.base.ports or []:
            name = "f" + names.removeprefix("pFP")
            out[name] = out.get(name, 0) + count
        return out

    def figures(self, form):
        for name in (form, "{evex} " + form):
            if name in self.facts.dump:
                return self.facts.dump[name]
        return []

    def measured(self, form):
        """(reciprocal throughput, latency of the chain) or Nones."""
        figures = self.figures(form)
        distinct = figures
        if zen_idioms.independent(form):
            distinct = [f for f in figures if f.distinct] or figures
        values = [f.rthroughput for f in distinct if f.rthroughput and f.rthroughput >= 0.1]
        if not values and form in self.facts.winic and self.facts.winic[form].rthroughput:
            values = [self.facts.winic[form].rthroughput]
        latencies = [f.latency for f in distinct if f.latency]
        return (min(values, default=None), max(latencies, default=None))

    def macro_ops(self, form):
        row = self.info(form)
        llvm = self.facts.llvm.get(form)
        rthroughput, _ = self.measured(form)
        if row is not None and row.base.uop_count:
            count = row.base.uop_count
            if self.facts.stand_in and rthroughput:
                # Improved since, if this core has not the pipes for so many so fast.
                pipes = self.machine.fp if forms.is_vector(form) else self.machine.alus
                count = min(count, max(1, int(rthroughput * ports.width(pipes) + 0.3)))
            return count
        if not is_unknown(llvm):
            return max(1, llvm.uops)
        if rthroughput:
            return max(1, round(rthroughput * 4))
        return 1

    def candidates(self, form, macro_ops):
        """Port multisets to choose from, most trusted first. Memory parts are left out."""
        info = self.info_ports(form)
        alus = self.llvm_ports(form, "ab")
        llvm = self.llvm_ports(form, "f")
        if not info and self.info(form) is not None and forms.memory_operand(form) and \
                (MOVE.fullmatch(forms.split(form)[0]) or LOAD_ONLY.fullmatch(forms.split(form)[0])):
            llvm = {}              # measured: a plain load needs no FP pipe
        fp_choices = []
        if form in self.facts.osaca:
            pressure = {n: c for n, c in self.facts.osaca[form][0].items() if n[0] != "d"}
            if pressure and all(name[0] in "f" for name in pressure) == forms.is_vector(form):
                return [pressure, ports.add(llvm, alus)]
        narrow = self.narrow_form(form)
        if narrow:
            fp_choices.append(narrow)
        if info:
            fp_choices.append(info)
            if sum(info.values()) * 2 == macro_ops:
                fp_choices.append(ports.add(info, info))
                if TO_GENERAL.search(form):
                    fp_choices.append(ports.add(info, {self.machine.transfer: 1}))
        known = frozenset().union(*(ports.members(name) for name in info))
        if not fp_choices or llvm and (not info or all(
                ports.members(name) <= known for name in llvm)):
            fp_choices.append(llvm)
        # A pipe takes a µop a cycle: more cycles than µops need proof by measurement. Of
        # two µops that LLVM has on one ALU for longer, one is the helper of the other.
        capped = {name: 1 if count > macro_ops == 2 and ports.width(name) == 1 else
                  min(count, macro_ops) for name, count in alus.items()}
        choices = [ports.add(choice, part) for choice in fp_choices for part in (capped, alus)]
        if not any(choices) and re.search(r"\b[xyz]?mm\b", form) and not forms.memory_operand(form):
            choices = [{self.machine.fp: macro_ops}]
        plain = self.rows.get(re.sub(r"\{k\}(\{z\})?", "", form)) if "{k}" in form else None
        if plain is not None and not forms.memory_operand(form):
            choices.append({name: count for count, name in plain.uops})
        last = choices[-1]
        return choices + [{name: min(count, macro_ops) for name, count in last.items()},
                          dict.fromkeys(last, 1)]

    def narrow_form(self, form):
        """
        A 512-bit form's FP ports from the 256-bit form of the same name: the same
        pipes, twice where the core takes two passes.
        """
        if "zmm" not in form or self.info(form) is not None:
            return {}
        name = re.sub(r"^\{evex\} | \{(er|sae)\}$|\{k\}(\{z\})?", "", form)
        name = name.replace("ymm", "xmm").replace("zmm", "ymm")
        if name not in self.facts.info and name not in self.facts.llvm:
            return {}
        fp = self.info_ports(name)
        if not fp:
            return {}
        return ports.add({}, fp, 2 if self.machine.double_pumped else 1)

    def divide(self, form, macro_ops):
        """Divisions: one µop to start, then the divider's own occupancy."""
        mnemonic, _ = forms.split(form)
        if INT_DIVIDE.fullmatch(mnemonic):
            row = self.info(form)
            cycles = row.base.divider if row and row.base.divider else 10
            rest = {self.machine.alus: macro_ops - 1} if macro_ops > 1 else {}
            return ports.add(rest, {self.machine.int_divide_alu: 1,
                                    self.machine.int_divider: cycles})
        if not FP_DIVIDE.fullmatch(mnemonic):
            return None
        start = self.info_ports(form) or {
            name: 1 for name in self.llvm_ports(form, "f")} or {"f01": 1}
        cycles = self.divide_cycles(form)
        return ports.add({name: 1 for name in list(start)[:1]},
                         {self.machine.fp_divider: cycles} if cycles else {})

    def divide_cycles(self, form):
        """Measured occupancy of both dividers; a form not measured has its sibling's."""
        mnemonic, _ = forms.split(form)
        bare = re.sub(r"^\{evex\} | \{(er|sae)\}$|\{k\}(\{z\})?", "", form)
        wide = 2 if "zmm" in bare and self.machine.double_pumped else 1
        siblings = [(bare, 1), (re.sub(r"^v", "", bare), 1),
                    (bare.replace("zmm", "ymm"), wide), ("v" + bare + ", xmm", 1)]
        for sibling, times in siblings:
            rthroughput, _ = self.measured(sibling)
            if rthroughput:
                return round(2 * rthroughput * times)
        row = self.facts.llvm.get(form)
        return max(row.resources.values(), default=0) if row else 0

    def fit(self, form, macro_ops, options):
        """(ports, true µop count or None) in agreement with the measured throughput."""
        rthroughput, latency = self.measured(form)
        chosen = options[0]
        if not rthroughput or form.startswith("lock") or (
                is_microcode(macro_ops) and self.facts.memory.get(form)):
            return chosen, None
        for option in options + self.mixtures(form, macro_ops):
            if self.agrees(option, macro_ops, rthroughput):
                return option, None
        predicted = self.predict(chosen, macro_ops)
        if predicted < rthroughput:
            if rthroughput < START_UP:
                return chosen, None
            if latency and abs(rthroughput - latency) < 0.1 * latency and latency <= 12:
                return chosen, None   # copies waited for each other
            return self.occupy(chosen, rthroughput)
        close = [self.widen(chosen, rthroughput), *options, *self.mixtures(form, macro_ops)]
        return min(close, key=lambda option: abs(
            self.predict(option, macro_ops) - rthroughput)), None

    def predict(self, option, macro_ops):
        return max(ports.bound(option), macro_ops / self.machine.dispatch)

    def mixtures(self, form, macro_ops):
        """What two-µop vector forms are made of where one source has one pipe set only."""
        if not forms.is_vector(form) or self.facts.memory.get(form) or \
                TO_GENERAL.search(form) or (macro_ops == 1 and self.info(form) is not None):
            return []
        return [{"f12": times, "f23": times} for times in (1, 2)] + [
            {name: times} for name in ("f123", "f12") for times in (macro_ops, 2 * macro_ops)]

    def agrees(self, option, macro_ops, rthroughput):
        predicted = self.predict(option, macro_ops)
        return abs(predicted - rthroughput) <= max(TOLERANCE * rthroughput, 0.08)

    def occupy(self, chosen, rthroughput):
        pipes = [name for name in chosen if name[0] != "g"]
        if not pipes:
            return chosen, None
        busiest = max(pipes, key=lambda name: chosen[name] / ports.width(name))
        cycles = round(rthroughput * ports.width(busiest))
        if cycles <= chosen[busiest]:
            return chosen, None
        out = dict(chosen)
        out[busiest] = cycles
        return out, sum(chosen.values())

    def widen(self, chosen, rthroughput):
        out = {}
        for name, count in chosen.items():
            wanted = count / rthroughput
            options = [p for p in self.machine.pairs
                       if p[0] == name[0] and ports.members(name) <= ports.members(p) and
                       abs(ports.width(p) - wanted) <= 0.15 * wanted]
            target = options[0] if options else name
            out[target] = out.get(target, 0) + count
        return out

    # ---- latency ----------------------------------------------------------------

    def latency(self, form):
        """(pairs, source tag)"""
        row = self.info(form)
        _, measured = self.measured(form)
        mnemonic, _ = forms.split(form)
        winic = self.facts.winic.get(form)
        if FP_DIVIDE.fullmatch(mnemonic):
            winic = None           # its operands let the divider stop early
        if row is not None and row.base.latency:
            pairs = self.with_merge(form, clean(form, row.base.latency))
            if not self.facts.stand_in:
                return pairs, ""
            return self.moved(form, pairs, winic, measured)
        if winic and winic.exact and forms.is_vector(form):
            return dict(winic.exact), "w"
        if measured and measured >= 0.7:
            return {forms.ALL: max(1, round(measured - 0.05))}, "i"
        llvm = self.facts.llvm.get(form)
        if not is_unknown(llvm):
            return {forms.ALL: max(1, llvm.latency)}, "m"
        return {forms.ALL: 1}, "m"

    def with_merge(self, form, pairs):
        """A VEX scalar form keeps the upper part of operand 2 as its SSE form does of operand 1."""
        mnemonic, operands = forms.split(form)
        if len(operands) < 3 or ("2", "1") in pairs or operands[:2] != ["xmm", "xmm"]:
            return pairs
        sse = self.info(f"{mnemonic[1:]} {', '.join(operands[1:])}")
        merge = sse.base.latency.get(("1", "1")) if sse and mnemonic[0] == "v" else None
        return pairs | {("2", "1"): merge} if merge else pairs

    def moved(self, form, pairs, winic, measured):
        """The generation before's pairs, put right where this one was measured."""
        if winic and winic.exact and forms.is_vector(form):
            merged = dict(pairs)
            merged.update(winic.exact)
            return merged, "" if merged == pairs else "w"
        chain = max((cycles for (source, target), cycles in pairs.items()
                     if target == "1" and not forms.is_address(source)), default=None)
        if measured and chain and measured >= 0.7 and abs(measured - chain) >= 0.75:
            shift = round(measured) - chain
            return {pair: max(1, cycles + shift) for pair, cycles in pairs.items()}, "i"
        return pairs, ""

    # ---- rows -------------------------------------------------------------------

    def build(self, wanted):
        memory_forms = []
        for form in sorted(wanted):
            if forms.memory_operand(form) or self.facts.memory.get(form):
                memory_forms.append(form)
            else:
                self.rows[form] = self.register_row(form)
        for form in memory_forms:
            row = self.memory_row(form)
            if row is not None:
                self.rows[form] = row
        return self.rows

    def borrowed(self, ice_lake, wanted, isa_set):
        """System and x87 rows that no source has, as estimates from Ice Lake's."""
        out = {}
        for form, row in ice_lake.items():
            if row.spec is None or form in self.rows or isa_set.get(form, "i86") not in wanted:
                continue
            uops = {}
            for count, name in row.uops:
                part = {"p23": self.machine.load_int, "p78": {}, "p49": self.machine.store_int}.get(
                    name, {self.machine.fp if forms.is_vector(form) else self.machine.alus: 1})
                uops = ports.add(uops, part, count)
            slots = max(1, row.slots)
            out[form] = Timing(uops=ports.as_list(uops), latency={}, spec=row.spec, slots=slots,
                               ms=slots if is_microcode(slots) else 0, source="e")
        return out

    def register_row(self, form):
        macro_ops = self.macro_ops(form)
        if NOP.match(form):
            return Timing(uops=[], **forms.as_latency({forms.ALL: 0}), slots=1, source="r")
        if BRANCH.match(form) and macro_ops == 1:
            return Timing(uops=[(1, self.machine.branches)], **forms.as_latency({forms.ALL: 1}),
                          slots=1, source="r")
        chosen, count = self.divide(form, macro_ops), None
        if chosen is None:
            chosen, count = self.fit(form, macro_ops, self.candidates(form, macro_ops))
        if not forms.is_vector(form) and not INT_DIVIDE.fullmatch(forms.split(form)[0]):
            chosen = self.with_rest(form, chosen, macro_ops)
        latency, tag = self.latency(form)
        return self.finish(form, chosen, count, macro_ops, latency, tag)

    def with_rest(self, form, chosen, macro_ops):
        """Macro-ops that no source gives a pipe run on any ALU."""
        rest = macro_ops - sum(count for name, count in chosen.items() if name[0] not in "d")
        return ports.add(chosen, {self.machine.alus: rest}) if rest > 0 else chosen

    def finish(self, form, chosen, count, macro_ops, latency, tag):
        rthroughput = self.known_rthroughput(form, chosen, macro_ops)
        if rthroughput and rthroughput > RTHROUGHPUT_MAX:
            rthroughput = None         # random numbers: no figure of the core
        if rthroughput:
            chosen = ports.add(chosen, {SEQUENCER: int(rthroughput)})
        return Timing(uops=ports.as_list(chosen), **forms.as_latency(latency), slots=macro_ops,
                      ms=macro_ops if is_microcode(macro_ops) and form != "ret" else 0,
                      uop_count=count, rthroughput=rthroughput, source=tag)

    def known_rthroughput(self, form, chosen, macro_ops):
        """The measured figure where the pipes do not explain it and no chain does."""
        rthroughput, latency = self.measured(LOCKED_DONOR.sub(r"lock add m\1, r\1", form))
        predicted = self.predict(chosen, macro_ops)
        if not rthroughput or rthroughput < 1.5 or predicted > 0.9 * rthroughput:
            return None
        if form.startswith("lock"):
            return min(rthroughput, latency or rthroughput)
        chained = latency and abs(rthroughput - latency) < 0.1 * latency
        return None if chained else rthroughput

    def memory_row(self, form):
        """None where composing the register form gives the same."""
        if NOP.match(form):
            return Timing(uops=[], **forms.as_latency({forms.ALL: 0}), slots=1, source="r")
        accesses = self.facts.memory.get(form) or [("r", 0)]
        vector = forms.is_vector(form)
        sibling = forms.register_form(form, self.rows)
        macro_ops = self.macro_ops(form)
        division = self.divide(form, macro_ops)
        writes = any("w" in direction for direction, _ in accesses)
        options = [division] if division else self.candidates(form, macro_ops)
        if not self.is_plain_access(form):
            on_memory = any(direction == "rw" for direction, _ in accesses)
            if sibling and not on_memory and self.is_composed(form, sibling, macro_ops):
                return None            # an operation on memory is quicker than its parts
            if sibling and not self.rows[sibling].flag and not any(options):
                options = [{n: c for c, n in self.rows[sibling].uops}]
        if writes:
            options = [self.without_store_pipe(option) for option in options]
        core = options[0]
        parts = {}
        if forms.GATHER.match(form):
            accesses = [("r", 0)] * forms.gathered_elements(form)
        for direction, bits in accesses:
            if "r" in direction:
                parts = ports.add(parts, self.machine.load(bits, vector))
            if "w" in direction:
                parts = ports.add(parts, self.machine.store(bits, vector))
        total, count = self.fit(form, macro_ops, [ports.add(o, parts) for o in options])
        if not vector or forms.GATHER.match(form):
            total = self.with_rest(form, total, macro_ops)
        latency, tag = self.memory_latency(form, accesses, vector, core)
        return self.finish(form, total, count, macro_ops, latency, tag)

    def is_plain_access(self, form):
        """A load or store that does nothing else, or nothing that takes a pipe."""
        mnemonic, _ = forms.split(form)
        return MOVE.fullmatch(mnemonic) is not None or (
            LOAD_ONLY.fullmatch(mnemonic) is not None and self.info(form) is not None and
            not self.info_ports(form))

    def is_composed(self, form, sibling, macro_ops):
        base = self.rows[sibling]
        if base.flag or macro_ops != base.slots or forms.split(form)[0] == "xchg":
            return False
        own = self.without_store_pipe(self.info_ports(form))
        core = {name: count for count, name in base.uops if name[0] == "f"}
        return ports.bound(own) <= ports.bound(core) + 1e-9

    def without_store_pipe(self, option):
        pipes = [name for name in self.machine.store_vector if name[0] == "f"]
        return {name: count for name, count in option.items() if name not in pipes}

    def memory_latency(self, form, accesses, vector, core):
        """(pairs, source tag)"""
        machine = self.machine
        found = forms.memory_operand(form)
        mnemonic, operands = forms.split(form)
        if STACK.match(mnemonic):
            return self.stack_latency(mnemonic, found), "r"
        load = machine.load_vector_latency if vector else machine.load_int_latency
        forward = self.forward(vector)
        reads = any("r" in direction for direction, _ in accesses)
        writes = any("w" in direction for direction, _ in accesses)
        slot = str(found[0]) if found else "s"
        extra = 1 if core else 0   # a shuffle, an extraction, a byte swap
        if found and writes and not reads:
            return {forms.ALL: STORE_PART + extra}, "r"
        if self.is_plain_access(form) and reads and not writes and found:
            extra += operands[0] in ("r8", "r16")    # merged with the old value
            return {(slot + "b", "1"): load + extra, (slot + "i", "1"): load + extra,
                    (slot, "1"): forward + extra, ("1", "1"): 1}, "r"
        row = self.info(form)
        if row is not None and row.base.latency:
            pairs = clean(form, row.base.latency)
            if found and reads and not writes:
                pairs = self.with_address(form, pairs, slot, load)
            return (through_memory(form, pairs, slot, load, forward) if found else pairs), ""
        llvm = self.facts.llvm.get(form)
        _, measured = self.measured(form)
        total = round(measured or load + 1) if is_unknown(llvm) else llvm.latency
        plain = max(1, total - load)
        if not found:
            return {forms.ALL: plain if writes else max(1, total)}, "m"
        return {forms.ALL: plain, ("a", "*"): load + plain, (slot, "*"): forward + plain}, "m"

    def with_address(self, form, pairs, slot, load):
        """Where uops.info closed no chain through the address, the register form's pairs tell."""
        sibling = forms.register_form(form, self.rows)
        if sibling is None or any(source == slot + "b" for source, _ in pairs):
            return pairs
        out = {pair: cycles for pair, cycles in pairs.items() if pair[0] != slot}
        for (source, target), cycles in self.rows[sibling].latency.items():
            if source == slot:
                out.update({(slot + part, target): load + cycles for part in ("b", "i", "")})
        return out

    def forward(self, vector):
        machine = self.machine
        trip = machine.round_trip_vector if vector else machine.round_trip_int
        return trip - STORE_PART

    def stack_latency(self, mnemonic, found):
        """push, pop, call, ret; the stack engine keeps rsp itself out of the chain."""
        load = self.machine.load_int_latency
        if mnemonic.startswith("pop"):
            target = "f" if mnemonic.startswith("popf") else "1"
            return {("s", target): self.forward(False), ("rsp", target): load, ("rsp", "rsp"): 1}
        out = {forms.ALL: STORE_PART, ("rsp", "rsp"): 1}
        if found:
            out["a", "s"] = load + STORE_PART
        return out


def through_memory(form, pairs, slot, load, forward):
    """
    uops.info's memory pairs hold a whole trip through a store and a load, and memory
    renaming shows in some. Put together anew from the address pairs, which it does not
    touch: a value in memory takes `forward` where its address takes `load`. An
    operation on memory saves a cycle against load, operation and store apart; a locked
    one is not renamed, so its figure stands.
    """
    out = {}
    work = max([0] + [pairs[s, d] - load for s, d in pairs if s == slot + "b" and d != slot])
    for (source, target), cycles in pairs.items():
        address = source in (slot + "b", slot + "i")
        if (source, target) == (slot, slot):
            cycles = cycles if form.startswith("lock") else forward + max(work, 1) - STORE_PART
        elif target == slot:
            cycles = (load if address else 0) + work + STORE_PART
        elif source == slot and (slot + "b", target) in pairs:
            cycles = max(pairs[slot + "b", target] - load, 0) + forward
        out[source, target] = cycles
    return out


def clean(form, latency):
    """
    uops.info's pairs without two artefacts of the Zen tables: 0 where no chain could
    be closed, and flag results that took a detour through other flags. From the flags,
    0 is real: a shift by cl does not wait for those it may have to keep.
    """
    mnemonic, _ = forms.split(form)
    keep_zero = MOVE.fullmatch(mnemonic) or mnemonic in ("xchg", "nop")
    out = {pair: cycles for pair, cycles in latency.items()
           if cycles or keep_zero or pair[0] == "f"}
    for (source, target), cycles in list(out.items()):
        base = out.get((source[0] + "b", target))
        if forms.is_address(source) and base is not None and cycles > base + 2:
            out[source, target] = base             # the index went by way of the flags too
    limit = max((cycles for (source, target), cycles in out.items()
                 if target != "f" and not forms.is_address(source)), default=None)
    if limit is None:
        return out
    return {(source, target): min(cycles, limit)
            if target == "f" and not forms.is_address(source) else cycles
            for (source, target), cycles in out.items()}
