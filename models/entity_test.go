package models_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/models"
)

// keyProblems returns each key's problem and expected value, or "ok" and the stored value if the key matches its
// attributes.
func keyProblems(e *models.Entity, it models.Item) map[string]string {
	got := map[string]string{}
	for _, k := range e.KeyStates(it) {
		text := k.Problem
		if text == "" {
			text = "ok"
			if k.Present {
				text += " " + k.Stored
			}
		} else if k.Expected != "" {
			text += ", expected " + k.Expected
		}
		got[k.Name] = text
	}
	return got
}

func TestKeyStates(t *testing.T) {
	e := caseEntities(pairTable())[2]
	whole := func(change models.Item, without ...string) models.Item {
		it := models.Item{
			"PK": s("CASE#1"), "SK": s("META"), "GSI1PK": s("DAY#2026-01-14"), "GSI1SK": s("open#2026-01-14T10:00:00Z"),
			"id": s("1"), "status": s("open"), "createdAt": s("2026-01-14T10:00:00Z"), "owner": s("o"),
		}
		maps.Copy(it, change)
		for _, name := range without {
			delete(it, name)
		}
		return it
	}
	good := map[string]string{
		"PK": "ok CASE#1", "SK": "ok META", "GSI1PK": "ok DAY#2026-01-14", "GSI1SK": "ok open#2026-01-14T10:00:00Z", "owner": "ok o",
	}
	tests := []struct {
		name string
		item models.Item
		want map[string]string // differences from good
	}{
		{"all keys match", whole(nil), nil},
		{"a status changed without its index key", whole(models.Item{"status": s("closed")}), map[string]string{
			"GSI1SK": "does not match the attributes, expected closed#2026-01-14T10:00:00Z",
		}},
		{"an index key is missing", whole(nil, "GSI1SK"), map[string]string{
			"GSI1SK": "missing; the item is not in this index, expected open#2026-01-14T10:00:00Z",
		}},
		{"sparse: no attributes, no key", whole(nil, "createdAt", "GSI1PK", "GSI1SK"), map[string]string{"GSI1PK": "ok", "GSI1SK": "ok"}},
		{"a value that a key cannot contain", whole(models.Item{"status": s("a#b")}), map[string]string{
			"GSI1SK": `cannot be computed: status: "a#b" contains "#", the separator after it in {status}#{createdAt}`,
		}},
		{"an invalid time", whole(models.Item{"createdAt": s("today")}), map[string]string{
			"GSI1PK": `cannot be computed: createdAt: "today" is not a time; use 2026-01-14, 2026-01-14T10:00:00Z, or epoch seconds`,
			"GSI1SK": "does not match the attributes, expected open#today",
		}},
		{"values that only a key contains", whole(nil, "id", "status", "createdAt"), nil},
		{"changed ID", whole(models.Item{"id": s("2")}), map[string]string{"PK": "does not match the attributes, expected CASE#2"}},
		{"missing key that is a whole attribute", whole(nil, "owner"), map[string]string{"owner": "ok"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]string{}
			maps.Copy(want, good)
			maps.Copy(want, tt.want)
			if diff := cmp.Diff(want, keyProblems(e, tt.item)); diff != "" {
				t.Errorf("other states (-want +got)\n%s", diff)
			}
		})
	}
}

func TestBuildComputesKeys(t *testing.T) {
	table := pairTable()
	e := caseEntities(table)[2]
	build := func(attributes models.Item, extra map[string]string) (string, error) {
		it, err := e.Build(attributes, extra)
		return string(it.AppendJSON(nil)), err
	}
	tests := []struct {
		name       string
		attributes models.Item
		extra      map[string]string
		want       string
	}{
		{
			"all keys",
			models.Item{"id": s("1"), "status": s("open"), "createdAt": s("2026-01-14T10:00:00Z")},
			nil,
			`{"GSI1PK":"DAY#2026-01-14","GSI1SK":"open#2026-01-14T10:00:00Z","PK":"CASE#1","SK":"META","createdAt":"2026-01-14T10:00:00Z","id":"1","status":"open"}`,
		},
		{"sparse", models.Item{"id": s("1"), "status": s("open")}, nil, `{"PK":"CASE#1","SK":"META","id":"1","status":"open"}`},
		{"values that only keys contain", models.Item{}, map[string]string{"id": "1"}, `{"PK":"CASE#1","SK":"META"}`},
		{"a given key does not change", models.Item{"id": s("1"), "PK": s("CASE#9")}, nil, `{"PK":"CASE#9","SK":"META","id":"1"}`},
	}
	for _, tt := range tests {
		if got, err := build(tt.attributes, tt.extra); err != nil || got != tt.want {
			t.Errorf("%s: got %s (%v), want %s", tt.name, got, err, tt.want)
		}
	}
	if got, err := build(models.Item{"status": s("open")}, nil); !errors.Is(err, models.ErrMissing) {
		t.Errorf("building without the key: got %s (%v), want ErrMissing", got, err)
	}
	byNumber := &models.Table{PartitionKey: key("PK"), SortKey: models.Key{Name: "seq", Type: models.TypeN}}
	e = entity(byNumber, "Step", map[string]string{"PK": "P#{id}", "seq": "{at}"}, attr("id"), attr("at"))
	var v *models.ValueError
	if got, err := build(models.Item{"id": s("1"), "at": s("soon")}, nil); !errors.As(err, &v) || v.Name != "at" {
		t.Errorf("text in a numeric key: got %s (%v), want an error about at", got, err)
	}
	if got, err := build(models.Item{"id": s("1"), "at": s("17")}, nil); err != nil || got != `{"PK":"P#1","at":"17","id":"1","seq":17}` {
		t.Errorf("a numeric key: got %s (%v)", got, err)
	}
}

