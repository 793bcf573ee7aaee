#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our tables of events against libpfm4, where both know an event; skipped where it is not installed.

    libpfm4.py DATA-DIRECTORY
"""
import ctypes
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

ROW = re.compile(r"^\s+(\S+)\s+(\S+)\s+(\w+)/(\S*)/\s+(\w+)")
# User and system mode, interrupt, enable: libpfm4 sets them, the kernel does so for us.
MODES = 0x00530000
USER = 8
# Families, what they are like, and libpfm4's names of their PMUs.
FAMILIES = {
    "haswell-ep": (["intel"], ["hsw_ep"], {"uncore_imc": "hswep_unc_imc0",
                                           "uncore_ha": "hswep_unc_ha0",
                                           "uncore_cbox": "hswep_unc_cbo0",
                                           "uncore_qpi": "hswep_unc_qpi0",
                                           "uncore_sbox": "hswep_unc_sbo0"}),
    "skylake-x": (["intel-avx512", "intel"], ["skx"], {"uncore_imc": "skx_unc_imc0",
                                                       "uncore_upi": "skx_unc_upi0"}),
    "icelake-x": (["intel-avx512", "intel"], ["icx"], {}),
    "sapphire-rapids": (["intel-avx512", "intel"], ["spr"], {}),
    "zen2": (["amd"], ["amd64_fam17h_zen2"], {}),
    "zen3": (["amd-zen3", "amd"], ["amd64_fam19h_zen3"], {}),
    "zen4": (["amd-zen3", "amd"], ["amd64_fam19h_zen4"], {}),
}
# Names that differ.
NAMES = {
    "ex_ret_instr": "RETIRED_INSTRUCTIONS",
    "ls_not_halted_cyc": "CYCLES_NOT_IN_HALT",
    "ex_ret_brn": "RETIRED_BRANCH_INSTRUCTIONS",
    "ex_ret_brn_misp": "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED",
    "ex_div_busy": "DIV_CYCLES_BUSY_COUNT",
    "ex_div_count": "DIV_OP_COUNT",
    "ls_dispatch.ld_dispatch": "LS_DISPATCH:LD_DISPATCH",
    "ls_dispatch.store_dispatch": "LS_DISPATCH:STORE_DISPATCH",
    "ls_dispatch.ld_st_dispatch": "LS_DISPATCH:LD_ST_DISPATCH",
    "bp_l1_tlb_miss_l2_tlb_hit": "L1_ITLB_MISS_L2_ITLB_HIT",
    "ic_cache_fill_l2": "INSTRUCTION_CACHE_REFILLS_FROM_L2",
    "ic_cache_fill_sys": "INSTRUCTION_CACHE_REFILLS_FROM_SYSTEM",
    "fp_ret_sse_avx_ops.all": "RETIRED_SSE_AVX_FLOPS:ANY",
    "l2_cache_req_stat.ls_rd_blk_c": "CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS:LS_RD_BLK_C",
    "ls_refills_from_sys.ls_mabresp_lcl_l2": "DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_L2",
    "ls_refills_from_sys.ls_mabresp_lcl_dram": "DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_DRAM",
    "ls_refills_from_sys.ls_mabresp_rmt_dram": "DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_RMT_DRAM",
    "ls_dmnd_fills_from_sys.local_ccx": "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:INT_CACHE",
    "ls_dmnd_fills_from_sys.near_cache": "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:EXT_CACHE_LCL",
    "ls_dmnd_fills_from_sys.far_cache": "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:EXT_CACHE_RMT",
    "ls_any_fills_from_sys.dram_io_near": "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL",
    "ls_any_fills_from_sys.dram_io_far": "ANY_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_RMT",
    "UNC_UPI_TXL_FLITS.ALL_DATA": "UNC_UPI_TXL_FLITS:ALL_DATA",
    "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_MISS_LOCAL":
        "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS_LOCAL:SNP_ANY",
}
# Intel's own event files have a counter mask, slots instead of µops; and without a counter mask there
# is nothing to invert.
DIFFER = {("sapphire-rapids", "ARITH.IDIV_ACTIVE"), ("skylake-x", "UOPS_RETIRED.STALL_CYCLES"),
          ("haswell-ep", "UOPS_EXECUTED.CORE_CYCLES_NONE")}
FIELDS = {"event": 0, "umask": 8, "edge": 18, "inv": 23, "cmask": 24}
LEAST = 150  # compared, or the names have gone astray


def load():
    os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
    try:
        library = ctypes.CDLL("libpfm.so.4")
    except OSError:
        return None
    return library if library.pfm_initialize() == 0 else None


def theirs(library, pmu, name):
    codes, count = ctypes.POINTER(ctypes.c_uint64)(), ctypes.c_int(0)
    full = ctypes.c_char_p()
    if library.pfm_get_event_encoding(f"{pmu}::{name}".encode(), USER, ctypes.byref(full), None,
                                      ctypes.byref(codes), ctypes.byref(count)):
        return None
    return [codes[i] for i in range(count.value)]


def ours(terms):
    config, extra = 0, []
    for term in filter(None, terms.split(",")):
        name, _, value = term.partition("=")
        if name in ("offcore_rsp", "filter_state"):
            extra.append(int(value, 0) << (17 if name == "filter_state" else 0))
        elif name in FIELDS and value:
            number = int(value, 0)
            config |= (number & 0xff) << FIELDS[name]
            config |= (number & 0xf00) << 24 if name == "event" else 0
        else:
            return None
    return [config, *extra]


def rows(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        match = ROW.match(line)
        if match:
            yield match.group(1), match.group(3), match.group(4)


def compare(library, data):
    compared = 0
    for family, (like, cores, boxes) in FAMILIES.items():
        for table in [family, *like]:
            for name, pmu, terms in rows(data / "events" / f"{table}.events"):
                unit = cores[0] if pmu == "cpu" else boxes.get(pmu)
                got = ours(terms)
                if not unit or got is None or (family, name) in DIFFER:
                    continue
                want = theirs(library, unit, NAMES.get(name, name.replace(".", ":")))
                if not want:
                    continue
                want[0] &= ~MODES
                compared += 1
                ok(got == want, f"{family}: {name}", [hex(n) for n in got], [hex(n) for n in want])
    ok(compared >= LEAST, f"{compared} events are in both")


def main():
    library = load()
    if library:
        compare(library, pathlib.Path(sys.argv[1]))
    else:
        skip("tables of events", "libpfm4 is not installed")


main()
sys.exit(finish())
