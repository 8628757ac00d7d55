package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPackagesAreWithinTheirBudgets(t *testing.T) {
	text, err := os.ReadFile("../../../docs/size.md")
	if err != nil {
		t.Fatal(err)
	}
	count, err := lines("../../..")
	if err != nil {
		t.Fatal(err)
	}
	over, err := exceeded(count, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range over {
		t.Errorf("%s; make it smaller, or change docs/size.md in a commit that says why", line)
	}
}

func TestExceededBudgetsAreNamed(t *testing.T) {
	table := budgetTable(map[string]int{"models": 101, "tui/gone": 5})
	got, err := exceeded(map[string]int{"models": 151, "tui/new": 1}, table)
	want := []string{
		"package models has 151 lines, its budget is 150", "package tui/new has no budget of lines",
		"package tui/gone has a budget and no lines",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if got, err := exceeded(map[string]int{"models": 150, "tui/gone": 50}, table); err != nil || len(got) > 0 {
		t.Error(err, got)
	}
}
