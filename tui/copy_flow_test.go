package tui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
)

// runCopyFlow opens the rows of a client at three sizes, and runs a test on them.
func runCopyFlow(t *testing.T, run func(t *testing.T, tt *tuitest.Terminal, c *clip)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newOpenerFixture(t, "authbridge")
		synctest.Test(t, func(t *testing.T) {
			tt, c := open(t, d, size)
			toFirstRow(tt)
			run(t, tt, c)
		})
	})
}

// If the journal records reads, a copy waits until the journal contains the read.
func TestCopiesAreJournaledOnProduction(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	d.environment = "prod"
	synctest.Test(t, func(t *testing.T) {
		tt, c := open(t, d, wideSize)
		toFirstRow(tt)
		tt.Reach("copied 1 marked row", "space", "y", "K")
		var kinds []string
		for e, err := range journal.Read(d.journal) {
			if err != nil {
				t.Fatal(err)
			}
			if kinds = append(kinds, string(e.Kind)+" "+e.Subject); e.Detail.Shown != "masked" {
				t.Errorf("got entry %+v, want masked data", e)
			}
		}
		if n := len(kinds); n < 2 || !slices.Contains(kinds, "lookup authbridge.list-client-verifications") ||
			!strings.HasPrefix(kinds[n-1], "copy 1 marked row") {
			t.Errorf("got journal entries %q", kinds)
		}
		copied := c.read()
		if err := errors.Join(os.Remove(d.journal), os.Mkdir(d.journal, 0o700)); err != nil {
			t.Fatal(err)
		}
		tt.Reach("nothing was copied: cannot record the copy", "y", "g")
		if c.read() != copied {
			t.Error("the console copied text without a journal")
		}
	})
}

func TestCopyMenuCopiesEveryForm(t *testing.T) {
	runCopyFlow(t, func(t *testing.T, tt *tuitest.Terminal, c *clip) {
		tt.Reach("2 marked rows as", "space", "space", "y")
		tt.Reach("Value of", "v")
		tt.Reach("copied the value", "enter")
		for key, want := range map[string]string{
			"T": "2 marked rows", "K": "2 marked rows", "g": "the program", "r": "the command", "i": "the pattern ID",
		} {
			tt.Reach("copied "+want, "y", key)
		}
		tt.Press("y", "K")
		tt.Settle()
		if lines := strings.Split(c.read(), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], `{"PK":{"S":"CASE#ver_`) {
			t.Errorf("got keys %q, want 2", c.read())
		}
		tt.Press("y", "r")
		tt.Settle()
		if got := c.read(); got != "ddbdesk run authbridge list-client-verifications clientId=client_xyz789 --embedded=embedded --role developer" {
			t.Errorf("got command %q", got)
		}
	})
}

// enterNewPath replaces the proposed path with the path of a new file.
func enterNewPath(t *testing.T, tt *tuitest.Terminal, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	tt.Press("tab", "tab", "ctrl+u")
	tt.Type(path)
	return path
}

func TestExportWritesFileAndCopiesPath(t *testing.T) {
	runCopyFlow(t, func(t *testing.T, tt *tuitest.Terminal, c *clip) {
		tt.Reach("‹ read · 18 ›", "o", "E")
		tt.Press("tab", "right")
		tt.Golden("format")
		tt.Press("shift+tab")
		path := enterNewPath(t, tt, "rows.jsonl")
		tt.Reach("✓ 18 items as JSON Lines", "enter")
		tt.Reach("copied the path", "y")
		text, err := os.ReadFile(path)
		if err != nil || strings.Count(string(text), "\n") != 18 || c.read() != path {
			t.Errorf("%s has %d lines, %v; the copied path is %s", path, strings.Count(string(text), "\n"), err, c.read())
		}
	})
}

// If the file exists, enter does not overwrite it, and the dialog explains how to overwrite it.
func TestExportAsksBeforeItReplaces(t *testing.T) {
	runCopyFlow(t, func(t *testing.T, tt *tuitest.Terminal, _ *clip) {
		tt.Press("o", "E")
		path := enterNewPath(t, tt, "rows.csv")
		if err := os.WriteFile(path, []byte("canaryFixture"), 0o600); err != nil {
			t.Fatal(err)
		}
		tt.Reach("The file exists", "enter")
		if text, err := os.ReadFile(path); err != nil || string(text) != "canaryFixture" {
			t.Errorf("the export replaced the file without a question: %q, %v", text, err)
		}
		tt.Type("x")
		if tt.Has("The file exists") {
			t.Errorf("the warning is visible for another name:\n%s", tt.Screen())
		}
		tt.Reach("The file exists", "backspace", "enter")
		tt.Reach("✓ 18 items as CSV", "enter")
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "verificationId,status,") {
			t.Errorf("the file contains %.80q, %v", text, err)
		}
	})
}

