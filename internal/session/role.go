package session

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Role limits what a user may do in ddbdesk. It prevents mistakes; IAM enforces permissions. The zero value means
// Support.
type Role string

// These are the roles. All of them can read; support cannot reveal personal data, and only admin can change items.
const (
	Support   Role = "support"
	Developer Role = "developer"
	Admin     Role = "admin"
)

// Plain reports whether a user of the role reads titles and words in place of IDs, keys, indexes, operations and
// capacity. Commands and the console use only this method to choose the wording.
func (r Role) Plain() bool { return r == Support || r == "" }

// ErrorText returns the text of an error for the role.
func (r Role) ErrorText(err error) string {
	if r.Plain() {
		return models.PlainErrorText(err)
	}
	return err.Error()
}

// Roles lists the roles, least privileged first.
func Roles() []Role { return []Role{Support, Developer, Admin} }

// ErrRefused matches every [Refusal].
var ErrRefused = errors.New("refused")

// A Refusal is the error for an operation that ddbdesk does not permit. ddbdesk wrote nothing. Commands have a separate
// exit code for it. Both texts are in lower case and have no final period.
type Refusal struct {
	Reason string // refused operation with the reason
	Advice string // remedy for the user, or ""

	plain string // Reason for role support, if it differs
}

// Refusef returns a refusal with a remedy and a formatted reason.
func Refusef(advice, format string, args ...any) *Refusal {
	r := &Refusal{Advice: advice}
	r.Reason, r.plain = models.FormatWordings(format, args...)
	return r
}

func (r *Refusal) Error() string { return r.withAdvice(r.Reason) }

// Plain returns the refusal for role support.
func (r *Refusal) Plain() string { return r.withAdvice(r.PlainReason()) }

// PlainReason returns the reason for role support.
func (r *Refusal) PlainReason() string { return cmp.Or(r.plain, r.Reason) }

func (r *Refusal) withAdvice(reason string) string {
	if r.Advice == "" {
		return reason
	}
	return reason + "; " + r.Advice
}

// Is reports whether target is ErrRefused.
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

// MayChange reports whether a session with these options may change items. It checks only the session; CanChange checks
// the action too.
func (o Options) MayChange() bool { return o.Role == Admin && !o.ReadOnly }

// CanPrepare returns the refusal to create tables, or to write sample data or items from a file, or nil. It allows
// every role in the embedded database, but only admins in any other database, because even a local server may contain
// other users' data. subject names the operation.
func (o Options) CanPrepare(subject string) error {
	if err := o.CheckPurpose(); err != nil {
		return err
	}
	switch t := o.Target; {
	case o.ReadOnly:
		return &Refusal{Reason: subject + " writes, and the session is read-only", Advice: "omit --read-only"}
	case o.Stage() == Unclassified:
		return &Refusal{
			Reason: fmt.Sprintf("%s refused: %s is classified neither as production nor as another environment", subject, t),
			Advice: o.stageAdvice("set environment or production: false in a context and use --context"),
		}
	case o.Production():
		return &Refusal{
			Reason: subject + " is refused on production",
			Advice: o.stageAdvice("if this is not production, set production: false in a context and use --context"),
		}
	case t.Embedded || o.Role == Admin:
		return nil
	default:
		return &Refusal{Reason: subject + " needs role admin on " + t.String(), Advice: o.commandWithRole(Admin)}
	}
}

// stageAdvice returns the advice, or other advice if flags select another database, because the context's
// declarations do not apply to it.
func (o Options) stageAdvice(advice string) string {
	if o.Declared.Redirected && o.Context != "" {
		return "if this is not production, put its connection and production: false into the context, and omit the flag or AWS_ENDPOINT_URL"
	}
	return advice
}

func (o Options) commandWithRole(r Role) string { return "run " + o.Again("--role", string(r)) }

// Plain is [Role.Plain] of the session's role.
func (s *settings) Plain() bool { return s.o.Role.Plain() }

// ErrorText returns the text of an error for the session's role.
func (s *settings) ErrorText(err error) string { return s.o.Role.ErrorText(err) }

// Role returns the role, which never changes during a session.
func (s *settings) Role() Role { return s.o.Role }

// ReadOnly reports whether the session cannot change anything.
func (s *settings) ReadOnly() bool { return !s.o.MayChange() }

// CanReveal returns the refusal to reveal personal data, or nil.
func (s *settings) CanReveal() error {
	if s.Plain() {
		return &Refusal{Reason: "role support cannot reveal personal data", Advice: s.o.commandWithRole(Developer)}
	}
	return nil
}

// CanPlan returns the refusal of a disabled action, or nil.
func (s *settings) CanPlan(a *change.Action) error {
	if p := s.o.Profile; a.IsRaw() && len(p.CoveredBy) > 0 {
		return &Refusal{
			Reason: fmt.Sprintf("schema %s has rules for table %s, and a change through table: would bypass them",
				strings.Join(p.CoveredBy, " and "), p.Name),
			Advice: "omit the prefix table:, and keep only one such schema in the configuration",
		}
	}
	if a.IsRaw() && s.o.Profile.Guardrails.RawEdits == "no" {
		return &Refusal{
			Reason: "schema " + s.o.Profile.Name + " does not allow raw edits (guardrails.raw_edits)",
			Advice: "use an action of the schema",
		}
	}
	if a.Disabled != "" {
		return Refusef("to enable it, remove its `disabled:` line in a copy of the schema",
			"%s is disabled: %s", a.Term(), strings.TrimRight(a.Disabled, "."))
	}
	for _, c := range a.Copies() {
		if c.Sensitive == models.Secret && c.Attribute.Copied != "" {
			return Refusef("do not copy it, or declare sensitive: secret",
				"%s would copy the secret {%s} to %s, which is not declared secret", a.Term(), c.From, c.Attribute.Path)
		}
	}
	return nil
}

// CanChange returns the refusal to apply an action, or nil. Menus show it as the reason why an entry is disabled.
func (v *Viewer) CanChange(a *change.Action) error {
	if err := v.CanPlan(a); err != nil {
		return err
	}
	if err := v.canWrite("change items"); err != nil || !a.IsRaw() || !v.Production() || v.o.RawEdits != "" {
		return err
	}
	reason, next := "production", "to allow raw edits, set raw-edits: true in the context"
	if v.Stage() == Unclassified {
		reason, next = "the connection is classified neither as production nor as another environment", next+", or production: false"
	}
	return &Refusal{Reason: reason + ": only actions can change items", Advice: v.o.stageAdvice(next)}
}

// OverridesActions reports whether a raw change may replace an action of the schema.
func (s *settings) OverridesActions() bool { return s.o.RawEdits == "override" }

// CanChangeOrRequest returns the refusal if the session can neither apply nor request an action, or nil.
func (v *Viewer) CanChangeOrRequest(a *change.Action) error {
	err := v.CanChange(a)
	if err != nil && v.CanPlan(a) == nil && v.CanRequest() == nil {
		return nil
	}
	return err
}

// CanUndo returns the refusal to undo changes, or nil.
func (v *Viewer) CanUndo() error { return v.canWrite("change items") }

// CanDecide returns the refusal to decide the requests of other users, or nil.
func (v *Viewer) CanDecide() error { return v.canWrite("decide requests") }

func (v *Viewer) canWrite(subject string) error {
	switch {
	case v.o.Role != Admin:
		return &Refusal{Reason: fmt.Sprintf("role %s cannot %s", cmp.Or(v.o.Role, Support), subject), Advice: v.o.commandWithRole(Admin)}
	case !v.hasWriter:
		return readOnlyRefusal()
	}
	return nil
}
