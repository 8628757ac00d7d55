package session

import (
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// MaxReason is the maximum length of a reason in bytes. A reason is kept in the journal and in audit entries for ever.
const MaxReason = 4 << 10

// CheckReason returns why a text cannot be a reason, nil if it can, also if it is empty. The
// error wraps ErrInput. Whether an action needs one is decided by NeedsReason.
func CheckReason(reason string) error {
	switch {
	case !utf8.ValidString(reason):
		return InputErrorf("reason: not valid UTF-8")
	case len(reason) > MaxReason:
		return InputErrorf("reason: %s bytes; the maximum is %s", humanize.Comma(int64(len(reason))), humanize.Comma(MaxReason))
	}
	return nil
}
