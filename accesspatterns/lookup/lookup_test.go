package lookup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

func schemaOf(p *profiles.Profile) lookup.Schema {
	return lookup.Schema{
		Patterns: p.Patterns, Entities: p.Entities,
		Examples: func(e *models.Entity, path string) []string { return p.SampleHintsOf(e).Examples[path] },
	}
}

// readText describes a read in one line: its quality, operation, target and keys.
func readText(r lookup.Read) string {
	index := ""
	if r.Index != nil {
		index = "." + r.Index.Name
	}
	quality := []string{"literal", "example", "exact", "bare"}[r.Quality]
	if r.Leg.Get != nil {
		return quality + " get " + r.Entity.Name + index + " " + r.Entity.Table.KeyText(r.Leg.Get.Key)
	}
	q := r.Leg.Query
	text := quality + " query " + r.Entity.Name + index
	for _, k := range slices.Sorted(maps(q.ExpressionAttributeValues)) {
		v, _ := models.Item(q.ExpressionAttributeValues).Text(k)
		text += " " + v
	}
	if strings.Contains(*q.KeyConditionExpression, "begins_with") {
		text += "…"
	}
	return text
}

func maps[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestTextSelectsReads(t *testing.T) {
	tests := map[string]struct {
		schema, text string
		want         []string // the first reads, in order
		none         string   // text that no read contains
	}{
		"ID with a documented prefix": {"authbridge", "ver_1", []string{
			"literal get Verification CASE#ver_1 / META", "literal query Document CASE#ver_1 DOC#…",
			"bare get Session SESSION#ver_1 / META",
		}, "doc_"},
		"partition key": {"authbridge", "CASE#ver_1", []string{
			"literal get Verification CASE#ver_1 / META", "literal query Document CASE#ver_1 DOC#…",
		}, ""},
		"pair of keys": {"authbridge", "CASE#ver_1 / DOC#doc_2", []string{"literal get Document CASE#ver_1 / DOC#doc_2"}, "META"},
		"pair in quotes with a line break": {"authbridge", "\"CASE#ver_1\",\n\"META\"", []string{
			"literal get Verification CASE#ver_1 / META",
		}, ""},
		"key of an index": {"authbridge", "CLIENT#client_1", []string{"literal query Verification.GSI1 CLIENT#client_1"}, "META"},
		"day": {"authbridge", "2026-01-14", []string{
			"exact query Verification.GSI2 DATE#2026-01-14", "exact query AuditLog AUDIT#2026-01-14",
		}, ""},
		"not like a declared example":           {"zentriqvision", "org123", []string{"bare get Organization ORG#org123 / ORG#org123"}, "example"},
		"begins with the name of its attribute": {"zentriqvision", "org_123", []string{"example get Organization ORG#org_123 / ORG#org_123"}, "exact"},
		"email address":                         {"ebay-sniper", "ana@example.com", []string{"exact query User.EmailIndex ana@example.com"}, ""},
		"domain": {"form-bridge", "shop.example.com", []string{
			"exact get ValidationResult VALIDATION#shop.example.com / RESULT", "exact query Registration SITE#shop.example.com REG#…",
			"exact query SiteCredentials SITE#shop.example.com CREDS#…",
		}, ""},
		"phone number": {"tazco", "+26771234567", []string{
			"exact query WhatsAppInboundMessage.InboundBySenderPhoneReceivedAt +26771234567", "bare get User +26771234567",
		}, "example"},
		"ID with a bare template": {"tazco", "eco_1", []string{"bare get User eco_1"}, "literal"},
		"bid without its user": {"ebay-sniper", "c223ec86-d827-4792-a0c6-c8a275941726", []string{
			"bare get User c223ec86-d827-4792-a0c6-c8a275941726",
		}, "exact"},
		"DynamoDB JSON": {"authbridge", `{"PK":{"S":"CASE#ver_1"},"SK":{"S":"META"}}`, []string{
			"literal get Verification CASE#ver_1 / META",
		}, ""},
		"attributes as JSON": {"zentriqvision", `{"orgId":"org123","videoId":"v1","note":"x"}`, []string{
			"exact get Video ORG#org123 / VIDEO#v1", "exact get Organization ORG#org123 / ORG#org123",
		}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := lookup.Find(schemaOf(schemas.Open(t, test.schema)), test.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, read := range r.Reads {
				got = append(got, readText(read))
			}
			if diff := cmp.Diff(test.want, got[:min(len(got), len(test.want))]); diff != "" {
				t.Errorf("%s\nall reads:\n%s", diff, strings.Join(got, "\n"))
			}
			for _, line := range got {
				if test.none != "" && strings.Contains(line, test.none) {
					t.Errorf("unexpected read %s", line)
				}
			}
		})
	}
}

func TestTextsWithoutReads(t *testing.T) {
	s := schemaOf(schemas.Open(t, "authbridge"))
	for name, text := range map[string]string{
		"empty": "", "broken JSON": `{"PK":`, "invalid UTF-8": "ver_\xff", "control character": "ver_\x1b[31m",
		"longer than a key": strings.Repeat("a", 2049), "spaces": "  ", "incomplete pair": "CASE#ver_1 / \x07",
	} {
		if r, err := lookup.Find(s, text); err == nil {
			t.Errorf("%s: got %d reads, want an error", name, len(r.Reads))
		}
	}
}

func TestMissingParametersAreNamed(t *testing.T) {
	tests := []struct{ schema, text, pattern, missing string }{
		{"authbridge", "doc_1", "get-document", "verificationId"},
		{"ebay-sniper", "c223ec86-d827-4792-a0c6-c8a275941726", "get-bid", "userId"},
		{"tazco", "request_1", "get-card-request", "ecosystemId"},
		{"zentriqvision", "person_1", "get-person", "orgId"},
	}
	for _, test := range tests {
		r, err := lookup.Find(schemaOf(schemas.Open(t, test.schema)), test.text)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Missing, func(m lookup.Missing) bool { return m.Pattern.ID == test.pattern })
		if i < 0 || !slices.Equal(r.Missing[i].Parameters, []string{test.missing}) {
			t.Errorf("%s in %s: got missing parameters %v", test.text, test.schema, r.Missing)
		}
	}
}

