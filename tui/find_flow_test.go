package tui

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func atFindSizes(t *testing.T, run func(t *testing.T, d *openerFixture, size tuitest.Size)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newOpenerFixture(t, "authbridge")
		synctest.Test(t, func(t *testing.T) { run(t, d, size) })
	})
}

// schemaOpener opens two schemas, and keeps the state that the console saves.
type schemaOpener struct {
	*openerFixture
	other  *profiles.Profile
	reader store.Reader
	memory *local.Store
}

func newSchemaOpener(t *testing.T) *schemaOpener {
	s := &schemaOpener{openerFixture: newOpenerFixture(t, "authbridge")}
	s.other, s.reader = reader(t, "tazco")
	return s
}

func (s *schemaOpener) Profile(name string) (*profiles.Profile, error) {
	return profileNamed([]*profiles.Profile{s.profile, s.other}, name)
}

func (s *schemaOpener) Profiles() ([]*profiles.Profile, error) {
	return []*profiles.Profile{s.profile, s.other}, nil
}

func (s *schemaOpener) Open(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	from := s.store
	if p == s.other {
		from = s.reader
	}
	return workspace.New(session.Options{
		Profile: p, Store: from, Target: store.Target{Embedded: true}, Role: session.Developer, Actor: "kagiso",
		JournalPath: s.journal, StateDir: filepath.Dir(s.journal), Clock: func() time.Time { return noon },
	}).WithLocalStore(s.memory), nil
}

// openHome starts the console on a schema, or on home if start is "".
func (s *schemaOpener) openHome(t *testing.T, start string, size tuitest.Size) *tuitest.Terminal {
	t.Helper()
	tt := tuitest.New(t, New(Options{Opener: s, Start: start}), size)
	if start == "" {
		tt.WaitFor("AuthBridge identity")
	} else {
		tt.WaitFor("Patterns")
	}
	return tt
}

// toFirstRow runs the pattern for a client's verifications, and leaves the cursor on the first row.
func toFirstRow(tt *tuitest.Terminal) {
	selectPattern(tt, "All verifications of a client")
	tt.Press("enter")
	tt.Enter("client_xyz789")
	tt.WaitFor("items · 1 page")
}

func TestPaletteFinds(t *testing.T) {
	atFindSizes(t, func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Press(":")
		tt.Golden("start")
		tt.Type("verif")
		tt.WaitFor("get    Verification by ID")
		tt.Press("esc", ":")
		tt.Type("ver_77aa02cd")
		tt.WaitFor("Open Verification case")
		tt.Reach("no item has this key", "enter")
		tt.Press("alt+left", ":")
		tt.Type("sort")
		tt.Golden("unable")
		tt.Press("enter")
		if !tt.Has("Go to") {
			t.Error("a disabled entry closed the palette")
		}
		tt.Press("esc")
	})
}

func TestPaletteListsRecentEntriesFirst(t *testing.T) {
	onHome(t, "authbridge", func(t *testing.T, tt *tuitest.Terminal) {
		tt.Press(":")
		tt.Type("audit")
		if _, y, _ := tt.Find("Audit entries of a user"); y > lineOf(t, tt, "Audit entries of a day") {
			t.Fatal("the profile's order has changed; choose other patterns for this test")
		}
		tt.Type(" day")
		tt.Press("enter", "esc", ":")
		if lineOf(t, tt, "Recent") > lineOf(t, tt, "Audit entries of a day") {
			t.Errorf("the Recent heading is not above the other entries:\n%s", tt.Screen())
		}
		tt.Type("audit")
		if lineOf(t, tt, "Audit entries of a day   ") > lineOf(t, tt, "Audit entries of a user   ") {
			t.Errorf("the recent entry is not first:\n%s", tt.Screen())
		}
		tt.Press("esc")
	})
}

