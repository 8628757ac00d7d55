package tui

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screens/home"
)

// everySchema opens all built-in schemas with their sample data.
type everySchema struct {
	dir     string
	list    []*profiles.Profile
	readers map[string]store.Reader
	memory  *local.Store

	production bool
	local      bool
	role       session.Role // role that home knows
}

func newEverySchema(t *testing.T) *everySchema {
	t.Helper()
	s := &everySchema{dir: t.TempDir(), readers: map[string]store.Reader{}}
	for _, name := range profiles.Names() {
		p, r := reader(t, name)
		s.list, s.readers[name] = append(s.list, p), r
	}
	return s
}

func (s *everySchema) Profile(name string) (*profiles.Profile, error) {
	return profileNamed(s.list, name)
}

func (s *everySchema) Source() home.Source {
	return home.Source{Local: s.local, Access: home.Access{Role: string(s.role)}}
}

func (s *everySchema) Profiles() ([]*profiles.Profile, error) { return s.list, nil }

func (s *everySchema) Open(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
	return workspace.New(session.Options{
		Profile: p, Store: s.readers[p.Name], Target: store.Target{Embedded: true}, Role: session.Support, Actor: "kagiso",
		JournalPath: filepath.Join(s.dir, "journal.jsonl"), StateDir: s.dir, Clock: func() time.Time { return noon },
		Declared: session.Declaration{Production: &s.production},
	}).WithLocalStore(s.memory), nil
}

// sampleText returns an attribute of an entity's first sample item, and the ID of the item.
func sampleText(t *testing.T, schema, entity, attribute string) (text, id string) {
	t.Helper()
	for _, it := range schemas.Samples(t, schemas.Shared(t, schema), sample.Options{Seed: 1, At: noon}) {
		if it.Entity.Name != entity {
			continue
		}
		text, _ = it.Entity.Values(it.Item)(attribute)
		id, _ = it.Entity.Values(it.Item)(it.Entity.IDName())
		return text, id
	}
	t.Fatalf("no sample item is a %s", entity)
	return "", ""
}

// After a paste, enter opens the item, whatever its schema.
func TestPasteAndEnterOpenItem(t *testing.T) {
	d := newEverySchema(t)
	for _, p := range []struct{ name, schema, entity, attribute, title string }{
		{"case", "authbridge", "Verification", "verificationId", "Verification case"},
		{"bid", "ebay-sniper", "Bid", "bidId", "Bid"},
		{"email address of a user", "ebay-sniper", "User", "email", "User"},
		{"card request", "tazco", "CardRequest", "requestId", "Card request"},
		{"user", "tazco", "User", "ecosystemId", "User"},
		{"domain", "form-bridge", "Registration", "domain", "Registration"},
		{"video", "zentriqvision", "Video", "videoId", "Video"},
		{"person", "zentriqvision", "Person", "personId", "Person"},
	} {
		t.Run(p.name, func(t *testing.T) {
			text, id := sampleText(t, p.schema, p.entity, p.attribute)
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
				tt.WaitFor("AuthBridge identity")
				tt.Paste(text)
				tt.Reach("1 Overview", "enter")
				if !strings.Contains(tt.Line(0), p.schema) || !strings.Contains(tt.Line(1), p.title) || !strings.Contains(tt.Line(1), id) {
					t.Errorf("enter opened another item:\n%s", tt.Screen())
				}
				tt.Reach("Results", "esc")
				if strings.Contains(text, id) { // The user types the value, and presses enter before the search starts.
					tt.Press("esc")
					tt.Type(text)
					tt.Reach("1 Overview", "enter")
				}
			})
		})
	}
}

