package draft

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// item returns an item with string attributes: name, value, name, value.
func item(pairs ...string) models.Item {
	it := models.Item{}
	for i := 0; i < len(pairs); i += 2 {
		it[pairs[i]] = &types.AttributeValueMemberS{Value: pairs[i+1]}
	}
	return it
}

// newSingleTable returns a table with the keys PK and SK and one index.
func newSingleTable() *Table {
	s := func(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }
	return &Table{Table: models.Table{
		ID: "data", Name: "data", PartitionKey: s("PK"), SortKey: s("SK"),
		Indexes: []*models.Index{{Name: "GSI1", PartitionKeys: models.KeyList(s("GSI1PK")), SortKeys: models.KeyList(s("GSI1SK")), Projection: models.ProjectionAll}},
	}}
}

// keys returns the templates of a draft: Entity.attribute=template.
func keys(p *Profile) string {
	var list []string
	for _, e := range p.Entities {
		for _, k := range e.Keys {
			list = append(list, e.Name+"."+k.Attribute+"="+k.Template)
		}
	}
	return strings.Join(list, " ")
}

func TestTemplatesUseAttributesOfItems(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []models.Item
		want  string
	}{
		{"an attribute after a literal", []models.Item{
			item("PK", "USER#ann", "SK", "META", "userId", "ann"), item("PK", "USER#bob", "SK", "META", "userId", "bob"),
		}, "User.PK=USER#{userId} User.SK=META"},
		{"one item", []models.Item{item("PK", "USER#ann", "SK", "META", "userId", "ann")}, "User.PK=USER#{userId} User.SK=META"},
		{"case, day and zeros", []models.Item{
			item("PK", "MAIL#a@x.io", "SK", "2026-01-02#00007", "email", "A@x.io", "at", "2026-01-02T03:04:05Z", "n", "7"),
			item("PK", "MAIL#b@x.io", "SK", "2026-01-03#00012", "email", "B@x.io", "at", "2026-01-03T03:04:05Z", "n", "12"),
		}, "Mail.PK=MAIL#{email:lower} Mail.SK={at:date}#{n:05d}"},
		{"a number without room for zeros", []models.Item{
			item("PK", "LOG#a", "SK", "0000000000007#x", "logId", "a", "n", "7"),
			item("PK", "LOG#b", "SK", "1234567890123#y", "logId", "b", "n", "1234567890123"),
		}, "Log.PK=LOG#{logId} Log.SK={n:013d}#{skPart}"},
		{"a value that contains the separator", []models.Item{
			item("PK", "ALERT#fn:a:1", "SK", "2026-01-02T03:04:05.000Z:ev1", "alert", "fn:a:1", "event", "ev1"),
			item("PK", "ALERT#fn:b:2", "SK", "2026-01-02T03:04:06.000Z:ev2", "alert", "fn:b:2", "event", "ev2"),
		}, "Alert.PK=ALERT#{alert} Alert.SK={skPart}:{event}"},
		{"a value that only the key has", []models.Item{
			item("PK", "ORG#1", "SK", "KEY#2026-01-02T03:04:05Z", "x", "1a"), item("PK", "ORG#2", "SK", "KEY#2026-01-02T03:04:06Z", "x", "2a"),
		}, "Key.PK=ORG#{orgId} Key.SK=KEY#{keyAt}"},
		{"a prefix that belongs to the value", []models.Item{
			item("PK", "CASE#ver_1", "SK", "A", "id", "ver_1"), item("PK", "CASE#ver_2", "SK", "A", "id", "ver_2"),
		}, "Case.PK=CASE#{id} Case.SK=A"},
		{"a label before an attribute", []models.Item{
			item("PK", "$app#team_red", "SK", "$member_1", "team", "Red"), item("PK", "$app#team_blue", "SK", "$member_1", "team", "Blue"),
		}, "Member1.PK=$app#team_{team:lower} Member1.SK=$member_1"},
		{"an index key with a descriptive name at the end of another key", []models.Item{
			item("PK", "DEV|f1|d1", "SK", "META", "fleet", "f1", "device", "d1", "place", "f1|d1"),
			item("PK", "DEV|f2|d2", "SK", "META", "fleet", "f2", "device", "d2", "place", "f2|d2"),
		}, "Dev.PK=DEV|{fleet}|{device} Dev.SK=META Dev.place={fleet}|{device}"},
		{"kinds by an attribute", []models.Item{
			item("PK", "1", "SK", "a#1", "_type", "Author", "id", "1"), item("PK", "2", "SK", "a#2", "_type", "Author", "id", "2"),
			item("PK", "1", "SK", "b#9", "_type", "Book", "isbn", "9"), item("PK", "2", "SK", "b#8", "_type", "Book", "isbn", "8"),
		}, "Author.PK={id} Author.SK=a#{id} Book.SK=b#{isbn}"},
		{"kinds with the same keys", []models.Item{
			item("PK", "1", "SK", "2026", "_type", "Author", "id", "1"), item("PK", "2", "SK", "2027", "_type", "Author", "id", "2"),
			item("PK", "1", "SK", "2028", "_type", "Book", "id", "1"), item("PK", "2", "SK", "2029", "_type", "Book", "id", "2"),
		}, "Author.PK={id} Book.PK={id}"},
		{"a type that is a property", []models.Item{
			item("PK", "PAY#1", "SK", "2026", "type", "card", "n", "1"), item("PK", "PAY#2", "SK", "2027", "type", "cash", "n", "2"),
			item("PK", "PAY#3", "SK", "2028", "type", "card", "n", "3"), item("PK", "PAY#4", "SK", "2029", "type", "cash", "n", "4"),
		}, "Pay.PK=PAY#{n}"},
		{"widths and cases without a separator", []models.Item{
			item("PK", "S#AB1200007x", "SK", "Q", "code", "ab12", "n", "7"), item("PK", "S#CD3400012y", "SK", "Q", "code", "cd34", "n", "12"),
			item("PK", "S#EF5600013z", "SK", "Q", "code", "EF56", "n", "13"),
		}, "Q.PK=S#{code:upper}{n:05d}{pkPart} Q.SK=Q"},
		{"a label that names the next attribute", []models.Item{
			item("PK", "ORDER#1", "SK", "ORDER#1", "GSI1PK", "ORDER#STATUS#OPEN", "GSI1SK", "x", "id", "1", "status", "OPEN"),
			item("PK", "ORDER#2", "SK", "ORDER#2", "GSI1PK", "ORDER#STATUS#OPEN", "GSI1SK", "y", "id", "2", "status", "OPEN"),
		}, "Order.PK=ORDER#{id} Order.SK=ORDER#{id} Order.GSI1PK=ORDER#STATUS#{status}"},
		{"a kind that begins with an underscore", []models.Item{
			item("PK", "_lock#q", "SK", "_lock#", "_type", "_Lock"), item("PK", "_lock#w", "SK", "_lock#", "_type", "_Lock"),
			item("PK", "room#a", "SK", "room#", "_type", "Room", "id", "a"), item("PK", "room#b", "SK", "room#", "_type", "Room", "id", "b"),
		}, "Lock.PK=_lock#{lockId} Lock.SK=_lock# Room.PK=room#{id} Room.SK=room#"},
		{"two parts of the same name", []models.Item{
			item("PK", "p#1", "SK", "p#2", "x", "a"), item("PK", "p#3", "SK", "p#4", "x", "b"),
		}, "P.PK=p#{pId} P.SK=p#{pId2}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, table := &Profile{Name: "test"}, newSingleTable()
			place := models.KeyList(models.Key{Name: "place", Type: models.TypeS})
			table.Indexes = append(table.Indexes, &models.Index{Name: "ByPlace", PartitionKeys: place})
			Infer(p, Sample{Table: table, Items: tt.items}, InferOptions{})
			InferPatterns(p, p.Tables[0])
			if got := keys(p); got != tt.want {
				t.Errorf("templates\n%s, want\n%s", got, tt.want)
			}
			if _, err := profiles.Load("test.yaml", p.Text(), nil); err != nil {
				t.Errorf("%v\n%s", err, p.Text())
			}
		})
	}
}

