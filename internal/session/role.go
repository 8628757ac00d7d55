package session

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// A Role says what a person may do in ddbdesk. IAM enforces permissions; a role prevents mistakes.
type Role string

// The roles. All of them read; support may not reveal personal data, and only admin changes items.
const (
	Support   Role = "support"
	Developer Role = "developer"
	Admin     Role = "admin"
)

// Roles lists the roles, from least to most.
func Roles() []Role { return []Role{Support, Developer, Admin} }

// ErrRefused is wrapped by every refusal. Nothing was sent.
var ErrRefused = errors.New("refused")

// A Refusal says what was refused, why, and what to do.
type Refusal struct {
	Why  string
	Next string // "" when there is nothing to do
}

func (r *Refusal) Error() string {
	if r.Next == "" {
		return r.Why
	}
	return r.Why + "; " + r.Next
}

// Is makes errors.Is(err, ErrRefused) true.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// MayChange reports whether a session with these options is given the means to change items.
func (o Options) MayChange() bool { return o.Role == Admin && !o.ReadOnly }

// Production reports whether the context, its environment, or the value of a variable counts as production.
func (o Options) Production() bool {
	names := []string{o.Context, o.Environment}
	for _, v := range o.Profile.Variables {
		names = append(names, v.Value)
	}
	return o.Profile.IsProduction(names...)
}

// CanPrepare returns why tables or sample data may not be written to the target, nil when they may: an
// embedded or local store is open to everybody, any other one needs an admin. what names the operation.
func (o Options) CanPrepare(what string) error {
	switch t := o.Target; {
	case o.ReadOnly:
		return &Refusal{Why: what + " writes, and the session is read-only", Next: "omit --read-only"}
	case o.Production():
		return &Refusal{Why: what + " is refused on production"}
	case t.Embedded || t.Loopback || o.Role == Admin:
		return nil
	default:
		return &Refusal{Why: what + " writes to " + t.String(), Next: "start with --role admin"}
	}
}

// Role returns the role. It stays the same for the whole session.
func (s *Session) Role() Role { return s.o.Role }

// ReadOnly reports whether the session may not change anything.
func (s *Session) ReadOnly() bool { return !s.o.MayChange() }

// Production reports whether the session works on production.
func (s *Session) Production() bool { return s.o.Production() }

// CanReveal returns why the role may not reveal personal data, nil when it may.
func (s *Session) CanReveal() error {
	if s.o.Role == Support || s.o.Role == "" {
		return &Refusal{Why: "role support cannot reveal personal data", Next: "start with --role developer"}
	}
	return nil
}

// CanPlan returns why the action is not offered at all, nil when it is.
func (s *Session) CanPlan(a *change.Action) error {
	if a.Off != "" {
		return &Refusal{
			Why:  fmt.Sprintf("%s is disabled: %s", a.FullID(), strings.TrimRight(a.Off, ".")),
			Next: "to enable it, remove `off` from the action in a copy of the profile",
		}
	}
	return nil
}

// CanChange returns why this session may not apply the action, nil when it may.
func (s *Session) CanChange(a *change.Action) error {
	if err := s.CanPlan(a); err != nil {
		return err
	}
	switch {
	case s.o.Role != Admin:
		role := s.o.Role
		if role == "" {
			role = Support
		}
		return &Refusal{Why: fmt.Sprintf("role %s cannot change items", role), Next: "start with --role admin"}
	case s.o.Writer == nil:
		return &Refusal{Why: "this session is read-only", Next: "start without --read-only"}
	}
	return nil
}

// NeedsReason returns why the reason is not enough for the action, nil when it is.
func NeedsReason(a *change.Action, reason string) error {
	if a.Reason == change.ReasonRequired && strings.TrimSpace(reason) == "" {
		return &Refusal{Why: a.FullID() + " needs a reason", Next: "add --reason TEXT"}
	}
	return nil
}
