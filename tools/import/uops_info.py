# SPDX-License-Identifier: MIT
"""uops.info instruction tables (TSV, one line per instruction variant) as takt forms.

read_rows(path) yields one Row per line that has a takt form. The names used here
are those of docs/formats/forms.md; the input's names are XED's and uops.info's:

    string    "VFMADD231PD_Z (ZMM, K, ZMM, M64_1to8)"     one measured variant
    attr      "bcast=5;mask=1;zeroing=1"                  what the string leaves out
    ports     "1*p05+1*p23"
    lat       "REG0>REG0=4;MEM0>REG0>addr=11;MEM0>REG0>mem=8"
    *_SR      the same with one register for all register sources
    *_I       the same with an indexed address

Latency names count registers and memory operands apart, in XED's operand order,
implicit ones after explicit ones and the flags last.
"""

import dataclasses
import lzma
import re
from typing import Iterator, Optional

# Condition codes: XED's spelling to the assembler's.
CONDITIONS = {
    "z": "e", "nz": "ne", "nb": "ae", "nbe": "a", "nl": "ge", "nle": "g",
    "b": "b", "be": "be", "l": "l", "le": "le",
    "s": "s", "ns": "ns", "o": "o", "no": "no", "p": "p", "np": "np",
}
CONDITIONAL = re.compile(r"(j|cmov|set)(%s)" % "|".join(sorted(CONDITIONS, key=len, reverse=True)))

OTHER_NAMES = {
    "pcmpestri64": "pcmpestri", "pcmpestrm64": "pcmpestrm",
    "vpcmpestri64": "vpcmpestri", "vpcmpestrm64": "vpcmpestrm",
    "prefetch_exclusive": "prefetch",
}

# Implicit registers, in XED's order, behind the explicit ones. None is a register
# that takt has no slot for (rip, mxcsr, msr, the x87 tag word …).
IMPLICIT = {
    "mul": ("rax", "rdx"), "imul": ("rax", "rdx"), "div": ("rax", "rdx"), "idiv": ("rax", "rdx"),
    "mulx": ("rdx",),
    "cmpxchg": ("rax",), "cmpxchg8b": ("rdx", "rax", "rcx", "rbx"),
    "cmpxchg16b": ("rdx", "rax", "rcx", "rbx"),
    "cbw": ("rax", "rax"), "cwde": ("rax", "rax"), "cdqe": ("rax", "rax"),
    "cwd": ("rdx", "rax"), "cdq": ("rdx", "rax"), "cqo": ("rdx", "rax"),
    "lahf": ("ah",), "sahf": ("ah",), "xlat": ("rax",),
    "cpuid": ("rax", "rbx", "rcx", "rdx"),
    "rdtsc": ("rax", "rdx", None), "rdtscp": ("rax", "rdx", "rcx", None, None),
    "rdpmc": ("rax", "rdx", "rcx", None), "xgetbv": ("rcx", "rdx", "rax", None),
    "pcmpestri": ("rax", "rdx", "rcx"), "pcmpestrm": ("rax", "rdx", "xmm0"),
    "pcmpistri": ("rcx",), "pcmpistrm": ("xmm0",),
    "vpcmpestri": ("rax", "rdx", "rcx"), "vpcmpestrm": ("rax", "rdx", "xmm0"),
    "vpcmpistri": ("rcx",), "vpcmpistrm": ("xmm0",),
    "lods": ("rax",), "stos": ("rax",), "scas": ("rax",), "ins": (None,), "outs": (None,),
    "jrcxz": ("rcx", None), "jecxz": ("rcx", None),
    "loop": ("rcx", None), "loope": ("rcx", None), "loopne": ("rcx", None),
    "push": ("rsp",), "pop": ("rsp",), "pushf": ("rsp",), "popf": ("rsp",),
    "pushfq": ("rsp",), "popfq": ("rsp",), "leave": ("rbp", "rsp"), "enter": ("rsp", "rbp"),
    "call": (None, "rsp"), "ret": ("rsp", None), "clzero": ("rax",),
}

# Address registers of implicit memory operands, in XED's order.
IMPLICIT_MEMORY = {
    "lods": ("rsi",), "stos": ("rdi",), "scas": ("rdi",), "movs": ("rdi", "rsi"),
    "cmps": ("rsi", "rdi"), "ins": ("rdi",), "outs": ("rsi",),
    "push": ("rsp",), "pop": ("rsp",), "pushf": ("rsp",), "popf": ("rsp",),
    "pushfq": ("rsp",), "popfq": ("rsp",), "leave": ("rbp",), "enter": ("rsp",),
    "call": ("rsp",), "ret": ("rsp",), "xlat": ("rbx",),
    "maskmovdqu": ("rdi",), "vmaskmovdqu": ("rdi",), "maskmovq": ("rdi",),
}
# XED leaves out the xmm0 that assemblers write.
WRITES_XMM0 = ("blendvpd", "blendvps", "pblendvb", "sha256rnds2")
STRING = re.compile(r"(lods|stos|scas|movs|cmps|ins|outs)[bwdq]$")

