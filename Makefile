# What everybody runs, and what CI runs: `make` alone shows it.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GO ?= go
TOOL := $(GO) tool -modfile=$(CURDIR)/tools/go.mod

PKG ?= ./...
RUN ?=
BENCH ?= .
COUNT ?= 1
WAYS ?=
REV ?= HEAD
ROUNDS ?= 5
WRITE ?=
BENCHTIME ?= 200ms
FUZZTIME ?= 10s
EXPLORE ?= 20000
SEED ?=
STORE ?= sqlite
RUNS ?= 200
JOBS ?=
COLD ?=
SINCE ?=
SHOW ?=

# Where tests are: without PKG also in the module channels.
MODULES = . $(if $(filter file,$(origin PKG)),channels)

##@ Every day

.PHONY: help
help: ## Show this
	@if [ -t 1 ] && [ -z "$${NO_COLOR:-}" ]; then b=$$'\033[1m' c=$$'\033[36m' o=$$'\033[0m'; else b= c= o=; fi; \
	awk -v b="$$b" -v c="$$c" -v o="$$o" 'BEGIN { FS = ":.*## "; print "Fermata: make TARGET [NAME=value …]" } \
		/^##@ / { printf "\n%s%s%s\n", b, substr($$0, 5), o } \
		/^[a-z-]+:.*## / { printf "  %s%-14s%s %s\n", c, $$1, o, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the command, bin/fermata
	$(GO) build -trimpath -ldflags '-s -w' -o bin/ ./cmd/fermata

.PHONY: test
test: ## Run the tests (PKG=./node RUN=TestJ5)
	$(GO) test $(if $(RUN),-run '$(RUN)') $(PKG)

.PHONY: fmt
fmt: ## Format the code in place
	$(TOOL) gofumpt -w .

.PHONY: generate
generate: ## Run the go:generate lines
	$(GO) generate ./...

.PHONY: console-build
console-build: ## Build the console from console/web into console/dist, with the packages of npm
	cd console/web && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && npm run --silent check
	cd tools && $(GO) run ./console

