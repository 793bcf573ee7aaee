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
  latency     uops.info per pair, else InstLatX64, else LLVM
  memory      load and store parts by rule (Machine below); a memory form is written
              only where it is not its register form plus those parts
"""

import re
from dataclasses import dataclass, field

import ports
from timing_file import Timing

MEMORY_UNITS = re.compile(r"Zn\d?(AGU|Load|Store|LSU)")
TOLERANCE = 0.12
MOVE = re.compile(r"(v?mov(aps|apd|ups|upd|dqa|dqu|dqa32|dqa64|dqu8|dqu16|dqu32|dqu64|ss|sd|q|d|"
                  r"hps|hpd|lps|lpd|nt\w*|zx|sx|sxd)?|vlddqu|lddqu|movbe|prefetch\w*|movsh)$")
RMW_NOT = ("cmp", "test", "bt")
LOCKED_DONOR = re.compile(r"lock .* m(8|16|32|64)\b.*")   # measured for add only
MICROCODED_UOPS = 100   # what LLVM writes for "microcoded, nobody counted"


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
    fp_divider: str = "d12"
    int_divider: str = "d0"
    load_int_latency: int = 4
    load_vector_latency: int = 7
    forward_latency: int = 4   # half of a round trip through a store: store, then load
    macro_op_bits: int = 512   # wider vectors are split into two macro-ops

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
    same: dict = field(default_factory=dict)   # forms independent of equal sources


def is_microcode(macro_ops):
    return macro_ops > 2


def is_vector(form):
    return re.search(r"\b([xyz]?mm\d?|k|st0?)\b|m\[", form.replace("{k}", "")) is not None


def memory_operand(form):
    """(number, kind) of the explicit memory operand, or None."""
    _, operands = split(form)
    for number, kind in enumerate(operands, 1):
        if re.match(r"m(\d|\[|$)", kind):
            return number, kind
    return None


def split(form):
    bare = re.sub(r"^(lock|repn?e?) |\{evex\} | \{(er|sae)\}$", "", form)
    mnemonic, _, rest = bare.partition(" ")
    return mnemonic, [re.sub(r"\{[kz]\}", "", kind) for kind in rest.split(", ")] if rest else []


def register_form(form, known):
    """The form with a register instead of its memory operand, among `known`, or None."""
    found = memory_operand(form)
    if not found or form.startswith(("lock ", "rep")):
        return None
    number, kind = found
    text = re.sub(r"\bm(\d+)(\{b\})?(?=[{,]|$| )", "@", form)
    size = re.match(r"m(\d+)", kind)
    if not size or kind.startswith("m["):
        return None
    bits = int(size[1])
    wide = {256: ["ymm"], 512: ["zmm"], 128: ["xmm"]}.get(bits, [])
    if "{b}" in form:
        wide = [f"{w}mm" for w in "zyx" if f"{w}mm" in form][:1]
    scalar = [f"r{bits}"] if bits <= 64 else []
    mm = ["mm"] if bits == 64 else []
    for register in scalar * (not is_vector(form)) + wide + mm + ["xmm"] + scalar + ["r32", "k"]:
        candidate = text.replace("@", register)
        if candidate in known:
            return candidate
    return None


class Builder:
    def __init__(self, machine, facts):
        self.machine = machine
        self.facts = facts
        self.complaints = []
        self.rows = {}

    # ---- ports ----------------------------------------------------------------

    def llvm_ports(self, form, wanted):
        """LLVM's resources as takt ports, memory left out; `wanted`: letters to keep."""
        row = self.facts.llvm.get(form)
        if row is None or row.uops >= MICROCODED_UOPS:
            return {}
        out = {}
        for resource, cycles in row.resources.items():
            if MEMORY_UNITS.match(resource):
                continue
            units = self.facts.groups.get(resource, {resource})
            mapped = [self.machine.units[unit] for unit in units if unit in self.machine.units]
            if not mapped:
                continue
            name = ports.name(frozenset().union(*(ports.members(m) for m in mapped)))
            if name and name[0] in wanted:
                # "4·n cycles of any of 4 ALUs" is LLVM's way to say that copies
                # of n µops wait for each other.
                if cycles == row.uops * ports.width(name):
                    cycles = row.uops
                out[name] = max(out.get(name, 0), cycles)
        return out

    def info_ports(self, form):
        row = self.facts.info.get(form)
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
        if form in self.facts.same:   # on one register it is another instruction
            distinct = [f for f in figures if f.distinct] or figures
        values = [f.rthroughput for f in distinct if f.rthroughput and f.rthroughput >= 0.1]
        latencies = [f.latency for f in distinct if f.latency]
        return (min(values, default=None), max(latencies, default=None))

    def macro_ops(self, form):
        row = self.facts.info.get(form)
        if row is not None and row.base.uop_count:
            return row.base.uop_count
        llvm = self.facts.llvm.get(form)
        rthroughput, _ = self.measured(form)
        if llvm is not None and llvm.uops < MICROCODED_UOPS:
            return max(1, llvm.uops)
        if rthroughput:
            return max(1, round(rthroughput * 4))
        return 1

    def candidates(self, form):
        """Port multisets to choose from, most trusted first. Memory parts are left out."""
        info = self.info_ports(form)
        alus = self.llvm_ports(form, "ab")
        llvm = self.llvm_ports(form, "f")
        if not info and form in self.facts.info and MOVE.fullmatch(split(form)[0]) and \
                memory_operand(form):
            llvm = {}              # measured: a plain load needs no FP pipe
        out = []
        if info:
            out.append(ports.add(info, alus))
            if llvm:
                out.append(ports.add(llvm, alus))
        else:
            out.append(ports.add(llvm, alus))
        return out

    def fit(self, form, macro_ops, options):
        """(ports, true µop count or None) in agreement with the measured throughput."""
        rthroughput, latency = self.measured(form)
        chosen = options[0]
        if not rthroughput:
            return chosen, None
        for option in options:
            if self.agrees(option, macro_ops, rthroughput):
                return option, None
        predicted = max(ports.bound(chosen), macro_ops / self.machine.dispatch)
        if predicted < rthroughput:
            if latency and abs(rthroughput - latency) < 0.1 * latency and latency <= 12:
                return chosen, None   # copies waited for each other
            return self.occupy(chosen, rthroughput)
        return self.widen(chosen, rthroughput), None

    def agrees(self, option, macro_ops, rthroughput):
        predicted = max(ports.bound(option), macro_ops / self.machine.dispatch)
        return abs(predicted - rthroughput) <= max(TOLERANCE * rthroughput, 0.08)

    def occupy(self, chosen, rthroughput):
        if not chosen:
            return {self.machine.alus: max(1, round(rthroughput * ports.width(self.machine.alus)))}, None
        busiest = max(chosen, key=lambda name: chosen[name] / ports.width(name))
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
        row = self.facts.info.get(form)
        if row is not None and row.base.latency:
            return clean(form, row.base.latency)
        _, measured = self.measured(form)
        llvm = self.facts.llvm.get(form)
        if measured and (llvm is None or llvm.uops >= MICROCODED_UOPS or measured >= 0.7):
            return {("*", "*"): max(1, round(measured))}
        if llvm is not None and llvm.uops < MICROCODED_UOPS:
            return {("*", "*"): max(1, llvm.latency)}
        return {("*", "*"): 1}

    # ---- rows -------------------------------------------------------------------

    def build(self, forms):
        memory_forms = []
        for form in sorted(forms):
            if memory_operand(form) or self.facts.memory.get(form):
                memory_forms.append(form)
            else:
                self.rows[form] = self.register_row(form)
        for form in memory_forms:
            row = self.memory_row(form)
            if row is not None:
                self.rows[form] = row
        return self.rows

    def register_row(self, form):
        macro_ops = self.macro_ops(form)
        chosen, count = self.fit(form, macro_ops, self.candidates(form))
        if not is_vector(form):
            chosen = self.with_rest(form, chosen, macro_ops)
        return self.finish(form, chosen, count, macro_ops, self.latency(form))

    def with_rest(self, form, chosen, macro_ops):
        """Macro-ops that no source gives a pipe run on any ALU."""
        rest = macro_ops - sum(chosen.values())
        if not is_microcode(macro_ops) and chosen or rest <= 0:
            return chosen
        return ports.add(chosen, {self.machine.alus: rest})

    def finish(self, form, chosen, count, macro_ops, latency):
        return Timing(uops=ports.as_list(chosen), latency=latency, slots=macro_ops,
                      ms=macro_ops if is_microcode(macro_ops) else 0, uop_count=count,
                      rthroughput=self.known_rthroughput(form, chosen, macro_ops),
                      source="" if form in self.facts.info else "m")

    def known_rthroughput(self, form, chosen, macro_ops):
        """The measured figure where the pipes do not explain it and no chain does."""
        rthroughput, latency = self.measured(LOCKED_DONOR.sub(r"lock add m\1, r\1", form))
        predicted = max(ports.bound(chosen), macro_ops / self.machine.dispatch)
        if not rthroughput or rthroughput < 1.5 or predicted > 0.9 * rthroughput:
            return None
        if latency and abs(rthroughput - latency) < 0.1 * latency and "lock" not in form:
            return None
        return rthroughput

    def memory_row(self, form):
        found = memory_operand(form)
        accesses = self.facts.memory.get(form) or [("r", 0)]
        vector = is_vector(form)
        sibling = register_form(form, self.rows)
        mnemonic, _ = split(form)
        simple_move = MOVE.fullmatch(mnemonic) is not None
        own = self.candidates(form)
        own_core = own[0] if own else {}
        macro_ops = self.macro_ops(form)
        if not simple_move and sibling:
            base = self.rows[sibling]
            core = {name: count for count, name in base.uops}
            info = self.info_ports(form)
            stripped = {n: c for n, c in info.items() if n not in self.store_pipes()}
            fp_core = {n: c for n, c in core.items() if n[0] == "f"}
            if base.flag == "" and macro_ops == base.slots and (
                    not info or ports.bound(stripped) <= ports.bound(fp_core) + 1e-9) and \
                    mnemonic not in ("xchg",):
                return None           # composed
        core = {n: c for n, c in own_core.items() if n not in self.store_pipes() or not any(
            "w" in direction for direction, _ in accesses)}
        if not core and sibling and not simple_move and self.rows[sibling].flag == "":
            core = {name: count for count, name in self.rows[sibling].uops}
        total = dict(core)
        for direction, bits in accesses:
            if "r" in direction:
                total = ports.add(total, self.machine.load(bits, vector))
            if "w" in direction:
                total = ports.add(total, self.machine.store(bits, vector))
        if not vector:
            total = self.with_rest(form, total, macro_ops)
        latency = self.memory_latency(form, found, accesses, vector, core)
        return self.finish(form, total, None, macro_ops, latency)

    def store_pipes(self):
        return [name for name in self.machine.store_vector if name[0] == "f"]

    def memory_latency(self, form, found, accesses, vector, core):
        machine = self.machine
        load = machine.load_vector_latency if vector else machine.load_int_latency
        reads = any("r" in direction for direction, _ in accesses)
        writes = any("w" in direction for direction, _ in accesses)
        slot = str(found[0]) if found else "s"
        row = self.facts.info.get(form)
        mnemonic, operands = split(form)
        if found and writes and not reads:
            value = machine.forward_latency + self.extra(form, core)
            return {("*", slot): value, (slot + "b", slot): value, (slot + "i", slot): value}
        if MOVE.fullmatch(mnemonic) and reads and not writes and found:
            extra = self.extra(form, core)
            merge = 1 if operands and operands[0] in ("r8", "r16") else 0
            return {(slot + "b", "1"): load + extra + merge, (slot + "i", "1"): load + extra + merge,
                    (slot, "1"): machine.forward_latency + extra + merge, ("1", "1"): 1}
        if row is not None and row.base.latency:
            return clean(form, row.base.latency)
        llvm = self.facts.llvm.get(form)
        _, measured = self.measured(form)
        total = llvm.latency if llvm and llvm.uops < MICROCODED_UOPS else round(measured or load + 1)
        plain = max(1, total - load)
        if not found:
            return {("*", "*"): plain if writes else max(1, total)}
        return {("*", "*"): plain, (slot + "b", "*"): load + plain, (slot + "i", "*"): load + plain,
                (slot, "*"): machine.forward_latency + plain}

    def extra(self, form, core):
        """Work beside the load or store itself: a shuffle, an extraction, a byte swap."""
        return 1 if any(name[0] in "fa" for name in core) and core else 0


def clean(form, latency):
    """
    uops.info's pairs without two artefacts of the Zen tables: 0 where no chain could
    be closed, and flag results that took a detour through other flags.
    """
    mnemonic, _ = split(form)
    keep_zero = MOVE.fullmatch(mnemonic) or mnemonic in ("xchg", "nop")
    out = {pair: cycles for pair, cycles in latency.items() if cycles or keep_zero}
    # The load or store part of a memory operand is longer than any register pair.
    registers = [cycles for (source, target), cycles in out.items()
                 if target != "f" and not source[0].isdigit() or
                 target != "f" and source[-1] not in "bi"]
    limit = max(registers, default=None)
    if limit is not None:
        out = {(s, t): min(c, limit) if t == "f" and s[-1] not in "bi" else c
               for (s, t), c in out.items()}
    return out
