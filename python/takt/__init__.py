# SPDX-License-Identifier: MIT
"""Cycles of machine code on a given core, why, and what would change it.

All cycles are core cycles per execution of the code, or per iteration of its loop. Functions may
be called from any thread; predictions run in parallel outside of Python's lock.
"""
from __future__ import annotations

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import threading
from typing import (TYPE_CHECKING, AbstractSet, Any, Iterable, Iterator, Mapping, Optional, Protocol,
                    Sequence, Union, ValuesView, overload)

from ._native import ffi as _ffi, lib as _lib

if TYPE_CHECKING:
    import numpy
    import pandas

__all__ = ["Analysis", "Error", "Instruction", "Measurement", "Model", "Unavailable", "analyze",
           "cores", "measure", "predict"]

def _string(pointer: Any, errors: str = "strict") -> str:
    """The text of a C string."""
    data: bytes = _ffi.string(pointer)
    return data.decode("utf-8", errors)


__version__ = _string(_lib.takt_version())

_BYTES = (bytes, bytearray, memoryview)
_Bytes = Union[bytes, bytearray, memoryview]
Block = Union[str, _Bytes]              # hexadecimal text, or the machine code itself
# Not any Iterable: numpy's arrays are that, too, and their results are arrays.
Blocks = Union[Sequence[Block], Iterator[Block], AbstractSet[Block], ValuesView[Block]]
Core = Union[str, "Model"]              # a core's name, or a model of it
Cores = Union["list[str]", "list[Model]", "list[Core]", "tuple[Core, ...]"]
Path = Union[str, "os.PathLike[str]"]


class Array(Protocol):
    """What numpy's arrays and pandas' series have in common."""

    @property
    def dtype(self) -> Any: ...

    @property
    def shape(self) -> tuple[int, ...]: ...


_MODES = {"auto": _lib.TAKT_MODE_AUTO, "loop": _lib.TAKT_MODE_LOOP, "unroll": _lib.TAKT_MODE_UNROLL}
_ENGINES = {"sim": _lib.TAKT_ENGINE_SIM, "bounds": _lib.TAKT_ENGINE_BOUNDS}
_SYNTAXES = {"auto": _lib.TAKT_SYNTAX_AUTO, "att": _lib.TAKT_SYNTAX_ATT,
             "intel": _lib.TAKT_SYNTAX_INTEL}
_SENSITIVITIES = {"short": _lib.TAKT_SENSITIVITY_SHORT, "full": _lib.TAKT_SENSITIVITY_FULL,
                  "none": _lib.TAKT_SENSITIVITY_NONE}
_BLOCKS_PER_TASK = 256


class Error(ValueError):
    """Input that takt refuses; the text says where, why, and what would help."""


class Unavailable(Error):
    """Something that this machine or this installation lacks."""


def _word(words: Mapping[str, int], value: str, what: str) -> int:
    if value not in words:
        raise Error(f"{what} is one of {', '.join(words)}, not {value!r}")
    return words[value]


class _Diagnostics:
    """Collects the messages of one call, and raises them."""

    def __init__(self) -> None:
        self.pointer = _ffi.gc(_lib.takt_diag_new(), _lib.takt_diag_free)

    def text(self) -> str:
        return _string(_lib.takt_diag_text(self.pointer), "replace").strip()

    def check(self, status: int) -> None:
        if status == _lib.TAKT_OK:
            return
        kind = Unavailable if status == _lib.TAKT_UNAVAILABLE else Error
        raise kind(self.text() or "takt gives no reason")


def cores() -> list[str]:
    """Return the names of the cores that takt has models of, in alphabetical order."""
    return [_string(_lib.takt_model_builtin_name(i))
            for i in range(_lib.takt_model_builtin_count())]


