package draft

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// A generator writes a profile at random: entities in one table with two indexes, one of them with keys of several
// attributes, with templates of all forms.
type generator struct {
	*rand.Rand
	sep        string
	attributes []string // of the entity in hand
}

// pick returns one of the words.
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

// profile returns the text of a profile.
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

// TestRoundTripOfGeneratedProfiles drafts profiles of the sample data of profiles that no person wrote.
func TestRoundTripOfGeneratedProfiles(t *testing.T) {
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
