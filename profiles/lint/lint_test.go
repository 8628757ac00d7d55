package lint_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// validSchema is a schema without defects. The cases edit it.
const validSchema = `
name: shop
guardrails: {production: [shop-blue]}
tables:
  shop:
    partition_key: PK
    sort_key: SK
    indexes:
      ByStore: {partition_key: GPK, sort_key: GSK, projection: ALL}
      ByDay: {partition_key: DPK, sort_key: DSK, projection: ALL}
entities:
  Order:
    table: shop
    keys: {PK: "USER#{userId}", SK: "ORDER#{madeAt}#{orderId}", GPK: "STORE#{storeId}", GSK: "{madeAt}#{orderId}", DPK: "DAY#{madeAt:date}", DSK: "{madeAt}"}
    attributes:
      userId: {type: S, required: true}
      orderId: {type: S, required: true, format: uuid}
      storeId: {type: S, required: true, refers: Store.storeId}
      madeAt: {type: S, required: true, format: iso8601}
      stage: {type: S, required: true, enum: [open, paid]}
  Store:
    table: shop
    keys: {PK: "STORE#{storeId}", SK: META}
    attributes:
      storeId: {type: S, required: true}
      label: {type: S}
lifecycles:
  Stage:
    entity: Order
    attribute: stage
    states: {open: {kind: open, initial: true}, paid: {kind: good}}
    transitions: [{name: pay, from: [open], to: paid}]
patterns:
  orders:
    operation: query
    key: {PK: "USER#{userId}", SK: {begins_with: "ORDER#"}}
    returns: [Order]
  store:
    operation: get
    key: {PK: "STORE#{storeId}", SK: META}
    returns: [Store]
`

// edit replaces the first text of each pair in validSchema by the second. If the first is "", edit appends the second.
func edit(t *testing.T, edits []string) string {
	t.Helper()
	text := validSchema
	for i := 0; i+1 < len(edits); i += 2 {
		switch {
		case edits[i] == "":
			text += edits[i+1] + "\n"
		case !strings.Contains(text, edits[i]):
			t.Fatalf("the schema does not contain %s", edits[i])
		default:
			text = strings.Replace(text, edits[i], edits[i+1], 1)
		}
	}
	return text
}

