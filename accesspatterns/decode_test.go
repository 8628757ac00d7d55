package accesspatterns_test

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// cases returns two entities and the patterns of a table with an index.
func cases() (list []*models.Entity, patterns []*accesspatterns.Pattern) {
	table := &models.Table{
		ID: "cases", Name: "cases", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{{Name: "GSI1", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))}},
	}
	attribute := func(name string, change func(*models.Attribute)) *models.Attribute {
		a := &models.Attribute{Name: name, Path: name, Type: models.TypeS}
		if change != nil {
			change(a)
		}
		return a
	}
	status := func(a *models.Attribute) { a.Enum = []string{"open", "closed"} }
	file := &models.Entity{
		Name: "Case", Table: table,
		Keys: map[string]models.Template{
			"PK": models.MustTemplate("CASE#{caseId}"), "SK": models.MustTemplate("META"),
			"GSI1PK": models.MustTemplate("CLIENT#{clientId}"), "GSI1SK": models.MustTemplate("{status}#{createdAt}"),
		},
		Attributes: []*models.Attribute{
			attribute("caseId", func(a *models.Attribute) { a.Prefix = "c_" }), attribute("clientId", nil), attribute("status", status),
			attribute("createdAt", func(a *models.Attribute) { a.Format = models.ISO8601 }),
		},
	}
	doc := &models.Entity{
		Name: "Document", Table: table,
		Keys: map[string]models.Template{"PK": models.MustTemplate("CASE#{caseId}"), "SK": models.MustTemplate("DOC#{docId}")},
		Attributes: []*models.Attribute{
			attribute("caseId", func(a *models.Attribute) { a.Prefix, a.Refers = "c_", "Case.caseId" }), attribute("docId", nil),
		},
	}
	list = []*models.Entity{file, doc}
	for _, e := range list {
		e.Seal()
	}
	param := func(e *models.Entity, name string) *accesspatterns.Param {
		a := e.Attribute(name)
		return &accesspatterns.Param{Name: name, Type: accesspatterns.String, Required: true, Attribute: a, Entity: e, Prefix: a.Prefix}
	}
	read := func(id string, keys []accesspatterns.KeyCondition, params ...*accesspatterns.Param) *accesspatterns.Pattern {
		op := accesspatterns.Query
		if id == "get" {
			op = accesspatterns.Get
		}
		return &accesspatterns.Pattern{
			ID: id, Profile: "test", Table: table, Params: params, Read: accesspatterns.Read{Operation: op, Key: keys},
		}
	}
	patterns = []*accesspatterns.Pattern{
		read("get", []accesspatterns.KeyCondition{matches("PK", "CASE#{caseId}"), matches("SK", "META")}, param(file, "caseId")),
		read("documents", []accesspatterns.KeyCondition{matches("PK", "CASE#{caseId}")}, param(file, "caseId")),
		read("by-client", []accesspatterns.KeyCondition{matches("GSI1PK", "CLIENT#{clientId}")}, param(file, "clientId")),
	}
	return list, patterns
}

