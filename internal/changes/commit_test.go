package changes_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A relay forwards requests to the store, and lets a test answer writes itself.
type relay struct {
	next   store.Doer
	answer func() (string, error) // returns the JSON of an error instead of sending the write; nil forwards it
	before func()                 // called once before the next write reaches the store; may be nil
	after  func()                 // called after the store applied a write; may be nil
	writes int                    // writes sent
	reads  int                    // reads sent
}

// Do implements store.Doer.
func (y *relay) Do(r *http.Request) (*http.Response, error) {
	if !isWrite(r) {
		y.reads++
		return y.next.Do(r)
	}
	y.writes++
	if y.answer != nil {
		text, err := y.answer()
		if err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
			Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)),
		}, nil
	}
	if before := y.before; before != nil {
		y.before = nil
		before()
	}
	resp, err := y.next.Do(r)
	if y.after != nil && err == nil && resp.StatusCode == http.StatusOK {
		y.after()
	}
	return resp, err
}

// canceled rejects a transaction with these reason codes, "None" for a write that did not fail.
func canceled(codes ...string) func() (string, error) {
	var reasons []string
	for _, code := range codes {
		reasons = append(reasons, fmt.Sprintf(`{"Code":%q}`, code))
	}
	return refused("TransactionCanceledException", fmt.Sprintf(`,"CancellationReasons":[%s]`, strings.Join(reasons, ",")))
}

// refused rejects a write with an error code and additional JSON members.
func refused(code, members string) func() (string, error) {
	text := fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","Message":"refused"%s}`, code, members)
	return func() (string, error) { return text, nil }
}

// relayFixture returns a fixture with the case ver_1 behind a relay, and the plan to approve it.
func relayFixture(t *testing.T) (*fixture.Fixture, *relay, *change.Plan) {
	t.Helper()
	y := &relay{next: fixture.Database(t)}
	w := fixtureAs(t, "kagiso", schemas.Open(t, "authbridge"), fixture.Connect(t, y))
	w.PutCase(t, "ver_1")
	p := planApproval(t, w.Workspace)
	y.writes = 0
	return w, y, p
}

// A conflict names each item that prevented the change, with the reason, in the order of the plan.
func TestConflictNamesEachItem(t *testing.T) {
	const failed = store.CodeConditionFailed
	changed := func(t *testing.T, w *fixture.Fixture, p *change.Plan) {
		w.Put(t, p.Writes[0].Table, withText(p.Writes[0].Before, "updatedAt", "2026-01-19T11:00:00Z"))
	}
	for name, tt := range map[string]struct {
		concurrentChange func(t *testing.T, w *fixture.Fixture, p *change.Plan)
		answer           func() (string, error)
		want             string
	}{
		"changed item": {changed, nil, "Verification case CASE#ver_1 / META changed since it was read"},
		"deleted item": {func(t *testing.T, w *fixture.Fixture, p *change.Plan) {
			missing := p.Writes[0]
			missing.After = missing.Before
			remove(t, w, missing)
		}, nil, "Verification case CASE#ver_1 / META no longer exists"},
		"changed item and existing audit entry": {func(t *testing.T, w *fixture.Fixture, p *change.Plan) {
			changed(t, w, p)
			w.Put(t, p.Writes[1].Table, entryOf(p))
		}, nil, "Verification case CASE#ver_1 / META changed since it was read; ENTRY already exists, " +
			"because another change was made in the same second; apply the plan again in a second"},
		"another transaction": {nil, canceled(store.CodeConflict, "None"), "Verification case CASE#ver_1 / META: TransactionConflict"},
		"reason for an unknown write": {nil, canceled("None", "None", failed), "the transaction was canceled; nothing was written " +
			"(write 3: ConditionalCheckFailed)"},
		"reasons for a known and an unknown write": {
			nil, canceled(failed, "None", failed), "Verification case CASE#ver_1 / META changed since it was read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, y, p := relayFixture(t)
				if tt.concurrentChange != nil {
					tt.concurrentChange(t, w, p)
				}
				y.answer = tt.answer
				_, err := w.Workspace.Committer.Commit(t.Context(), p)
				var conflict *change.Conflict
				if !errors.As(err, &conflict) {
					t.Fatalf("got %v, want a conflict", err)
				}
				entry := p.Writes[1].Entity.Title + " " + p.Writes[1].Table.KeyText(p.Writes[1].Key)
				if want := "nothing was written: " + strings.ReplaceAll(tt.want, "ENTRY", entry); conflict.Message != want {
					t.Errorf("got  %s\nwant %s", conflict.Message, want)
				}
				if last := changesIn(t, w.Workspace)[0]; last.Open() || last.Outcome.Outcome != "conflict: nothing was written" {
					t.Errorf("the journal contains %+v, want a conflict", last.Outcome)
				}
			})
		})
	}
}

