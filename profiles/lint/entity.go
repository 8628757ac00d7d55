package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

func form(t models.Template) string {
	var b strings.Builder
	for _, s := range t.Segments() {
		if s.Name != "" {
			b.WriteString("{}")
			continue
		}
		b.WriteString(s.Literal)
	}
	return b.String()
}

func primaryTemplates(e *models.Entity) []models.Template {
	var list []models.Template
	for _, k := range e.Table.PrimaryKeys() {
		if t, ok := e.KeyTemplate(k.Name); ok {
			list = append(list, t)
		}
	}
	return list
}

func primaryText(e *models.Entity) string {
	return strings.Join(models.MapSlice(primaryTemplates(e), models.Template.String), " / ")
}

func areDistinguishable(a, b *models.Entity) bool {
	return excludes(a, b) || excludes(b, a)
}

func excludes(a, b *models.Entity) bool {
	for _, name := range a.Has {
		if b.Attribute(name) == nil || slices.Contains(b.Lacks, name) {
			return true
		}
	}
	for _, name := range a.Lacks {
		if x := b.Attribute(name); x != nil && x.Required {
			return true
		}
	}
	return areDistinguishedByValue(a, b)
}

func areDistinguishedByValue(a, b *models.Entity) bool {
	for _, q := range a.Is {
		x := b.Attribute(q.Path)
		if x == nil && !b.Undocumented {
			return true
		}
		known := x != nil && len(x.Enum) > 0 && !x.OpenEnum
		values := slices.Clone(q.Values)
		if known {
			values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(x.Enum, v) })
		}
		for _, o := range b.Is {
			if o.Path == q.Path {
				values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(o.Values, v) })
			}
		}
		if len(values) == 0 {
			return true
		}
	}
	return false
}

// maxPairs is the number of pairs that a rule reports; it counts the others.
const maxPairs = 20

// A pairRule returns a defect of two entities with overlapping keys as a format of their names and keys, or "".
type pairRule func(l *linter, a, b *models.Entity) (suggestion, format string)

func eachPair(check pairRule) func(*linter, func(defect)) {
	return func(l *linter, found func(defect)) {
		var last *models.Entity
		var next defect
		n, accepted := 0, false
		for o := range l.overlaps() {
			suggestion, format := check(l, o.A, o.B)
			if format == "" {
				continue
			}
			first := o.B != last
			if first {
				last, accepted = o.B, l.isAccepted("entities."+o.B.Name+".keys")
			}
			if !accepted {
				n++
			}
			if accepted && !first || !accepted && n > maxPairs+1 {
				continue
			}
			d := defect{
				path: "entities." + o.B.Name + ".keys", suggestion: suggestion, entities: []string{o.A.Name, o.B.Name},
				tables: []string{o.A.Table.ID}, message: fmt.Sprintf(format, o.A.Name, primaryText(o.A), o.B.Name, primaryText(o.B)),
			}
			if !accepted && n > maxPairs {
				next = d
				continue
			}
			found(d)
		}
		if n > maxPairs {
			next.message = english.Plural(n-maxPairs, "more pair", "") + " of entities have this defect; only the first " +
				strconv.Itoa(maxPairs) + " are listed"
			found(next)
		}
	}
}

func indistinguishable(l *linter, a, b *models.Entity) (suggestion, format string) {
	if !l.haveSameForm(a, b) || areDistinguishable(a, b) {
		return "", ""
	}
	return "start the keys with different literals, or distinguish the entities with when: {equals: {..}} or {has: [..]}",
		"%[1]s and %[3]s have the same key format (%[4]s), and nothing else distinguishes their items"
}

// distinguishedByAttributes finds entities that one attribute distinguishes, as an item without it changes its entity.
func distinguishedByAttributes(l *linter, a, b *models.Entity) (suggestion, format string) {
	areExclusive := slices.ContainsFunc(a.Has, func(name string) bool { return slices.Contains(b.Lacks, name) }) ||
		slices.ContainsFunc(b.Has, func(name string) bool { return slices.Contains(a.Lacks, name) })
	if !l.haveSameForm(a, b) || !areDistinguishable(a, b) || areExclusive || areDistinguishedByValue(a, b) ||
		areDistinguishedByValue(b, a) {
		return "", ""
	}
	return "start the keys with different literals",
		"%[1]s and %[3]s have the same key format (%[4]s) and differ only in other attributes; an item that matches both is ambiguous"
}

