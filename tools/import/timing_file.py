# SPDX-License-Identifier: MIT
"""Writing data/timing/*.timing (docs/formats.md): rows, lookup order, differences.

A Timing is one row's figures. reduce() keeps only the rows that the documented
lookup order, and the rows of a base core, would not reproduce exactly.
"""

import dataclasses
import re
from typing import Iterator, Optional

QUALIFIERS = ("same", "indexed", "imm0")
FIXED_REGISTERS = {"al": "r8", "cl": "r8", "ax": "r16", "dx": "r16", "eax": "r32", "rax": "r64",
                   "st0": "st", "xmm0": "xmm"}
FIXED = re.compile(r"(?<=[ ,])(%s)\b" % "|".join(FIXED_REGISTERS))
IMMEDIATE = re.compile(r"\b(i8|i16|i32|i64)\b|(?<=[ ,])1(?=,|$)")
BROADCAST = re.compile(r"\bm(16|32|64)\{b\}")
FULL_WIDTH = {"xmm": "m128", "ymm": "m256", "zmm": "m512"}


@dataclasses.dataclass
class Timing:
    uops: list                      # [(count, "p05"), …], pseudo ports included; None removes
    latency: dict                   # (source slot, destination slot) -> cycles
    slots: int = 0
    mite: Optional[int] = None      # None: slots
    ms: int = 0
    complex: bool = False
    simple: Optional[int] = None
    uop_count: Optional[int] = None  # None: sum of the counts on issue ports
    rthroughput: Optional[float] = None
    flag: str = ""                  # zero, breaks, elim
    source: str = ""                # "": the file's default source
    spec: Optional[tuple] = None    # (default latency, {(source, destination): cycles})

    def facts(self):
        """Everything but the latencies, as the loader would see it."""
        issue = sum(count for count, ports in self.uops if ports[0] != "d")
        uop_count = issue if self.uop_count is None else self.uop_count
        return (sorted(self.uops, key=port_order), self.slots,
                self.slots if self.mite is None else self.mite, self.ms, self.complex,
                self.simple, uop_count, self.rthroughput, self.flag, self.source)


# ---- latencies ---------------------------------------------------------------

def _sources(slot):
    """Patterns a source slot matches, most specific first."""
    return (slot, "a", "*") if slot[0].isdigit() and slot[-1] in "bi" else (slot, "*")


def latency_of(spec, source, destination):
    default, exceptions = spec
    for pattern in _sources(source):
        for target in (destination, "*"):
            if (pattern, target) in exceptions:
                return exceptions[pattern, target]
    return default


def _merge(pairs, default):
    """Exceptions to `default` that reproduce `pairs`: whole sources first, then single pairs."""
    exceptions = {}
    groups = {}
    for (source, destination), cycles in pairs.items():
        group = "a" if "a" in _sources(source) else source
        groups.setdefault(group, {}).setdefault(source, {})[destination] = cycles
    for group, sources in groups.items():
        values = [cycles for targets in sources.values() for cycles in targets.values()]
        if group == "a" and len(set(values)) == 1:
            _except(exceptions, "a", sources, values[0], default)
            continue
        for source, targets in sources.items():
            _per_source(exceptions, source, targets, default)
    return exceptions


def _except(exceptions, name, sources, cycles, default):
    if cycles == default:
        return
    targets = {target for destinations in sources.values() for target in destinations}
    exceptions[name, targets.pop() if len(targets) == 1 else "*"] = cycles


def _per_source(exceptions, source, targets, default):
    values = list(targets.values())
    common = max(set(values), key=lambda value: (values.count(value), value == default))
    if common != default and values.count(common) > 1:
        exceptions[source, "*"] = common
        default = common
    for destination, cycles in targets.items():
        if cycles != default:
            exceptions[source, destination] = cycles


def _spec_text(spec):
    default, exceptions = spec
    return ",".join([str(default)] + [f"{source}>{destination}:{cycles}" for
                                      (source, destination), cycles in sorted(exceptions.items())])


def compress(pairs):
    """The shortest (default, exceptions) that gives every pair of `pairs` exactly."""
    if not pairs:
        return (1, {})
    # Among equals, prefer the register latency as default: it also serves pairs nobody measured.
    plain = [cycles for (source, _), cycles in sorted(pairs.items()) if "a" not in _sources(source)]
    best = None
    for default in dict.fromkeys(plain + sorted(pairs.values())):
        spec = (default, _merge(pairs, default))
        assert all(latency_of(spec, *pair) == cycles for pair, cycles in pairs.items()), pairs
        if best is None or len(_spec_text(spec)) < len(_spec_text(best)):
            best = spec
    return best


# ---- lookup order ------------------------------------------------------------

def split_qualifier(key):
    match = re.fullmatch(r"(.*?)(?: \[(same|indexed|imm0)\])?", key)
    return match[1], match[2]


def _full_width(form):
    """The form with full-width memory for {b}; the form itself where that is not sure."""
    widths = set(re.findall(r"\b([xyz]mm)\b", form))
    if len(widths) != 1 or not BROADCAST.search(form) or re.search(r"\bvcvt|\bvfpclass", form):
        return form
    return BROADCAST.sub(FULL_WIDTH[widths.pop()], form)