// After enter opened an item, the next paste or letter on home replaces the text. Other keys edit it.
func TestNextTextReplacesFoundText(t *testing.T) {
	d := newEverySchema(t)
	first, _ := sampleText(t, "authbridge", "Verification", "verificationId")
	const next = "client_xyz789"
	for name, c := range map[string]struct {
		press func(tt *tuitest.Terminal)
		want  string
	}{
		"paste":        {func(tt *tuitest.Terminal) { tt.Paste(next) }, next},
		"letters":      {func(tt *tuitest.Terminal) { tt.Type(next) }, next},
		"cursor moved": {func(tt *tuitest.Terminal) { tt.Press("down", "up"); tt.Paste(next) }, next},
		"backspace":    {func(tt *tuitest.Terminal) { tt.Press("backspace"); tt.Type("x") }, first[:len(first)-1] + "x"},
		"right arrow":  {func(tt *tuitest.Terminal) { tt.Press("right"); tt.Type("x") }, first + "x"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
				tt.WaitFor("AuthBridge identity")
				tt.Paste(first)
				tt.Reach("1 Overview", "enter")
				tt.Reach("Results", "esc")
				c.press(tt)
				if got := strings.Trim(tt.Line(2), "│ "); got != c.want {
					t.Errorf("Find contains %q, want %q", got, c.want)
				}
			})
		})
	}
}

// Enter opens a schema by its name, runs a link to a query, and opens the unknown table of an AWS console link.
func TestFindOpensNamesAndLinks(t *testing.T) {
	d := newEverySchema(t)
	for _, c := range []struct{ text, row, then string }{
		{"authbridge", "› Open schema authbridge", "Case with its documents"},
		{"ddbdesk open 'authbridge/list-verifications-by-date?date=2026-01-20'", "› Run Verifications by date · authbridge", "→ Date 2026-01-20"},
		{"https://x.console.aws.amazon.com/dynamodbv2/home#edit-item?pk=CASE%23ver_0&sk=META&table=orders", "› Open the item in that table", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
			tt.WaitFor("AuthBridge identity")
			tt.Paste(c.text)
			tt.WaitFor(c.row)
			if c.then != "" {
				tt.Reach(c.then, "enter")
			}
		})
	}
}

func TestFindShowsResults(t *testing.T) {
	d := newEverySchema(t)
	id, _ := sampleText(t, "authbridge", "Verification", "verificationId")
	email, _ := sampleText(t, "ebay-sniper", "User", "email")
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: d}), size)
			tt.WaitFor("AuthBridge identity")
			tt.Paste(id)
			tt.WaitFor(" item") // The status bar shows the number after the search.
			tt.Golden("hits")
			tt.Press("esc")
			tt.Type("vre_" + strings.TrimPrefix(id, "ver_"))
			tt.WaitFor("Did you mean ver_")
			tt.Golden("nothing")
			tt.Press("esc")
			tt.Paste(email)
			tt.WaitFor("ebay-sniper")
			tt.WaitFor("Not found so far in")
			if strings.Count(tt.Screen(), email) > 1 {
				t.Errorf("the hit shows a masked address:\n%s", tt.Screen())
			}
		})
	})
}

// Letters on home always go to the search field: no ID quits, opens a screen or drafts a schema.
func TestLettersFilterHome(t *testing.T) {
	d := newEverySchema(t)
	id, _ := sampleText(t, "authbridge", "Verification", "verificationId")
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Reach("Help ·", "?")
		tt.Press("esc")
		tt.Type("qj")
		if _, exited := tt.Exited(); exited || !strings.Contains(tt.Line(2), "qj") {
			t.Fatalf("home does not read letters as text:\n%s", tt.Screen())
		}
		places := [][]string{{"esc", "esc"}, {"esc", "tab"}, {"esc", "tab", "tab"}, {"esc", "down"}}
		for i, typed := range []string{"req_1", "Smith", "VIDEO-9", "CASE#ver_1", "john@x.com", "/in_review", "[7]", "nq"} {
			tt.Press(places[i%len(places)]...)
			tt.Type(typed)
			if _, exited := tt.Exited(); exited || !strings.Contains(tt.Line(2), strings.TrimPrefix(typed, "/")) {
				t.Fatalf("%q after %q is missing in the search field:\n%s", typed, places[i%len(places)], tt.Screen())
			}
		}
		tt.Press("esc")
		tt.Paste(id)
		tt.WaitFor("its own ID")
		const all = "/19:=?aioqx" // Each of these keys starts the same search; the tests of home cover the letters.
		for i, r := range all {
			if tt.Type(string(r)); !strings.Contains(tt.Line(2), id+all[:i+1]) || tt.Has("WCU") {
				t.Fatalf("home does not read %q in the results as text:\n%s", r, tt.Screen())
			}
		}
		tt.Press("esc", "ctrl+p")
		tt.Type("CASE#ver_none")
		tt.WaitFor("Find CASE#ver_none")
		tt.Reach("No item here with this", "enter")
		tt.Press("esc", "ctrl+p") // The palette lists every queue of home, and the keys that act there.
		tt.Type("dead letters")
		tt.Reach("Dead letters", "esc", "ctrl+p")
		tt.Type("open the inbox")
		tt.WaitFor("ctrl+o i")
	})
}