// lineOf returns the line of a text in the palette.
func lineOf(t *testing.T, tt *tuitest.Terminal, text string) int {
	t.Helper()
	for y := 3; y < 40; y++ {
		if at := strings.Index(tt.Line(y), "│ "); strings.Contains(tt.Line(y)[max(at, 0):], text) {
			return y
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, tt.Screen())
	return 0
}

// For an unknown ID, Find comes first. For an invalid key, the decoder comes first, which explains the mistake.
func TestPaletteOrdersFindAndDecode(t *testing.T) {
	d := newSchemaOpener(t)
	synctest.Test(t, func(t *testing.T) {
		tt := d.openHome(t, "authbridge", wideSize)
		for text, findFirst := range map[string]bool{"doc_abc123": true, "CASE#abcx": false} {
			tt.Press(":")
			tt.Type(text)
			if find, decode := lineOf(t, tt, "Find "+text), lineOf(t, tt, "Decode "+text); (find < decode) != findFirst {
				t.Errorf("%s: Find is on line %d and Decode on line %d", text, find, decode)
			}
			tt.Press("esc")
		}
	})
}

// A paste is text even without a text field, whatever its line breaks. None of its characters acts as a key.
func TestPasteIsNotReadAsKeys(t *testing.T) {
	hostile := "q\nq\ny\nenter\n\x1b[A\r\ndd\r:quit\r\n"
	places := map[string]func(tt *tuitest.Terminal){
		"workbench": func(*tuitest.Terminal) {},
		"rows":      toFirstRow,
		"item": func(tt *tuitest.Terminal) {
			toFirstRow(tt)
			tt.Reach("1 Overview", "enter")
		},
		"queue":     func(tt *tuitest.Terminal) { tt.Press("i") },
		"journal":   func(tt *tuitest.Terminal) { tt.Press("a") },
		"drift":     func(tt *tuitest.Terminal) { tt.Press(":drift") },
		"bookmarks": func(tt *tuitest.Terminal) { tt.Press(":bookmarks") },
		"help":      func(tt *tuitest.Terminal) { tt.Press("?") },
		"visited":   func(tt *tuitest.Terminal) { tt.Press(":visited") },
		"menu": func(tt *tuitest.Terminal) {
			toFirstRow(tt)
			tt.Press("y")
		},
		"home": func(tt *tuitest.Terminal) { tt.Press("esc") },
	}
	for name, openPlace := range places {
		t.Run(name, func(t *testing.T) {
			d := newOpenerFixture(t, "authbridge")
			synctest.Test(t, func(t *testing.T) {
				tt, c := open(t, d, wideSize)
				openPlace(tt)
				tt.Paste(hostile)
				tt.Advance(time.Second)
				if _, exited := tt.Exited(); exited {
					t.Fatal("the paste quit the program")
				}
				if got := c.read(); got != "" {
					t.Errorf("the paste copied %q", got)
				}
				if opened := tt.Has("Decode  ") || tt.Has("You typed outside a field"); opened != (name != "help" && name != "menu" && name != "home") {
					t.Errorf("the decoder or the Find dialog is open: %v:\n%s", opened, tt.Screen())
				}
				if name == "home" && !tt.Has("Results") {
					t.Errorf("home does not search for the pasted text:\n%s", tt.Screen())
				}
			})
		})
	}
}

func TestPasteOpensDecoder(t *testing.T) {
	onHome(t, "authbridge", func(t *testing.T, tt *tuitest.Terminal) {
		toFirstRow(tt)
		tt.Paste("CASE#ver_77aa02cd\nMETA\n")
		tt.WaitFor("Verification by ID")
		tt.Reach("items · 1 page", "esc")
		tt.Paste("  \n ")
		if tt.Has("Decode  ") {
			t.Error("a paste of spaces opened the decoder")
		}
		tt.Paste(strings.Repeat("A#\n", 1<<18))
		tt.WaitFor("bytes pasted")
	})
}

// The palette of home opens the decoder in the selected schema.
func TestHomeOpensDecoder(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 80, H: 24})
		tt.WaitFor("authbridge")
		tt.Press("ctrl+p")
		tt.Type("decode")
		tt.Reach("Key templates of AuthBridge", "enter")
	})
}