# Suffixes of uops.info's names that tell encodings of one takt form apart. Those that
# gas emits rank first: the store-form opcodes 01, 89 … for general registers, the
# load-form 28, 6F, 7E … for vectors.
FIRST_ENCODINGS = frozenset(
    "00 01 08 09 10 11 18 19 20 21 28 29 30 31 38 39 88 89 0f10 0f28 0f6f 0f7e 6f 7e r0 "
    "immb immz cl xmm near cr dr vex z".split())
OTHER_ENCODINGS = frozenset(
    "02 03 0a 0b 12 13 1a 1b 22 23 2a 2b 32 33 3a 3b 8a 8b 0f11 0f29 0f7f 0fd6 7f d6 r4 "
    "sse4 c5".split())
# In a name of vector moves 28 and 29, 10 and 11 are the load and store opcodes.
VECTOR_MOVE = re.compile(r"vmov.*_(11|29)(_|$)")
# Opcodes in XED's iform that assemblers do not choose.
RARE_ENCODING = re.compile(r"_(8F|FFr6|C0r6|C1r6|D0r6|D1r6|D2r6|D3r6|F6r1|F7r1|82r\d)$")

ANY_IMMEDIATE = "i?"             # a zero, of the size of the form's other immediates
SIMPLE_KINDS = {
    "R8l": "r8", "R8h": "r8h", "K": "k", "SEG": "sreg", "FS": "sreg", "GS": "sreg",
    "Rel8": "rel", "Rel32": "rel", "VSIB_XMM": "m[xmm]", "VSIB_YMM": "m[ymm]",
    "VSIB_ZMM": "m[zmm]",
    "0": ANY_IMMEDIATE,
    **{kind: kind.lower() for kind in (
        "R16 R32 R64 MM XMM YMM ZMM BND CR DR AL AX EAX RAX CL DX 1 I8 I16 I32 I64 "
        "M8 M16 M32 M64 M80 M128 M256 M512").split()},
}
KINDS_WITHOUT_NAME = (ANY_IMMEDIATE, "i8", "i16", "i32", "i64", "1", "rel")  # no REGn or MEMn

# Operands that no VEX encoding has: {evex} tells nothing beside them.
EVEX_ONLY = re.compile(r"\{b\}|\bk\b|\bzmm|\bm512")

ADDRESS_KINDS = {  # D8 and D32 are one kind
    "b": "[b]", "b_d": "[b+d]", "b_i": "[b+i]", "b_i_d": "[b+i+d]", "b_is": "[b+i*s]",
    "b_is_d": "[b+i*s+d]", "i": "[i*s+d]", "is": "[i*s+d]", "i_d": "[i*s+d]", "is_d": "[i*s+d]",
    "d": "[d]", "r": "[rip+d]", "r_d": "[rip+d]",
}
ADDRESS_RANKS = {"is_d8": 0, "is_d32": 1, "i_d8": 2, "i_d32": 2, "is": 1, "i": 2}


@dataclasses.dataclass
class Variant:
    """Timing of a form, or of its [same] or [indexed] variant."""
    ports: list                  # [(count, "p05"), …]
    uop_count: int
    slots: int
    mite: int
    ms: int
    complex: bool
    simple: Optional[int]        # None: all simple decoders
    divider: int                 # cycles busy
    rthroughput: Optional[float]
    latency: dict                # (source slot, destination slot) -> cycles

    def independent(self) -> bool:
        """Outputs do not wait for sources."""
        return bool(self.latency) and not any(self.latency.values())


@dataclasses.dataclass
class Row:
    form: str                    # without qualifier
    base: Variant
    same: Optional[Variant]
    indexed: Optional[Variant]
    imm0: bool                   # the row of the form's [imm0] variant
    rank: int                    # lower is the likelier encoding
    fuses: list                  # conditional jumps it fuses with, "je" …
    iform: str
    string: str
    attributes: dict


def mnemonic_and_suffixes(name: str, mnemonics: Optional[frozenset]) -> tuple[str, list]:
    """Splits "VADDPD_ER_Z" into the mnemonic and its lower-case suffixes."""
    parts = name.lower().split("_")
    for end in range(len(parts), 0, -1):
        mnemonic = "_".join(parts[:end])
        if mnemonic in OTHER_NAMES:
            return OTHER_NAMES[mnemonic], parts[end:] + ["c5"]
        if mnemonics is None and end == 1 or mnemonics is not None and mnemonic in mnemonics:
            return mnemonic, parts[end:]
    return parts[0], parts[1:]