// A key cancels the running search, because the text has changed.
func TestTypingCancelsSearch(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste("ver_")
		tt.Type("none")
		if tt.Has("No item here with this") {
			t.Error("the search started while the user typed")
		}
		tt.WaitFor("No item here with this")
		tt.Type("x")
		if tt.Has("No item here with this") {
			t.Error("the previous result is still visible")
		}
	})
}

// Home lists the last opened item below the schemas.
func TestRecentItemsAreBelowSchemas(t *testing.T) {
	d := newEverySchema(t)
	id, _ := sampleText(t, "tazco", "CardRequest", "requestId")
	synctest.Test(t, func(t *testing.T) {
		d.memory = local.New()
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste(id)
		tt.Reach("read at", "enter")
		tt.Reach("Recent", "esc", "esc")
		tt.Golden("home")
		tt.Reach("1 Overview", "right", "up", "enter")
		if !strings.Contains(tt.Line(1), id) {
			t.Errorf("the recent item is not open:\n%s", tt.Screen())
		}
		// Find suggests the known ID for one with a typing error.
		tt.Press("esc", "/")
		tt.Type(id[:len(id)-1])
		tt.WaitFor("Did you mean " + id)
		tt.Reach("Not found", "down", "enter")
	})
}

// Home omits bookmarks in tables that the schema no longer has.
func TestHomeOmitsUnusableBookmarks(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	d.bookmarks = filepath.Join(t.TempDir(), "bookmarks.yaml")
	const file = `bookmarks:
- {name: gone, table: OldTable, key: {PK: "CASE#ver_1", SK: META}}
- {name: there, table: authbridge, key: {PK: "CASE#ver_1", SK: META}}
`
	table := d.profile.Tables[0].ID
	if err := os.WriteFile(d.bookmarks, []byte(strings.ReplaceAll(file, "table: authbridge", "table: "+table)), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		tt.Reach("2 bookmarks", ":bookmarks")
		tt.Reach("★ there", "alt+home")
		if tt.Has("★ gone") {
			t.Errorf("home lists an unusable bookmark:\n%s", tt.Screen())
		}
		tt.Reach("1 Overview", "right", "up", "enter")
	})
}

// In production, Find does not scan. It selects the first offer when the user has had time to see it, the bottom line
// shows the price, and enter starts the scan.
func TestProductionScansAreOffered(t *testing.T) {
	d := newEverySchema(t)
	d.production = true
	bid, _ := sampleText(t, "ebay-sniper", "Bid", "bidId")
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste(bid)
		tt.Press("enter") // This enter must not start a scan.
		tt.WaitFor("One bid also needs userId; find it with User by email address")
		tt.Golden("offer")
		tt.Press("enter") // The user cannot have seen the offer yet.
		if tt.Has("scan about 80 items") {
			t.Error("enter listed an offer that is not selected")
		}
		tt.WaitFor("› Search for this ID or one that starts with it: scan about 472 items, 1.0 s · 2 tables")
		tt.WaitFor("enter list them  ↑↓ choose")
		tt.Reach("Bid also needs userId: scan about 80 items", "enter")
		for range 9 {
			if !tt.Has("› Bid also") {
				tt.Press("down")
			}
		}
		tt.WaitFor("enter scan about 80 items, 1.0 s  ↑↓ choose")
		tt.Reach("found by a scan", "enter")
		tt.Reach("1 Overview", "enter")
	})
}

