package journal

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
)

// Every entry is one line without control characters, and preserves its texts.
func TestHostileEntriesArePrintableLines(t *testing.T) {
	j := open(t)
	var want []Entry
	for _, s := range hostile.Valid() {
		e := intent(s.Text)
		e.Actor, e.Context, e.Detail = s.Text, s.Text, Detail{Reason: change.Reason(s.Text), Key: s.Text}
		got, err := j.Append(t.Context(), e)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		want = append(want, got)
	}
	text, err := os.ReadFile(j.path)
	if err != nil {
		t.Fatal(err)
	}
	if acts := hostile.FirstUnsafe(string(text), ""); acts != "" {
		t.Errorf("the file contains %s", acts)
	}
	if n := strings.Count(string(text), "\n"); n != len(want) {
		t.Errorf("got %d lines for %d entries", n, len(want))
	}
	var got []Entry
	for e, err := range Read(j.path) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r, err := Verify(j.path); err != nil || !r.OK() {
		t.Errorf("Verify reports %v, %v", r, err)
	}
}
