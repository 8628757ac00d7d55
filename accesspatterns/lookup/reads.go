package lookup

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// maxGuesses is the maximum number of enum values to try for a key part that the text lacks. Each guess is a request.
const maxGuesses = 6

// keyValues contains the values that a text provides for the placeholders of an entity's keys.
type keyValues struct {
	entity      *models.Entity
	values      map[string]string
	keys        map[string]string // whole keys in the text, which no optional part can extend
	quality     Quality
	distinctive bool
	partial     map[string]models.Format // format of each value that is known only in part
	guessed     bool
	whole       bool // the text is a key of the entity, so a key without placeholders also counts
	hasBothKeys bool // the text contains both keys, so part of the sort key is not enough
	hasItem     bool // the text contains the item
	closed      bool // optional parts without a value are not in the sort key
}

// templateValues returns a partial value only if the template needs this part, and a period in the form of the key.
func (f keyValues) templateValues(t models.Template) models.Values {
	parts := map[string]string{}
	for _, s := range t.Segments() {
		if name, hasName := s.SpelledName(); hasName && s.Format == f.partial[s.Name] {
			parts[name] = f.values[s.Name]
		}
	}
	return func(name string) (string, bool) {
		if v, ok := parts[name]; ok {
			return v, true
		}
		v, ok := f.values[name]
		if part, isPartial := f.partial[name]; ok && isPartial {
			ok = !part.IsTime()
			for _, s := range t.Segments() {
				ok = ok && (s.Name != name || s.Format == part)
			}
		}
		return v, ok
	}
}

func (f keyValues) areIn(t models.Template) bool {
	values := f.templateValues(t)
	return slices.ContainsFunc(t.Segments(), func(s models.Segment) bool { return s.HasValue(values) })
}

// addReads adds reads of the table and its indexes. It skips indexes with the partition of the table's read, and skips
// all indexes if the text is the key of one item.
func (f *finder) addReads(g keyValues) {
	partition, ok := f.addKeyRead(g, nil, "")
	if n := len(f.result.Reads); ok && n > 0 && f.result.Reads[n-1].IsItem && f.result.Reads[n-1].Entity == g.entity {
		return
	}
	for _, x := range g.entity.Table.Indexes {
		skip := ""
		if ok {
			skip = partition
		}
		f.addKeyRead(g, x, skip)
	}
}

// addKeyRead adds a read of index x, or of the table if x is nil, and returns its partition. It returns false if the
// values do not determine the partition, or if the partition is skip.
func (f *finder) addKeyRead(g keyValues, x *models.Index, skip string) (string, bool) {
	partition, sort := g.entity.Table.KeysOf(x)
	if !g.selectsPartition(partition, sort) {
		return "", false
	}
	var conditions []keyCondition
	partitionText := ""
	for _, k := range partition {
		pk, _ := g.entity.KeyTemplate(k.Name)
		text, err := pk.Format(g.templateValues(pk))
		if valueErr, isValueErr := errors.AsType[*models.ValueError](err); isValueErr && errors.Is(err, models.ErrMissing) {
			if !g.guessed && g.areInKey(partition, sort) {
				f.addGuesses(g, valueErr.Name, x)
			}
			return "", false
		}
		if err != nil {
			return "", false
		}
		conditions = append(conditions, keyCondition{k, accesspatterns.Equal, text})
		partitionText += text
	}
	if partitionText == skip {
		return "", false
	}
	key := slices.Concat(conditions, sortConditions(g, sort))
	exact := key[len(key)-1].compare == accesspatterns.Equal
	if g.hasBothKeys && (!exact || len(key) == len(partition)) {
		return "", false
	}
	r, ok := newRead(g, x, key...)
	if !ok {
		return "", false
	}
	if !exact { // the key may also end here
		g.closed, g.whole, g.hasItem = true, false, false
		if one, ok := newRead(g, x, slices.Concat(conditions, sortConditions(g, sort))...); ok {
			f.add(one)
		}
	}
	f.add(r)
	return partitionText, true
}

