package tui

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/screens/workbench"
)

// A stage is the console without a program. The test presses keys and delivers messages until the screen shows a text.
type stage struct {
	t       testing.TB
	w       *queueFixture
	m       *Model
	answers chan tea.Msg
}

var stageSize = tea.WindowSizeMsg{Width: 160, Height: 50}

// newStage opens the workbench of a queueFixture.
func newStage(t testing.TB, w *queueFixture) *stage {
	other := newEmptyQueueFixture(t, w.p.Name)
	opener := draftsOpener{
		contextsOpener{queueOpener{&openerFixture{profile: w.p}, w.session()}, map[string]*queueFixture{hostile.Text: other}}, reviewOf(t, hostile.Text),
	}
	o := Options{Opener: opener, Clipboard: w.clip.write}
	s := &stage{t, w, New(o), make(chan tea.Msg, 4096)}
	t.Cleanup(s.m.close)
	s.send(stageSize)
	s.feed(s.m.Init())
	s.until("AuthBridge identity")
	return s
}

// feed starts a command. The method until delivers its result.
func (s *stage) feed(cmd tea.Cmd) {
	if cmd != nil {
		go func() { s.answers <- cmd() }()
	}
}

func (s *stage) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.feed(c)
		}
	default:
		if !isBubbleTeaMsg(msg) || strings.HasSuffix(
			fmt.Sprintf("%T", msg), "PressMsg",
		) || strings.HasSuffix(fmt.Sprintf("%T", msg), "SizeMsg") {
			s.feed(s.m.update(msg))
		}
	}
}

func (s *stage) press(keys ...string) {
	for _, k := range keys {
		if name, ok := strings.CutPrefix(k, ":"); ok && name != "" {
			s.press(":")
			s.typeText(name)
			k = "enter"
		}
		s.send(pressed(k))
	}
}

func (s *stage) typeText(text string) {
	for _, r := range text {
		s.press(string(r))
	}
}

// until delivers messages until the screen shows a text.
func (s *stage) until(want string) {
	s.t.Helper()
	timeout := time.After(3 * time.Minute) // A busy machine is slow; a place that never appears ends the test.
	for len(s.answers) > 0 || !strings.Contains(ansi.Strip(s.m.View().Content), want) {
		select {
		case msg := <-s.answers:
			s.send(msg)
		case <-timeout:
			s.t.Fatalf("%q did not appear:\n%s", want, ansi.Strip(s.m.View().Content))
		}
	}
}

// newHostileDatabase returns a hostile fixture that also contains hostile requests.
func newHostileDatabase(t testing.TB) *queueFixture {
	w := newHostileFixture(t)
	w.putHostileRequests(t)
	return w
}

// newHostileFixture returns a fixture with hostile cases and a hostile connection name. All texts of its schema have
// several lines.
func newHostileFixture(t testing.TB) *queueFixture {
	w := newQueueFixture(t, 30)
	w.p = schemas.Open(t, w.p.Name)
	if n := addLineBreaks(reflect.ValueOf(w.p), map[uintptr]bool{}); n < 100 {
		t.Fatalf("only %d sentences of the profile have several lines", n)
	}
	w.changeOptions = func(o *session.Options) {
		o.Target = store.Target{
			Region: hostile.Text, Endpoint: "http://" + hostile.Text, Profile: hostile.Text, Custom: true,
			Account: hostile.Text,
		}
		o.Context, o.Actor, o.Environment = hostile.Text, hostile.Text, hostile.Text
		o.Identity = func(context.Context) (string, error) { return hostile.Text, nil }
	}
	w.putHostileCases(t)
	return w
}

// newHostileCases returns a fixture with hostile cases and requests, but a normal schema and connection.
func newHostileCases(t testing.TB) *queueFixture {
	w := newQueueFixture(t, 30)
	w.putHostileCases(t)
	w.putHostileRequests(t)
	return w
}

