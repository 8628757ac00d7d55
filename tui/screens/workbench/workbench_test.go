package workbench

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func lineText(l present.RequestLine) string {
	var b strings.Builder
	for _, w := range l.Words {
		b.WriteString(w.Text)
	}
	if l.Problem != "" {
		b.WriteString(" | " + l.Problem)
	}
	return b.String()
}

func TestRequestLineFollowsForm(t *testing.T) {
	for _, c := range []struct {
		profile, pattern string
		args             map[string]string
		hide             string
		want             string
	}{
		{"authbridge", "get-verification", nil, "", `PK = "CASE#{verificationId}"  ·  SK = "META" | needs verificationId`},
		{"authbridge", "get-verification", map[string]string{"verificationId": "ver_1"}, "", `PK = "CASE#ver_1"  ·  SK = "META"`},
		{
			"authbridge", "get-verification",
			map[string]string{"verificationId": "ver_1"},
			"verificationId",
			`PK = "CASE#•••"  ·  SK = "META"`,
		},
		{
			"authbridge", "list-client-verifications-by-status",
			map[string]string{"clientId": "c1"},
			"",
			`GSI1PK = "CLIENT#c1"  ·  begins_with(GSI1SK, "{status}#") | needs status`,
		},
		{
			"authbridge", "list-client-verifications-by-status",
			map[string]string{"clientId": "c1", "status": "created"},
			"",
			`GSI1PK = "CLIENT#c1" · begins_with(GSI1SK, "created#")`,
		},
		{
			"authbridge", "list-client-verifications-by-status",
			map[string]string{"clientId": "c1", "status": "new"},
			"",
			`GSI1PK = "CLIENT#c1"  ·  begins_with(GSI1SK, "{status}#") | not status`,
		},
		{"authbridge", "list-verifications-by-date", nil, "", `GSI2PK = "DATE#2026-01-20"`},
		{"ebay-sniper", "list-item-bids", nil, "", "reads the whole table ebay-sniper-bids-dev | needs ebayItemId"},
		{
			"authbridge", "list-audit-by-user",
			map[string]string{"userId": "u1", "from": "2026-01-01", "to": "2026-01-02"},
			"",
			`GSI3PK = "USER#u1" · GSI3SK BETWEEN "2026-01-01T00:00:00Z" AND "2026-01-02T23:59:59Z$"`,
		},
	} {
		env := screentest.BenchEnv(t, c.profile)
		hidden := map[string]models.Sensitivity{}
		if c.hide != "" {
			hidden[c.hide] = models.PII
		}
		if got := lineText(present.DescribeRequest(env, env.Session.Profile().Pattern(c.pattern), c.args, hidden)); got != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.pattern, c.args, got, c.want)
		}
	}
}

// Each pattern of each schema has a form, a request line and an explanation.
func TestEveryPatternIsShown(t *testing.T) {
	for _, name := range profiles.Names() {
		env := screentest.BenchEnv(t, name)
		b := NewWorkbench(env)
		b.SetSize(120, 38)
		for _, p := range env.Session.Profile().Patterns {
			b.Show(p, nil, false)
			view := b.View()
			if b.Title() != p.Title {
				t.Errorf("%s: Title() = %q", p.FullID(), b.Title())
			}
			if p.IsRead() && lineText(b.job.input.requestLine) == "" {
				t.Errorf("%s: no request line:\n%s", p.FullID(), view)
			}
			if as := b.Actions(); as.Clashes() != nil {
				t.Error(as.Clashes())
			}
		}
		b.Close()
	}
}

// sentLegs is an empty store that records its requests.
type sentLegs struct {
	store.Reader
	mu   sync.Mutex
	legs []accesspatterns.Leg
}

func (s *sentLegs) Fetch(_ context.Context, leg accesspatterns.Leg, _ models.Item, _ int) (accesspatterns.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legs = append(s.legs, leg)
	return accesspatterns.Page{}, nil
}

func (*sentLegs) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, &store.Error{Class: store.AccessDenied}
}

// inputs returns the sorted inputs of requests, because legs are read in parallel.
func inputs(list []accesspatterns.Explanation) []string {
	var out []string
	for _, e := range list {
		out = append(out, string(e.Input))
	}
	slices.Sort(out)
	return out
}

// A write pattern has no request, so explaining or copying the request explains the reason.
func TestWritePatternsHaveNoWorkbenchRequest(t *testing.T) {
	env := screentest.BenchEnv(t, "authbridge")
	b := NewWorkbench(env)
	b.Show(env.Session.Profile().Pattern("create-verification"), nil, false)
	if _, err := b.job.request(); err == nil || !strings.Contains(err.Error(), "write pattern") {
		t.Errorf("request() returned the error %v", err)
	}
}

func TestWorkbenchSendsShownRequest(t *testing.T) {
	env := screentest.BenchEnv(t, "zentriqvision")
	now, spy := env.Now(), &sentLegs{}
	env.Workspace = workspace.New(session.Options{Profile: env.Session.Profile(), Store: spy, Clock: func() time.Time { return now }})
	b := NewWorkbench(env)
	b.Show(env.Session.Profile().Pattern("find-detections-last-24h"), map[string]string{"orgId": "org_1", "since": "now-7d"}, false)
	shown := func() []string {
		r, err := b.job.request()
		if err != nil {
			t.Fatal(err)
		}
		return inputs(r.Explain(reading.DefaultPageSize, nil))
	}
	sent := func() []string {
		return inputs((&accesspatterns.Request{Legs: spy.legs}).Explain(reading.DefaultPageSize, nil))
	}

	first := shown()
	if !strings.Contains(first[0], "20260113T120000Z") {
		t.Fatalf("the first day is not seven days before 20 January, noon:\n%s", first[0])
	}
	now = now.Add(time.Hour)
	b.job.updateLine() // This key has no effect.
	settleLoads(b, b.job.submit())
	if d := cmp.Diff(first, sent()); d != "" {
		t.Errorf("the sent request differs from the displayed request (-displayed +sent):\n%s", d)
	}
	now = now.Add(time.Hour)
	if d := cmp.Diff(sent(), shown()); d != "" {
		t.Errorf("the displayed request differs from the sent request (-sent +displayed):\n%s", d)
	}
	spy.legs = nil
	settleLoads(b, b.job.submit())
	if d := cmp.Diff(sent(), shown()); d != "" || !strings.Contains(shown()[0], "20260113T140000Z") {
		t.Errorf("a repeated request does not use the current time, or differs from the shown one: %s\n%s", shown()[0], d)
	}
}

// settleLoads runs a load to its end.
func settleLoads(b *Workbench, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			settleLoads(b, c)
		}
	case screen.Commit:
		settleLoads(b, b.Update(msg.Answer))
	}
}

// A narrow screen shows the whole request until there are rows.
func TestLongRequestWraps(t *testing.T) {
	b := NewWorkbench(screentest.BenchEnv(t, "authbridge"))
	b.SetSize(80, 22)
	b.Show(b.env.Session.Profile().Pattern("list-client-verifications-by-status"),
		map[string]string{"clientId": "client_xyz789", "status": "documents_uploading"}, false)
	screen := ansi.Strip(b.View())
	if !strings.Contains(screen, "begins_with(GSI1SK, ") || !strings.Contains(screen, `│   "documents_uploading#")`) {
		t.Errorf("the screen cuts the request:\n%s", screen)
	}
}