func TestDecode(t *testing.T) {
	entities, patterns := cases()
	type decoded struct {
		Entity, Attribute string
		Values            map[string]string
		Patterns          []string
	}
	tests := []struct {
		name, key, sortKey string
		want               []decoded
	}{
		{"a key of two entities", "CASE#c_1", "", []decoded{
			{"Case", "PK", map[string]string{"caseId": "c_1"}, []string{"get", "documents"}},
			{"Document", "PK", map[string]string{"caseId": "c_1"}, []string{"get", "documents"}},
		}},
		{"a pair of one entity", "CASE#c_1", "DOC#d9", []decoded{
			{"Document", "PK", map[string]string{"caseId": "c_1", "docId": "d9"}, []string{"get", "documents"}},
		}},
		{"an index key", "CLIENT#acme", "", []decoded{
			{"Case", "GSI1PK", map[string]string{"clientId": "acme"}, []string{"by-client"}},
		}},
		{"an index sort key", "open#2026-01-14T10:00:00Z", "", []decoded{
			{"Case", "GSI1SK", map[string]string{"status": "open", "createdAt": "2026-01-14T10:00:00Z"}, nil},
		}},
		{"no match", "CASEX", "", nil},
		{"a pair of two entities", "CLIENT#acme", "DOC#d9", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []decoded
			for _, c := range accesspatterns.Decode(patterns, entities, tt.key, tt.sortKey).Candidates {
				r := decoded{c.Entity.Name, c.Attribute, c.Values, nil}
				for _, p := range c.Patterns {
					r.Patterns = append(r.Patterns, p.Pattern.ID)
				}
				got = append(got, r)
			}
			if diff := gocmp.Diff(tt.want, got); diff != "" {
				t.Errorf("wrong candidates (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeExplainsMismatches(t *testing.T) {
	entities, patterns := cases()
	d := accesspatterns.Decode(patterns, entities, "CASE:c_1", "")
	if len(d.Candidates) != 0 || len(d.Near) == 0 {
		t.Fatalf("got %d candidates and %d near matches, want only near matches", len(d.Candidates), len(d.Near))
	}
	nearest := d.Near[0].String()
	for _, part := range []string{"Case PK", "CASE#{caseId}", "character 5"} {
		if !strings.Contains(nearest, part) {
			t.Errorf("%q does not contain %q", nearest, part)
		}
	}
}

// The nearest template is found even if the first letter of the key is wrong.
func TestDecodeFindsKeyWithTypoInFirstLetter(t *testing.T) {
	entities, patterns := cases()
	for _, c := range []struct{ key, sortKey, want string }{
		{"CASE#c_1", "FOO#1", `Case SK: META: expected "META" at character 1`},
		{"CASE#c_1", "DOCS#1", `Document SK: DOC#{docId}: differs from "DOC#" at character 4`},
		{"XASE#c_1", "", `Case PK: CASE#{caseId}: expected "CASE#" at character 1`},
		{"case#c_1", "", `Case PK: CASE#{caseId}: expected "CASE#" at character 1`},
		{"nonsense", "", `Case GSI1SK: {status}#{createdAt}: the key ends before "#" at character 9`},
		{"CASEé", "", `Case PK: CASE#{caseId}: differs from "CASE#" at character 5`},
	} {
		d := accesspatterns.Decode(patterns, entities, c.key, c.sortKey)
		got := ""
		if len(d.Near) > 0 {
			got = d.Near[0].String()
		}
		if got != c.want {
			t.Errorf("%s / %s:\n got %s\nwant %s", c.key, c.sortKey, got, c.want)
		}
	}
}

// The sort key contains a time, and the partition key contains its day.
func TestDecodeMatchesDayWithItsTime(t *testing.T) {
	table := &models.Table{
		ID: "seen", Name: "seen", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{{Name: "byTime", PartitionKeys: models.KeyList(key("DayPK")), SortKeys: models.KeyList(key("TimeSK"))}},
	}
	seen := &models.Entity{
		Name: "Seen", Table: table,
		Keys: map[string]models.Template{
			"PK": models.MustTemplate("SEEN#{at:date}"), "SK": models.MustTemplate("{at}"),
			"DayPK": models.MustTemplate("DAY#{at:day}"), "TimeSK": models.MustTemplate("AT#{at:compact}"),
		},
		Attributes: []*models.Attribute{{Name: "at", Path: "at", Type: models.TypeS, Format: models.ISO8601}},
	}
	seen.Seal()
	dayPattern := &accesspatterns.Pattern{
		ID: "of-day", Profile: "test", Table: table, Returns: []*models.Entity{seen},
		Params: []*accesspatterns.Param{{Name: "date", Type: accesspatterns.Day, Default: "today"}},
		Read:   accesspatterns.Read{Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{matches("PK", "SEEN#{date}")}},
	}
	for _, c := range []struct {
		key, sortKey string
		fits         bool
	}{
		{"SEEN#2026-01-14", "2026-01-14T10:00:00Z", true},
		{"SEEN#2026-01-15", "2026-01-14T10:00:00Z", false},
		{"SEEN#1026-01-14", "2026-01-14T10:00:00Z", false},
		{"DAY#20260114", "AT#20260114T100000Z", true},
		{"DAY#20260113", "AT#20260114T100000Z", false},
	} {
		d := accesspatterns.Decode([]*accesspatterns.Pattern{dayPattern}, []*models.Entity{seen}, c.key, c.sortKey)
		if message := "{at} differs between the two keys at character"; !c.fits && (len(d.Near) == 0 || !strings.Contains(d.Near[0].Explanation(), message)) {
			t.Errorf("%s / %s: got near matches %v, want %q", c.key, c.sortKey, d.Near, message)
		}
		if (len(d.Candidates) == 1) != c.fits {
			t.Errorf("%s / %s: got %d candidates and near matches %v", c.key, c.sortKey, len(d.Candidates), d.Near)
			continue
		}
		if c.fits && d.Candidates[0].Values["at"] != "2026-01-14T10:00:00Z" {
			t.Errorf("%s / %s: got values %v", c.key, c.sortKey, d.Candidates[0].Values)
		}
	}
	// A pasted day takes precedence over the parameter's default.
	d := accesspatterns.Decode([]*accesspatterns.Pattern{dayPattern}, []*models.Entity{seen}, "SEEN#2026-01-14", "")
	if len(d.Candidates) != 1 || len(d.Candidates[0].Patterns) != 1 || d.Candidates[0].Patterns[0].Args["date"] != "2026-01-14" {
		t.Errorf("the pattern by date is missing: %+v", d.Candidates)
	}
}

// The partition key contains a period of a time. The sort key contains another part of the same time or none.
func TestDecodeMatchesTimePeriodsInPair(t *testing.T) {
	for _, c := range []struct {
		partition, sort string // templates
		key, sortKey    string
		want            string // value of at, or "" if the pair does not match
	}{
		{"S#{id}#{at:hour}", "{n}", "S#1#2026-01-14T10", "-12.5", "2026-01-14T10"},
		{"S#{id}#{at:month}", "{n}", "S#1#2026-01", "1", "2026-01"},
		{"S#{id}#{at:week}", "{n}", "S#1#2026-W03", "1", "2026-W03"},
		{"S#{id}#{at:year}", "{n}", "S#1#2026", "1", "2026"},
		{"S#{id}#{at:day}", "{n}", "S#1#20260114", "1", "20260114"},
		{"S#{id}#{at:%Y%m%d%H}", "{n}", "S#1#2026011410", "1", "2026011410"},
		{"S#{id}#{at:%Y%m%d%H}", "{at}", "S#1#2026011410", "1768384800", "1768384800"},
		{"S#{id}#{at:%Y%m%d%H}", "{at}", "S#1#2026011411", "1768384800", ""},
	} {
		table := &models.Table{ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: models.Key{Name: "SK", Type: models.TypeN}}
		e := &models.Entity{
			Name: "Point", Table: table,
			Keys: map[string]models.Template{"PK": models.MustTemplate(c.partition), "SK": models.MustTemplate(c.sort)},
			Attributes: []*models.Attribute{
				{Name: "at", Path: "at", Type: models.TypeN, Format: models.EpochSeconds}, {Name: "n", Path: "n", Type: models.TypeN},
			},
		}
		e.Seal()
		d := accesspatterns.Decode(nil, []*models.Entity{e}, c.key, c.sortKey)
		got := ""
		if len(d.Candidates) == 1 {
			got = d.Candidates[0].Values["at"]
		}
		if got != c.want {
			t.Errorf("%s / %s as %s / %s: at is %q, want %q; near %v", c.key, c.sortKey, c.partition, c.sort, got, c.want, d.Near)
		}
	}
	// Both keys contain periods of the same time.
	for month, fits := range map[string]bool{"M#2026-01": true, "M#2026-02": false} {
		table := &models.Table{ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: key("SK")}
		e := &models.Entity{
			Name: "Day", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("M#{at:month}"), "SK": models.MustTemplate("D#{at:date}")},
			Attributes: []*models.Attribute{{Name: "at", Path: "at", Type: models.TypeS, Format: models.ISO8601}},
		}
		e.Seal()
		d := accesspatterns.Decode(nil, []*models.Entity{e}, month, "D#2026-01-14")
		if fits != (len(d.Candidates) == 1) || fits && d.Candidates[0].Values["at"] != "2026-01-14" {
			t.Errorf("%s: got %+v, near matches %v", month, d.Candidates, d.Near)
		}
	}
}

// An ID without its prefix still matches, with a warning and below other candidates.
func TestDecodePrefersDocumentedFormats(t *testing.T) {
	entities, patterns := cases()
	d := accesspatterns.Decode(patterns, entities, "CASE#1", "META")
	if len(d.Candidates) != 1 || len(d.Candidates[0].Warnings) != 1 {
		t.Fatalf("got %+v, want one candidate with one warning", d.Candidates)
	}
	if d = accesspatterns.Decode(patterns, entities, "CASE#c_1", "META"); len(d.Candidates[0].Warnings) != 0 {
		t.Errorf("unexpected warning: %v", d.Candidates[0].Warnings)
	}
}

func TestDecodeMasksSecretsInWarnings(t *testing.T) {
	table := &models.Table{ID: "keys", Name: "keys", PartitionKey: key("PK")}
	e := &models.Entity{
		Name: "Key", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("KEY#{token}")},
		Attributes: []*models.Attribute{{Name: "token", Path: "token", Type: models.TypeS, Format: models.UUID, Sensitive: models.Secret}},
	}
	e.Seal()
	d := accesspatterns.Decode(nil, []*models.Entity{e}, "KEY#hush", "")
	if len(d.Candidates) != 1 || len(d.Candidates[0].Warnings) != 1 || strings.Contains(d.Candidates[0].Warnings[0], "hush") {
		t.Errorf("got %+v, want one candidate with a masked warning", d.Candidates)
	}
}

// A warning must not show another candidate's secret. Templates without literal text do not count.
func TestDecodeMasksOtherCandidatesSecrets(t *testing.T) {
	table := &models.Table{ID: "keys", Name: "keys", PartitionKey: key("PK")}
	entity := func(name, template string, a models.Attribute) *models.Entity {
		a.Name, a.Path, a.Type = "x", "x", models.TypeS
		e := &models.Entity{
			Name: name, Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate(template)}, Attributes: []*models.Attribute{&a},
		}
		e.Seal()
		return e
	}
	id := entity("ID", "KEY#{x}", models.Attribute{Format: models.UUID})
	for template, masked := range map[string]bool{"KEY#{x}": true, "{y}#{x}": false} {
		token := entity("Token", template, models.Attribute{Sensitive: models.Secret})
		d := accesspatterns.Decode(nil, []*models.Entity{id, token}, "KEY#hush", "")
		i := slices.IndexFunc(d.Candidates, func(c accesspatterns.Candidate) bool { return c.Entity == id })
		if i < 0 || len(d.Candidates[i].Warnings) != 1 || strings.Contains(d.Candidates[i].Warnings[0], "hush") == masked {
			t.Errorf("%s: want one warning that masks the secret, got %+v", template, d.Candidates)
		}
	}
}

// rankedTable is a table with an index. Its partition key is text, and its sort key is a number.
var rankedTable = &models.Table{
	ID: "ranked", Name: "ranked", PartitionKey: key("PK"), SortKey: models.Key{Name: "SK", Type: models.TypeN},
	Indexes: []*models.Index{{Name: "GSI1", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))}},
}

