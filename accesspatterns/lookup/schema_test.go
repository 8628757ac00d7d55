package lookup_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
)

// entity returns an entity in a separate table with attributes and keys in the form "PK=template".
func entity(name string, keys []string, attributes ...models.Attribute) *models.Entity {
	list := func(names ...string) (keys []models.Key) {
		for _, name := range names {
			keys = append(keys, models.Key{Name: name, Type: models.TypeS})
		}
		return keys
	}
	e := &models.Entity{Name: name, Keys: map[string]models.Template{}, Table: &models.Table{
		ID: name, Name: name, PartitionKey: list("PK")[0],
		Indexes: []*models.Index{{Name: "X", PartitionKeys: list("XPK"), SortKeys: list("a", "b")}},
	}}
	for _, k := range keys {
		attribute, template, _ := strings.Cut(k, "=")
		e.Keys[attribute] = models.MustTemplate(template)
		if attribute == "SK" {
			e.Table.SortKey = list("SK")[0]
		}
	}
	for _, a := range attributes {
		a.Path = a.Name
		if a.Type == "" {
			a.Type = models.TypeS
		}
		e.Attributes = append(e.Attributes, &a)
	}
	e.Seal()
	return e
}

// schema returns a schema of the entities, without examples.
func schema(entities ...*models.Entity) lookup.Schema {
	return lookup.Schema{Entities: entities}
}

