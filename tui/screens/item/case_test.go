package item

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// The item and its related items are saved in one new file. In production, this needs a reason.
func TestCaseIsSaved(t *testing.T) {
	for name, c := range map[string]struct {
		production        bool
		reason, key       string
		exists            bool
		obstacle, refuses string
	}{
		"new file":       {},
		"existing file":  {exists: true, obstacle: "already exists"},
		"deleted item":   {key: "CASE#ver_gone", obstacle: "the item no longer exists"},
		"missing reason": {production: true, refuses: "reason is required"},
		"reason":         {production: true, reason: "OPS-7"},
	} {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t, "authbridge", session.Support)
			o := f.Options()
			if o.Role = session.Support; c.production {
				o.Environment = "prod"
			}
			e, it := f.SampleCase(t, "approved")
			if it = it.Clone(); c.key != "" {
				it["PK"] = models.StringValue(c.key)
			}
			env := &screen.Env{
				Context: t.Context(), Workspace: f.Open(o), Styles: widget.NewStyles(true, true), Now: func() time.Time { return fixture.Now },
			}
			s := New(env, screen.Item{Table: e.Table, Item: it}).(*itemScreen)
			q := s.caseDialog().(*overlay.Question)
			path := filepath.Join(t.TempDir(), "a.ddbcase")
			if c.exists {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			q.Form.SetValues(map[string]string{fileField: path, reasonField: c.reason})
			if reason := q.Dialog.Buttons[1].Disabled(); reason != c.refuses {
				t.Fatalf("the button's reason is %q", reason)
			}
			if c.refuses != "" {
				return
			}
			notice := s.Update(q.Yes()().(tea.BatchMsg)[1]())
			if c.obstacle != "" {
				if n, ok := notice().(screen.NoticeMsg); !ok || !strings.Contains(n.Text, c.obstacle) {
					t.Errorf("got notice %v, want %q", n, c.obstacle)
				}
				return
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if file, err := cases.Parse(text); err != nil || file.Items < 2 || file.Start.Entity != "Verification" {
				t.Errorf("got file %+v, %v", file, err)
			}
			s.SetSize(100, 40)
			if view := s.View(); !strings.Contains(view, "✓ "+path) || !strings.Contains(view, "replaced") {
				t.Errorf("the dialog lacks the path or the replaced attributes:\n%s", view)
			}
		})
	}
}