// An index would silently omit an item with a value that fits none of its keys.
func TestBuildRejectsValuesThatFitNoIndexKey(t *testing.T) {
	byPad := &models.Table{
		PartitionKey: key("PK"), Indexes: []*models.Index{{Name: "GSI1", PartitionKeys: models.KeyList(key("GPK")), SortKeys: models.KeyList(key("GSK"))}},
	}
	e := entity(byPad, "Step", map[string]string{"PK": "P#{id}", "GPK": "N#{num}#", "GSK": "{pad:05d}#{id}"}, attr("id"), attr("num"), attr("pad"))
	for _, tt := range []struct{ num, pad, name string }{
		{"1", "7", ""}, {"1", "", ""}, {"", "7", ""}, {"1", "100000", "pad"}, {"1", "-1", "pad"}, {"1", "7.5", "pad"}, {"a#b", "7", ""},
	} {
		it, err := e.Build(models.Item{"id": s("1"), "num": s(tt.num), "pad": s(tt.pad)}, nil)
		var v *models.ValueError
		if tt.name == "" && err != nil || tt.name != "" && (!errors.As(err, &v) || v.Name != tt.name) {
			t.Errorf("num %q, pad %q: got %v (%v)", tt.num, tt.pad, it, err)
		}
	}
}

func TestMissingAttributes(t *testing.T) {
	e := caseEntities(pairTable())[2]
	if diff := cmp.Diff([]string{"id", "status"}, e.MissingAttributes(models.Item{"owner": s("o")})); diff != "" {
		t.Errorf("without id and status (-want +got):\n%s", diff)
	}
	if missing := e.MissingAttributes(models.Item{"id": null(), "status": s("")}); missing != nil {
		t.Errorf("empty attributes count as missing: %v", missing)
	}
}

func TestEntityKeys(t *testing.T) {
	table := pairTable()
	e := entity(table, "E", map[string]string{"PK": "E#{id}"}, attr("id"), attr("owner"), attr("GSI1PK", keyOnly))
	for _, sealed := range []bool{true, false} {
		if !sealed {
			e = &models.Entity{Name: "E", Table: table, Keys: e.Keys, Attributes: e.Attributes}
		}
		if diff := cmp.Diff([]string{"PK", "owner"}, e.KeyNames()); diff != "" {
			t.Errorf("sealed %v: keys (-want +got)\n%s", sealed, diff)
		}
		if tmpl, ok := e.KeyTemplate("owner"); !ok || tmpl.String() != "{owner}" {
			t.Errorf("sealed %v: KeyTemplate(owner) = %q, want {owner}", sealed, tmpl)
		}
		for _, name := range []string{"SK", "GSI1PK", "id", ""} {
			if tmpl, ok := e.KeyTemplate(name); ok {
				t.Errorf("sealed %v: KeyTemplate(%s) = %s, want none", sealed, name, tmpl)
			}
		}
	}
}

