package palette

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func titles(list []entry) []string {
	out := []string{}
	for _, e := range list {
		out = append(out, e.Title)
	}
	return out
}

func TestPaletteRanks(t *testing.T) {
	x := newIndex([]screen.Command{
		{ID: "a", Title: "Verifications by date", Words: "list"},
		{ID: "b", Title: "Date of a verification"},
		{ID: "c", Title: "Update the case"},
		{ID: "d", Title: "Sessions", Words: "date"},
		{ID: "e", Title: "Documents by date"},
		{ID: "f", Title: "Approve by date", Why: "not now"},
		{ID: "g", Title: "Dispute after the event"},
		{ID: "h", Title: "Undone by another user"}, // explains a sign
		{ID: "i", Title: "The last change: undo", Run: func() tea.Cmd { return nil }},
	}, []string{"e"})
	for text, want := range map[string][]string{
		"date":       {"Date of a verification", "Documents by date", "Verifications by date", "Update the case", "Sessions"},
		"DATE by":    {"Documents by date", "Verifications by date"},
		"by  verif":  {"Verifications by date"},
		"dspt":       {"Dispute after the event"},
		"undo":       {"The last change: undo", "Undone by another user"},
		"nothing is": {},
	} {
		enabled, disabled, _ := x.find(text)
		if diff := cmp.Diff(want, titles(enabled)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if found := len(disabled) == 1; found != strings.Contains(strings.ToLower(text), "date") {
			t.Errorf("%q: got disabled entries %v", text, titles(disabled))
		}
	}
}

func TestPaletteStartsWithRecentCommands(t *testing.T) {
	x := newIndex([]screen.Command{
		{ID: "a", Title: "A", Section: "One"},
		{ID: "b", Title: "B", Section: "Two"},
		{ID: "c", Title: "C", Section: "One"},
		{ID: "d", Title: "D"},
		{ID: "e", Title: "E", Section: "One", Why: "no"},
		{ID: "f", Title: "F"},
	}, []string{"f", "gone", "b", "e"})
	var got []string
	for _, e := range x.initialEntries(false) {
		got = append(got, e.heading+" "+e.Title)
	}
	if diff := cmp.Diff([]string{"Recent F", "Recent B", "One A", "One C"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPaletteExplainsDisabledActions(t *testing.T) {
	ran := ""
	p := New(widget.NewStyles(true, true), Options{
		Commands: []screen.Command{{ID: "x", Title: "Approve", Why: "the case is closed", Run: func() tea.Cmd { ran = "x"; return nil }}},
		Offer: func(text string) Offers {
			return Offers{Fallback: []screen.Command{{Title: "Decode " + text, Run: func() tea.Cmd { ran = text; return nil }}}}
		},
	})
	for _, r := range "appr" {
		p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	cmd, done := p.Update(screentest.Pressed("enter"))
	if msg, ok := cmd().(screen.NoticeMsg); !ok || done || !strings.Contains(msg.Text, "the case is closed") || ran != "" {
		t.Errorf("enter returned %v, closed: %v, ran %q", msg, done, ran)
	}
	p.Update(tea.KeyPressMsg{Code: 'z', Text: "zzz"})
	if _, done := p.Update(screentest.Pressed("enter")); !done || ran != "apprzzz" {
		t.Errorf("enter passed %q to the decoder", ran)
	}
}

// Offers for the text come after commands that contain its words, but before commands that contain only its letters.
func TestPaletteOrdersOffers(t *testing.T) {
	p := New(widget.NewStyles(true, true), Options{
		Commands: []screen.Command{{ID: "x", Title: "Delivery par_1"}, {ID: "y", Title: "Old par_1", Why: "gone"}},
		Offer: func(text string) Offers {
			return Offers{
				First: []screen.Command{{Title: "Open " + text}}, Last: []screen.Command{{Title: "Find " + text}},
				Fallback: []screen.Command{{Title: "Neither"}},
			}
		},
	})
	for text, want := range map[string][]string{
		"par_1": {"Open par_1", "Delivery par_1", "Find par_1", "Old par_1"},
		"dvy1":  {"Open dvy1", "Find dvy1", "Neither", "Delivery par_1"},
		"zzz":   {"Open zzz", "Find zzz", "Neither"},
	} {
		got := models.MapSlice(p.matchingEntries(text), func(e entry) string { return e.Title })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A long text or an item goes to the decoder. A short text filters the commands.
func TestPalettePaste(t *testing.T) {
	taken := ""
	p := New(widget.NewStyles(true, true), Options{
		Commands: []screen.Command{{Title: "Approve"}}, Paste: func(text string) tea.Cmd { taken = text; return nil },
	})
	if _, done := p.Update(screentest.PasteOf("app\nrove")); done || taken != "" || p.List.Filter() != "app rove" {
		t.Errorf("the palette decodes the pasted name: %q, filter %q", taken, p.List.Filter())
	}
	for _, text := range []string{` {"PK": {"S": "x"}}` + "\n", strings.Repeat("x\n", 1<<19)} {
		if _, done := p.Update(screentest.PasteOf(text)); !done || taken != strings.TrimSpace(text) {
			t.Errorf("%d bytes: closed %v, %d bytes passed on", len(text), done, len(taken))
		}
	}
}

func manyCommands(n int) []screen.Command {
	list := make([]screen.Command, n)
	for i := range list {
		list[i] = screen.Command{
			ID: strconv.Itoa(i), Section: "Patterns of group " + strconv.Itoa(i/20), Kind: "query",
			Title: fmt.Sprintf("Verifications of client %d by status and date", i),
			Note:  "Verification case", Words: fmt.Sprintf("list-client-verifications-%d pattern", i),
		}
		if i%10 == 0 {
			list[i].Why = "not now"
		}
	}
	return list
}

func TestPaletteFitsHostileText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := manyCommands(5)
		for range rapid.IntRange(0, 6).Draw(rt, "more") {
			text := screentest.HostileText.Draw(rt, "text")
			list = append(list, screen.Command{
				ID: text, Section: text, Kind: text, Title: text, Note: text, Words: text,
				Why: rapid.SampledFrom([]string{"", text}).Draw(rt, "why"),
			})
		}
		w, h := rapid.IntRange(60, 140).Draw(rt, "w"), rapid.IntRange(14, 45).Draw(rt, "h")
		p := New(widget.NewStyles(true, true), Options{
			Title: "Go to", Commands: list, Recent: []string{"1", list[len(list)-1].ID}, All: rapid.Bool().Draw(rt, "all"),
		})
		p.Update(screentest.PasteOf(rapid.OneOf(rapid.Just("client"), screentest.HostileText).Draw(rt, "typed")))
		for range rapid.IntRange(0, 4).Draw(rt, "keys") {
			p.Update(screentest.Pressed(rapid.SampledFrom([]string{"up", "down", "pgdown", "backspace"}).Draw(rt, "key")))
		}
		background := widget.Place("", w, h)
		tuitest.RendersExactly(rt, p.Over(widget.NewStyles(true, true), background, w, h), w, h)
	})
}

func BenchmarkPalette(b *testing.B) {
	s := widget.NewStyles(true, false)
	p := New(s, Options{Title: "Go to", Commands: manyCommands(1000), Recent: []string{"7", "77", "777"}})
	background := widget.Place("", 160, 48)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			p.Over(s, background, 160, 48)
		}
	})
	b.Run("type", func(b *testing.B) {
		for b.Loop() {
			p.List.SetFilter("")
			for _, r := range "stat 77" {
				p.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
	})
	b.Run("letters", func(b *testing.B) {
		for b.Loop() {
			p.List.SetFilter("vfclst")
		}
	})
}

// The names of visited items and queries, and of bookmarks, contain no personal data.
func TestVisitsHidePersonalData(t *testing.T) {
	hidden := 0
	for _, name := range []string{"authbridge", "ebay-sniper", "form-bridge", "tazco", "zentriqvision"} {
		p := schemas.Open(t, name)
		samples, err := sample.Items(p, screentest.SampleOptions(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []session.Role{session.Support, session.Developer} {
			env := screentest.NewItemEnv(t, p, &screentest.Memory{}, role)
			for n, sample := range samples {
				e := sample.Entity
				it, extra := models.Item{}, map[string]string{}
				values := e.Values(sample.Item)
				for name, v := range sample.Item {
					if tmpl, key := e.Keys[name]; !key || tmpl.Has(name) {
						it[name] = v
					}
				}
				for _, a := range e.Attributes {
					text, has := values(a.Path)
					if has && a.Sensitive != models.NotSensitive {
						text = fmt.Sprintf("canary%dx@example.com", n)
						it.SetNames(strings.Split(a.Path, "."), models.StringValue(text))
					}
					if has && a.KeyOnly {
						delete(it, a.Name)
						extra[a.Name] = text
					}
				}
				built, err := e.Build(it, extra)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				env.History.RecordVisit(sample.Table, built)
				for _, r := range env.Reading.Related(sample.Table, built) {
					env.History.RecordRun(r.Pattern, r.Args)
					if strings.Contains(fmt.Sprint(r.Args), "canary") {
						hidden++
					}
				}
			}
			for _, c := range RecentCommands(env, "") {
				if text := c.Title + c.Note + c.Words + c.ID; strings.Contains(text, "canary") {
					t.Errorf("%s as %s contains personal data: %s", name, role, text)
				}
			}
		}
	}
	if hidden < 10 {
		t.Errorf("only %d parameters have personal data, want at least 10", hidden)
	}
}
