#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What takt says a change does to a program against what it does on this machine.

    run.py TAKT BUILD [--only=GLOB] [--arch=CORE] [--native=FILE] [--predicted=FILE]
           [--repeats=N] [--rounds=N] [--cpu=N] [--cycles=N] [--no-predict] [--count]
           [--no-debian]

pairs.txt lists the pairs. Both sides are built in the folder BUILD; each is run natively and
traced, its figures are of one iteration in the steady state: of a traced run, those of 2n
iterations less those of n, so that start and end cancel out. n is chosen so that it takes about
`--cycles`. Figures go to the CSV files and are taken from there, as long as the binary is the
same (predictions also: the same takt).

The differential error is |Δ predicted − Δ measured| in points, Δ = B / A − 1 in per cent of the
slower side, so that it does not matter which one is called A.
"""
import argparse
import csv
import fnmatch
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import native
import sources

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
FIXED = {"driver": ["-O2"], "memory": ["-O2", "-ffreestanding", "-fno-tree-loop-distribute-patterns"]}
ENGINES = {"perfect caches and branches": ["--ideal=caches,branches"], "caches and branches": []}
LIMIT = 3.0  # points, mean of the pairs that are bound by computing


def read_pairs(path, only):
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, kind, program, *rest = (part.strip() for part in line.split("|"))
        if fnmatch.fnmatch(name, only):
            yield {"name": name, "kind": kind, "program": program, "sides": rest[:2], "what": rest[2]}


# ---- build

def compile_fixed(build):
    for name, options in FIXED.items():
        subprocess.run(["gcc", *options, "-c", PROGRAMS / f"{name}.c", "-o", build / f"{name}.o"],
                       check=True)


def build_side(pair, side, build):
    """The binary; None if its library's sources are not here."""
    program, _, library = pair["program"].partition(":")
    compiler, *options = side.split()
    files = [PROGRAMS / f"{program}.c"]
    if library:
        if not list((build / "debian").glob(f"{library}-*/")):
            return None
        more, sources_files = sources.files_of(build / "debian", library)
        options = options + ["-w", *more]
        files += sources_files
    binary = build / f"{program} {side}".replace(" ", "_").replace("=", "_")
    subprocess.run([compiler, "-static", "-g", "-Wall", "-Wextra", "-Werror", *options,
                    f"-I{PROGRAMS}", *files, build / "driver.o", build / "memory.o", "-lm", "-o",
                    binary], check=True)
    return binary


def output(binary, iterations):
    return subprocess.run([binary, str(iterations)], capture_output=True, text=True,
                          check=True).stdout


def build_pair(pair, build):
    """(binary A, binary B), whose outputs are the same; None if they cannot be built."""
    binaries = [build_side(pair, side, build) for side in pair["sides"]]
    if None in binaries:
        return None
    if output(binaries[0], 2) != output(binaries[1], 2):
        sys.exit(f"error: {pair['name']}: the two sides print different checksums")
    return binaries


# ---- figures that are kept

class Figures:
    """Rows of a CSV file by its key columns; without a file, in memory."""

    def __init__(self, path, keys, values):
        self.path, self.keys, self.values, self.rows = path, keys, values, {}
        if path and path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    self.rows[tuple(row[key] for key in keys)] = [float(row[v]) for v in values]

    def get(self, key, make):
        if key not in self.rows:
            self.rows[key] = make()
            if self.path:
                self.write()
        return self.rows[key]

    def write(self):
        with self.path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*self.keys, *self.values])
            for key, values in self.rows.items():
                writer.writerow([*key, *values])


def digest(*paths):
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


# ---- predictions

