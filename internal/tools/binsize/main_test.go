package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOriginOfGroupsSymbols(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.main": "ddbdesk",
		"github.com/ddbdesk/ddbdesk/tui/screens/home.(*Home).View":      "ddbdesk",
		"github.com/aws/aws-sdk-go-v2/service/dynamodb.(*Client).Query": "AWS SDK",
		"type:*github.com/aws/smithy-go/transport/http.Request":         "AWS SDK",
		"net/http.(*Client).Do": "Go: runtime and standard library",
		"slices.SortFunc[go.shape.[]github.com/ddbdesk/ddbdesk/models.Item,go.shape.map[string]int]": "Go: runtime and standard library",
		"go.yaml.in/yaml/v4.Unmarshal": "YAML",
		"github.com/gofrs/flock.New":   "other libraries",
		"mainly.x":                     "Go: runtime and standard library",
	} {
		if got := originOf(symbol); got != want {
			t.Errorf("originOf(%s) = %s, want %s", symbol, got, want)
		}
	}
}

func TestCompareRejectsGrowth(t *testing.T) {
	page := document(1_000_000, []part{{"ddbdesk", 600_000}})
	if !strings.Contains(page, "| ddbdesk | 0.6 |") || !strings.Contains(page, "outside symbols | 0.4 |") {
		t.Error(page)
	}
	for size, ok := range map[int64]bool{900_000: true, 1_050_000: true, 1_051_000: false} {
		if err := compare(size, page, "size.md"); (err == nil) != ok {
			t.Errorf("compare(%d bytes) = %v, want accepted: %t", size, err, ok)
		}
	}
	if compare(1, "nothing", "size.md") == nil {
		t.Error("compare accepted a page without a size")
	}
}

func TestPackagesAreWithinTheirBudgets(t *testing.T) {
	text, err := os.ReadFile("../../../docs/internals/size.md")
	if err != nil {
		t.Fatal(err)
	}
	count, err := countLines("../../..")
	if err != nil {
		t.Fatal(err)
	}
	problems, err := budgetProblems(count, string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range problems {
		t.Errorf("%s; reduce the size, or change docs/internals/size.md in a commit that states the reason", line)
	}
}

func TestExceededBudgetsAreNamed(t *testing.T) {
	table := budgetTable(map[string]int{"models": 101, "tui/gone": 5})
	got, err := budgetProblems(map[string]int{"models": 151, "tui/new": 1}, table)
	want := []string{
		"package models has 151 lines, its budget is 150", "package tui/new has no budget of lines",
		"package tui/gone has a budget and no lines",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if got, err := budgetProblems(map[string]int{"models": 150, "tui/gone": 50}, table); err != nil || len(got) > 0 {
		t.Error(err, got)
	}
}