// entityWithKey returns an entity of rankedTable with one key template.
func entityWithKey(name, attribute, template string, attributes ...*models.Attribute) *models.Entity {
	e := &models.Entity{
		Name: name, Table: rankedTable, Keys: map[string]models.Template{attribute: models.MustTemplate(template)}, Attributes: attributes,
	}
	for _, a := range attributes {
		a.Path = a.Name
	}
	e.Seal()
	return e
}

// candidates returns the entities and attributes whose keys match.
func candidates(key string, entities ...*models.Entity) []string {
	var got []string
	for _, c := range accesspatterns.Decode(nil, entities, key, "").Candidates {
		got = append(got, c.Entity.Name+" "+c.Attribute)
	}
	return got
}

func TestDecodeReturnsMostSpecificCandidateFirst(t *testing.T) {
	documented := func(name, template string, a models.Attribute) *models.Entity {
		a.Name, a.Type = "x", models.TypeS
		return entityWithKey(name, "PK", template, &a)
	}
	plain := documented("B", "CASE#{x}", models.Attribute{})
	for _, tt := range []struct {
		name, key     string
		first, second *models.Entity
	}{
		{"more literal text before a better key", "CASE#1", entityWithKey("A", "GSI1SK", "CASE#{x}"), entityWithKey("B", "PK", "{y}#{x}")},
		{"the table before an index", "CASE#1", entityWithKey("A", "PK", "CASE#{x}"), entityWithKey("B", "GSI1PK", "CASE#{x}")},
		{"the partition key of an index before its sort key", "CASE#1", entityWithKey("A", "GSI1PK", "CASE#{x}"), entityWithKey("B", "GSI1SK", "CASE#{x}")},
		{"a prefix", "CASE#c_1", documented("A", "CASE#{x}", models.Attribute{Prefix: "c_"}), plain},
		{"a format", "CASE#a@b.bw", documented("A", "CASE#{x}", models.Attribute{Format: models.Email}), plain},
		{
			"a time", "AT#2026-01-14", documented("A", "AT#{x}", models.Attribute{Format: models.Date}),
			documented("B", "AT#{x}", models.Attribute{}),
		},
		{"a documented value", "CASE#open", documented("A", "CASE#{x}", models.Attribute{Enum: []string{"open"}}), plain},
		{"no warning", "CASE#1", entityWithKey("A", "PK", "{y}#{x}"), documented("B", "CASE#{x}", models.Attribute{Prefix: "c_"})},
	} {
		got := candidates(tt.key, tt.second, tt.first)
		if len(got) != 2 || !strings.HasPrefix(got[0], "A ") {
			t.Errorf("%s: got %v, want 2 candidates and A first", tt.name, got)
		}
	}
}

