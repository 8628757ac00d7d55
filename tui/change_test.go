package tui

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

const caseID = "ver_8f2c91ab-77aa-4c02-9d11-0a1b2c3d4e5f"

// changeFixture is a store with one case, and a session.
type changeFixture struct {
	t       *testing.T
	p       *profiles.Profile
	conn    *store.Connection
	session *workspace.Workspace
	delay   atomic.Int64          // delay of reads and writes, a time.Duration
	fail    atomic.Pointer[error] // error of reads, or nil
	before  func()                // called right before a change
	now     time.Time
	clip    clip
}

// newChangeFixture opens a fixture with the case in a status.
func newChangeFixture(t *testing.T, role session.Role, named, status string) *changeFixture {
	t.Helper()
	p := schemas.Shared(t, "authbridge")
	o := &changeFixture{t: t, p: p, now: noon}
	o.conn = fixture.Connect(t, fixture.DatabaseAt(t, func() time.Time { return o.now }))
	fixture.NewOn(t, p, o.conn).Create(t)
	o.put(status)
	dir := t.TempDir()
	o.session = workspace.NewWriting(session.Options{
		Person:  session.Person{User: "501 (kagiso)"},
		Profile: p, Store: controlledReader{o.conn.Reader(), o},
		Target: store.Target{Region: "af-south-1", Endpoint: "embedded", Embedded: true},
		Role:   role, Context: named, Actor: "kagiso", JournalPath: filepath.Join(dir, "journal"), StateDir: dir,
		Clock: func() time.Time { return o.now },
	}, delayedWriter{o.conn.Writer(), o})
	return o
}

// onCase opens the screen of a case in review, and runs a test on it.
func onCase(t *testing.T, role session.Role, size tuitest.Size, run func(t *testing.T, o *changeFixture, tt *tuitest.Terminal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, role, "", "in_review")
		run(t, o, o.enter(size))
	})
}

// controlledReader is a reader with a delay or an error.
type controlledReader struct {
	store.Reader
	o *changeFixture
}

func (r controlledReader) Fetch(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	if delay := time.Duration(r.o.delay.Load()); delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return accesspatterns.Page{}, ctx.Err()
		}
	}
	if fail := r.o.fail.Load(); fail != nil {
		return accesspatterns.Page{}, *fail
	}
	return r.Reader.Fetch(ctx, leg, start, limit)
}

// delayedWriter is a writer with a delay that calls a function before each change.
type delayedWriter struct {
	store.Writer
	o *changeFixture
}

func (w delayedWriter) Commit(ctx context.Context, b change.Batch) (store.Committed, error) {
	if w.o.before != nil {
		w.o.before()
	}
	time.Sleep(time.Duration(w.o.delay.Load()))
	return w.Writer.Commit(ctx, b)
}

func (f *changeFixture) put(status string) {
	f.t.Helper()
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	e := f.p.Entity("Verification")
	it, err := e.Build(models.Item{
		"verificationId": text(caseID), "clientId": text("client_xyz789"), "status": text(status), "documentType": text("omang"),
		"createdAt": text("2026-01-20T08:01:00Z"), "updatedAt": text("2026-01-20T08:02:10Z"), "submittedAt": text("2026-01-20T08:01:40Z"),
		"expiresAt": text("2026-02-19T08:01:00Z"), "ttl": &types.AttributeValueMemberN{Value: "1771488060"},
		"customerMetadata": &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"email": text("john@example.com")}},
	}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(change.Batch{Writes: []types.TransactWriteItem{{Put: &types.Put{TableName: aws.String(e.Table.Name), Item: it}}}})
}

func (f *changeFixture) write(b change.Batch) {
	f.t.Helper()
	if _, err := f.conn.Writer().Commit(context.Background(), b); err != nil {
		f.t.Fatal(err)
	}
}

