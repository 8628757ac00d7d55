# What a contributor types. `make check` is exactly what CI runs.

FUZZTIME ?= 10s

.PHONY: check test lint fmt gen golden fuzz bench pictures build

check: ## every step of CI, see .ci/run
	.ci/run

test: ## the tests alone
	go test ./...

lint: ## the linters, the package graph included
	.ci/run vet lint

fmt: ## format all Go files (gofumpt and goimports, through golangci-lint)
	.ci/run reformat

gen: ## write the generated files anew
	go generate ./...

golden: ## record screens and command outputs anew; read the diff before you commit it
	go test $$(grep -rlE --include='*.go' 'x/exp/golden|internal/testing/tuitest"|Bool\("update"' . | xargs -n 1 dirname | sort -u) -update

fuzz: ## every fuzz target for FUZZTIME
	@for target in $$(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/func //'); do \
		go test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$(dirname "$${target%%:*}")" || exit 1; \
	done

bench: build ## all benchmarks, a million rows included, with their ratios to the last run; then keys and starts through a terminal (Linux)
	go run ./internal/tools/latency -rows 100,100000 bin/ddbdesk
	go test -run '^$$' -bench . -benchmem -timeout 30m ./... | go run ./internal/tools/benchlast

pictures: build ## the pictures and films of the documentation, from docs/pictures/*.txt (Linux)
	go run ./internal/tools/pictures -out docs/pictures docs/pictures/scenes.txt
	go run ./internal/tools/pictures -out docs/pictures docs/pictures/films.txt

build: ## bin/ddbdesk, static and without symbols
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/ ./cmd/ddbdesk
