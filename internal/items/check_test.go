package items

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// faultsOf checks a file and returns its faults, one per line, and the error.
func faultsOf(t *testing.T, text string, unchecked bool) (string, error) {
	t.Helper()
	p, err := profiles.Load("typed.yaml", []byte(typed), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes []string
	err = CheckFile(t.Context(), path, ReadOptions{Profile: p}, unchecked, func(s string) { notes = append(notes, s) }, func() {})
	return strings.Join(notes, "\n"), err
}

func TestCheckNamesItemAndAttribute(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", n) }
	itemJSON := func(rest string) string { return `{"pk":"THING#1","id":"1",` + rest + "}" }
	typedItemJSON := func(rest string) string { return `{"pk":{"S":"THING#1"},"id":{"S":"1"},` + rest + "}" }
	const masked, bad, differs = "1 item has masked values", "DynamoDB cannot store 1 item", "1 item does not match the schema"
	for _, tt := range []struct{ text, fault, message string }{
		// A file with masked values must not be loaded.
		{itemJSON(`"mail":"•••"`), "Thing.mail is masked", masked},
		{itemJSON(`"mail":"a•••@•••.com"`), "Thing.mail is masked", masked},
		{itemJSON(`"doc":{"key":["[secret]"]}`), "Thing.doc is masked", masked},
		{itemJSON(`"tags":["a","•••"]`), "Thing.tags is masked", masked},
		{itemJSON(`"doc":{"• ••":1,"•••":1}`), "Thing.doc is masked", masked},
		{itemJSON(`"••• 2":1`), "Thing.••• 2 is masked", masked},
		{`{"pk":"THING#[secret]","id":"1"}`, "Thing.pk is masked", masked},
		{`{"pk":"•••","other":"1"}`, "pk is masked", masked},
		// DynamoDB rejects these values.
		{itemJSON(`"mail":null`), "mail has type NULL instead of S, and is a key of index mails", bad},
		{itemJSON(`"mail":""`), "mail is empty, and is a key of index mails", bad},
		{typedItemJSON(`"mail":{"N":"1"}`), "mail has type N instead of S, and is a key of index mails", bad},
		{itemJSON(`"mail":"` + long(2049) + `"`), "mail has 2,049 bytes instead of at most 2,048, and is a key of index mails", bad},
		{`{"pk":"","id":"1"}`, "pk is empty, and is a key of table data", bad},
		{`{"id":{"S":"p"},"at":{"S":"soon"}}`, "at has type S instead of N, and is a key of table other", bad},
		{itemJSON(`"note":"` + long(410_000) + `"`), "has 410,016 bytes; DynamoDB stores at most 409,600", bad},
		{itemJSON(`"n":1e300`), "n has a number that DynamoDB cannot store", bad},
		{itemJSON(`"doc":{"list":[` + strings.Repeat("1", 39) + `]}`), "doc has a number that DynamoDB cannot store", bad},
		{itemJSON(`"":1`), "has an attribute without a name", bad},
		{itemJSON(`"tags":[]`), "tags is an empty set", bad},
		{itemJSON(`"sizes":[1,"1.0"]`), "sizes is a set with two equal values", bad},
		{typedItemJSON(`"tags":{"SS":["a","a"]}`), "tags is a set with two equal values", bad},
		{itemJSON(`"doc":` + strings.Repeat("[", 33) + strings.Repeat("]", 33)), "doc is nested more than 32 levels deep", bad},
		{itemJSON(`"doc":[{"":1}]`), "doc contains an attribute without a name", bad},
		// The schema does not allow these values, but DynamoDB does.
		{itemJSON(`"state":"odd"`), "Thing.state has a value outside its enum", differs},
		{`{"pk":"THING#1"}`, "Thing lacks id", differs},
		{`{"pk":"NONE#1"}`, "no entity of table data matches", differs},
		{typedItemJSON(`"on":{"S":"x"}`), "Thing.on has type S, but the schema declares BOOL", differs},
		{`{"pk":"THING#2","id":"1"}`, "Thing.pk ", differs},
		{itemJSON(`"until":1795000000000`), "until is the time to live and in milliseconds; DynamoDB expects seconds", differs},
		{typedItemJSON(`"until":{"NULL":true}`), "until is the time to live and has type NULL", differs},
		{itemJSON(`"until":1795000000`) + "\n" + itemJSON(`"on":true`), "f: item 2: has the key of item 1", differs},
	} {
		for _, unchecked := range []bool{false, true} {
			notes, err := faultsOf(t, tt.text, unchecked)
			if unchecked && tt.message == differs {
				if notes != "" || err != nil {
					t.Errorf("%.80s: got notes %q, %v without a check", tt.text, notes, err)
				}
				continue
			}
			if !errors.Is(err, ErrInput) || !strings.HasPrefix(fmt.Sprint(err), "nothing was written, because "+tt.message) || !strings.Contains(notes, tt.fault) {
				t.Errorf("%.80s: got notes %q, %v, want %q", tt.text, notes, err, tt.fault)
			}
		}
	}
}

func TestCheckDescribesFirstInvalidItems(t *testing.T) {
	var lines []string
	for i := range 9 {
		lines = append(lines, fmt.Sprintf(`{"pk":"THING#%d","id":"%[1]d","mail":null}`, i))
	}
	lines = append(lines, `{"pk":"THING#x","id":"x","mail":"x@example.com","until":0}`)
	notes, err := faultsOf(t, strings.Join(lines, "\n"), false)
	if strings.Count(notes, "\n") != maxFaults-1 || !strings.HasPrefix(notes, "f: item 1: mail has type NULL instead of S") ||
		fmt.Sprint(err) != "nothing was written, because DynamoDB cannot store 9 items" {
		t.Errorf("got notes %s and error\n%v", notes, err)
	}
}
