package profiles_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestBuiltinSchemasLoad(t *testing.T) {
	schemas.Each(t, func(*testing.T, *profiles.Profile) {})
}

const stageProfile = "name: shop\nvariables: {stage: {default: dev}}\ntables: {t: {name: \"t-{stage}\", partition_key: id}}\n"

func TestReaderBuildsSchemaOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(stageProfile)
	var r profiles.Reader
	open := func(v profiles.Values) *profiles.Profile {
		t.Helper()
		p, err := r.Open(file, v)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := open(profiles.Values{})
	if open(profiles.Values{}) != first {
		t.Error("Open built the same text and values again")
	}
	if p := open(profiles.Values{Shared: map[string]string{"stage": "qa"}}); p.Tables[0].Name != "t-qa" {
		t.Errorf("with stage qa: got table %s", p.Tables[0].Name)
	}
	write(stageProfile + "# more\n")
	if p := open(profiles.Values{}); p == first || p.Digest() == first.Digest() {
		t.Error("Open did not read the changed file")
	}
	write("name: [")
	if _, err := r.Open(file, profiles.Values{}); err == nil {
		t.Error("Open accepted a file that became invalid")
	}
}

func TestSharedValuesNeedNoDeclaration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(stageProfile), 0o600); err != nil {
		t.Fatal(err)
	}
	var uncached *profiles.Reader
	p, err := uncached.Open(file, profiles.Values{
		Given: map[string]string{"stage": "prod"}, Shared: map[string]string{"stage": "qa", "region": "x"},
	})
	if err != nil || p.Tables[0].Name != "t-prod" {
		t.Errorf("got %v, %+v, want t-prod", err, p)
	}
	if _, err := uncached.Open(file, profiles.Values{Given: map[string]string{"region": "x"}}); err == nil {
		t.Error("Open accepted an undeclared value")
	}
}

