package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory bounds the address space of a test program in KiB: a mutant can allocate without end.
const memory = 6 << 20

// test runs the tests of a package on each of its mutants, and prints those that live.
func test(ctx context.Context, out io.Writer, o options, p pkg) (score, error) {
	wd, err := os.Getwd()
	if err != nil {
		return score{}, err
	}
	name, err := filepath.Rel(wd, p.Dir)
	if err != nil {
		return score{}, err
	}
	s := score{name: name}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return s, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // of the temporary folder; what is left does no harm
	var only *regexp.Regexp
	if o.only != "" {
		if only, err = regexp.Compile(o.only); err != nil {
			return s, fmt.Errorf("-only: %w", err)
		}
	}
	mutants, overlay, err := p.mutate(dir, only)
	if err != nil || len(mutants) == 0 {
		return s, err
	}
	program := filepath.Join(dir, "mutated.test")
	if _, err := output(exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, p.ImportPath)); err != nil {
		return s, err
	}
	blocks, err := p.covered(ctx, dir, o.skip)
	if err != nil {
		return s, err
	}
	t := tests{program: program, dir: p.Dir, skip: o.skip, limit: 5 * time.Minute}
	begin := time.Now()
	if killed, err := t.notice(ctx, 0); err != nil {
		return s, err
	} else if killed {
		return s, errors.New("the tests fail without a mutant; run go test -short first")
	}
	t.limit = 10*time.Since(begin) + 2*time.Second
	s.mutants = len(mutants)
	var run []mutant
	for _, m := range mutants {
		if covers(blocks[m.file], m) {
			run = append(run, m)
		}
	}
	s.notCovered = len(mutants) - len(run)
	lived, err := t.runAll(ctx, o.workers, run)
	s.lived, s.killed = len(lived), len(run)-len(lived)
	printLived(out, name, lived)
	return s, err
}

// tests is the test program of a package with all its mutants.
type tests struct {
	program, dir, skip string
	limit              time.Duration // how long the tests may take; a mutant that takes longer is noticed
}

// runAll runs the tests on each mutant and returns those that live.
func (t tests) runAll(ctx context.Context, workers int, mutants []mutant) (lived []mutant, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	queue := make(chan mutant)
	for range max(workers, 1) {
		wg.Go(func() {
			for m := range queue {
				killed, failed := t.notice(ctx, m.id)
				mu.Lock()
				switch {
				case failed != nil:
					err = failed
				case !killed:
					lived = append(lived, m)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		queue <- m
	}
	close(queue)
	wg.Wait()
	return lived, errors.Join(err, ctx.Err())
}

// notice reports whether a test fails on a mutant.
func (t tests) notice(ctx context.Context, id int) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	args := []string{"-test.short", "-test.failfast", "-test.paniconexit0", "-test.skip=" + t.skip}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -v " + strconv.Itoa(memory) + `; exec "$0" "$@"`, t.program}, args...)...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(id), "RAPID_NOFAILFILE=1") // Or each failure would be kept in testdata.
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return true, nil
	}
	return false, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
}