class Model:
    """A core and the timings of its instructions.

    `name` is a name or an alias that `takt model list` prints; "host" is this machine's core.
    `directory` is a folder with more cores, read before the built-in ones. `settings` changes
    parameters of the core, such as {"rob_entries": 512}; `takt model show` lists them.
    """

    def __init__(self, name: str = "host", *, directory: Optional[Path] = None,
                 settings: Optional[Mapping[str, Any]] = None) -> None:
        diagnostics = _Diagnostics()
        opened = _ffi.new("struct takt_model **")
        folder = os.fsencode(directory) if directory is not None else _ffi.NULL
        diagnostics.check(_lib.takt_model_open(name.encode(), folder, diagnostics.pointer, opened))
        self._pointer = self._base = _ffi.gc(opened[0], _lib.takt_model_close)
        if settings:
            self._set(settings)

    def _set(self, settings: Mapping[str, Any]) -> None:
        diagnostics = _Diagnostics()
        words = {name: ("yes" if value else "no") if isinstance(value, bool) else str(value)
                 for name, value in settings.items()}
        kept = [(_ffi.new("char[]", name.encode()), _ffi.new("char[]", word.encode()))
                for name, word in words.items()]
        changes = _ffi.new("struct takt_setting[]", len(kept))
        for change, (name, value) in zip(changes, kept):
            change.name, change.value = name, value
        made = _ffi.new("struct takt_model **")
        diagnostics.check(_lib.takt_model_set(self._base, changes, len(kept), diagnostics.pointer,
                                              made))
        self._pointer = _ffi.gc(made[0], _lib.takt_model_close)

    @property
    def name(self) -> str:
        """Its name, such as "SKX"."""
        return _string(_lib.takt_model_name(self._pointer))

    @property
    def title(self) -> str:
        """What it is, such as "Intel Skylake-SP"."""
        return _string(_lib.takt_model_title(self._pointer))

    @property
    def isa(self) -> str:
        """The name of its instruction set, such as "x86-64"."""
        return _string(_lib.takt_model_isa_name(self._pointer))

    def __repr__(self) -> str:
        return f"<takt.Model {self.name}: {self.title}>"


_opened: dict[str, Model] = {}
_opened_lock = threading.Lock()


def _model(arch: Core) -> Model:
    """Models are immutable, so each is opened once."""
    if isinstance(arch, Model):
        return arch
    if not isinstance(arch, str):
        raise TypeError(f"a core is a name or a Model, not {type(arch).__name__}")
    with _opened_lock:
        if arch not in _opened:
            _opened[arch] = Model(arch)
        return _opened[arch]


def _machine_code(block: Block, place: str = "") -> bytes:
    if isinstance(block, _BYTES):
        return bytes(block)
    if not isinstance(block, str):
        raise TypeError(f"{place}a block is hexadecimal text or bytes, not {type(block).__name__}")
    try:
        return bytes.fromhex(block)
    except ValueError:
        raise Error(f"{place}not hexadecimal: {block[:40]!r}") from None


def _machine_codes(blocks: Iterable[Block]) -> list[bytes]:
    """The code of each block; errors name the index of theirs."""
    return [_machine_code(block, f"blocks[{i}]: ") for i, block in enumerate(blocks)]


def _predict_part(model: Model, options: Any, blocks: Sequence[bytes], cycles: Any) -> None:
    predictor = _lib.takt_predictor_new(model._pointer, options)
    try:
        ends = _ffi.new("uint64_t[]", len(blocks))
        end = 0
        for i, block in enumerate(blocks):
            end += len(block)
            ends[i] = end
        _lib.predict_blocks(predictor, b"".join(blocks), ends, len(blocks), cycles)
    finally:
        _lib.takt_predictor_free(predictor)


def _predict_all(model: Model, options: Any, blocks: Sequence[bytes], jobs: int) -> Any:
    cycles = _ffi.new("double[]", max(1, len(blocks)))
    starts = range(0, len(blocks), _BLOCKS_PER_TASK)

    def predict_from(start: int) -> None:
        _predict_part(model, options, blocks[start:start + _BLOCKS_PER_TASK], cycles + start)

    if jobs == 1 or len(starts) <= 1:
        for start in starts:
            predict_from(start)
    else:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(predict_from, starts))
    return cycles


# A text is also a sequence of texts, which mypy reports; the first signature that fits is the one
# that holds.
@overload
def predict(blocks: Block, arch: Core = "host", *, mode: str = "unroll",  # type: ignore
            engine: str = "sim", memory_dependences: bool = True,
            jobs: Optional[int] = None) -> float: ...


@overload
def predict(blocks: Array, arch: Core = "host", *, mode: str = "unroll", engine: str = "sim",
            memory_dependences: bool = True,
            jobs: Optional[int] = None) -> numpy.ndarray[Any, numpy.dtype[numpy.float64]]: ...


