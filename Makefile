# make test     linters, types, unit tests, documentation, functional tests
# make demo     boot a guest through stock Nova; KEEP=1 leaves it running
# make bench    measure a spawn; see doc/source/contributing.rst
# make docs     build the documentation
# make trace    which requirements does no test prove?
# make stack    a whole OpenStack on this machine, with this driver; again, it
#               repairs what is down.  DRIVER=libvirt.LibvirtDriver: with Nova's
# make stack-status, make stack-down    what runs; stop it
# make tempest, make tempest-smoke    tempest on the stack; the latter takes a
#               quarter of an hour.  TESTS=regex: those of it
#
# Each installs what it needs: Debian packages by tools/setup/debian.sh, Python
# packages into .venv and .tox.  What starts guests runs as root, by sudo
# where another user calls.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo --preserve-env=DRIVER,KEEP,STACK,STORE,VIRT_TYPE)

.PHONY: test demo bench docs trace guest-image system clean
.PHONY: stack stack-down stack-status tempest tempest-smoke

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

stack stack-down stack-status: stack%:
	@$(AS_ROOT) $(PYTHON) -m tools.stack $(or $(*:-%=%),up)

tempest:
	@$(AS_ROOT) $(PYTHON) -m tools.stack tempest '$(or $(TESTS),all)' $(RECORD)

tempest-smoke:
	@$(AS_ROOT) $(PYTHON) -m tools.stack tempest smoke $(RECORD)

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
