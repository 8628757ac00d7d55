package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	t := tests{program: program, dir: p.Dir, skip: o.skip}
	if t.byMutant, err = t.trace(ctx, filepath.Join(dir, "trace")); err != nil {
		return s, err
	}
	s.mutants = len(mutants)
	var run, not []mutant
	for _, m := range mutants {
		if len(t.byMutant[m.id]) > 0 {
			run = append(run, m)
		} else {
			not = append(not, m)
		}
	}
	s.notCovered = len(not)
	lived, err := t.runAll(ctx, o.workers, run)
	s.lived, s.killed = len(lived), len(run)-len(lived)
	printMutants(out, "lives", name, lived)
	if o.uncovered {
		printMutants(out, "not covered", name, not)
	}
	return s, err
}

// tests is the test program of a package with all its mutants.
type tests struct {
	program, dir, skip string
	byMutant           map[int]selection
}

// A selection is the tests that evaluate a mutant, the fastest first. If there are none, the mutant is not covered.
type selection []timed

// A timed test took so long without a mutant.
type timed struct {
	name string
	took time.Duration
}

// split returns the fast tests, which together take a quarter of the time, and the others. Most mutants fail a fast one.
func (s selection) split() (fast, others selection) {
	var all, sum time.Duration
	for _, test := range s {
		all += test.took
	}
	for i, test := range s {
		if sum += test.took; sum > all/4 && i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, nil
}

// trace runs each test without a mutant and returns which of them evaluate which mutants.
func (t tests) trace(ctx context.Context, file string) (map[int]selection, error) {
	list, err := t.run(ctx, "-test.list=.")
	if err != nil {
		return nil, err
	}
	skip, err := regexp.Compile(t.skip)
	if err != nil {
		return nil, fmt.Errorf("-skip: %w", err)
	}
	byMutant := map[int]selection{}
	for _, name := range strings.Fields(string(list)) {
		if strings.HasPrefix(name, "Benchmark") || t.skip != "" && skip.MatchString(name) {
			continue
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return nil, err
		}
		begin := time.Now()
		if out, err := t.run(ctx, "-test.run=^"+name+"$", "MUTANT_TRACE="+file); err != nil {
			return nil, fmt.Errorf("tests of %s fail without any mutation: %w\n%s", name, err, out)
		}
		took := time.Since(begin)
		evaluated, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Fields(string(evaluated)) {
			id, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("trace of %s: %w", name, err)
			}
			byMutant[id] = append(byMutant[id], timed{name, took})
		}
	}
	for _, s := range byMutant {
		slices.SortStableFunc(s, func(a, b timed) int { return cmp.Compare(a.took, b.took) })
	}
	return byMutant, nil
}

// run runs the tests that an argument selects, with more variables of the environment.
func (t tests) run(ctx context.Context, selected string, env ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", "ulimit -v "+strconv.Itoa(memory)+`; exec "$0" "$@"`,
		t.program, "-test.short", "-test.failfast", "-test.paniconexit0", "-test.skip="+t.skip, selected)
	cmd.Dir = t.dir
	cmd.Env = append(append(os.Environ(), "RAPID_NOFAILFILE=1"), env...) // Or each failure would be kept in testdata.
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
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
	fast, others := t.byMutant[id].split()
	killed, err := t.kills(ctx, fast, id)
	if err != nil || killed || len(others) == 0 {
		return killed, err
	}
	return t.kills(ctx, others, id)
}

// kills reports whether one of the tests fails on a mutant. A mutant with which they take much longer fails them.
func (t tests) kills(ctx context.Context, s selection, id int) (bool, error) {
	var names []string
	limit := 2 * time.Second
	for _, test := range s {
		names = append(names, test.name)
		limit += 10 * test.took
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := t.run(ctx, "-test.run=^("+strings.Join(names, "|")+")$", "MUTANT="+strconv.Itoa(id))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay), errors.Is(ctx.Err(), context.DeadlineExceeded):
		return true, nil
	}
	return false, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
}
