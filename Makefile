# Targets for contributors. CI runs the same steps as `make check`.

FUZZTIME ?= 10s

.PHONY: check test lint fmt gen golden fuzz bench pictures build

check: ## run every step of CI; see .ci/run
	.ci/run

test: ## run the tests
	go test ./...

lint: ## run the linters, which also check the imports between packages
	.ci/run vet lint

fmt: ## format all Go files with gofumpt and goimports
	.ci/run reformat

gen: ## update the generated files
	go generate ./...

golden: ## update the golden files; read the diff before you commit it
	go test $$(grep -rlE --include='*.go' 'x/exp/golden|internal/testing/tuitest"|Bool\("update"' . | xargs -n 1 dirname | sort -u) -update

fuzz: ## run each fuzz target for FUZZTIME
	@for target in $$(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sed 's/func //'); do \
		go test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s "$$(dirname "$${target%%:*}")" || exit 1; \
	done

bench: build ## measure keys and starts on a terminal (Linux), and run all benchmarks
	go run ./internal/tools/latency -rows 100,100000 bin/ddbdesk
	go test -run '^$$' -bench . -benchmem -timeout 30m ./... | go run ./internal/tools/benchlast

pictures: build ## record the pictures and films of docs/pictures/*.txt (Linux)
	go run ./internal/tools/pictures -out docs/pictures docs/pictures/scenes.txt
	go run ./internal/tools/pictures -out docs/pictures docs/pictures/films.txt

build: ## build bin/ddbdesk, static and without symbols
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/ ./cmd/ddbdesk