// Outside of production, enter starts the searches that Find offers if they are cheap. It does not list their tables
// first.
func TestCheapSearchesStartAtOnce(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste("Thabo")
		tt.WaitFor("No item found so far for Thabo.")
		tt.WaitFor("› Search indexed attributes")
		tt.Reach("› Search all items", "enter")
		tt.Reach("Audit entry", "enter") // user_thabo
		tt.Press("esc")
		tt.Paste("client_xyz789")
		tt.WaitFor("Search indexed attributes")
		for !tt.Has("› Search indexed attributes") {
			tt.Press("down")
		}
		tt.Press("enter")
		tt.WaitForRemoval("Search indexed attributes")
		tt.WaitFor("found by Client") // The items of the first search stay.
		tt.Press("esc")
		tt.Paste("Zebra")
		tt.WaitFor("› Search indexed attributes")
		tt.Press("enter")
		tt.WaitForRemoval("Search indexed attributes")
		tt.WaitFor("No item found so far for Zebra.")
		tt.WaitFor("Not found so far in authbridge, ebay-sniper, form-bridge, tazco, zentriqvision.")
		tt.Press("esc")
		tt.Paste("Zebra")
		tt.WaitFor("› Search indexed attributes")
		tt.Reach("› Search all items", "down")
		tt.Reach("no visible value contains Zebra", "enter")
		if tt.Has("indexed attributes") {
			t.Errorf("find offers to read the same attributes again:\n%s", tt.Screen())
		}
	})
}

// Role support reads at once which values a search for a word omits and what to ask for, starts it with one enter, and
// reads what each offer finds.
func TestFindExplainsSearchesInPlainWords(t *testing.T) {
	d := newEverySchema(t)
	d.role = session.Support
	email := ""
	for _, it := range schemas.Samples(t, schemas.Shared(t, "authbridge"), sample.Options{Seed: 1, At: noon}) {
		if v, ok := it.Item.At("customerMetadata.email"); ok {
			email, _ = models.ValueText(v)
		}
	}
	const masked = "Not searched, because masked: Admin email, Browser, Contact email, Email, and 19 more. Ask for an ID or the whole email address."
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste("Zebra")
		tt.WaitFor("No item found so far for Zebra. " + masked[:60])
		tt.WaitFor("› Search all items: about ")
		if text := tt.Screen(); strings.Contains(text, "tables\n") || strings.Contains(text, "whole value") {
			t.Errorf("find offers several searches, or names their tables:\n%s", text)
		}
		tt.Reach("items: no visible value contains Zebra. ", "enter")
		if text := strings.Join(strings.Fields(strings.ReplaceAll(tt.Screen(), "│", "")), " "); !strings.Contains(text, masked) {
			t.Errorf("find does not explain which values it omits:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Paste(email)
		tt.WaitFor("› Verification case")
		tt.WaitFor("  Search ebay-sniper for this email address, in any spelling: about ")
		tt.WaitFor(" for items with exactly this ID or value: about ")
		tt.Press("down", "up")
		tt.WaitFor("match found by Email  ")
	})
}

// Enter that comes with a paste starts the only possible search if it is cheap. The top border shows the cost of all
// searches for the text, and a row shows the cost before it starts.
func TestEnterStartsOnlySearch(t *testing.T) {
	d := newEverySchema(t)
	_, id := sampleText(t, "authbridge", "Verification", "verificationId")
	for _, production := range []bool{false, true} {
		d.production = production
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
			tt.WaitFor("AuthBridge identity")
			tt.Paste(id[len("ver_"):][:8])
			tt.Press("enter")
			if production {
				tt.WaitFor("· 4 tables")
				if !tt.Has("The results just changed. Press enter again.") || !tt.Has("starts with it: scan about") {
					t.Errorf("the row has no cost, or enter starts a scan in production:\n%s", tt.Screen())
				}
				if tt.Paste("x"); tt.Has("The results just changed") {
					t.Errorf("the notice outlasts its result:\n%s", tt.Screen())
				}
				return
			}
			tt.Reach("start of its ID")
			if tt.Has("The results just changed") {
				t.Errorf("Find refuses the enter:\n%s", tt.Screen())
			}
		})
	}
}

