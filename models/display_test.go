package models_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// masks are texts that a Masker shows in the place of data.
var masks = []string{models.MaskedText, models.SecretText, "k•••@•••.bw"}

func TestDataEqualToAMaskIsNotMasked(t *testing.T) {
	table, entities := people()
	for _, text := range append(masks, "see [secret] below", "a ••• b") {
		it := person(models.Item{"note": s(text), "email": s(text)})
		shown := models.NewMasker(entities, false).Item(table, it)
		if models.IsMasked(it["note"]) || it.Masked() || models.IsMasked(shown["note"]) {
			t.Errorf("the data %q is taken for a mask", text)
		}
		if !models.IsMasked(shown["email"]) || models.EqualValues(shown["email"], it["email"]) {
			t.Errorf("the personal data %q is shown as %v, unmasked", text, shown["email"])
		}
	}
}

func TestMaskedFindsNestedValues(t *testing.T) {
	table, entities := people()
	masker := models.NewMasker(entities, false)
	for name, want := range map[string]bool{
		"contact": true, "token": true, "files": true, "GSI1PK": true, "PK": false, "note": false, "id": false,
	} {
		if got := models.IsMasked(masker.Item(table, person(nil))[name]); got != want {
			t.Errorf("%s is masked: %v, want %v", name, got, want)
		}
	}
	list := masker.Item(table, person(models.Item{"contact": l(m("kind", s("home")), m("phone", s("+26771234567")))}))
	if !models.IsMasked(list["contact"]) || models.IsMasked(l(m("kind", s("home")))) {
		t.Error("a masked value in a list is not found")
	}
}

func TestDisplayTellsSecretsFromPersonalData(t *testing.T) {
	hides, reveals := models.NewMasker(nil, false), models.NewMasker(nil, true)
	tests := []struct {
		masker      *models.Masker
		sensitivity models.Sensitivity
		want        models.Display
	}{
		{hides, models.Open, models.Display{Text: "x"}},
		{hides, models.PII, models.Display{Text: "•••", Masked: true}},
		{reveals, models.PII, models.Display{Text: "x"}},
		{reveals, models.Secret, models.Display{Text: "[secret]", Masked: true, Secret: true}},
	}
	for _, tt := range tests {
		got := tt.masker.Display("x", tt.sensitivity, models.NoFormat)
		if got != tt.want {
			t.Errorf("%q value: got %+v, want %+v", tt.sensitivity, got, tt.want)
		}
		if v := got.Value(); models.IsMasked(v) != got.Masked || string(models.AppendTypedJSON(nil, v)) != `{"S":"`+got.Text+`"}` {
			t.Errorf("%+v becomes the value %v", got, v)
		}
	}
	open, pii, secret := tests[0].want, tests[1].want, tests[3].want
	for _, pair := range [][2]models.Display{{open, pii}, {pii, secret}, {open, secret}} {
		if pair[0].Stricter(pair[1]) != pair[1] || pair[1].Stricter(pair[0]) != pair[1] {
			t.Errorf("%+v is not stricter than %+v", pair[1], pair[0])
		}
	}
}

// A masked address shows its first letter and its top-level domain. What is not clearly an address shows nothing.
func TestDisplayOfAddresses(t *testing.T) {
	m := models.NewMasker(nil, false)
	for text, want := range map[string]string{
		"kago@mail.bw": "k•••@•••.bw", "élan@a.b.museum": "é•••@•••.museum", "k@m.x": "k•••@•••.x",
		"kago": "•••", "@mail.bw": "•••", "kago@mail": "•••", "kago@mail.": "•••", "kago@": "•••", "k@m.toolong1": "•••", "k@m.abcdef": "k•••@•••.abcdef",
		"k@m.abcdefg": "•••", "k@.bw": "k•••@•••.bw",
	} {
		if got := m.Display(text, models.PII, models.Email).Text; got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// What is hidden behind the prefix of a key is a secret only if its attribute is one.
func TestDisplayKeyMarksMaskedKeys(t *testing.T) {
	table, entities := people()
	masker := models.NewMasker(entities, false)
	for key, want := range map[string]models.Display{
		"7#t0k#+267": {Text: "7#[secret]#•••", Masked: true, Secret: true},
		"7":          {Text: "•••", Masked: true, Secret: true},
	} {
		if got := masker.DisplayKey(entities[0], entities[0].Keys["GSI1SK"], key); got != want {
			t.Errorf("%s: got %+v, want %+v", key, got, want)
		}
	}
	// In items of no entity, a key shows the longest prefix that it shares with a template.
	for name, want := range map[string]bool{"GSI1PK": false, "GSI1SK": true} {
		v := masker.Item(table, models.Item{"PK": s("NOTE#1"), "SK": s("X"), "GSI1PK": s("MAIL#a@b.c"), "GSI1SK": s("7#t0k#1")})[name]
		if hidden, ok := v.(*models.Masked); !ok || hidden.Secret != want {
			t.Errorf("%s is shown as %#v", name, v)
		}
	}
	if got := masker.DisplayKey(entities[0], entities[0].Keys["PK"], "PERSON#•••"); got.Masked {
		t.Errorf("an open key that holds the text of a mask is shown as %+v", got)
	}
}

func TestLooksMasked(t *testing.T) {
	for _, text := range masks {
		if !models.LooksMasked(text) {
			t.Errorf("%q is not recognized", text)
		}
	}
	for _, text := range []string{"", "k", "CASE#•••", "kago@mail.bw", "a [secret]"} {
		if models.LooksMasked(text) {
			t.Errorf("%q is taken for a mask", text)
		}
	}
}

// Other packages ask whether a value is masked, and never search its text.
func TestNoOtherPackageContainsTheMasks(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "models" || d.Name() == "testing" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, mask := range []string{models.MaskedText, models.SecretText} {
			if strings.Contains(string(text), mask) {
				t.Errorf("%s contains %s", path, mask)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
