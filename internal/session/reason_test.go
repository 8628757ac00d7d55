package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

func TestLongReasonIsRejected(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"as agreed":                             "",
		strings.Repeat("é", change.MaxReason/2): "",
		strings.Repeat("é", change.MaxReason/2) + "x": "reason: 4,097 bytes; the maximum is 4,096",
		"\xff": "reason: not valid UTF-8",
	} {
		err := session.CheckReason(text)
		if (err != nil) != (want != "") || err != nil && (err.Error() != want || !errors.Is(err, session.ErrInput)) {
			t.Errorf("%.20q: got %v, want %q", text, err, want)
		}
	}
}

// No package converts text to a change.Reason, so that unchecked text cannot reach the journal or an audit entry.
func TestOnlyMakeReasonConvertsText(t *testing.T) {
	conversion := regexp.MustCompile(`\bchange\.Reason\(`)
	for _, dir := range []string{"../../accesspatterns", "../../cmd", "../../internal", "../../profiles", "../../tui"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if conversion.Match(text) {
				t.Errorf("%s converts a text to a reason; use change.MakeReason", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
