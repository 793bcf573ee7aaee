/* SPDX-License-Identifier: MIT */
/* ISA set names, as cores list them: Zydis's in lower case, then those of AArch64. */
#include <Zydis/Zydis.h>

#include "isa/aarch64.h"

#define N(zydis, name) [ZYDIS_ISA_SET_##zydis] = name,

/* clang-format off */
static const char *const names[] = {
	N(INVALID, "invalid")
	N(ADOX_ADCX, "adox_adcx") N(AES, "aes") N(AMD, "amd") N(AMD3DNOW, "amd3dnow")
	N(AMD_INVLPGB, "amd_invlpgb") N(AMX_BF16, "amx_bf16") N(AMX_INT8, "amx_int8")
	N(AMX_TILE, "amx_tile") N(AVX, "avx") N(AVX2, "avx2") N(AVX2GATHER, "avx2gather")
	N(AVX512BW_128, "avx512bw_128") N(AVX512BW_128N, "avx512bw_128n")
	N(AVX512BW_256, "avx512bw_256") N(AVX512BW_512, "avx512bw_512")
	N(AVX512BW_KOP, "avx512bw_kop") N(AVX512CD_128, "avx512cd_128")
	N(AVX512CD_256, "avx512cd_256") N(AVX512CD_512, "avx512cd_512")
	N(AVX512DQ_128, "avx512dq_128") N(AVX512DQ_128N, "avx512dq_128n")
	N(AVX512DQ_256, "avx512dq_256") N(AVX512DQ_512, "avx512dq_512")
	N(AVX512DQ_KOP, "avx512dq_kop") N(AVX512DQ_SCALAR, "avx512dq_scalar")
	N(AVX512ER_512, "avx512er_512") N(AVX512ER_SCALAR, "avx512er_scalar")
	N(AVX512F_128, "avx512f_128") N(AVX512F_128N, "avx512f_128n") N(AVX512F_256, "avx512f_256")
	N(AVX512F_512, "avx512f_512") N(AVX512F_KOP, "avx512f_kop")
	N(AVX512F_SCALAR, "avx512f_scalar") N(AVX512PF_512, "avx512pf_512")
	N(AVX512_4FMAPS_512, "avx512_4fmaps_512") N(AVX512_4FMAPS_SCALAR, "avx512_4fmaps_scalar")
	N(AVX512_4VNNIW_512, "avx512_4vnniw_512") N(AVX512_BF16_128, "avx512_bf16_128")
	N(AVX512_BF16_256, "avx512_bf16_256") N(AVX512_BF16_512, "avx512_bf16_512")
	N(AVX512_BITALG_128, "avx512_bitalg_128") N(AVX512_BITALG_256, "avx512_bitalg_256")
	N(AVX512_BITALG_512, "avx512_bitalg_512") N(AVX512_FP16_128, "avx512_fp16_128")
	N(AVX512_FP16_128N, "avx512_fp16_128n") N(AVX512_FP16_256, "avx512_fp16_256")
	N(AVX512_FP16_512, "avx512_fp16_512") N(AVX512_FP16_SCALAR, "avx512_fp16_scalar")
	N(AVX512_GFNI_128, "avx512_gfni_128") N(AVX512_GFNI_256, "avx512_gfni_256")
	N(AVX512_GFNI_512, "avx512_gfni_512") N(AVX512_IFMA_128, "avx512_ifma_128")
	N(AVX512_IFMA_256, "avx512_ifma_256") N(AVX512_IFMA_512, "avx512_ifma_512")
	N(AVX512_VAES_128, "avx512_vaes_128") N(AVX512_VAES_256, "avx512_vaes_256")
	N(AVX512_VAES_512, "avx512_vaes_512") N(AVX512_VBMI2_128, "avx512_vbmi2_128")
	N(AVX512_VBMI2_256, "avx512_vbmi2_256") N(AVX512_VBMI2_512, "avx512_vbmi2_512")
	N(AVX512_VBMI_128, "avx512_vbmi_128") N(AVX512_VBMI_256, "avx512_vbmi_256")
	N(AVX512_VBMI_512, "avx512_vbmi_512") N(AVX512_VNNI_128, "avx512_vnni_128")
	N(AVX512_VNNI_256, "avx512_vnni_256") N(AVX512_VNNI_512, "avx512_vnni_512")
	N(AVX512_VP2INTERSECT_128, "avx512_vp2intersect_128")
	N(AVX512_VP2INTERSECT_256, "avx512_vp2intersect_256")
	N(AVX512_VP2INTERSECT_512, "avx512_vp2intersect_512")
	N(AVX512_VPCLMULQDQ_128, "avx512_vpclmulqdq_128")
	N(AVX512_VPCLMULQDQ_256, "avx512_vpclmulqdq_256")
	N(AVX512_VPCLMULQDQ_512, "avx512_vpclmulqdq_512")
	N(AVX512_VPOPCNTDQ_128, "avx512_vpopcntdq_128")
	N(AVX512_VPOPCNTDQ_256, "avx512_vpopcntdq_256")
	N(AVX512_VPOPCNTDQ_512, "avx512_vpopcntdq_512") N(AVXAES, "avxaes") N(AVX_GFNI, "avx_gfni")
	N(AVX_VNNI, "avx_vnni") N(BMI1, "bmi1") N(BMI2, "bmi2") N(CET, "cet")
	N(CLDEMOTE, "cldemote") N(CLFLUSHOPT, "clflushopt") N(CLFSH, "clfsh") N(CLWB, "clwb")
	N(CLZERO, "clzero") N(CMOV, "cmov") N(CMPXCHG16B, "cmpxchg16b") N(ENQCMD, "enqcmd")
	N(F16C, "f16c") N(FAT_NOP, "fat_nop") N(FCMOV, "fcmov") N(FMA, "fma") N(FMA4, "fma4")
	N(FXSAVE, "fxsave") N(FXSAVE64, "fxsave64") N(GFNI, "gfni") N(HRESET, "hreset")
	N(I186, "i186") N(I286PROTECTED, "i286protected") N(I286REAL, "i286real") N(I386, "i386")
	N(I486, "i486") N(I486REAL, "i486real") N(I86, "i86") N(INVPCID, "invpcid")
	N(KEYLOCKER, "keylocker") N(KEYLOCKER_WIDE, "keylocker_wide") N(KNCE, "knce")
	N(KNCJKBR, "kncjkbr") N(KNCSTREAM, "kncstream") N(KNCV, "kncv") N(KNC_MISC, "knc_misc")
	N(KNC_PF_HINT, "knc_pf_hint") N(LAHF, "lahf") N(LONGMODE, "longmode") N(LWP, "lwp")
	N(LZCNT, "lzcnt") N(MCOMMIT, "mcommit") N(MONITOR, "monitor") N(MONITORX, "monitorx")
	N(MOVBE, "movbe") N(MOVDIR, "movdir") N(MPX, "mpx") N(PADLOCK_ACE, "padlock_ace")
	N(PADLOCK_PHE, "padlock_phe") N(PADLOCK_PMM, "padlock_pmm") N(PADLOCK_RNG, "padlock_rng")
	N(PAUSE, "pause") N(PCLMULQDQ, "pclmulqdq") N(PCONFIG, "pconfig")
	N(PENTIUMMMX, "pentiummmx") N(PENTIUMREAL, "pentiumreal") N(PKU, "pku") N(POPCNT, "popcnt")
	N(PPRO, "ppro") N(PREFETCHWT1, "prefetchwt1") N(PREFETCH_NOP, "prefetch_nop") N(PT, "pt")
	N(RDPID, "rdpid") N(RDPMC, "rdpmc") N(RDPRU, "rdpru") N(RDRAND, "rdrand")
	N(RDSEED, "rdseed") N(RDTSCP, "rdtscp") N(RDWRFSGS, "rdwrfsgs") N(RTM, "rtm")
	N(SERIALIZE, "serialize") N(SGX, "sgx") N(SGX_ENCLV, "sgx_enclv") N(SHA, "sha")
	N(SMAP, "smap") N(SMX, "smx") N(SNP, "snp") N(SSE, "sse") N(SSE2, "sse2")
	N(SSE2MMX, "sse2mmx") N(SSE3, "sse3") N(SSE3X87, "sse3x87") N(SSE4, "sse4")
	N(SSE42, "sse42") N(SSE4A, "sse4a") N(SSEMXCSR, "ssemxcsr") N(SSE_PREFETCH, "sse_prefetch")
	N(SSSE3, "ssse3") N(SSSE3MMX, "ssse3mmx") N(SVM, "svm") N(TBM, "tbm") N(TDX, "tdx")
	N(TSX_LDTRK, "tsx_ldtrk") N(UINTR, "uintr") N(VAES, "vaes") N(VMFUNC, "vmfunc")
	N(VPCLMULQDQ, "vpclmulqdq") N(VTX, "vtx") N(WAITPKG, "waitpkg") N(X87, "x87") N(XOP, "xop")
	N(XSAVE, "xsave") N(XSAVEC, "xsavec") N(XSAVEOPT, "xsaveopt") N(XSAVES, "xsaves")
#define X(constant, name) name,
#include "isa/aarch64_sets.def"
#undef X
};
/* clang-format on */

const char *takt_isa_set_name(uint16_t isa_set)
{
	return isa_set < TAKT_COUNT_OF(names) ? names[isa_set] : names[ZYDIS_ISA_SET_INVALID];
}

uint16_t takt_aarch64_set_number(unsigned index)
{
	return (uint16_t)(ZYDIS_ISA_SET_MAX_VALUE + 1 + index);
}

uint16_t takt_isa_set_count(void)
{
	return TAKT_COUNT_OF(names);
}