// If a pair matches the table's key and the key of a local index with the same partition key, the table comes first.
func TestDecodePrefersPairsPrimaryKey(t *testing.T) {
	table := &models.Table{
		ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{{Name: "local", Local: true, PartitionKeys: models.KeyList(key("PK")), SortKeys: models.KeyList(key("LSK"))}},
	}
	entity := func(name, sort string) *models.Entity {
		e := &models.Entity{Name: name, Table: table, Keys: map[string]models.Template{
			"PK": models.MustTemplate("CASE#{x}"), "SK": models.MustTemplate("OTHER#{y}"),
		}}
		e.Keys[sort] = models.MustTemplate("AT#{y}")
		e.Seal()
		return e
	}
	local, primary := entity("Local", "LSK"), entity("Primary", "SK")
	var got []string
	for _, c := range accesspatterns.Decode(nil, []*models.Entity{local, primary}, "CASE#1", "AT#2").Candidates {
		got = append(got, c.Entity.Name+" "+c.Sort)
	}
	if len(got) != 2 || got[0] != "Primary SK" || got[1] != "Local LSK" {
		t.Errorf("got %q, want Primary SK, Local LSK", got)
	}
}

// A key that consists of one placeholder matches any text with its format and type.
func TestDecodeKeysWithoutLiteralText(t *testing.T) {
	entities := []*models.Entity{
		entityWithKey("Any", "PK", "{x}"), entityWithKey("Mail", "PK", "{x}", &models.Attribute{Name: "x", Type: models.TypeS, Format: models.Email}),
		entityWithKey("Number", "SK", "{n}"),
	}
	for text, want := range map[string][]string{
		"abc": {"Any PK"}, "12": {"Any PK", "Number SK"}, "a@b.bw": {"Mail PK", "Any PK"},
	} {
		if diff := gocmp.Diff(want, candidates(text, entities...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// If the first letter of a key is wrong, Decode compares the key with the literal text of every template.
func TestDecodeOrdersNearMatchesByTypos(t *testing.T) {
	for key, want := range map[string][]string{
		"XLIENT#1": {"CLIENT#{x}", "CLIANT#{x}"}, "XS#1": {"US#{x}"}, "XX#1": nil, "CLIENT-1": {"CLIENT#{x}", "CLIANT#{x}"},
	} {
		d := accesspatterns.Decode(nil, []*models.Entity{
			entityWithKey("A", "PK", "CLIANT#{x}"), entityWithKey("B", "PK", "CLIENT#{x}"), entityWithKey("C", "PK", "US#{x}"),
		}, key, "")
		var got []string
		for _, n := range d.Near {
			got = append(got, n.Mismatch.Template)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

func TestDecodeAcceptsAnyText(t *testing.T) {
	entities, patterns := cases()
	for _, hostile := range []string{
		"", "#", "CASE#", "CASE##", "\x00", "\xff", "CASE#\x1b[2J", strings.Repeat("#", 10_000), "META", "open#",
	} {
		for _, sk := range []string{"", "META", "\xff#"} {
			for _, c := range accesspatterns.Decode(patterns, entities, hostile, sk).Candidates {
				for _, m := range c.Matches {
					if end := m.Spans[len(m.Spans)-1].End; end != len(m.Key) {
						t.Errorf("%q: the spans end at %d, want %d", m.Key, end, len(m.Key))
					}
				}
			}
		}
	}
}