// A change of one item is not a transaction, but its failed condition is still a conflict.
func TestSingleWriteConflict(t *testing.T) {
	w := peopleFixture(t)
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("add"), map[string]string{"phone": "+26771234567", "name": "Kago"}, "")
	if err != nil {
		t.Fatal(err)
	}
	w.Put(t, w.Profile.Tables[0], p.Writes[0].After)
	_, err = w.Workspace.Committer.Commit(t.Context(), p)
	var conflict *change.Conflict
	if !errors.As(err, &conflict) || conflict.Message != "nothing was written: Person PERSON#••• already exists" {
		t.Errorf("got %v, want a conflict about the existing person", err)
	}
	if last := changesIn(t, w.Workspace)[0]; last.Open() || last.Outcome.Outcome != "conflict: nothing was written" {
		t.Errorf("the journal contains %+v, want a conflict", last.Outcome)
	}
}

// A throttled change is not a conflict: the user can apply it again without reading the items.
func TestFailureIsNotConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, line := faultyFixture(t)
		w.PutCase(t, "ver_1")
		p := planApproval(t, w.Workspace)
		line.Set(faults.Always(faults.Named("throttled")))
		_, err := w.Workspace.Committer.Commit(t.Context(), p)
		if store.ClassOf(err) != store.Throttled || errors.As(err, new(*change.Conflict)) {
			t.Errorf("got %v, want a throttling error and no conflict", err)
		}
		if last := changesIn(t, w.Workspace)[0]; last.Open() || last.Outcome.Outcome != "failed: nothing was written" {
			t.Errorf("the journal contains %+v, want a failure", last.Outcome)
		}
	})
}

// A commitment contains the items that Commit read back, so that a list shows another user's later change. If Commit
// cannot read them, it contains the planned items.
func TestCommitmentContainsCurrentItems(t *testing.T) {
	const later = "2026-01-20T13:00:00Z"
	t.Run("changed after the write", func(t *testing.T) {
		w, y, p := relayFixture(t)
		y.after = func() {
			y.after = nil
			w.Put(t, p.Writes[0].Table, withText(p.Writes[0].After, "updatedAt", later))
		}
		done, err := w.Workspace.Committer.Commit(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if at, _ := done.Items[0].Text("updatedAt"); at != later || len(done.Items) != 2 {
			t.Errorf("got items %v, want 2 with the later change", done.Items)
		}
		if notes := strings.Join(done.Notes, "; "); notes != "the items changed again right after this write" {
			t.Errorf("got notes %q, want one about the later change", notes)
		}
	})
	t.Run("not readable", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, line := faultyFixture(t)
			w.PutCase(t, "ver_1")
			p := planApproval(t, w.Workspace)
			line.Set(faults.After(1, faults.Named("access denied")))
			done, err := w.Workspace.Committer.Commit(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if len(done.Items) != 2 || !models.EqualItems(done.Items[0], done.Plan.Writes[0].After) || done.Unrecorded != nil {
				t.Errorf("got items %v, want the planned 2", done.Items)
			}
			if notes := strings.Join(done.Notes, "; "); !strings.HasPrefix(notes, "the items could not be read back: ") {
				t.Errorf("got notes %q, want one about the failed read", notes)
			}
		})
	})
}