// putHostileCases writes cases with hostile text in every attribute for free text, and one case of 300 KB.
func (f *queueFixture) putHostileCases(t testing.TB) {
	t.Helper()
	deep := models.StringValue(hostile.Text)
	for range 30 {
		deep = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{hostile.Text: deep}}
	}
	for i := range 6 {
		f.put(i+1, "in_review", models.Item{
			"documentType": models.StringValue(hostile.Text), "reviewNotes": models.StringValue(strings.Repeat(hostile.Text+" ", 1+i*200)),
			"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{
				"email": models.StringValue(hostile.Text), hostile.Text: deep,
			}},
			hostile.Text: deep,
			"n":          &types.AttributeValueMemberN{Value: "12345678901234567890123456789012345678"},
			"b":          &types.AttributeValueMemberB{Value: []byte(hostile.Text)},
		})
	}
	f.put(7, "in_review", models.Item{"reviewNotes": models.StringValue(strings.Repeat(hostile.Text, 300<<10/len(hostile.Text)))})
	f.put(8, "in_review", models.Item{"GSI1SK": models.StringValue("submitted#" + hostile.Text)})
	for _, n := range []int{20, 21, 22} {
		if err := f.change(n, "reject", "because "+hostile.Text); err != nil {
			t.Fatal(err)
		}
	}
}