// The missing parameter comes from an item that contains it.
func TestFollowFillsMissingParameter(t *testing.T) {
	p := schemas.Open(t, "zentriqvision")
	s := schemaOf(p)
	r, err := lookup.Find(s, "video_1")
	if err != nil {
		t.Fatal(err)
	}
	appearance := models.Item{
		"PK": models.StringValue("ORG#org_7"), "SK": models.StringValue("APPEAR#video_1#20260114T100000Z"),
		"orgId": models.StringValue("org_7"), "videoId": models.StringValue("video_1"),
	}
	var got []string
	for _, read := range lookup.Follow(s, r.Missing, accesspatterns.ItemView(p.Entity("Appearance"), appearance)) {
		got = append(got, readText(read))
	}
	if !slices.Contains(got, "example get Video ORG#org_7 / VIDEO#video_1") {
		t.Errorf("the follow-up reads are %v", got)
	}
	// This item contains only the missing parameter, not the text.
	organization := models.Item{
		"PK": models.StringValue("ORG#org_7"), "SK": models.StringValue("ORG#org_7"), "orgId": models.StringValue("org_7"),
	}
	got = nil
	for _, read := range lookup.Follow(s, r.Missing, accesspatterns.ItemView(p.Entity("Organization"), organization)) {
		got = append(got, readText(read))
		if read.IsItem != (read.Leg.Get != nil) {
			t.Errorf("%s: IsItem = %v, want %v", readText(read), read.IsItem, !read.IsItem)
		}
	}
	if !slices.Contains(got, "example get Video ORG#org_7 / VIDEO#video_1") {
		t.Errorf("the follow-up reads of the organization are %v", got)
	}
}

func TestEntityIDTargetsComeFirst(t *testing.T) {
	r, err := lookup.Find(schemaOf(schemas.Open(t, "ebay-sniper")), "c223ec86-d827-4792-a0c6-c8a275941726")
	if err != nil {
		t.Fatal(err)
	}
	first := r.Targets[0]
	if first.Entity.Name != "Bid" || first.Attribute != "bidId" || !first.IsEntityID || first.FoundByRead || first.Quality != lookup.Exact {
		t.Errorf("the first target is %+v, want bidId of Bid", first)
	}
	if r.Best() != lookup.Exact {
		t.Errorf("Best() = %v, want Exact", r.Best())
	}
}

