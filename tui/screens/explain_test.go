package screens

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// A schema may contain nothing but a table.
func TestMapShowsSchemaWithoutEntities(t *testing.T) {
	p, err := profiles.Load("bare.yaml", []byte("name: bare\ntitle: Bare\ntables:\n  t:\n    name: T\n    partition_key: PK\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	for _, s := range []screen.Screen{Open(env, screen.Map{}), Open(env, screen.Findings{})} {
		s.SetSize(80, 22)
		for _, key := range []string{"down", "enter", "tab", "down", "right", "enter", "tab", "y", "G", "g"} {
			s.Update(screentest.Pressed(key))
			tuitest.RendersExactly(t, s.View(), 80, 22)
		}
	}
}

// From an item, the schema map opens at its entity, and the schema issues at the first issue about the entity.
func TestExplainItem(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	item := Open(env, screen.Item{Table: p.Entity("Verification").Table, Item: screentest.Verification(t, p)}).(screen.SubjectProvider).Subject()
	if item.Entity != p.Entity("Verification") {
		t.Errorf("got entity %v, want Verification", item.Entity)
	}
	if len(item.Findings) == 0 || !slices.Contains(item.Findings[0].Entities, "Verification") {
		t.Errorf("got findings %v", item.Findings)
	}
}

// No line of a schema's text is wider than the screen, in any script.
func TestExplainInAnyScript(t *testing.T) {
	const words = `"検証ケース 🧑‍🚀 שלום مرحبا e\u0301"`
	p, err := profiles.Load("any.yaml", []byte(strings.ReplaceAll(`
name: any
title: WORDS
description: WORDS
tables:
  t:
    name: T
    description: WORDS
    partition_key: PK
    sort_key: SK
    indexes:
      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, label: WORDS}
entities:
  Thing:
    table: t
    title: WORDS
    keys: {PK: "検証#{id}", SK: "META", GSI1PK: "{id}"}
    attributes:
      id: {type: S, required: true, description: WORDS}
patterns:
  get-thing:
    title: WORDS
    group: WORDS
    operation: get
    table: t
    key: {PK: "検証#{id}", SK: META}
    returns: [Thing]
    safe: WORDS
    order_note: WORDS
findings:
  X01:
    kind: GAP
    title: WORDS
    text: WORDS
    behaviour: WORDS
    source: WORDS
    patterns: [get-thing]
    entities: [Thing]
    tables: [t]
`, "WORDS", words)), nil)
	if err != nil {
		t.Fatal(err)
	}
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	for _, s := range []screen.Screen{
		Open(env, screen.Map{}), Open(env, screen.Findings{}), Open(env, screen.Map{Entity: p.Entity("Thing")}),
	} {
		for _, size := range []tuitest.Size{{W: 60, H: 14}, {W: 80, H: 22}, {W: 120, H: 38}} {
			s.SetSize(size.W, size.H)
			for _, key := range []string{"down", "tab", "right", "right", "down", "right", "tab", "down"} {
				tuitest.RendersExactly(t, s.View(), size.W, size.H)
				s.Update(screentest.Pressed(key))
			}
		}
	}
}

func TestEverySchemaPartOpens(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
		var targets []screen.Target
		for _, q := range p.Patterns {
			targets = append(targets, screen.Patterns{Pattern: q}, screen.Map{Pattern: q})
		}
		for _, e := range p.Entities {
			targets = append(targets, screen.Map{Entity: e})
		}
		for _, table := range p.Tables {
			targets = append(targets, screen.Map{Table: table})
		}
		for _, to := range targets {
			screen := Open(env, to)
			screen.SetSize(80, 22)
			if screen.View() == "" {
				t.Errorf("%s: the screen of %#v is empty", name, to)
			}
			screen.Close()
		}
	}
}
