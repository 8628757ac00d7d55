package models_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// people returns entities with personal data and secrets in every place that can contain them.
func people() (*models.Table, []*models.Entity) {
	table := pairTable()
	person := entity(table, "Person", map[string]string{
		"PK": "PERSON#{id}", "SK": "PROFILE", "GSI1PK": "MAIL#{email}", "GSI1SK": "{id}#{token}#{contact.phone}",
	},
		attr("id"), attr("email", pii, format(models.Email)), attr("name", pii), attr("token", secret), attr("owner", pii),
		attr("contact", document(attr("phone", pii, format(models.E164)), attr("login", document(attr("key", secret))), attr("kind"))),
		attr("files", pii, document(attr("path"))), attr("note"),
	)
	device := entity(
		table, "Device", map[string]string{"PK": "DEVICE#{serial}", "SK": "{serial}", "GSI1PK": "MAIL#DEV#{serial}"},
		attr("serial"), attr("name"), attr("seen"),
	)
	imported := entity(table, "Import", map[string]string{"PK": "IMPORT#{id}", "SK": "RAW"}, attr("id"), attr("status"))
	imported.Undocumented = true
	return table, []*models.Entity{person, device, imported}
}

func person(change models.Item) models.Item {
	it := models.Item{
		"PK": s("PERSON#7"), "SK": s("PROFILE"), "GSI1PK": s("MAIL#kago@mail.bw"), "GSI1SK": s("7#t0k#+26771234567"), "owner": s("kago"),
		"id": s("7"), "email": s("kago@mail.bw"), "name": s("Kago"), "token": s("t0k"), "note": s("vip"),
		"contact": &types.AttributeValueMemberM{Value: models.Item{
			"phone": s("+26771234567"), "kind": s("home"), "login": m("key", s("k3y")), "extra": n("1"),
		}},
		"files": l(s("a.png")),
	}
	maps.Copy(it, change)
	return it
}