const overlayProfile = `name: shop
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

func TestOverlayOfEnvironmentApplies(t *testing.T) {
	path := filepath.Join(files(t, map[string]string{"shop.yaml": overlayProfile}), "shop.yaml")
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
		t.Errorf("without an overlay: got %+v", b)
	}
	s := staging.Tables[0]
	if s.Name != "orders-qa" || s.TTL != "" || s.Billing != "provisioned" || len(s.Indexes) != 1 || !s.Indexes[0].Optional {
		t.Errorf("staging: got %+v", s)
	}
	if !slices.Equal(prod.Guardrails.Regions, []string{"eu-west-1"}) || prod.Title != "Production" || len(prod.Tables[0].Indexes) != 2 {
		t.Errorf("prod: got %+v", prod)
	}
	if base.Digest() == prod.Digest() || staging.Digest() == prod.Digest() {
		t.Error("two environments have the same digest")
	}
	if open(profiles.Values{Environment: "dev"}).Overlay != "" {
		t.Error("an environment without an overlay changed the profile")
	}
	if _, line, _ := staging.Position("tables.t.indexes.ByDay.optional"); line != 11 {
		t.Errorf("ByDay is at line %d, want 11", line)
	}
}

// A given variable named environment takes precedence over the context's environment, which applies to all schemas.
func TestOverlayEnvironment(t *testing.T) {
	body := strings.Replace(overlayProfile, "region: {default: eu}", "region: {default: eu}, environment: {default: prod}", 1)
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
			t.Errorf("%+v: got %v and overlay %q, want %q", c.v, err, p.Overlay, c.want)
		}
	}
}

// A schema is valid only if it is valid in every environment.
func TestEveryInvalidOverlayIsReported(t *testing.T) {
	pattern := "patterns: {p: {operation: query, table: t, index: ByMail, key: {mail: a}}}\n"
	for add, want := range map[string]string{
		"":                       "",
		pattern:                  `shop.yaml:13:44: error: patterns.p.index: orders-qa has no index "ByMail" (with the overlay staging); did you mean "ByDay"?`,
		"  qa: {tabels: {}}\n":   `shop.yaml:13:8: error: tabels: unknown key "tabels" (with the overlay qa); did you mean "tables"?`,
		"  qa: {name: other}\n":  `shop.yaml:13:8: error: overlays.qa.name: an overlay cannot change name; remove it`,
		"  qa: [a]\n":            `shop.yaml:13:3: error: overlays.qa: expected a mapping (section: changes)`,
		"  qa: {tables: null}\n": `error: tables: schema has no tables (with the overlay qa)`,
		"  qa: {<<: {tables: {t: {ttl: [a]}}}}\n": `shop.yaml:13:26: error: tables.t.ttl: expected plain text, found a list (with the overlay qa)`,
	} {
		_, err := profiles.Load("shop.yaml", []byte(overlayProfile+add), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", add, err, want)
		}
	}
}

func TestRecursiveOverlayIsRejected(t *testing.T) {
	_, err := profiles.Load("shop.yaml", []byte("name: shop\ntables: &t {t: *t}\noverlays: {qa: &o {tables: *o, t: *o}}\n"), nil)
	if err == nil {
		t.Error("Load accepted aliases inside themselves")
	}
}

// files writes files into a new folder. list maps their paths to their contents.
func files(t *testing.T, list map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range list {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	// includer contains a table and includes the sections of other files.
	includer = "name: shop\ninclude: [parts/user.yaml, parts/base.yaml]\n" +
		"tables: {shop: {partition_key: PK, sort_key: SK, indexes: {ByMail: {partition_key: mail}}}}\n" +
		"accept: [{finding: full-scan, why: small}]\n"
	userPart = "include: base.yaml\nx-text: &text {type: S}\nentities:\n  User: {table: shop, mixins: [base], keys: {PK: \"USER#{id}\"}, " +
		"attributes: {id: *text, mail: *text}}\naccept: {finding: a, why: b}\n"
	basePart = "mixins: {base: {keys: {SK: META}, attributes: {at: {type: S, format: iso8601}}}}\n"
)

func TestIncludedFilesAddSections(t *testing.T) {
	dir := files(t, map[string]string{
		"shop.yaml": includer, "parts/user.yaml": strings.Replace(userPart, "accept: {finding: a, why: b}", "accept: [{finding: a, why: b}]", 1),
		"parts/base.yaml": basePart,
	})
	p, err := profiles.Open(filepath.Join(dir, "shop.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	e := p.Entity("User")
	if e == nil || e.Attribute("at") == nil || e.Attribute("mail") == nil || len(p.Accepts) != 2 {
		t.Fatalf("got %+v, %+v", e, p.Accepts)
	}
	file, line, _ := p.Position("entities.User.attributes.mail")
	if file != filepath.Join(dir, "parts/user.yaml") || line != 4 {
		t.Errorf("mail is at %s:%d, want line 4 of user.yaml", file, line)
	}
}

func TestIncludedFileErrorsNameTheirFile(t *testing.T) {
	const good = "name: shop\ntables: {t: {partition_key: id}}\n"
	loop := map[string]string{"a/x.yaml": "include: y.yaml\n", "a/y.yaml": "include: [x.yaml]\n"}
	for _, c := range []struct {
		include string
		files   map[string]string
		want    string
	}{
		{"a.yaml", map[string]string{"a.yaml": "entities: {E: {table: u}}\n"}, `a.yaml:1:16: error: entities.E.table: unknown table "u"`},
		{"a.yaml", map[string]string{"a.yaml": "entites: {}\n"}, `a.yaml:1:1: error: entites: unknown key "entites"; did you mean "entities"?`},
		{"a.yaml", map[string]string{"a.yaml": "tables: [\n"}, `a.yaml:2:1: error: not YAML`},
		{"a.yaml", map[string]string{"a.yaml": "- x\n"}, `a.yaml:1:1: error: expected a mapping (key: value)`},
		{"a.yaml", map[string]string{"a.yaml": "name: other\n"}, `a.yaml:1:1: error: name: an included file must not have name:`},
		{"a.yaml", map[string]string{"a.yaml": "tables: {t: {}}\n"}, `a.yaml:1:10: error: tables.t: "t" is already defined in the schema, line 2`},
		{"[a.yaml, b.yaml]", map[string]string{"a.yaml": "maps: {m: {}}\n", "b.yaml": "maps: {m: {}}\n"}, `b.yaml:1:8: error: maps.m: "m" is already defined in DIR/a.yaml:1`},
		{"a.yaml", map[string]string{"a.yaml": "x: \"a\\x1b[2J\"\n"}, `a.yaml:1:4: error: x: contains invisible or control characters`},
		{"a/x.yaml", loop, `a/y.yaml:1:11: error: include.0: file includes itself: shop.yaml → a/x.yaml → a/y.yaml → a/x.yaml; remove it`},
		{"./shop.yaml", nil, `shop.yaml:3:10: error: include.0: file includes itself: shop.yaml → shop.yaml`},
		{"../a.yaml", nil, `shop.yaml:3:10: error: include.0: "../a.yaml" is not a file in the folder of the schema`},
		{"/etc/passwd", nil, `"/etc/passwd" is not a file in the folder of the schema`},
		{`a\b.yaml`, nil, `is not a file in the folder of the schema`},
		{"none.yaml", nil, `shop.yaml:3:10: error: include.0: cannot read "none.yaml": no such file or directory`},
		{"a", map[string]string{"a/x.yaml": ""}, `cannot read "a": not a regular file`},
		{"[[a.yaml]]", nil, `expected a file path`},
		{"a/link.yaml", map[string]string{"a/x.yaml": ""}, `cannot read "a/link.yaml": path escapes from parent`},
	} {
		all := map[string]string{"shop.yaml": good + "include: " + c.include + "\n"}
		maps.Copy(all, c.files)
		dir := files(t, all)
		if strings.Contains(c.include, "link") {
			if err := os.Symlink(filepath.Join(dir, "..", "shop.yaml"), filepath.Join(dir, "a/link.yaml")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := profiles.Open(filepath.Join(dir, "shop.yaml"), nil)
		if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("include: %s: got %v, want %s", c.include, err, want)
		}
	}
}

func TestIncludesAreBounded(t *testing.T) {
	all := map[string]string{"shop.yaml": "name: shop\ninclude: f0.yaml\ntables: {t: {partition_key: id}}\n"}
	for i := range 101 {
		all[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf("include: f%d.yaml\n", i+1)
	}
	_, err := profiles.Open(filepath.Join(files(t, all), "shop.yaml"), nil)
	if err == nil || !strings.Contains(err.Error(), "f99.yaml:1:10: error: include.0: schema includes more than 100 files") {
		t.Error(err)
	}
	_, err = profiles.Load("shop.yaml", []byte(all["shop.yaml"]), nil)
	if err == nil || !strings.Contains(err.Error(), "include: works only in a schema that is a file") {
		t.Error(err)
	}
}

func TestIncludedFilesBelongToSchema(t *testing.T) {
	dir := files(t, map[string]string{
		"shop.yaml": "name: shop\ninclude: a.yaml\ntables: {t: {partition_key: id}}\n", "a.yaml": "title: A\n",
	})
	var r profiles.Reader
	open := func() (*profiles.Profile, error) { return r.Open(filepath.Join(dir, "shop.yaml"), profiles.Values{}) }
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first, err := open()
	if err != nil || first.Title != "A" {
		t.Fatal(first, err)
	}
	if second, _ := open(); second != first {
		t.Error("Open built the same files again")
	}
	write("title: B\n")
	second, err := open()
	if err != nil || second.Title != "B" || second.Digest() == first.Digest() {
		t.Error("a changed included file is not read again", err)
	}
	write("titel: C\ninclude: [b.yaml]\n")
	if _, err := open(); err == nil {
		t.Error("Open accepted an included file with errors")
	}
	if got := r.Included(); len(got) != 2 || got[1] != filepath.Join(dir, "b.yaml") {
		t.Errorf("Included() = %q", got)
	}
}

// A key can write the days of an attribute in a format that sorts by time. The stored texts do not, so a filter on them
// would drop rows. Only a key that omits a part of the time needs a filter.
func TestRangeOverDaysInAnotherFormat(t *testing.T) {
	for format, filter := range map[string]bool{"%d.%m.%Y": false, "iso8601": true} {
		p, err := profiles.Load("shop.yaml", fmt.Appendf(nil, `name: shop
tables: {t: {partition_key: PK, sort_key: SK}}
entities:
  Bill: {table: t, keys: {PK: BILLS, SK: "{due:day}#{id}"}, attributes: {id: {type: S}, due: {type: S, format: %q}}}
patterns:
  bills:
    operation: query
    key: {PK: BILLS, SK: {range: due, from: "{from}", to: "{to}"}}
    returns: [Bill]
    parameters: {from: {attribute: Bill.due}, to: {attribute: Bill.due}}
`, format), nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Patterns[0].Bind(map[string]string{"from": "2026-06-28", "to": "2026-10-05"}, schemas.Now)
		if err != nil {
			t.Errorf("%s: %v", format, err)
		} else if got := r.Legs[0].Query.FilterExpression != nil; got != filter {
			t.Errorf("%s: has a filter: %v, want %v", format, got, filter)
		}
	}
}