// If the response is lost and the items do not show the change, Commit sends it three times at most.
func TestCommitResendsLostChangeTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, line := faultyFixture(t)
		w.PutCase(t, "ver_1")
		p := planApproval(t, w.Workspace)
		line.Set(faults.Only(faults.Always(faults.Named("reset before")), "TransactWriteItems"))
		_, err := w.Workspace.Committer.Commit(t.Context(), p)
		if !errors.Is(err, changes.ErrUnknown) || !strings.Contains(err.Error(), "the items do not show it yet; check and resolve journal entry") {
			t.Errorf("got %v, want an unknown outcome", err)
		}
		const attempts = 5 // attempts of the store for each commit
		sent := 0
		for _, c := range line.Calls() {
			if c.Writes {
				sent++
			}
		}
		if sent != 3*attempts {
			t.Errorf("got %d requests, want %d", sent, 3*attempts)
		}
		if last := changesIn(t, w.Workspace)[0]; !last.Open() {
			t.Errorf("the journal contains %+v, want no outcome", last.Outcome)
		}
	})
}

// A transaction whose conditions fail after a lost response was not applied before: it would have returned success for
// its token. A conflict with another transaction settles nothing, and neither do failed conditions after the token was
// forgotten.
func TestLostChangeIsResolved(t *testing.T) {
	const failed = store.CodeConditionFailed
	for name, tt := range map[string]struct {
		codes   []string
		asleep  time.Duration // between the lost responses and the next attempt
		changed bool          // another user changed the second item in between, so the items are inconclusive
		want    string        // "" for a conflict
	}{
		"failed condition":               {[]string{failed, "None"}, 0, false, ""},
		"failed condition, changed item": {[]string{failed, failed}, 0, true, ""},
		"forgotten token":                {[]string{failed, "None"}, time.Hour, false, ""},
		"forgotten token, changed item":  {[]string{failed, failed}, time.Hour, true, "the items are inconclusive"},
		"another transaction":            {[]string{store.CodeConflict, "None"}, 0, false, "the items do not show it yet"},
		"throttled":                      {[]string{"None", store.CodeThrottled}, 0, false, "the items do not show it yet"},
		"conflict, changed item":         {[]string{store.CodeConflict, "None"}, 0, true, "the items are inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				y := &relay{next: fixture.Database(t)}
				w, stock := orderFixture(t, fixture.Connect(t, y))
				clock := &wallClock{fixture.Now}
				o := w.Options()
				o.Clock = clock.now
				s := w.Open(o)
				p, err := s.Planner.Plan(t.Context(), w.Profile.Action("cancel"), map[string]string{"orderId": "1"}, "")
				if err != nil {
					t.Fatal(err)
				}
				y.reads = 0
				y.answer = func() (string, error) {
					if y.reads == 0 { // The change was not sent again yet.
						return "", errBroken
					}
					if y.answer = nil; tt.changed {
						stock["stock"] = fixture.Number(t, "8")
						w.Put(t, w.Profile.Tables[1], stock)
					}
					clock.at = clock.at.Add(tt.asleep)
					y.answer = canceled(tt.codes...)
					return y.answer()
				}
				_, err = s.Committer.Commit(t.Context(), p)
				last := changesIn(t, s)[0]
				switch {
				case tt.want == "" && (!errors.As(err, new(*change.Conflict)) || last.Open()):
					t.Errorf("got %v, want a conflict; the journal contains %+v", err, last.Outcome)
				case tt.want != "" && (!errors.Is(err, changes.ErrUnknown) || !strings.Contains(err.Error(), tt.want) || !last.Open()):
					t.Errorf("got %v, want %q; the journal contains %+v", err, tt.want, last.Outcome)
				}
			})
		})
	}
}