func TestMaskItem(t *testing.T) {
	table, entities := people()
	hidden := map[string]string{
		"PK": `"PERSON#7"`, "SK": `"PROFILE"`, "GSI1PK": `"MAIL#k•••@•••.bw"`, "GSI1SK": `"7#[secret]#•••"`, "owner": `"•••"`,
		"id": `"7"`, "email": `"k•••@•••.bw"`, "name": `"•••"`, "token": `"[secret]"`, "note": `"vip"`,
		"contact": `{"extra":"[secret]","kind":"home","login":{"key":"[secret]"},"phone":"•••"}`, "files": `"•••"`,
	}
	revealed := map[string]string{
		"PK": `"PERSON#7"`, "SK": `"PROFILE"`, "GSI1PK": `"MAIL#kago@mail.bw"`, "GSI1SK": `"7#[secret]#+26771234567"`, "owner": `"kago"`,
		"id": `"7"`, "email": `"kago@mail.bw"`, "name": `"Kago"`, "token": `"[secret]"`, "note": `"vip"`,
		"contact": `{"extra":"[secret]","kind":"home","login":{"key":"[secret]"},"phone":"+26771234567"}`, "files": `["a.png"]`,
	}
	tests := []struct {
		name   string
		reveal bool
		change models.Item
		want   map[string]string // differences from the unchanged item
	}{
		{"hidden", false, nil, nil},
		{"revealed", true, nil, nil},
		{"a number in place of a text", false, models.Item{"name": n("42")}, nil},
		{"a document in place of a text", false, models.Item{"name": m("first", s("Kago"))}, nil},
		{
			"no value", false,
			models.Item{"name": null(), "contact": null(), "token": null()},
			map[string]string{"name": "null", "contact": "null", "token": "null"},
		},
		{"an empty value", false, models.Item{"name": s("")}, map[string]string{"name": `""`}},
		{"a text in place of a document", false, models.Item{"contact": s("+26771234567")}, map[string]string{"contact": `"[secret]"`}},
		{"a text in place of a document, revealed: it may contain the secret", true, models.Item{"contact": s("k3y")}, map[string]string{"contact": `"[secret]"`}},
		{"a list of documents", false, models.Item{"contact": l(
			m("phone", s("+26771234567")), m("kind", s("home")), s("k3y"),
		)}, map[string]string{
			"contact": `[{"phone":"•••"},{"kind":"home"},"[secret]"]`,
		}},
		{"a key that does not fit", false, models.Item{"GSI1PK": s("MAIL:kago@mail.bw"), "GSI1SK": s("kago")}, map[string]string{
			"GSI1PK": `"MAIL•••"`, "GSI1SK": `"•••"`,
		}},
		{"a key that is not a text", false, models.Item{"GSI1PK": m("a", s("kago@mail.bw"))}, map[string]string{"GSI1PK": `"•••"`}},
		{"an undeclared attribute", false, models.Item{"extra": s("x")}, map[string]string{"extra": `"•••"`}},
		{"an undeclared attribute, revealed", true, models.Item{"seen": s("x")}, map[string]string{"seen": `"x"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := map[string]string{}
			for _, from := range []map[string]string{hidden, tt.want} {
				maps.Copy(want, from)
			}
			if tt.reveal {
				for name, text := range revealed {
					if _, changed := tt.want[name]; !changed {
						want[name] = text
					}
				}
			}
			it := person(tt.change)
			before := string(it.AppendDynamoDBJSON(nil))
			got := map[string]string{}
			for name, v := range models.NewMasker(entities, tt.reveal).Item(table, it) {
				got[name] = string(models.AppendValueJSON(nil, v))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("masked item (-want +got):\n%s", diff)
			}
			if after := string(it.AppendDynamoDBJSON(nil)); after != before {
				t.Errorf("Mask changed its argument to %s", after)
			}
		})
	}
}

// The masker hides undeclared values, even in maps with declared parts, unless the role or the schema shows them. It
// also masks values that another entity declares as sensitive.
func TestMaskUndeclared(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, TTL: "expires"}
	size := &models.Attribute{Name: "size", Path: "box.size", Type: models.TypeS}
	box := &models.Attribute{Name: "box", Path: "box", Type: models.TypeM, Attributes: []*models.Attribute{size}}
	free := &models.Attribute{Name: "free", Path: "free", Type: models.TypeM}
	parcel := &models.Entity{
		Name: "Parcel", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("PARCEL#{id}")},
		Attributes: []*models.Attribute{box, free}, Is: []models.Equality{{Path: "kind", Values: []string{"parcel"}}},
	}
	other := &models.Entity{
		Name: "Other", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("OTHER#{id}")},
		Attributes: []*models.Attribute{{Name: "phone", Path: "phone", Type: models.TypeS, Sensitive: models.PII}},
	}
	it := models.Item{
		"PK": s("PARCEL#1"), "kind": s("parcel"), "expires": n("1"), "phone": s("123"), "token": s("x"),
		"box": &types.AttributeValueMemberM{Value: models.Item{"size": s("L"), "code": s("7")}}, "free": m("any", s("y")),
	}
	const shown = `{"PK":"PARCEL#1","box":{"code":"7","size":"L"},"expires":1,"free":{"any":"y"},"kind":"parcel","phone":"•••","token":"x"}`
	parcel.Seal()
	other.Seal()
	masker := func(reveal bool) *models.Masker { return models.NewMasker([]*models.Entity{parcel, other}, reveal) }
	check := func(name string, m *models.Masker, want string) {
		t.Helper()
		if got := string(m.Item(table, it).AppendJSON(nil)); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
	check("support", masker(false),
		`{"PK":"PARCEL#1","box":{"code":"•••","size":"L"},"expires":1,"free":{"any":"y"},"kind":"parcel","phone":"•••","token":"•••"}`)
	check("developer", masker(false).WithUndeclared(), shown)
	check("revealed", masker(true), strings.Replace(shown, "•••", "123", 1))
	parcel.ShowUndeclared = true
	check("declared as open", masker(false), shown)
}

// An item that is broken, or matches another entity or none, shows no value that any entity hides.
func TestMaskUnknownItems(t *testing.T) {
	table, entities := people()
	unknown := models.Item{
		"PK": s("PERSON"), "SK": s("x"), "GSI1PK": s("MAIL#kago@mail.bw"), "GSI1SK": s("7#t0k#1"), "email": s("kago@mail.bw"),
		"token": s("t0k"), "note": s("vip"), "secretly": s("x"), "contact": m("kind", s("home")), "owner": s("kago"),
	}
	tests := []struct {
		name   string
		item   models.Item
		reveal bool
		want   string
	}{
		{"an item without an entity", unknown, false, `{"GSI1PK":"MAIL#•••","GSI1SK":"[secret]","PK":"PERSON","SK":"x","contact":"[secret]",` +
			`"email":"•••","note":"vip","owner":"•••","secretly":"•••","token":"[secret]"}`},
		{"an item without an entity, revealed", unknown, true, `{"GSI1PK":"MAIL#kago@mail.bw","GSI1SK":"[secret]","PK":"PERSON","SK":"x","contact":"[secret]",` +
			`"email":"kago@mail.bw","note":"vip","owner":"kago","secretly":"x","token":"[secret]"}`},
		{"the literal prefix of a key is visible", models.Item{"GSI1PK": s("MAIL#DEV#9")}, false, `{"GSI1PK":"MAIL#DEV#•••"}`},
		{"an attribute of another entity", models.Item{
			"PK": s("DEVICE#9"), "SK": s("9"), "GSI1SK": s("7#t0k#1"), "email": s("kago@mail.bw"), "name": s("scanner"), "token": s("t0k"),
		}, false, `{"GSI1SK":"[secret]","PK":"DEVICE#9","SK":"9","email":"•••","name":"scanner","token":"[secret]"}`},
		{
			"undocumented",
			models.Item{"PK": s("IMPORT#1"), "SK": s("RAW"), "status": s("new"), "body": m("a", s("b"))},
			false,
			`{"PK":"IMPORT#1","SK":"RAW","body":"•••","status":"new"}`,
		},
		{
			"undocumented, revealed",
			models.Item{"PK": s("IMPORT#1"), "SK": s("RAW"), "body": s("b"), "token": s("t0k")},
			true,
			`{"PK":"IMPORT#1","SK":"RAW","body":"b","token":"[secret]"}`,
		},
	}
	for _, tt := range tests {
		if got := string(models.NewMasker(entities, tt.reveal).Item(table, tt.item).AppendJSON(nil)); got != tt.want {
			t.Errorf("%s: got\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
	if got := models.NewMasker(entities, false).Item(table, nil); got != nil {
		t.Errorf("a nil item is shown as %v", got)
	}
	other := models.Item{"a": s("x")}
	if got := string(models.NewMasker(entities, false).Item(pairTable(), other).AppendJSON(nil)); got != `{"a":"•••"}` {
		t.Errorf("an item without an entity is shown as %s", got)
	}
	if got := string(new(models.Masker).Item(table, other).AppendJSON(nil)); got != `{"a":"•••"}` {
		t.Errorf("a masker without a schema shows %s", got)
	}
}

func TestMaskText(t *testing.T) {
	tests := []struct {
		text   string
		format models.Format
		want   string
	}{
		{"kago@mail.bw", models.Email, "k•••@•••.bw"},
		{"éa@b.museum", models.Email, "é•••@•••.museum"},
		{"a@b@c.bw", models.Email, "a•••@•••.bw"},
		{"a@b.verylongtail", models.Email, "•••"},
		{"@b.bw", models.Email, "•••"},
		{"a@localhost", models.Email, "•••"},
		{"a@.", models.Email, "•••"},
		{"kago", models.Email, "•••"},
		{"a@b.bw", models.Text, "•••"},
		{"", models.Text, ""},
	}
	hides, shows := models.NewMasker(nil, false), models.NewMasker(nil, true)
	for _, tt := range tests {
		if got := hides.MaskText(tt.text, models.PII, tt.format); got != tt.want {
			t.Errorf("%q is shown as %q, want %q", tt.text, got, tt.want)
		}
		if got := shows.MaskText(tt.text, models.PII, tt.format); got != tt.text {
			t.Errorf("%q is shown as %q after a reveal", tt.text, got)
		}
		if got := hides.MaskText(tt.text, models.NotSensitive, tt.format); got != tt.text {
			t.Errorf("%q is not sensitive, but shown as %q", tt.text, got)
		}
		if got := shows.MaskText(tt.text, models.Secret, tt.format); strings.Contains(got, "k") || (got == "") != (tt.text == "") {
			t.Errorf("the secret %q is shown as %q", tt.text, got)
		}
	}
}

// The masker hides every value under a sensitive name, whatever the item's structure and entity.
func TestMaskNeverLeaks(t *testing.T) {
	table, entities := people()
	const marked = "LEAK"
	rapid.Check(t, func(t *rapid.T) {
		declared := [][]string{{"phone", "login", "other"}, {"key", "other"}, {"key"}} // names inside contact, by level
		var shape func(level, depth int) types.AttributeValue
		shape = func(level, depth int) types.AttributeValue {
			switch kind := rapid.IntRange(0, 5).Draw(t, "shape"); {
			case kind == 0 && depth < 3:
				return l(shape(level, depth+1), s(marked))
			case kind == 1 && level < len(declared):
				return m(rapid.SampledFrom(declared[level]).Draw(t, "inner"), shape(level+1, depth))
			case kind == 2:
				return &types.AttributeValueMemberSS{Value: []string{marked}}
			case kind == 3:
				return &types.AttributeValueMemberB{Value: []byte(marked)}
			default:
				return s(marked + "@mail.bw")
			}
		}
		kind := rapid.SampledFrom([]string{"PERSON#7 PROFILE", "DEVICE#7 7", "IMPORT#7 RAW", "PERSON#7 7", "? ?"}).Draw(t, "kind")
		pk, sk, _ := strings.Cut(kind, " ")
		it := models.Item{"PK": s(pk), "SK": s(sk)}
		for _, name := range []string{"email", "token", "contact", "files", "owner"} {
			if rapid.Bool().Draw(t, name) {
				it[name] = shape(0, 0)
			}
		}
		it["GSI1PK"] = s(rapid.SampledFrom([]string{"MAIL#", "MAIL:", ""}).Draw(t, "head") + marked + "@mail.bw")
		it["GSI1SK"] = s("7#" + marked + "#" + marked)
		shown := string(models.NewMasker(entities, false).Item(table, it).AppendJSON(nil))
		if strings.Contains(shown, marked) || strings.Contains(shown, "TEVBS") || !json.Valid([]byte(shown)) {
			t.Fatalf("%s is shown as %s, want masked values", it.AppendJSON(nil), shown)
		}
	})
}

// The masker shows only names that look like a program's attribute names, because other names may be data.
func TestMaskHidesUnsafeNames(t *testing.T) {
	masker := new(models.Masker)
	for name, shown := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "0": true, "9": true, "_-.:#$": true,
		"`": false, "{": false, "@": false, "[": false, "/": false, ";": false, " ": false, "é": false, "\x00": false,
		"y2026": true, "y20261": false, "2026_2026": true, "20261": false, "2026x20261": false,
		strings.Repeat("n", 64): true, strings.Repeat("n", 65): false,
	} {
		item := masker.Item(pairTable(), models.Item{name: s("x")})
		if _, exists := item[name]; exists != shown || len(item) != 1 {
			t.Errorf("%q is shown: %t, want %t: %v", name, exists, shown, item)
		}
	}
	hidden := masker.Item(pairTable(), models.Item{"+267 71": s("x"), "a b": s("x"), "c@d": s("x")})
	if got, want := strings.Join(hidden.Names(), ","), "•••,••• 2,••• 3"; got != want {
		t.Errorf("three names are shown as %s, want %s", got, want)
	}
}

// A user who requests a partition has entered its key, so rows without an entity show that key unless it is a secret.
func TestMaskerShowsGivenKeys(t *testing.T) {
	table, entities := people()
	unknown := models.Item{"PK": s("NOTE#ann@mail.bw"), "SK": s("X"), "GSI1PK": s("MAIL#ann@mail.bw"), "GSI1SK": s("7#t0k#1"), "name": s("Ann")}
	given := map[string][]string{"GSI1PK": {"MAIL#ben@mail.bw", "MAIL#ann@mail.bw"}, "GSI1SK": {"7#t0k#1"}, "name": {"Ann"}}
	masker := models.NewMasker(entities, false)
	knowing := masker.WithGivenKeys(given)
	for name, want := range map[string]string{"GSI1PK": "MAIL#ann@mail.bw", "GSI1SK": models.SecretText, "name": models.MaskedText} {
		if got, _ := knowing.Item(table, unknown).Text(name); got != want {
			t.Errorf("%s is shown as %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"GSI1PK": "MAIL#•••", "name": models.MaskedText} {
		if got, _ := masker.Item(table, unknown).Text(name); got != want {
			t.Errorf("without the request, %s is shown as %q, want %q", name, got, want)
		}
	}
	unknown["GSI1PK"] = s("MAIL#eve@mail.bw")
	if got, _ := knowing.Item(table, unknown).Text("GSI1PK"); got != "MAIL#•••" {
		t.Errorf("a key outside the request is shown as %q", got)
	}
}

func TestLazyItemsMatchMaskedItems(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
	pk, err := models.ParseTemplate("U#{id}", nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &models.Entity{Name: "User", Table: table, Keys: map[string]models.Template{"PK": pk}, Attributes: []*models.Attribute{
		{Name: "id", Path: "id", Type: models.TypeS},
		{Name: "email", Path: "email", Type: models.TypeS, Sensitive: models.PII, Format: models.Email},
		{Name: "token", Path: "token", Type: models.TypeS, Sensitive: models.Secret},
		{Name: "doc", Path: "doc", Type: models.TypeM, Attributes: []*models.Attribute{
			{Name: "open", Path: "doc.open", Type: models.TypeS},
			{Name: "phone", Path: "doc.phone", Type: models.TypeS, Sensitive: models.PII},
		}},
	}}
	e.Seal()
	items := []models.Item{
		{
			"PK": models.StringValue("U#1"), "id": models.StringValue("1"), "email": models.StringValue("kagiso@example.com"),
			"token": models.StringValue("hunter2"), "stray": models.StringValue("x"), "a.b": models.StringValue("dotted"),
			"doc": &types.AttributeValueMemberM{Value: models.Item{
				"open": models.StringValue("o"), "phone": models.StringValue("+26771234567"), "other": models.StringValue("?"),
			}},
		},
		{"PK": models.StringValue("X#1"), "email": models.StringValue("kagiso@example.com"), "what": models.StringValue("?")},
		{},
	}
	paths := []string{
		"PK", "id", "email", "token", "stray", "a.b", "doc", "doc.open", "doc.phone", "doc.other", "doc.none", "what",
		"none", "none.x", "id.x",
	}
	for _, reveal := range []bool{false, true} {
		m := models.NewMasker([]*models.Entity{e}, reveal)
		for _, it := range items {
			whole := m.Item(table, it)
			part := m.Lazy(table, it)
			for range 2 { // before and after Item reads the whole item
				for _, path := range paths {
					want, wanted := whole.At(path)
					got, ok := part.At(path)
					if ok != wanted || ok && !models.EqualValues(got, want) {
						t.Errorf("reveal %v, %s: got %v, want %v", reveal, path, got, want)
					}
				}
				if diff := cmp.Diff(string(whole.AppendJSON(nil)), string(part.Item().AppendJSON(nil))); diff != "" {
					t.Errorf("reveal %v (-want +got):\n%s", reveal, diff)
				}
			}
		}
	}
}

// A named encoder adds the entity to every item with attributes, unless an attribute already has that name.
func TestEncodersNameEntity(t *testing.T) {
	table, entities := people()
	enc := models.NewMasker(entities, true).Encoder(table, false).WithEntityField()
	known := person(models.Item{"status": s("x")})
	for _, c := range []struct {
		item   models.Item
		begins string
	}{
		{known, `{"_entity":"` + entities[0].Name + `","`},
		{models.Item{"PK": s("?")}, `{"_entity":null,"`},
		{models.Item{}, `{}`},
		{models.Item{"_entity": s("own")}, `{"_entity":"own"}`},
	} {
		if got := string(enc.Append(nil, c.item)); !strings.HasPrefix(got, c.begins) || !json.Valid([]byte(got)) {
			t.Errorf("got %s, want the prefix %s", got, c.begins)
		}
	}
}

func TestEncodersWriteMaskedItems(t *testing.T) {
	table, entities := people()
	entities[0].Attributes = append(entities[0].Attributes, &models.Attribute{Name: "naïve", Path: "naïve"})
	values := rapid.SampledFrom([]types.AttributeValue{
		s("x"), s(""), s("kago@mail.bw"), s("\x1b[2J\u202e\""), n("1.50"), n("no number"), null(), l(m("phone", s("1")), s("k3y")), m("key", s("k3y")),
		m("+26771234567", s("x")), &types.AttributeValueMemberB{Value: []byte{1}}, &types.AttributeValueMemberSS{Value: []string{"LEAK"}},
	})
	names := rapid.SampledFrom([]string{
		"id", "email", "name", "token", "owner", "contact", "files", "note", "serial", "status", "GSI1PK", "GSI1SK", "stray", "naïve",
		"+26771234567", "kago@mail.bw", "日本", "a.b", "",
	})
	keys := rapid.SampledFrom([][2]string{{"PERSON#7", "PROFILE"}, {"DEVICE#7", "7"}, {"IMPORT#7", "RAW"}, {"PERSON#7", "7"}, {"?", "?"}})
	rapid.Check(t, func(t *rapid.T) {
		m := models.NewMasker(entities, rapid.Bool().Draw(t, "reveal"))
		plain, typed, open := m.Encoder(table, false), m.Encoder(table, true), (*models.Masker)(nil).Encoder(table, false)
		for range rapid.IntRange(1, 6).Draw(t, "items") {
			it := models.Item{}
			for _, name := range rapid.SliceOfDistinct(names, rapid.ID).Draw(t, "names") {
				it[name] = values.Draw(t, name)
			}
			for i := range rapid.IntRange(0, 60).Draw(t, "more") {
				it[fmt.Sprint("attribute", i, rapid.IntRange(0, 9).Draw(t, "number"))] = s("x")
			}
			if rapid.IntRange(0, 4).Draw(t, "keys") > 0 {
				key := keys.Draw(t, "key")
				it["PK"], it["SK"] = s(key[0]), s(key[1])
			}
			shown := m.Item(table, it)
			for _, c := range []struct {
				name      string
				got, want []byte
			}{
				{"plain", plain.Append([]byte("["), it), shown.AppendJSON([]byte("["))},
				{"typed", typed.Append(nil, it), shown.AppendDynamoDBJSON(nil)},
				{"not masked", open.Append(nil, it), it.AppendJSON(nil)},
			} {
				if diff := cmp.Diff(string(c.want), string(c.got)); diff != "" {
					t.Fatalf("%s (-want +got):\n%s", c.name, diff)
				}
			}
		}
	})
}

// masks are the texts that a Masker shows instead of data.
var masks = []string{models.MaskedText, models.SecretText, "k•••@•••.bw"}

func TestDataEqualToMaskIsNotMasked(t *testing.T) {
	table, entities := people()
	for _, text := range append(masks, "see [secret] below", "a ••• b") {
		it := person(models.Item{"note": s(text), "email": s(text)})
		shown := models.NewMasker(entities, false).Item(table, it)
		if models.IsMasked(it["note"]) || it.Masked() || models.IsMasked(shown["note"]) {
			t.Errorf("the value %q counts as a mask", text)
		}
		if !models.IsMasked(shown["email"]) || models.EqualValues(shown["email"], it["email"]) {
			t.Errorf("the personal value %q is shown as %v without a mask", text, shown["email"])
		}
	}
}

func TestMaskedFindsNestedValues(t *testing.T) {
	table, entities := people()
	masker := models.NewMasker(entities, false)
	for name, want := range map[string]bool{
		"contact": true, "token": true, "files": true, "GSI1PK": true, "PK": false, "note": false, "id": false,
	} {
		if got := models.IsMasked(masker.Item(table, person(nil))[name]); got != want {
			t.Errorf("%s: IsMasked() = %v, want %v", name, got, want)
		}
	}
	list := masker.Item(table, person(models.Item{"contact": l(m("kind", s("home")), m("phone", s("+26771234567")))}))
	if !models.IsMasked(list["contact"]) || models.IsMasked(l(m("kind", s("home")))) {
		t.Error("IsMasked() does not find a masked value in a list")
	}
}

func TestDisplayDistinguishesSecretsFromPersonalData(t *testing.T) {
	hides, reveals := models.NewMasker(nil, false), models.NewMasker(nil, true)
	tests := []struct {
		masker      *models.Masker
		sensitivity models.Sensitivity
		want        models.Display
	}{
		{hides, models.NotSensitive, models.Display{Text: "x"}},
		{hides, models.PII, models.Display{Text: "•••", Masked: true}},
		{reveals, models.PII, models.Display{Text: "x"}},
		{reveals, models.Secret, models.Display{Text: "[secret]", Masked: true, Secret: true}},
	}
	for _, tt := range tests {
		got := tt.masker.Display("x", tt.sensitivity, models.NoFormat)
		if got != tt.want {
			t.Errorf("%q value: got %+v, want %+v", tt.sensitivity, got, tt.want)
		}
		if v := got.Value(); models.IsMasked(v) != got.Masked || string(models.AppendTypedJSON(nil, v)) != `{"S":"`+got.Text+`"}` {
			t.Errorf("%+v has the value %v", got, v)
		}
	}
	open, pii, secret := tests[0].want, tests[1].want, tests[3].want
	for _, pair := range [][2]models.Display{{open, pii}, {pii, secret}, {open, secret}} {
		if pair[0].Stricter(pair[1]) != pair[1] || pair[1].Stricter(pair[0]) != pair[1] {
			t.Errorf("Stricter() does not prefer %+v to %+v", pair[1], pair[0])
		}
	}
}

// A masked address shows its first letter and its top-level domain. Other text is masked completely.
func TestDisplayAddresses(t *testing.T) {
	m := models.NewMasker(nil, false)
	for text, want := range map[string]string{
		"kago@mail.bw": "k•••@•••.bw", "élan@a.b.museum": "é•••@•••.museum", "k@m.x": "k•••@•••.x",
		"kago": "•••", "@mail.bw": "•••", "kago@mail": "•••", "kago@mail.": "•••", "kago@": "•••", "k@m.toolong1": "•••", "k@m.abcdef": "k•••@•••.abcdef",
		"k@m.abcdefg": "•••", "k@.bw": "k•••@•••.bw",
	} {
		if got := m.Display(text, models.PII, models.Email).Text; got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// DisplayKey marks a masked key as a secret only if the masked attribute is a secret.
func TestDisplayKeyMarksMaskedKeys(t *testing.T) {
	table, entities := people()
	masker := models.NewMasker(entities, false)
	for key, want := range map[string]models.Display{
		"7#t0k#+267": {Text: "7#[secret]#•••", Masked: true, Secret: true},
		"7":          {Text: "•••", Masked: true, Secret: true},
	} {
		if got := masker.DisplayKey(entities[0], entities[0].Keys["GSI1SK"], key); got != want {
			t.Errorf("%s: got %+v, want %+v", key, got, want)
		}
	}
	// In an item without an entity, a key shows the longest prefix that it shares with a template.
	for name, want := range map[string]bool{"GSI1PK": false, "GSI1SK": true} {
		v := masker.Item(table, models.Item{"PK": s("NOTE#1"), "SK": s("X"), "GSI1PK": s("MAIL#a@b.c"), "GSI1SK": s("7#t0k#1")})[name]
		if hidden, ok := v.(*models.Masked); !ok || hidden.Secret != want {
			t.Errorf("%s is shown as %#v", name, v)
		}
	}
	if got := masker.DisplayKey(entities[0], entities[0].Keys["PK"], "PERSON#•••"); got.Masked {
		t.Errorf("an unmasked key with mask text is shown as %+v", got)
	}
}

func TestLooksMasked(t *testing.T) {
	for _, text := range masks {
		if !models.LooksMasked(text) {
			t.Errorf("LooksMasked(%q) = false, want true", text)
		}
	}
	for _, text := range []string{"", "k", "CASE#•••", "kago@mail.bw", "a [secret]"} {
		if models.LooksMasked(text) {
			t.Errorf("LooksMasked(%q) = true, want false", text)
		}
	}
}

// Other packages must call IsMasked instead of searching for the text of a mask.
func TestOtherPackagesDoNotContainMasks(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "models" || d.Name() == "testing" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, mask := range []string{models.MaskedText, models.SecretText} {
			if strings.Contains(string(text), mask) {
				t.Errorf("%s contains %s; use the constants of package models", path, mask)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
