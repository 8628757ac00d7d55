package session

import "github.com/ddbdesk/ddbdesk/accesspatterns/change"

// ReasonFor returns the reason of a change as it is recorded, before the purpose of the session is added. The error wraps
// ErrInput, or is a *Refusal for an action that requires a reason and was given none.
func ReasonFor(a *change.Action, text string) (change.Reason, error) {
	reason, err := change.MakeReason(text)
	if err != nil {
		return "", InputErrorf("%v", err)
	}
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
func CheckReason(text string) error {
	_, err := ReasonFor(nil, text)
	return err
}