// overlappingKeys finds keys of different forms that the same text can match, such as {a}#{b} and X#{c}.
func overlappingKeys(l *linter, a, b *models.Entity) (suggestion, format string) {
	if l.haveSameForm(a, b) || areDistinguishable(a, b) {
		return "", ""
	}
	return "start the keys with different literals",
		"a key can match both %[1]s (%[2]s) and %[3]s (%[4]s); the template with more literal text wins"
}

// prefixTwoMeanings finds prefixes of several kinds of IDs, because a key with the prefix does not show which kind it
// contains. It ignores times, numbers and enums, which often follow the prefix of an entity in the sort key of an index.
func prefixTwoMeanings(l *linter, t *models.Table, found func(defect)) {
	meanings := map[string]map[string][]string{} // by prefix, key attribute and placeholders
	entities := map[string][]string{}
	var order []string
	for _, e := range l.EntitiesOf(t) {
		for _, k := range e.KeyNames() {
			template, _ := e.KeyTemplate(k)
			prefix, name := template.LiteralPrefix(), l.firstID(e, template)
			if prefix == "" || name == "" {
				continue
			}
			if meanings[prefix] == nil {
				meanings[prefix] = map[string][]string{}
				order = append(order, prefix)
			}
			meanings[prefix][k] = models.AppendOnce(meanings[prefix][k], name)
			entities[prefix] = models.AppendOnce(entities[prefix], e.Name)
		}
	}
	for _, prefix := range order {
		var subjects []subject
		for _, k := range t.KeyAttributes() {
			next := subject{meanings[prefix][k.Name], []string{k.Name}}
			subjects = slices.DeleteFunc(subjects, func(s subject) bool {
				same := haveCommon(s.values, next.values)
				if same {
					next = subject{append(s.values, next.values...), append(s.keys, next.keys...)}
				}
				return same
			})
			if len(next.values) > 0 {
				subjects = append(subjects, next)
			}
		}
		if len(subjects) < 2 {
			continue
		}
		d := defect{path: "entities." + entities[prefix][0], entities: entities[prefix]}
		d.reporter(found)("keys", "use a prefix for one kind of value only",
			"prefix %s is followed by different values: %s", prefix, strings.Join(models.MapSlice(subjects, subject.String), "; "))
	}
}

// A subject is one kind of ID, with its names and the keys that contain it.
type subject struct{ values, keys []string }

func (s subject) String() string {
	names := slices.Sorted(slices.Values(s.values))
	return strings.Join(slices.Compact(names), " or ") + " in " + strings.Join(s.keys, ", ")
}

func (l *linter) firstID(e *models.Entity, t models.Template) string {
	for _, s := range t.Segments() {
		if s.Name == "" {
			continue
		}
		a := e.Attribute(s.Name)
		if a != nil && a.Type == models.TypeS && len(a.Enum) == 0 && s.TimeFormat() == models.NoFormat {
			return l.referencedAttribute(a).Path
		}
		break
	}
	return ""
}

func (l *linter) referencedAttribute(a *models.Attribute) *models.Attribute {
	for range l.Entities {
		name, path, ok := strings.Cut(a.Refers, ".")
		e := l.Entity(name)
		if !ok || e == nil || e.Attribute(path) == nil {
			break
		}
		a = e.Attribute(path)
	}
	return a
}

// keyNotUnique finds keys that consist of a time and shared values, because two items can have the same time.
func keyNotUnique(_ *linter, e *models.Entity, report reporter) {
	templates := primaryTemplates(e)
	last := templates[len(templates)-1]
	timePart, hasID := "", false
	for _, name := range last.Placeholders() {
		a := e.Attribute(name)
		switch {
		case a == nil:
		case a.Format.IsPeriod(): // one item per day or month is intended
			hasID = true
		case a.Format.IsTime():
			timePart = name
		case a.Refers == "" && len(a.Enum) == 0 && a.Type != models.TypeBOOL:
			hasID = true
		}
	}
	if shard := onlyShards(templates); shard != "" {
		report("keys", "end the key with the value itself", "key %s has only the shard {%s}; two items of one shard overwrite each other",
			primaryText(e), shard)
		return
	}
	if measure := onlyMeasures(e, last); measure != "" && len(templates) > 1 {
		report("keys", "end the key with a unique ID", "key %s is the same for two items with the same {%s}; one overwrites the other",
			primaryText(e), measure)
		return
	}
	segments := last.Segments()
	if timePart == "" || hasID && segments[len(segments)-1].Name != timePart {
		return
	}
	report("keys", "end the key with a unique ID", "key %s has no unique part besides {%s}; two items with the same time "+
		"overwrite each other",
		primaryText(e), timePart)
}