// selectsPartition reports whether the partition key, or the sort key of a constant partition, uses the values.
func (f keyValues) selectsPartition(partition, sort []models.Key) bool {
	used, constant := f.whole, true
	for _, k := range partition {
		pk, ok := f.entity.KeyTemplate(k.Name)
		if !ok {
			return false
		}
		_, literal := pk.Literal()
		used, constant = used || f.areIn(pk), constant && literal
	}
	if used || !constant || len(sort) == 0 {
		return used
	}
	sk, ok := f.entity.KeyTemplate(sort[0].Name)
	if !ok || !f.areIn(sk) {
		return false
	}
	c, ok := sortCondition(f, sort[0], sk)
	return ok && (c.compare == accesspatterns.Equal || len(c.text) > len(sk.LiteralPrefix())) // otherwise, it selects other items
}

// areInKey reports whether the key uses the values. Otherwise, a guess would read items that are unrelated to the text.
func (f keyValues) areInKey(partition, sort []models.Key) bool {
	return slices.ContainsFunc(partition, func(k models.Key) bool {
		t, ok := f.entity.KeyTemplate(k.Name)
		return ok && f.areIn(t)
	}) || len(sortConditions(f, sort)) > 0
}

func (f *finder) addGuesses(g keyValues, name string, x *models.Index) {
	a := g.entity.Attribute(name)
	if a == nil || len(a.Enum) == 0 || len(a.Enum) > maxGuesses || a.OpenEnum {
		return
	}
	for _, v := range a.Enum {
		next := g
		next.guessed, next.values = true, maps.Clone(g.values)
		next.values[name] = v
		f.addKeyRead(next, x, "")
	}
}

// A keyCondition compares a key attribute with text.
type keyCondition struct {
	key     models.Key
	compare accesspatterns.Operator
	text    string
}

func sortConditions(g keyValues, sort []models.Key) []keyCondition {
	var list []keyCondition
	for _, k := range sort {
		t, ok := g.entity.KeyTemplate(k.Name)
		if !ok {
			break
		}
		c, ok := sortCondition(g, k, t)
		if ok {
			list = append(list, c)
		}
		if !ok || c.compare != accesspatterns.Equal {
			break
		}
	}
	return list
}

func sortCondition(g keyValues, sort models.Key, t models.Template) (keyCondition, bool) {
	text, err := t.Format(g.templateValues(t))
	if err == nil && (t.Open(g.templateValues(t)) == nil || g.closed || g.keys[sort.Name] == text) {
		return keyCondition{sort, accesspatterns.Equal, text}, true
	}
	text, _, err = t.Prefix(g.templateValues(t))
	if err != nil || text == "" || sort.Type != models.TypeS {
		return keyCondition{}, false
	}
	return keyCondition{sort, accesspatterns.BeginsWith, text}, true
}

func newRead(g keyValues, x *models.Index, conditions ...keyCondition) (Read, bool) {
	t := g.entity.Table
	p := &accesspatterns.Pattern{ID: "find", Table: t, Read: accesspatterns.Read{Operation: accesspatterns.Query, Index: x}}
	args, whole := map[string]string{}, x == nil && len(conditions) == len(t.PrimaryKeys())
	for i, c := range conditions {
		whole = whole && c.compare == accesspatterns.Equal
		name := "key" + strconv.Itoa(i)
		args[name] = c.text
		p.Params = append(p.Params, &accesspatterns.Param{Name: name, Type: accesspatterns.String, Required: true})
		p.Read.Key = append(p.Read.Key, accesspatterns.KeyCondition{
			Attribute: c.key, Compare: c.compare, Template: models.MustTemplate("{" + name + "}"),
		})
	}
	if whole {
		p.Read.Operation = accesspatterns.Get
	}
	bound, err := p.Bind(args, time.Time{})
	if err != nil || len(bound.Legs) != 1 {
		return Read{}, false // part of the text cannot be part of this key
	}
	if whole && g.quality == Bare {
		bound.Legs[0].Get.ConsistentRead = nil // half the cost for a text that is probably not a key
	}
	r := Read{
		Entity: g.entity, Index: x, Leg: bound.Legs[0], Quality: g.quality, IsItem: whole, HasKey: whole && (g.whole || g.hasItem),
		Guessed: g.guessed, Distinctive: g.distinctive,
		Keys: map[string]string{},
	}
	for _, c := range conditions {
		r.Keys[c.key.Name] = g.maskedText(c)
	}
	for name := range g.values {
		a := g.entity.Attribute(name)
		r.IsReference = r.IsReference || a != nil && a.Refers != ""
		r.names = append(r.names, name)
		if slices.ContainsFunc(conditions, func(c keyCondition) bool {
			key, ok := g.entity.KeyTemplate(c.key.Name)
			return ok && key.Has(name)
		}) {
			r.parts++
		}
	}
	return r, true
}

