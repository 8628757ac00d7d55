package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// sound is a schema without a defect. Cases edit it.
const sound = `
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

// edit replaces texts of sound in pairs; a pair that begins with "" adds a
// pattern.
func edit(t *testing.T, edits []string) string {
	t.Helper()
	text := sound
	for i := 0; i+1 < len(edits); i += 2 {
		switch {
		case edits[i] == "":
			text += edits[i+1] + "\n"
		case !strings.Contains(text, edits[i]):
			t.Fatalf("nothing to replace: %s", edits[i])
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
	return lint.Run(p)
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

// A lintCase edits sound twice.
type lintCase struct {
	rule      string
	bad, good []string // edits
	path      string   // of the rule's first diagnostic
	severity  profiles.Severity
	also      string // a rule that the fault, but not the twin, sets off as well
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
		rule: "production-unnamed", path: "guardrails.production", severity: profiles.Warning,
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
				t.Errorf("incomplete: %+v", d)
			}
			if twin := run(t, edit(t, c.good)); len(twin) > 0 {
				t.Errorf("corrected twin: %v", twin)
			}
		})
	}
	for _, name := range lint.Rules() {
		if !covered[name] {
			t.Errorf("no case for the rule %s", name)
		}
	}
}

func TestValuesOutsideOfAnEnumAreNeverWritten(t *testing.T) {
	byStage := []string{`GPK: "STORE#{storeId}"`, `GPK: "STAGE#{stage}"`}
	ask := func(stage string) []profiles.Diagnostic {
		return run(t, edit(t, append(byStage, "", query(`index: ByStore, returns: [Order], key: {GPK: "STAGE#`+stage+`"}`))))
	}
	if got := rules(ask("open")); slices.Contains(got, "key-never-written") {
		t.Errorf("a value of the enum: %v", got)
	}
	if got := rules(ask("gone")); !slices.Contains(got, "key-never-written") {
		t.Errorf("no value of the enum: %v", got)
	}
}

func TestWhenMustTellEntitiesApart(t *testing.T) {
	keys := `{PK: "STORE#{thirdId}", SK: META}`
	for when, want := range map[string]string{
		"has: [mark]": "told-apart-by-attributes", "has: [thirdId]": "told-apart-by-attributes",
		"lacks: [mark]": "indistinguishable-entities",
	} {
		if got := rules(run(t, edit(t, third(keys, "when: {"+when+"}")))); !slices.Contains(got, want) {
			t.Errorf("when %s: got %v, want %s", when, got, want)
		}
	}
}

func TestPrefixSaysWhetherValuesCollideToday(t *testing.T) {
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
			t.Errorf("%s: nothing says %s", enum, want)
		}
	}
}
