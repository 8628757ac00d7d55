package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// atSizes runs a test on a small terminal, for which golden files exist. With DDBDESK_TEST_EVERYTHING it also uses
// larger ones. Other tests check that frames fit at all sizes.
func atSizes(t *testing.T, run func(t *testing.T, size tuitest.Size)) {
	sizes := []tuitest.Size{{W: 80, H: 24}, {W: 120, H: 40}, {W: 200, H: 60}}
	if !testEverything() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size.W, size.H), func(t *testing.T) { run(t, size) })
	}
}

// runFlow runs a test of the console with a schema.
func runFlow(t *testing.T, name string, run func(t *testing.T, d *openerFixture, size tuitest.Size)) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		d := newOpenerFixture(t, name)
		synctest.Test(t, func(t *testing.T) { run(t, d, size) })
	})
}

// selectPattern selects a pattern by its title.
func selectPattern(tt *tuitest.Terminal, title string) {
	tt.Press("/")
	tt.Type(title)
	tt.Press("tab", "shift+tab")
}

func TestOnlyMenuQuits(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.delay = time.Second
		tt := tuitest.New(t, New(Options{Opener: d}), size)
		tt.WaitFor("AuthBridge identity")
		tt.Press("enter")
		tt.Advance(300 * time.Millisecond)
		if !tt.Has("opening authbridge") {
			t.Errorf("the screen shows no progress while a schema opens:\n%s", tt.Screen())
		}
		tt.Press("esc")
		tt.Advance(2 * time.Second)
		if tt.Has("Patterns ─") {
			t.Error("esc did not cancel opening")
		}
		tt.Reach("Patterns", "enter")
		tt.Reach("Needs attention", "esc")
		tt.Press("esc")
		if _, exited := tt.Exited(); exited {
			t.Fatal("esc quit the program")
		}
		tt.Reach("Patterns", "alt+right")
		tt.Press("q")
		if _, exited := tt.Exited(); exited {
			t.Fatal("q quit the program on a screen other than home")
		}
		tt.Press("esc", ":")
		tt.Enter("schema auth")
		tt.WaitFor("Patterns ─")
		tt.Press("esc", "q")
		if _, exited := tt.Exited(); exited {
			t.Fatal("a letter quit the program")
		}
		tt.Press("ctrl+o", "q")
		if _, exited := tt.Exited(); !exited {
			t.Error("the menu did not quit the program")
		}
	})
}

// Keys that the user presses while a schema opens act on the screen that opens, and enter acts once.
func TestKeysWhileSchemaOpensAreKept(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.delay = time.Second
		tt := tuitest.New(t, New(Options{Opener: d}), size)
		tt.WaitFor("AuthBridge identity")
		tt.Press("ctrl+o", "i")
		tt.Advance(300 * time.Millisecond)
		tt.WaitFor("opening authbridge")
		tt.Press("enter", "enter")
		tt.WaitFor("Overview")
		tt.Press("esc")
		tt.WaitFor("in_review")
	})
}

// A text that the user types while a schema opens stays in the search field. Fewer letters are keys.
func TestTextWhileSchemaOpensIsKept(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		d.delay = time.Second
		tt := tuitest.New(t, New(Options{Opener: d}), size)
		tt.WaitFor("AuthBridge identity")
		tt.Press("enter")
		tt.Advance(300 * time.Millisecond)
		tt.Type("ver_")
		tt.Advance(3 * time.Second)
		if tt.Has("Patterns ─") || !tt.Has("│ ver_") {
			t.Errorf("the schema opened over the typed text:\n%s", tt.Screen())
		}
		tt.Press("esc", "enter")
		tt.Advance(300 * time.Millisecond)
		tt.Press("i")
		tt.WaitFor("Waiting for review")
		tt.WaitFor("› Inbox")
	})
}

