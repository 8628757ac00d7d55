package session

import (
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
)

// MaxReason is the maximum length of a reason in bytes. A reason is kept in the journal and in audit entries for ever.
const MaxReason = 4 << 10

// ReasonFor returns the reason of a change as it is recorded, before the purpose of the session is added. The error is that of
// CheckReason, or a *Refusal for an action that requires a reason and was given none.
func ReasonFor(a *change.Action, text string) (string, error) {
	if err := CheckReason(text); err != nil {
		return "", err
	}
	reason := strings.TrimSpace(text)
	if a != nil && a.Reason == change.ReasonRequired && reason == "" {
		what := a.FullID()
		if a.IsRaw() {
			what = "a change without an action"
		}
		return "", &Refusal{Why: what + " needs a reason", Next: "add --reason TEXT"}
	}
	return reason, nil
}

// CheckReason returns why a text cannot be a reason, nil if it can, also if it is empty. The error wraps ErrInput.
func CheckReason(reason string) error {
	switch {
	case !utf8.ValidString(reason):
		return InputErrorf("reason: not valid UTF-8")
	case len(reason) > MaxReason:
		return InputErrorf("reason: %s bytes; the maximum is %s", humanize.Comma(int64(len(reason))), humanize.Comma(MaxReason))
	}
	return nil
}