def fallback(key: str) -> Iterator[list]:
    """
    Keys a lookup of `key` tries after `key` itself, in the order of docs/formats.md.
    Each step is a list of keys: where it has two, both must agree to be relied on.
    """
    form, qualifier = split_qualifier(key)
    if qualifier:
        yield [form]
    steps = (
        lambda text: [text.replace("{evex} ", "")],
        lambda text: [re.sub(r" \{(er|sae)\}$", "", text)],
        lambda text: [text.replace("{z}", "")],
        lambda text: [text.replace("{k}", "")],
        lambda text: [_full_width(text)],
        lambda text: [FIXED.sub(lambda match: FIXED_REGISTERS[match[1]], text)],
        lambda text: [IMMEDIATE.sub("i8", text), IMMEDIATE.sub("i32", text)],
        lambda text: [text.replace("r8h", "r8")],
    )
    forms = [form]
    for step in steps:
        changed = list(dict.fromkeys(new for old in forms for new in step(old)))
        if changed != forms:
            forms = changed
            yield [new for new in forms if new != form]


def lookup(rows: dict, key: str) -> Optional[Timing]:
    """The row a lookup of `key` finds among `rows`; None if none, or if it is not sure."""
    if key in rows:
        return rows[key]
    for keys in fallback(key):
        found = [rows[one] for one in keys if one in rows]
        if found:
            return found[0] if all(_agree(found[0], other) for other in found[1:]) else None
    return None


def _agree(one, other):
    return one.facts() == other.facts() and one.spec == other.spec


def reproduces(found: Optional[Timing], wanted: Timing) -> bool:
    if found is None or found.facts() != wanted.facts():
        return False
    if wanted.spec is not None:                  # written by hand: no pairs to compare
        return found.spec == wanted.spec
    return all(latency_of(found.spec, *pair) == cycles for pair, cycles in wanted.latency.items())


def _generality(key):
    """Less specific keys sort first, so that a row's fallbacks are decided before it."""
    return (sum(1 for _ in fallback(key)), IMMEDIATE.findall(key) != ["i8"], key)


def reduce(full: dict, inherited: dict) -> dict:
    """Rows to write so that lookups give `full` exactly, on top of the rows `inherited`."""
    relatives = {}
    for key in full:
        if not split_qualifier(key)[1]:
            for keys in fallback(key):
                for parent in keys:
                    relatives.setdefault(parent, []).append(key)
    rows, own = dict(inherited), {}
    for key in sorted(full, key=_generality):
        timing = full[key]
        if reproduces(lookup(rows, key), timing):
            continue
        if timing.spec is None:
            timing.spec = compress(_shared_latencies(timing, [full[child] for child in
                                                              relatives.get(key, ())]))
        rows[key] = own[key] = timing
    for key in _stale_variants(full, rows):
        own[key] = Timing(uops=None, latency={})
    return own


def _shared_latencies(timing, children):
    """Pairs of the row and those only its more specific forms have (the mask, say)."""
    pairs = dict(timing.latency)
    for child in children:
        if child.facts() == timing.facts() and all(
                pairs.get(pair, cycles) == cycles for pair, cycles in child.latency.items()):
            pairs.update(child.latency)
    return pairs


def _stale_variants(full, rows):
    """Inherited [same], [indexed] … rows of forms that here have no such variant."""
    for form in sorted(full):
        for qualifier in QUALIFIERS:
            key = f"{form} [{qualifier}]"
            if key in rows and key not in full and not reproduces(rows[key], full[form]):
                yield key


# ---- text --------------------------------------------------------------------

def overlay(inherited: dict, own: dict) -> dict:
    """The rows a core sees: those of its base and its own, less those it removes."""
    return {key: timing for key, timing in {**inherited, **own}.items()
            if timing.uops is not None}


def port_order(uop):
    return uop[1][0] == "d", uop[1], uop[0]


def _uops_text(timing):
    if timing.uops is None:
        return "none"
    return "+".join(f"{count}*{ports}" for count, ports in
                    sorted(timing.uops, key=port_order)) or "-"


def _attributes_text(timing):
    if timing.uops is None:
        return ""
    issue = sum(count for count, ports in timing.uops if ports[0] != "d")
    uop_count = issue if timing.uop_count is None else timing.uop_count
    words = ["lat=" + _spec_text(timing.spec)]
    if timing.slots != uop_count:
        words.append(f"slots={timing.slots}")
    if timing.mite not in (None, timing.slots):
        words.append(f"mite={timing.mite}")
    if timing.ms:
        words.append(f"ms={timing.ms}")
    if timing.complex:
        words.append("complex")
    if timing.simple is not None:
        words.append(f"simple={timing.simple}")
    if uop_count != issue:
        words.append(f"uops={uop_count}")
    if timing.rthroughput:
        words.append(f"rtp={timing.rthroughput:.2f}".rstrip("0").rstrip("."))
    if timing.flag:
        words.append(timing.flag)
    if timing.source:
        words.append("src=" + timing.source)
    return " ".join(word for word in words if word != "lat=1")


def write(path: str, header: list, rows: dict) -> None:
    lines = ["takt timing 1", *header, ""]
    for key in sorted(rows):
        text = f"{key:<40}| {_uops_text(rows[key]):<30}| {_attributes_text(rows[key])}"
        lines.append(text.rstrip())
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
