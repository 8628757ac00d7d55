// Command mutate measures what the tests of a package notice: it changes one condition or calculation of the package
// at a time, and runs the tests on each change, a mutant. A mutant that no test notices lives: a test is missing, or
// the change makes no difference.
//
//	go run ./internal/tools/mutate ./models ./accesspatterns
//
// All mutants of a package are compiled into one test program, and a variable of the environment turns on one of them.
// So a mutant costs the time of the tests that evaluate it, without compiling and linking.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
)

func main() {
	var o options
	flag.StringVar(&o.skip, "skip", "", "skip the tests that match `REGEXP`, because they take too long for each mutant")
	flag.StringVar(&o.only, "only", "", "only the mutants of files that match `REGEXP`")
	flag.BoolVar(&o.uncovered, "uncovered", false, "also print the mutants that no test evaluates")
	flag.IntVar(&o.workers, "workers", 2, "run the tests of `N` mutants at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options select what is tested.
type options struct {
	skip, only string
	uncovered  bool
	workers    int
}

// run mutates the packages that match the patterns, and prints what lives and a table of scores.
func run(ctx context.Context, out io.Writer, o options, patterns []string) error {
	packages, err := load(ctx, patterns)
	if err != nil {
		return err
	}
	var scores []score
	for _, p := range packages {
		s, err := test(ctx, out, o, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.ImportPath, err)
		}
		if s.mutants > 0 {
			scores = append(scores, s)
		}
	}
	return printScores(out, scores)
}

// A score counts the mutants of a package by their fate.
type score struct {
	name                   string
	mutants, killed, lived int
	notCovered             int
}

// printScores prints a line a package, in Markdown. Efficacy is killed / (killed + lived).
func printScores(out io.Writer, scores []score) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "\n| Package\t| Killed\t| Lived\t| Not covered\t| Efficacy\t| Covered\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, s := range scores {
		ran := s.killed + s.lived
		fmt.Fprintf(w, "| `%s`\t| %d\t| %d\t| %d\t| %s\t| %s\t|\n", s.name, s.killed, s.lived, s.notCovered, percent(s.killed, ran), percent(ran, s.mutants))
	}
	return w.Flush()
}

func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// printMutants prints mutants with the same fate, by their place.
func printMutants(out io.Writer, fate, dir string, mutants []mutant) {
	slices.SortFunc(mutants, mutant.compare)
	for _, m := range mutants {
		fmt.Fprintf(out, "%s: %s/%s:%d:%d %s: %s\n", fate, dir, m.file, m.line, m.column, m.function, m.what)
	}
}
