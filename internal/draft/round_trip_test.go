package draft

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// A recovery counts the parts of a schema that a draft of its sample data recovers.
type recovery struct {
	entities, entitiesFound, templates, templatesFound, items, recognized int
	indexes, indexesFound                                                 int // indexes with a query
	enums, enumsFound                                                     int // enums with all values of the sample
}

// row returns the row of the table in testdata/recovered.md. An index is recovered if the draft has a query for it, and
// an enum if the draft contains all values of the sample.
func (r recovery) row(name string) string {
	return fmt.Sprintf("| %s | %d of %d | %d of %d | %d of %d | %d of %d | %d of %d |", name, r.entitiesFound, r.entities,
		r.templatesFound, r.templates, r.indexesFound, r.indexes, r.enumsFound, r.enums, r.recognized, r.items)
}

func (r *recovery) add(o recovery) {
	r.entities, r.entitiesFound = r.entities+o.entities, r.entitiesFound+o.entitiesFound
	r.templates, r.templatesFound = r.templates+o.templates, r.templatesFound+o.templatesFound
	r.indexes, r.indexesFound = r.indexes+o.indexes, r.indexesFound+o.indexesFound
	r.enums, r.enumsFound = r.enums+o.enums, r.enumsFound+o.enumsFound
	r.items, r.recognized = r.items+o.items, r.recognized+o.recognized
}

// TestRoundTripRecoversKeyTemplates drafts a schema from the sample data of each built-in schema. A template is
// recovered if it has the same literals, and placeholders for the same values. The names of values that occur only in
// keys cannot be recovered.
func TestRoundTripRecoversKeyTemplates(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		roundTrip(t, p).check(t, "`"+name+"`")
	}
}

// check requires 95 % of the templates, 99 % of the items, and the row of the table.
func (r recovery) check(t *testing.T, name string) {
	t.Helper()
	if r.recognized*100 < r.items*99 {
		t.Errorf("%s: the draft recognizes %d of %d items", name, r.recognized, r.items)
	}
	if r.templatesFound*100 < r.templates*95 {
		t.Errorf("%s: the draft has %d of %d templates, want 95%%", name, r.templatesFound, r.templates)
	}
	table, err := os.ReadFile("testdata/recovered.md")
	if err != nil {
		t.Fatal(err)
	}
	if row := r.row(name); !strings.Contains(string(table), row+"\n") {
		t.Errorf("testdata/recovered.md lacks the row:\n%s", row)
	}
}

