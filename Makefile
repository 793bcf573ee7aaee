# SPDX-License-Identifier: MIT
# The front door; the real build is meson.build. `make help` lists the targets.
BUILD ?= build
PYTHON ?= python3
ASAN = $(BUILD)-asan
FUZZ_BUILD = $(BUILD)-fuzz
# Counters in a file that processes share, so that those of killed ones count, too.
PROFILE = -fprofile-instr-generate=$(abspath $(BUILD)-lines)/profiles/%m%c.profraw
# Meson prints its errors to standard output, which is shown only then.
SETUP = sh -c 'output=$$(meson setup "$$@") || { echo "$$output" >&2; exit 1; }' setup
# After meson's summary, which names the programs that failed but not the tests in them.
FAILED = grep -A 5 -E '^not ok|^[A-Za-z]*Error:' $(BUILD)/meson-logs/testlog.txt | tail -n 100 >&2

.PHONY: help deps build demo abi check check-asan check-web serve-soak bench bench-growth accuracy accuracy-pairs advice-here hostile evaluate evaluate-small evaluate-slurm memo-soak limits characterize-tables llvm-inputs learn-loop learn-here singles published repeatability coverage line-coverage pmu-boot faults fuzz style clang lint bless dist deb check-deb wheel install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

deps: ## install the Debian packages that are missing
	@tools/install_packages.sh

build: deps ## build the library and the command
	@test -f $(BUILD)/build.ninja || $(SETUP) $(BUILD)
	@ninja -C $(BUILD) --quiet

demo: build ## analyze a bundled kernel
	$(BUILD)/src/cli/takt analyze --arch=SKX examples/kernels/gauss_seidel.s

check: build check-asan ## all tests
	@meson test -C $(BUILD) --print-errorlogs --no-rebuild --no-suite fuzz || { $(FAILED); exit 1; }
	@tools/check_layers.py
	@tools/check_tests.py

check-asan: deps ## fuzz corpora and unit tests under ASan and UBSan
	@test -f $(ASAN)/build.ninja || $(SETUP) $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C $(ASAN) --quiet
	@meson test -C $(ASAN) --print-errorlogs --no-rebuild --suite asan --suite unit

check-web: build ## reports in a browser, as a person uses them (SHOTS=directory: pictures of them)
	@tools/install_packages.sh tests/web/packages.txt
	@command -v npm >/dev/null || tools/install_packages.sh tests/web/npm_packages.txt
	@mkdir -p $(BUILD)/check-web && cp tests/web/package*.json $(BUILD)/check-web && npm ci --silent --ignore-scripts --prefix $(BUILD)/check-web
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/web/run.py $(BUILD)/src/cli/takt $(BUILD)/check-web/node_modules/axe-core/axe.min.js $(if $(SHOTS),--shots=$(SHOTS))
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/web/live.py $(BUILD)/src/cli/takt $(BUILD)/check-web/node_modules/axe-core/axe.min.js $(if $(SHOTS),--shots=$(SHOTS))
	@$(if $(SHOTS),TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/web/pictures.py $(BUILD)/src/cli/takt $(SHOTS))
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/web/speedscope.py $(BUILD)/src/cli/takt $(BUILD)/check-web/node_modules/speedscope/dist/release

serve-soak: build ## takt serve under ten users' requests: memory, errors, open files (minutes; REQUESTS=10000)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/serve/run.py $(BUILD)/src/cli/takt $(or $(REQUESTS),10000)

bench: build ## blocks/s, one-shot time, peak memory (CORPUS=file.csv …)
	@python3 bench/bench.py $(BUILD)/src/cli/takt $(BUILD)/bench $(CORPUS)

bench-growth: build ## how time grows with the input, at n, 2n and 4n (OPTIONS='--only=loops --rounds=1')
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B bench/growth.py $(OPTIONS) $(BUILD)/src/cli/takt

accuracy: build ## against measured blocks (CORPUS='file folder…' ARCH=core OPTIONS='--half=fit --worst=20 …')
	@python3 tests/accuracy/compare.py $(BUILD)/src/cli/takt $(if $(ARCH),--arch=$(ARCH)) $(OPTIONS) $(CORPUS)

repeatability: build ## measures blocks twice: share within 1 and 2 % (N=500)
	@python3 -B tests/accuracy/repeat.py $(BUILD)/src/cli/takt $(N)