// A key that repeats a name from a sensitive document is as sensitive as the document.
func TestSealPropagatesSensitivity(t *testing.T) {
	e := entity(pairTable(), "E", map[string]string{"PK": "E#{person.name}", "SK": "{person.id.token}"},
		attr("person", pii, document(attr("name"), attr("id", document(attr("token", secret))))))
	for path, want := range map[string]models.Sensitivity{
		"person": models.PII, "person.name": models.PII, "person.id": models.PII, "person.id.token": models.Secret,
	} {
		if got := e.Attribute(path).Sensitive; got != want {
			t.Errorf("sensitivity of %s = %q, want %q", path, got, want)
		}
	}
	if got := e.TemplateSensitivity(e.Keys["PK"]); got != models.PII {
		t.Errorf("sensitivity of the key with the name = %q, want pii", got)
	}
	if e.Attribute("name") != nil || e.Attribute("") != nil {
		t.Error("Attribute() accepted a partial path")
	}
	open := &models.Entity{Attributes: e.Attributes}
	if open.Attribute("person.id.token") == nil || open.Attribute("person.x") != nil {
		t.Error("an unsealed entity finds other attributes")
	}
}

// The placeholder with the entity's name is the ID. Otherwise it is the last one of the sort key, or the first one of
// the partition key.
func TestIDName(t *testing.T) {
	for _, tt := range []struct{ name, pk, sk, want string }{
		{"Order", "USER#{userId}", "ORDER#{orderId}#{at}", "orderId"},
		{"Order", "{ORDERID}", "{at}", "ORDERID"},
		{"Order", "{id}", "{at}", "id"},
		{"Order", "{tenant}#{userId}", "META", "tenant"},
		{"Order", "{tenant}", "{day}#{number}", "number"},
		{"Order", "ALL", "META", ""},
	} {
		if got := entity(pairTable(), tt.name, map[string]string{"PK": tt.pk, "SK": tt.sk}).IDName(); got != tt.want {
			t.Errorf("%s, %s: IDName() = %q, want %q", tt.pk, tt.sk, got, tt.want)
		}
	}
}

// The span of an item covers its past times, except dates without a time of day and personal data.
func TestItemSpan(t *testing.T) {
	now := time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)
	iso := format(models.ISO8601)
	e := entity(pairTable(), "Order", map[string]string{"PK": "O#{id}", "SK": "META"},
		attr("createdAt", iso), attr("paidAt", iso), attr("expiresAt", iso), attr("updatedAt", iso), attr("born", iso, pii),
		attr("day", format(models.Date)), attr("note"))
	span := func(it models.Item) string {
		first, last := e.Span(it, now)
		if first.IsZero() && last.IsZero() {
			return ""
		}
		return first.Format("01-02") + " " + last.Format("01-02")
	}
	timeOn := func(day string) types.AttributeValue { return s("2026-01-" + day + "T10:00:00Z") }
	it := models.Item{
		"createdAt": timeOn("10"), "paidAt": timeOn("12"), "expiresAt": timeOn("30"), "born": s("1999-01-01T00:00:00Z"), "day": s("2026-01-01"), "note": timeOn("02"),
	}
	if got := span(it); got != "01-10 01-12" {
		t.Errorf("got %s", got)
	}
	e.Updated = "updatedAt"
	if it["updatedAt"] = timeOn("11"); span(it) != "01-10 01-11" {
		t.Errorf("with an attribute that every change advances: got %s", span(it))
	}
	if it["updatedAt"] = s("soon"); span(it) != "01-10 01-12" {
		t.Errorf("with an invalid time: got %s, want 01-10 01-12", span(it))
	}
	if got := span(models.Item{"expiresAt": timeOn("30")}); got != "" {
		t.Errorf("with only a future time: got %s, want none", got)
	}
	it["expiresAt"] = timeOn("15")
	if got := span(it); got != "01-10 01-12" {
		t.Errorf("an expiry in the past without a TTL attribute counts as a change: got %s", got)
	}
	e.Table.TTL = "ttl"
	it["expiresAt"], it["ttl"] = timeOn("15"), n("1768471200")
	if got := span(it); got != "01-10 01-12" {
		t.Errorf("an expiry in the past counts as a change: got %s", got)
	}
}

// MaskedAt names a path inside a masked document only if the schema declares it. The value stays masked.
func TestMaskedAtHidesUndeclaredPaths(t *testing.T) {
	e := entity(pairTable(), "Order", map[string]string{"PK": "O#{id}", "SK": "META"}, attr("person", document(attr("name", pii))))
	masked := models.Item{"person": models.HiddenValue(), "open": s("x")}
	for _, tt := range []struct {
		of         *models.Entity
		path, want string
		hidden     bool
	}{
		{e, "open", "open", false},
		{e, "person.name", "person.name", true},
		{e, "person.+26771234567", models.MaskedText, true},
		{nil, "person.name", models.MaskedText, true},
		{nil, "open", "open", false},
	} {
		path, v := tt.of.MaskedAt(masked, tt.path)
		if hidden := models.EqualValues(v, models.HiddenValue()); path != tt.want || hidden != tt.hidden {
			t.Errorf("%s: got %s, hidden: %t", tt.path, path, hidden)
		}
	}
}