// measureWord matches the names of quantities, which many items share.
var measureWord = models.LazyRegexp(
	`(?i)score|points?|amount|price|count|total|rank|rating|balance|weight|quantity|duration|distance|percent`,
)

func onlyMeasures(e *models.Entity, t models.Template) string {
	name := ""
	for _, name = range t.Placeholders() {
		if a := e.Attribute(name); a == nil || a.Type != models.TypeN || a.Format.IsTime() || !measureWord().MatchString(name) {
			return ""
		}
	}
	return name
}

func keyStartsWithValue(l *linter, e *models.Entity, report reporter) {
	t, ok := e.KeyTemplate(e.Table.SortKey.Name)
	if !ok || len(l.EntitiesOf(e.Table)) < 2 || len(t.Segments()) < 2 {
		return
	}
	s := t.Segments()[0]
	a := e.Attribute(s.Name)
	if a == nil || s.Format != models.NoFormat || a.Format.IsTime() || len(a.Enum) > 0 && !a.OpenEnum {
		return
	}
	report("keys."+e.Table.SortKey.Name, "start the key with a literal, and end every search prefix with the separator",
		"key %s starts with {%s} instead of a literal; a prefix search without the separator also matches longer values", t, s.Name)
}

func optionalInKey(_ *linter, e *models.Entity, report reporter) {
	for _, k := range e.KeyNames() {
		t, declared := e.Keys[k]
		if !declared || t.String() == "{"+k+"}" {
			continue
		}
		for _, s := range t.Segments() {
			a := e.Attribute(s.Name)
			if a != nil && !a.Required && !a.KeyOnly && !s.Optional && !e.Undocumented && !isWrittenOnlyWith(e, k, s.Name) {
				report("keys."+k, "omit "+k+" when "+a.Name+" is missing, or require "+a.Name,
					"%s is optional but part of key %s (%s); code that joins strings writes \"undefined\" into the key", a.Name, k, t)
			}
		}
	}
}

func keyOnly(_ *linter, e *models.Entity, report reporter) {
	var names []string
	for _, a := range e.Attributes {
		if a.KeyOnly {
			names = append(names, a.Name)
		}
	}
	if len(names) > 0 {
		report(
			"keys", "also store the value in an attribute", "only a key contains %s; no attribute of %s stores it",
			strings.Join(names, ", "), e.Name,
		)
	}
}

func delimiterInValue(_ *linter, e *models.Entity, report reporter) {
	for _, k := range e.KeyNames() {
		t, _ := e.KeyTemplate(k)
		for i, s := range t.Segments() {
			a := e.Attribute(s.Name)
			if a != nil && a.KeyOnly && t.EndsAtLiteral(i) && a.Format == models.NoFormat && s.Format == models.NoFormat &&
				a.Type != models.TypeN && (len(a.Enum) == 0 || a.OpenEnum) {
				report("keys."+k, "write "+a.Name+" as an attribute too",
					"%s exists only in key %s; a %q in its value makes the key ambiguous", a.Name, t, strings.Join(t.After(i), " or "))
			}
		}
	}
}

// circularParent reports each cycle at each of its entities, because any of them can be wrong.
func circularParent(l *linter, e *models.Entity, report reporter) {
	path := []string{e.Name}
	for p := l.Entity(e.Parent); p != nil && len(path) <= len(l.Entities); p = l.Entity(p.Parent) {
		path = append(path, p.Name)
		if p == e {
			report("parent", "remove parent: from the entity that exists without the other",
				"circular parents: %s; none of these items can be created first", strings.Join(path, " → "))
			return
		}
	}
}

