package profiles_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

const overlaid = `name: shop
variables: {region: {default: eu}}
x-common: &common {ttl: ttl, billing: on-demand}
tables:
  t:
    <<: *common
    name: "orders-{region}"
    partition_key: id
    indexes: {ByMail: {partition_key: mail}, ByDay: {partition_key: day}}
overlays:
  staging: {tables: {t: {name: orders-qa, ttl: null, billing: provisioned, indexes: {ByMail: null, ByDay: {optional: true}}}}}
  prod: {guardrails: {regions: [eu-west-1]}, title: Production}
`

func TestOverlayOfTheEnvironmentApplies(t *testing.T) {
	path := filepath.Join(files(t, map[string]string{"shop.yaml": overlaid}), "shop.yaml")
	var r profiles.Reader
	open := func(v profiles.Values) *profiles.Profile {
		t.Helper()
		p, err := r.Open(path, v)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	base, staging, prod := open(profiles.Values{}), open(profiles.Values{Environment: "staging"}), open(profiles.Values{Environment: "prod"})
	if b := base.Tables[0]; b.Name != "orders-eu" || b.TTL != "ttl" || len(b.Indexes) != 2 || base.Overlay != "" {
		t.Errorf("without an overlay: %+v", b)
	}
	s := staging.Tables[0]
	if s.Name != "orders-qa" || s.TTL != "" || s.Billing != "provisioned" || len(s.Indexes) != 1 || !s.Indexes[0].Optional {
		t.Errorf("staging: %+v", s)
	}
	if !slices.Equal(prod.Guardrails.Regions, []string{"eu-west-1"}) || prod.Title != "Production" || len(prod.Tables[0].Indexes) != 2 {
		t.Errorf("prod: %+v", prod)
	}
	if base.Digest() == prod.Digest() || staging.Digest() == prod.Digest() {
		t.Error("two environments have one digest")
	}
	if open(profiles.Values{Environment: "dev"}).Overlay != "" {
		t.Error("an environment without an overlay changes the profile")
	}
	if _, line, _ := staging.Position("tables.t.indexes.ByDay.optional"); line != 11 {
		t.Errorf("the change of ByDay is on line %d", line)
	}
}

// A variable named environment is what the user says; the context says it for all profiles.
func TestEnvironmentOfAnOverlay(t *testing.T) {
	body := strings.Replace(overlaid, "region: {default: eu}", "region: {default: eu}, environment: {default: prod}", 1)
	path := filepath.Join(files(t, map[string]string{"shop.yaml": body}), "shop.yaml")
	for _, c := range []struct {
		v    profiles.Values
		want string
	}{
		{profiles.Values{}, "prod"},
		{profiles.Values{Environment: "staging"}, "staging"},
		{profiles.Values{Environment: "staging", Given: map[string]string{"environment": "dev"}}, ""},
		{profiles.Values{Environment: "dev", Shared: map[string]string{"environment": "staging"}}, "staging"},
	} {
		p, err := (*profiles.Reader)(nil).Open(path, c.v)
		if err != nil || p.Overlay != c.want {
			t.Errorf("%+v: %v, overlay %q, want %q", c.v, err, p.Overlay, c.want)
		}
	}
}

// Lint in one environment finds the faults of all.
func TestFaultsOfEveryOverlayAreReported(t *testing.T) {
	pattern := "patterns: {p: {operation: query, table: t, index: ByMail, key: {mail: a}}}\n"
	for add, want := range map[string]string{
		"":                       "",
		pattern:                  `shop.yaml:13:44: error: patterns.p.index: orders-qa has no index "ByMail" (with the overlay staging); did you mean "ByDay"?`,
		"  qa: {tabels: {}}\n":   `shop.yaml:13:8: error: tabels: unknown key "tabels" (with the overlay qa); did you mean "tables"?`,
		"  qa: {name: other}\n":  `shop.yaml:13:8: error: overlays.qa.name: an overlay cannot change name; remove it`,
		"  qa: [a]\n":            `shop.yaml:13:3: error: overlays.qa: expected a mapping (section: changes)`,
		"  qa: {tables: null}\n": `error: tables: profile has no tables (with the overlay qa)`,
		"  qa: {<<: {tables: {t: {ttl: [a]}}}}\n": `shop.yaml:13:26: error: tables.t.ttl: expected plain text, found a list (with the overlay qa)`,
	} {
		_, err := profiles.Load("shop.yaml", []byte(overlaid+add), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", add, err, want)
		}
	}
}

func TestOverlayInsideItselfEnds(t *testing.T) {
	_, err := profiles.Load("shop.yaml", []byte("name: shop\ntables: &t {t: *t}\noverlays: {qa: &o {tables: *o, t: *o}}\n"), nil)
	if err == nil {
		t.Error("a profile of aliases inside themselves loads")
	}
}