def trace(takt, options, binary, iterations):
    """Cycles and instructions of the whole run."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report")
        subprocess.run([takt, "trace", "--no-profile", *options, "--format=json",
                        f"--report={report}", "--", binary, str(iterations)],
                       check=True, stdout=subprocess.DEVNULL)
        result = json.loads(report.read_text(encoding="utf-8"))
    if result["cycles"] is None:
        return result["instructions"], result["instructions"]
    return result["cycles"], result["instructions"]


def predict(takt, options, binary, iterations):
    """Cycles and instructions of an iteration."""
    once, twice = (trace(takt, options, binary, n) for n in (iterations, 2 * iterations))
    return [(twice[i] - once[i]) / iterations for i in (0, 1)]


# ---- tables

def change(a, b):
    """B against A in per cent of the slower one."""
    return 100 * (b - a) / max(a, b)


def table(results, engine):
    yield ("| pair | kind | measured A | B | Δ % | predicted A | B | Δ % | error, points | "
           "absolute A % | B % |")
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    for pair in results:
        (a, b), (pa, pb) = pair["measured"], pair["predicted"][engine]
        yield (f"| {pair['name']} | {pair['kind']} | {a:,.0f} | {b:,.0f} | {change(a, b):+.1f} | "
               f"{pa:,.0f} | {pb:,.0f} | {change(pa, pb):+.1f} | {error_of(pair, engine):.1f} | "
               f"{100 * (pa / a - 1):+.1f} | {100 * (pb / b - 1):+.1f} |")


def error_of(pair, engine):
    return abs(change(*pair["predicted"][engine]) - change(*pair["measured"]))


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else float("nan")


def summary(results, engine):
    for kind in sorted({pair["kind"] for pair in results}, reverse=True):
        errors = [error_of(pair, engine) for pair in results if pair["kind"] == kind]
        absolute = [100 * abs(p / m - 1) for pair in results if pair["kind"] == kind
                    for m, p in zip(pair["measured"], pair["predicted"][engine])]
        yield (f"{kind}: {len(errors)} pairs, mean differential error {mean(errors):.2f} points, "
               f"worst {max(errors):.1f}; mean absolute error {mean(absolute):.1f} %")


def native_table(results):
    yield "| pair | A | B | cycles A | ± % | cycles B | ± % | Δ % | ± points |"
    yield "|---|---|---|--:|--:|--:|--:|--:|--:|"
    for pair in results:
        a, spread_a, b, spread_b, spread = pair["native"]
        yield (f"| {pair['name']} | {pair['sides'][0]} | {pair['sides'][1]} | {a:,.0f} | "
               f"{50 * spread_a:.2f} | {b:,.0f} | {50 * spread_b:.2f} | {change(a, b):+.1f} | "
               f"{50 * spread * min(1, a / b):.2f} |")


# ---- all of it

def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="*", help="pairs whose name matches")
    parser.add_argument("--arch", default="host", help="core that predictions are for")
    parser.add_argument("--native", type=pathlib.Path, help="CSV of measured figures")
    parser.add_argument("--predicted", type=pathlib.Path, help="CSV of predictions")
    parser.add_argument("--repeats", type=int, default=9, help="processes of each side")
    parser.add_argument("--rounds", type=int, default=400, help="iterations timed in each")
    parser.add_argument("--cpu", type=int, default=1, help="processor to measure on")
    parser.add_argument("--cycles", type=float, default=3e6, help="of the shorter traced run")
    parser.add_argument("--no-predict", action="store_true", help="measure only")
    parser.add_argument("--count", action="store_true",
                        help="take instructions for cycles, to try the pairs without a core")
    parser.add_argument("--no-debian", action="store_true", help="nothing that is downloaded")
    return parser.parse_args()


def measure(pair, binaries, figures, given):
    def make():
        (a, b), _, spread = native.measure_pair(binaries, given.repeats, given.rounds, given.cpu)
        return [*a, *b, spread]
    return figures.get((pair["name"], digest(*binaries)), make)


def engines_of(given):
    """The options of each table."""
    if given.count:
        return {"instructions": ["--count-only"]}
    return {name: [f"--arch={given.arch}", *options] for name, options in ENGINES.items()}


def predict_pair(pair, binaries, figures, given):
    pair["predicted"] = {}
    for engine, options in engines_of(given).items():
        cycles = []
        for binary, measured in zip(binaries, pair["measured"]):
            iterations = max(2, round(given.cycles / measured))
            key = (given.arch, engine, str(iterations), binary.name, digest(binary))
            cycles.append(figures.get(key, lambda: predict(given.takt, options, binary,
                                                           iterations))[0])
        pair["predicted"][engine] = cycles


def main():
    given = arguments()
    build = given.build.resolve()
    (build / "debian").mkdir(parents=True, exist_ok=True)
    compile_fixed(build)
    if not given.no_debian:
        sources.fetch(build / "debian")
    measured = Figures(given.native, ["pair", "binaries"], ["a", "spread_a", "b", "spread_b", "spread"])
    predicted = Figures(given.predicted, ["arch", "engine", "iterations", "binary", "digest"],
                        ["cycles", "instructions"])
    results = []
    for pair in read_pairs(HERE / "pairs.txt", given.only):
        binaries = build_pair(pair, build)
        if not binaries:
            print(f"{pair['name']}: left out, its sources are not here", file=sys.stderr)
            continue
        try:
            pair["native"] = measure(pair, binaries, measured, given)
        except native.Busy as busy:
            print(f"{pair['name']}: left out, {busy}", file=sys.stderr)
            continue
        pair["measured"] = pair["native"][0], pair["native"][2]
        if not given.no_predict:
            predict_pair(pair, binaries, predicted, given)
        results.append(pair)
        print(f"{pair['name']}: done", file=sys.stderr)
    if not results:
        sys.exit("error: no pair was measured")
    print("\n".join(native_table(results)))
    if given.no_predict:
        return 0
    engines = engines_of(given)
    for engine in engines:
        print(f"\n{engine}:\n")
        print("\n".join([*table(results, engine), "", *summary(results, engine)]))
    errors = [error_of(pair, list(engines)[-1]) for pair in results if pair["kind"] == "compute"]
    if errors and mean(errors) > LIMIT:
        sys.exit(f"error: pairs of kind compute are off by {mean(errors):.1f} points on average, more than {LIMIT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