func (f keyValues) maskedText(c keyCondition) string {
	t, ok := f.entity.KeyTemplate(c.key.Name)
	switch {
	case ok && f.entity.TemplateSensitivity(t) == models.Secret:
		return t.String()
	case c.compare == accesspatterns.BeginsWith:
		return c.text + "…"
	}
	return c.text
}

// add keeps the better of two equal requests.
func (f *finder) add(r Read) {
	request := fingerprint(r.Leg)
	if f.seen[request] {
		for i, existing := range f.result.Reads {
			if fingerprint(existing.Leg) == request {
				f.result.Reads[i].Quality, f.result.Reads[i].Distinctive = min(existing.Quality, r.Quality),
					existing.Distinctive || r.Distinctive
				f.result.Reads[i].HasKey = existing.HasKey || r.HasKey
				f.result.Reads[i].names = append(existing.names, r.names...)
			}
		}
		return
	}
	f.seen[request] = true
	r.order = len(f.result.Reads)
	if r.Leg.Query != nil && f.schema.newestIsLast(r) {
		r.Leg.Query.ScanIndexForward = new(false)
	}
	f.result.Reads = append(f.result.Reads, r)
}

// newestIsLast reports whether the sort key is a time, or documented patterns read the same items in descending order.
// If all of them read a time in ascending order, newestIsLast returns false.
func (s Schema) newestIsLast(r Read) bool {
	ascending, descending := false, false
	for _, p := range s.Patterns {
		if p.Read.Operation == accesspatterns.Query && p.OrderNote != "" && p.Table == r.Entity.Table &&
			p.Read.Index == r.Index && slices.Contains(p.Returns, r.Entity) {
			ascending, descending = ascending || !p.Read.Descending, descending || p.Read.Descending
		}
	}
	_, sort := r.Entity.Table.KeysOf(r.Index)
	for _, k := range sort {
		t, _ := r.Entity.KeyTemplate(k.Name)
		for _, part := range t.Segments() {
			if part.Name != "" && !slices.Contains(r.names, part.Name) {
				f := part.TimeFormat()
				return descending && !ascending || f.IsTime() && f.SortsByTime() && (descending || !ascending)
			}
		}
	}
	return false
}

func fingerprint(l accesspatterns.Leg) string {
	var b bytes.Buffer
	switch {
	case l.Get != nil:
		b.WriteString("get " + *l.Get.TableName + " ")
		b.Write(models.Item(l.Get.Key).AppendDynamoDBJSON(nil))
	case l.Query != nil:
		q := l.Query
		b.WriteString("query " + *q.TableName + " ")
		if q.IndexName != nil {
			b.WriteString(*q.IndexName + " ")
		}
		b.WriteString(*q.KeyConditionExpression + " ")
		names, _ := json.Marshal(q.ExpressionAttributeNames)
		b.Write(names)
		b.Write(models.Item(q.ExpressionAttributeValues).AppendDynamoDBJSON(nil))
	}
	return b.String()
}

// missingPatterns returns patterns that need more values, unless a read finds their entity by the same attribute.
func (f *finder) missingPatterns(text string) []Missing {
	var list []Missing
	for _, p := range f.schema.Patterns {
		if !p.IsRead() || p.Read.Operation == accesspatterns.Scan {
			continue
		}
		for _, q := range p.Params {
			quality, ok := f.paramQuality(p, q, text)
			if !ok || f.isFoundByRead(p, q) {
				continue
			}
			m := Missing{Pattern: p, Text: text, Param: q.Name, Quality: quality}
			for _, other := range p.Params {
				if other.Required && other.Default == "" && other != q {
					m.Parameters = append(m.Parameters, other.Name)
				}
			}
			if len(m.Parameters) > 0 {
				list = append(list, m)
			}
		}
	}
	return list
}

