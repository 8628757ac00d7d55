package workbench

import (
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/results"
)

// A pattern gets its own layout back.
func TestPatternRestoresItsLayout(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	env.Workspace = workspace.New(session.Options{Profile: env.Session.Profile(), Clock: env.Now})
	b := newRowsWorkbench(env, "list-verifications-by-date", screentest.Cases(0, 9))
	b.SetSize(120, 40)
	for _, key := range []string{"v", "c", "down", "space", "down", "p", "esc"} {
		settle(b, b.Update(pressRow(key)))
	}
	layout := slices.Clone(b.job.rows.Layout.All)
	b.Close()
	if second := newRowsWorkbench(
		env, "list-verifications-by-date", nil,
	); !slices.Equal(second.job.rows.Layout.All, layout) || second.job.rows.Layout.Shown[1].Key != "createdAt" {
		t.Errorf("got restored columns %v", second.job.rows.Layout.Shown)
	}
	if other := newRowsWorkbench(env, "list-client-verifications", nil); !slices.Equal(
		other.job.rows.Layout.All, results.DefaultColumns(other.job.pattern),
	) {
		t.Error("two patterns have the same layout")
	}
}

// ids returns the first n IDs on the screen.
func ids(r *results.Table, n int) []string {
	var out []string
	for i := range min(n, r.Len()) {
		id, _ := r.Row(i).Item.Text("verificationId")
		out = append(out, strings.TrimPrefix(id, "ver_"))
	}
	return out
}

// filterBy filters the rows.
func filterBy(t testing.TB, b *Workbench, text string) {
	t.Helper()
	changed := b.job.rows.SetFilter(text)
	if b.job.rows.Typed.Problem != nil {
		t.Fatal(b.job.rows.Typed.Problem)
	}
	if changed {
		settle(b, b.job.rows.Rearrange())
	}
}
