package profiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

const staged = "name: shop\nvariables: {stage: {default: dev}}\ntables: {t: {name: \"t-{stage}\", partition_key: id}}\n"

func TestReaderBuildsAProfileOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(staged)
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
		t.Error("the same text and values are built again")
	}
	if p := open(profiles.Values{Shared: map[string]string{"stage": "qa"}}); p.Tables[0].Name != "t-qa" {
		t.Errorf("with another value the table is %s", p.Tables[0].Name)
	}
	write(staged + "# more\n")
	if p := open(profiles.Values{}); p == first || p.Digest() == first.Digest() {
		t.Error("a changed file is not read again")
	}
	write("name: [")
	if _, err := r.Open(file, profiles.Values{}); err == nil {
		t.Error("a file that became wrong opens")
	}
}

func TestSharedValuesMayBeUndeclared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, []byte(staged), 0o600); err != nil {
		t.Fatal(err)
	}
	var none *profiles.Reader
	p, err := none.Open(file, profiles.Values{
		Given: map[string]string{"stage": "prod"}, Shared: map[string]string{"stage": "qa", "region": "x"},
	})
	if err != nil || p.Tables[0].Name != "t-prod" {
		t.Errorf("%v, %+v", err, p)
	}
	if _, err := none.Open(file, profiles.Values{Given: map[string]string{"region": "x"}}); err == nil {
		t.Error("an undeclared value is accepted")
	}
}
