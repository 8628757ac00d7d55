package draft

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// derivedLayout returns the layout of a key computed from one attribute, such as its day or its hundreds. A key with a
// descriptive name stays an attribute if it copies the value or if two attributes match it.
func (l keyMatcher) derivedLayout(rows []row) (layout, bool) {
	texts := models.MapSlice(rows, func(r row) string { return r.key })
	if len(textSet(texts)) < 3 {
		return layout{}, false
	}
	p, lengths, ok := l.attributePiece(rows, texts, nil, "")
	if !ok {
		p, lengths, ok = l.computedPiece(rows, texts)
	}
	if !ok || slices.ContainsFunc(indexes(rows), func(i int) bool { return lengths[i] != len(texts[i]) }) {
		return layout{}, false
	}
	out := layout{pieces: []piece{p}}
	if out.note = l.checkKeys(out, rows); out.note != "" {
		return layout{}, false
	}
	if !isGeneric(l.attribute) {
		other := l
		other.composed = append(slices.Clip(l.composed), p.name)
		if _, ambiguous := other.derivedLayout(rows); ambiguous || !p.format.IsLossy() && !p.format.IsReversed() {
			return layout{}, false
		}
		out.note = CheckNote("computed from %s in all %d keys", p.name, len(rows))
	}
	return out, true
}

// formRows is the number of keys with all optional parts that proves these parts.
const formRows = 3

// optionalLayout returns a layout with optional parts if it makes every key from its item, and whole otherwise.
func (l keyMatcher) optionalLayout(rows []row, whole layout) layout {
	texts := models.MapSlice(rows, func(r row) string { return r.key })
	sep := separator(texts)
	if n := len(whole.pieces[0].literal); sep == "" && n > 0 {
		sep = whole.pieces[0].literal[n-1:]
	}
	if sep == "" || whole.note == "" && len(whole.keyOnly()) == 0 {
		return whole
	}
	byLength := map[int][]row{}
	for _, r := range rows {
		n := strings.Count(r.key, sep)
		byLength[n] = append(byLength[n], r)
	}
	var forms [][]piece
	for n := slices.Max(slices.Collect(maps.Keys(byLength))); n >= 0; n-- {
		if len(byLength[n]) > 0 {
			form := l.findLayout(byLength[n])
			if len(forms) == 0 && len(byLength[n]) < formRows || form.note != "" || len(form.keyOnly()) > 0 {
				return whole
			}
			forms = append(forms, form.tokens())
		}
	}
	runs := missingRuns(forms)
	if runs == nil {
		return whole
	}
	out := layout{pieces: withBrackets(forms[0], runs), isLabel: whole.isLabel}
	if out.note = l.checkKeys(out, rows); out.note != "" {
		return whole
	}
	return out
}

func (l layout) tokens() (list []piece) {
	for _, p := range l.pieces {
		if p.name != "" {
			list = append(list, p)
			continue
		}
		for _, c := range p.literal {
			list = append(list, piece{literal: string(c)})
		}
	}
	return list
}

func isSameToken(a, b piece) bool {
	return a.literal == b.literal && a.name == b.name && a.format == b.format
}

// missingRuns returns the run of tokens that each other form lacks compared to the first, or nil if runs overlap.
func missingRuns(forms [][]piece) (list [][2]int) {
	full := forms[0]
	for _, form := range forms[1:] {
		start := 0
		for start < len(form) && isSameToken(form[start], full[start]) {
			start++
		}
		end := start + len(full) - len(form)
		if len(form) >= len(full) || !slices.EqualFunc(full[end:], form[start:], isSameToken) {
			return nil
		}
		for start > 0 && full[start-1].name == "" && isSameToken(full[start-1], full[end-1]) {
			start, end = start-1, end-1
		}
		placeholder, word := false, false
		for _, t := range full[start:end] {
			placeholder, word = placeholder || t.name != "", word || !strings.Contains(boundaries, t.literal)
		}
		if !placeholder || word || slices.ContainsFunc(list, func(c [2]int) bool {
			inside := c[0] >= start && c[1] <= end || c[0] <= start && c[1] >= end
			return !inside && c[0] < end && start < c[1]
		}) {
			return nil
		}
		list = append(list, [2]int{start, end})
	}
	return list
}

func withBrackets(tokens []piece, cuts [][2]int) (list []piece) {
	for at := range len(tokens) + 1 {
		for i, bracket := range []string{"]", "["} {
			for _, c := range cuts {
				if c[1-i] == at {
					list = append(list, piece{literal: bracket})
				}
			}
		}
		if at < len(tokens) {
			list = append(list, tokens[at])
		}
	}
	return list
}

// areOneEntity reports whether two clusters differ only in the attributes of an optional key part.
func (a *analysis) areOneEntity(first, second *Entity, one, two cluster) bool {
	if one.kind != two.kind || len(one.items)+len(two.items) < 2*formRows {
		return false
	}
	groups := kinds{"one": one.items, "two": two.items}
	firstNames, secondNames := groups.attributes("one"), groups.attributes("two")
	distinctNames := map[string]bool{}
	for _, list := range []struct {
		all  map[string]bool
		none []models.Item
	}{{firstNames, two.items}, {secondNames, one.items}} {
		for name := range list.all {
			if !slices.ContainsFunc(list.none, func(it models.Item) bool { _, ok := it[name]; return ok }) {
				distinctNames[name] = true
			}
		}
	}
	if len(distinctNames) > 3 {
		return false
	}
	joined := one
	joined.items = slices.Concat(one.items, two.items)
	e, _ := a.draftEntity(joined)
	keyNames, hasOptional := map[string]bool{}, false
	for _, k := range e.Keys {
		t, err := models.ParseTemplate(k.Template, nil)
		if err != nil || strings.Contains(k.Note, mismatchNote) {
			return false
		}
		primary := slices.ContainsFunc(a.table.PrimaryKeys(), func(p models.Key) bool { return p.Name == k.Attribute })
		hasOptional = hasOptional || primary && len(t.Optional()) > 0
		for _, name := range t.Optional() {
			delete(distinctNames, name)
		}
		for _, name := range append(t.Placeholders(), k.Attribute) {
			keyNames[name] = true
		}
	}
	for _, d := range e.Attributes { // Different literals would become a value that only the key contains.
		if d.KeyOnly && first.Attribute(d.Name) == nil && second.Attribute(d.Name) == nil {
			return false
		}
	}
	maps.DeleteFunc(firstNames, func(name string, _ bool) bool { return keyNames[name] })
	return hasOptional && len(distinctNames) == 0 && len(firstNames) > 0
}
