package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/models"
)

// A user's query must not confirm a masked value. With a right and a wrong value, it returns the same answer, figures
// and exit code, whether DynamoDB or ddbdesk compares the value.
func TestCustomQueriesRevealNoMaskedValue(t *testing.T) {
	w, watch := canaryFixture(t)
	masker := models.NewMasker(w.p.Entities, false)
	requested, previous := 0, map[string]bool{}
	for _, it := range w.items[:min(len(w.items), 12)] {
		if it.Table.KeyID(it.Item) == it.Table.KeyID(w.absent.Item) && it.Table == w.absent.Table {
			continue
		}
		shown := masker.Item(it.Table, it.Item)
		for _, name := range it.Item.Names() {
			if previous[it.Table.Name+name] {
				continue
			}
			text, scalar := it.Item.Text(name)
			if v, exists := shown[name]; !scalar || exists && !models.IsMasked(v) || len(text) < 4 || len(watch.Find(text)) == 0 {
				continue
			}
			previous[it.Table.Name+name] = true
			for _, place := range []string{"%s = %s", "%s begins-with %s", "%s contains %s", "%s >= %s", "%s != %s"} {
				answer := func(value string) string {
					args := []string{
						"--context", "a", "table", "scan", it.Table.Name, "--allow-scan", "-o", "json", "--where", fmt.Sprintf(place, `"`+name+`"`, value),
					}
					code, out, errs := ddbdesk(t, args...)
					return fmt.Sprintf("%d %s %s", code, out, strings.ReplaceAll(errs, value, "VALUE"))
				}
				wrong := strings.Map(func(r rune) rune {
					if r >= 'a' && r < 'z' || r >= '0' && r < '9' {
						return r + 1
					}
					return r
				}, text)
				requested++
				if right, other := answer(text), answer(wrong); right != other {
					t.Errorf("%s of %s: "+place+" depends on the hidden value:\n%s\n%s", name, it.Table.Name, name, text, right, other)
				}
			}
		}
	}
	if requested < 20 {
		t.Errorf("sent only %d queries, want at least 20", requested)
	}
}
