package profiles_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// files writes files to a new folder, by their path there.
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
	// includer has a table and the sections of other files.
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
		t.Fatalf("%+v, %+v", e, p.Accepts)
	}
	file, line, _ := p.Position("entities.User.attributes.mail")
	if file != filepath.Join(dir, "parts/user.yaml") || line != 4 {
		t.Errorf("mail is at %s:%d", file, line)
	}
}

func TestFaultsOfIncludedFilesNameTheirFile(t *testing.T) {
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
		{"a.yaml", map[string]string{"a.yaml": "tables: {t: {}}\n"}, `a.yaml:1:10: error: tables.t: "t" is already defined in the profile, line 2`},
		{"[a.yaml, b.yaml]", map[string]string{"a.yaml": "maps: {m: {}}\n", "b.yaml": "maps: {m: {}}\n"}, `b.yaml:1:8: error: maps.m: "m" is already defined in DIR/a.yaml:1`},
		{"a.yaml", map[string]string{"a.yaml": "x: \"a\\x1b[2J\"\n"}, `a.yaml:1:4: error: x: contains invisible or control characters`},
		{"a/x.yaml", loop, `a/y.yaml:1:11: error: include.0: file includes itself: shop.yaml → a/x.yaml → a/y.yaml → a/x.yaml; remove it`},
		{"./shop.yaml", nil, `shop.yaml:3:10: error: include.0: file includes itself: shop.yaml → shop.yaml`},
		{"../a.yaml", nil, `shop.yaml:3:10: error: include.0: "../a.yaml" is not a file in the folder of the profile`},
		{"/etc/passwd", nil, `"/etc/passwd" is not a file in the folder of the profile`},
		{`a\b.yaml`, nil, `is not a file in the folder of the profile`},
		{"none.yaml", nil, `shop.yaml:3:10: error: include.0: cannot read "none.yaml": no such file or directory`},
		{"a", map[string]string{"a/x.yaml": ""}, `cannot read "a": not a regular file`},
		{"[[a.yaml]]", nil, `expected a file path`},
		{"a/link.yaml", map[string]string{"a/x.yaml": ""}, `cannot read "a/link.yaml": path escapes from parent`},
	} {
		all := map[string]string{"shop.yaml": good + "include: " + c.include + "\n"}
		for name, text := range c.files {
			all[name] = text
		}
		dir := files(t, all)
		if strings.Contains(c.include, "link") {
			if err := os.Symlink(filepath.Join(dir, "..", "shop.yaml"), filepath.Join(dir, "a/link.yaml")); err != nil {
				t.Fatal(err)
			}
		}
		_, err := profiles.Open(filepath.Join(dir, "shop.yaml"), nil)
		if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("include: %s: %v, want %s", c.include, err, want)
		}
	}
}

func TestIncludesAreBounded(t *testing.T) {
	all := map[string]string{"shop.yaml": "name: shop\ninclude: f0.yaml\ntables: {t: {partition_key: id}}\n"}
	for i := range 101 {
		all[fmt.Sprintf("f%d.yaml", i)] = fmt.Sprintf("include: f%d.yaml\n", i+1)
	}
	_, err := profiles.Open(filepath.Join(files(t, all), "shop.yaml"), nil)
	if err == nil || !strings.Contains(err.Error(), "f99.yaml:1:10: error: include.0: profile includes more than 100 files") {
		t.Error(err)
	}
	_, err = profiles.Load("shop.yaml", []byte(all["shop.yaml"]), nil)
	if err == nil || !strings.Contains(err.Error(), "include: works only in a profile that is a file") {
		t.Error(err)
	}
}

func TestIncludedFilesBelongToTheProfile(t *testing.T) {
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
	if again, _ := open(); again != first {
		t.Error("the same files are built again")
	}
	write("title: B\n")
	second, err := open()
	if err != nil || second.Title != "B" || second.Digest() == first.Digest() {
		t.Error("a changed included file is not read again", err)
	}
	write("titel: C\ninclude: [b.yaml]\n")
	if _, err := open(); err == nil {
		t.Error("an included file with errors opens")
	}
	if got := r.Included(); len(got) != 2 || got[1] != filepath.Join(dir, "b.yaml") {
		t.Errorf("the files to watch are %q", got)
	}
}