def operand_kind(kind: str, mnemonic: str) -> Optional[str]:
    if kind == "R":
        return "k" if mnemonic.startswith("vp2intersect") else "r64"
    if kind in SIMPLE_KINDS:
        # Prefetches touch one byte as far as the encoding says.
        return "m8" if kind == "M512" and mnemonic.startswith("prefetch") else SIMPLE_KINDS[kind]
    if match := re.fullmatch(r"(M\d+)_1to\d+", kind):
        return match[1].lower() + "{b}"
    if match := re.fullmatch(r"Moffs(\d+)", kind):
        return "m" + match[1]
    if re.fullmatch(r"M\d+", kind):
        return "m"
    return None


def _implicit_registers(mnemonic, kinds, repeated):
    stem = STRING.sub(r"\1", mnemonic)
    if stem != mnemonic:
        return IMPLICIT.get(stem, ()) + (("rcx",) if repeated else ())
    if mnemonic == "imul" and len(kinds) > 1:
        return ()
    if kinds and kinds[0] in ("r8", "r8h", "m8"):
        if mnemonic in ("mul", "imul"):
            return ("rax", "rax")                # al read, ax written
        if mnemonic in ("div", "idiv"):
            return ("rax",)
    if mnemonic[0] == "j" and mnemonic not in IMPLICIT:
        return (None,)                           # rip
    return IMPLICIT.get(mnemonic, ())


class _Names:
    """REGn and MEMn of one row as takt slots."""

    def __init__(self, mnemonic, kinds, mask, repeated):
        """`mask`: "1" operand 2 is the write mask; "0" it is k0, counted but not written."""
        self.registers = []
        self.memories = []       # (value slot, base slot, index slot)
        number = 0
        for position, kind in enumerate(kinds):
            if position == 1 and mask == "1":
                self.registers.append("k")
                continue
            if position == 1 and mask == "0":
                self.registers.append(None)
            number += 1
            if kind[0] == "[" or kind[0] == "m" and kind != "mm":
                self.memories.append((f"{number}", f"{number}b", f"{number}i"))
            elif kind not in KINDS_WITHOUT_NAME:
                self.registers.append(f"{number}")
        self.registers += _implicit_registers(mnemonic, kinds, repeated)
        self.registers.append("f")
        stem = STRING.sub(r"\1", mnemonic)
        self.memories += [("s", base, base) for base in IMPLICIT_MEMORY.get(stem, ())]

    def slot(self, name, kind):
        """`kind` is "addr", "addrI" or "mem" of a source; "" of a destination or register."""
        if name == "AGEN":
            name = "MEM0"
        index = int(name[3:])
        slots = self.registers if name.startswith("REG") else self.memories
        if index >= len(slots):
            return None
        if slots is self.registers:
            return slots[index]
        value, base, indexed = slots[index]
        return {"addr": base, "addrI": indexed}.get(kind, value)


def _latencies(text, names):
    latency = {}
    for item in filter(None, text.split(";")):
        pair, cycles = item.split("=")
        fields = pair.split(">")
        kind = fields[2] if len(fields) > 2 else ""
        if kind == "SR":
            continue
        source = names.slot(fields[0], kind)
        destination = names.slot(fields[1], "")
        if source is None or destination is None:
            continue
        latency[source, destination] = max(int(cycles), latency.get((source, destination), 0))
    return latency


def _ports(text):
    if not text or text == "-":
        return []
    ports = []
    for item in text.split("+"):
        count, names = item.split("*")
        ports.append((int(count), names[0] + names[1:].upper()))
    return ports


def _variant(fields, suffix, names, latency):
    """The columns with `suffix`; those left empty are as in the base variant."""
    def column(name):
        return fields.get(name + suffix, "")

    text = column("lat") if suffix != "_I" else ""
    if not column("uops") and not text:
        return None
    source = suffix if column("uops") else ""
    def number(name, default=0):
        value = fields.get(name + source, "")
        return int(value) if value else default

    rthroughput = fields.get("TP" + source, "")
    return Variant(
        ports=_ports(fields.get("ports" + source, "")),
        uop_count=number("uops"), slots=number("retSlots", 1), mite=number("uopsMITE", 1),
        ms=number("uopsMS"), complex=bool(number("complDec")),
        simple=number("sDec") if fields.get("sDec" + source, "") else None,
        divider=number("divC"), rthroughput=float(rthroughput) if rthroughput else None,
        latency=_latencies(text, names) if text else dict(latency))


def _attributes(text):
    return dict(item.split("=", 1) for item in text.split(";") if item)


@dataclasses.dataclass
class _Line:
    """What a line is about, before its figures are read."""
    form: str
    names: _Names
    rank: int
    attributes: dict
    fields: dict

    def is_imm0(self):
        return ANY_IMMEDIATE in self.form

    def immediate_key(self):
        """Equal for a line with a zero immediate and its sibling with another."""
        return (self.fields["iform"],
                *(self.attributes.get(name) for name in ("eosz", "high8", "rm", "mask")))


