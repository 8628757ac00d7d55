package lint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestAcceptSilencesAWarning(t *testing.T) {
	scan := []string{"", "  all: {operation: scan, returns: [Order, Store]}", ""}
	for _, c := range []struct {
		accept string
		want   []string // the rules that are left
		hint   string
	}{
		{"accept: [{finding: full-scan, why: The table is small.}]", nil, ""},
		{"accept: [{finding: full-scan, at: patterns.all, why: The table is small.}]", nil, ""},
		{"accept: [{finding: full-scan, at: patterns.al, why: Small.}]", []string{"full-scan", "accepts-nothing"}, "remove it"},
		{"accept: [{finding: ful-scan, why: Small.}]", []string{"full-scan", "accepts-nothing"}, `did you mean "full-scan"?`},
	} {
		found := run(t, edit(t, append(scan, c.accept)))
		if got := rules(found); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.accept, got, c.want)
		}
		for _, d := range found {
			if d.Rule == "accepts-nothing" && (d.Suggestion != c.hint || d.Severity != profiles.Warning || d.Line == 0) {
				t.Errorf("%s: %+v", c.accept, d)
			}
		}
	}
	// What DynamoDB refuses is never accepted.
	refused := edit(t, []string{requested, `key: {SK: {begins_with: "ORDER#"}}`, "", "accept: [{finding: partition-key-missing, why: Because.}]"})
	if got := rules(run(t, refused)); !slices.Contains(got, "partition-key-missing") {
		t.Errorf("an error is accepted: %v", got)
	}
	_, err := profiles.Load("shop.yaml", []byte(edit(t, []string{"", "accept: [{finding: full-scan}]"})), nil)
	if err == nil || !strings.Contains(err.Error(), "accept.0: acceptance is incomplete") {
		t.Errorf("without a reason: %v", err)
	}
}

// Warnings that were wrong on schemas of others.
func TestLintWithoutFalseWarnings(t *testing.T) {
	for _, c := range []struct {
		name  string
		edits []string
		rule  string
		found bool
	}{
		{
			"a literal separates the partitions", []string{
				`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "USER#{storeId}#STORE", SK: "ORDER#META"}`,
				`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "USER#{storeId}#STORE", SK: "ORDER#META"}`,
			}, "returns-others", false,
		},
		{
			"a prefix of several entities",
			[]string{
				`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "USER#{storeId}", SK: "ORDERS"}`,
				`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "USER#{storeId}", SK: "ORDERS"}`,
				requested, `key: {PK: "USER#{userId}", SK: {begins_with: "ORDER"}}`, "returns: [Order]", "returns: [Order, Store]",
			},
			"prefix-without-delimiter", false,
		},
		{
			"a partition of users without tenants",
			[]string{
				`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "USER#{userId}", SK: "S#{storeId}"}`,
				`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "USER#{userId}", SK: "S#{storeId}"}`,
				"storeId: {type: S, required: true}\n", "storeId: {type: S, required: true}\n      userId: {type: S, required: true}\n",
			},
			"index-without-tenant", false,
		},
		{
			"discriminators",
			[]string{
				"attributes:\n      userId", "when: {equals: {stage2: order}}\n    attributes:\n      stage2: {type: S, required: true, enum: [order]}\n      userId",
				"attributes:\n      storeId: {type: S, required: true}\n", "when: {equals: {stage2: store}}\n    attributes:\n      storeId: {type: S, required: true}\n      stage2: {type: S, required: true, enum: [store]}\n",
			},
			"enum-differs", false,
		},
		{
			"names of entities that their keys tell apart already",
			[]string{
				"attributes:\n      userId", "attributes:\n      stage2: {type: S, required: true, enum: [order]}\n      userId",
				"attributes:\n      storeId: {type: S, required: true}\n", "attributes:\n      storeId: {type: S, required: true}\n      stage2: {type: S, required: true, enum: [store]}\n",
			},
			"enum-differs", false,
		},
		{
			"a key of an amount",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "ORDER#{score:05d}"`, "orderId: {", "score: {type: N, required: true}\n      orderId: {"},
			"key-not-unique", true,
		},
		{"a local index", []string{"ByDay: {partition_key: DPK", "ByDay: {local: true, partition_key: PK", `DPK: "DAY#{madeAt:date}", `, ""}, "index-same-partition", false},
	} {
		if got := rules(run(t, edit(t, c.edits))); slices.Contains(got, c.rule) != c.found {
			t.Errorf("%s: %s found %v: %v", c.name, c.rule, !c.found, got)
		}
	}
}