// Back and forward restore a screen with its cursor, scroll position, tab and filter.
func TestHistoryKeepsScreens(t *testing.T) {
	onHome(t, "authbridge", func(t *testing.T, tt *tuitest.Terminal) {
		toFirstRow(tt)
		tt.Press("down", "down", "right")
		tt.Press("/")
		tt.Type("approved")
		tt.Press("down")
		tt.Settle()
		rows := tt.Screen()
		tt.Reach("1 Overview", "enter")
		tt.WaitFor("read at")
		tt.Press("2", "down", "down", "down")
		item := tt.Screen()
		tt.Press(":decode")
		tt.Type("CASE#ver_1")
		decoder := tt.Screen()
		same := func(subject, want string) {
			t.Helper()
			tt.Settle()
			if got := tt.Screen(); got != want {
				t.Errorf("%s was not restored:\n%s\nwant\n%s", subject, got, want)
			}
		}
		tt.Press("esc")
		same("the item", item)
		tt.Press("alt+left")
		same("the rows", rows)
		tt.Press("alt+right")
		same("the item after forward", item)
		tt.Press("alt+right")
		same("the decoder", decoder)
	})
}

// The history contains the items and queries of earlier runs.
func TestEarlierRunsHistory(t *testing.T) {
	d := newSchemaOpener(t)
	path := filepath.Join(t.TempDir(), "local.db")
	withHistory := func(run func(tt *tuitest.Terminal)) {
		synctest.Test(t, func(t *testing.T) {
			d.memory = local.Open(path)
			d.memory.SetClock(func() time.Time { return noon })
			run(d.openHome(t, "authbridge", wideSize))
			if err := d.memory.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	withHistory(func(tt *tuitest.Terminal) {
		toFirstRow(tt)
		tt.Reach("read at", "enter")
	})
	withHistory(func(tt *tuitest.Terminal) {
		tt.Reach("Item or query", ":visited")
		tt.Golden("visited")
		tt.Reach("1 Overview", "enter")
		tt.Reach("Recent", ":")
		tt.Reach("Item or query", "esc", ":visited")
		tt.Reach("items · 1 page", "down", "enter")
	})
}

func TestBookmarksAreAddedMovedAndRemoved(t *testing.T) {
	atFindSizes(t, func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Reach("are kept until", ":bookmarks")
		tt.Press("esc")
		toFirstRow(tt)
		tt.Press("o", "B")
		tt.Advance(time.Second)
		tt.Enter("the client")
		tt.WaitFor("bookmarked as the client")
		tt.Reach("Remove the bookmark?", "o", "B")
		tt.Reach("read at", "esc", "enter")
		tt.Reach("Bookmark this item", "o", "B")
		tt.Advance(time.Second)
		tt.Press("ctrl+u")
		tt.Enter("The Client")
		tt.WaitFor("a bookmark with this name already exists")
		tt.Press("ctrl+u")
		tt.Enter("my case")
		tt.WaitFor("bookmarked as my case")
		tt.Reach("2 bookmarks", "o", "L")
		tt.WaitForRemoval("bookmarked as")
		tt.Golden("list")
		tt.Press("down", "alt+up")
		tt.Settle()
		if _, y, _ := tt.Find("item   my case"); y != 3 {
			t.Errorf("the bookmark was not moved:\n%s", tt.Screen())
		}
		tt.Press("o", "e")
		tt.Advance(time.Second)
		tt.Press("ctrl+u")
		tt.Enter("# odd: name")
		tt.WaitFor("# odd: name")
		tt.Reach("1 bookmark", "o", "d")
		tt.Reach("2 bookmarks", "o", "u")
		if _, y, _ := tt.Find("item   # odd: name"); y != 3 {
			t.Errorf("the bookmark was not moved back:\n%s", tt.Screen())
		}
		tt.Reach("1 Overview", "enter")
		tt.Press("esc", ":")
		tt.Enter("the client")
		tt.WaitFor("items · 1 page")
	})
}

// Saved queries and keys contain no personal data.
func TestBookmarksOmitPersonalData(t *testing.T) {
	onHome(t, "ebay-sniper", func(_ *testing.T, tt *tuitest.Terminal) {
		tt.Press(":")
		tt.Enter("email")
		tt.Type("kagiso@example.com")
		tt.Reach("not stored", "esc", "o", "B")
		tt.Advance(time.Second)
		tt.Enter("by mail")
		tt.WaitFor("bookmarked as by mail")
		tt.Reach("required when it is opened", ":bookmarks")
		tt.Reach("email is required", "enter")
	})
}

// A palette command does not replace an open dialog.
func TestPaletteKeepsOpenDialog(t *testing.T) {
	onHome(t, "authbridge", func(_ *testing.T, tt *tuitest.Terminal) {
		toFirstRow(tt)
		tt.Press("o", "B")
		tt.Advance(time.Second)
		tt.Type("half a na")
		tt.Press("ctrl+p")
		tt.Type("explain")
		tt.WaitFor("close the open dialog first")
		tt.Press("esc", "ctrl+p")
		tt.Enter("approve")
		tt.WaitFor("Show the plan")
		tt.Reach("half a na", "esc", "esc")
		tt.Press("ctrl+p")
		tt.Enter("audit entries of a day")
		tt.WaitFor("› Audit entries of a day")
		tt.Reach("half a na", "esc", "esc")
	})
}

func TestClickOnCrumb(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, tuitest.Size{W: 200, H: 40})
		toFirstRow(tt)
		tt.Reach("read at", "enter")
		tt.Reach("Bookmarks and named queries", ":bookmarks")
		tt.ClickText("All verifications of a client")
		tt.WaitFor("items · 1 page")
		tt.Reach("1 Overview", "alt+right")
		tt.ClickText("authbridge ›")
		tt.WaitFor("Needs attention")
		tt.Reach("items · 1 page", "alt+right")
	})
}

