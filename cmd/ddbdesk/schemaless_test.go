package main

import (
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// The console can switch its context, but a table without a schema must not stay open on production.
func TestSchemalessTableIsNotReopenedOnProduction(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	conn, declared := withTables(t, openStore(t, t.TempDir()), "authbridge")
	yes := true
	unclassified, production := appWith(globalFlags{}), appWith(globalFlags{Context: config.Context{Production: &yes}})
	p, err := unclassified.schemalessOn(t.Context(), conn, declared.Tables[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := unclassified.checkSchemaless(p, conn); err != nil {
		t.Errorf("the context that opened the table: %v", err)
	}
	if err := production.checkSchemaless(p, conn); !errors.As(err, new(*session.Refusal)) {
		t.Errorf("got %v, want a refusal on production", err)
	}
	if p, err = production.schemalessOn(t.Context(), conn, p.Name); err != nil || production.checkSchemaless(p, conn) != nil {
		t.Errorf("opening the table on production: %v", err)
	}
	if err := production.checkSchemaless(declared, conn); err != nil {
		t.Errorf("a declared schema on production: %v", err)
	}
}

// Without a schema, a table of change requests masks plans, which can contain personal data, and a table of a known
// schema masks undeclared attributes. Any other table shows an attribute named plan, unless it contains a saved plan.
func TestSchemalessRequestsTableMasksPlans(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	db := openStore(t, t.TempDir())
	at := requests.Place{Table: requests.DefaultTable, PartitionKey: "PK", SortKey: "SK"}
	p, err := requests.NewProfile(at)
	if err != nil {
		t.Fatal(err)
	}
	conn, declared := withTables(t, db, "authbridge")
	free, err := profiles.Load("free.yaml", []byte("name: free\ntables: {main: {name: free, partition_key: pk}}\n"+
		"entities:\n  It: {table: main, attributes: {pk: {type: S, required: true}}}\n"+
		"patterns:\n  get-it: {operation: get, key: {pk: \"{pk}\"}, returns: [It]}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*profiles.Profile{p, free} {
		if _, err := tables.Create(t.Context(), p, conn); err != nil {
			t.Fatal(err)
		}
	}
	for table, want := range map[string]models.Sensitivity{
		at.Table: models.PII, declared.Tables[0].Name: models.PII, "free": models.NotSensitive,
	} {
		bare, err := appWith(globalFlags{}).schemalessOn(t.Context(), conn, table)
		if err != nil {
			t.Fatal(err)
		}
		if got := bare.Entities[0].ByName("plan"); got != want {
			t.Errorf("%s: type of plan = %q, want %q", table, got, want)
		}
		for text, isMasked := range map[string]bool{`{"format":"ddbdesk plan 4","inputs":{}}`: true, "premium": want != models.NotSensitive} {
			it := models.Item{"plan": models.StringValue(text)}
			for _, k := range bare.Tables[0].PrimaryKeys() {
				it[k.Name] = models.StringValue("x")
			}
			if shown := models.NewMasker(bare.Entities, false).Item(bare.Tables[0], it); models.IsMasked(shown["plan"]) != isMasked {
				t.Errorf("%s: plan %s is shown as %v", table, text, shown["plan"])
			}
		}
	}
}