@overload
def predict(blocks: Blocks, arch: Core = "host", *, mode: str = "unroll",
            engine: str = "sim", memory_dependences: bool = True,
            jobs: Optional[int] = None) -> list[float]: ...


@overload
def predict(blocks: Block, arch: Cores, *, mode: str = "unroll",  # type: ignore
            engine: str = "sim", memory_dependences: bool = True,
            jobs: Optional[int] = None) -> dict[str, float]: ...


@overload
def predict(blocks: Array, arch: Cores, *, mode: str = "unroll", engine: str = "sim",
            memory_dependences: bool = True, jobs: Optional[int] = None
            ) -> dict[str, numpy.ndarray[Any, numpy.dtype[numpy.float64]]]: ...


@overload
def predict(blocks: Blocks, arch: Cores, *, mode: str = "unroll", engine: str = "sim",
            memory_dependences: bool = True,
            jobs: Optional[int] = None) -> dict[str, list[float]]: ...


def predict(blocks: Any, arch: Union[Core, Cores] = "host", *, mode: str = "unroll",
            engine: str = "sim", memory_dependences: bool = True,
            jobs: Optional[int] = None) -> Any:
    """Return the cycles per execution of blocks of machine code.

    `blocks` is one block or many: hexadecimal text ("4801d8") or bytes. One block gives a float, a
    list a list of floats, and a numpy array or pandas series of objects a numpy array; a block that
    does not decode is NaN. `arch` is the name of a core, a Model, or a list of them; with a list,
    the result is a dict by their names.

    `mode` is "unroll" (copies of the block follow each other, as in BHive), "loop" (the block ends
    in a branch to its start) or "auto". `engine` is "sim", the simulator, or "bounds", the largest
    of the static bounds. `jobs` is the number of threads; None: one for each processor.
    """
    if isinstance(arch, (list, tuple)):
        return {model.name: predict(blocks, model, mode=mode, engine=engine,
                                    memory_dependences=memory_dependences, jobs=jobs)
                for model in map(_model, arch)}
    options = _ffi.new("struct takt_predictor_options *")
    options.mode = _word(_MODES, mode, "mode")
    options.engine = _word(_ENGINES, engine, "engine")
    options.no_memory_dependences = not memory_dependences
    model = _model(arch)
    if isinstance(blocks, (str, *_BYTES)):
        return float(_predict_all(model, options, [_machine_code(blocks)], 1)[0])
    dtype = getattr(blocks, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "O") == "S":
        raise TypeError("numpy cuts zero bytes from the end of fixed-size bytes; use dtype=object")
    if dtype is None:
        codes = _machine_codes(blocks)
        cycles = _predict_all(model, options, codes, jobs or os.cpu_count() or 1)
        return list(cycles[0:len(codes)])    # a slice does not keep what it is of
    import numpy
    codes = _machine_codes(numpy.asarray(blocks, dtype=object).ravel())
    cycles = _predict_all(model, options, codes, jobs or os.cpu_count() or 1)
    made = numpy.frombuffer(_ffi.buffer(cycles), dtype=numpy.float64)[:len(codes)].copy()
    return made.reshape(getattr(blocks, "shape", made.shape))


# ---- analysis ------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Instruction:
    """One instruction of an analysis. Cycles are core cycles per execution of the region.

    text: the instruction as assembly.
    form: the form of it that the model knows, with its operands.
    address: its address in the file, in hexadecimal.
    line: its line in the source, or None.
    uops: the number of its µops.
    slots: the number of its issue slots; 0 if it is fused with the instruction before it.
    latency: the largest latency of its operands in cycles, with the load's.
    ports: cycles by port.
    stall: the cycles of the simulation that are lost to it.
    on_loop_carried: it lies on the longest loop-carried dependence.
    on_critical_path: it lies on the critical path of one iteration.
    origin: where its figures come from.
    """
    text: str
    form: str
    address: str
    line: Optional[int]
    uops: int
    slots: int
    latency: float
    ports: Mapping[str, float]
    stall: float
    on_loop_carried: bool
    on_critical_path: bool
    origin: str


