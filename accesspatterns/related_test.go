package accesspatterns_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// relatedTexts formats related patterns as "id name=value .. via attribute".
func relatedTexts(list []accesspatterns.Related) []string {
	got := []string{}
	for _, r := range list {
		text := r.Pattern.ID
		for _, name := range slices.Sorted(maps.Keys(r.Args)) {
			text += fmt.Sprintf(" %s=%s", name, r.Args[name])
		}
		if r.Via != "" {
			text += " via " + r.Via
		}
		got = append(got, text)
	}
	return got
}

func TestRelationsFillParametersFromItem(t *testing.T) {
	entities, patterns := cases()
	file, doc := entities[0], entities[1]
	status := &accesspatterns.Param{
		Name: "status", Type: accesspatterns.Enum, Enum: []string{"open", "closed"}, Required: true,
		Attribute: file.Attribute("status"), Entity: file,
	}
	add := func(id string, read accesspatterns.Read, params ...*accesspatterns.Param) *accesspatterns.Pattern {
		p := &accesspatterns.Pattern{ID: id, Profile: "test", Table: file.Table, Read: read, Params: params}
		patterns = append(patterns, p)
		return p
	}
	query := func(keys ...accesspatterns.KeyCondition) accesspatterns.Read {
		return accesspatterns.Read{Operation: accesspatterns.Query, Key: keys}
	}
	add("by-status", query(matches("GSI1SK", "{status}#")), status)
	add("write", accesspatterns.Read{Operation: accesspatterns.Write}, text("caseId"))
	add(
		"between-times", query(matches("PK", "A")),
		&accesspatterns.Param{Name: "from", Type: accesspatterns.Timestamp, Required: true, Default: "now-7d"},
	)
	owner := text("owner") // accepts IDs of several attributes with different formats
	owner.From, owner.Prefix = []string{"caseId", "clientId"}, "c_"
	owner.Entity, owner.Attribute = file, file.Attribute("caseId")
	add("by-owner", query(matches("PK", "OWNER#{owner}")), owner)
	dayParam := &accesspatterns.Param{Name: "day", Type: accesspatterns.Day, Required: true}
	add("by-day", query(matches("GSI1PK", "DAY#{day}")), dayParam).Returns = []*models.Entity{file}
	add(
		"only-doc",
		accesspatterns.Read{
			Operation: accesspatterns.Get,
			Key:       []accesspatterns.KeyCondition{matches("PK", "CASE#c_7"), matches("SK", "DOC#1")},
		},
	)

	created := &accesspatterns.Param{
		Name: "createdAt", Type: accesspatterns.Timestamp, Required: true, Attribute: file.Attribute("createdAt"), Entity: file,
	}
	add("at", query(matches("GSI1SK", "{createdAt}")), created)
	doc.Attributes = append(doc.Attributes, &models.Attribute{Name: "linked", Path: "linked", Type: models.TypeS, Refers: "Case.caseId"})
	doc.Seal()

	client, caseID := optional("clientId"), optional("caseId")
	client.Entity, client.Attribute, caseID.Entity, caseID.Attribute = file, file.Attribute("clientId"), file, file.Attribute("caseId")
	either := add("either", query(matches("PK", "CASE#{caseId}")), client, caseID)
	either.Variants = []accesspatterns.Variant{{When: []string{"clientId"}, Read: query(matches("PK", "CLIENT#{clientId}"))}}

	item := models.Item{
		"PK": models.StringValue("CASE#c_7"), "SK": models.StringValue("META"), "caseId": models.StringValue("c_7"),
		"clientId": models.StringValue("acme"), "status": models.StringValue("open"), "GSI1PK": models.StringValue("DAY#2026-01-14"),
		"createdAt": models.StringValue("2026-01-14T10:00:00Z"),
	}
	tests := []struct {
		name string
		view accesspatterns.View
		want []string
	}{
		{"an item", accesspatterns.ItemView(file, item), []string{
			"get caseId=c_7", "documents caseId=c_7", "by-client clientId=acme", "by-status status=open",
			"by-owner owner=c_7 via caseId", "by-day day=2026-01-14",
			"at createdAt=2026-01-14T10:00:00Z", "either clientId=acme",
		}},
		{"an attribute with another name refers to the first", accesspatterns.View{
			Entity: doc, Values: models.MapValues(map[string]string{"linked": "c_8"}),
		}, []string{
			"get caseId=c_8 via linked", "documents caseId=c_8 via linked", "by-owner owner=c_8 via linked", "either caseId=c_8 via linked",
		}},
		{"another kind of item refers to the first", accesspatterns.ItemView(doc, models.Item{
			"PK": models.StringValue("CASE#c_7"), "SK": models.StringValue("DOC#1"), "GSI1PK": models.StringValue("DAY#2026-01-14"),
		}), []string{"get caseId=c_7", "documents caseId=c_7", "by-owner owner=c_7 via caseId", "only-doc", "either caseId=c_7"}},
		{"an empty view", accesspatterns.View{Entity: file, Values: models.MapValues(nil)}, []string{}},
		{
			"a value that no pattern accepts",
			accesspatterns.View{Entity: file, Values: models.MapValues(map[string]string{"clientId": "", "status": "gone"})},
			[]string{},
		},
	}
	for _, tt := range tests {
		if diff := gocmp.Diff(tt.want, relatedTexts(accesspatterns.Relations(patterns, entities, tt.view))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}

// The user chooses the ends of a range. If both came from the item, the range would contain only the item.
func TestRelationsKeepNumberRangesOpen(t *testing.T) {
	table := &models.Table{ID: "t", Name: "t", PartitionKey: key("PK"), SortKey: models.Key{Name: "at", Type: models.TypeN}}
	seq := &models.Attribute{Name: "at", Path: "at", Type: models.TypeN}
	e := &models.Entity{
		Name: "Reading", Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("{id}"), "at": models.MustTemplate("{at}")},
		Attributes: []*models.Attribute{{Name: "id", Path: "id", Type: models.TypeS}, seq},
	}
	e.Seal()
	end := func(name string) *accesspatterns.Param {
		return &accesspatterns.Param{Name: name, Type: accesspatterns.Number, Attribute: seq, Entity: e}
	}
	id := text("id")
	id.Attribute, id.Entity = e.Attributes[0], e
	sort := between("{at}", "{from}", "{to}")
	sort.Attribute = table.SortKey
	minimum := accesspatterns.KeyCondition{Attribute: table.SortKey, Compare: accesspatterns.GreaterOrEqual, Template: models.MustTemplate("{from}")}
	above := accesspatterns.FilterCondition{
		Attribute: "at", Type: models.TypeN, Compare: accesspatterns.Greater, Values: []models.Template{models.MustTemplate("{from}")},
	}
	pattern := func(name string, filter []accesspatterns.FilterCondition, params []*accesspatterns.Param, keys ...accesspatterns.KeyCondition) *accesspatterns.Pattern {
		read := accesspatterns.Read{Operation: accesspatterns.Query, Key: append(keys, matches("PK", "{id}")), Filter: filter}
		return &accesspatterns.Pattern{ID: name, Profile: "test", Table: table, Returns: []*models.Entity{e}, Params: append(params, id), Read: read}
	}
	patterns := []*accesspatterns.Pattern{
		pattern("range", nil, []*accesspatterns.Param{end("from"), end("to")}, sort),
		pattern("least", nil, []*accesspatterns.Param{end("from")}, minimum),
		pattern("filter", []accesspatterns.FilterCondition{above}, []*accesspatterns.Param{end("from")}),
	}
	v := accesspatterns.ItemView(e, models.Item{"id": models.StringValue("a"), "PK": models.StringValue("a"), "at": &types.AttributeValueMemberN{Value: "-1.5"}})
	want := []string{"range id=a", "least id=a", "filter id=a"}
	if diff := gocmp.Diff(want, relatedTexts(accesspatterns.Relations(patterns, []*models.Entity{e}, v))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCanFillReportsEntitiesWithValue(t *testing.T) {
	entities, patterns := cases()
	file, doc := entities[0], entities[1]
	doc.Keys["GSI1PK"] = models.MustTemplate("TENANT#{tenant}")
	doc.Seal()
	tenant := text("tenant")
	tenant.From = []string{"tenant"}
	for _, tt := range []struct {
		param  *accesspatterns.Param
		entity *models.Entity
		want   bool
	}{
		{patterns[0].Params[0], file, true}, // caseId is an attribute of the case.
		{patterns[0].Params[0], doc, true},  // The document refers to it.
		{patterns[2].Params[0], doc, false}, // The document has no clientId.
		{tenant, doc, true},                 // Only a key contains the tenant.
		{tenant, file, false},
	} {
		if got := accesspatterns.CanFill(patterns[0], tt.param, entities, tt.entity); got != tt.want {
			t.Errorf("CanFill(%s, %s) = %v, want %v", tt.param.Name, tt.entity.Name, got, tt.want)
		}
	}
}

// The search ends even if references form a cycle.
func TestMutualReferenceRelations(t *testing.T) {
	entities, patterns := cases()
	entities[0].Attribute("caseId").Refers = "Document.caseId"
	view := accesspatterns.View{Entity: entities[0], Values: models.MapValues(map[string]string{"caseId": "c_1"})}
	got := relatedTexts(accesspatterns.Relations(patterns, entities, view))
	if diff := gocmp.Diff([]string{"get caseId=c_1", "documents caseId=c_1"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeID(t *testing.T) {
	entities, patterns := cases()
	candidateTexts := func(list []accesspatterns.Candidate) []string {
		got := []string{}
		for _, c := range list {
			got = append(got, fmt.Sprint(c.Entity.Name, " ", c.Attribute, " ", c.Values, " ", relatedTexts(c.Patterns), " ", len(c.Warnings)))
		}
		return got
	}
	// The case owns the ID, and the document refers to it.
	relations := []string{"Case caseId map[caseId:c_7] [get caseId=c_7 documents caseId=c_7] 0"}
	refers := []string{"Document caseId map[caseId:c_7] [get caseId=c_7 documents caseId=c_7] 0"}
	if diff := gocmp.Diff(relations, candidateTexts(accesspatterns.DecodeID(patterns, entities, "c_7"))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	entities[0].Attribute("caseId").Prefix = "other_"
	if diff := gocmp.Diff(refers, candidateTexts(accesspatterns.DecodeID(patterns, entities, "c_7"))); diff != "" {
		t.Errorf("without an owner (-want +got):\n%s", diff)
	}
	for _, id := range []string{"", "c_", "x_7", "C_7"} {
		if list := accesspatterns.DecodeID(patterns, entities, id); len(list) > 0 {
			t.Errorf("DecodeID(%q) = %v, want none", id, candidateTexts(list))
		}
	}
	entities[1].Attribute("caseId").Format = models.UUID
	if list := accesspatterns.DecodeID(patterns, entities, "c_7"); len(list) != 1 || len(list[0].Warnings) != 1 {
		t.Errorf("got %v, want one warning about an undocumented format", candidateTexts(list))
	}
}

func TestPatternMethods(t *testing.T) {
	for _, op := range accesspatterns.Operations() {
		p := &accesspatterns.Pattern{ID: "p", Profile: "shop", Table: eventTable, Read: accesspatterns.Read{Operation: op}}
		if p.FullID() != "shop.p" || p.IsRead() == (op == accesspatterns.Write) || (op.API() == "") != (op == accesspatterns.Write) {
			t.Errorf("%s: FullID() = %s, IsRead() = %v, API() = %s", op, p.FullID(), p.IsRead(), op.API())
		}
		if _, err := p.Bind(nil, noon); op == accesspatterns.Write && err == nil {
			t.Error("Bind accepted a write pattern")
		}
	}
	caveat := &accesspatterns.Finding{ID: "A1", Patterns: []string{"p"}}
	deciding := &accesspatterns.Finding{ID: "A2", Decides: []string{"q", "p"}}
	p := &accesspatterns.Pattern{ID: "p", Findings: []*accesspatterns.Finding{caveat, deciding}}
	if p.Defect() != deciding {
		t.Error("Defect() is not the deciding finding")
	}
	for _, kind := range accesspatterns.FindingKinds() {
		deciding.Kind = kind
		serious := kind == accesspatterns.Wrong || kind == accesspatterns.Integrity || kind == accesspatterns.Security
		if p.HasSeriousFinding() != serious {
			t.Errorf("kind %s: HasSeriousFinding() = %t, want %t", kind, !serious, serious)
		}
	}
	if p.Findings = p.Findings[:1]; p.Defect() != nil || p.HasSeriousFinding() {
		t.Error("Defect() is a finding that does not decide")
	}
	if len(accesspatterns.ParamTypes()) != 8 || len(accesspatterns.FindingKinds()) != 8 {
		t.Error("the list of parameter types or finding kinds is incomplete")
	}
}

// Attributes with the same name in a table contain the same ID, unless one is an enumeration or a time.
func TestAttributesWithOneNameShareID(t *testing.T) {
	table := &models.Table{ID: "t", Name: "t", PartitionKey: key("PK")}
	number := 0
	newEntity := func(table *models.Table, enum ...string) *models.Entity {
		number++
		e := &models.Entity{
			Name: fmt.Sprint("E", number), Table: table, Keys: map[string]models.Template{"PK": models.MustTemplate("E#{id}")},
			Attributes: []*models.Attribute{{Name: "code", Path: "code", Type: models.TypeS, Enum: enum}},
		}
		e.Seal()
		return e
	}
	other := &models.Table{ID: "u", Name: "u", PartitionKey: key("PK")}
	for name, tt := range map[string]struct {
		view, of *models.Entity // of is the entity of the parameter, or nil.
		change   func(*accesspatterns.Param)
		fits     bool
	}{
		"one table":                  {newEntity(table), newEntity(table), nil, true},
		"no attribute":               {newEntity(table), nil, nil, true},
		"no attribute, an enum":      {newEntity(table, "a"), nil, nil, false},
		"no entity":                  {newEntity(table), newEntity(table), func(q *accesspatterns.Param) { q.Entity = nil }, false},
		"item of another table":      {newEntity(other), newEntity(table), nil, false},
		"parameter of another table": {newEntity(table), newEntity(other), nil, false},
		"an enum of the item":        {newEntity(table, "a"), newEntity(table), nil, false},
		"an enum of the reader":      {newEntity(table), newEntity(table), func(q *accesspatterns.Param) { q.Enum = []string{"a"} }, false},
		"a time":                     {newEntity(table), newEntity(table), func(q *accesspatterns.Param) { q.Type = accesspatterns.Timestamp }, false},
	} {
		q := &accesspatterns.Param{Name: "code", Type: accesspatterns.String}
		entities := []*models.Entity{tt.view}
		if tt.of != nil {
			q.Attribute, q.Entity = tt.of.Attribute("code"), tt.of
			entities = append(entities, tt.of)
		}
		if tt.change != nil {
			tt.change(q)
		}
		p := &accesspatterns.Pattern{ID: "p", Table: table, Params: []*accesspatterns.Param{q}}
		view := func(text string) accesspatterns.View {
			return accesspatterns.View{Entity: tt.view, Values: models.MapValues(map[string]string{"code": text})}
		}
		got := accesspatterns.ParamValues(p, q, entities, view("first"), view("second"))
		if want := []string{"first", "second"}; tt.fits != slices.Equal(got, want) || !tt.fits && len(got) > 0 {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// IncompleteRelations returns only patterns whose partition key the view fills partly.
func TestIncompleteRelationsListMissingParameters(t *testing.T) {
	entities, patterns := cases()
	file := entities[0]
	from := text("stage")
	patterns = append(
		patterns,
		&accesspatterns.Pattern{
			ID: "by-client-and-stage", Profile: "test", Table: file.Table, Params: []*accesspatterns.Param{text("clientId"), from},
			Read: accesspatterns.Read{
				Operation: accesspatterns.Query,
				Key:       []accesspatterns.KeyCondition{matches("PK", "CLIENT#{clientId}"), matches("SK", "{stage}")},
			},
		},
		&accesspatterns.Pattern{
			ID: "by-stage", Profile: "test", Table: file.Table, Params: []*accesspatterns.Param{from, text("clientId")},
			Read: accesspatterns.Read{
				Operation: accesspatterns.Query,
				Key:       []accesspatterns.KeyCondition{matches("PK", "{stage}"), matches("SK", "{clientId}")},
			},
		},
	)
	view := accesspatterns.View{Entity: file, Values: models.MapValues(map[string]string{"clientId": "acme"})}
	list := accesspatterns.IncompleteRelations(patterns, entities, view)
	if diff := gocmp.Diff([]string{"by-client-and-stage clientId=acme"}, relatedTexts(list)); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	if diff := gocmp.Diff([]string{"stage"}, list[0].Missing); diff != "" {
		t.Errorf("missing parameters (-want +got):\n%s", diff)
	}
}

// optional returns an optional parameter.
func optional(name string) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.String}
}

func legTexts(r *accesspatterns.Request) []string {
	list := make([]string, len(r.Legs))
	for i, l := range r.Legs {
		list[i] = legText(l)
	}
	return list
}

func TestOptionalKeyTail(t *testing.T) {
	sk := func(o accesspatterns.Operator, template string) accesspatterns.KeyCondition {
		return accesspatterns.KeyCondition{Attribute: key("SK"), Compare: o, Template: models.MustTemplate(template)}
	}
	pk := matches("PK", "A#{x}")
	rev := between("I#{id}[#{at}]", "{from}", "{to}")
	for _, tt := range []struct {
		name string
		key  []accesspatterns.KeyCondition
		args string
		want []string
	}{
		{
			"equals without the tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Equal, "I#{id}[#{rev}]")},
			"x=1 id=a",
			[]string{"PK = 'A#1' AND SK = 'I#a'"},
		},
		{
			"equals with the tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Equal, "I#{id}[#{rev}]")},
			"x=1 id=a rev=2",
			[]string{"PK = 'A#1' AND SK = 'I#a#2'"},
		},
		{
			"matches with the tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Matches, "I#{id}[#{rev}]")},
			"x=1 id=a rev=2",
			[]string{"PK = 'A#1' AND SK = 'I#a#2'"},
		},
		{
			"matches without the tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Matches, "I#{id}[#{rev}]")},
			"x=1 id=a",
			[]string{"PK = 'A#1' AND SK = 'I#a'", "PK = 'A#1' AND begins_with(SK, 'I#a#')"},
		},
		{
			"matches with a part of the tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Matches, "I#{id}[#{rev}#{y}]")},
			"x=1 id=a rev=2",
			[]string{"PK = 'A#1' AND begins_with(SK, 'I#a#2#')"},
		},
		{
			"matches up to a missing placeholder",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.Matches, "I#{id}[#{rev}]")},
			"x=1",
			[]string{"PK = 'A#1' AND begins_with(SK, 'I#')"},
		},
		{
			"begins with the key without its tail",
			[]accesspatterns.KeyCondition{pk, sk(accesspatterns.BeginsWith, "I#{id}[#{rev}]")},
			"x=1 id=a",
			[]string{"PK = 'A#1' AND begins_with(SK, 'I#a')"},
		},
		{"partition without the tail", []accesspatterns.KeyCondition{matches("PK", "A#{x}[#{y}]")}, "x=1", []string{"PK = 'A#1'"}},
		{"partition with the tail", []accesspatterns.KeyCondition{matches("PK", "A#{x}[#{y}]")}, "x=1 y=2", []string{"PK = 'A#1#2'"}},
		{
			"range within the tail",
			[]accesspatterns.KeyCondition{pk, rev},
			"x=1 id=a from=2 to=3",
			[]string{"PK = 'A#1' AND SK BETWEEN 'I#a#2' AND 'I#a#3'"},
		},
		{
			"range within a tail without a value",
			[]accesspatterns.KeyCondition{pk, rev},
			"x=1 id=a",
			[]string{"PK = 'A#1' AND SK = 'I#a'", "PK = 'A#1' AND begins_with(SK, 'I#a#')"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pattern(accesspatterns.Read{Key: tt.key})
			for _, n := range []string{"x", "y", "id", "rev", "from", "to"} {
				p.Params = append(p.Params, optional(n))
			}
			for _, descending := range []bool{false, true} {
				p.Read.Descending = descending
				r, err := p.Bind(arguments(tt.args), noon)
				if err != nil {
					t.Fatal(err)
				}
				want := slices.Clone(tt.want)
				if descending {
					slices.Reverse(want)
				}
				if diff := gocmp.Diff(want, legTexts(r)); diff != "" {
					t.Errorf("descending %v (-want +got):\n%s", descending, diff)
				}
				if len(r.Legs) > 1 && !r.Sequential {
					t.Error("the two legs are merged although the first precedes the second")
				}
			}
		})
	}
}

func TestOptionalTailRejectsIncompleteKey(t *testing.T) {
	for name, key := range map[string][]accesspatterns.KeyCondition{
		"partition": {matches("PK", "A#{x}[#{y}#{z}]")},
		"equals": {
			matches("PK", "A"),
			{Attribute: key("SK"), Compare: accesspatterns.Equal, Template: models.MustTemplate("I#{x}[#{y}#{z}]")},
		},
	} {
		_, err := pattern(accesspatterns.Read{Key: key}, text("x"), optional("y"), optional("z")).Bind(arguments("x=1 y=2"), noon)
		var fault *accesspatterns.ParamError
		if !errors.As(err, &fault) || fault.Param != "z" {
			t.Errorf("%s: got %v, want an error about z", name, err)
		}
	}
}

// A request must not silently omit a given value because the preceding part of the key is missing.
func TestNestedPartRequiresOuterPart(t *testing.T) {
	for _, compare := range []accesspatterns.Operator{accesspatterns.Matches, accesspatterns.BeginsWith} {
		key := []accesspatterns.KeyCondition{
			matches("PK", "A"),
			{Attribute: key("SK"), Compare: compare, Template: models.MustTemplate("LOC#{x}[#{y}[#{z}]]")},
		}
		_, err := pattern(accesspatterns.Read{Key: key}, text("x"), optional("y"), optional("z")).Bind(arguments("x=1 z=2"), noon)
		var fault *accesspatterns.ParamError
		if !errors.As(err, &fault) || fault.Param != "y" {
			t.Errorf("%s: got %v, want an error about y", compare, err)
		}
	}
}

func TestOptionalTailInGetAndFilter(t *testing.T) {
	get := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{
		matches("PK", "A#{x}"), matches("SK", "I#{id}[#{rev}]"),
	}}, text("x"), text("id"), optional("rev"))
	filtered := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "A#{x}")},
		Filter: []accesspatterns.FilterCondition{where("ref", models.TypeS, accesspatterns.Equal, "I#{id}[#{rev}]")},
	}, text("x"), optional("id"), optional("rev"))
	for _, tt := range []struct {
		p          *accesspatterns.Pattern
		args, want string
	}{
		{get, "x=1 id=a", `{"PK":"A#1","SK":"I#a"}`},
		{get, "x=1 id=a rev=2", `{"PK":"A#1","SK":"I#a#2"}`},
		{filtered, "x=1 id=a", "PK = 'A#1' | ref = 'I#a'"},
		{filtered, "x=1 id=a rev=2", "PK = 'A#1' | ref = 'I#a#2'"},
		{filtered, "x=1", "PK = 'A#1'"},
	} {
		r, err := tt.p.Bind(arguments(tt.args), noon)
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
		} else if got := strings.Join(legTexts(r), "; "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestBindRejectsUnusedParameters(t *testing.T) {
	variant := pattern(accesspatterns.Read{
		Key:    []accesspatterns.KeyCondition{matches("PK", "A")},
		Filter: []accesspatterns.FilterCondition{where("n", models.TypeN, accesspatterns.Equal, "{n}")},
	}, &accesspatterns.Param{Name: "n", Type: accesspatterns.Number}, optional("card"))
	variant.Variants = []accesspatterns.Variant{{When: []string{"card"}, Read: accesspatterns.Read{
		Operation: accesspatterns.Query, Key: []accesspatterns.KeyCondition{matches("PK", "CARD#{card}")},
	}}}
	gap := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{
		matches("PK", "A"), matches("SK", "{status}#{createdAt}"),
	}}, optional("status"), optional("createdAt"))
	for _, tt := range []struct {
		p          *accesspatterns.Pattern
		args, want string // error about the rejected parameter, or ""
	}{
		{variant, "card=1", ""},
		{variant, "n=2", ""},
		{variant, "card=1 n=2", "parameter n: has no effect with the other parameters; omit it"},
		{gap, "status=open createdAt=2026", ""},
		{gap, "createdAt=2026", "parameter createdAt: the key requires {status} first; add status=VALUE"},
		{dayPattern(false, 9), "from=2026-01-12 to=2026-01-14", ""},
	} {
		_, err := tt.p.Bind(arguments(tt.args), noon)
		var fault *accesspatterns.ParamError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.args, err)
		case tt.want != "" && (!errors.As(err, &fault) || fault.Error() != tt.want):
			t.Errorf("%s: got %v, want %s", tt.args, err, tt.want)
		}
	}
}