func run(t *testing.T, text string) []profiles.Diagnostic {
	t.Helper()
	p, err := profiles.Load("shop.yaml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return lintRun(t, p)
}

func lintRun(t *testing.T, p *profiles.Profile) []profiles.Diagnostic {
	t.Helper()
	list, err := lint.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func rules(list []profiles.Diagnostic) []string {
	var names []string
	for _, d := range list {
		if !slices.Contains(names, d.Rule) {
			names = append(names, d.Rule)
		}
	}
	return names
}

// A lintCase edits validSchema twice: once with a defect and once without.
type lintCase struct {
	rule      string
	bad, good []string // edits
	path      string   // path of the rule's first diagnostic
	severity  profiles.Severity
	also      string // another rule that reports bad, but not good
}

func findingCases() []lintCase {
	const finding = "findings:\n  A: {kind: GAP, text: The order is not documented., rules: [%s]}\n"
	return []lintCase{{
		rule: "unknown-rule", path: "findings.A.rules.0", severity: profiles.Warning,
		bad: []string{"", fmt.Sprintf(finding, "ful-scan")}, good: []string{"", fmt.Sprintf(finding, "full-scan")},
	}}
}

func guardrailCases() []lintCase {
	const named, unnamed = "guardrails: {production: [shop-blue]}", "guardrails: {notes: [Keep it.]}"
	return []lintCase{{
		rule: "production-unnamed", path: "guardrails.production", severity: profiles.Info,
		bad: []string{named, unnamed}, good: []string{named, unnamed, "  shop:\n", "  shop:\n    name: shop-live\n"},
	}}
}

func TestLintRules(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range slices.Concat(requestCases(), resultCases(), entityCases(), indexCases(), stateCases(), ttlCases(), actionCases(), findingCases(), guardrailCases()) {
		covered[c.rule] = true
		t.Run(c.rule, func(t *testing.T) {
			found := run(t, edit(t, c.bad))
			found = slices.DeleteFunc(found, func(d profiles.Diagnostic) bool { return d.Rule == c.also })
			if diff := cmp.Diff([]string{c.rule}, rules(found)); diff != "" {
				t.Fatalf("faulty schema (-want +got):\n%s\n%v", diff, found)
			}
			d := found[0]
			if d.Path != c.path || d.Severity != c.severity {
				t.Errorf("got %s at %s, want %s at %s", d.Severity, d.Path, c.severity, c.path)
			}
			if d.Line == 0 || d.Message == "" || d.Suggestion == "" || d.Kind == "" {
				t.Errorf("incomplete diagnostic %+v", d)
			}
			if twin := run(t, edit(t, c.good)); len(twin) > 0 {
				t.Errorf("the corrected schema has diagnostics %v", twin)
			}
		})
	}
	for _, name := range lint.Rules() {
		if !covered[name] {
			t.Errorf("no test case for rule %s", name)
		}
	}
}

func TestValuesOutsideEnumAreNotWritten(t *testing.T) {
	byStage := []string{`GPK: "STORE#{storeId}"`, `GPK: "STAGE#{stage}"`}
	ask := func(stage string) []profiles.Diagnostic {
		return run(t, edit(t, append(byStage, "", query(`index: ByStore, returns: [Order], key: {GPK: "STAGE#`+stage+`"}`))))
	}
	if got := rules(ask("open")); slices.Contains(got, "key-never-written") {
		t.Errorf("with a value of the enum: got %v", got)
	}
	if got := rules(ask("gone")); !slices.Contains(got, "key-never-written") {
		t.Errorf("with another value: got %v", got)
	}
}

func TestWhenMustDistinguishEntities(t *testing.T) {
	keys := `{PK: "STORE#{thirdId}", SK: META}`
	for label, want := range map[string]string{
		"has: [mark]": "told-apart-by-attributes", "has: [thirdId]": "told-apart-by-attributes",
		"lacks: [mark]": "indistinguishable-entities",
	} {
		if got := rules(run(t, edit(t, withThirdEntity(keys, "when: {"+label+"}")))); !slices.Contains(got, want) {
			t.Errorf("when %s: got %v, want %s", label, got, want)
		}
	}
	opposite := append(withThirdEntity(keys, "when: {has: [mark]}"), "  Store:\n    table: shop\n", "  Store:\n    table: shop\n    when: {lacks: [mark]}\n")
	if got := rules(run(t, edit(t, opposite))); slices.Contains(got, "told-apart-by-attributes") {
		t.Errorf("with complementary conditions: got %v", got)
	}
	stored := "  Store:\n    table: shop\n"
	for other, same := range map[string]bool{"[store, third]": true, "[store]": false} {
		both := append(withThirdEntity(keys, "when: {equals: {mark: third}}"), stored, stored+"    when: {equals: {mark: "+other+"}}\n", "      label: {type: S}", "      mark: {type: S, enum: [store, third]}")
		if got := rules(run(t, edit(t, both))); slices.Contains(got, "indistinguishable-entities") != same {
			t.Errorf("with mark third or %s: got %v", other, got)
		}
	}
}

func TestPrefixReportsCollidingValues(t *testing.T) {
	p := []string{
		`GSK: "{madeAt}#{orderId}"`, `GSK: "{stage}#{orderId}"`, "",
		query(`index: ByStore, returns: [Order], key: {GPK: "STORE#{storeId}", GSK: {begins_with: "{stage}"}}`),
	}
	for enum, want := range map[string]string{
		"[open, paid]":         "today no value of stage is a prefix of another",
		"[open, opened, paid]": `today "open" is a prefix of "opened"`,
	} {
		found := false
		for _, d := range run(t, edit(t, append(p, "enum: [open, paid]", "enum: "+enum))) {
			found = found || d.Rule == "prefix-without-delimiter" && strings.HasSuffix(d.Message, want)
		}
		if !found {
			t.Errorf("%s: no diagnostic ends with %s", enum, want)
		}
	}
}

func TestAcceptSilencesWarning(t *testing.T) {
	scan := []string{"", "  all: {operation: scan, returns: [Order, Store]}", ""}
	for _, c := range []struct {
		accept string
		want   []string // remaining rules
		hint   string
	}{
		{"accept: [{finding: full-scan, why: The table is small.}]", nil, ""},
		{"accept: [{finding: full-scan, at: patterns.all, why: The table is small.}]", nil, ""},
		{"accept: [{finding: full-scan, at: patterns.al, why: Small.}]", []string{"full-scan", "accepts-nothing"}, "remove it"},
		{"accept: [{finding: ful-scan, why: Small.}]", []string{"full-scan", "accepts-nothing"}, `did you mean "full-scan"?`},
	} {
		found := run(t, edit(t, append(scan, c.accept)))
		if got := rules(found); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.accept, got, c.want)
		}
		for _, d := range found {
			if d.Rule == "accepts-nothing" && (d.Suggestion != c.hint || d.Severity != profiles.Warning || d.Line == 0) {
				t.Errorf("%s: got diagnostic %+v", c.accept, d)
			}
		}
	}
	// Requests that DynamoDB rejects cannot be accepted.
	refused := edit(t, []string{requested, `key: {SK: {begins_with: "ORDER#"}}`, "", "accept: [{finding: partition-key-missing, why: Because.}]"})
	if got := rules(run(t, refused)); !slices.Contains(got, "partition-key-missing") {
		t.Errorf("an error was accepted: got %v", got)
	}
	_, err := profiles.Load("shop.yaml", []byte(edit(t, []string{"", "accept: [{finding: full-scan}]"})), nil)
	if err == nil || !strings.Contains(err.Error(), "accept.0: acceptance is incomplete") {
		t.Errorf("without a reason: got %v", err)
	}
}