// On a small screen, one kind of hit stays open, and the other kinds share a row each. An audit entry shows its action
// and time.
func TestFindKeepsOneKindOpen(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 80, H: 24})
		tt.WaitFor("authbridge")
		tt.Paste("client_xyz789")
		tt.WaitFor("10+ items found by User")
		tt.WaitFor("› Verification case  ver_")
		tt = tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 120, H: 50})
		tt.WaitFor("authbridge")
		tt.Paste("client_xyz789")
		tt.WaitFor("Audit entry        10+ items found by User")
		for range 11 {
			tt.Press("down")
		}
		tt.Reach("Audit entry        Created a case, ", "enter")
		if id := regexp.MustCompile(`case  ver_[0-9a-f-]{36} `); !id.MatchString(tt.Screen()) {
			t.Errorf("the IDs are cut:\n%s", tt.Screen())
		}
	})
}

// If Find identifies the item, it lists the other items one per row if they fit.
func TestFindListsItemsThatFit(t *testing.T) {
	d := newEverySchema(t)
	count := map[string]int{}
	for _, it := range schemas.Samples(t, schemas.Shared(t, "authbridge"), sample.Options{Seed: 1, At: noon}) {
		if id, ok := it.Entity.Values(it.Item)("verificationId"); ok && it.Entity.Name == "Document" {
			count[id]++
		}
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(count)), func(a, b string) int { return cmp.Compare(count[a], count[b]) })
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 80, H: 24})
		tt.WaitFor("AuthBridge identity")
		tt.Paste(most)
		tt.WaitFor("› Verification case")
		if n := strings.Count(tt.Screen(), "Uploaded document  doc_"); n < 7 || n != count[most] {
			t.Errorf("find lists %d of %d documents:\n%s", n, count[most], tt.Screen())
		}
	})
}

// Enter that comes with a paste does not open the first of several items, which the user has not seen. If Find lists only
// the first items of a query, it offers the whole query.
func TestFindListsSeveralItems(t *testing.T) {
	d := newEverySchema(t)
	synctest.Test(t, func(t *testing.T) {
		tt := tuitest.New(t, New(Options{Opener: d}), tuitest.Size{W: 120, H: 50})
		tt.WaitFor("AuthBridge identity")
		tt.Paste("client_xyz789")
		tt.Reach("The results just changed. Press enter again.", "enter")
		tt.WaitFor("› Verification case  ver_")
		tt.Advance(time.Second)
		tt.WaitFor("Audit entry        10+ items found by User")
		for range 10 {
			tt.Press("down")
		}
		tt.WaitFor("› First 10 of 18 · list all: All verifications of a client · client_xyz789")
		tt.WaitFor("enter list all")
		tt.Reach("items · 1 page", "enter")
		tt.WaitFor("client_xyz789")
	})
}

// If a key almost matches a template, Find explains the mismatch and opens the decoder.
func TestFindExplainsInvalidKey(t *testing.T) {
	d := newEverySchema(t)
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			tt := tuitest.New(t, New(Options{Opener: d}), size)
			tt.WaitFor("AuthBridge identity")
			tt.Paste("CASE#abcx")
			tt.WaitFor(`"abcx" does not start with ver_ at character 6`)
			tt.Golden("invalid")
			tt.Reach("authbridge › Decode", "down", "enter")
			tt.WaitFor("template  CASE#{verificationId}")
		})
	})
}

// A form suggests values that keys of opened items contain, such as the organization of a video.
func TestFormSuggestsValuesOfOpenedItems(t *testing.T) {
	d := newEverySchema(t)
	video, _ := sampleText(t, "zentriqvision", "Video", "videoId")
	org, _ := sampleText(t, "zentriqvision", "Video", "orgId")
	synctest.Test(t, func(t *testing.T) {
		d.memory = local.New()
		tt := tuitest.New(t, New(Options{Opener: d}), wideSize)
		tt.WaitFor("AuthBridge identity")
		tt.Paste(video)
		tt.Reach("read at", "enter")
		tt.Reach("Patterns", "esc", "esc", "enter")
		selectPattern(tt, "People of an organization")
		tt.Press("enter")
		tt.Type(org[:4])
		if !tt.Has(org) {
			t.Errorf("the form does not suggest the video's organization:\n%s", tt.Screen())
		}
	})
}
