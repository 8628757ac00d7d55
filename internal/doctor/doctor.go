// Package doctor checks the environment of ddbdesk, such as the terminal, credentials and folders, and describes how to
// fix problems.
package doctor

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// A State is the effect of a finding on ddbdesk.
type State string

// These are the states of findings.
const (
	OK      State = "ok"
	Warning State = "warning" // ddbdesk works with limitations
	Problem State = "problem" // something does not work or is not safe
)

// A Finding is the result of one check. Its texts are printable.
type Finding struct {
	Check string `json:"check"` // name of the check, such as "credentials"
	State State  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"` // what the user should do; "" for nothing
}

// String returns the finding on one line.
func (f Finding) String() string {
	if f.Fix == "" {
		return f.Text
	}
	return f.Text + "; " + f.Fix
}

// Healthy reports whether none of the findings is a problem.
func Healthy(list []Finding) bool {
	return !slices.ContainsFunc(list, func(f Finding) bool { return f.State == Problem })
}

func passed(check, text string) Finding {
	return Finding{Check: check, State: OK, Text: firstLine(text)}
}

func warning(check, text, fix string) Finding {
	return Finding{Check: check, State: Warning, Text: firstLine(text), Fix: firstLine(fix)}
}

func problem(check, text, fix string) Finding {
	return Finding{Check: check, State: Problem, Text: firstLine(text), Fix: firstLine(fix)}
}

func unreadable(check string, err error, fix string) Finding {
	text, newer := strings.CutSuffix(err.Error(), "; "+appdir.InstallNewer)
	if newer {
		fix = appdir.InstallNewer
	}
	return problem(check, text, fix)
}

func firstLine(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		first += " …"
	}
	return models.Printable(first)
}

// Configuration returns findings about the configuration file; err contains a line for each fault.
func Configuration(path string, exists bool, err error) (list []Finding) {
	const check = "configuration"
	switch {
	case err != nil:
		for fault := range strings.Lines(err.Error()) {
			list = append(list, unreadable(check, errors.New(strings.TrimSpace(fault)),
				"edit the file (see docs/configuration.md)"))
		}
		return list
	case !exists:
		return []Finding{passed(check, path+" does not exist, so the defaults apply")}
	}
	return []Finding{passed(check, path)}
}