// sharedPartition returns edits that query orders by the sort key from a partition that also contains a store.
func sharedPartition(condition string) []string {
	return []string{
		`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "USER#{storeId}", SK: META}`,
		`key: {PK: "STORE#{storeId}", SK: META}`, `key: {PK: "USER#{storeId}", SK: META}`,
		requested, `key: {PK: "USER#{userId}", SK: ` + condition + `}`,
	}
}

// These cases caused false warnings in users' schemas.
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
			"entities with distinct keys",
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
		{
			"states of another entity",
			[]string{"attributes:\n      storeId: {type: S, required: true}\n", "attributes:\n      storeId: {type: S, required: true}\n      stage: {type: S, enum: [built, closed]}\n"},
			"enum-differs", false,
		},
		{
			"one item per day",
			[]string{`SK: "ORDER#{madeAt}#{orderId}"`, `SK: "DAY#{day}"`, "orderId: {", "day: {type: S, format: date, required: true}\n      orderId: {"},
			"key-not-unique", false,
		},
		{
			"a key of items with the attribute only",
			[]string{`DPK: "DAY#{madeAt:date}"`, `DPK: {template: "PAID#{paidOn}", when: {has: [paidOn]}}`, "orderId: {", "paidOn: {type: S}\n      orderId: {"},
			"optional-in-key", false,
		},
		{
			"an index partition with items of two entities",
			[]string{`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "STORE#{storeId}", SK: META, GPK: "STORE#{storeId}", GSK: META}`},
			"index-of-one-item", false,
		},
		{
			"index keys that list items of two entities",
			[]string{`keys: {PK: "STORE#{storeId}", SK: META}`, `keys: {PK: "STORE#{storeId}", SK: META, GPK: "STORE#{storeId}", GSK: META}`},
			"index-repeats-table", false,
		},
		{
			"an inverted index",
			[]string{
				"ByStore: {partition_key: GPK, sort_key: GSK", "ByStore: {partition_key: SK, sort_key: PK",
				`, GPK: "STORE#{storeId}", GSK: "{madeAt}#{orderId}"`, "", `keys: {PK: "STORE#{storeId}", SK: META}`,
				`keys: {PK: "STORE#{storeId}", SK: "STORE#{storeId}"}`, `key: {PK: "STORE#{storeId}", SK: META}`,
				`key: {PK: "STORE#{storeId}", SK: "STORE#{storeId}"}`,
			},
			"index-repeats-table", false,
		},
		{"keys before the first of a comparison", sharedPartition(`{gte: "ORDER#"}`), "returns-others", false},
		{"keys before the last of a comparison", sharedPartition(`{lte: "ORDER#Z"}`), "returns-others", true},
		{"keys before a range", sharedPartition(`{between: ["ORDER#", "PAID#"]}`), "returns-others", false},
		{"a local index", []string{"ByDay: {partition_key: DPK", "ByDay: {local: true, partition_key: PK", `DPK: "DAY#{madeAt:date}", `, ""}, "index-same-partition", false},
	} {
		if got := rules(run(t, edit(t, c.edits))); slices.Contains(got, c.rule) != c.found {
			t.Errorf("%s: %s found: %v, got %v", c.name, c.rule, !c.found, got)
		}
	}
}

