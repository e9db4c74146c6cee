# Short names for the usual jobs; CMakeLists.txt and CMakePresets.json know the details.

BUILD  := build
PREFIX ?= /usr/local
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# Quiet about what was found, loud about what was not.
CONFIGURE := cmake --log-level=NOTICE
MAKEFLAGS += --no-print-directory

.PHONY: all demo check soak bench golden results format clean install

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) --parallel $(JOBS) --target opine opine_shared

$(BUILD)/CMakeCache.txt:
	@$(CONFIGURE) --preset release

demo:
	@tools/bootstrap build
	@$(MAKE) all
	$(BUILD)/opine demo

# Four trees, then one run of ctest over all of them with one closing line. The last is
# compiled by clang as a whole, the programs of bench included, so that clang warns of nothing.
CHECKED := $(BUILD) $(BUILD)/sanitize $(BUILD)/double $(BUILD)/thread

check:
	@tools/bootstrap check
	@$(CONFIGURE) --preset release -DOPINE_TESTS=ON -DOPINE_WERROR=ON \
	    -DOPINE_MPI=$$(command -v mpicc >/dev/null && echo ON || echo OFF)
	@$(CONFIGURE) --preset sanitize -DOPINE_WERROR=ON
	@$(CONFIGURE) --preset double -DOPINE_WERROR=ON
	@$(CONFIGURE) --preset thread -DOPINE_WERROR=ON
	@for tree in $(CHECKED); do cmake --build $$tree --parallel $(JOBS) || exit 1; done
	@for tree in $(BUILD) $(BUILD)/thread; do \
	    cmake --build $$tree --parallel $(JOBS) --target bench_programs || exit 1; done
	@mkdir -p $(BUILD)/check
	@for tree in $(CHECKED); do printf 'subdirs("%s/%s")\n' "$$PWD" $$tree; done \
	    >$(BUILD)/check/CTestTestfile.cmake
	@ctest --test-dir $(BUILD)/check --output-on-failure --timeout 900 \
	    --parallel $$(($(JOBS) + 1)) # some tests mostly wait

# What takes too long for each change: the figures of docs/reliability.md.
soak:
	@tools/bootstrap check
	@$(MAKE) all
	tests/soak/faults.py $(BUILD)/opine --most 400
	tests/soak/kills.py $(BUILD)/opine
	tests/soak/limits.py $(BUILD)/opine
	tests/soak/threads.py $(BUILD)/opine
	tests/soak/long_run.py $(BUILD)/opine
	@$(CONFIGURE) --preset double
	@cmake --build $(BUILD)/double --parallel $(JOBS) --target opine
	tests/soak/differential.py $(BUILD)/double/opine
	tests/python/wheel "$(abspath $(BUILD))/python" /usr/bin/python3
	tests/soak/metrics.py $(BUILD)

bench:
	@tools/bootstrap bench
	@tools/bootstrap peers
	@$(MAKE) all
	@cmake --build $(BUILD) --parallel $(JOBS) --target bench_programs
	@for part in load train attention complexity tsne limit growth memory; do \
	    bench/$$part "$(abspath $(BUILD))" --markdown docs/performance.md \
	        --json $(BUILD)/performance.json || exit 1; done

# Rewrites the golden values with an independent implementation; review the diff.
golden:
	@tools/bootstrap golden
	@set -e; for script in tests/golden/*.py; do echo "$$script"; /usr/bin/python3 $$script; done

# Measures the paper's tables and what each choice does, on the six datasets: some hours. Both
# go on from what results/ has.
results:
	@tools/bootstrap build
	@tools/bootstrap golden
	@$(MAKE) all
	$(BUILD)/opine reproduce -o results
	cp results/results.md docs/measurements/results.md
	sed 's|(results.md)|(measurements/results.md)|' results/summary.md >docs/results.md
	$(BUILD)/opine reproduce --table images -o results/images
	cp results/images/results.md docs/measurements/images.md
	{ echo; sed -n '/^## Table images/,$$p' results/images/summary.md; } >>docs/results.md
	bench/unlabelled --opine $(BUILD)/opine --markdown docs/measurements/unlabelled.md >/dev/null
	tools/sensitivity $(BUILD) results/sensitivity
	tools/leak $(BUILD) results/leak

format:
	@tools/lint format --fix

clean:
	rm -rf $(BUILD)

install: all
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))"
