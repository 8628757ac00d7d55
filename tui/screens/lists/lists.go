// Package lists holds the screens that are declared lists: a file for each.
package lists

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

func moment(t, now time.Time) string {
	if t.IsZero() {
		return present.NoValue
	}
	return present.Age(t, now)
}

func orNone(text string) string { return cmp.Or(text, present.NoValue) }

func joined(list ...string) string {
	list = slices.DeleteFunc(list, func(text string) bool { return text == "" })
	return strings.Join(slices.Compact(list), " · ")
}

func transition(e journal.Entry) string {
	if e.Detail.To == "" {
		return ""
	}
	return orNone(e.Detail.From) + " → " + e.Detail.To
}