// A single write lacks a token: after a lost response, its condition may fail because of itself or of another change.
// Only an unchanged item shows that the write was not applied.
func TestLostWriteIsResolved(t *testing.T) {
	for name, other := range map[string]bool{"the item is as before": false, "another item is there": true} {
		synctest.Test(t, func(t *testing.T) {
			y := &relay{next: fixture.Database(t)}
			p, err := profiles.Load("people.yaml", []byte(people), nil)
			if err != nil {
				t.Fatal(err)
			}
			w := fixtureAs(t, "ana", p, fixture.Connect(t, y))
			plan, err := w.Workspace.Planner.Plan(t.Context(), p.Action("add"), map[string]string{"phone": "+26771234567", "name": "Kago"}, "")
			if err != nil {
				t.Fatal(err)
			}
			y.reads = 0
			y.answer = func() (string, error) {
				if y.reads == 0 {
					return "", errBroken
				}
				if y.answer = nil; other {
					w.Put(t, p.Tables[0], withText(plan.Writes[0].After, "name", "Neo"))
				}
				y.answer = refused("ConditionalCheckFailedException", "")
				return y.answer()
			}
			_, err = w.Workspace.Committer.Commit(t.Context(), plan)
			if other && !errors.Is(err, changes.ErrUnknown) || !other && !errors.As(err, new(*change.Conflict)) {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
}

// If a request is lost and another user makes the same change, that change must not count as this one. A transaction's
// token distinguishes them. A single write stays unknown, even in the journal.
func TestSameChangeByAnotherUserDoesNotCount(t *testing.T) {
	for _, action := range []string{"cancel", "close"} {
		synctest.Test(t, func(t *testing.T) {
			y := &relay{next: fixture.Database(t)}
			w, _ := orderFixture(t, fixture.Connect(t, y))
			p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action(action), map[string]string{"orderId": "1"}, "")
			if err != nil {
				t.Fatal(err)
			}
			y.writes, y.reads = 0, 0
			y.answer = func() (string, error) {
				if y.reads > 0 { // The store gave up, and the items were read.
					y.answer = nil
					return canceled(store.CodeConditionFailed, "None")()
				}
				if y.writes == 1 {
					answer := y.answer
					y.answer = nil
					for _, o := range p.Writes {
						w.Put(t, o.Table, o.After)
					}
					y.answer = answer
				}
				return "", errBroken
			}
			_, err = w.Workspace.Committer.Commit(t.Context(), p)
			last := changesIn(t, w.Workspace)[0]
			if action == "cancel" {
				if !errors.As(err, new(*change.Conflict)) || last.Open() || last.Committed() {
					t.Errorf("got %v, want a conflict; the journal contains %+v", err, last.Outcome)
				}
				return
			}
			if !errors.Is(err, changes.ErrUnknown) || !strings.Contains(err.Error(), "nothing proves that this change wrote them") || !last.Open() {
				t.Errorf("got %v, want an unknown outcome; the journal contains %+v", err, last.Outcome)
			}
			time.Sleep(time.Hour)
			if state, err := w.Workspace.Journal.Resolve(t.Context(), last); err != nil || state != change.AsPlanned {
				t.Errorf("Resolve() = %q, %v, want AsPlanned", state, err)
			}
			if last = changesIn(t, w.Workspace)[0]; last.Open() || last.Committed() {
				t.Errorf("the journal contains %+v, want a change that was not committed", last.Outcome)
			}
		})
	}
}

// Other users take the entry key of every second. The change waits for ten seconds, and announces each attempt in the
// journal.
func TestChangeWaitsTenTimesForFreeEntryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, y, p := relayFixture(t)
		o := w.Options()
		o.Clock = time.Now
		y.answer = canceled("None", store.CodeConditionFailed)
		p.Basis.Now = time.Now()
		_, err := w.Open(o).Committer.Commit(t.Context(), p)
		if !errors.As(err, new(*change.Conflict)) || !strings.HasSuffix(err.Error(), "apply the plan again in a second") {
			t.Errorf("got %v, want a conflict", err)
		}
		if y.writes != 11 {
			t.Errorf("got %d writes, want 11", y.writes)
		}
		intents := 0
		for e, err := range journal.Read(w.Workspace.Session.JournalPath()) {
			if err == nil && e.Kind == journal.Intent {
				intents++
			}
		}
		if intents != 11 {
			t.Errorf("got %d intents in the journal, want 11", intents)
		}
	})
}

func TestCommitAcceptsAClockAMinuteBehind(t *testing.T) {
	for lag, refused := range map[time.Duration]bool{time.Minute: false, time.Minute + time.Millisecond: true} {
		w, line := clockFixture(t)
		w.PutCase(t, "ver_1")
		p := planApproval(t, w.Workspace)
		line.clock.at = line.clock.at.Add(-lag)
		if _, err := w.Workspace.Committer.Commit(t.Context(), p); errors.Is(err, session.ErrRefused) != refused || err != nil && !refused {
			t.Errorf("clock %s behind: got %v", lag, err)
		}
	}
}