// A search for an item's key, or for the JSON of its key, finds the item.
func TestKeyFindsEverySampleItem(t *testing.T) {
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		s := schemaOf(p)
		tried := map[*models.Entity]int{}
		for _, it := range schemas.Samples(t, p, sample.Options{Seed: 1}) {
			if tried[it.Entity]++; tried[it.Entity] > 4 {
				continue
			}
			key, _ := it.Table.PrimaryKey(it.Item)
			if it.Table.SortKey.Name != "" {
				checkFinds(t, s, it, it.Table.KeyText(it.Item))
			}
			checkFinds(t, s, it, string(key.AppendDynamoDBJSON(nil)))
		}
	}
}

func checkFinds(t *testing.T, s lookup.Schema, it sample.Item, text string) {
	t.Helper()
	r, err := lookup.Find(s, text)
	if err != nil {
		t.Errorf("%s %q: %v", it.Entity.Name, text, err)
		return
	}
	found := slices.ContainsFunc(r.Reads, func(read lookup.Read) bool {
		return read.Leg.Get != nil && it.Table.KeyText(read.Leg.Get.Key) == it.Table.KeyText(it.Item) && read.Entity.Table == it.Table
	})
	if !found {
		t.Errorf("%s: none of %d reads returns %q", it.Entity.Name, len(r.Reads), text)
	}
}

// For any text, the reads are valid requests of one partition each, without duplicates.
func TestReadsOfAnyTextAreCheap(t *testing.T) {
	list := make([]lookup.Schema, 0, len(profiles.Names()))
	heads := []string{"", "{", `{"orgId":"`, "a / b", "1", "+2677", "a@b.", "2026-01-14"}
	for _, name := range profiles.Names() {
		p := schemas.Open(t, name)
		list = append(list, schemaOf(p))
		for _, e := range p.Entities {
			for _, k := range e.Keys {
				heads = append(heads, k.LiteralPrefix())
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom(heads).Draw(rt, "head") + rapid.String().Draw(rt, "text")
		for _, s := range list {
			r, err := lookup.Find(s, text)
			if err != nil {
				continue
			}
			previous := map[string]bool{}
			for i, read := range r.Reads {
				if previous[read.Fingerprint()] {
					rt.Errorf("%s occurs twice", readText(read))
				}
				previous[read.Fingerprint()] = true
				if read.Leg.Scan != nil || (read.Leg.Get == nil) == (read.Leg.Query == nil) || read.IsItem != (read.Leg.Get != nil) {
					rt.Errorf("%s is not a cheap read", readText(read))
				}
				if i > 0 && r.Reads[i-1].Quality > read.Quality {
					rt.Errorf("%s is less likely than %s", readText(read), readText(r.Reads[i-1]))
				}
			}
		}
	})
}

func TestOneTypingErrorIsCorrected(t *testing.T) {
	entities := schemas.Open(t, "authbridge").Entities
	for text, want := range map[string]string{
		"vre_63ed": "ver_63ed", "ver-63ed": "ver_63ed", "er_63ed": "ver_63ed", "VER_63ed": "ver_63ed", "veer_63ed": "ver_63ed",
		"CSE#ver_1": "CASE#ver_1", "client_xyz78": "client_xyz789", "client_xzy789": "client_xyz789",
	} {
		if got := lookup.Corrections(entities, []string{"client_xyz789", "client_other"}, text); !slices.Contains(got, want) {
			t.Errorf("Corrections(%q) = %v, want %q", text, got, want)
		}
	}
	short := entity("Short", []string{"PK=SHORT#{x}"}, models.Attribute{Name: "x", Prefix: "c_"})
	for _, text := range []string{"hello", "ver_1", "client_xyz789", "client_xy9", "vre_", "x_1"} {
		if got := lookup.Corrections(append(slices.Clone(entities), short), []string{"client_xyz789"}, text); len(got) > 0 {
			t.Errorf("Corrections(%q) = %v, want none", text, got)
		}
	}
}

func TestIsOneTypoIsSymmetric(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.StringMatching("[abé_]{0,8}").Draw(rt, "a")
		b := rapid.StringMatching("[abé_]{0,8}").Draw(rt, "b")
		if lookup.IsOneTypo(a, b) != lookup.IsOneTypo(b, a) || lookup.IsOneTypo(a, a) {
			rt.Errorf("IsOneTypo(%q, %q) is not symmetric", a, b)
		}
	})
}
