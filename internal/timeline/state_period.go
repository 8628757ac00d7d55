package timeline

import (
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A StatePeriod is the time that an item spent in a state of a lifecycle.
type StatePeriod struct {
	State string
	Since time.Time // zero if unknown
	Until time.Time // zero for the current state, or if unknown
}

// StatePeriods returns the states that an item has been in, as far as its entries show: oldest first, and the current
// state last. The entries are newest first, as Next returns them; to show the result, pass the entries from
// Entry.Shown. StatePeriods ignores entries that do not change the state. Times beside a gap in the entries are
// unknown. StatePeriods modifies neither the item nor the entries.
func StatePeriods(l *models.Lifecycle, it models.Item, entries []Entry) []StatePeriod {
	var list []StatePeriod
	for _, e := range slices.Backward(entries) {
		from, to := statesOf(l, e, list)
		if to == "" {
			continue
		}
		if n := len(list); from != "" && (n == 0 || list[n-1].State != from) {
			list = append(list, StatePeriod{State: from})
		}
		if n := len(list); n > 0 {
			list[n-1].Until = e.When
		}
		list = append(list, StatePeriod{State: to, Since: e.When})
	}
	current, ok := it.Text(l.Attribute)
	if !ok {
		return list
	}
	if n := len(list); n == 0 || list[n-1].State != current {
		list = append(list, StatePeriod{State: current})
	}
	addItemTimes(l, it, list)
	return list
}

func addItemTimes(l *models.Lifecycle, it models.Item, list []StatePeriod) {
	last := &list[len(list)-1]
	if s := l.State(last.State); s != nil && last.Since.IsZero() && s.Entered != "" {
		last.Since = timeAt(l.Entity, it, s.Entered)
	}
	first := &list[0]
	if s := l.State(first.State); s == nil || !s.Initial || !first.Since.IsZero() {
		return
	}
	for _, a := range l.Entity.Attributes {
		if t := timeAt(l.Entity, it, a.Path); !t.IsZero() && (first.Since.IsZero() || t.Before(first.Since)) {
			first.Since = t
		}
	}
	if !first.Until.IsZero() && first.Since.After(first.Until) {
		first.Since = time.Time{}
	}
}

// timeAt returns the zero time for days, which are too coarse.
func timeAt(e *models.Entity, it models.Item, path string) time.Time {
	a := e.Attribute(path)
	if a == nil || a.Sensitive != models.NotSensitive || !a.Format.IsTime() || a.Format.IsDay() {
		return time.Time{}
	}
	text, _ := it.Text(path)
	t, _ := a.Format.ReadTime(text)
	return t
}

// statesOf returns "" for an entry without a state change. Without states in the entry, the transition's name
// determines them.
func statesOf(l *models.Lifecycle, e Entry, before []StatePeriod) (from, to string) {
	stored, known := stateIn(l, e.Before)
	to, _ = stateIn(l, e.After)
	if !known {
		return "", ""
	}
	if from = stored; from == "" && len(before) > 0 {
		from = before[len(before)-1].State
	}
	for _, t := range l.Transitions {
		switch {
		case to == "" && (t.Name == "" || t.Name != e.What), to != "" && to != t.To:
		case slices.Contains(t.From, from):
			return from, t.To
		case to == "" && from == "" && len(t.From) == 1:
			return t.From[0], t.To
		}
	}
	if from == "" || stored != "" && to != "" && stored != to {
		return from, to // The item was created in this state, or an undo or another change without a transition set it.
	}
	return "", ""
}

// stateIn returns the state in a value. known is false if the value exists but is not a state.
func stateIn(l *models.Lifecycle, v types.AttributeValue) (state string, known bool) {
	if doc, ok := v.(*types.AttributeValueMemberM); ok {
		v = doc.Value[l.Attribute]
	}
	if v == nil {
		return "", true
	}
	if text, ok := models.ValueText(v); ok && l.State(text) != nil {
		return text, true
	}
	return "", false
}
