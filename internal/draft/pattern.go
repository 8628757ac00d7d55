package draft

import (
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
)

// InferPatterns adds what the keys of a table can answer: a get for each entity, and a query for each partition of the
// table and of its indexes that has several items. Call it after all entities of the table were
// added. IDs are unique, so calling it twice adds everything twice.
func InferPatterns(p *Profile, t *Table) {
	w := &patternWriter{profile: p, table: t}
	for _, e := range w.entities() {
		w.get(e)
	}
	if t.SortKey.Name != "" {
		w.queries(nil)
	}
	for _, x := range t.Indexes {
		w.queries(x)
	}
}

// A patternWriter adds the patterns of one table.
type patternWriter struct {
	profile *Profile
	table   *Table
}

func (w *patternWriter) entities() []*Entity {
	return slices.DeleteFunc(slices.Clone(w.profile.Entities), func(e *Entity) bool { return e.Table != w.table.ID })
}

func (w *patternWriter) add(q *Pattern) {
	q.ID = free(q.ID, func(id string) bool {
		return slices.ContainsFunc(w.profile.Patterns, func(other *Pattern) bool { return other.ID == id })
	})
	if w.profile.Table(w.table.ID) != w.profile.Tables[0] || len(w.entities()) == 0 {
		q.Table = w.table.ID
	}
	w.profile.Patterns = append(w.profile.Patterns, q)
}

func (w *patternWriter) get(e *Entity) {
	q := &Pattern{ID: "get-" + Kebab(e.Name), Title: spaced(e.Name), Operation: "get", Returns: []string{e.Name}}
	if w.table.SortKey.Name == "" || e.Template(w.table.SortKey.Name) != "" {
		w.condition(q, e, w.table.PartitionKey, "")
		w.condition(q, e, w.table.SortKey, "")
		w.add(q)
	}
}

func (w *patternWriter) conditions(q *Pattern, e *Entity, keys []models.Key) {
	for _, k := range keys {
		w.condition(q, e, k, "")
	}
}

func (w *patternWriter) condition(q *Pattern, e *Entity, k models.Key, prefix string) {
	t := e.Template(k.Name)
	switch {
	case k.Name == "" || t == "":
	case prefix != "":
		q.Key = append(q.Key, Field{Key: k.Name, Value: Map{{Key: "begins_with", Value: prefix}}})
	default:
		if t == "{"+k.Name+"}" && !placeholderText().MatchString(k.Name) {
			name := Camel(k.Name)
			q.Define(name, e.Name+"."+k.Name)
			t = "{" + name + "}"
		}
		q.Key = append(q.Key, Field{Key: k.Name, Value: t})
	}
}

// queries adds one query for each form of partition key, and one for each entity that shares the partition and has a
// sort key that begins with a literal of its own.
func (w *patternWriter) queries(x *models.Index) {
	pk, sk := w.table.KeysOf(x)
	in, index := "", ""
	if x != nil {
		index = x.Name
		in = " through " + x.Name
	}
	byTemplate := map[string][]*Entity{}
	var order []string
	lacks := func(e *Entity) func(models.Key) bool {
		return func(k models.Key) bool { return e.Template(k.Name) == "" }
	}
	for _, e := range w.entities() {
		t := strings.Join(models.NamesOf(pk, func(k models.Key) string { return e.Template(k.Name) }), "\x00")
		if !slices.ContainsFunc(slices.Concat(pk, sk), lacks(e)) {
			if byTemplate[t] == nil {
				order = append(order, t)
			}
			byTemplate[t] = append(byTemplate[t], e)
		}
	}
	for _, t := range order {
		list := byTemplate[t]
		of := list[0].Name
		q := &Pattern{Operation: "query", Index: index, Title: spaced(plural(of)) + in}
		for _, e := range list {
			q.Returns = append(q.Returns, e.Name)
		}
		if len(list) > 1 {
			q.Title = "Item collection of " + english.WordSeries(q.Returns, "and") + in
		}
		q.ID = strings.Trim("list-"+Kebab(plural(of))+"-"+Kebab(index), "-")
		if index == "" {
			q.ID = "list-" + Kebab(plural(of))
		}
		if len(list) > 1 {
			q.ID = "list-" + Kebab(of) + "-partition"
			if index != "" {
				q.ID = "list-" + Kebab(of) + "-" + Kebab(index) + "-partition"
			}
		}
		w.conditions(q, list[0], pk)
		fanOut(q)
		if x != nil || !w.singleton(list) {
			w.add(q)
		}
		w.prefixes(list, pk, sk, index, in)
	}
}

// fanOut reads all shards of a partition key if nobody who lists items knows the value that the shard comes from.
func fanOut(q *Pattern) {
	whole, shards := map[string]bool{}, []string{}
	for _, f := range q.Key {
		text, _ := f.Value.(string)
		t, err := models.ParseTemplate(text, nil)
		if err != nil {
			continue
		}
		for _, s := range t.Segments() {
			switch n := len(s.Format.Shards()); {
			case n == 0:
				whole[s.Name] = true
			case n <= mostFannedOut && !slices.Contains(shards, s.Name):
				shards = append(shards, s.Name)
			}
		}
	}
	shards = slices.DeleteFunc(shards, func(name string) bool { return whole[name] })
	if len(shards) != 1 {
		return
	}
	q.FanOut = Map{{Key: "placeholder", Value: shards[0]}, {Key: "values", Value: "shards"}}
	q.Parameters = append(q.Parameters, Field{Key: shards[0], Value: Map{{Key: "required", Value: false}}})
}

// mostFannedOut is how many partitions a fan-out of a profile may read.
const mostFannedOut = 400

func (w *patternWriter) singleton(list []*Entity) bool {
	return len(list) == 1 && !strings.Contains(list[0].Template(w.table.SortKey.Name), "{")
}

func (w *patternWriter) prefixes(list []*Entity, pk, sk []models.Key, index, in string) {
	if len(sk) == 0 {
		return
	}
	for _, e := range list {
		t := e.Template(sk[0].Name)
		literal, _, ok := strings.Cut(t, "{")
		if len(list) == 1 || !ok || literal == "" {
			continue
		}
		q := &Pattern{
			ID: "list-" + Kebab(plural(e.Name)), Title: spaced(plural(e.Name)) + in,
			Operation: "query", Index: index, Returns: []string{e.Name},
		}
		if index != "" {
			q.ID += "-" + Kebab(index)
		}
		w.conditions(q, e, pk)
		fanOut(q)
		w.condition(q, e, sk[0], literal)
		w.add(q)
	}
}

func spaced(name string) string {
	return title(strings.Join(words(name), " "))
}