func (f *finder) paramQuality(p *accesspatterns.Pattern, q *accesspatterns.Param, text string) (Quality, bool) {
	inKey := slices.ContainsFunc(p.Read.Key, func(c accesspatterns.KeyCondition) bool { return c.Template.Has(q.Name) })
	if !inKey || !q.Required || q.Attribute == nil || len(q.Enum) > 0 || q.Type == accesspatterns.Timestamp {
		return Bare, false
	}
	if _, err := q.Read(text, time.Time{}); err != nil {
		return Bare, false
	}
	return f.schema.matchQuality(q.Entity, q.Attribute.Path, text)
}

func (f *finder) isFoundByRead(p *accesspatterns.Pattern, q *accesspatterns.Param) bool {
	return slices.ContainsFunc(f.result.Reads, func(r Read) bool {
		return slices.Contains(p.Returns, r.Entity) && slices.Contains(r.names, q.Name)
	})
}

// Follow returns the reads of documented patterns after an item from another read provides the missing parameter. For
// example, an appearance contains the organization of its video. Follow is the second step of a search, after a read of
// the first result has found the item. It omits patterns that need several requests.
func Follow(s Schema, missing []Missing, v accesspatterns.View) []Read {
	var list []Read
	for _, m := range missing {
		for _, args := range arguments(s, m, v) {
			bound, err := m.Pattern.Bind(args, time.Time{})
			if err != nil || len(bound.Legs) != 1 || len(m.Pattern.Returns) == 0 {
				continue
			}
			list = append(list, Read{
				Entity: m.Pattern.Returns[0], Index: bound.Read.Index, Leg: bound.Legs[0], Quality: m.Quality,
				IsItem: bound.Legs[0].Get != nil, names: []string{m.Param},
			})
		}
	}
	return list
}

func arguments(s Schema, m Missing, v accesspatterns.View) []map[string]string {
	one := []*accesspatterns.Pattern{m.Pattern}
	var list []map[string]string
	for _, r := range accesspatterns.Relations(one, s.Entities, v) {
		if r.Args[m.Param] == m.Text {
			list = append(list, r.Args)
		}
	}
	for _, r := range accesspatterns.IncompleteRelations(one, s.Entities, v) {
		if len(r.Missing) == 1 && r.Missing[0] == m.Param {
			args := maps.Clone(r.Args)
			args[m.Param] = m.Pattern.Param(m.Param).Argument(m.Text)
			list = append(list, args)
		}
	}
	return list
}

// Fingerprint returns a text that is equal for reads that send the same request. It contains key values, so do not show
// or store it.
func (r Read) Fingerprint() string { return fingerprint(r.Leg) }

// SourceOf returns the first pattern that finds the missing values by another attribute of the parameter's entity, or
// nil. The caller runs that pattern first, and then m.Pattern with a value from its rows.
func SourceOf(patterns []*accesspatterns.Pattern, m Missing) *accesspatterns.Pattern {
	for _, name := range m.Parameters {
		for _, p := range patterns {
			if p.IsRead() && p.Read.Operation != accesspatterns.Scan && p.Read.Operation != accesspatterns.Count &&
				suppliesParam(p, m, name) {
				return p
			}
		}
	}
	return nil
}

func suppliesParam(p *accesspatterns.Pattern, m Missing, name string) bool {
	if p == m.Pattern || p.Param(name) != nil {
		return false
	}
	if q := p.Param(m.Param); q != nil && q.Required {
		return false
	}
	q := m.Pattern.Param(name)
	return slices.ContainsFunc(p.Returns, func(e *models.Entity) bool {
		a := e.Attribute(name)
		return a != nil && q != nil && (q.Attribute == nil || a == q.Attribute || q.Attribute.Refers == e.Name+"."+a.Path ||
			a.Refers == q.Attribute.Refers)
	})
}