func TestWorkbenchRunsPatternAndCopiesKey(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, c := open(t, d, size)
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Type("client_xyz789")
		if !tt.Has(`GSI1PK = "CLIENT#client_xyz789"`) {
			t.Errorf("the request line does not follow the form:\n%s", tt.Screen())
		}
		tt.Press("tab", "space")
		tt.Golden("picker")
		tt.Reach("items · 1 page", "esc", "enter")
		tt.Press("down", "down")
		tt.Golden("rows")
		tt.Reach("copied the key", "y", "k")
		if got := c.read(); !strings.HasPrefix(got, "CASE#ver_") || !strings.HasSuffix(got, " / META") {
			t.Errorf("got copied text %q", got)
		}
		tt.Reach("KeyConditionExpression", "x")
		tt.Reach("As documented", "esc", "o", "I")
		tt.Reach("This screen", "esc", "?")
		tt.Press("esc", ":")
		tt.Type("audit day")
		tt.Reach("Audit entries of a day", "enter")
		tt.Press("shift+tab", "?", "esc")
		tt.WaitForRemoval("copied the key")
	})
}

// During input, the status bar shows the keys of the filter. Clearing the filter keeps the selected pattern.
func TestPatternsAreFiltered(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		tt.Press("/")
		tt.Type("audit entries of a day")
		if !tt.Has("enter choose  esc show all patterns") || tt.Has("x explain") {
			t.Errorf("the hints lack the filter's keys:\n%s", tt.Screen())
		}
		tt.Reach("Verification by ID", "tab", "shift+tab", "esc")
		if !tt.Has("▌ query Audit entries of a day") {
			t.Errorf("the matching pattern is not selected in the whole list:\n%s", tt.Screen())
		}
		tt.Reach("no pattern matches the filter", "/", "q", "q", "q", "enter") // Enter must not run a hidden pattern.
		tt.Reach("▌ query Audit entries of a day", "esc")
	})
}

func TestScanAsksFirst(t *testing.T) {
	runFlow(t, "form-bridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		calls := 0
		inner := d.store
		d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
			calls++
			return inner.Fetch(ctx, leg, start, limit)
		}}
		tt, _ := open(t, d, size)
		selectPattern(tt, "Sites by status")
		tt.Press("enter")
		if tt.Has("leave form") {
			tt.Press("enter")
		}
		tt.WaitFor("Read the whole table?")
		tt.WaitFor("RCU")
		tt.Golden("consent")
		tt.Press("enter")
		if calls != 0 {
			t.Fatal("enter started the scan, although Cancel has the focus")
		}
		tt.Reach("Read the whole table?", "enter")
		tt.Reach("page", "tab", "enter")
		if calls == 0 {
			t.Error("no request arrived after consent")
		}
	})
}

func TestEmptyResultIsExplained(t *testing.T) {
	runFlow(t, "authbridge", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Enter("nobody")
		tt.WaitFor("No items")
		tt.Golden("empty")
	})
}

func TestCountIsShown(t *testing.T) {
	runFlow(t, "tazco", func(t *testing.T, d *openerFixture, size tuitest.Size) {
		tt, _ := open(t, d, size)
		selectPattern(tt, "countRequiringAttention")
		tt.Reach("counted", "enter")
		tt.Golden("count")
	})
}

// pages returns a reader of n rows in pages. The function hold can delay a page.
func pages(inner store.Reader, n int, hold func(ctx context.Context, page int) error) stub {
	row := func(i int) models.Item {
		return models.Item{
			"PK": models.StringValue(fmt.Sprintf("CASE#ver_%05d", i)), "SK": models.StringValue("META"),
			"GSI2PK": models.StringValue("DATE#2026-01-20"), "GSI2SK": models.StringValue(fmt.Sprintf("2026-01-20T10:00:00Z#ver_%05d", i)),
			"verificationId": models.StringValue(fmt.Sprintf("ver_%05d", i)), "status": models.StringValue("created"),
			"clientId": models.StringValue("client_1"), "createdAt": models.StringValue("2026-01-20T10:00:00Z"),
		}
	}
	var pages atomic.Int64 // An item's history and counts are read at the same time.
	return stub{inner, func(ctx context.Context, _ accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
		page := int(pages.Add(1))
		if hold != nil {
			if err := hold(ctx, page); err != nil {
				return accesspatterns.Page{}, &store.Error{Class: store.Canceled, Problem: "canceled", Err: err}
			}
		}
		from := 0
		if id, ok := start.Text("PK"); ok {
			if _, err := fmt.Sscanf(id, "CASE#ver_%d", &from); err != nil {
				return accesspatterns.Page{}, err
			}
			from++
		}
		out := accesspatterns.Page{Capacity: 0.5}
		for i := from; i < n && (limit == 0 || len(out.Items) < limit); i++ {
			out.Items = append(out.Items, row(i))
		}
		out.Count, out.Scanned = len(out.Items), len(out.Items)
		if from+len(out.Items) < n {
			out.LastKey = out.Items[len(out.Items)-1]
		}
		return out, nil
	}}
}