// item reads the case.
func (f *changeFixture) item() models.Item {
	f.t.Helper()
	e := f.p.Entity("Verification")
	it, err := f.session.Reading.Get(context.Background(), e.Table, models.Item{
		"PK": &types.AttributeValueMemberS{Value: "CASE#" + caseID}, "SK": &types.AttributeValueMemberS{Value: "META"},
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return it
}

func (f *changeFixture) status() string {
	f.t.Helper()
	text, _ := f.item().Text("status")
	return text
}

// entries returns the day's audit entries.
func (f *changeFixture) entries() []models.Item {
	f.t.Helper()
	e := f.p.Entity("AuditLog")
	page, err := f.conn.Reader().Fetch(context.Background(), accesspatterns.Leg{Query: &dynamodb.QueryInput{
		TableName: aws.String(e.Table.Name), KeyConditionExpression: aws.String("PK = :day"),
		ExpressionAttributeValues: models.Item{":day": &types.AttributeValueMemberS{Value: "AUDIT#2026-01-20"}},
	}}, nil, 0)
	if err != nil {
		f.t.Fatal(err)
	}
	return page.Items
}

// enter starts the console and opens the item screen.
func (f *changeFixture) enter(size tuitest.Size) *tuitest.Terminal {
	f.t.Helper()
	d := &openerFixture{profile: f.p}
	tt := tuitest.New(f.t, New(Options{Opener: singleOpener{d, f.session}, Start: f.p.Name, Clipboard: f.clip.write}), size)
	tt.WaitFor("Patterns")
	tt.Send(screen.OpenMsg{To: screen.Item{Table: f.p.Entity("Verification").Table, Item: f.item()}})
	tt.WaitFor("read at")
	return tt
}

// singleOpener opens the same session for every schema.
type singleOpener struct {
	*openerFixture
	s *workspace.Workspace
}

func (o singleOpener) Open(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
	return o.s, nil
}

// planApproval opens the approval of the case, enters a reason and waits for the plan.
func planApproval(tt *tuitest.Terminal, reason string) {
	tt.Reach("a  Approve", "o")
	if tt.Has("the request: ") {
		tt.Press("down") // A pending request comes first.
	}
	tt.Reach("enter show the plan", "enter")
	tt.Enter(reason)
	tt.WaitFor("only if")
}

func TestApproveShowsPlanBeforeChange(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := o.enter(size)
			tt.Reach("shows a plan first", "o")
			tt.Reach("enter show the plan", "enter")
			tt.Enter("documents match, face score 0.97")
			tt.WaitFor("[ Cancel ]")
			tt.Advance(planGrace)
			if o.status() != "in_review" {
				t.Fatal("opening the plan changed the item")
			}
			golden(t, tt, "plan")
			tt.Reach("✓ Done", "tab", "enter")
			golden(t, tt, "done")
			if got := o.status(); got != "approved" {
				t.Errorf("status = %s, want approved", got)
			}
			it := o.item()
			if key, _ := it.Text("GSI1SK"); key != "approved#2026-01-20T08:01:00Z" {
				t.Errorf("GSI1SK = %s", key)
			}
			if done, _ := it.Text("completedAt"); done != "2026-01-20T12:00:00Z" {
				t.Errorf("completedAt = %s, want the time of the change", done)
			}
			list := o.entries()
			if len(list) != 1 {
				t.Fatalf("got %d audit entries, want 1", len(list))
			}
			if reason, _ := list[0].Text("reason"); reason != "documents match, face score 0.97" {
				t.Errorf("reason in the entry = %q", reason)
			}
			tt.Advance(planGrace)
			tt.Reach("final state", "enter")
			tt.Reach("1 entry, complete", "2")
			golden(t, tt, "history")
			tt.Reach("Audit entry", "enter")
		})
	})
}

// randomID matches generated IDs of audit entries and journal entries.
var randomID = regexp.MustCompile(`(Z#|journal entry )[0-9a-f-]{8,36}`)

// golden compares the screen with its golden file, without generated IDs.
func golden(t *testing.T, tt *tuitest.Terminal, name string) {
	t.Helper()
	tuitest.Golden(t, name, randomID.ReplaceAllStringFunc(tt.Screen(), func(id string) string {
		at := strings.LastIndexAny(id, "# ") + 1
		return id[:at] + strings.Repeat("0", len(id)-at)
	})+"\n")
}

// planGrace is a little longer than the time for which a new plan ignores enter.
const planGrace = 500 * time.Millisecond

