# The commands of this repository. POSIX make; needs only Go, git and a shell.
# A C compiler is used for the race detector where there is one.

# Every recipe starts with $(E): it makes go work where HOME is not set.
E = set -eu; . ./tools/env.sh;
FUZZTIME = 30s
E2E = ./e2e
E2E_TIMEOUT = 30m
# Scenarios mostly wait for controllers: more of them than there are cores.
E2E_PARALLEL = 5

.PHONY: help build lab demo test unit race lab-unit e2e differential bench fuzz lint verify update tidy-check snapshot clean

help: ## show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z0-9-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

build: ## build bin/standup
	@$(E) ./tools/build.sh bin/standup

lab: ## build the lab: etcd, kube-apiserver, Flux (10 minutes once, then cached)
	@$(E) cd lab; go run ./cmd/lab build

demo: build lab ## bring up a cold cluster on the lab and watch standup resume it
	@$(E) cd lab; go run ./cmd/lab demo --standup ../bin/standup

test: unit lab-unit e2e ## run everything: unit, contract, end to end on the lab

unit: ## run the tests that need no cluster (under a minute once built)
	@$(E) go test ./...

race: ## run what is concurrent with the race detector, where there is a C compiler
	@$(E) go test $$(./tools/race.sh) ./bootstrap/... ./internal/kube/... ./internal/ui/... ./waiters
	@$(E) go test $$(./tools/race.sh) -run DoNotDisturb ./internal/manifests

lab-unit: lab ## run the lab's own tests
	@$(E) cd lab; go test -count=1 -p 1 -parallel $(E2E_PARALLEL) -timeout $(E2E_TIMEOUT) $$(go list ./... | grep -v '/lab/e2e')

e2e: build lab ## run the built binary against real Flux controllers on the lab
	@$(E) STANDUP_BIN=$$PWD/bin/standup; export STANDUP_BIN; cd lab; \
	go test -v -count=1 -p 1 -parallel $(E2E_PARALLEL) -timeout $(E2E_TIMEOUT) $(E2E)

differential: build lab ## hold the model of rehearse against real controllers: the cases and 100 random trees
	@$(E) STANDUP_BIN=$$PWD/bin/standup; export STANDUP_BIN; cd lab; \
	go test -v -count=1 -timeout $(E2E_TIMEOUT) ./e2e/differential

bench: build lab ## measure standup beside Flux alone; writes docs/benchmarks.md
	@$(E) go build -tags tools -o bin/barebuild ./internal/manifests/barebuild; cd lab; go run ./cmd/bench

fuzz: ## run each fuzz test for FUZZTIME (30s)
	@$(E) ./tools/fuzz.sh $(FUZZTIME)

lint: bin/golangci-lint ## run the linters
	@$(E) ./tools/lint.sh

verify: lint tidy-check ## check what CI checks besides the tests
	@$(E) go test -count=1 ./test/...
	@$(E) ./tools/generate.sh check
	@echo "verify: ok"

update: bin/golangci-lint bin/controller-gen ## do what makes verify green: tidy, format, generate
	@$(E) ./tools/tidy.sh write
	@$(E) ./tools/flux-definitions.sh
	@$(E) ./tools/lint.sh fmt
	@$(E) ./tools/generate.sh write

tidy-check: ## check that go.mod and go.sum say what the code imports
	@$(E) ./tools/tidy.sh check

snapshot: bin/goreleaser ## check the release configuration and build for this machine
	@$(E) bin/goreleaser check; bin/goreleaser build --snapshot --clean --single-target

clean: ## remove what these commands built (the lab's programs stay in their cache)
	@rm -rf bin dist coverage.out
	@if [ -d .cache ]; then chmod -R u+w .cache; rm -rf .cache; fi

# Tools are pinned in modules of their own, so that their dependencies stay out
# of the product's go.mod.
bin/golangci-lint: tools/golangci-lint/go.mod tools/golangci-lint/go.sum
	@$(E) ./tools/tool.sh golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/controller-gen: tools/controller-gen/go.mod tools/controller-gen/go.sum
	@$(E) ./tools/tool.sh controller-gen sigs.k8s.io/controller-tools/cmd/controller-gen

bin/goreleaser: tools/goreleaser/go.mod tools/goreleaser/go.sum
	@$(E) ./tools/tool.sh goreleaser github.com/goreleaser/goreleaser/v2
