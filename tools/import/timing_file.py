# SPDX-License-Identifier: MIT
"""Writing data/timing/*.timing (docs/formats/models.md): rows, lookup order, differences.

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
VECTORS = ("xmm", "ymm", "zmm")


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


def with_qualifier(form, qualifier):
    return f"{form} [{qualifier}]" if qualifier else form


def _less_specific(form: str) -> Iterator[str]:
    """Forms tried after `form`, in the order of docs/formats/forms.md and src/model/timing.c."""
    if " " not in form:
        return
    for pattern in (r"^\{evex\} ", r" \{(er|sae)\}$", r"\{z\}", r"\{k\}"):
        shorter = re.sub(pattern, "", form)
        if shorter != form:
            form = shorter
            yield form
    for form in _full_widths(form):
        yield form
    freed = FIXED.sub(lambda match: FIXED_REGISTERS[match[1]], form)
    if freed != form:
        form = freed
        yield form
    yield from _other_immediates(form)
    if "r8h" in form:
        form = form.replace("r8h", "r8")
        yield form
        yield from _other_immediates(form)


def _full_widths(form):
    """With full-width memory for {b}: of the widest register, of half and of double that."""
    widths = [VECTORS.index(name) for name in re.findall(r"\b([xyz]mm)\b", form)]
    if widths and BROADCAST.search(form):
        for shift in (0, -1, 1):
            if max(widths) + shift < len(VECTORS):
                yield BROADCAST.sub(f"m{64 << max(widths) + 1 + shift}", form)


def _other_immediates(form):
    seen = form
    for size in ("i8", "i32"):
        resized = IMMEDIATE.sub(size, form)
        if resized != seen:
            seen = resized
            yield resized


def fallback(key: str) -> Iterator[list]:
    """
    Keys a lookup of `key` tries after `key` itself, each in a list of its own: at every
    form first with the qualifier, then without.
    """
    form, qualifier = split_qualifier(key)
    if qualifier:
        yield [form]
    for less in _less_specific(form):
        if qualifier:
            yield [with_qualifier(less, qualifier)]
        yield [less]


def lookup(rows: dict, key: str) -> Optional[Timing]:
    """The row a lookup of `key` finds among `rows`, or None."""
    if key in rows:
        return rows[key]
    for (less,) in fallback(key):
        if less in rows:
            return rows[less]
    return None


def reproduces(found: Optional[Timing], wanted: Timing) -> bool:
    if found is None or found.facts() != wanted.facts():
        return False
    if wanted.spec is not None:                  # written by hand: no pairs to compare
        return found.spec == wanted.spec
    return all(latency_of(found.spec, *pair) == cycles for pair, cycles in wanted.latency.items())


def _generality(form):
    """Less specific forms sort first, so that a form's fallbacks are decided before it."""
    return sum(1 for _ in _less_specific(form)), IMMEDIATE.findall(form) != ["i8"], form


def reduce(full: dict, inherited: dict) -> dict:
    """Rows to write so that lookups give `full` exactly, on top of the rows `inherited`."""
    relatives = {}
    for key in full:
        form, qualifier = split_qualifier(key)
        for less in _less_specific(form):
            relatives.setdefault(with_qualifier(less, qualifier), []).append(full[key])
    rows, own = dict(inherited), {}

    def put(key):
        timing = full[key]
        if timing.spec is None:
            timing.spec = compress(_shared_latencies(timing, relatives.get(key, ())))
        rows[key] = own[key] = timing

    for form in sorted((key for key in full if key == split_qualifier(key)[0]), key=_generality):
        if not _is_reproduced(form, full, rows):
            _put_form(form, full, rows, own, put)
    return own


def _is_reproduced(form, full, rows):
    """The form and, for every qualifier, what a lookup with it should find."""
    return reproduces(lookup(rows, form), full[form]) and all(
        reproduces(lookup(rows, key), full.get(key, full[form]))
        for key in (with_qualifier(form, qualifier) for qualifier in QUALIFIERS))


def _put_form(form, full, rows, own, put):
    put(form)
    for qualifier in QUALIFIERS:
        key = with_qualifier(form, qualifier)
        if key in full:
            if not reproduces(lookup(rows, key), full[key]):
                put(key)
        elif key in rows:                        # inherited, but not a variant here
            del rows[key]
            own[key] = Timing(uops=None, latency={})


def _shared_latencies(timing, relatives):
    """Pairs of the row and those only its more specific forms have (the mask, say)."""
    pairs = dict(timing.latency)
    for other in relatives:
        if other.facts() == timing.facts() and all(
                pairs.get(pair, cycles) == cycles for pair, cycles in other.latency.items()):
            pairs.update(other.latency)
    return pairs


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
        text = f"{key:<32} | {_uops_text(rows[key]):<16} | {_attributes_text(rows[key])}"
        lines.append(text.rstrip())
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