func TestIncrementedNumberIsUnique(t *testing.T) {
	const text = `
name: invoices
tables: {main: {name: invoices, partition_key: PK, sort_key: {name: number, type: N}}}
entities:
  Invoice:
    table: main
    keys: {PK: "YEAR#{year}"}
    attributes: {year: {type: S, required: true}, number: {type: N, required: true}, line: {type: N}}
patterns:
  invoices: {operation: query, key: {PK: "YEAR#{year}"}, order: descending, returns: [Invoice]}
actions:
  add:
    entity: Invoice
    kind: put
    inputs: {number: {default: "{last.number|0} + 1"}}
    reads: {last: {pattern: invoices, optional: true}}
`
	for _, c := range []struct {
		old, with string
		found     bool
	}{
		{"", "", false},
		{"order: descending, ", "", true},
		{"inputs: {number: {default: \"{last.number|0} + 1\"}}", "set: {line: \"{last.line|0} + 1\"}", true},
	} {
		if got := rules(run(t, strings.Replace(text, c.old, c.with, 1))); slices.Contains(got, "number-not-unique") != c.found ||
			slices.Contains(got, "number-without-bounds") && c.old == "" {
			t.Errorf("%q: got %v", c.with, got)
		}
	}
}

// An issue of a schema is a defect that lint finds and no finding explains. It lists the affected parts.
func TestIssuesOmitExplainedDefects(t *testing.T) {
	const text = `
name: lockers
guardrails: {production: [prod]}
tables: {lockers: {partition_key: pk}}
entities:
  Locker: {table: lockers, keys: {pk: "L#{lockerId}"}, attributes: {lockerId: {type: S}}}
  Shelf: {table: lockers, keys: {pk: "S#{shelfId}"}, attributes: {shelfId: {type: S}}}
  Parcel:
    table: lockers
    keys: {pk: "P#{parcelId}"}
    attributes: {parcelId: {type: S, required: true}, expires: {type: N, required: true, format: epoch-seconds}}
patterns:
  get-locker: {operation: get, key: {pk: "L#{lockerId}"}, returns: [Locker]}
  get-shelf: {operation: get, key: {pk: "S#{shelfId}"}, returns: [Shelf]}
`
	issues := func(text string) []*accesspatterns.Finding {
		t.Helper()
		p, err := profiles.Load("lockers.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := lint.Issues(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(list, func(f *accesspatterns.Finding) bool { return f.Rules[0] != "optional-in-key" })
	}
	list := issues(text)
	if len(list) != 2 {
		t.Fatalf("got %d issues, want Locker and Shelf", len(list))
	}
	const want = "lockerId is optional but part of key pk (L#{lockerId}); code that joins strings writes \"undefined\" into the key. " +
		"Omit pk when lockerId is missing, or require lockerId. See entities.Locker.keys.pk, line 6 of the schema."
	if f := list[0]; f.ID != "optional-in-key" || f.Text != want || !slices.Equal(f.Entities, []string{"Locker"}) {
		t.Errorf("got first issue %+v", f)
	}
	if list[1].ID != "optional-in-key-2" {
		t.Errorf("got second issue ID %s, want optional-in-key-2", list[1].ID)
	}
	explained := text + `
findings:
  F1: {kind: GAP, rules: [optional-in-key], text: Lockers have IDs., entities: [Locker]}
`
	if list := issues(explained); len(list) != 1 || !slices.Equal(list[0].Entities, []string{"Shelf"}) {
		t.Errorf("with a finding about Locker: got %v", list)
	}
}

// equalKeySchema returns a schema whose entities all have the same keys, with a query of each.
func equalKeySchema(entities int) []byte {
	var b, patterns strings.Builder
	b.WriteString("name: big\ntitle: Big\nguardrails: {production: [prod]}\n" +
		"tables: {t: {name: things, partition_key: PK, sort_key: SK}}\nentities:\n")
	for i := range entities {
		fmt.Fprintf(&b, "  E%d: {table: t, keys: {PK: '{id}', SK: 'M#{x}'}, attributes: {id: {type: S, required: true}, "+
			"x: {type: S, required: true}, st: {type: S, enum: [a, b]}}}\n", i)
		fmt.Fprintf(&patterns, "  q%d: {title: Q, operation: query, table: t, key: {PK: '{id}'}, returns: [E%[1]d]}\n", i)
	}
	return []byte(b.String() + "patterns:\n" + patterns.String())
}

// An entity costs about as much in a large schema as in a small one, even if its keys overlap those of all others.
func TestLintCostIsLinear(t *testing.T) {
	for name, schema := range map[string]func(int) []byte{"different keys": schemas.Large, "equal keys": equalKeySchema} {
		t.Run(name, func(t *testing.T) {
			perEntity := func(entities int) float64 {
				p, err := profiles.Load("big.yaml", schema(entities), nil)
				if err != nil {
					t.Fatal(err)
				}
				return testing.AllocsPerRun(1, func() { lintRun(t, p) }) / float64(entities)
			}
			if small, large := perEntity(50), perEntity(400); large > 1.1*small {
				t.Errorf("%.0f allocations for each of 400 entities, but %.0f for each of 50", large, small)
			}
		})
	}
}

func TestLintCountsFurtherPairs(t *testing.T) {
	const rule = "indistinguishable-entities"
	text := string(equalKeySchema(9)) + "accept:\n  - {finding: " + rule + ", at: entities.E2, why: both are old}\n"
	list := run(t, text)
	if len(list) != 21 {
		t.Fatalf("got %d diagnostics, want 20 pairs and a count: %v", len(list), list)
	}
	if d := list[0]; d.Rule != rule || !strings.HasPrefix(d.Message, "E0 and E1 have the same key format") {
		t.Errorf("got first diagnostic %v", d)
	}
	const want = "14 more pairs of entities have this defect; only the first 20 are listed"
	counts := 0
	for _, d := range list {
		if d.Message == want && d.Path == "entities.E7.keys" {
			counts++
		}
		if strings.HasPrefix(d.Path, "entities.E2") || d.Rule != rule {
			t.Errorf("unexpected diagnostic %v", d)
		}
	}
	if counts != 1 {
		t.Errorf("got %d counts of the other pairs, want 1: %v", counts, list)
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	p, err := profiles.Load("big.yaml", equalKeySchema(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if list, err := lint.Run(ctx, p); list != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %d diagnostics, %v, want only context.Canceled", len(list), err)
	}
}
