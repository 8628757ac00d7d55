package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// optionsWithRules returns options whose context requires a ticket and whose schema requires a reason.
func optionsWithRules(t *testing.T, p session.Purpose) session.Options {
	t.Helper()
	schema := *schemas.Open(t, "authbridge")
	schema.Session = profiles.SessionRules{Reason: true}
	return session.Options{
		Profile: &schema, Store: &answeringStore{errSent}, Role: session.Admin, Purpose: p,
		SessionRules: []profiles.SessionRules{{Ticket: "OPS-[0-9]+"}}, JournalPath: filepath.Join(t.TempDir(), "journal.jsonl"),
	}
}

var errSent = errors.New("sent")

// eachRequest calls every method of a session's reader and writer, including methods that are added later.
func eachRequest(t *testing.T, s *session.Session, check func(name string, err error)) {
	t.Helper()
	for _, part := range []struct {
		of             reflect.Type
		implementation any
	}{{reflect.TypeFor[store.Reader](), s.Store()}, {reflect.TypeFor[store.Writer](), s.Writer()}} {
		for method := range part.of.Methods() {
			m := reflect.ValueOf(part.implementation).MethodByName(method.Name)
			args := []reflect.Value{reflect.ValueOf(context.Background())}
			for n := 1; n < m.Type().NumIn(); n++ {
				args = append(args, reflect.Zero(m.Type().In(n)))
			}
			out := m.Call(args)
			err, _ := reflect.TypeAssert[error](out[len(out)-1])
			check(method.Name, err)
		}
	}
}

func TestSessionWithoutPurposeSendsNoRequest(t *testing.T) {
	for _, c := range []struct {
		purpose session.Purpose
		want    string // "" if requests are sent
	}{
		{session.Purpose{}, "requires a ticket"},
		{session.Purpose{Reason: "look"}, "requires a ticket; add --ticket ID"},
		{session.Purpose{Ticket: "OPS-1"}, "requires a reason; add --reason TEXT"},
		{session.Purpose{Reason: "look", Ticket: "xOPS-1"}, "ticket xOPS-1 does not match OPS-[0-9]+"},
		{session.Purpose{Reason: "look", Ticket: "OPS-1x"}, "does not match"},
		{session.Purpose{BreakGlass: true}, "requires a reason"},
		{session.Purpose{Reason: "look", Ticket: "OPS-1"}, ""},
		{session.Purpose{Reason: "down", BreakGlass: true}, ""},
	} {
		o := optionsWithRules(t, c.purpose)
		s := session.NewWriting(o, &answeringStore{errSent})
		eachRequest(t, s, func(name string, err error) {
			switch {
			case c.want == "" && !errors.Is(err, errSent):
				t.Errorf("%+v: %s was not sent: %v", c.purpose, name, err)
			case c.want != "" && (!errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%+v, %s: got %v, want %q", c.purpose, name, err, c.want)
			}
		})
		o.Target.Embedded = true
		if err := o.CanPrepare("seed"); (err == nil) != (c.want == "") {
			t.Errorf("%+v: CanPrepare() = %v", c.purpose, err)
		}
	}
}

// A session for the requests table has another schema, but must still apply the session rules of the schema.
func TestSessionRulesAddToSchema(t *testing.T) {
	s := session.NewWriting(optionsWithRules(t, session.Purpose{Ticket: "OPS-1"}), &answeringStore{errSent})
	other := schemas.Open(t, "zentriqvision")
	eachRequest(t, s.ConfinedTo(other, other.Tables[0], "X#"), func(name string, err error) {
		if !errors.Is(err, session.ErrRefused) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	})
}

func TestEntriesHavePurpose(t *testing.T) {
	p, err := session.NewPurpose(" look ", " OPS-1 ", true)
	if err != nil || p.Session == "" {
		t.Fatal(p, err)
	}
	s := session.NewWriting(optionsWithRules(t, p), nil)
	if err := s.Reveal(t.Context(), "x", "asked"); err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range journal.Read(s.JournalPath()) {
		n++
		if err != nil || e.Session != p.Session || e.Purpose != "look" || e.Ticket != "OPS-1" || !e.BreakGlass || e.Detail.Reason != "asked" {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d entries, want 1", n)
	}
}

func TestChangeReasonContainsPurpose(t *testing.T) {
	for _, c := range []struct {
		purpose session.Purpose
		reason  string
		want    string
	}{
		{session.Purpose{Session: "1"}, "paid", "paid"},
		{session.Purpose{Reason: "look", Ticket: "OPS-1"}, "paid", "paid [OPS-1: look]"},
		{session.Purpose{Reason: "look", Ticket: "OPS-1"}, "", "[OPS-1: look]"},
		{session.Purpose{Reason: "look", Ticket: "OPS-1"}, "paid [OPS-1: look]", "paid [OPS-1: look]"},
		{session.Purpose{Reason: "paid", Ticket: "OPS-1"}, "paid", "paid [OPS-1]"},
		{session.Purpose{Reason: "paid"}, "paid", "paid"},
		{session.Purpose{Reason: "down", BreakGlass: true}, "paid", "paid [BREAK GLASS: down]"},
	} {
		v := session.NewViewer(session.Options{Profile: schemas.Open(t, "authbridge"), Purpose: c.purpose})
		if got := v.ReasonOf(change.Reason(c.reason)); string(got) != c.want {
			t.Errorf("%+v %q: got %q, want %q", c.purpose, c.reason, got, c.want)
		}
	}
}

func TestPurposeIsChecked(t *testing.T) {
	for _, c := range [][2]string{{"a\xff", ""}, {strings.Repeat("a", change.MaxReason+1), ""}, {"", "a\x1b[2J"}, {"", strings.Repeat("a", 201)}} {
		if _, err := session.NewPurpose(c[0], c[1], false); !errors.Is(err, session.ErrInput) {
			t.Errorf("NewPurpose(%.20q, %.20q) = %v, want an input error", c[0], c[1], err)
		}
	}
}
