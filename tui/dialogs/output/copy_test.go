package output

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/tui/present"
)

func TestFileNames(t *testing.T) {
	long := strings.Repeat("x", 68) + "--y"
	for want, parts := range map[string][]string{
		"Verification-ver_1-key.json":       {"Verification", "ver_1", "key"},
		"CASE-ver_1-META.json":              {"CASE#ver_1 / META"},
		"ddbdesk.json":                      {"•••", "../.."},
		"tc-passwd.json":                    {"/étc/passwd"},
		strings.Repeat("x", 68) + "-y.json": {long},
	} {
		if got := present.FileName("json", parts...); got != want {
			t.Errorf("%q becomes %s, want %s", parts, got, want)
		}
	}
}