// A change of the current row already has its input. A change of another item asks for it.
func TestPaletteChangesRow(t *testing.T) {
	inQueueFixture(t, 2, func(t *testing.T, w *queueFixture, _ tuitest.Size) {
		tt := w.enter(wideSize, "/", "Patterns")
		tt.Press("esc")
		toFirstRow(tt)
		tt.Press(":")
		tt.Type("approve")
		tt.WaitFor("this row")
		tt.Reach("Approve · Verification case", "enter")
		tt.Reach("only if", "enter")
		tt.Press("esc")
		tt.WaitForRemoval("Approve ·")
		tt.Press("shift+tab", "shift+tab", ":")
		tt.Type("approve")
		if tt.Has("this row") {
			t.Errorf("the palette lists actions without a row:\n%s", tt.Screen())
		}
		tt.Reach("verificationId*", "enter")
		tt.WaitFor("Show the plan")
		tt.Press("esc")
	})
}

// findAt80 checks the results of a pasted text at 80 columns, with the cursor on the second row.
func findAt80(t *testing.T, text, result string, check func(tt *tuitest.Terminal)) {
	d := newSchemaOpener(t)
	synctest.Test(t, func(t *testing.T) {
		tt := d.openHome(t, "", tuitest.Size{W: 80, H: 24})
		tt.Paste(text)
		tt.WaitFor(result)
		tt.Press("down")
		check(tt)
	})
}

// At 80 columns, Find lists the newest cases and the number of all, shows the whole text of audit entries, and hides no
// row behind the hint after esc.
func TestFindListsManyItems(t *testing.T) {
	findAt80(t, "client_xyz789", "First 10 of 18 · list all: All verifications of a client", func(tt *tuitest.Terminal) {
		results := tt.Screen()
		tt.Press("enter")
		tt.WaitFor("Verification case ver_")
		tt.Reach("press alt+right to return to", "esc")
		for y, line := range strings.Split(results, "\n") {
			if y < 22 && tt.Line(y) != strings.TrimRight(line, " ") { // The hint covers only the frame below the rows.
				t.Errorf("line %d is %q, want %q", y, tt.Line(y), line)
			}
		}
		tt.Press("end", "up", "pgdown")
		tt.Reach("Completed documents, ", "enter")
		for y := range 24 {
			action, _, _ := strings.Cut(tt.Line(y), "ver_")
			if strings.Contains(action, "Audit entry  ") && strings.Contains(action, "…") {
				t.Errorf("a text is cut: %s", action)
			}
		}
	})
}

// A row of Find for an audit entry shows the item that the entry is about, and the details show its whole ID.
func TestFindShowsSubjectOfAuditEntry(t *testing.T) {
	findAt80(t, "user_thabo", "› Audit entry", func(tt *tuitest.Terminal) {
		row, details := regexp.MustCompile(`› Audit entry .* ver_[0-9a-f]+…[0-9a-f]{4} `), regexp.MustCompile(`about ver_[0-9a-f-]{36} `)
		if text := tt.Screen(); !row.MatchString(text) || !details.MatchString(text) {
			t.Errorf("the case of the audit entry is missing:\n%s", text)
		}
	})
}
