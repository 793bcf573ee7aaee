# SPDX-License-Identifier: MIT
"""Questions about instruction forms (docs/formats/forms.md) that several tables ask."""

import re

GATHER = re.compile(r"vp?gather(d|q)p?(d|q|s)\b")
ALL = ("*", "*")         # the latency of every pair that is not listed


def is_vector(form):
    if re.match(r"f(?!emms)", form):
        return True                # x87
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


def is_address(slot):
    """A base or index register of an explicit memory operand, as latencies name it."""
    return re.fullmatch(r"\d[bi]", slot) is not None


def register_form(form, known):
    """
    The form with a register instead of its memory operand, among `known`, or None:
    the same registers as the loader tries when it composes a form.
    """
    found = memory_operand(form)
    size = re.match(r"m(\d+)", found[1]) if found else None
    if not size or form.startswith(("lock ", "rep")):
        return None
    bits = int(size[1])
    text = re.sub(r"\bm(\d+)(\{b\})?(?=[{,]|$| )", "@", form, count=1)
    general = f"r{bits}" if bits <= 64 else None
    if not re.search(r"\b([xyz]?mm|k)\b", text.replace("{k}", "")):
        candidates = [general]
    else:
        vectors = [f"{width}mm" for width in "zyx" if f"{width}mm" in text]
        if re.search(r"\bmm\b", text):
            first = "mm"
        elif not vectors and general:
            first = "k"
        elif "{b}" in form:
            first = vectors[0]
        else:
            first = {256: "ymm", 512: "zmm"}.get(bits, "xmm")
        candidates = [first, general] + ["r32"] * (bits in (8, 16))
    for register in candidates:
        if register and text.replace("@", register) in known:
            return text.replace("@", register)
    return None


def gathered_elements(form):
    """Loads a gather makes: as many as elements fit into the narrower of data and indices."""
    match = GATHER.match(form)
    _, operands = split(form)
    bits = {"x": 128, "y": 256, "z": 512}
    wide = match[2] == "q" or "pd " in form
    data = bits[operands[0][0]] // (64 if wide else 32)
    index = bits[operands[1][2]] // {"d": 32, "q": 64}[match[1]]
    return min(data, index)


def as_latency(pairs):
    """Keywords for Timing: with a latency for all pairs, the others are exceptions to it."""
    if ALL not in pairs:
        return {"latency": pairs}
    exceptions = {pair: cycles for pair, cycles in pairs.items() if pair != ALL}
    return {"latency": {}, "spec": (pairs[ALL], exceptions)}
