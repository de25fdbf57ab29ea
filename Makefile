# make test     linters, types, unit tests, documentation, functional tests
# make demo     boot a guest through stock Nova; KEEP=1 leaves it running
# make bench    measure a spawn; see doc/source/contributing.rst
# make docs     build the documentation
# make trace    which requirements does no test prove?
#
# Each installs what it needs: Debian packages by tools/setup/debian.sh, Python
# packages into .venv and .tox.  What starts guests runs as root, by sudo
# where another user calls.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo --preserve-env=DRIVER,KEEP)

.PHONY: test demo bench docs trace guest-image system clean

test: $(BIN)/tox guest-image
	@echo "== linters and types"
	@$(BIN)/tox -q -e pep8
	@echo "== unit tests"
	@tools/setup/devstack.sh
	@$(BIN)/tox -q -e py3
	@echo "== documentation"
	@$(BIN)/tox -q -e docs
	@echo "== functional tests, some minutes"
	@$(AS_ROOT) $(BIN)/tox -q -e functional

demo: $(VENV)/installed guest-image
	@$(AS_ROOT) $(BIN)/python -m tools.demo

bench: $(VENV)/installed guest-image
	@$(AS_ROOT) $(BIN)/python -m tests.benchmarks

docs: $(BIN)/tox system
	@$(BIN)/tox -q -e docs

trace:
	@$(PYTHON) -m tools.trace

guest-image: system
	@$(PYTHON) -m tools.guest_image.build

system:
	@tools/setup/debian.sh

$(BIN)/tox: | system
	@echo "== making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check 'tox>=4.11'

$(VENV)/installed: setup.cfg requirements.txt test-requirements.txt | $(BIN)/tox
	@echo "== installing Nova and the driver into $(VENV), some minutes"
	@$(BIN)/pip install -q --disable-pip-version-check \
	    -e . -r test-requirements.txt
	@touch $@

clean:
	@$(AS_ROOT) rm -rf $(VENV) .tox .stestr build