def _parse(fields, mnemonics):
    """The _Line of a table line; None if takt has no such form."""
    match = re.fullmatch(r"(\S+)(?: \((.*)\))?", fields["string"])
    attributes = _attributes(fields["attr"])
    mnemonic, suffixes = mnemonic_and_suffixes(match[1], mnemonics)
    if "w" in suffixes or "rex64" in suffixes:
        return None                              # 16-bit push, enter …: nobody writes them
    if "repne" in suffixes and mnemonic[:4] not in ("cmps", "scas"):
        return None
    raw = [kind for kind in (match[2] or "").split(", ") if kind]
    kinds = [operand_kind(kind, mnemonic) for kind in raw]
    if None in kinds:
        return None
    if mnemonic in WRITES_XMM0:
        kinds.append("xmm0")
    rank = 4 * bool(RARE_ENCODING.search(fields["iform"])) + 2 * ("Rel8" in raw)
    rank += bool(VECTOR_MOVE.match(match[1].lower()))
    if "agen" in attributes:
        agen = attributes["agen"].lower()
        kinds.append(ADDRESS_KINDS[re.sub(r"d(8|32)$", "d", agen)])
        rank = ADDRESS_RANKS.get(agen, int(agen.endswith("d32")))
        suffixes = []
    prefix, ending, more_rank = _prefix_and_ending(suffixes)
    mask = attributes.get("mask")
    names = _Names(mnemonic, kinds, mask, prefix.startswith("rep"))
    if mask == "1":
        del kinds[1]
        kinds[0] += "{k}{z}" if attributes.get("zeroing") == "1" else "{k}"
    if condition := CONDITIONAL.fullmatch(mnemonic):
        mnemonic = condition[1] + CONDITIONS[condition[2]]
    form = f"{prefix}{mnemonic} {', '.join(kinds)}".rstrip() + ending
    if EVEX_ONLY.search(form):
        form = form.replace("{evex} ", "")
    return _Line(form, names, rank + more_rank, attributes, fields)


def _prefix_and_ending(suffixes):
    """What a name's suffixes put before and behind the form, and their rank."""
    prefixes = {"lock": "lock ", "repe": "rep ", "repne": "repne ", "evex": "{evex} "}
    prefix = ending = ""
    rank = 0
    for suffix in suffixes:
        if suffix in prefixes:
            prefix = prefixes[suffix]
        elif suffix in ("er", "sae"):
            ending = " {%s}" % suffix
        elif suffix in OTHER_ENCODINGS:
            rank += 1
        elif suffix not in FIRST_ENCODINGS:
            raise ValueError(f"unknown suffix {suffix!r}")
    return prefix, ending, rank


def read_lines(path: str) -> Iterator[dict]:
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        header = next(file).rstrip("\n").split("\t")
        for line in file:
            yield dict(zip(header, line.rstrip("\n").split("\t")))


def read_rows(path: str, mnemonics: Optional[frozenset] = None) -> Iterator[Row]:
    """
    Every line of a table that has a takt form. `mnemonics` are the decoder's, in
    lower case; without them a name ends at its first underscore.
    """
    lines = [line for fields in read_lines(path) if (line := _parse(fields, mnemonics))]
    immediates = {}
    for line in lines:
        if not line.is_imm0() and (size := re.search(r"\bi(8|16|32|64)\b", line.form)):
            immediates[line.immediate_key()] = size[0]
    for line in lines:
        fields, names = line.fields, line.names
        latency = _latencies(fields["lat"], names)
        base = _variant(fields, "", names, latency)
        if base is None:
            continue
        form = line.form.replace(ANY_IMMEDIATE, immediates.get(line.immediate_key(), "i8"))
        yield Row(form=form, base=base, same=_variant(fields, "_SR", names, latency),
                  indexed=_variant(fields, "_I", names, latency), imm0=line.is_imm0(),
                  rank=line.rank, fuses=_fused_jumps(fields.get("macroFusible", "")),
                  iform=fields["iform"], string=fields["string"], attributes=line.attributes)


def _fused_jumps(text):
    jumps = set()
    for item in filter(None, text.split(";")):
        match = CONDITIONAL.fullmatch(item.split(" ")[0].lower())
        if match:
            jumps.add("j" + CONDITIONS[match[2]])
    return sorted(jumps)


def zydis_mnemonics(header_path: str) -> frozenset:
    """Lower-case mnemonics out of Zydis's EnumMnemonic.h."""
    with open(header_path, encoding="utf-8") as file:
        return frozenset(name.lower() for name in re.findall(r"ZYDIS_MNEMONIC_(\w+)", file.read()))