// Build sets a distinguishing attribute that allows only one value, unless the item already has a value.
func TestBuildSetsDistinguishingAttributes(t *testing.T) {
	kind := attr("kind")
	e := entity(pairTable(), "Order", map[string]string{"PK": "O#{id}", "SK": "META"}, attr("id"), kind, attr("n", func(a *models.Attribute) { a.Type = models.TypeN }))
	build := func(it models.Item, is ...models.Equality) (models.Item, error) {
		e.Is = is
		it["id"] = s("1")
		return e.Build(it, nil)
	}
	for name, tt := range map[string]struct {
		item models.Item
		is   models.Equality
		want string
	}{
		"one value":            {models.Item{}, models.Equality{Path: "kind", Values: []string{"order"}}, "order"},
		"several values":       {models.Item{}, models.Equality{Path: "kind", Values: []string{"order", "offer"}}, ""},
		"the item has a value": {models.Item{"kind": s("offer")}, models.Equality{Path: "kind", Values: []string{"order"}}, "offer"},
		"not declared":         {models.Item{}, models.Equality{Path: "other", Values: []string{"order"}}, ""},
	} {
		it, err := build(tt.item, tt.is)
		if got, _ := it.Text("kind"); err != nil || got != tt.want || !e.Distinguishes(tt.is.Path) || e.Distinguishes("id") {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	var bad *models.ValueError
	if _, err := build(models.Item{}, models.Equality{Path: "n", Values: []string{"x"}}); !errors.As(err, &bad) || bad.Name != "n" {
		t.Errorf("a value of another type: got %v, want an error about n", err)
	}
}

// The error of a key without placeholders contains the key's name.
func TestKeyWithAnotherType(t *testing.T) {
	var bad *models.ValueError
	number := models.Key{Name: "n", Type: models.TypeN}
	if _, err := number.Value(models.MustTemplate("META"), models.MapValues(nil)); !errors.As(err, &bad) || bad.Name != "n" {
		t.Errorf("got %v, want an error about n", err)
	}
	if _, err := number.Value(models.MustTemplate("{id}"), models.MapValues(map[string]string{"id": "x"})); !errors.As(err, &bad) || bad.Name != "id" {
		t.Errorf("got %v, want an error about id", err)
	}
}

func TestLifecycleFindsStateByName(t *testing.T) {
	l := &models.Lifecycle{States: []*models.State{{Name: "open"}, {Name: "closed"}}}
	if l.State("open") != l.States[0] || l.State("closed") != l.States[1] || l.State("gone") != nil {
		t.Error("State() does not find a state by its name")
	}
}

// An entity does not match a key with an empty part, an invalid value or a different digest.
func TestRecognizeChecksKeyParts(t *testing.T) {
	at := attr("at", format(models.ISO8601))
	orders := []*models.Entity{entity(pairTable(), "Order", map[string]string{"PK": "O#{id}", "SK": "{seq:03d}#{at:iso8601}"}, attr("id"), attr("seq"), at)}
	open := []*models.Entity{entity(pairTable(), "Note", map[string]string{"PK": "N#{title}#{seq:03d}", "SK": "META"}, attr("title"), attr("seq"))}
	person := entity(pairTable(), "Person", map[string]string{"SK": "META"}, attr("email"))
	person.Keys["PK"] = models.MustTemplate("{email}").WithDigest("md5")
	person.Seal()
	people := []*models.Entity{person}
	const md5 = "cd75315a553ef07eb20e55a3cc895955" // digest of order-7
	for name, tt := range map[string]struct {
		entities []*models.Entity
		pk, sk   string
		email    string
		known    bool
	}{
		"whole":          {orders, "O#1", "007#2026-01-14T10:00:00Z", "", true},
		"empty":          {orders, "O#", "007#2026-01-14T10:00:00Z", "", false},
		"no number":      {orders, "O#1", "seven#2026-01-14T10:00:00Z", "", false},
		"no time":        {orders, "O#1", "007#today", "", false},
		"a separator":    {open, "N#to#do#007", "META", "", true},
		"a digest":       {people, md5, "META", "order-7", true},
		"another digest": {people, md5, "META", "order-8", false},
	} {
		it := models.Item{"PK": s(tt.pk), "SK": s(tt.sk)}
		if tt.email != "" {
			it["email"] = s(tt.email)
		}
		if _, known := models.Recognize(tt.entities, tt.entities[0].Table, it); known != tt.known {
			t.Errorf("%s: recognized = %t, want %t", name, known, tt.known)
		}
	}
}
