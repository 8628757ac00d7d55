package lint_test

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// acting adds actions and trails to sound.
func acting(text string, edits ...string) []string {
	return append(edits, "", text)
}

func actionCases() []lintCase {
	const (
		rename  = "actions:\n  rename: {entity: Store, set: {label: new}}\n"
		pay     = "actions:\n  pay: {transition: pay}\n"
		entries = `  Entry:
    table: shop
    keys: {PK: "ENTRY#{storeId}", SK: "{entryId}"}
    attributes:
      entryId: {type: S, required: true}
      storeId: {type: S, required: true}
      what: {type: S, required: true, enum: [pay, undo-pay]}
lifecycles:
`
		trail   = "trails:\n  Entry: {about: {Order: {storeId: \"{storeId}\"}}, put: {entryId: \"{uuid}\", what: \"{action}\"}}\n"
		keeping = "label: {type: S}"
		counted = "label: {type: S}\n      changes: {type: N}"
		states  = "states: {open: {kind: open, initial: true}, paid: {kind: good}}"
		moves   = "transitions: [{name: pay, from: [open], to: paid}]"
	)
	version := []string{
		"keys: {PK: \"STORE#{storeId}\", SK: META}\n", "keys: {PK: \"STORE#{storeId}\", SK: META}\n    version: changes\n",
		keeping, counted,
	}
	audited := func(text string, edits ...string) []string {
		return acting(text+trail, append(edits, "lifecycles:\n", entries)...)
	}
	stage := "  stage: {entity: Order, set: {stage: paid}"
	dated := []string{
		"madeAt: {type: S, required: true, format: iso8601}",
		"madeAt: {type: S, required: true, format: iso8601}\n      movedAt: {type: S, format: iso8601}",
		"  Order:\n    table: shop\n", "  Order:\n    table: shop\n    updated: movedAt\n",
	}
	return []lintCase{
		{"change-unnoticed", acting(rename), acting(rename, version...), "actions.rename", profiles.Info, ""},
		{
			"change-without-audit", audited(pay+"  rename: {entity: Store, set: {label: new}}\n", version...), audited(
				pay+"  rename: {entity: Store, audit: none, set: {label: new}}\n", version...,
			),
			"actions.rename", profiles.Info, "",
		},
		{
			"audit-value-outside-enum", audited("actions:\n  settle: {transition: pay}\n"), audited("actions:\n  settle: " +
				"{transition: pay, audit: {what: pay}, undo: {what: undo-pay}}\n"),
			"actions.settle", profiles.Warning, "",
		},
		{
			"state-set-without-transition", acting("actions:\n"+stage+"}\n", dated...), acting(
				"actions:\n"+stage+", require: [{attribute: stage, equals: open}]}\n", dated...,
			),
			"actions.stage.set", profiles.Warning, "",
		},
		{
			"number-without-bounds",
			acting("actions:\n  rename: {entity: Store, inputs: {n: {type: integer, minimum: 1}}, set: {label: \"{n}\"}}\n", version...),
			acting("actions:\n  rename: {entity: Store, inputs: {n: {type: integer, minimum: 1, maximum: 9}}, set: {label: \"{n}\"}}\n", version...),
			"actions.rename.inputs.n", profiles.Warning, "",
		},
		{
			"state-never-entered",
			acting(
				pay, states, "states: {open: {kind: open, initial: true}, paid: {kind: good}, lost: {kind: bad}}", moves,
				"transitions: [{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost}]",
			),
			acting(
				pay+"  lose: {transition: lose}\n", states,
				"states: {open: {kind: open, initial: true}, paid: {kind: good}, lost: {kind: bad}}", moves,
				"transitions: [{name: pay, from: [open], to: paid}, {name: lose, from: [open], to: lost}]",
			),
			"lifecycles.Stage.states.lost", profiles.Info, "",
		},
	}
}

// An item that an action makes is in the state that the action gives it.
func TestStatesThatActionsMakeAreReached(t *testing.T) {
	lost := []string{"paid: {kind: good}}", "paid: {kind: good}, lost: {kind: bad}}"}
	create := "actions:\n  lose:\n    entity: Order\n    kind: put\n    set: {storeId: x, stage: lost}\n"
	enum := []string{"enum: [open, paid]", "enum: [open, paid, lost]"}
	if got := rules(run(t, edit(t, slices.Concat(lost, enum)))); !slices.Contains(got, "unreachable-state") {
		t.Fatalf("without the action: %v", got)
	}
	if got := rules(run(t, edit(t, acting(create, slices.Concat(lost, enum)...)))); slices.Contains(got, "unreachable-state") {
		t.Errorf("with the action: %v", got)
	}
}

// A request that DynamoDB refuses is found in queues and trails too.
func TestReadsOfQueuesAreLinted(t *testing.T) {
	queue := "queues:\n  stores: {read: {operation: query, key: {SK: META}, returns: [Store]}}\n"
	for _, d := range run(t, edit(t, acting(queue))) {
		if d.Rule == "partition-key-missing" && d.Severity == profiles.Error && d.Path == "queues.stores.read.key" {
			return
		}
	}
	t.Errorf("got %v", run(t, edit(t, acting(queue))))
}
