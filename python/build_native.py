# SPDX-License-Identifier: MIT
"""Declares to cffi what of the library's interface Python uses, and builds the extension module.

The C compiler checks the declarations against the headers; "..." stands for what Python does not
need.
"""
import os
import pathlib
import platform
import subprocess

import cffi

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("TAKT_BUILD", HERE.parent / "build")).resolve()
# What the static library needs.
LIBRARIES = ["Zydis", "elf", "dw", "zstd", "sqlite3", "m", "dl", "pthread"]

DECLARATIONS = """
enum takt_status { TAKT_OK, TAKT_BAD_INPUT, TAKT_NOT_FOUND, TAKT_UNAVAILABLE, ... };
const char *takt_version(void);

struct takt_diag;
struct takt_diag *takt_diag_new(void);
void takt_diag_free(struct takt_diag *diag);
const char *takt_diag_text(struct takt_diag *diag);

struct takt_text;
struct takt_text *takt_text_new(void);
void takt_text_free(struct takt_text *text);
const char *takt_text_data(const struct takt_text *text);

struct takt_model;
struct takt_setting { const char *name, *value; };
enum takt_status takt_model_open(const char *name, const char *model_dir, struct takt_diag *diag,
                                 struct takt_model **ret_model);
void takt_model_close(struct takt_model *model);
const char *takt_model_name(const struct takt_model *model);
const char *takt_model_title(const struct takt_model *model);
const char *takt_model_isa_name(const struct takt_model *model);
enum takt_status takt_model_set(const struct takt_model *model, const struct takt_setting *settings,
                                size_t setting_count, struct takt_diag *diag,
                                struct takt_model **ret_model);
size_t takt_model_builtin_count(void);
const char *takt_model_builtin_name(size_t index);

enum takt_input_format { TAKT_INPUT_AUTO, TAKT_INPUT_ELF, TAKT_INPUT_ASSEMBLY, TAKT_INPUT_RAW, ... };
enum takt_syntax { TAKT_SYNTAX_AUTO, TAKT_SYNTAX_ATT, TAKT_SYNTAX_INTEL };
struct takt_line_range { uint32_t first, last; };
struct takt_code_options {
    const char *path;
    const void *data;
    size_t data_size_bytes;
    enum takt_input_format format;
    const char *isa;
    enum takt_syntax syntax;
    const char *function;
    const struct takt_line_range *lines;
    size_t line_count;
    bool whole;
    ...;
};
struct takt_code;
enum takt_status takt_code_open(const struct takt_code_options *options, struct takt_diag *diag,
                                struct takt_code **ret_code);
void takt_code_close(struct takt_code *code);
size_t takt_code_region_count(const struct takt_code *code);

enum takt_mode { TAKT_MODE_AUTO, TAKT_MODE_LOOP, TAKT_MODE_UNROLL };
enum takt_sensitivity { TAKT_SENSITIVITY_SHORT, TAKT_SENSITIVITY_FULL, TAKT_SENSITIVITY_NONE };
struct takt_analysis_options {
    bool bounds_only;
    enum takt_mode mode;
    enum takt_sensitivity sensitivity;
    double unroll_factor;
    bool no_memory_dependences;
    ...;
};
struct takt_analysis;
enum takt_status takt_analyze(const struct takt_model *model, const struct takt_code *code,
                              size_t region_index, const struct takt_analysis_options *options,
                              struct takt_diag *diag, struct takt_analysis **ret_analysis);
void takt_analysis_free(struct takt_analysis *analysis);
struct takt_write_options { ...; };
void takt_write_analysis_json(const struct takt_analysis *analysis, struct takt_text *text);
void takt_write_analysis_text(const struct takt_analysis *analysis,
                              const struct takt_write_options *options, struct takt_text *text);

enum takt_engine { TAKT_ENGINE_BOUNDS, TAKT_ENGINE_SIM, ... };
struct takt_predictor_options {
    enum takt_mode mode;
    enum takt_engine engine;
    bool no_memory_dependences;
    ...;
};
struct takt_predictor;
struct takt_predictor *takt_predictor_new(const struct takt_model *model,
                                          const struct takt_predictor_options *options);
void takt_predictor_free(struct takt_predictor *predictor);

enum takt_measure_status { TAKT_MEASURE_OK, ... };
enum takt_clock { TAKT_CLOCK_AUTO, ... };
const char *takt_measure_status_word(enum takt_measure_status status);
const char *takt_clock_word(enum takt_clock clock);
struct takt_measure_options {
    enum takt_mode mode;
    uint32_t rounds;
    double time_limit_seconds;
    ...;
};
struct takt_measurement {
    enum takt_measure_status status;
    const char *reason;
    double cycles;
    double spread;
    ...;
};
struct takt_measurer;
enum takt_status takt_measurer_open(const struct takt_measure_options *options,
                                    struct takt_diag *diag, struct takt_measurer **ret_bench);
void takt_measurer_close(struct takt_measurer *measurer);
enum takt_clock takt_measurer_clock(const struct takt_measurer *measurer);
const char *takt_measurer_cpu(const struct takt_measurer *measurer);
void takt_measure(struct takt_measurer *measurer, const uint8_t *bytes, size_t size_bytes,
                  struct takt_measurement *ret_measurement);

void predict_blocks(struct takt_predictor *predictor, const uint8_t *bytes, const uint64_t *ends,
                    size_t block_count, double *ret_cycles);
"""

SOURCE = """
#include <math.h>
#include <takt/takt.h>

/* Predict blocks that follow each other, each up to its end; NaN for one that does not decode. */
static void predict_blocks(struct takt_predictor *predictor, const uint8_t *bytes,
                           const uint64_t *ends, size_t block_count, double *ret_cycles)
{
    uint64_t begin = 0;

    for (size_t i = 0; i < block_count; i++) {
        if (takt_predict(predictor, bytes + begin, ends[i] - begin, &ret_cycles[i]) != TAKT_OK)
            ret_cycles[i] = NAN;
        begin = ends[i];
    }
}
"""


# As the rest of takt has them; -fcf-protection is for x86.
HARDENING = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
if platform.machine() in ("x86_64", "i686"):
    HARDENING.append("-fcf-protection=branch")


def flags(*arguments):
    done = subprocess.run(["pkg-config", *arguments, "libelf", "libdw", "libzstd", "sqlite3"],
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


builder = cffi.FFI()
builder.cdef(DECLARATIONS)
builder.set_source("takt._native", SOURCE, include_dirs=[str(HERE.parent / "include")],
                   extra_objects=[str(BUILD / "libtakt.a")], libraries=LIBRARIES,
                   extra_compile_args=["-O2", *HARDENING],
                   extra_link_args=flags("--libs-only-L") + [
                       "-Wl,--exclude-libs,ALL", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"])