// A copy of a masked value is also masked, so that the draft contains no such value and a person need not find the
// copies.
func TestReferencesToMaskedValuesAreMasked(t *testing.T) {
	var items []models.Item
	for i := range 40 {
		card := "P10000" + strconv.Itoa(i%5)
		if i < 5 {
			items = append(items, item("PK", "USER#"+card, "SK", "PROFILE", "cardNo", card, "city", "Rome"))
		}
		items = append(items, item("PK", "ORDER#"+strconv.Itoa(1000+i), "SK", "ORDER", "order", strconv.Itoa(1000+i), "holder", card))
	}
	p := &Profile{}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{Examples: true})
	if a := p.Entity("Order").Attribute("holder"); a.Refers != "User.cardNo" || a.Sensitive == models.NotSensitive || len(a.Enum)+len(a.Examples) > 0 {
		t.Errorf("holder: refers %q, sensitive %q, enum %q, examples %q", a.Refers, a.Sensitive, a.Enum, a.Examples)
	}
}

// An item that reserves a value repeats the value in its key, and no attribute of it has a name that suggests a mask.
func TestKeysThatRepeatMaskedValuesAreMasked(t *testing.T) {
	var items []models.Item
	for i := range 12 {
		id, name := strconv.Itoa(1000+i), "Ann Miller "+strconv.Itoa(i)
		items = append(items, item("PK", "TAKEN#"+name, "SK", "TAKEN"),
			item("PK", "GUEST#"+id, "SK", "INFO", "id", id, "fullName", name))
	}
	p := &Profile{}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
	if a := p.Entity("Taken").Attribute("takenId"); a.Sensitive != models.PII {
		t.Errorf("takenId is %q in:\n%s", a.Sensitive, p.Text())
	}
}