// roundTrip drafts a schema from sample data and compares both.
func roundTrip(t *testing.T, p *profiles.Profile) recovery {
	t.Helper()
	items, err := sample.Items(p, sample.Options{Seed: 1, At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	byTable := map[*models.Table][]models.Item{}
	for _, s := range items {
		byTable[s.Table] = append(byTable[s.Table], s.Item)
	}
	d := &Profile{Name: "draft"}
	for _, table := range p.Tables {
		copied := *table
		copied.Description, copied.Source = "", ""
		Infer(d, Sample{Table: &Table{Table: copied}, Items: byTable[table]}, InferOptions{})
		InferPatterns(d, d.Tables[len(d.Tables)-1])
	}
	second, err := profiles.Load("draft.yaml", d.Text(), nil)
	if err != nil {
		t.Fatalf("%s: %v\n%s", p.Name, err, d.Text())
	}
	var r recovery
	found, byEntity := map[*models.Entity]*models.Entity{}, map[*models.Entity][]models.Item{}
	for _, s := range items {
		r.items++
		want, ok := models.Recognize(p.Entities, s.Table, s.Item)
		got, known := models.Recognize(second.Entities, second.Table(s.Table.ID), s.Item)
		if known {
			r.recognized++
		}
		if ok {
			byEntity[want.Entity] = append(byEntity[want.Entity], s.Item)
		}
		if ok && known && found[want.Entity] == nil {
			found[want.Entity] = got.Entity
		}
	}
	taken := map[*models.Entity]bool{}
	for _, e := range p.Entities {
		other := found[e]
		if other == nil {
			continue // The entity lacks sample items.
		}
		r.entities++
		if !taken[other] {
			r.entitiesFound++
		}
		taken[other] = true
		r.countEnums(t, e, other, byEntity[e])
		same := synonyms(byEntity[e])
		for _, k := range e.KeyNames() {
			want, _ := e.KeyTemplate(k)
			got, _ := other.KeyTemplate(k)
			r.templates++
			if sameTemplate(e, other, want, got, same) {
				r.templatesFound++
			} else {
				t.Logf("%s.%s %s: %s, drafted as %s", p.Name, e.Name, k, want, got)
			}
		}
	}
	r.countIndexes(p, second)
	return r
}

// countIndexes counts the indexes for which the draft has a query.
func (r *recovery) countIndexes(p, drafted *profiles.Profile) {
	for _, table := range p.Tables {
		for _, x := range table.Indexes {
			r.indexes++
			if slices.ContainsFunc(drafted.Patterns, func(q *accesspatterns.Pattern) bool {
				return q.Table.ID == table.ID && q.Read.Index != nil && q.Read.Index.Name == x.Name
			}) {
				r.indexesFound++
			}
		}
	}
}

// countEnums counts the enum attributes with values in the sample, and how many of them have all of these values in the
// draft.
func (r *recovery) countEnums(t *testing.T, e, drafted *models.Entity, items []models.Item) {
	t.Helper()
	for _, a := range e.Attributes {
		values := map[string]bool{}
		for _, it := range items {
			if text, ok := it.Text(a.Name); ok && text != "" {
				values[text] = true
			}
		}
		if len(a.Enum) == 0 || a.KeyOnly || len(values) == 0 {
			continue
		}
		r.enums++
		found := drafted.Attribute(a.Name)
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(v string) bool {
			return found != nil && slices.Contains(found.Enum, v)
		})
		if len(missing) == 0 {
			r.enumsFound++
		} else {
			t.Logf("%s.%s: enum of %d values in %d items is not drafted", e.Name, a.Name, len(values), len(items))
		}
	}
}

// synonyms maps each attribute to the first one with the same value in all items, because the sample cannot distinguish
// them.
func synonyms(items []models.Item) map[string]string {
	same := map[string]string{}
	all := names(items)
	for _, name := range all {
		for _, other := range all {
			differs := slices.ContainsFunc(items, func(it models.Item) bool {
				a, one := it.Text(name)
				b, two := it.Text(other)
				return a != b || one != two
			})
			if !differs {
				same[name] = other
				break
			}
		}
	}
	return same
}

// sameTemplate reports whether two templates have the same literals, and at each position the same attribute in the
// same format. If only the key contains a value, any attribute with the same value is correct.
func sameTemplate(e, drafted *models.Entity, want, got models.Template, same map[string]string) bool {
	return slices.EqualFunc(want.Segments(), got.Segments(), func(w, g models.Segment) bool {
		a, b := e.Attribute(w.Name), drafted.Attribute(g.Name)
		switch {
		case w.Name == "" || g.Name == "":
			return w.Literal == g.Literal && w.Name == g.Name
		case a != nil && a.KeyOnly, a != nil && w.Name == g.Name && b != nil && b.KeyOnly:
			return true
		}
		return w.Format == g.Format && cmp.Or(same[w.Name], w.Name) == cmp.Or(same[g.Name], g.Name)
	})
}

// A generator generates random schemas: entities in one table with two indexes, one of them with keys of several
// attributes, and templates of all forms.
type generator struct {
	*rand.Rand
	sep        string
	attributes []string // attributes of the current entity
}

func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

// add declares an attribute once.
func (g *generator) add(name, declared string) {
	if !slices.ContainsFunc(g.attributes, func(a string) bool { return strings.HasPrefix(a, name+":") }) {
		g.attributes = append(g.attributes, name+": {"+declared+"}")
	}
}

// part returns a placeholder and declares its attribute; the last part of a primary key is unique.
func (g *generator) part(entity string, unique bool) string {
	id := strings.ToLower(entity) + "Id"
	if unique {
		switch g.IntN(4) {
		case 0:
			g.add(id, "type: S, required: true, format: uuid")
			return "{" + id + "}"
		case 1:
			g.add("number", "type: N, required: true")
			g.add(id, "type: S, required: true, format: uuid")
			return "{number:06d}" + g.sep + "{" + id + "}"
		case 2:
			g.add(id, "type: S, required: true, format: uuid")
			g.add("madeAt", "type: S, required: true, format: iso8601")
			return g.pick("{madeAt}", "{madeAt:date}", "{madeAt:day}") + g.sep + "{" + id + "}"
		default:
			g.add(id, "type: S, required: true, prefix: "+strings.ToLower(entity[:2])+"_, format: uuid")
			return "{" + id + "}"
		}
	}
	switch g.IntN(6) {
	case 0:
		g.add("mail", "type: S, required: true, examples: [Ann@example.com, bob@example.com, Eve@example.org]")
		return g.pick("{mail}", "{mail:lower}")
	case 1:
		g.add("region", "type: S, required: true, examples: [eu-west-1, us-east-1, af-south-1, ap-east-1]")
		return g.pick("{region}", "{region:upper}")
	case 2:
		g.add("ownerId", "type: S, required: true, format: uuid")
		return "{ownerId}"
	case 3:
		g.add("partnerId", "type: S, required: true, key_only: true, format: uuid")
		return "{partnerId}"
	case 4:
		g.add("code", "type: S, required: true, examples: [AB12, CD34, EF56, GH78, IJ90]")
		g.add("number", "type: N, required: true")
		return "{code:4}{number:05d}"
	default:
		g.add("stage", "type: S, required: true, enum: [draft, sent, paid]")
		g.add("ownerId", "type: S, required: true, format: uuid")
		return "{stage}" + g.sep + "{ownerId}"
	}
}

// profile returns the text of a schema.
func (g *generator) profile() string {
	var b strings.Builder
	b.WriteString("name: generated\ntables:\n  t:\n    partition_key: PK\n    sort_key: SK\n    indexes:\n" +
		"      GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}\n" +
		"      ByPlace: {partition_key: [country, city], sort_key: [street, {name: house, type: N}], projection: ALL}\nentities:\n")
	g.sep = g.pick("#", "#", "|", ":")
	discriminator := g.pick("_type", "entityType", "kind", "")
	for i, name := range []string{"User", "Order", "Invoice", "Visit"}[:2+g.IntN(3)] {
		g.attributes = nil
		literal := strings.ToUpper(name) + g.sep
		pk, sk := literal+g.part(name, false), literal+g.part(name, true)
		if discriminator != "" && g.IntN(2) == 0 { // the keys of these entities do not differ
			pk, sk = "{tenant}", "{at}#{itemId}"
			g.add("tenant", "type: S, required: true, format: uuid")
			g.add("at", "type: S, required: true, format: iso8601-ms")
			g.add("itemId", "type: S, required: true, format: uuid")
		} else if g.IntN(4) == 0 {
			pk = literal + g.part(name, true)
			sk = g.pick("META", "PROFILE")
		}
		fmt.Fprintf(&b, "  %s:\n    table: t\n    sample: {count: 40}\n    keys: {PK: %q, SK: %q", name, pk, sk)
		if g.IntN(2) == 0 {
			fmt.Fprintf(&b, ", GSI1PK: %q, GSI1SK: %q", literal+g.part(name, false), g.part(name, true))
		}
		b.WriteString("}\n")
		if discriminator != "" {
			fmt.Fprintf(&b, "    when: {equals: {%s: %s}}\n", discriminator, name)
			g.add(discriminator, "type: S, required: true, enum: ["+name+"]")
		}
		if i == 0 {
			g.add("country", "type: S, required: true, examples: [BW, ZA, NA]")
			g.add("city", "type: S, required: true, examples: [Maun, Kasane, Gaborone]")
			g.add("street", "type: S, required: true, examples: [First, Second, Third]")
			g.add("house", "type: N, required: true")
		}
		b.WriteString("    attributes:\n      " + strings.Join(g.attributes, "\n      ") + "\n")
	}
	return b.String()
}

// TestGeneratedSchemasRoundTrip drafts schemas from the sample data of generated schemas.
func TestGeneratedSchemasRoundTrip(t *testing.T) {
	var all recovery
	for seed := range uint64(20) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		text := g.profile()
		p, err := profiles.Load("generated.yaml", []byte(text), nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		all.add(roundTrip(t, p))
	}
	all.check(t, "20 generated")
}