func TestUndoRestoresApprovedItem(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("⊘ not changed from this machine", "o")
		tt.Press("esc")
		planApproval(tt, "")
		tt.Advance(planGrace)
		tt.Reach("✓ Done", "tab", "enter")
		tt.Reach("Press it again", "enter")
		tt.Advance(planGrace)
		tt.Reach("final state", "enter")
		o.now = o.now.Add(time.Minute)
		tt.Reach("Undo Approve", "o", "u")
		tt.Enter("the wrong case")
		tt.WaitFor("[ Cancel ]")
		tt.Advance(planGrace)
		golden(t, tt, "plan")
		tt.Reach("✓ Done", "tab", "enter")
		it := o.item()
		if _, exists := it["completedAt"]; exists || o.status() != "in_review" {
			t.Errorf("the undo left %s", it.AppendJSON(nil))
		}
		if n := len(o.entries()); n != 2 {
			t.Errorf("got %d audit entries, want 2", n)
		}
	})
}

// A letter opens the dialog with the focus on the buttons. A pasted reason still goes to its field.
func TestPasteIntoChangeFillsReason(t *testing.T) {
	onCase(t, session.Admin, wideSize, func(t *testing.T, o *changeFixture, tt *tuitest.Terminal) {
		tt.Reach("go to the fields", "o", "a")
		tt.Paste("documents match")
		tt.Reach("Reason  documents match", "enter")
		if o.status() != "in_review" {
			t.Error("the paste changed the item")
		}
	})
}

// The user must scroll to the end of a long plan before confirming it. Until then, the button gives the reason why it
// is unavailable.
func TestLongPlanMustBeScrolledToItsEnd(t *testing.T) {
	for name, keys := range map[string][]string{
		"last line":      {"G"},
		"line by line":   {"j", "j", "j", "j", "j", "j", "j", "j"},
		"last and first": {"G", "g"},
		"last, unfolded": {"G", "left", "left", "left", "enter", "right", "right", "right"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newChangeFixture(t, session.Admin, "", "in_review")
				tt := o.enter(tuitest.Size{W: 80, H: 17})
				planApproval(tt, "ok")
				tt.Advance(planGrace)
				tt.WaitFor("end go to the end")
				tt.Reach("scroll to the end", "right", "enter")
				tt.Press("left", "left", "left", "enter", "G") // G must scroll the plan, not the command.
				tt.Press("enter", "right", "right", "right", "enter")
				tt.Advance(planGrace)
				if got := o.status(); got != "in_review" {
					t.Fatalf("a plan that is not scrolled to its end sets the status to %s", got)
				}
				tt.Press(keys...)
				tt.Reach("✓ Done", "enter")
				if got := o.status(); got != "approved" {
					t.Errorf("status = %s, want approved", got)
				}
			})
		})
	}
}

// On a write pattern, enter shows its description. A second enter asks for the inputs and then plans the change.
func TestPatternOffersItsWrite(t *testing.T) {
	atSizes(t, func(t *testing.T, size tuitest.Size) {
		synctest.Test(t, func(t *testing.T) {
			o := newChangeFixture(t, session.Admin, "", "in_review")
			tt := tuitest.New(
				t,
				New(Options{Opener: singleOpener{&openerFixture{profile: o.p}, o.session}, Start: o.p.Name, Clipboard: o.clip.write}),
				size,
			)
			tt.WaitFor("Patterns")
			selectPattern(tt, "Change the status")
			tt.Reach("enter plan", "enter")
			tt.Reach("toStatus", "enter")
			tt.Type(caseID)
			tt.Reach("▌ ", "tab", "space")
			for range 12 {
				if tt.Has("▌ ✗ rejected") {
					break
				}
				tt.Press("down")
			}
			tt.Reach("only if", "enter", "enter")
			golden(t, tt, "plan")
			tt.Advance(planGrace)
			tt.Reach("✓ Done", "tab", "enter")
			if got := o.status(); got != "rejected" {
				t.Errorf("status = %s, want rejected", got)
			}
			tt.Advance(planGrace)
			tt.Reach("write pattern", "enter")
		})
	})
}

// A disabled write explains the reason and opens no dialog.
func TestDisabledWriteOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newChangeFixture(t, session.Admin, "", "in_review")
		tt := tuitest.New(t, New(Options{Opener: singleOpener{&openerFixture{profile: o.p}, o.session}, Start: o.p.Name}), wideSize)
		tt.WaitFor("Patterns")
		selectPattern(tt, "Create a verification")
		tt.WaitFor("is disabled")
		tt.Press("enter", "enter")
		if tt.Has("Show the plan") {
			t.Errorf("a disabled write opened its form:\n%s", tt.Screen())
		}
	})
}
