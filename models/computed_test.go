package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/models"
)

// The numbers are those of Python: zlib.crc32(b) % 16, int(hashlib.md5(b).hexdigest(), 16) % 16, and so on; java is
// Math.floorMod(s.hashCode(), 16).
func TestComputedPartsOfKeys(t *testing.T) {
	const md5 = "cd75315a553ef07eb20e55a3cc895955"
	for _, c := range []struct{ format, value, want string }{
		{"mod 10", "1207", "7"},
		{"mod 10", "99999999999999999999999999999999999998", "8"},
		{"mod 4 + 1", "8", "1"},
		{"mod 16 02d", "35", "03"},
		{"mod 3 + 99 03d", "4", "100"},
		{"crc32 mod 16", "order-7", "10"},
		{"fnv1a mod 16", "order-7", "11"},
		{"java mod 16", "order-7", "8"},
		{"md5 mod 16", "order-7", "5"},
		{"sha256 mod 16", "order-7", "15"},
		{"crc32 mod 16", "Grüße", "1"},
		{"fnv1a mod 16", "Grüße", "8"},
		{"java mod 16", "Grüße", "7"},
		{"java mod 16", "polygenelubricants", "0"}, // its hash is the smallest number
		{"sha256 mod 16", "Grüße", "4"},
		{"md5", "order-7", md5},
		{"sha1", "order-7", "9630190be7da08cee6ca6830970e594f2ca6cb98"},
		{"sha256", "", "!value is empty"},
		{"mod 10", "-3", `!"-3" is not a non-negative whole number, so it has no shard`},
		{"mod 10", "order-7", `!"order-7" is not a non-negative whole number`},
	} {
		tmpl := models.MustTemplate("K#{id:" + c.format + "}")
		key, err := tmpl.Format(models.MapValues(map[string]string{"id": c.value}))
		if reason, fails := strings.CutPrefix(c.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s of %q: %q, %v, want %s", c.format, c.value, key, err, reason)
			}
			continue
		}
		if err != nil || key != "K#"+c.want {
			t.Errorf("%s of %q: %q, %v, want K#%s", c.format, c.value, key, err, c.want)
		}
	}
}

func TestFormatsThatComputeNothing(t *testing.T) {
	for _, format := range []string{"mod 0", "mod", "mod 9999999", "mod 400000", "crc33 mod 3", "crc32  mod 3", "mod 101 02d", "mod 9 + 5 01d", "mod 10 + 1 01d", "sha512"} {
		if _, err := models.ParseTemplate("{id:"+format+"}", nil); err == nil || !strings.Contains(err.Error(), "is not a format or a map") {
			t.Errorf("{id:%s}: %v", format, err)
		}
	}
	if got := models.Format("mod 100000").Shards(); len(got) != 100_000 { // the most that are allowed
		t.Errorf("%d shards", len(got))
	}
	tmpl := models.MustTemplate("K#{id:mod 3 + 9}")
	if _, err := tmpl.Format(models.MapValues(map[string]string{"id:mod 3 + 9": "12"})); err == nil || !strings.Contains(err.Error(), "from 9 to 11") {
		t.Errorf("a shard that is none: %v", err)
	}
	if got := models.Format("mod 3 + 9 02d").Shards(); !slices.Equal(got, []string{"09", "10", "11"}) {
		t.Errorf("shards %q", got)
	}
	if models.Format("sha256").Shards() != nil || models.Format("date").Shards() != nil {
		t.Error("a digest or a time has shards")
	}
}