singles: build ## single instructions against the dumps of InstLatX64 (DUMPS=folder)
	@python3 -B tests/accuracy/singles.py $(BUILD)/src/cli/takt $(DUMPS) $(OPTIONS)

published: build ## the same against uops.info's throughputs and PMEvo (see tests/accuracy/published.py)
	@python3 -B tests/accuracy/published.py $(BUILD)/src/cli/takt $(OPTIONS)

accuracy-pairs: build ## changes of whole programs, predicted and measured here (ARCH=core OPTIONS='--only=sha* --native=FILE …')
	@python3 -B tests/accuracy/pairs/run.py $(BUILD)/src/cli/takt $(BUILD)/pairs $(if $(ARCH),--arch=$(ARCH)) $(OPTIONS)

advice-here: build ## pairs of code before and after the advice of takt analyze, predicted and measured here (a minute)
	@python3 -B tests/advice/run.py $(BUILD)/src/cli/takt --measure

hostile: build ## known blocks after hostile snippets, as without (SNIPPETS=FILE or folder; N=1000 blocks, EACH=N after each)
	@python3 -B tests/measure/hostile.py $(BUILD)/tests/measure-hostile $(or $(N),1000) "$(EACH)" "$(SNIPPETS)"

evaluate: build ## predictors against measurement on all kernels and variants (hours; goes on where it stopped)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules $(BUILD)/src/cli/takt evaluate all $(BUILD)/evaluate --kernels=kernels $(if $(ARCH),--arch=$(ARCH))
	@$(BUILD)/src/cli/takt evaluate report $(BUILD)/evaluate --format=json $(if $(ARCH),--arch=$(ARCH)) | python3 -B tests/evaluate/targets.py

evaluate-small: build ## the same on one benchmark of each kernel (minutes)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules $(BUILD)/src/cli/takt evaluate all $(BUILD)/evaluate-small --small --kernels=kernels $(if $(ARCH),--arch=$(ARCH))
	@$(BUILD)/src/cli/takt evaluate report $(BUILD)/evaluate-small --format=json $(if $(ARCH),--arch=$(ARCH)) | python3 -B tests/evaluate/targets.py

evaluate-slurm: build ## the same through Debian's Slurm on this machine, with a task killed (a minute)
	@tools/install_packages.sh tests/evaluate/packages.txt
	@meson test -C $(BUILD) --print-errorlogs --no-rebuild evaluate-slurm

memo-soak: build ## what traces remember against what they simulate: real programs on all cores (hours; OPTIONS='--once --log-mb=3' for less, SCALE=N, CORES=a,b)
	@tools/install_packages.sh tests/memo/packages.txt
	@TAKT_MODULE_DIR=$(BUILD)/src/modules $(BUILD)/tests/test-sim-state_random 10000 5 | grep -v ^ok
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/memo/soak.py $(OPTIONS) $(if $(SCALE),--scale=$(SCALE)) $(if $(CORES),--cores=$(CORES)) $(BUILD)/src/cli/takt

limits: build ## what limits the loops of all kernels, by trace, analyze and diagnose (minutes)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -u -B tests/trace/limits.py $(BUILD)/src/cli/takt

learn-loop: build ## simulated cores, known and random, learnt from their times; resumes, and writes the tables of docs/learn.md (hours; ISA=aarch64; OPTIONS='--random=5 --cores=SKL,ZEN3')
	@for isa in $(or $(ISA),x86-64 aarch64); do for part in blocks programs; do TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/learn/loop.py --isa=$$isa --part=$$part --jobs=$$(nproc) --state=$(BUILD)/learn-loop/$$isa-$$part --write=docs/learn.md $(OPTIONS) $(BUILD)/src/cli/takt || exit 1; done; done

learn-here: build ## the core learnt on this machine against the known ones, for docs/learn.md; resumes (BLOCKS=file of hex, N=3000 blocks, OPTIONS=--full)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -u -B tests/accuracy/learn_here.py --kernels=kernels --write=docs/learn.md $(foreach file,$(BLOCKS),--blocks=$(file)) $(if $(N),--count=$(N)) $(OPTIONS) $(BUILD)/src/cli/takt $(BUILD)/learn-here

characterize-tables: build ## what experiments find of simulated cores, on all forms (minutes)
	@meson test -C $(BUILD) --print-errorlogs --no-rebuild --benchmark --suite characterize

