package session_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

func TestReasonsHaveABound(t *testing.T) {
	for text, want := range map[string]string{
		"":          "",
		"as agreed": "",
		strings.Repeat("é", session.MaxReason/2):       "",
		strings.Repeat("é", session.MaxReason/2) + "x": "reason: 4,097 bytes; the maximum is 4,096",
		"\xff": "reason: not valid UTF-8",
	} {
		err := session.CheckReason(text)
		if (err != nil) != (want != "") || err != nil && (err.Error() != want || !errors.Is(err, session.ErrInput)) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
}
