package models

import "time"

// Span returns when an item began and when it last changed, as far as its times tell: the first and the last one that is
// not in the future. The attribute that every change advances decides about the last. Days, and times that are personal
// data, and the time to live do not count. Both are zero without any. A time in the future is usually an expiry or a
// schedule, so it says nothing about the past. Times that do not parse are skipped without an
// error: the span is a help for the user and no contract.
func (e *Entity) Span(it Item, now time.Time) (first, last time.Time) {
	read := func(a *Attribute) (time.Time, bool) {
		text, ok := it.Text(a.Path)
		if !ok || a.Path == e.Table.TTL || a.Sensitive != Open || !a.Format.IsTime() || a.Format.IsDay() {
			return time.Time{}, false
		}
		t, ok := a.Format.ReadTime(text)
		return t, ok && !t.After(now)
	}
	for _, a := range e.Attributes {
		t, ok := read(a)
		if ok && (first.IsZero() || t.Before(first)) {
			first = t
		}
		if ok && t.After(last) {
			last = t
		}
	}
	if a := e.Attribute(e.Updated); a != nil {
		if t, ok := read(a); ok {
			last = t
		}
	}
	return first, last
}