.PHONY: console-units
console-units: ## Test the parts of the console that know no page, in Node alone, where node is there
	@command -v node >/dev/null || { echo "console-units: not tested, for node is not installed"; exit 0; }; \
	units="$$(mktemp -d)"; trap 'rm -rf "$$units"' EXIT; (cd tools && $(GO) run ./console -units "$$units"); \
	cd console/web && UNITS="$$units" node --test --test-reporter=dot test/*.test.js

.PHONY: console
console: build console-units ## Test the console: its parts in Node, and the real binary in headless Chromium, where npm is there
	@command -v npm >/dev/null || { echo "console: not tested, for npm is not installed"; exit 0; }; set -x; \
	cd console/web && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && npm run --silent check; \
	cd ../e2e && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && node --test *.test.js

.PHONY: console-screenshots
console-screenshots: build ## Take pictures of each page of the console into bin/screenshots (ONLY=inbox,runs WIDTHS=320 SCHEMES=dark)
	cd console/e2e && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && node screenshots.js ../../bin/screenshots

.PHONY: console-pictures
console-pictures: build ## Take the pictures of docs/console, at three widths
	cd console/e2e && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && SCHEMES=light TALLEST=1800 \
		ONLY=inbox,runs,run-held,definition,conversation,schedules,health,compare node screenshots.js ../../docs/console

##@ Before a change goes in

.PHONY: check
check: vet lint tidy peers channels house readme format console-same console-units budget ## Vet, lint, tidy, peers, channels, house rules, README, format, console, weight: what CI checks

.PHONY: vet
vet: ## go vet
	$(GO) vet ./...

.PHONY: lint
lint: ## golangci-lint, at the version that tools/go.mod pins, here and in the module channels
	$(TOOL) golangci-lint run --allow-parallel-runners ./...
	cd channels && $(TOOL) golangci-lint run --allow-parallel-runners ./...

.PHONY: tidy
tidy: ## Is go.mod as `go mod tidy` leaves it?
	$(GO) mod tidy -diff

.PHONY: peers
peers: ## Does bench/peers, a module of its own, tidy and vet?
	cd bench/peers && $(GO) mod tidy -diff && $(GO) vet ./...

.PHONY: channels
channels: ## Does the module channels tidy and vet, and do its tests pass?
	cd channels && $(GO) mod tidy -diff && $(GO) vet ./... && $(GO) test ./...

.PHONY: house
house: ## Who may import whom, sizes, laws and tests: internal/house
	$(GO) test -count=1 -skip '^TestTheReadmeRuns$$' ./internal/house/...

.PHONY: readme
readme: ## Type the README's commands in a copy of the tree, compiled there as a newcomer's clone is
	FERMATA_EXPLORE=1 $(GO) test -count=1 -run '^TestTheReadmeRuns$$' ./internal/house

.PHONY: format
format: ## Is the code formatted (gofumpt)?
	@diff="$$($(TOOL) gofumpt -d .)" && [ -z "$$diff" ] || { echo "$$diff"; echo "not formatted: run make fmt" >&2; exit 1; }

.PHONY: console-same
console-same: ## Is console/dist what console/web makes? Needs the packages of npm there, else it says so
	cd tools && $(GO) run ./console -check

.PHONY: budget
budget: ## Is the command within its budget: size, linked packages and modules?
	$(GO) run ./internal/weight

.PHONY: corpora
corpora: ## Measure how dialogues understand people, on public test data in FERMATA_CORPORA (SHOW=wrong or all: the misses)
	FERMATA_CORPORA_SHOW='$(SHOW)' $(GO) test -count=1 -v ./dialogue/internal/corpora

.PHONY: race
race: ## Run the tests with the race detector
	for module in $(MODULES); do (cd $$module && $(GO) test -race $(if $(RUN),-run '$(RUN)') $(PKG)); done

##@ Now and then

.PHONY: bench
bench: ## Run the benchmarks (PKG=./bench BENCH=Loop COUNT=5)
	$(GO) test -run '^$$' -bench '$(value BENCH)' -benchmem -count $(COUNT) $(PKG)

.PHONY: bench-table
bench-table: ## The same as tables of ratios to the floors and of allocations (BENCH=React WAYS=default)
	FERMATA_WAYS='$(value WAYS)' $(GO) test -run '^$$' -bench '$(value BENCH)' -timeout 1h \
		-benchtime $(if $(filter file,$(origin BENCHTIME)),1s,$(BENCHTIME)) ./bench | $(GO) run ./bench/table

.PHONY: bench-against
bench-against: ## Compare with another revision, alternately (REV=main~3 BENCH=React WAYS=stored ROUNDS=5 PKG=./bench)
	FERMATA_WAYS='$(value WAYS)' $(GO) run ./bench/against -rev '$(REV)' -bench '$(value BENCH)' -rounds $(ROUNDS) -benchtime $(BENCHTIME) \
		-pkg $(if $(filter file,$(origin PKG)),./bench,$(PKG))

.PHONY: bench-stores
bench-stores: ## Measure durable steps a second per store, at 1, 8 and 64 runs, beside its driver (COUNT=3)
	$(GO) test -run '^$$' -bench '^BenchmarkStores$$' -benchtime 9x -count $(COUNT) -timeout 1h ./bench

.PHONY: bench-peers
bench-peers: ## Measure other engines beside this one, in a module of their own (BENCH=Loop WRITE=yes: into docs)
	@cd bench/peers/langgraphjs && { [ -d node_modules ] || { command -v npm >/dev/null && npm ci --no-audit --no-fund >&2; } || \
		echo "langgraph.js is left out: npm is not installed, or could not install its packages" >&2; }
	cd bench/peers && FERMATA_WAYS='$(value WAYS)' $(GO) test -count=1 -bench '$(value BENCH)' -timeout 1h \
		-benchtime $(if $(filter file,$(origin BENCHTIME)),1s,$(BENCHTIME)) . | (cd ../.. && $(GO) run ./bench/table $(if $(WRITE),-page docs/explanation/peers.md))

.PHONY: weight
weight: ## Measure a clean build of the command beside its budget, and the heaviest modules; minutes (COLD=no skips it)
	$(GO) run ./internal/weight $(if $(filter no,$(COLD)),-table,-cold)

.PHONY: lines
lines: ## Count lines of code by room, without tests (SINCE=HEAD~10 shows that revision beside them)
	@$(GO) run ./internal/lines $(if $(SINCE),-since '$(SINCE)')

.PHONY: fuzz
fuzz: ## Run every fuzz target for a while (FUZZTIME=10s PKG=./...)
	@for module in $(MODULES); do \
		cd "$(CURDIR)/$$module"; \
		list="$$($(GO) test -list '^Fuzz' $(PKG) | awk '/^Fuzz/ { name[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, name[i]; n = 0 }')"; \
		[ -n "$$list" ] || { echo "no fuzz target in $(PKG)" >&2; exit 1; }; \
		while read -r package target; do \
			echo "== $$target in $$package"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$package" </dev/null; \
		done <<<"$$list"; \
	done

.PHONY: explore
explore: ## Run the exploring tests at full length: crashes, schedules, random graphs (RUN=Crash EXPLORE=20000 SEED=1)
	FERMATA_EXPLORE=$(EXPLORE) $(if $(SEED),FERMATA_SEED=$(SEED)) $(GO) test -count=1 -timeout 2h $(if $(RUN),-run '$(RUN)') $(PKG)

.PHONY: explore-stores
explore-stores: ## Crash the gallery at every append, and kill the processes that run it, on every kind of store (SEED=1)
	FERMATA_EXPLORE=1 $(if $(SEED),FERMATA_SEED=$(SEED)) $(GO) test -count=1 -p 1 -v -timeout 4h -run 'SurviveCrashesOnStores|Killed' \
		./examples/recipes ./cmd/fermata | grep -v '^=== '

.PHONY: mutants
mutants: ## Break the engine in many places, one at a time: does a test notice each? (RUN=J3 JOBS=2)
	$(GO) run ./internal/mutants $(if $(RUN),-run '$(RUN)') $(if $(JOBS),-j $(JOBS))

.PHONY: flaky
flaky: ## Run all tests 20 times under load, half of them with -race: failures, slowest (RUNS=4 PKG=./node RUN=TestJ5)
	$(GO) build -o bin/flaky ./internal/flaky
	status=0; for module in $(MODULES); do \
		(cd $$module && "$(CURDIR)/bin/flaky" -slow 10 -runs $(if $(filter file,$(origin RUNS)),20,$(RUNS)) $(if $(RUN),-run '$(RUN)') $(PKG)) || status=1; \
	done; exit $$status

.PHONY: slow
slow: ## Run all tests once and list the ten slowest packages and tests (PKG=./node)
	$(GO) run ./internal/flaky -runs 1 -load 1 -slow 10 $(if $(RUN),-run '$(RUN)') $(PKG)

.PHONY: chaos
chaos: ## Kill and freeze workers, restart the database, cut the network, and count (STORE=postgres RUNS=1000 SEED=1)
	@$(GO) build -o bin/chaos ./internal/chaos && bin/chaos -store $(STORE) -runs $(RUNS) $(if $(SEED),-seed $(SEED))

.PHONY: nightly
nightly: ## What CI runs each night: weight, console, mutants, explore, explore-stores, fuzz, chaos
	.ci/nightly
