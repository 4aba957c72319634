# SPDX-License-Identifier: Apache-2.0
# `make` lists the targets. PYTHON=python3.12 picks the interpreter, VENV=dir the environment.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# pip compiles nothing ahead (a minute for the base alone): what is imported is compiled once, then and there.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile --quiet
# A stamp is newer than the requirement lists that it installed.
LISTS := setup.py pyproject.toml
ROS := requirements/ros-jazzy.txt
CHECKS := "ruff check ." "ruff format --check ." mypy "lint-imports --no-cache --no-logo" codespell \
    "python tools/check_symlinks.py" "python tools/check_spdx.py"

.PHONY: help setup demo test lint format bench docs clean

help:
	@echo "make setup   everything to run robo_orch in $(VENV): the base and the TAMP planner (1-3 min once, 1.8 GB)"
	@echo "make demo    installs the base alone, then reaches one goal headless (1-3 min once, then under 3 min)"
	@echo "make test    adds pytest, ROS 2 wheels, colcon, torch; then runs all tests (2-4 min once, 3.1 GB; then under 10 min)"
	@echo "make lint    ruff, mypy, import-linter, codespell, links, licence lines (1 min; once 1-3 min to install)"
	@echo "make format  sorts imports and formats (seconds)"
	@echo "make bench   the first goal on seeds 0-19: success and real-time factor (2-5 min)"
	@echo "make docs    writes docs/cli.md from the commands, checks links in Markdown (10 s)"
	@echo "make clean   removes $(VENV) and what builds left"

$(BIN)/python:
	@tools/make_venv.sh "$(PYTHON)" "$(VENV)"

$(VENV)/base.stamp: $(LISTS) | $(BIN)/python
	@echo "installing the base in $(VENV): about 1 minute with a warm cache, 3 without"
	@$(PIP) --editable .
	@touch $@

$(VENV)/tamp.stamp: $(LISTS) | $(VENV)/base.stamp
	@echo "installing the TAMP planner: seconds"
	@$(PIP) --editable .[tamp]
	@touch $@

$(VENV)/test.stamp: $(LISTS) $(ROS) | $(BIN)/python
	@echo "installing base, pytest, ROS 2 wheels, colcon and torch in $(VENV): about 2 minutes with a warm cache, 4 without"
	@$(PIP) --editable .[tamp,train,colcon,test] --requirement $(ROS)
	@touch $(VENV)/base.stamp $(VENV)/tamp.stamp $@

$(VENV)/lint.stamp: $(LISTS) | $(VENV)/base.stamp
	@echo "installing the linters: 10 s with a warm cache, 30 without"
	@$(PIP) --editable .[lint]
	@touch $@

setup: $(VENV)/base.stamp $(VENV)/tamp.stamp
	@echo "ready: $(BIN)/robo-orch --help"

demo: $(VENV)/base.stamp
	@echo "demo: reaches one goal in simulation, headless; under 3 minutes"
	@$(BIN)/robo-orch demo

test: $(VENV)/test.stamp
	@echo "test: all tests but the slow and those that need a GPU, on every core; under 10 minutes on two"
	@$(BIN)/pytest -m "not gpu and not slow" --numprocesses auto --dist loadfile

lint: $(VENV)/lint.stamp
	@echo "lint: style, types, layers, spelling, links, licence lines; about 1 minute"
	@failed=(); for check in $(CHECKS); do \
	    echo "- $$check"; $(BIN)/$$check || failed+=("$$check"); \
	done; \
	if (($${#failed[@]})); then printf 'failed: %s\n' "$${failed[@]}" >&2; exit 1; fi; echo "lint: all well"

format: $(VENV)/lint.stamp
	@echo "format: sorts imports and formats; seconds"
	@$(BIN)/ruff check --select I --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/base.stamp
	@echo "bench: the first goal on seeds 0-19; 2-5 minutes"
	@$(BIN)/python tools/bench_first_goal.py

docs: $(VENV)/base.stamp
	@echo "docs: writes docs/cli.md and checks links; 10 s"
	@$(BIN)/typer robo_orch.cli.app utils docs --name robo-orch --output docs/cli.md
	@$(BIN)/python tools/check_links.py

clean:
	@echo "clean: removes $(VENV) and what builds left; seconds"
	@rm -rf "$(VENV)" build dist install log *.egg-info .*_cache
