package session

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Purpose is the reason why a user works with a database. Every journal entry, and the reason of every audit entry,
// contains it.
type Purpose struct {
	Session string // ID of the session, which is one run of the program in one context
	Reason  string
	Ticket  string
	// BreakGlass marks an emergency: it needs no ticket, and everyone can see it.
	BreakGlass bool
}

// maxTicket is the maximum length of a ticket ID in bytes.
const maxTicket = 200

// NewPurpose returns the purpose of a new session. The error wraps ErrInput. CheckPurpose decides whether a reason or a
// ticket is required, because it has the context and the schema.
func NewPurpose(reason, ticket string, breakGlass bool) (Purpose, error) {
	p := Purpose{Reason: strings.TrimSpace(reason), Ticket: strings.TrimSpace(ticket), BreakGlass: breakGlass}
	switch {
	case models.Printable(p.Ticket) != p.Ticket:
		return Purpose{}, InputErrorf("ticket: %s contains invisible characters", models.Printable(p.Ticket))
	case len(p.Ticket) > maxTicket:
		return Purpose{}, InputErrorf("the ticket has %d bytes; the maximum is %d", len(p.Ticket), maxTicket)
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails; see crypto/rand
	p.Session = hex.EncodeToString(id[:])
	return p, CheckReason(p.Reason)
}

// String returns the purpose on one line, or "".
func (p Purpose) String() string {
	var parts []string
	if p.BreakGlass {
		parts = append(parts, "BREAK GLASS")
	}
	parts = append(parts, p.Ticket, p.Reason)
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ": ")
}

func (p Purpose) addTo(reason change.Reason) change.Reason {
	if string(reason) == p.Reason {
		p.Reason = ""
	}
	if s := "[" + p.String() + "]"; s != "[]" && !strings.HasSuffix(string(reason), s) {
		return reason.WithNote(s)
	}
	return reason
}

// CheckPurpose returns the *Refusal to read or write anything, or nil if the purpose meets the requirements of the
// context and the schema. There is no other check: while it refuses, the reader and the writer of a session send
// nothing.
func (o Options) CheckPurpose() error {
	rules := slices.Clone(o.SessionRules)
	if o.Profile != nil {
		rules = append(rules, o.Profile.Session)
	}
	for _, t := range rules {
		if err := o.Purpose.checkRules(t); err != nil {
			return err
		}
	}
	if o.Purpose.BreakGlass && o.Purpose.Reason == "" {
		return &Refusal{Reason: "--break-glass requires a reason", Advice: "add --reason TEXT"}
	}
	return nil
}

func (p Purpose) checkRules(t profiles.SessionRules) error {
	switch {
	case t.Reason && p.Reason == "":
		return &Refusal{Reason: "this database requires a reason", Advice: "add --reason TEXT"}
	case t.Ticket == "" || p.BreakGlass:
		return nil
	case p.Ticket == "":
		return &Refusal{Reason: "this database requires a ticket", Advice: "add --ticket ID, or --break-glass in an emergency"}
	}
	if ok, err := regexp.MatchString(`\A(?:`+t.Ticket+`)\z`, p.Ticket); err != nil || !ok {
		return &Refusal{
			Reason: fmt.Sprintf("ticket %s does not match %s", p.Ticket, t.Ticket),
			Advice: "correct --ticket, or add --break-glass in an emergency",
		}
	}
	return nil
}

// Purpose returns the user's purpose in this session.
func (s *settings) Purpose() Purpose { return s.o.Purpose }

// ReasonFor returns the reason to record for a change, without the session's purpose. The error wraps ErrInput. It is a
// *Refusal if the action requires a reason and there is none.
func ReasonFor(a *change.Action, text string) (change.Reason, error) {
	reason, err := change.MakeReason(text)
	if err != nil {
		return "", InputErrorf("%v", err)
	}
	if a != nil && a.Reason == change.ReasonRequired && reason == "" {
		subject := a.Term()
		if a.IsRaw() {
			subject = models.Term{ID: "a raw change"}
		}
		return "", Refusef("add --reason TEXT", "%s requires a reason", subject)
	}
	return reason, nil
}

// CheckReason returns an error if a text cannot be a reason. It accepts an empty text. The error wraps ErrInput.
func CheckReason(text string) error {
	_, err := ReasonFor(nil, text)
	return err
}

// ReasonOf returns the reason of a change for its audit entries, including the session's purpose.
func (s *settings) ReasonOf(reason change.Reason) change.Reason { return s.o.Purpose.addTo(reason) }
