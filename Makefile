# Two commands: `make demo` shows what hipport does, `make test` runs all checks and tests (`make quick` those that are
# not slow). They set up what they need: a virtual environment in .venv, compilers from the system's packages.

SHELL := /bin/bash
BIN := .venv/bin
DEMO := build/demo
TARGETS := gfx90a,gfx942,gfx1030,gfx1100
WORKERS ?= $(shell nproc)
TESTS ?= tests
# Tests run make and ninja, which are not to take this make's job slots for theirs. Without byte code every worker and
# every command that tests start would compile all modules again.
PYTEST = env -u MAKEFLAGS -u MAKELEVEL -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest -n $(WORKERS) --dist worksteal
# .clang-format-ignore takes out of these what is not laid out by clang-format.
CXX_FILES = set -o pipefail; git ls-files -z '*.[ch]' '*.[ch]pp' '*.cu' '*.cuh' '*.hip' hipport/include/stacktrace
CLANG_FORMAT = xargs -0 -r -n 40 -P $(WORKERS) $(BIN)/clang-format

.PHONY: demo test quick everything lint style types format unit tools explore bench docs release-check matrix clean

demo: .venv/demo
	@scripts/install_tools.sh demo
	@PATH="$(CURDIR)/$(BIN):$$PATH" scripts/demo.sh "$(DEMO)" "$(TARGETS)"

# Two at once where one would leave cores idle: packages are unpacked while pip installs, and types take as long as some
# hundred tests.
test:
	@$(MAKE) --no-print-directory -j2 .venv/dev tools
	@$(MAKE) --no-print-directory style
	@$(MAKE) --no-print-directory -j2 types unit

quick:
	@$(MAKE) --no-print-directory -j2 .venv/dev tools
	$(PYTEST) -m 'not slow'

# All of what tests take samples of, in the folders TESTS: hours for all of them.
everything:
	@$(MAKE) --no-print-directory -j2 .venv/dev tools
	HIPPORT_TEST_ALL=1 $(PYTEST) $(TESTS)

# Compilers and libraries that tests need.
tools:
	@scripts/install_tools.sh test

lint: style types

style: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(CXX_FILES) | $(CLANG_FORMAT) --dry-run --Werror

types: .venv/dev
	$(BIN)/mypy

format: .venv/dev
	$(BIN)/ruff format
	$(CXX_FILES) | $(CLANG_FORMAT) -i

unit: .venv/dev
	$(PYTEST)

# The property tests with examples that no run had before.
explore: .venv/dev
	$(PYTEST) --hypothesis-profile=random $$(grep -rlE '^(from|import) hypothesis' tests --include='test_*.py')

bench: .venv/bench
	$(BIN)/python -m tests.benchmarks

# The site in build/site; a broken link is an error.
docs: .venv/docs
	$(BIN)/python -m scripts.site
	$(BIN)/python -m mkdocs build --strict --quiet

# The sdist and the wheel, in an environment that has nothing else.
release-check: .venv/release
	PYTHON=$(CURDIR)/$(BIN)/python scripts/check_release.sh

# The same on Debian 12, Debian 13 and sid, in folders that debootstrap makes.
matrix:
	@scripts/matrix.sh

.venv/demo: pyproject.toml
	@scripts/make_environment.sh llm
	@touch $@

.venv/dev .venv/bench .venv/docs .venv/release: .venv/%: pyproject.toml
	@scripts/make_environment.sh $*
	@touch $@

clean:
	rm -rf .venv build dist