// A key with computed parts is read as what it holds, never as the value, and makes the same key again.
func TestComputedPartsReadBack(t *testing.T) {
	formats := rapid.SampledFrom([]string{"mod 7", "crc32 mod 12", "fnv1a mod 3 + 1", "java mod 100 03d", "md5 mod 5", "sha256", "md5", "sha1"})
	rapid.Check(t, func(t *rapid.T) {
		first, second := formats.Draw(t, "first"), formats.Draw(t, "second")
		tmpl := models.MustTemplate("A#{id:" + first + "}#B{id:" + second + "}#{mark}")
		id := rapid.StringMatching(`[0-9]{1,30}`).Draw(t, "id")
		values := map[string]string{"id": id, "mark": "x#y"}
		key, err := tmpl.Format(models.MapValues(values))
		if err != nil {
			t.Fatal(err)
		}
		m, err := tmpl.Parse(key)
		if err != nil || m.Ambiguous {
			t.Fatalf("%s reads %q: %v", tmpl, key, err)
		}
		if _, known := m.Values["id"]; known || m.Values["mark"] != "x#y" || m.Values["id:"+first] == "" {
			t.Fatalf("%s reads %q as %q", tmpl, key, m.Values)
		}
		if again, err := tmpl.Format(models.MapValues(m.Values)); err != nil || again != key {
			t.Fatalf("%q makes %q: %v", m.Values, again, err)
		}
		m.Values["id:"+first] = "none of them"
		if again, err := tmpl.Format(models.MapValues(m.Values)); err == nil {
			t.Fatalf("a part that is none makes %q", again)
		}
	})
}

// The digest of personal data is personal data, and the item tells whether a shard is its own.
func TestComputedPartsOfItems(t *testing.T) {
	table := &models.Table{Name: "t", PartitionKey: models.Key{Name: "PK", Type: models.TypeS}, SortKey: models.Key{Name: "SK", Type: models.TypeS}}
	mail := &models.Attribute{Name: "mail", Path: "mail", Type: models.TypeS, Sensitive: models.PII}
	id := &models.Attribute{Name: "id", Path: "id", Type: models.TypeN}
	e := &models.Entity{Name: "User", Table: table, Attributes: []*models.Attribute{mail, id}}
	e.Keys = map[string]models.Template{
		"PK": models.MustTemplate("MAIL#{mail:sha256}").Of(e.Attribute), "SK": models.MustTemplate("{id:mod 3}#{id}").Of(e.Attribute),
	}
	e.Seal()
	it, err := e.Build(models.Item{"mail": models.StringValue("ann@example.com"), "id": &types.AttributeValueMemberN{Value: "5"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sk, _ := it.Text("SK"); sk != "2#5" {
		t.Errorf("sort key %s", sk)
	}
	r, ok := models.Recognize([]*models.Entity{e}, table, it)
	if !ok || r.Values["id:mod 3"] != "2" || r.Values["id"] != "5" || r.Values["mail"] != "" {
		t.Errorf("recognized %t as %q", ok, r.Values)
	}
	if a := e.Attribute("mail:sha256"); a != mail {
		t.Errorf("the digest has the attribute %v", a)
	}
	masker := models.NewMasker([]*models.Entity{e}, false)
	if pk, _ := masker.Item(table, it).Text("PK"); pk != "MAIL#"+models.MaskedText {
		t.Errorf("masked partition key %q", pk)
	}
	it["SK"] = models.StringValue("1#5")
	if states := e.KeyStates(it); states[1].Problem != "does not match the attributes" || states[1].Expected != "2#5" {
		t.Errorf("wrong shard: %+v", states[1])
	}
}

// Shards of one length need no separator, and a shard fits if the last one does.
func TestShardsOfOneLengthAreSplit(t *testing.T) {
	for template, want := range map[string]string{
		"{n:mod 9 + 1 01d}{x}": "7|abc", "{n:mod 10}{x}": "7|abc", "{n:mod 100 02d}{x}": "7a|bc", "{n:mod 10}#{x}": "",
	} {
		m, err := models.MustTemplate(template).Parse("7abc")
		got := m.Values["n:"+strings.TrimSuffix(strings.TrimPrefix(strings.Split(template, "}")[0], "{n:"), "}")] + "|" + m.Values["x"]
		if want == "" || want == "7a|bc" {
			if err == nil {
				t.Errorf("%s: %v", template, m.Values)
			}
		} else if err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", template, got, err, want)
		}
	}
	for format, number := range map[models.Format]bool{"mod 10": true, "crc32 mod 10": false, "md5": false, "date": false} {
		if format.NeedsNumber() != number {
			t.Errorf("%s needs a number: %t", format, !number)
		}
	}
	for _, s := range models.MustTemplate("A#{id}#{id:md5}").Segments() {
		if s.Computed() != (s.Format == "md5") {
			t.Errorf("%+v is computed: %t", s, s.Computed())
		}
	}
}