@dataclasses.dataclass(frozen=True)
class Analysis:
    """What takt says of one region: a loop, a marked part, or straight-line code.

    Cycles are core cycles per iteration of the loop, or per execution of straight-line code.

    region: its name.
    core: the name of the core.
    mode: "loop" or "unroll".
    cycles: the cycles that the simulation takes.
    limit: what limits it, in words.
    bounds: cycles by kind of bound.
    ports: cycles by port.
    stalls: cycles by cause; they sum to `cycles`.
    instructions: its instructions.
    advice: changes of the core that were simulated one by one, with the cycles of each.
    changes: changes of the code that were made and simulated, with the cycles of each.
    bottlenecks: sentences on the limit and those within 5 % of it, most important first.
    notes: what must be known to judge the figures.
    data: all of it, as `takt analyze --format=json` writes it; the schema has the units.
    report: the report as text.
    """
    region: str
    core: str
    mode: str
    cycles: float
    limit: str
    bounds: Mapping[str, Any]
    ports: Mapping[str, float]
    stalls: Sequence[Mapping[str, Any]]
    instructions: Sequence[Instruction]
    advice: Sequence[Mapping[str, Any]]
    changes: Sequence[Mapping[str, Any]]
    bottlenecks: Sequence[str]
    notes: Sequence[str]
    data: Mapping[str, Any]
    report: str

    def to_frame(self) -> pandas.DataFrame:
        """Return the instructions as a pandas table, with a column of cycles for each port."""
        import pandas
        rows = []
        for instruction in self.instructions:
            row = dataclasses.asdict(instruction)
            row.update({port: row["ports"].get(port, 0.0) for port in self.ports})
            del row["ports"]
            rows.append(row)
        return pandas.DataFrame(rows)


def _instruction(record: Mapping[str, Any]) -> Instruction:
    return Instruction(
        text=record["text"], form=record["form"], address=record["address"], line=record["line"],
        uops=record["uops"], slots=record["slots"], latency=record["latency"],
        ports=record["port_pressure"], stall=record["simulated"],
        on_loop_carried=record["on_loop_carried"], on_critical_path=record["on_critical_path"],
        origin=record["origin"])


def _record(record: Mapping[str, Any], report: str) -> Analysis:
    return Analysis(
        region=record["region"], core=record["arch"], mode=record["mode"],
        cycles=float(record["cycles_per_iteration"]), limit=record["limit"], bounds=record["bounds"],
        ports=record["port_pressure"], stalls=record["waits"],
        instructions=[_instruction(each) for each in record["instructions"]],
        advice=record["relaxations"], changes=record["changes"],
        bottlenecks=record["bottlenecks"], notes=record["notes"], data=record, report=report)


def _written(write: Any) -> str:
    text = _ffi.gc(_lib.takt_text_new(), _lib.takt_text_free)
    write(text)
    return _string(_lib.takt_text_data(text), "replace")


def _open_code(model: Model, what: Mapping[str, Any], function: Optional[str],
               lines: Optional[tuple[int, int]], syntax: str) -> Any:
    options = _ffi.new("struct takt_code_options *")
    kept = []                        # cffi frees what Python forgets

    def keep(value: Any) -> Any:
        kept.append(value)
        return value

    options.syntax = _word(_SYNTAXES, syntax, "syntax")
    if what["path"] is not None:
        options.path = keep(_ffi.new("char[]", os.fsencode(what["path"])))
    else:
        data = what["text"].encode() if what["text"] is not None else _machine_code(what["code"])
        options.data = keep(_ffi.new("char[]", data))
        options.data_size_bytes = len(data)
        options.format = _lib.TAKT_INPUT_ASSEMBLY if what["text"] is not None \
            else _lib.TAKT_INPUT_RAW
        options.isa = keep(_ffi.new("char[]", model.isa.encode()))
    if function is not None:
        options.function = keep(_ffi.new("char[]", function.encode()))
    if lines is not None:
        options.lines = keep(_ffi.new("struct takt_line_range *", {"first": lines[0], "last": lines[1]}))
        options.line_count = 1
    diagnostics = _Diagnostics()
    opened = _ffi.new("struct takt_code **")
    diagnostics.check(_lib.takt_code_open(options, diagnostics.pointer, opened))
    return _ffi.gc(opened[0], _lib.takt_code_close), kept