func TestCanceledPageCanBeContinued(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		d.store = pages(d.store, 250, func(ctx context.Context, page int) error {
			if page != 2 {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		})
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "Verifications by date")
		tt.Reach("100 of 100+ items", "enter")
		tt.Press("G")
		tt.Advance(time.Second)
		if !tt.Has("reading AuthBridgeTable") || !tt.Has("esc cancel") {
			t.Fatalf("the end of the page does not load the next page:\n%s", tt.Screen())
		}
		tt.Reach("stopped: n continue", "esc")
		if !tt.Has("ver_00099") {
			t.Error("canceling removed the rows")
		}
		tt.Press("n")
		tt.WaitFor("201 of 201+ items") // The stop came after one row of the next page.
		tt.Reach("250 items", "n")
		tt.Reach("no more pages", "n")
		tt.Press("/")
		tt.Type("ver_0024")
		tt.WaitFor("10 of 250 items")
		tt.Reach("250 items", "enter", "esc")
	})
}

func TestLateAnswersAreDropped(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		inner, calls := d.store, 0
		d.store = stub{inner, func(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
			if calls++; calls == 1 { // The first call ignores the cancellation and answers late.
				time.Sleep(5 * time.Second)
			}
			return inner.Fetch(context.WithoutCancel(ctx), leg, start, limit)
		}}
		tt, _ := open(t, d, wideSize)
		selectPattern(tt, "All verifications of a client")
		tt.Press("enter")
		tt.Enter("client_xyz789")
		tt.Advance(time.Second)
		tt.Press("e")
		tt.Enter("0")
		tt.WaitFor("No items")
		tt.Advance(10 * time.Second)
		if !tt.Has("No items") {
			t.Errorf("a late response replaced a newer one:\n%s", tt.Screen())
		}
	})
}

func TestInterrupt(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		d.store = stub{d.store, hang}
		tt, _ := open(t, d, tuitest.Size{W: 80, H: 24})
		selectPattern(tt, "Verifications by date")
		tt.Press("enter")
		tt.Advance(100 * time.Millisecond)
		if tt.Has("reading AuthBridgeTable") {
			t.Error("the progress appears too early")
		}
		tt.Advance(3 * time.Second)
		tt.Golden("loading")
		tt.Reach("Stopped before the first page", "ctrl+c")
		tt.Advance(5 * time.Second)
		tt.Press("ctrl+c")
		if _, exited := tt.Exited(); exited {
			t.Fatal("a single ctrl+c quit the program")
		}
		tt.Press("ctrl+c")
		if _, exited := tt.Exited(); !exited {
			t.Error("two presses of ctrl+c did not quit the program")
		}
	})
}

func TestPaletteRunsScreensAndActions(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		tt, c := open(t, d, wideSize)
		tt.Press("ctrl+p")
		tt.Enter("mouse")
		tt.WaitFor("mouse support is off")
		tt.WaitForRemoval("mouse support is off")
		tt.Press(":")
		tt.Enter("paste a key")
		tt.WaitFor("› Decode")
		tt.Type("CASE#ver_1")
		tt.WaitFor("Verification")
		tt.Press("ctrl+p")
		tt.Enter("by date")
		tt.WaitFor("Patterns")
		tt.Press("ctrl+p")
		tt.Enter("copy the row")
		tt.WaitFor("pattern ID")
		tt.Reach("copied the pattern ID", "i")
		if c.read() != "authbridge.list-verifications-by-date" {
			t.Errorf("got copied text %q", c.read())
		}
		tt.WaitForRemoval("copied the pattern ID")
	})
}

func TestPaletteNamesRoleThatCannotEdit(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	d.role = session.Support
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		if tt.Has("b custom query") || !tt.Has("? help") {
			t.Errorf("the bottom line offers a query by keys to role support:\n%s", tt.Screen())
		}
		tt.Press("ctrl+p")
		tt.Type("edit an item")
		tt.WaitFor("⊘ role support cannot edit items; request a change with o on an item")
	})
}

