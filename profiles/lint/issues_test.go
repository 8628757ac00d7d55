package lint_test

import (
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// What lint finds and no finding explains is an issue of the schema, with what it is about.
func TestIssuesAreWhatNoFindingExplains(t *testing.T) {
	const text = `
name: lockers
guardrails: {production: [prod]}
tables: {lockers: {partition_key: pk, ttl: expires}}
entities:
  Locker: {table: lockers, keys: {pk: "L#{lockerId}"}, attributes: {lockerId: {type: S, required: true}}}
  Shelf: {table: lockers, keys: {pk: "S#{shelfId}"}, attributes: {shelfId: {type: S, required: true}}}
  Parcel:
    table: lockers
    keys: {pk: "P#{parcelId}"}
    attributes: {parcelId: {type: S, required: true}, expires: {type: N, required: true, format: epoch-seconds}}
patterns:
  get-locker: {operation: get, key: {pk: "L#{lockerId}"}, returns: [Locker]}
  get-shelf: {operation: get, key: {pk: "S#{shelfId}"}, returns: [Shelf]}
  get-parcel: {operation: get, key: {pk: "P#{parcelId}"}, returns: [Parcel]}
`
	issues := func(text string) []*accesspatterns.Finding {
		t.Helper()
		p, err := profiles.Load("lockers.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(lint.Issues(p), func(f *accesspatterns.Finding) bool { return f.Rules[0] != "ttl-missing" })
	}
	list := issues(text)
	if len(list) != 2 {
		t.Fatalf("%d issues, want one of Locker and one of Shelf", len(list))
	}
	const want = "Locker has no expires, unlike Parcel in the same table, so its items never expire. " +
		"Add expires, or document that its items are kept forever. See entities.Locker.attributes, line 6 of the profile."
	if f := list[0]; f.ID != "ttl-missing" || f.Text != want || !slices.Equal(f.Entities, []string{"Locker"}) {
		t.Errorf("the first issue is %+v", f)
	}
	if list[1].ID != "ttl-missing-2" {
		t.Errorf("the second issue of a rule has the ID %s", list[1].ID)
	}
	explained := text + `
findings:
  F1: {kind: GAP, rules: [ttl-missing], text: Lockers stay., entities: [Locker]}
`
	if list := issues(explained); len(list) != 1 || !slices.Equal(list[0].Entities, []string{"Shelf"}) {
		t.Errorf("with a finding about Locker: %v", list)
	}
}