// If the action now requires a reason or the user canceled, Commit sends nothing and records only the refusal.
func TestCommitChecksPlanBeforeItSends(t *testing.T) {
	w, y, p := relayFixture(t)
	p.Action.Reason = change.ReasonRequired
	if _, err := w.Workspace.Committer.Commit(t.Context(), p); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "reason") {
		t.Errorf("without a reason: got %v, want a refusal", err)
	}
	p.Action.Reason = change.ReasonOptional
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Workspace.Committer.Commit(ended, p); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context was canceled: got %v", err)
	}
	if y.writes != 0 {
		t.Errorf("got %d writes, want none", y.writes)
	}
	log, err := w.Workspace.Journal.Log(10)
	if err != nil || len(log.Changes) != 0 || len(log.Remarks) != 1 || log.Remarks[0].Kind != journal.Refusal {
		t.Errorf("want only a refusal in the journal, got %+v, %v", log, err)
	}
}

// If the journal fails after the change was sent, Commit still reports the change and its outcome.
func TestCommitReportsUnrecordedOutcome(t *testing.T) {
	full := errors.New("no space left on device")
	broken := func(w *fixture.Fixture) *workspace.Workspace {
		o := w.Options()
		writes := 0
		o.JournalFault = func(step string) error {
			if step != "write" {
				return nil
			}
			if writes++; writes > 1 {
				return full
			}
			return nil
		}
		return w.Open(o)
	}
	t.Run("applied", func(t *testing.T) {
		w, _, p := relayFixture(t)
		done, err := broken(w).Committer.Commit(t.Context(), p)
		if err != nil || !errors.Is(done.Unrecorded, full) || !done.Past.Open() {
			t.Errorf("got %+v, %v, want an unrecorded outcome", done, err)
		}
	})
	t.Run("a conflict", func(t *testing.T) {
		w, y, p := relayFixture(t)
		y.answer = canceled(store.CodeConditionFailed, "None")
		_, err := broken(w).Committer.Commit(t.Context(), p)
		if !errors.As(err, new(*change.Conflict)) || !errors.Is(err, full) {
			t.Errorf("got %v, want a conflict and the journal error", err)
		}
	})
}

// rejectingSink is a sink that rejects every entry.
type rejectingSink struct{}

func (rejectingSink) Name() string { return "rejecting sink" }

func (rejectingSink) Send(context.Context, []journal.SinkEntry) error {
	return errors.New("the sink is down")
}

func (rejectingSink) Copies(context.Context, journal.Part) iter.Seq2[journal.SinkEntry, error] {
	return func(func(journal.SinkEntry, error) bool) {}
}

// If a required sink rejects the intent, Commit sends nothing and leaves no open change in the journal.
func TestChangeNeedsItsRequiredSink(t *testing.T) {
	w, y, p := relayFixture(t)
	o := w.Options()
	o.Shipper = &journal.Shipper{Sink: rejectingSink{}, Required: true}
	if _, err := w.Open(o).Committer.Commit(t.Context(), p); !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "the sink is down") {
		t.Errorf("got %v, want a refusal about the sink", err)
	}
	if y.writes != 0 {
		t.Errorf("got %d writes, want none", y.writes)
	}
	list := changesIn(t, w.Workspace)
	if len(list) != 1 || list[0].Open() || list[0].Outcome.Outcome != "refused: nothing was sent" {
		t.Errorf("the journal contains %+v, want a refusal", list)
	}
}

// The journal records the changed item and its states before and after.
func TestJournalNamesItemAndStates(t *testing.T) {
	w, _, p := relayFixture(t)
	sum, err := run(t.Context(), w.Workspace, changes.Set{Action: p.Action}, []changes.Item{{Table: p.Writes[0].Table, Item: p.Writes[0].Before}}, nil)
	if err != nil || sum.Counts[changes.Committed] != 1 {
		t.Fatalf("got %+v, %v, want 1 committed change", sum, err)
	}
	got := changesIn(t, w.Workspace)[0].Intent.Detail
	got.Record, got.Token = "", ""
	want := journal.Detail{
		Entity: "Verification", Table: p.Writes[0].Table.Name, Key: "CASE#ver_1 / META", From: "in_review", To: "approved", Writes: "2",
		Sweep: sum.ID, Part: "1",
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