// delayPages makes the store return pages of two items with a delay.
func delayPages(d *openerFixture, delay time.Duration) {
	inner := d.store
	d.store = stub{Reader: inner, fetch: func(
		ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int,
	) (accesspatterns.Page, error) {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return hang(ctx, leg, start, limit)
		}
		return inner.Fetch(ctx, leg, start, min(limit, 2))
	}}
}

// An export contains the rows on the screen and all that follow. Canceling it leaves a partial file.
func TestExportReadsToEnd(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	delayPages(d, 300*time.Millisecond)
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Enter("client_xyz789")
		tt.Advance(340 * time.Millisecond)
		tt.Reach("stopped", "esc")
		tt.Press("o", "E", "right")
		path := enterNewPath(t, tt, "rows.jsonl")
		tt.Press("shift+tab", "right", "enter")
		tt.Advance(2 * time.Second)
		tt.Golden("running")
		if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 || list[0].Name() == filepath.Base(path) {
			t.Errorf("the incomplete file has its final name: %v, %v", list, err)
		}
		tt.Reach("saved in ", "esc")
		if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 || list[0].Name() != "rows.jsonl.part" {
			t.Errorf("the canceled export left %v, %v", list, err)
		}
		tt.Press("o", "E", "right")
		path = enterNewPath(t, tt, "rows.jsonl")
		tt.Reach("✓ 18 items as JSON Lines", "shift+tab", "right", "enter")
		text, err := os.ReadFile(path)
		if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); err != nil || len(lines) != 18 || len(unique(lines)) != 18 {
			t.Errorf("got %d lines, %d of them distinct, %v, want 18", len(lines), len(unique(lines)), err)
		}
	})
}

func unique(lines []string) map[string]bool {
	previous := map[string]bool{}
	for _, l := range lines {
		previous[l] = true
	}
	return previous
}

// Before an export reads the rest of a table, it asks for confirmation.
func TestScanExportNeedsConsent(t *testing.T) {
	d := newOpenerFixture(t, "ebay-sniper")
	delayPages(d, 300*time.Millisecond)
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		p := scanPattern(t, d)
		selectPattern(tt, p.Title)
		tt.Reach("Read the whole table?", "enter")
		tt.Press("tab", "enter")
		tt.Advance(6 * time.Second) // Few items on the first pages match the filter.
		tt.Reach("stopped", "esc")
		tt.Press("o", "E", "right")
		enterNewPath(t, tt, "rows.csv")
		tt.Reach("Read it all", "enter")
		tt.Reach("writing", "enter")
		tt.Reach("saved in ", "esc")
	})
}

// scanPattern returns a pattern that scans a table.
func scanPattern(t *testing.T, d *openerFixture) *accesspatterns.Pattern {
	t.Helper()
	for _, p := range d.profile.Patterns {
		if p.Read.Operation == accesspatterns.Scan {
			return p
		}
	}
	t.Fatal("no pattern scans a table")
	return nil
}

// The pager receives the text in the format that the copy menu highlights.
func TestCopyMenuOpensPager(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		previous := ""
		m := New(Options{Opener: d, Start: d.profile.Name, Clipboard: (&clip{}).write})
		m.external.exec = func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				path := c.Args[len(c.Args)-1]
				text, err := os.ReadFile(path)
				previous = filepath.Base(path) + ": " + string(text)
				return done(err)
			}
		}
		tt := tuitest.New(t, m, wideSize, tuitest.WithEnv("PAGER=sh"))
		tt.WaitFor("Patterns")
		toFirstRow(tt)
		tt.Reach("╭ Copy ─", "y", "down", "right", "esc") // esc goes back one level.
		tt.Press("right", "down", "enter")
		tt.Settle()
		if !strings.HasPrefix(previous, "Verification-CASE-ver_2b66fcbf-98e9-445b-9353-8a0c9ee50377-META.json: {\n  \"GSI1PK\"") {
			t.Errorf("the pager received %.80q", previous)
		}
		tt.Reach("Save the item", "y", "down", "right", "up", "enter")
		path := filepath.Join(t.TempDir(), "item.json")
		tt.Press("ctrl+u")
		tt.Enter(path)
		tt.WaitFor("wrote the item to")
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "{\n") {
			t.Errorf("%s contains %.80q, %v", path, text, err)
		}
	})
}