func TestReferencedPartitionLists(t *testing.T) {
	var items []models.Item
	for i := range 12 {
		code, card := "L"+strconv.Itoa(i%4), "P"+strconv.Itoa(1000+i)
		if i < 4 {
			items = append(items, item("PK", "LIB#"+code, "SK", "INFO", "code", code, "city", "Rome"))
		}
		items = append(items, item("PK", "LIB#"+code, "SK", "PATRON#"+card, "library", code, "card", card))
	}
	p := &Profile{}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
	InferPatterns(p, p.Tables[0])
	text := string(p.Text())
	for _, want := range []string{`key: {PK: "LIB#{library}", SK: {begins_with: PATRON#}}`, "returns: [Lib, Patron]"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
}

// An underscore separates the parts, and another attribute before the time has the same year.
func TestKeyTemplatesWithOtherSeparators(t *testing.T) {
	var sites, buckets, alerts, loans []models.Item
	for i := range 24 {
		id, second := fmt.Sprintf("dev-%04d", i*7), 1796000000+i*40000
		site := item("PK", "T_"+id, "SK", "STATE", "deviceId", id, "country", []string{"DE", "FR"}[i%2], "GSI1PK", "SITE_"+[]string{"DE", "FR"}[i%2], "GSI1SK", "A")
		if i%3 > 0 {
			region := []string{"north", "south"}[i/2%2]
			site["region"], site["GSI1PK"] = &types.AttributeValueMemberS{Value: region}, &types.AttributeValueMemberS{Value: "SITE_" + []string{"DE", "FR"}[i%2] + "_" + region}
		}
		sites = append(sites, site)
		day, at := strconv.Itoa(second/86400), strconv.Itoa(second)
		buckets = append(buckets, item("PK", "D_"+id+"_B_"+day, "SK", at, "deviceId", id, "at", at))
		alerts = append(alerts, item("PK", "T_"+id, "SK", fmt.Sprintf("ALERT_%d_%d", 9999999999-second, i*31), "deviceId", id, "kind", "alert", "at", at, "no", strconv.Itoa(i*31)))
		due := time.Unix(int64(second), 0).UTC()
		loans = append(loans, item(
			"PK", "CARD|"+id, "SK", due.Format("LOAN|20060102|")+id, "deviceId", id, "dueOn", due.Format(time.DateOnly), "lentAt", strconv.Itoa(second-900000),
		))
	}
	for _, tt := range []struct {
		items []models.Item
		want  string
	}{
		{sites, "GSI1PK=SITE_{country}[_{region}]"},
		{buckets, "PK=D_{deviceId}_B_{at:div 86400}"},
		{alerts, "SK=ALERT_{at:9999999999 - epoch-seconds}_{no}"},
		{loans, "SK=LOAN|{dueOn:day}|{deviceId}"},
	} {
		p := &Profile{}
		Infer(p, Sample{Table: newSingleTable(), Items: tt.items}, InferOptions{})
		if got := keys(p); !strings.Contains(got, tt.want) {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestSparseIndexCondition(t *testing.T) {
	var items []models.Item
	for i := range 10 {
		id := fmt.Sprint(i)
		it := item("PK", "ORDER#"+id, "SK", "META", "orderId", id, "status", "closed")
		if i%3 == 0 {
			it = item("PK", "ORDER#"+id, "SK", "META", "orderId", id, "status", "open", "GSI1PK", "OPEN", "GSI1SK", id)
		}
		items = append(items, it)
	}
	p := &Profile{Name: "test"}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
	want := "GSI1PK: {template: OPEN, when: {status: [open]}} # CHECK: in 4 of 10 items, exactly those that meet this condition"
	if text := string(p.Text()); !strings.Contains(text, want) {
		t.Errorf("the sparse index has no condition:\n%s", text)
	}
	drafted, err := profiles.Load("test.yaml", p.Text(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		r, ok := models.Recognize(drafted.Entities, drafted.Tables[0], it)
		if !ok {
			t.Fatal("Recognize rejected a sample item")
		}
		for _, k := range r.Entity.KeyStates(it) {
			if k.Problem != "" {
				t.Errorf("%s of %v has the problem %s", k.Name, it, k.Problem)
			}
		}
	}
}

// Only a state can be the condition of an index key. Values of other attributes are data, and a few items are not
// sufficient evidence.
func TestConditionNeedsStateAndEvidence(t *testing.T) {
	for name, tt := range map[string]struct {
		attribute, value string
		of, with         int
	}{
		"not a state":                {"city", "Durban", 10, 5},
		"few items have the key":     {"status", "open", 10, 2},
		"few items lack the key":     {"status", "open", 10, 8},
		"a word that is not a value": {"status", "4711-0815", 10, 5},
	} {
		t.Run(name, func(t *testing.T) {
			var items []models.Item
			for i := range tt.of {
				it := item("PK", fmt.Sprint(i), tt.attribute, "other")
				if i < tt.with {
					it = item("PK", fmt.Sprint(i), tt.attribute, tt.value, "GSI1PK", "X")
				}
				items = append(items, it)
			}
			want := 0 // three items without the key are not a coincidence
			if tt.with > 2 && tt.of-tt.with > 2 {
				want = tt.of - tt.with
			}
			if when, unexplained := condition(cluster{items: items}, "GSI1PK", "X", nil); when != nil || unexplained != want {
				t.Errorf("got condition %v and %d items without the key", when, unexplained)
			}
		})
	}
}

// A draft is shared with a team, so it must not contain personal data, IDs or secrets from the sample.
func TestDraftContainsNoItemValues(t *testing.T) {
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		items, err := sample.Items(p, sample.Options{Seed: 7, At: time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		byTable := map[*models.Table][]models.Item{}
		for _, s := range items {
			byTable[s.Table] = append(byTable[s.Table], s.Item)
		}
		d := &Profile{Name: "draft"}
		for _, table := range p.Tables {
			Infer(d, Sample{Table: &Table{Table: models.Table{
				ID: table.ID, Name: table.Name, PartitionKey: table.PartitionKey, SortKey: table.SortKey, Indexes: table.Indexes,
			}}, Items: byTable[table]}, InferOptions{})
		}
		text := string(d.Text())
		for _, s := range items {
			r, ok := models.Recognize(p.Entities, s.Table, s.Item)
			if !ok {
				continue
			}
			for _, a := range r.Entity.Attributes {
				value, ok := s.Item.Text(a.Path)
				private := a.Sensitive != models.NotSensitive || a.Format == models.UUID
				if ok && private && len(value) > 5 && strings.ContainsAny(value, "0123456789@ ") && strings.Contains(text, value) {
					t.Fatalf("%s: the draft contains a value of %s.%s", name, r.Entity.Name, a.Path)
				}
			}
		}
	}
}

// Words in keys can be personal names and IDs. An ambiguous word counts as a value, even in a small sample.
func TestAmbiguousKeyLiteralsAreNotMapped(t *testing.T) {
	plain := &Table{Table: models.Table{ID: "users", Name: "users", PartitionKey: models.Key{Name: "userId", Type: models.TypeS}}}
	words := []string{"alice", "bobby", "carol"}
	for name, c := range map[string]struct {
		table *Table
		item  func(word string) models.Item
	}{
		"key with a descriptive name": {plain, func(w string) models.Item { return item("userId", "user_"+w) }},
		"whole partition key":         {newSingleTable(), func(w string) models.Item { return item("PK", w, "SK", "PROFILE") }},
		"whole sort key":              {newSingleTable(), func(w string) models.Item { return item("PK", "TEAM#1", "SK", w) }},
		"after a small label":         {newSingleTable(), func(w string) models.Item { return item("PK", "user#"+w, "SK", "profile") }},
		"after a large label":         {newSingleTable(), func(w string) models.Item { return item("PK", "USER#"+strings.ToUpper(w), "SK", "PROFILE") }},
		"in the sort key":             {newSingleTable(), func(w string) models.Item { return item("PK", "TEAM#1", "SK", "MEMBER#"+strings.ToUpper(w)) }},
		"in an index":                 {newSingleTable(), func(w string) models.Item { return item("PK", "ID#1", "SK", "META", "GSI1PK", "USER#"+w, "GSI1SK", w) }},
		"address":                     {newSingleTable(), func(w string) models.Item { return item("PK", "USER#"+w+"@example.com", "SK", "META") }},
		"after a value":               {newSingleTable(), func(w string) models.Item { return item("PK", "4711#card_"+w, "SK", "META") }},
		"after a value, in letters":   {newSingleTable(), func(w string) models.Item { return item("PK", "ORG#4711#"+strings.ToUpper(w), "SK", "META") }},
		"mixed with others":           {plain, func(w string) models.Item { return item("userId", "user_4f"+w+"9"[:len(w)%2]) }},
	} {
		for _, times := range []int{1, 3, 30} {
			for n := range words {
				var items []models.Item
				for _, w := range words[:n+1] {
					for i := range times {
						it := c.item(w)
						it["n"] = models.StringValue(strconv.Itoa(i))
						it["assignee"] = models.StringValue(strings.ToUpper(w[:1]) + w[1:] + "son")
						if sk, ok := it.Text("SK"); ok && i > 0 && sk != w {
							it["SK"] = models.StringValue(sk + "#" + strconv.Itoa(i))
						}
						items = append(items, it)
					}
				}
				d := &Profile{Name: "draft"}
				Infer(d, Sample{Table: c.table, Items: items}, InferOptions{})
				InferPatterns(d, d.Tables[0])
				text := strings.ToLower(string(d.Text()))
				for _, w := range words {
					if strings.Contains(text, w) {
						t.Errorf("%s, %d items for each of %d keys: the draft contains %q:\n%s", name, times, n+1, w, d.Text())
						break
					}
				}
			}
		}
	}
}

// Times without a named format keep their layout, and the draft with the layout loads.
func TestTimeLayoutsAreRecovered(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_901_234, time.UTC)
	for _, layout := range []models.Format{
		models.ISOLocal, "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S+00:00", "%Y-%m-%dT%H:%M:%S.%f+00:00", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%NZ",
	} {
		var items []models.Item
		for i := range 5 {
			text, _ := layout.FormatTime(at.AddDate(0, 0, i))
			items = append(items, item("PK", fmt.Sprintf("LOG#%d", i), "SK", text, "logId", strconv.Itoa(i), "writtenAt", text))
		}
		d := &Profile{Name: "draft"}
		Infer(d, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		p, err := profiles.Load("draft.yaml", d.Text(), nil)
		if err != nil {
			t.Errorf("%s: %v", layout, err)
			continue
		}
		e := p.Entities[0]
		sk, _ := e.KeyTemplate("SK")
		if a := e.Attribute("writtenAt"); a == nil || a.Format != layout || sk.String() != "{writtenAt}" {
			t.Errorf("%s: got %+v with the sort key %s", layout, a, sk)
		}
	}
}

func TestNumericTimes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       models.Format
	}{
		{"lastSeen", "1795653716", models.EpochSeconds},
		{"last_login", "1795653716123", models.EpochMillis},
		{"createdAt", "1795653716", models.EpochSeconds},
		{"updatedAt", "1795653716123456", models.EpochMicros},
		{"bootedAt", "1795653716123456789", models.EpochNanos},
		{"seenAt", "1795653716.25", models.EpochDecimal},
		{"reverseTimestamp", "8204263400000", ""}, // the year 2229
		{"bytes", "1795653716", ""},
		{"unseen", "17956", ""},
		{"period", "2026111822", "%Y%m%d%H"},
		{"month", "202611", "%Y%m"},
		{"month", "202613", ""},
	} {
		if got := (&analysis{}).epochOf(c.name, []string{c.text}); got != c.want {
			t.Errorf("epochOf(%s, %s) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestEntityNamesAreSingular(t *testing.T) {
	for name, want := range map[string]string{
		"Series": "Series", "Species": "Species", "News": "News", "Queries": "Query", "Orders": "Order", "Boxes": "Box", "Status": "Status",
		"Statuses": "Status", "Movies": "Movie", "Addresses": "Address", "Warehouses": "Warehouse", "TimeSeries": "TimeSeries",
	} {
		if got := singular(name); got != want {
			t.Errorf("singular(%s) = %s, want %s", name, got, want)
		}
	}
}

// The name of an item that connects two others contains both names.
func TestPluralsOfPatterns(t *testing.T) {
	for name, want := range map[string]string{"Match": "Matches", "Box": "Boxes", "Wish": "Wishes", "City": "Cities", "Key": "Keys", "User": "Users"} {
		if got := plural(name); got != want {
			t.Errorf("plural(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestManyToManyItemsAreNamedAfterBothSides(t *testing.T) {
	var items []models.Item
	for i := range 4 {
		id := strconv.Itoa(i)
		items = append(items,
			item("PK", "USER#u"+id, "SK", "TENANT#t"+id, "userId", "u"+id, "tenantId", "t"+id),
			item("PK", "TENANT#t"+id, "SK", "PROFILE", "tenantId", "t"+id), item("PK", "USER#u"+id, "SK", "ORDER#o"+id, "userId", "u"+id, "orderId", "o"+id),
		)
	}
	p := &Profile{}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
	var names []string
	for _, e := range p.Entities {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "UserTenant Tenant Order" {
		t.Errorf("got entities %s, want UserTenant Tenant Order", got)
	}
}

// A number that increases with each change is the version. A constant number is the version of a format.
func TestVersionsAreCounters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts []int
		want   string
	}{{"version", []int{1, 4}, "version"}, {"lockVersion", []int{1, 2}, "lockVersion"}, {"version", []int{2, 2}, ""}, {"size", []int{1, 4}, ""}} {
		var items []models.Item
		for i, n := range tt.counts {
			it := item("PK", "DOC#"+strconv.Itoa(i), "SK", "META", "docId", strconv.Itoa(i))
			it[tt.name] = &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
			items = append(items, it)
		}
		p := &Profile{}
		Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		if got := p.Entities[0].Version; got != tt.want {
			t.Errorf("%s %v: Version = %q, want %q", tt.name, tt.counts, got, tt.want)
		}
	}
}

// A label stays a label even if some items also have it as an attribute value, such as MEMBER#.. for a member whose
// role is member.
func TestLabelsUsedAsValuesDoNotDivideEntities(t *testing.T) {
	var items []models.Item
	for i, role := range []string{"owner", "member", "moderator", "member", "owner"} {
		id := strconv.Itoa(i)
		items = append(items, item("PK", "ROOM#r"+id, "SK", "MEMBER#u"+id, "roomId", "r"+id, "userId", "u"+id, "role", role))
	}
	p := &Profile{}
	Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
	if got := keys(p); got != "Member.PK=ROOM#{roomId} Member.SK=MEMBER#{userId}" {
		t.Errorf("got keys %s", got)
	}
}

// A hint names the parts of a key. A lower-case word of the key in it is not a name.
func TestHintsNamePartsOfKey(t *testing.T) {
	for hint, want := range map[string]string{
		"order#orderId|line": "order#{orderId}|{line}", "orderId|line": "order#{orderId}|{line}", "ORDER#orderId|LINE": "order#{orderId}|{skPart}",
	} {
		group := Group{Name: "Line", Hints: map[string]string{"SK": hint}}
		for i := range 3 {
			group.Items = append(group.Items, item("PK", "shop", "SK", fmt.Sprintf("order#%d|%03d", i, i*7)))
		}
		p := &Profile{}
		Infer(p, Sample{Table: newSingleTable(), Groups: []Group{group}}, InferOptions{})
		if got := keys(p); !strings.HasSuffix(got, "SK="+want) {
			t.Errorf("%s: got %s, want the suffix SK=%s", hint, got, want)
		}
	}
}

// The word before a : or / divides the items if its items have their own attributes. Otherwise, it is part of a value,
// as in a URL, and the items are one entity.
func TestFirstWordDividesKeysWithDescriptiveName(t *testing.T) {
	var mixed, pages []models.Item
	for i := range 12 {
		n := strconv.Itoa(i)
		mixed = append(mixed, item("url", "user:"+n, "name", "Ana"), item("url", "session:"+n, "since", "x"))
		pages = append(pages, item("url", []string{"http", "https"}[i%2]+"://example.com/"+n, "title", "T"+n))
	}
	for _, tt := range []struct {
		items    []models.Item
		keys     string
		entities int
	}{{mixed, "User.url=user:{userId} Session.url=session:{sessionId}", 2}, {pages, "", 1}} {
		p := &Profile{}
		table := &Table{Table: models.Table{ID: "pages", Name: "pages", PartitionKey: models.Key{Name: "url", Type: models.TypeS}}}
		Infer(p, Sample{Table: table, Items: tt.items}, InferOptions{})
		if got := keys(p); got != tt.keys || len(p.Entities) != tt.entities {
			t.Errorf("got %d entities with keys %q, want %d with %q", len(p.Entities), got, tt.entities, tt.keys)
		}
	}
}

// Drafting computes digests, shards and times from attributes to find them in keys.
func TestComputedPartsAreFound(t *testing.T) {
	for _, template := range []string{
		"ALL#{number:mod 8}", "ALL#{id:crc32 mod 10}", "ALL#{id:java mod 16 02d}", "ALL#{id:fnv1a mod 4 + 1}", "MAIL#{id:sha256}",
		"AT#{at:iso8601}", "AT#{at:month}#{id}",
	} {
		parsed := models.MustTemplate(template)
		var items []models.Item
		for i := range 60 {
			id := fmt.Sprintf("o%dx", i*i+7)
			at := strconv.FormatInt(time.Date(2026, 1, 2, i, 0, i, 0, time.UTC).Unix(), 10)
			key, err := parsed.Format(models.MapValues(map[string]string{"id": id, "number": strconv.Itoa(i * 13), "at": iso(at)}))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item(
				"PK", "ORDER#"+id, "SK", "META", "GSI1PK", key, "GSI1SK", id, "id", id, "number", strconv.Itoa(i*13), "at", at,
			))
		}
		var p Profile
		Infer(&p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		if got := keys(&p); got != "Order.PK=ORDER#{id} Order.SK=META Order.GSI1PK="+template+" Order.GSI1SK={id}" {
			t.Errorf("%s: got %s", template, got)
		}
	}
}

// A drafted list of a sharded partition reads all shards, because a user who lists items cannot choose one.
func TestListsReadAllShards(t *testing.T) {
	for key, fans := range map[string]bool{
		"ALL#{id:crc32 mod 4}": true, "SHOP#{shop}#{id:crc32 mod 4}": true, "SHOP#{shop}#{shop:crc32 mod 4}": false, "SHOP#{shop}": false,
	} {
		parsed := models.MustTemplate(key)
		var items []models.Item
		for i := range 60 {
			id, shop := fmt.Sprintf("o%dx", i*i+7), fmt.Sprintf("s%dy", i%20*7)
			pk, err := parsed.Format(models.MapValues(map[string]string{"id": id, "shop": shop}))
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, item("PK", "ORDER#"+id, "SK", "META", "GSI1PK", pk, "GSI1SK", id, "id", id, "shop", shop))
		}
		p := Profile{Name: "shards"}
		Infer(&p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		InferPatterns(&p, p.Tables[0])
		read, err := profiles.Load("shards.yaml", p.Text(), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		q := read.Pattern("list-orders-gsi-1")
		if q == nil {
			t.Fatalf("no list pattern for %s in:\n%s", key, p.Text())
		}
		if id := q.Param("id"); (q.Read.FanOut != nil) != fans || id != nil && id.Required {
			t.Errorf("%s: unexpected fan-out %v in:\n%s", key, q.Read.FanOut, p.Text())
		}
	}
}

// iso returns epoch seconds as ISO 8601.
func iso(seconds string) string {
	n, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC().Format(time.RFC3339)
}

// Random numbers must not be mistaken for shards.
func TestRandomNumbersAreNotShards(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var items []models.Item
		for i := range 4 + rng.IntN(60) {
			id := fmt.Sprintf("o%d", i)
			items = append(items, item(
				"PK", "ORDER#"+id, "SK", "META", "GSI1PK", fmt.Sprintf("ALL#%d", rng.IntN(2+rng.IntN(9))), "GSI1SK", id, "id", id,
				"a", strconv.Itoa(rng.IntN(1000)), "b", strconv.Itoa(rng.IntN(9)), "c", strconv.Itoa(i),
			))
		}
		var p Profile
		Infer(&p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		for _, k := range p.Entities[0].Keys {
			for _, s := range models.MustTemplate(k.Template).Segments() {
				if s.IsComputed() {
					t.Errorf("seed %d: %s has the computed template %s", seed, k.Attribute, k.Template)
				}
			}
		}
	}
}

// The queue reads open items by the cheapest key that contains them.
func TestOpenStatesQueue(t *testing.T) {
	for key, want := range map[string]string{
		"OPEN":           "key: {GSI1PK: OPEN}\n      filter: [{attribute: status, in: [held, paid]}]",
		"STATE#{status}": `fan_out: {placeholder: status, values: [held, paid]}`,
		"SHOP#{shop}":    `read: {operation: scan, table: data, filter: [{attribute: status, in: [held, paid]}], returns: [Order]}`,
	} {
		var items []models.Item
		for i := range 60 {
			id, status, shop := strconv.Itoa(i), []string{"done", "held", "paid"}[i%3], strconv.Itoa(i%7)
			pk, _ := models.MustTemplate(key).Format(models.MapValues(map[string]string{"status": status, "shop": shop}))
			items = append(items, item("PK", "ORDER#"+id, "SK", "META", "orderId", id, "status", status, "shop", shop, "GSI1PK", pk, "GSI1SK", id))
		}
		p := &Profile{Name: "test"}
		Infer(p, Sample{Table: newSingleTable(), Items: items}, InferOptions{})
		if err := p.SetOpen("Order", "status", []string{"held", "paid"}); err != nil {
			t.Fatal(err)
		}
		text := string(p.Text())
		if _, err := profiles.Load("test.yaml", p.Text(), nil); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: got %v, %s is missing in:\n%s", key, err, want, text)
		}
		if p.SetOpen("Order", "status", nil) == nil || p.SetOpen("Order", "shop", []string{"1"}) == nil {
			t.Error("SetOpen accepted unknown states")
		}
	}
}

// Words in plain keys of the same kind of item are values, so they do not name the entity.
func TestPlainKeysOfOneKindAreNamedAfterTable(t *testing.T) {
	table := &Table{Table: models.Table{
		ID: "settings", Name: "settings",
		PartitionKey: models.Key{Name: "Environment", Type: models.TypeS}, SortKey: models.Key{Name: "Key", Type: models.TypeS},
	}}
	p := &Profile{}
	Infer(p, Sample{Table: table, Items: []models.Item{
		item("Environment", "prod", "Key", "db/user", "Value", "app"), item("Environment", "dev", "Key", "db/url", "Value", "jdbc:x"),
		item("Environment", "prod", "Key", "feature/x", "Value", "on"),
	}}, InferOptions{})
	if len(p.Entities) != 1 || p.Entities[0].Name != "Setting" {
		t.Errorf("draft:\n%s", p.Text())
	}
}

// Programs write NULL for a missing value, so the attribute of another item need not exist.
func TestAttributesWithNULLAreNotRequired(t *testing.T) {
	p, null := &Profile{Name: "shop"}, &types.AttributeValueMemberNULL{Value: true}
	first, second := item("PK", "A#1", "SK", "META", "note", "new"), item("PK", "A#2", "SK", "META")
	for _, it := range []models.Item{first, second} {
		it["parent"], it["at"] = null, models.StringValue("noon")
	}
	second["note"] = null
	Infer(p, Sample{Table: newSingleTable(), Items: []models.Item{first, second}}, InferOptions{})
	for name, want := range map[string]string{"at": "S true ", "note": "S false in 1 of 2; NULL in 1", "parent": "NULL false in 0 of 2; NULL in 2"} {
		a := p.Entities[0].Attribute(name)
		if got := fmt.Sprint(a.Type, " ", a.Required, " ", a.Note); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestNamesHintAtSensitivity(t *testing.T) {
	for want, names := range map[models.Sensitivity]string{
		models.Secret: "apiToken api_token x-api-key jwt bearer authorization cookie passphrase pwd mnemonic seed totpSeed signingKey " +
			"encryptionKey cvc sessionCookie idToken userPin Authorization X-Authorization password_hash deviceToken token",
		models.PII: "pan sessionId session_id socialSecurityNumber driverLicense msisdn tel mail homeTel contact-mail e-mail sourceIp " +
			"email phoneNumber cardPan fname l_name guestLname",
		models.NotSensitive: "seedling panel companion telemetry hotel mailing_list_count cookieConsent tokenCount authorizationStatus " +
			"signingKeyId bearing keyboard pinned shipping sessionIdle session tokenizer seeds mailbox_size expand zip status hostname domain_name",
	} {
		for name := range strings.FieldsSeq(names) {
			if got := Sensitivity(name, nil); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

func TestTableWithoutItemsHasUndocumentedEntity(t *testing.T) {
	p, table := &Profile{Name: "shop"}, newSingleTable()
	table.TTL = "expires"
	Infer(p, Sample{Table: table}, InferOptions{Empty: true})
	if len(p.Entities) != 1 {
		t.Fatalf("got entities %v, want 1", p.Entities)
	}
	e := p.Entities[0]
	if ttl := e.Attribute("expires"); !e.Undocumented || ttl == nil || ttl.Format != models.EpochSeconds {
		t.Errorf("got %+v, want an undocumented entity with a TTL", e)
	}
	if text := string(p.Text()); !strings.Contains(text, "because the sample has no items") {
		t.Errorf("the draft lacks the note about the empty sample:\n%s", text)
	}
}