llvm-inputs: build ## LLVM's own inputs for llvm-mca as inputs of takt analyze, and its figures (minutes; fetches 165 MB; INPUTS=folder with LLVM's sources)
	@TAKT_MODULE_DIR=$(BUILD)/src/modules python3 -B tests/dropin/llvm_inputs.py $(BUILD)/src/cli/takt $(or $(INPUTS),$(BUILD)/llvm-inputs)

pmu-boot: build ## takt count and validate on counters of a booted arm64 kernel (minutes; fetches 130 MB)
	@tools/install_packages.sh tests/events/pmu_boot/packages.txt
	@python3 -B tests/events/pmu_boot/run.py . $(BUILD)

coverage: build ## share of instructions of Debian binaries that hit a row, per core
	@$(BUILD)/tests/accuracy/cover $(BINARIES)

line-coverage: deps ## share of lines that the tests execute, in each room, and functions that none does (an hour; clang)
	@test -f $(BUILD)-lines/build.ninja || CC=clang CC_LD=lld $(SETUP) $(BUILD)-lines -Doptimization=1 -Dc_args='$(PROFILE) -fcoverage-mapping -mllvm -runtime-counter-relocation' -Dc_link_args='$(PROFILE)'
	@ninja -C $(BUILD)-lines --quiet
	@meson test -C $(BUILD)-lines --no-rebuild --no-suite fuzz --no-suite slow -t 4 >/dev/null; tools/line_coverage.py $(BUILD)-lines

faults: build ## every command with each of its calls for memory and files failing (an hour)
	@meson test -C $(BUILD) --print-errorlogs --no-rebuild --benchmark --suite faults

fuzz: deps ## run each fuzz target for FUZZ_SECONDS of CPU time (60; FUZZ=elf,ring FUZZ_SEED=1 FUZZ_LOG=file)
	@test -f $(FUZZ_BUILD)/build.ninja || CC=clang CC_LD=lld $(SETUP) $(FUZZ_BUILD) -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
	@ninja -C $(FUZZ_BUILD) --quiet
	@python3 -B tests/fuzz/run.py $(FUZZ_BUILD) $(or $(FUZZ_SECONDS),60) $(if $(FUZZ),--only=$(FUZZ)) $(if $(FUZZ_SEED),--seed=$(FUZZ_SEED)) $(if $(FUZZ_LOG),--log=$(FUZZ_LOG))

abi: build ## the library's binary interface against the one that its version began with
	@tools/install_packages.sh tests/install/packages.txt
	@tools/check_abi.sh $(BUILD)

style: ## format, layering, tests of all files, spelling
	@tools/install_packages.sh tools/lint_packages.txt
	@tools/check_format.sh
	@tools/check_layers.py
	@tools/check_tests.py
	@git ls-files src include plugin marker tools docs '*.md' Makefile | xargs codespell

clang: build ## clang compiles src, plugin and marker without a warning, as gcc does in the build
	@tools/check_clang.py $(BUILD)

lint: build style ## the same and clang-tidy (12 minutes of two cores)
	@git ls-files 'src/*.c' 'plugin/*.c' 'marker/*.c' | xargs -P 2 -n 8 clang-tidy -p $(BUILD) --quiet

bless: build ## rewrite golden outputs and documentation examples; read the diff
	@python3 tests/golden/run.py --bless $(BUILD)/src/cli/takt; python3 tests/docs/run.py --bless $(BUILD)/src/cli/takt

dist: ## an archive of the sources of this commit, in build/dist; the same everywhere
	@tools/make_dist.sh $(BUILD)/dist

deb: ## Debian packages of this commit, in build/deb
	@tools/install_packages.sh tools/deb_packages.txt
	@tools/build_deb.sh $(BUILD)/deb

check-deb: deb ## the packages in a fresh Debian, which they and the workflow of docs/ci.md run in (an hour; root)
	@tools/install_packages.sh tests/package/packages.txt
	@python3 -B tests/package/run.py . $(BUILD)

wheel: build ## a wheel of the Python package, in build/wheel (PYTHON=python3)
	@tools/build_wheel.sh $(BUILD) $(PYTHON)

install: build ## install below PREFIX as configured in meson
	@meson install -C $(BUILD)

clean: ## remove the build directories
	rm -rf $(BUILD) $(ASAN) $(FUZZ_BUILD)
