# `make` or `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run setup build release man docs install package check test soak lint format bench

# What `make run` starts the broker with, such as ARGS='--tcp 127.0.0.1:7000', and what `make bench` compares with, such as
# ARGS='--compare DIRECTORY'. For `make check` they are options of `swift test`, such as ARGS='--filter RoomStoreTests'.
ARGS ?=
# Where `make install` puts its files; DESTDIR goes before all of it.
PREFIX ?= /usr/local
DESTDIR ?=

help: ## list these targets
	@echo "Roomline: a room broker. From a fresh clone: make run"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: release ## build the broker and start it on 127.0.0.1:10000
	@echo "run: starting the broker; Ctrl-C stops it"
	@exec .build/release/roomline serve $(ARGS)

setup: ## install what the build and the tests need
	@echo "setup: looking for what the build and the tests need"
	@scripts/setup test

build: ## build for debugging; the first time takes about six minutes on two cores
	@scripts/setup build
	@test -d .build/debug || echo "build: the first build takes some minutes (about six on two cores)"
	@echo "build: swift build"
	@. scripts/traits && swift build --traits "$$traits"

release: ## build the broker, optimised
	@scripts/setup build
	@test -d .build/release || echo "release: the first build takes some minutes; later ones take seconds"
	@echo "release: swift build -c release"
	@swift build -c release --product roomline

man: ## write the manual page to .build/man/man1/roomline.1
	@mkdir -p .build/man/man1
	@test -x .build/release/roomline || test -x .build/debug/roomline || $(MAKE) build
	@$$(ls -t .build/release/roomline .build/debug/roomline 2>/dev/null | head -1) manual > .build/man/man1/roomline.1
	@echo "man: man -l .build/man/man1/roomline.1 shows it"

docs: ## build the documentation of the Swift libraries, with the tutorial, into .build/docs
	@scripts/setup build
	@scripts/docs

install: ## install the release build below PREFIX (default /usr/local)
	@test -x .build/release/roomline || $(MAKE) release
	@DESTDIR='$(DESTDIR)' scripts/install .build/release/roomline '$(PREFIX)'

package: ## make a Debian package and a tarball that need no Swift; the first time takes over ten minutes
	@scripts/setup package
	@scripts/package

check: ## run what needs no broker process, in less than three minutes, and name the slowest tests
	@scripts/setup test
	@scripts/check $(ARGS)

test: ## run all tests: Swift's, the schemas, the broker from outside
	@scripts/setup test
	@scripts/test

# How long `make soak` takes beside its builds.
MINUTES ?= 60

soak: ## run long simulations, chaos and fuzzing, and all under the ThreadSanitizer; MINUTES=60
	@scripts/setup test
	@scripts/soak $(MINUTES)

lint: ## check format, imports and house rules
	@scripts/setup test
	@scripts/lint

format: ## format the Swift files in place
	@echo "format: swift format"
	@swift format format --in-place --parallel --recursive Sources Tests Snippets Benchmarks/Sources Package.swift

bench: release ## measure the broker on this machine, in about two minutes
	@echo "bench: Benchmarks/run"
	@Benchmarks/run .build/release/roomline $(ARGS)