def _analyze_region(model: Model, code: Any, index: int, options: Any) -> Analysis:
    diagnostics = _Diagnostics()
    made = _ffi.new("struct takt_analysis **")
    diagnostics.check(_lib.takt_analyze(model._pointer, code, index, options, diagnostics.pointer,
                                        made))
    analysis = _ffi.gc(made[0], _lib.takt_analysis_free)
    style = _ffi.new("struct takt_write_options *")
    report = _written(lambda text: _lib.takt_write_analysis_text(analysis, style, text))
    record = json.loads(_written(lambda text: _lib.takt_write_analysis_json(analysis, text)))
    return _record(record, report)


def analyze(path: Optional[Path] = None, arch: Core = "host", *,
            text: Optional[str] = None, code: Optional[Block] = None,
            function: Optional[str] = None, lines: Optional[tuple[int, int]] = None,
            syntax: str = "auto", mode: str = "auto", sensitivity: str = "short") -> list[Analysis]:
    """Analyze the regions of code: its marked parts, or else its innermost loops.

    Exactly one of `path` (an object file, an executable or assembly text), `text` (assembly) and
    `code` (machine code, as for predict()) says what. `function` and `lines` (first and last source
    line) select a part of it. `syntax` is "auto", "att" or "intel"; `mode` as for predict();
    `sensitivity` says how many changes are tried for advice: "short", "full" or "none".
    Raises Error, with the place and the reason, for code that takt cannot read.
    """
    what = {"path": path, "text": text, "code": code}
    if sum(value is not None for value in what.values()) != 1:
        raise TypeError("exactly one of path, text and code is needed")
    model = _model(arch)
    opened, kept = _open_code(model, what, function, lines, syntax)
    options = _ffi.new("struct takt_analysis_options *")
    options.mode = _word(_MODES, mode, "mode")
    options.sensitivity = _word(_SENSITIVITIES, sensitivity, "sensitivity")
    analyses = [_analyze_region(model, opened, index, options)
                for index in range(_lib.takt_code_region_count(opened))]
    del kept
    return analyses


# ---- measurement ---------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Measurement:
    """What a block took on this machine's processor.

    cycles: core cycles per execution; NaN if they could not be measured.
    status: "ok", "unstable", "disturbed", "fault", …
    reason: details, or "".
    spread: the interquartile range of the rounds as a share of `cycles`, so without a unit.
    clock: how cycles were counted.
    cpu: the processor.
    """
    cycles: float
    status: str
    reason: str
    spread: float
    clock: str
    cpu: str


@overload
def measure(blocks: Block, *, mode: str = "unroll",  # type: ignore
            rounds: int = 0, time_limit: float = 0) -> Measurement: ...


@overload
def measure(blocks: Iterable[Block], *, mode: str = "unroll", rounds: int = 0,
            time_limit: float = 0) -> list[Measurement]: ...


def measure(blocks: Any, *, mode: str = "unroll", rounds: int = 0, time_limit: float = 0) -> Any:
    """Measure blocks on the processor of this machine.

    One block gives a Measurement, several a list of them. The code runs in a process that can do
    nothing but run it. `rounds` is how many rounds must agree (0: 9), `time_limit` the seconds for
    each block (0: 2). Raises Unavailable where code cannot be measured.
    """
    options = _ffi.new("struct takt_measure_options *")
    options.mode = _word(_MODES, mode, "mode")
    options.rounds = rounds
    options.time_limit_seconds = time_limit
    diagnostics = _Diagnostics()
    opened = _ffi.new("struct takt_measurer **")
    single = isinstance(blocks, (str, *_BYTES))
    codes = [_machine_code(blocks)] if single else _machine_codes(blocks)
    diagnostics.check(_lib.takt_measurer_open(options, diagnostics.pointer, opened))
    measurer = _ffi.gc(opened[0], _lib.takt_measurer_close)
    clock = _string(_lib.takt_clock_word(_lib.takt_measurer_clock(measurer)))
    cpu = _string(_lib.takt_measurer_cpu(measurer))
    result = _ffi.new("struct takt_measurement *")
    measured = []
    for code in codes:
        _lib.takt_measure(measurer, code, len(code), result)
        measured.append(Measurement(
            cycles=result.cycles, spread=result.spread, clock=clock, cpu=cpu,
            status=_string(_lib.takt_measure_status_word(result.status)),
            reason=_string(result.reason, "replace")))
    return measured[0] if single else measured