func lookUp(t *testing.T, s lookup.Schema, text string) lookup.Result {
	t.Helper()
	r, err := lookup.Find(s, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// targets returns the attributes that may contain the text, with their quality.
func targets(r lookup.Result) []string {
	var got []string
	for _, target := range r.Targets {
		got = append(got, target.Attribute+" "+[]string{"literal", "example", "exact", "bare"}[target.Quality])
	}
	slices.Sort(got)
	return got
}

func TestTargetsHaveFormatOfText(t *testing.T) {
	s := schema(entity("All", []string{"PK=ALL#{id}"},
		models.Attribute{Name: "amount", Type: models.TypeN}, models.Attribute{Name: "case", Prefix: "ver_"},
		models.Attribute{Name: "customer"}, models.Attribute{Name: "release", Format: models.Version},
		models.Attribute{Name: "when", Format: models.Date},
	))
	s.Examples = func(_ *models.Entity, path string) []string {
		if path == "customer" {
			return []string{"cust_123", "c_1", "_1", "cust_"}
		}
		return nil
	}
	for text, want := range map[string][]string{
		"12":         {"amount bare", "customer bare"},
		"abc":        {"customer bare"},
		"ver_":       {"customer bare"},
		"ver_1":      {"case literal", "customer bare"},
		"1.2.3":      {"customer bare", "release exact"},
		"2026-01-14": {"customer bare", "when exact"},
		"cust_999":   {"customer example"},
		"cust-999":   {"customer bare"}, // another separator
		"cust_":      {"customer bare"},
		"org_9":      {"customer bare"},
		"c_9":        {"customer example"},
		"_9":         {"customer bare"},
	} {
		if diff := cmp.Diff(want, targets(lookUp(t, s, text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	s.Examples = nil
	if got := targets(lookUp(t, s, "cust_999")); !slices.Equal(got, []string{"customer bare"}) {
		t.Errorf("without examples: got %v, want customer bare", got)
	}
}

func TestTargetIsFoundOnlyByReadOfItsEntity(t *testing.T) {
	id := models.Attribute{Name: "id"}
	s := schema(entity("Owner", []string{"PK=OWNER#{id}"}, id), entity("Other", []string{"PK=OTHER#{x}"}, id))
	for _, target := range lookUp(t, s, "7").Targets {
		if want := target.Entity.Name == "Owner"; target.FoundByRead != want {
			t.Errorf("%s of %s: FoundByRead = %v, want %v", target.Attribute, target.Entity.Name, target.FoundByRead, want)
		}
	}
}

func TestKeyReads(t *testing.T) {
	at, log := models.Attribute{Name: "at", Format: models.ISO8601}, models.Attribute{Name: "log", Prefix: "log_"}
	enum := func(n int) models.Attribute {
		a := models.Attribute{Name: "status"}
		for i := range n {
			a.Enum = append(a.Enum, fmt.Sprint("s", i))
		}
		return a
	}
	two := entity("E", []string{"PK=E#{id}", "XPK=X#{x}", "a=A#{y}", "b=B#{z}"},
		models.Attribute{Name: "x"}, models.Attribute{Name: "y"}, models.Attribute{Name: "z"})
	for name, tt := range map[string]struct {
		entity *models.Entity
		text   string
		want   []string
	}{
		"two parts without literal text": {
			entity("E", []string{"PK={at}#{log}"}, at, log), "2026-01-14T10:00:00Z#log_1", []string{"exact get E 2026-01-14T10:00:00Z#log_1"},
		},
		"two parts, one in another format": {entity("E", []string{"PK={at}#{log}"}, at, log), "2026-01-14T10:00:00Z#x", nil},
		"the day of a time": {
			entity("E", []string{"PK=E#{at:date}", "SK={at}"}, at), "E#2026-01-14", []string{"literal query E E#2026-01-14"},
		},
		"the hour of a time, and an index without any part of the key": {
			entity("E", []string{"PK=E#{id}#{at:hour}", "SK={n}", "XPK={status}", "a={at}"}, at, enum(2)), "E#7#2026-01-14T10",
			[]string{"literal query E E#7#2026-01-14T10"},
		},
		"the month of a time as a number": {
			entity("E", []string{"PK=E#{id}", "XPK={at:%Y%m}"}, at, models.Attribute{Name: "id", Prefix: "e_"}), "202601",
			[]string{"bare query E.X 202601"},
		},
		"one partition for all items": {entity("E", []string{"PK=ALL", "SK=E#{id}"}), "7", []string{"bare get E ALL / E#7"}},
		"one partition for all items, and an unknown part before the value": {
			entity("E", []string{"PK=ALL", "SK=E#{n}#{id}"}, models.Attribute{Name: "id", Prefix: "e_"}, models.Attribute{Name: "n", Type: models.TypeN}),
			"e_7", nil,
		},
		"one item":            {entity("E", []string{"PK=ALL"}), "7", nil},
		"the key of one item": {entity("E", []string{"PK=ALL"}), "ALL", []string{"literal get E ALL"}},
		"a pair without the optional part": {
			entity("E", []string{"PK=E#{id}", "SK=DOC#{n}[#{page}]"}), "E#7 / DOC#1", []string{"literal get E E#7 / DOC#1"},
		},
		"an item without the optional part": {
			entity("E", []string{"PK=E#{id}", "SK=DOC#{n}[#{page}]"}), `{"PK": "E#7", "SK": "DOC#1"}`, []string{"literal get E E#7 / DOC#1"},
		},
		"a sort key without the optional part": {
			entity("E", []string{"PK=ALL", "SK=DOC#{n}[#{page}]"}), "DOC#1",
			[]string{"literal get E ALL / DOC#1", "literal query E ALL DOC#1#…"},
		},
		"any text before an optional part": {
			entity("E", []string{"PK=ALL", "SK={name}[/{page}]"}), "7", []string{"bare get E ALL / 7", "bare query E ALL 7/…"},
		},
		"a text with the literal of the optional part": {
			entity("E", []string{"PK=ALL", "SK={name}[/{page}]"}), "7/1", []string{"literal get E ALL / 7/1"},
		},
		"a pair of texts with several words": {
			entity("E", []string{"PK={folder}", "SK={file}"}), "/my files / The report 1.txt",
			[]string{"bare get E /my files / The report 1.txt"},
		},
		"a guessed enum value": {
			entity("E", []string{"PK=E#{status}#{id}"}, enum(2)), "7", []string{"bare get E E#s0#7", "bare get E E#s1#7"},
		},
		"a value of the largest enum": {
			entity("E", []string{"PK=E#{status}#{id}"}, enum(6)), "7", []string{
				"bare get E E#s0#7", "bare get E E#s1#7", "bare get E E#s2#7", "bare get E E#s3#7", "bare get E E#s4#7", "bare get E E#s5#7",
			},
		},
		"too many values": {entity("E", []string{"PK=E#{status}#{id}"}, enum(7)), "7", nil},
		"any value":       {entity("E", []string{"PK=E#{status}#{id}"}, enum(0)), "7", nil},
		"no attribute":    {entity("E", []string{"PK=E#{status}#{id}"}), "7", nil},
		"a sort key of two attributes": {
			two,
			`{"x":"1","y":"2","z":"3"}`,
			[]string{"exact query E.X X#1 A#2 B#3"},
		},
		"a sort key without its first attribute": {
			two,
			`{"x":"1","z":"3"}`,
			[]string{"exact query E.X X#1 A#…"},
		},
	} {
		var got []string
		for _, read := range lookUp(t, schema(tt.entity), tt.text).Reads {
			got = append(got, readText(read))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBinaryKeysAreReadByTheirBase64(t *testing.T) {
	e := entity("E", []string{"PK={id}"}, models.Attribute{Name: "id", Type: models.TypeB}, models.Attribute{Name: "raw", Type: models.TypeB})
	e.Table.PartitionKey.Type = models.TypeB
	for text, want := range map[string][]string{"uKGrzRppFsdNpPn8PG2l1w==": {"bare get E uKGrzRppFsdNpPn8PG2l1w=="}, "no base64": nil} {
		var got []string
		r := lookUp(t, schema(e), text)
		for _, read := range r.Reads {
			got = append(got, readText(read))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if want := len(want); len(r.Targets) != want { // Keys only, because users cannot paste other binary values.
			t.Errorf("%s: got targets %v, want %d", text, targets(r), want)
		}
	}
}

func TestNumericKeysKeepAllDigits(t *testing.T) {
	e := entity("E", []string{"PK={orderNo}"}, models.Attribute{Name: "orderNo", Type: models.TypeN})
	e.Table.PartitionKey.Type = models.TypeN
	for _, text := range []string{
		`{"rows": [{"PK": 1234567890123456789}]}`, `[{"PK":7},{"PK":1234567890123456789}]`, `{"log": {"orderNo": 1234567890123456789}}`,
		"{'PK': Decimal('1234567890123456789'), 'orderNo': Decimal('1234567890123456789')}",
	} {
		if !slices.ContainsFunc(lookUp(t, schema(e), text).Reads, func(r lookup.Read) bool { return r.Keys["PK"] == "1234567890123456789" }) {
			t.Errorf("%s: no read has the key", text)
		}
	}
}

// A read of an unlikely key is eventually consistent, which halves its cost.
func TestUnlikelyReadsAreEventuallyConsistent(t *testing.T) {
	s := schema(entity("E", []string{"PK=E#{id}"}))
	for text, consistent := range map[string]bool{"7": false, "E#7": true} {
		for _, read := range lookUp(t, s, text).Reads {
			if got := read.Leg.Get.ConsistentRead; (got != nil && *got) != consistent {
				t.Errorf("%s of %q: ConsistentRead = %v, want %v", readText(read), text, got, consistent)
			}
		}
	}
}

// If two entities have the same key, the read has the better quality.
func TestEqualReadsKeepBestQuality(t *testing.T) {
	bare := entity("Bare", []string{"PK={id}"}, models.Attribute{Name: "id"})
	mail := &models.Entity{Name: "Mail", Table: bare.Table, Keys: bare.Keys, Attributes: []*models.Attribute{
		{Name: "id", Path: "id", Type: models.TypeS, Format: models.Email},
	}}
	mail.Seal()
	other := entity("Other", []string{"PK={id}"}, models.Attribute{Name: "id"})
	var got []string
	for _, read := range lookUp(t, schema(bare, other, mail), "a@b.bw").Reads {
		got = append(got, readText(read))
	}
	if diff := cmp.Diff([]string{"exact get Bare a@b.bw", "bare get Other a@b.bw"}, got); diff != "" {
		t.Error(diff)
	}
}

// Missing does not include patterns that need no other parameters.
func TestMissingParametersAreOrderedByQuality(t *testing.T) {
	e := entity("E", []string{"PK=E#{other}#{bare}"}, models.Attribute{Name: "bare"}, models.Attribute{Name: "mail", Format: models.Email})
	pattern := func(id, attribute string, others ...string) *accesspatterns.Pattern {
		p := &accesspatterns.Pattern{ID: id, Profile: "test", Table: e.Table, Read: accesspatterns.Read{
			Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{{
				Attribute: e.Table.PartitionKey, Compare: accesspatterns.Equal, Template: models.MustTemplate("{" + attribute + "}"),
			}},
		}}
		for _, name := range append([]string{attribute}, others...) {
			p.Params = append(p.Params, &accesspatterns.Param{
				Name: name, Type: accesspatterns.String, Required: true, Attribute: e.Attribute(name), Entity: e,
			})
		}
		return p
	}
	s := schema(e)
	s.Patterns = []*accesspatterns.Pattern{
		pattern("bare", "bare", "x"), pattern("mail", "mail", "x", "y"), pattern("whole", "mail"), pattern("bare-too", "bare", "y"),
	}
	var got []string
	for _, m := range lookUp(t, s, "a@b.bw").Missing {
		got = append(got, m.Pattern.ID+" "+strings.Join(m.Parameters, " "))
	}
	if diff := cmp.Diff([]string{"mail x y", "bare x", "bare-too y"}, got); diff != "" {
		t.Error(diff)
	}
}

// The beginning of an ID or a key is not an ID, so the search waits for more text.
func TestIDPrefixesAreRecognized(t *testing.T) {
	s := schema(entity("Order", []string{"PK=ORDER/{id}", "XPK=ALL", "a={b}"}, models.Attribute{Name: "id", Prefix: "no.7-"}))
	for text, begins := range map[string]bool{
		"cust_": true, "cust-": true, "cust:": true, "cust": false, "cust_1": false, "_": false, "7_": false, "": false,
		"ORDER/": true, "ORDER/1": false, "ORDER": false, "ALL": false, "no.7-": true, "no.7": false,
	} {
		if s.IsOnlyPrefix(text) != begins {
			t.Errorf("IsOnlyPrefix(%q) = %t, want %t", text, !begins, begins)
		}
	}
}

// Another pattern finds a missing parameter if it returns items with the parameter and needs neither the parameter nor
// the text.
func TestMissingParameterSource(t *testing.T) {
	user := entity("User", []string{"PK=USER#{userId}"}, models.Attribute{Name: "userId"}, models.Attribute{Name: "email"})
	order := entity("Order", []string{"PK=ORDER#{orderId}"}, models.Attribute{Name: "userId", Refers: "User.userId"}, models.Attribute{Name: "orderId"})
	other := entity("Other", []string{"PK=OTHER#{userId}"}, models.Attribute{Name: "userId"})
	param := func(name string, required bool, e *models.Entity) *accesspatterns.Param {
		q := &accesspatterns.Param{Name: name, Type: accesspatterns.String, Required: required}
		if e != nil {
			q.Attribute = e.Attribute(name)
		}
		return q
	}
	pattern := func(id string, op accesspatterns.Operation, returns *models.Entity, params ...*accesspatterns.Param) *accesspatterns.Pattern {
		p := &accesspatterns.Pattern{ID: id, Read: accesspatterns.Read{Operation: op}, Params: params}
		if returns != nil {
			p.Returns = []*models.Entity{returns}
		}
		return p
	}
	const query = accesspatterns.Query
	for name, tt := range map[string]struct {
		paramEntity *models.Entity // entity of the missing parameter's attribute, or nil
		source      *accesspatterns.Pattern
		found       bool
	}{
		"pattern with another attribute":               {user, pattern("s", query, user, param("email", true, user)), true},
		"missing parameter without an attribute":       {nil, pattern("s", query, user, param("email", true, user)), true},
		"an item that refers to it":                    {user, pattern("s", query, order), false},
		"another item with the same reference":         {order, pattern("s", query, order), true},
		"the referenced item":                          {order, pattern("s", query, user), true},
		"attribute of the same name in another entity": {order, pattern("s", query, other), false},
		"entity without a reference":                   {user, pattern("s", query, other), true},
		"no returned entity":                           {user, pattern("s", query, nil), false},
		"entity without the attribute":                 {user, pattern("s", query, entity("None", []string{"PK={x}"})), false},
		"the pattern requires the parameter":           {user, pattern("s", query, user, param("userId", true, user)), false},
		"the pattern accepts the parameter":            {user, pattern("s", query, user, param("userId", false, user)), false},
		"the pattern requires the text's parameter":    {user, pattern("s", query, user, param("id", true, nil)), false},
		"the pattern accepts the text's parameter":     {user, pattern("s", query, user, param("id", false, nil)), true},
		"a scan":  {user, pattern("s", accesspatterns.Scan, user), false},
		"a count": {user, pattern("s", accesspatterns.Count, user), false},
		"a write": {user, pattern("s", accesspatterns.Write, user), false},
	} {
		asking := pattern("asking", query, user, param("id", true, nil), param("userId", true, tt.paramEntity))
		m := lookup.Missing{Pattern: asking, Param: "id", Parameters: []string{"none", "userId"}}
		got := lookup.SourceOf([]*accesspatterns.Pattern{asking, tt.source}, m)
		if tt.found != (got == tt.source) || !tt.found && got != nil {
			t.Errorf("%s: got source %+v", name, got)
		}
	}
}

// A read begins with the newest item if the sort key continues with a time, unless the schema documents the other order.
// The documented order also decides for other sort keys.
func TestReadsBeginWithNewestItem(t *testing.T) {
	for _, c := range []struct {
		sort   string
		orders []bool // whether each documented pattern is descending
		want   bool
	}{
		{"{at}#{event}", nil, true},
		{"AT#{at:date}", nil, true},
		{"{event}", nil, false},
		{"{state}#{at}", nil, false},
		{"{user}#{at}", nil, true},
		{"{user}", nil, false},
		{"META", nil, false},
		{"{at}", []bool{false}, false},
		{"{at}", []bool{true}, true},
		{"{at}", []bool{false, true}, true},
		{"{event}", []bool{true}, true},
		{"{event}", []bool{false, true}, false},
	} {
		e := entity("Event", []string{"PK=USER#{user}", "SK=" + c.sort}, models.Attribute{Name: "user", Prefix: "user_"},
			models.Attribute{Name: "at", Format: models.ISO8601}, models.Attribute{Name: "event"}, models.Attribute{Name: "state"})
		e.Keys["SK"] = e.Keys["SK"].Bind(e.Attribute)
		e.Seal()
		s := schema(e)
		for _, descending := range c.orders {
			s.Patterns = append(s.Patterns, &accesspatterns.Pattern{
				Table: e.Table, Returns: []*models.Entity{e}, OrderNote: "documented",
				Read: accesspatterns.Read{Operation: accesspatterns.Query, Descending: descending},
			})
		}
		for _, r := range lookUp(t, s, "user_1").Reads {
			if q := r.Leg.Query; q != nil && (q.ScanIndexForward != nil) != c.want {
				t.Errorf("%s, documented %v: got descending %v, want %v", c.sort, c.orders, q.ScanIndexForward != nil, c.want)
			}
		}
	}
}
