package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// undetectable explains why a finding cannot be derived from the schema alone.
var undetectable = map[string]string{
	"authbridge A04":    "the wrong ttl is in an example item, and a profile has no items",
	"form-bridge F15":   "the request is sound; only its title asks for the version that a site runs",
	"form-bridge F16":   "the request is sound; only its title promises failed attempts alone",
	"tazco T09":         "the profile proposes milliseconds; see TestUnknownPrecisionIsFound for the document's own words",
	"tazco T34":         "the order of the sequence is a requirement for the sender of the events, not for a key",
	"zentriqvision Z08": "the request is sound; only its title calls appearances people",
	"zentriqvision Z20": "the document has no request for it, and the proposed one has the separator",
}

// ruleOfFinding maps findings to the rule that finds them.
var ruleOfFinding = map[string]string{
	"authbridge A03": "prefix-without-delimiter", "authbridge A13": "enum-differs",
	"ebay-sniper E08": "limit-before-filter",
	"form-bridge F01": "key-never-written", "form-bridge F02": "partition-key-missing", "form-bridge F03": "partition-key-missing",
	"form-bridge F04": "partition-key-missing", "form-bridge F05": "returns-others", "form-bridge F10": "told-apart-by-attributes",
	"form-bridge F18": "index-of-one-item", "form-bridge F30": "prefix-with-two-meanings", "form-bridge F31": "key-starts-with-value",
	"form-bridge F35": "single-item-indexed",
	"tazco T02":       "bound-on-composed-key", "tazco T03": "bound-on-composed-key", "tazco T04": "partition-key-missing",
	"tazco T05": "limit-before-filter", "tazco T07": "page-token-with-filter", "tazco T08": "time-order-rests-on-id",
	"tazco T10": "delimiter-in-value", "tazco T12": "index-same-partition", "tazco T20": "optional-in-key",
	"tazco T24":         "expired-still-read",
	"zentriqvision Z01": "filter-undocumented-attribute", "zentriqvision Z04": "one-of-many-indexed",
	"zentriqvision Z06": "partition-by-day",
	"zentriqvision Z07": "strict-bound", "zentriqvision Z16": "two-spellings",
}

func builtin(t *testing.T, name string) *profiles.Profile {
	t.Helper()
	p, err := profiles.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLintFindsDocumentedDefects(t *testing.T) {
	for _, name := range profiles.Names() {
		p := builtin(t, name)
		got := map[string][]string{} // rules by finding
		for _, d := range lintRun(t, p) {
			got[d.Finding] = append(got[d.Finding], d.Rule)
		}
		for _, f := range p.Findings {
			switch f.Kind {
			case accesspatterns.Impossible, accesspatterns.Wrong, accesspatterns.Latent:
			default:
				continue
			}
			id := name + " " + f.ID
			want, computed := ruleOfFinding[id]
			_, exempt := undetectable[id]
			switch {
			case computed == exempt:
				t.Errorf("%s (%s) must be in either ruleOfFinding or undetectable", id, f.Kind)
			case computed && !slices.Contains(got[f.ID], want):
				t.Errorf("%s: %s does not find it, but %v: %s", id, want, got[f.ID], f.Text)
			case exempt && len(got[f.ID]) > 0:
				t.Errorf("%s is in undetectable, but %v finds it", id, got[f.ID])
			}
		}
	}
}

func TestDynamoDBAcceptsBuiltinSchemaRequests(t *testing.T) {
	for _, name := range profiles.Names() {
		for _, d := range lintRun(t, builtin(t, name)) {
			if d.Severity == profiles.Error {
				t.Error(d)
			}
		}
	}
}

func TestLintDiagnosticsPointIntoFile(t *testing.T) {
	for _, name := range profiles.Names() {
		file, text, err := profiles.ReadSource(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(string(text), "\n") + 1
		list := lintRun(t, builtin(t, name))
		for i, d := range list {
			if d.File != file || d.Line < 1 || d.Line > lines || d.Column < 1 {
				t.Errorf("a diagnostic has no position in %s: %v", file, d)
			}
			if i > 0 && d.Line < list[i-1].Line {
				t.Errorf("the diagnostic is not in file order: %v", d)
			}
		}
	}
}

// The document of tazco does not specify the precision of its times. If the schema declares that as iso8601-any, lint
// reports the ranges of these times.
func TestUnknownPrecisionIsFound(t *testing.T) {
	_, text, err := profiles.ReadSource("tazco")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load("tazco.yaml", []byte(strings.ReplaceAll(string(text), "iso8601-ms", "iso8601-any")), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range lintRun(t, p) {
		if d.Rule == "text-precision" && d.Finding == "T09" {
			return
		}
	}
	t.Error("no range has the diagnostic T09")
}

func TestLintNamesRulesFinding(t *testing.T) {
	const finding = `findings:
  A: {kind: GAP, text: The order is not documented.}
  B: {kind: %s, text: Refused., patterns: [%s]%s}
  C: {kind: IMPOSSIBLE, text: Refused., patterns: [store], rules: [get-on-index]}
`
	broken := []string{requested, `key: {SK: {begins_with: "ORDER#"}}`}
	for _, c := range []struct {
		name, kind, pattern, rules, want string
	}{
		{"rule and pattern", "IMPOSSIBLE", "orders", ", rules: [partition-key-missing]", "B"},
		{"rule of another kind", "GAP", "orders", ", rules: partition-key-missing", "B"},
		{"rule of another pattern", "IMPOSSIBLE", "store", ", rules: [partition-key-missing]", ""},
		{"other rule", "IMPOSSIBLE", "orders", ", rules: [key-not-in-index]", ""},
		{"only finding of its kind", "IMPOSSIBLE", "orders", "", "B"},
		{"no rule and another kind", "GAP", "orders", "", ""},
	} {
		list := run(t, edit(t, append(broken, "", fmt.Sprintf(finding, c.kind, c.pattern, c.rules))))
		if len(list) != 1 || list[0].Finding != c.want {
			t.Errorf("%s: got %v, want the finding %q", c.name, list, c.want)
		}
	}
}
