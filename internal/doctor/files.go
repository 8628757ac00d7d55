package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// Journal verifies the journal at path, and looks for changes without an outcome and for entries that ddbdesk has not
// sent to the sink, which may be nil.
func Journal(path string, sink journal.Sink) []Finding {
	const check = "journal"
	r, err := journal.Verify(path)
	_, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist) && err == nil && r.OK():
		return []Finding{passed(check, "does not exist yet")}
	case err != nil:
		return []Finding{unreadable(check, err, "allow your user to read the file")}
	case !r.OK():
		text := fmt.Sprintf("%s: %s", path, r.Problems[0])
		if more := len(r.Problems) - 1; more > 0 {
			text += fmt.Sprintf(", and %s", english.Plural(more, "more problem", ""))
		}
		return []Finding{problem(check, text, "run ddbdesk journal verify, and compare with a backup")}
	}
	out := []Finding{passed(check, english.Plural(r.Entries, "entry", "")+" verified")}
	// Verify has read every line, so no line is damaged.
	if open, _ := journal.Pending(path); len(open) > 0 {
		text := english.Plural(len(open), "change", "") + " with unknown outcome"
		out = append(out, warning(check, text, "run "+session.ResolveCommand(open[0].Profile)))
	}
	if sink == nil {
		return out
	}
	if unsent, err := journal.Unsent(r, sink); err != nil {
		out = append(out, unreadable(check, err, "allow your user to read the file"))
	} else if unsent > 0 {
		text := fmt.Sprintf("%s not sent to %s", english.Plural(unsent, "entry", ""), sink.Name())
		out = append(out, warning(check, text, "run ddbdesk journal verify --against sink"))
	}
	return out
}

// Profiles lints the user's profiles. err joins the errors of files that failed to load, each of which becomes a
// finding.
func Profiles(ctx context.Context, list []*profiles.Profile, err error) []Finding {
	const check = "schemas"
	var out []Finding
	for _, e := range flatten(err) {
		fix := "edit the schema, or profiles: in the configuration"
		if faults, ok := errors.AsType[profiles.Errors](e); ok && len(faults) > 0 {
			fix = "run ddbdesk schema lint " + faults[0].File
		}
		out = append(out, problem(check, e.Error(), fix))
	}
	issues := 0
	for _, p := range list {
		diagnostics, err := lint.Run(ctx, p)
		if err != nil {
			return append(out, problem(check, err.Error(), ""))
		}
		for _, d := range diagnostics {
			if d.Severity == profiles.Error {
				out = append(out, problem(check, d.String(), "run ddbdesk schema lint "+p.File))
			} else {
				issues++
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	if len(list) == 0 {
		return []Finding{passed(check, "no schemas of your own")}
	}
	text := english.Plural(len(list), "schema", "") + " of your own, no errors"
	if issues > 0 {
		text += ", with " + english.Plural(issues, "design issue", "") + " (ddbdesk schema lint)"
	}
	return []Finding{passed(check, text)}
}

func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var list []error
	for _, e := range joined.Unwrap() {
		list = append(list, flatten(e)...)
	}
	return list
}
