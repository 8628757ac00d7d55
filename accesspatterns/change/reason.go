package change

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// A Reason explains an action. The journal and audit entries keep it permanently. Always use MakeReason to convert text
// to a Reason; a test rejects any other conversion.
type Reason string

// MaxReason is the maximum length of a reason in bytes.
const MaxReason = 4 << 10

// MakeReason returns a text as a Reason without surrounding blanks. It accepts empty text and rejects invalid text.
func MakeReason(text string) (Reason, error) {
	switch {
	case !utf8.ValidString(text):
		return "", errors.New("reason: not valid UTF-8")
	case len(text) > MaxReason:
		return "", fmt.Errorf("reason: %s bytes; the maximum is %s", humanize.Comma(int64(len(text))), humanize.Comma(MaxReason))
	}
	return Reason(strings.TrimSpace(text)), nil
}

// WithNote appends a note from the program, such as the name of the user who planned a change.
func (r Reason) WithNote(note string) Reason {
	return Reason(strings.TrimSpace(string(r) + " " + note))
}

// WithPrefix returns the reason, prefixed with a description of the change.
func (r Reason) WithPrefix(prefix string) Reason { return Reason(prefix + ": " + string(r)) }