// putHostileRequests files requests with hostile reasons by users with hostile names.
func (f *queueFixture) putHostileRequests(t testing.TB) {
	t.Helper()
	p, err := requests.NewProfile(requestsPlace)
	if err == nil {
		err = f.conn.Admin().CreateTable(t.Context(), p.Tables[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	f.requests = requestsTable
	for n := range 4 {
		s := f.sessionWith(func(o *session.Options) {
			o.Actor, o.Person.User = "dan "+hostile.Text, "dan"
			o.Clock = func() time.Time { return queueTime().Add(time.Duration(n-10) * time.Minute) }
		})
		a, err := s.Planner.Action("approve")
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Planner.Plan(t.Context(), a, map[string]string{"verificationId": f.id(n + 1)}, "because "+hostile.Text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Requests.File(t.Context(), p, "authbridge", ""); err != nil {
			t.Fatal(err)
		}
	}
}

// A scene is a place in the console, with the way to it from the workbench.
type scene struct {
	name string
	open func(s *stage)
}

// pressing returns a way that presses keys until the screen shows a text.
func pressing(want string, keys ...string) func(*stage) {
	return func(s *stage) {
		s.press(keys...)
		s.until(want)
	}
}

// openingTarget returns a way that opens a target.
func openingTarget(want string, to screen.Target) func(*stage) {
	return func(s *stage) {
		s.feed(s.m.open(to))
		s.until(want)
	}
}

// inSequence returns a way that follows several ways in order.
func inSequence(list ...func(*stage)) func(*stage) {
	return func(s *stage) {
		for _, step := range list {
			step(s)
		}
	}
}

// toRows runs the pattern for a client's cases.
func toRows(s *stage) {
	toWorkbench(s)
	p := s.m.env.Session.Profile().Pattern("list-client-verifications")
	b := s.m.top().screen.(*workbench.Workbench)
	s.feed(s.m.route(s.m.top(), b.Show(p, map[string]string{"clientId": "client_xyz789"}, true)))
	s.until("in_review")
	s.press("G", "g")
}

// toWorkbench opens the workbench.
func toWorkbench(s *stage) {
	s.press("enter")
	s.until("type to filter")
}

// toItem opens the first, hostile case.
func toItem(s *stage) {
	toRows(s)
	s.press("enter")
	s.until("read at")
}

// scenes returns every place in the console.
func scenes() []scene {
	list := []scene{
		{"home", func(*stage) {}},
		{"workbench", toWorkbench},
		{"form", inSequence(toWorkbench, pressing("needs", "down", "enter"))},
		{"rows", toRows},
		{"rows/explain", inSequence(toRows, pressing("KeyConditionExpression", "x"))},
		{"rows/findings", inSequence(toRows, pressing("esc close", "o", "I"))},
		{"rows/filter", inSequence(toRows, pressing("30 rows", "/", "i", "n", "_"))},
		{"rows/columns", inSequence(toRows, pressing("pinned", "v", "c"))},
		{"rows/sort", inSequence(toRows, pressing("order of the result", "s"))},
		{"rows/value", inSequence(toRows, pressing("reviewNotes", "v", "r"))},
		{"rows/picture", inSequence(toRows, pressing("other column", "v", "g"))},
		{"rows/copy", inSequence(toRows, pressing("Copy", "y"))},
		{"rows/copy/values", inSequence(toRows, pressing("Copy", "y"), pressing("Value of", "v"))},
		{"rows/copy/save", inSequence(toRows, pressing("Copy", "y"), pressing("Save the item", "down", "right", "up", "enter"))},
		{"rows/export", inSequence(toRows, pressing("Export rows", "o", "E"))},
		{"rows/reveal", inSequence(toRows, pressing("Reveal personal data?", "o", "R"))},
		{"help", inSequence(toRows, pressing("This screen", "?"))},
		{"actions", inSequence(toRows, pressing("Everywhere", "o"))},
		{"palette", inSequence(toRows, pressing("Go to", ":"))},
		{"decode", inSequence(toWorkbench, openingTarget("paste a key", screen.Decode{}), func(s *stage) {
			s.send(tea.PasteMsg{Content: "CASE#ver_" + hostile.Text + " / META"})
			s.until("META")
		})},
		{"map", inSequence(toWorkbench, pressing("GSI3", "S"))},
		{"findings", inSequence(toWorkbench, openingTarget("Affects", screen.Findings{}))},
		{"bookmarks", inSequence(toWorkbench, openingTarget("› Bookmarks", screen.Bookmarks{}))},
		{"visited", inSequence(toItem, openingTarget("newest first", screen.Visited{}))},
		{"compare", inSequence(toItem, pressing("Compare with", "="))},
		{"compare/states", inSequence(toItem, pressing("Compare with", "="), pressing("differ", "enter"))},
		{"item/search", inSequence(toItem, pressing("esc list all", "/", "v", "e", "r"))},
		{"item/menu", inSequence(toItem, pressing("shows a plan first", "o"))},
		{"item/copy", inSequence(toItem, pressing("Copy", "y"))},
		{"item/export", inSequence(toItem, pressing("Export the item", "o", "E"))},
		{"change/inputs", inSequence(toItem, pressing("shows a plan first", "o"), pressing("enter show the plan", "enter"))},
		{"change/plan", inSequence(toItem, pressing("shows a plan first", "o"), pressing("enter show the plan", "enter"), func(s *stage) {
			s.typeText("reason 日本語 👩‍👩‍👧")
			s.press("enter")
			s.until("Cancel")
		})},
		{"queue", inSequence(toWorkbench, pressing("in_review", "i"))},
		{"queue/sweep", inSequence(toWorkbench, pressing("in_review", "i"), pressing("Cancel", "space", "space", "space", "o", "a"))},
		{"requests", inSequence(toWorkbench, openingTarget("4 requests to review", screen.Requests{}), func(s *stage) { s.until("Planned writes now") })},
		{"requests/plan", inSequence(toWorkbench, openingTarget("4 requests to review", screen.Requests{}), func(s *stage) { s.until("Planned writes now") },
			pressing("Approve and apply", "o", "a"))},
		{"requests/reject", inSequence(toWorkbench, openingTarget("4 requests to review", screen.Requests{}), pressing("Reject · request", "o", "r"))},
		{"drift", inSequence(toWorkbench, openingTarget("Search for", screen.Drift{}), pressing("Search for drift?", "enter"), pressing("RCU · as of", "tab", "enter"))},
		{"journal", inSequence(toWorkbench, pressing("committed", "a"))},
		{"audit", inSequence(toWorkbench, openingTarget("verified", screen.Audit{}))},
		{"audit/entries", inSequence(toWorkbench, openingTarget("verified", screen.Audit{}), pressing("Entries of", "enter"))},
		{"environments", inSequence(toWorkbench, openingTarget("there", screen.Environments{}), pressing("only in", "enter"))},
		{"environments/item", inSequence(toWorkbench, openingTarget("there", screen.Environments{}), pressing("equal", "enter"), pressing("verificationId", "enter"))},
		{"draft", inSequence(toWorkbench, openingTarget("LOAN#", screen.Draft{}))},
		{"draft/preview", inSequence(toWorkbench, openingTarget("LOAN#", screen.Draft{}), pressing("esc close", "v"))},
		{"draft/save", inSequence(toWorkbench, openingTarget("LOAN#", screen.Draft{}), pressing("Save the schema", "ctrl+s"))},
		{"command-log", inSequence(toWorkbench, openingTarget("DescribeTimeToLive", screen.CommandLog{}))}, // an empty log has other hints
		{"tail", inSequence(toWorkbench, openingTarget("has no stream", screen.Tail{}))},
	}
	for i, tab := range []string{"overview", "history", "related", "keys", "raw"} {
		key := fmt.Sprint(i + 1)
		list = append(list, scene{"item/" + tab, inSequence(toItem, func(s *stage) { s.press(key) })})
	}
	return list
}

// TestEveryPlaceAcceptsClicksAndText checks the rules for every place: frames fit at small and large sizes, a click
// works on every hint, and typed text has no other effect.
//
// By default it draws each place at a few sizes, clicks each hint of a screen where it first occurs, and types text at
// one speed; DDBDESK_TEST_EVERYTHING covers everything. The places change nothing, so they share one database.
func TestEveryPlaceAcceptsClicksAndText(t *testing.T) { //nolint:tparallel // The places share a database.
	t.Parallel()
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	database := newHostileDatabase(t)
	clicked := map[string]bool{}
	for i, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			enter := func() *stage {
				s := newStage(t, database)
				sc.open(s)
				return s
			}
			s := enter()
			checkEverySize(t, s, i, sc.name)
			s.m.update(stageSize)
			clickHints(t, s, enter, clicked)
			texts := []string{"in_review", "ver_70ff1991", "user_thabo", "reject", "quit", "john@x.com", "ord_318032", "/applied"}
			gaps := []time.Duration{0, 5, 30, 180, 700}
			for n, gap := range gaps {
				if n == i%len(gaps) {
					checkTyping(t, s, texts[i%len(texts)], gap*time.Millisecond)
				} else if testEverything() {
					checkTyping(t, enter(), texts[(i+n)%len(texts)], gap*time.Millisecond)
				}
			}
		})
	}
}

// checkEverySize draws a place at many sizes, and checks some of the frames completely.
func checkEverySize(t *testing.T, s *stage, i int, name string) {
	t.Helper()
	for w := 60; w <= 240; w += 9 {
		for h := 16; h <= 70; h += 9 {
			if i++; i%18 != 0 && !testEverything() {
				continue
			}
			s.m.update(tea.WindowSizeMsg{Width: w, Height: h})
			checkFrameSize(t, s.m, name)
		}
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {240, 70}, {59, 16}, {60, 15}, {1, 1}} {
		s.m.update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		checkFrameSize(t, s.m, name)
		if size[1] == 24 || size[1] == 40 {
			wantSafeFrame(t, s.m, name)
		}
	}
}

// testEverything reports whether the tests should cover everything instead of a sample.
func testEverything() bool { return os.Getenv("DDBDESK_TEST_EVERYTHING") != "" }
