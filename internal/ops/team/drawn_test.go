package team

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/results"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// drawn returns what a terminal of 80 columns shows of a result, without colors.
func drawn(t *testing.T, r op.Result) string {
	t.Helper()
	var out strings.Builder
	now := func() time.Time { return time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC) }
	terminal := &results.Terminal{Writer: &out, Screen: &out, Width: 80, Styles: widget.NewStyles(true, true), Now: now}
	if err := r.Text(op.Output{Writer: terminal}); err != nil {
		t.Fatal(err)
	}
	return ansi.Strip(out.String())
}

// The lines of a request have the times of a terminal's tables.
func TestTerminalShowsShortTimesOfRequests(t *testing.T) {
	q := requests.Request{ID: "q_1", State: requests.Open, Requester: "ana", Created: time.Date(2026, 1, 20, 9, 30, 0, 0, time.UTC)}
	q.Expires = q.Created.AddDate(0, 0, 7)
	got := drawn(t, op.Doc{Lines: []string{"", "end"}, Head: func(to op.Output) []string {
		return requestLines(q, "pay", []requests.Event{{At: q.Created, Action: "file", Who: "ana"}}, to.At)
	}})
	for _, want := range []string{"at 20 Jan 09:30, expires at 27 Jan 09:30\n", "  20 Jan 09:30  filed      ana\n\nend\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s, want %q", got, want)
		}
	}
}

// A narrow terminal shows why a session read or changed items.
func TestNarrowSessionsKeepTheirReasons(t *testing.T) {
	begun := time.Date(2026, 1, 20, 9, 30, 0, 0, time.UTC)
	got := drawn(t, sessionList{{ID: "565ef7bd5df25ab7", Begun: begun, Person: "naledi", Context: "production", Changes: 1, Reason: "OPS-7 expired"}})
	want := "SESSION           STARTED       USER    READS  CHANGES  REVEALS  REASON       \n" +
		"565ef7bd5df25ab7  20 Jan 09:30  naledi      0        1        0  OPS-7 expired\n" +
		"not shown: CONTEXT, COPIES, ITEMS; -o json prints all columns\n"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// Role support reads IDs on a terminal, not keys. The line of a changed item has its long ID last.
func TestTerminalShowsIDsToSupport(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	named := titles{"authbridge": p}
	for text, want := range map[string][2]string{
		"CASE#ver_1 / META":                         {"", "ver_1"},
		"Verification case CASE#••• / META":         {"Verification case", "•••"},
		"AUDIT#2026-01-20 / 2026-01-20T09:30:00Z#a": {"", "a"},
		"5 items":           {"", "5 items"},
		"":                  {"", ""},
		"unknown / unknown": {"", "unknown / unknown"},
	} {
		if title, id := named.item("authbridge", text); [2]string{title, id} != want {
			t.Errorf("%s: got %q and %q, want %q", text, title, id, want)
		}
	}
	if _, id := named.item("requests", "DDBDESK#REQUESTS / 20261130-1900-a5cubd"); id != "20261130-1900-a5cubd" {
		t.Errorf("got %q", id)
	}
	if _, id := (titles{}).item("authbridge", "CASE#ver_1 / META"); id != "CASE#ver_1 / META" {
		t.Errorf("a developer reads %q, want the key", id)
	}

	o := fixture.New(t, "authbridge", session.Support).Options()
	o.Role = session.Support
	r := &runningSweep{w: workspace.New(o)}
	for row, want := range map[changes.Outcome]string{
		{Status: changes.Committed, Key: "CASE#ver_1 / META", Journal: "7411ce158d30"}:   "committed  7411ce15  ver_1\n",
		{Status: changes.Conflict, Key: "CASE#ver_1 / META", Reason: "the data changed"}: "conflict             ver_1  the data changed\n",
	} {
		got := drawn(t, op.Stream{Rows: op.Pushed(func(add func(any) error) error { return add(row) }), Line: r.line})
		if got = strings.TrimRight(got, " \n") + "\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	committed := changes.Outcome{Status: changes.Committed, Key: "CASE#ver_1 / META", Journal: "7411ce158d30"}
	if got := r.line(op.Output{}, committed); got != "committed  CASE#ver_1 / META  journal 7411ce15" {
		t.Errorf("a pipe gets %q", got)
	}
}

// supportHost is the host of role support without schemas.
type supportHost struct{ op.Host }

func (supportHost) Access(*profiles.Profile) session.Options { return session.Options{} }
func (supportHost) Profiles() ([]*profiles.Profile, error)   { return nil, nil }

// A narrow journal says who read what, and how many items of which entity.
func TestNarrowJournalShowsReads(t *testing.T) {
	s := journalOf(&op.Call{Host: supportHost{}})
	s.Rows = op.Pushed(func(add func(any) error) error {
		for i, d := range []journal.Detail{
			{Entities: "Verification 1", Items: "1"}, {Entities: "APIKey 4, Session 6", Items: "10"}, {Items: "0", Why: "failed"},
		} {
			e := journal.Entry{ID: "7411ce158d30", Kind: journal.Lookup, Actor: "root", Role: "admin", Profile: "shop", Subject: "shop.get-item", Detail: d}
			if i == 2 {
				e.Actor, e.Profile, e.Subject = "bob", "requests", "requests.list-requests"
			}
			if err := add(journalEntry{Entry: e}); err != nil {
				return err
			}
		}
		return nil
	})
	got := drawn(t, s)
	for _, want := range []string{"root  get-item", "  Verification  1 item read", "  2 entities    10 items read", "bob   ", "✗ failed"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// A narrow journal shows the ID of a change, which undo takes.
func TestNarrowJournalShowsIDs(t *testing.T) {
	s := journalOf(&op.Call{Host: supportHost{}})
	s.Rows = op.Pushed(func(add func(any) error) error {
		return add(journalEntry{Entry: journal.Entry{
			ID: "7411ce158d30", Kind: journal.Refusal, Actor: "root", Role: "admin", Profile: "shop", Subject: "shop.request-resubmission",
			Detail: journal.Detail{Key: "CASE#ver_62a4aa27-1c51-4ff5-858c-99706b11de60 / META", Why: "role support cannot change items"},
		}})
	})
	if got := drawn(t, s); !strings.Contains(got, "  7411ce15  request-resubmission  CASE#ve") {
		t.Errorf("got\n%s", got)
	}
}
