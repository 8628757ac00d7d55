package draft

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

// typed are forms of values that contain separators.
var typed = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?`),
		regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`),
		regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+`),
	}
})

func (l layer) byKey(rows []row, rest []string, before []piece) (piece, []int) {
	p := piece{only: true}
	lengths := l.partLengths(rest)
	for i, n := range lengths {
		p.values = append(p.values, rest[i][:n])
	}
	p.name = l.partName(before, formatOf(p.values))
	p.name = free(p.name, func(s string) bool { return l.taken(s, rows, before, p.values) })
	return p, lengths
}

func (l layer) partLengths(rest []string) []int {
	lengths := make([]int, len(rest))
	usable := func(typed bool) bool {
		next := ""
		for i, r := range rest {
			after := ""
			if lengths[i] < len(r) {
				after = r[lengths[i] : lengths[i]+1]
			}
			if lengths[i] == 0 || i > 0 && after != next || after != "" && !typed && strings.Contains(r[:lengths[i]], after) {
				return false
			}
			next = after
		}
		return next == "" || strings.Contains(boundaries, next)
	}
	for _, form := range typed() {
		for i, r := range rest {
			lengths[i] = len(form.FindString(r))
		}
		if usable(true) {
			return lengths
		}
	}
	for _, sep := range separators {
		for i, r := range rest {
			lengths[i] = max(strings.Index(r, sep), 0)
		}
		if usable(false) {
			return lengths
		}
	}
	for i, r := range rest {
		lengths[i] = len(r)
	}
	return lengths
}

func (l layer) partName(before []piece, format models.Format) string {
	n := 0
	for _, p := range before {
		if p.name != "" {
			n++
		}
	}
	name, hint := "", l.hint
	if hint == "" && strings.ContainsAny(l.attribute, "#|") {
		hint = l.attribute // State#Date
	}
	if parts := hintParts(hint); n < len(parts) {
		name = parts[n]
	}
	if len(before) > 0 && name == "" {
		if list := words(before[len(before)-1].literal); len(list) > 0 {
			name = singular(Camel(strings.Join(list, "-")))
			switch {
			case format.IsDay():
				name += "Date"
			case format.IsTime():
				name += "At"
			case list[len(list)-1] != "id":
				name += "Id"
			}
		}
	}
	if name == "" {
		name = Camel(l.attribute)
		if len(before) > 0 || generic(l.attribute) {
			name = Camel(l.attribute + " part")
		}
	}
	return name
}

func (l layer) taken(name string, rows []row, before []piece, values []string) bool {
	if slices.ContainsFunc(before, func(p piece) bool { return p.name == name }) {
		return true
	}
	for i, r := range rows {
		if _, ok := r.item[name]; ok {
			return true
		}
		if other, ok := l.parts[name][r.index]; ok && other != values[i] {
			return true
		}
	}
	return false
}

// hintParts returns the names of values in texts such as SubId#SKU and METADATA#playerID.
func hintParts(hint string) []string {
	var list []string
	if generic(hint) {
		return nil
	}
	for _, text := range strings.FieldsFunc(hint, func(r rune) bool { return strings.ContainsRune("#|:/<>{}[] ", r) }) {
		if !upper(text) && placeholderText().MatchString(text) {
			list = append(list, text)
		}
	}
	return list
}

// prove checks that the template makes each key from its item and reads it back. A template that fails is written
// nevertheless, with the number of keys that it does not fit, because it is nearer to the truth than no template.
func (l layer) prove(out layout, rows []row) string {
	t, err := models.ParseTemplate(out.text(), nil)
	if err != nil {
		return Check("%v", err)
	}
	only := map[string]*models.Attribute{}
	for _, p := range out.keyOnly() {
		only[p.name] = &models.Attribute{Name: p.name, Path: p.name, Type: models.TypeS, Format: p.attributeFormat(), KeyOnly: true}
	}
	t = t.Of(func(name string) *models.Attribute { return only[name] })
	wrong := 0
	for _, r := range rows {
		m, err := t.ParseItem(r.key, r.item.Text)
		if err != nil {
			wrong++
			continue
		}
		key, err := t.Format(func(name string) (string, bool) {
			if only[name] != nil {
				v, ok := m.Values[name]
				return v, ok
			}
			return r.item.Text(name)
		})
		if err != nil || key != r.key {
			wrong++
		}
	}
	if wrong > 0 {
		return Check("does not fit %d of %d keys", wrong, len(rows))
	}
	return ""
}
