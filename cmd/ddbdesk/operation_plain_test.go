package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// developerOperations lists operations that print files for other programs, or that check a schema or its tables for
// its author.
var developerOperations = []string{
	"iam", "schema docs", "schema export", "schema import", "schema init", "schema json-schema", "schema lint", "table check",
}

// developerWords returns patterns for schema and DynamoDB terms that role support must not see, by kind.
func developerWords(p *profiles.Profile) map[string]*regexp.Regexp {
	var keys, issues, states, ids []string
	for _, t := range p.Tables {
		for _, e := range p.EntitiesOf(t) {
			for _, k := range t.KeyAttributes() {
				if _, key := e.PlainName(k.Name); key {
					keys = append(keys, k.Name)
				}
			}
		}
		for _, x := range t.Indexes {
			keys = append(keys, x.Name)
		}
	}
	for _, f := range p.Findings {
		issues = append(issues, f.ID)
	}
	for _, l := range p.Lifecycles {
		for _, s := range l.States {
			if strings.Contains(s.Name, "_") { // Other states, such as approved, also occur in sentences.
				states = append(states, s.Name)
			}
		}
	}
	for _, a := range p.Actions {
		ids = append(ids, a.ID)
	}
	for _, q := range p.Patterns {
		ids = append(ids, q.ID)
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return !strings.Contains(id, "-") })
	oneOf := func(words []string) *regexp.Regexp {
		slices.Sort(words)
		return regexp.MustCompile(`(^|[^\w{/-])(` + strings.Join(slices.Compact(words), "|") + `)($|[^\w}-])`)
	}
	return map[string]*regexp.Regexp{
		"capacity":             regexp.MustCompile(`\b[\d.,]+ (RCU|WCU)\b`),
		"operation":            regexp.MustCompile(`\b((Transact|Batch)?(Get|Put|Update|Delete|Write)Items?|Query|Scan|ConditionCheck)\b`),
		"key or index":         oneOf(keys),
		"schema issue":         oneOf(issues),
		"state":                oneOf(states),
		"action or pattern ID": oneOf(ids),
	}
}

// commandText is a command in a text, which users copy.
var commandText = regexp.MustCompile(`ddbdesk [^;]*`)

// checkPlainWords fails if the output of an operation for role support contains a developer term. The user's input and
// commands to copy may contain such terms.
func checkPlainWords(t *testing.T) {
	source, err := canary.Source("authbridge")
	if err != nil {
		t.Fatal(err)
	}
	p, err := canary.Open("authbridge", false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := canary.Plant(p, 2, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	w := newOperationFixture(t, p, source, g.Items)
	words, texts := developerWords(p), 0
	for _, o := range operations {
		if slices.Contains(developerOperations, o.Path) {
			continue
		}
		w.each(t, o, "support", func(args []string) {
			format := slices.Index(args, "-o")
			if format >= 0 && args[format+1] != "text" && args[format+1] != "table" || slices.Contains(args, "--explain") {
				return
			}
			_, out, errs := ddbdesk(t, args...)
			for line := range strings.Lines(out + errs) {
				texts++
				read := commandText.ReplaceAllString(line, "")
				if o.Path == "pattern list" || o.Path == "schema show" { // Their first column contains values for other commands.
					_, read, _ = strings.Cut(read, " ")
				}
				for _, a := range args {
					read = strings.ReplaceAll(read, a, "")
				}
				for _, kind := range slices.Sorted(maps.Keys(words)) {
					if strings.HasPrefix(o.Path, "table ") && (kind == "key or index" || kind == "action or pattern ID") {
						continue // These commands take keys and indexes, and show stored values of audit entries.
					}
					if m := words[kind].FindString(read); m != "" {
						t.Errorf("%q: the %s %q occurs in: %s", args, kind, strings.TrimSpace(m), line)
					}
				}
			}
		})
	}
	if texts < 500 {
		t.Errorf("got %d lines, want at least 500", texts)
	}
}