func TestMouseSelectsAndOpensRows(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	synctest.Test(t, func(t *testing.T) {
		d.store = pages(d.store, 90, nil)
		tt, _ := open(t, d, wideSize)
		tt.ClickText("Verifications by date")
		tt.Reach("90 items", "enter")
		tt.ClickText("ver_00004")
		tt.WaitFor("5/90")
		tt.Wheel(60, 20, false)
		tt.Wheel(60, 20, false)
		if tt.Has("ver_00000") {
			t.Error("the wheel did not scroll the rows")
		}
		tt.ClickText("schema issue")
		tt.WaitFor("As documented")
		tt.Click(2, 38)
		tt.WaitForRemoval("As documented")
		tt.ClickText("ver_00012")
		tt.WaitFor("13/90")
		tt.ClickText("ver_00012")
		tt.WaitFor("› Verification case")
		tt.ClickText("Verifications by date ›")
		tt.WaitFor("13/90")
		tt.Click(3, 0)
		tt.WaitFor("Needs attention")
	})
}

func TestItemValuesStayHidden(t *testing.T) {
	d := newOpenerFixture(t, "form-bridge")
	d.role = session.Support
	p, args := hiddenParam(d)
	if p == nil {
		t.Skip("no pattern has a parameter with personal data")
	}
	synctest.Test(t, func(t *testing.T) {
		tt, _ := open(t, d, wideSize)
		tt.Send(screen.OpenMsg{To: screen.Patterns{Pattern: p, Args: args, Run: true}})
		tt.WaitFor("1 page")
		tt.Reach("y copy", "esc", "x")
		for _, text := range args {
			if tt.Has(text) {
				t.Errorf("%s shows %q:\n%s", p.ID, text, tt.Screen())
			}
		}
	})
}

// hiddenParam returns a pattern with a masked parameter, and an argument for it.
func hiddenParam(d *openerFixture) (*accesspatterns.Pattern, map[string]string) {
	for _, p := range d.profile.Patterns {
		if p.IsRead() && len(p.Params) == 1 && p.Params[0].Sensitive == models.PII {
			return p, map[string]string{p.Params[0].Name: "kagiso@example.com"}
		}
	}
	return nil, nil
}

func TestEndOfContextRestoresTerminal(t *testing.T) {
	d := newOpenerFixture(t, "authbridge")
	in, keys := io.Pipe()
	t.Cleanup(func() { _ = keys.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	out := &firstFrame{seen: cancel}
	err := Run(
		ctx, Options{Opener: d, Output: out}, tea.WithInput(in), tea.WithWindowSize(80, 24),
		tea.WithEnvironment([]string{"TERM=xterm-256color"}),
	)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Run() = %v, want context.Canceled", err)
	}
	if got := out.String(); !strings.Contains(
		got, "\x1b[?1049h",
	) || !strings.Contains(got, "\x1b[?1049l") || !strings.Contains(got, "\x1b[?25h") {
		t.Errorf("Run did not restore the terminal: %q", got)
	}
}

// firstFrame calls seen after the first frame.
type firstFrame struct {
	mu   sync.Mutex
	out  strings.Builder
	seen func()
}

func (f *firstFrame) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Write(p)
	if strings.Contains(f.out.String(), "ddbdesk") {
		f.seen()
	}
	return len(p), nil
}

func (f *firstFrame) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.String()
}

func TestUnexpectedSecondItemIsReported(t *testing.T) {
	d := newOpenerFixture(t, "form-bridge")
	var p *accesspatterns.Pattern
	for _, q := range d.profile.Patterns {
		if q.ExpectOne && q.IsRead() {
			p = q
		}
	}
	args := map[string]string{}
	for _, q := range p.Params {
		if q.Required {
			args[q.Name] = "x"
		}
	}
	synctest.Test(t, func(t *testing.T) {
		item := models.Item{"PK": models.StringValue("SITE#a"), "SK": models.StringValue("x")}
		d.store = stub{d.store, func(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
			return accesspatterns.Page{Items: []models.Item{item, item}, Count: 2, Scanned: 2}, nil
		}}
		tt, _ := open(t, d, wideSize)
		tt.Send(screen.OpenMsg{To: screen.Patterns{Pattern: p, Args: args, Run: true}})
		tt.WaitFor("expected one item, found 2")
	})
}