func keyTypeDiffers(_ *linter, e *models.Entity, report reporter) {
	for _, k := range e.Table.KeyAttributes() {
		if a := e.Attribute(k.Name); a != nil && a.Type != k.Type {
			report("attributes."+a.Name, "use the same type in both places",
				"%s has type %s but key attribute %s has type %s; DynamoDB refuses the item", a.Name, a.Type, k.Name, k.Type)
			continue
		}
		t, declared := e.Keys[k.Name]
		if keyType := producedType(e, t); declared && k.Type != models.TypeS && keyType != k.Type {
			report("keys."+k.Name, "declare the key as type "+string(keyType)+", or write a template of type "+string(k.Type),
				"key attribute %s has type %s, but its template %s makes a value of type %s; DynamoDB refuses the item",
				k.Name, k.Type, t, keyType)
		}
	}
}

// producedType returns the type of the value that a template produces, which is a number if it contains only digits.
func producedType(e *models.Entity, t models.Template) models.Type {
	if t.IsOneWay() {
		return models.TypeS
	}
	for _, s := range t.Segments() {
		a := e.Attribute(s.Name)
		switch {
		case s.Name == "" && strings.Trim(s.Literal, "0123456789") != "":
			return models.TypeS
		case s.Name == "" || a == nil || s.Format.IsNumeric():
		case s.Format != models.NoFormat:
			return models.TypeS
		case len(t.Segments()) == 1:
			return a.Type
		case a.Type != models.TypeN:
			return models.TypeS
		}
	}
	return models.TypeN
}

func sortKeys(t *models.Table) []models.Key {
	list := []models.Key{t.SortKey}
	for _, x := range t.Indexes {
		for _, k := range x.SortKeys {
			list = models.AppendOnce(list, k)
		}
	}
	return list
}

// isWrittenOnlyWith reports whether a condition of the key, or of another key of its index, requires the attribute.
func isWrittenOnlyWith(e *models.Entity, key, attribute string) bool {
	requiresAttribute := func(k models.Key) bool {
		return slices.ContainsFunc(e.KeyWhen[k.Name], func(q models.Equality) bool { return q.Path == attribute && !q.Lacks })
	}
	return requiresAttribute(models.Key{Name: key}) || slices.ContainsFunc(e.Table.Indexes, func(x *models.Index) bool {
		keys := slices.Concat(x.PartitionKeys, x.SortKeys)
		return slices.ContainsFunc(keys, func(k models.Key) bool { return k.Name == key }) && slices.ContainsFunc(keys, requiresAttribute)
	})
}

func numberAsText(_ *linter, e *models.Entity, report reporter) {
	for _, k := range sortKeys(e.Table) {
		t := e.Keys[k.Name]
		for _, s := range t.Segments() {
			a := e.Attribute(s.Name)
			if a != nil && a.Type == models.TypeN && k.Type == models.TypeS && s.Format == models.NoFormat && !a.Format.IsTime() {
				report("keys."+k.Name, "pad it with zeros: {"+a.Name+":05d}",
					"number %s is part of text key %s; 10 sorts before 9 unless all numbers have the same length", a.Name, t)
			}
		}
	}
}

func timeDoesNotSort(_ *linter, e *models.Entity, report reporter) {
	for _, x := range append([]*models.Index{nil}, e.Table.Indexes...) {
		_, sort := e.Table.KeysOf(x)
		for _, k := range sort {
			t, _ := e.KeyTemplate(k.Name)
			for _, s := range t.Segments() {
				if f := s.TimeFormat(); !f.SortsByTime() && !f.IsReversed() {
					report("keys."+k.Name, "begin with the year, such as %Y-%m-%d",
						"sort key %s has times in the format %s, which do not sort by time; no range of them can be read", k.Name, f)
				}
			}
		}
	}
}

func onlyShards(key []models.Template) string {
	shard := ""
	for _, t := range key {
		for _, s := range t.Segments() {
			switch {
			case s.Name == "":
			case s.Format.Shards() == nil:
				return ""
			default:
				shard = s.PartName()
			}
		}
	}
	return shard
}

func shardDiffers(_ *linter, r request, report reporter) {
	for _, c := range r.read.Key {
		for _, s := range c.Template.Segments() {
			for _, e := range r.pattern.Returns {
				t, _ := e.KeyTemplate(c.Attribute.Name)
				for _, written := range t.Segments() {
					if written.Name == s.Name && written.IsComputed() && written.PartName() != s.PartName() {
						report("key."+c.Attribute.Name, "write {"+written.PartName()+"}",
							"the request reads {%s}, but keys of %s have {%s}; it reads other partitions", s.PartName(),
							e.Name, written.PartName())
					}
				}
			}
		}
	}
}
