package change_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// orders returns a table with four kinds of indexes: on attributes, on values that only keys contain, sparse and
// optional.
func orders(t *testing.T) (*models.Table, []*models.Entity) {
	t.Helper()
	key := func(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }
	table := &models.Table{
		ID: "orders", Name: "orders", PartitionKey: key("PK"), SortKey: key("SK"),
		Indexes: []*models.Index{
			{Name: "by-status", PartitionKeys: models.KeyList(key("GSI1PK")), SortKeys: models.KeyList(key("GSI1SK"))},
			{Name: "by-shipment", PartitionKeys: models.KeyList(key("GSI2PK")), SortKeys: models.KeyList(key("GSI2SK"))},
			{Name: "by-city", PartitionKeys: models.KeyList(key("GSI3PK")), SortKeys: models.KeyList(key("PK")), Optional: true},
		},
	}
	order := &models.Entity{
		Name: "Order", Title: "Order", Table: table,
		Keys: map[string]models.Template{
			"PK": models.MustTemplate("SHOP#{shopId}"), "SK": models.MustTemplate("ORDER#{orderId}"),
			"GSI1PK": models.MustTemplate("SHOP#{shopId}"), "GSI1SK": models.MustTemplate("{status}#{batch}"),
			"GSI2PK": models.MustTemplate("SHIPPED"), "GSI2SK": models.MustTemplate("{shippedAt}#{orderId}"),
			"GSI3PK": models.MustTemplate("CITY#{city}"),
		},
		Attributes: []*models.Attribute{
			{Name: "shopId", Path: "shopId", Type: models.TypeS, KeyOnly: true},
			{Name: "batch", Path: "batch", Type: models.TypeS, KeyOnly: true},
			{Name: "orderId", Path: "orderId", Type: models.TypeS, Required: true},
			{Name: "status", Path: "status", Type: models.TypeS, Required: true},
			{Name: "city", Path: "city", Type: models.TypeS, Sensitive: models.PII},
			{Name: "shippedAt", Path: "shippedAt", Type: models.TypeS, Format: models.ISO8601},
			{Name: "expiresAt", Path: "expiresAt", Type: models.TypeS, Format: models.ISO8601Any},
			{Name: "ttl", Path: "ttl", Type: models.TypeN, Format: models.EpochSeconds, Equals: "expiresAt", Required: true},
		},
	}
	order.Seal()
	return table, []*models.Entity{order}
}

func validOrder() models.Item {
	return texts("PK", "SHOP#s", "SK", "ORDER#o", "GSI1PK", "SHOP#s", "GSI1SK", "open#7", "GSI3PK", "CITY#Maun",
		"orderId", "o", "status", "open", "city", "Maun", "expiresAt", "2026-01-20T12:00:00.900Z", "ttl", "1768910400")
}

func texts(pairs ...string) models.Item {
	it := models.Item{}
	for i := 0; i < len(pairs); i += 2 {
		it[pairs[i]] = models.StringValue(pairs[i+1])
		if pairs[i] == "ttl" {
			it["ttl"] = &types.AttributeValueMemberN{Value: pairs[i+1]}
		}
	}
	return it
}

func TestItemDefects(t *testing.T) {
	for name, c := range map[string]struct {
		set    []string // attributes that differ from a good order
		remove string
		want   []string // kind attribute stored expected
	}{
		"no defect":                             {want: nil},
		"a key part differs from its attribute": {set: []string{"status", "done"}, want: []string{"stale-key GSI1SK open#7 done#7"}},
		"a value that only the key contains":    {set: []string{"GSI1SK", "open#8"}, want: nil},
		"a missing index key":                   {remove: "GSI1PK", want: []string{"stale-key GSI1PK - SHOP#s"}},
		"an index key of a removed attribute": {
			set:  []string{"GSI2PK", "SHIPPED", "GSI2SK", "2026-01-20T12:00:00Z#o"},
			want: []string{"stale-key GSI2SK 2026-01-20T12:00:00Z#o -"},
		},
		"a key without its constant": {
			set:  []string{"GSI2PK", "SHIPPED", "GSI2SK", "2026-01-20T12:00:00Z#o", "shippedAt", "2026-01-20T12:00:00Z"},
			want: nil,
		},
		"half of a key": {
			set:  []string{"shippedAt", "2026-01-20T12:00:00Z", "GSI2SK", "2026-01-20T12:00:00Z#o"},
			want: []string{"stale-key GSI2PK - SHIPPED"},
		},
		"the key of an optional index":      {remove: "GSI3PK", want: nil},
		"an outdated key":                   {set: []string{"city", "Gabane"}, want: []string{"stale-key GSI3PK CITY#Maun CITY#Gabane"}},
		"an empty attribute with a key":     {set: []string{"orderId", ""}, want: []string{"stale-key SK ORDER#o -"}},
		"a TTL with another time":           {set: []string{"ttl", "1768910401"}, want: []string{"ttl ttl 1768910401 1768910400"}},
		"a TTL in milliseconds":             {set: []string{"ttl", "1768910400900"}, want: []string{"ttl ttl 1768910400900 1768910400"}},
		"no TTL":                            {remove: "ttl", want: []string{"ttl ttl - 1768910400"}},
		"a required TTL without its source": {remove: "expiresAt", want: nil},
		"an invalid time":                   {set: []string{"expiresAt", "soon"}, want: []string{"ttl expiresAt soon -", "ttl ttl 1768910400 -"}},
		"missing attributes":                {remove: "status", want: []string{"ghost - - -"}},
		"a key that no entity matches":      {set: []string{"SK", "ORDRE#o"}, want: []string{"unknown - - -"}},
	} {
		t.Run(name, func(t *testing.T) {
			table, entities := orders(t)
			it := validOrder()
			maps.Copy(it, texts(c.set...))
			delete(it, c.remove)
			d := change.Drift{
				Entities: entities, Now: time.Unix(0, 0),
				Live: withoutOptional,
			}
			_, defects := d.Defects(table, it)
			var got []string
			for _, d := range defects {
				if d.Text == "" {
					t.Errorf("the defect of kind %s has no text", d.Kind)
				}
				words := []string{string(d.Kind), d.Attribute, d.Stored, d.Expected}
				for i, w := range words {
					if w == "" {
						words[i] = "-"
					}
				}
				got = append(got, strings.Join(words, " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Without an optional TTL, DynamoDB keeps the item forever. With a TTL but without the time that it repeats, DynamoDB
// deletes an item that should stay.
func TestOptionalRepeatedTimeDefects(t *testing.T) {
	for remove, want := range map[string]string{
		"ttl": "missing, but must equal expiresAt", "expiresAt": "present, but expiresAt, which it must equal, is not set", "shippedAt": "",
	} {
		table, entities := orders(t)
		entities[0].Attribute("ttl").Required = false
		it := validOrder()
		it["ttl"] = &types.AttributeValueMemberN{Value: "1768910400"}
		delete(it, remove)
		d := change.Drift{Entities: entities, Now: time.Unix(0, 0), Live: withoutOptional}
		_, defects := d.Defects(table, it)
		got := ""
		if len(defects) > 0 {
			got = defects[0].Text
		}
		if got != want || want != "" && !d.WouldRepair(entities[0], it) {
			t.Errorf("without %s: got defect %q, want %q", remove, got, want)
		}
	}
}

// If the live table has another name for an index key, a defect uses that name.
func TestDefectsUseLiveKeyNames(t *testing.T) {
	table, entities := orders(t)
	it := validOrder()
	it["status#batch"] = it["GSI1SK"]
	delete(it, "GSI1SK")
	live := *table
	live.Indexes = nil
	for _, x := range table.Indexes {
		index := *x
		if index.HasKey("GSI1SK") {
			index.SortKeys = models.KeyList(models.Key{Name: "status#batch", Type: models.TypeS})
		}
		live.Indexes = append(live.Indexes, &index)
	}
	d := change.Drift{Entities: entities, Live: func(*models.Table) *models.Table { return &live }}
	if _, defects := d.Defects(table, it); len(defects) > 0 {
		t.Errorf("got defects %+v of a correct item", defects)
	}
	it["status"] = models.StringValue("done")
	_, defects := d.Defects(table, it)
	if len(defects) != 1 || defects[0].Attribute != "status#batch" || defects[0].Expected != "done#7" {
		t.Errorf("got defects %+v, want status#batch with expected value done#7", defects)
	}
}

// Two keys may contain different values for a part that is not an attribute.
func TestKeyOnlyPartDefects(t *testing.T) {
	table, entities := orders(t)
	entities[0].Keys["GSI2SK"] = models.MustTemplate("{batch}#{status}")
	entities[0].Seal()
	for key, want := range map[string]int{"7#open": 0, "8#open": 0, "8#done": 1} {
		it := validOrder()
		it["GSI2PK"], it["GSI2SK"] = models.StringValue("SHIPPED"), models.StringValue(key)
		if _, defects := (change.Drift{Entities: entities, Live: withoutOptional}).Defects(table, it); len(defects) != want {
			t.Errorf("%s: got defects %+v, want %d", key, defects, want)
		}
	}
}

func TestShownDefectsMaskPersonalData(t *testing.T) {
	table, entities := orders(t)
	it := validOrder()
	it["city"] = models.StringValue("Gabane")
	r, defects := change.Drift{Entities: entities}.Defects(table, it)
	if len(defects) != 1 {
		t.Fatalf("got defects %+v, want 1", defects)
	}
	shown := defects[0].Shown(models.NewMasker(entities, false), r.Entity)
	if text := shown.Stored + shown.Expected + shown.Text; strings.Contains(text, "Maun") || strings.Contains(text, "Gabane") {
		t.Errorf("the defect shows personal data: %+v", shown)
	}
	if shown = defects[0].Shown(models.NewMasker(entities, true), r.Entity); shown.Expected != "CITY#Gabane" {
		t.Errorf("got %+v, want the revealed CITY#Gabane", shown)
	}
}

// Shown masks a key that has another live name if any key of the entity contains personal data.
func TestShownDefectsMaskKeysWithLiveNames(t *testing.T) {
	_, entities := orders(t)
	d := change.Defect{Kind: change.StaleKey, Attribute: "city#", Stored: "CITY#Maun", Expected: "CITY#Gabane"}
	if shown := d.Shown(models.NewMasker(entities, false), entities[0]); strings.Contains(shown.Stored+shown.Expected, "CITY") {
		t.Errorf("the defect shows personal data: %+v", shown)
	}
	if shown := d.Shown(models.NewMasker(entities, true), entities[0]); shown.Stored != "CITY#Maun" {
		t.Errorf("got %+v, want the revealed CITY#Maun", shown)
	}
}

// The closest entity shares the most literal text, then the most keys. The message contains no part of the key.
func TestUnknownItemsNameClosestEntity(t *testing.T) {
	table, orders := orders(t)
	entity := func(name, partition, sort string) *models.Entity {
		e := &models.Entity{Name: name, Title: name, Table: table, Keys: map[string]models.Template{
			"PK": models.MustTemplate(partition), "SK": models.MustTemplate(sort),
		}}
		e.Seal()
		return e
	}
	day := entity("Day", "DAY#{x:date}", "LIST#{y}")
	week, year := entity("Week", "DAY#{x}", "LIST#{x}"), entity("Year", "DAY#{x}", "LIST#{x}")
	for _, c := range []struct {
		entities []*models.Entity
		pk, sk   string
		want     string
	}{
		{orders, "SHOP#s", "ORDRE#o", `the closest is Order: ORDER#{orderId}: differs from "ORDER#" at character 4`},
		{
			[]*models.Entity{entity("Half", "DAYS#{x}", "LISA#{x}"), entity("Whole", "DAY#{x}", "WEEK#{x}")},
			"DAY#s", "LISX",
			`the closest is Whole: WEEK#{x}: expected "WEEK#" at character 1`,
		},
		{[]*models.Entity{day, week}, "DAY#s", "NONE", `the closest is Week: LIST#{x}: expected "LIST#" at character 1`},
		{[]*models.Entity{week, year}, "DAY#s", "NONE", `the closest is Week: LIST#{x}: expected "LIST#" at character 1`},
		{[]*models.Entity{day}, "DAY#hush", "LIST#1", "the closest is Day: DAY#{x:date}: {x} does not match at character 5"},
		{nil, "A", "B", "the schema has no entity in this table"},
	} {
		_, defects := change.Drift{Entities: c.entities}.Defects(table, texts("PK", c.pk, "SK", c.sk))
		if len(defects) != 1 || !strings.HasSuffix(defects[0].Text, c.want) {
			t.Errorf("%s / %s: got defects %+v, want the suffix %q", c.pk, c.sk, defects, c.want)
		}
	}
}

// withoutOptional returns a live table without the optional indexes.
func withoutOptional(t *models.Table) *models.Table {
	live := *t
	live.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(x *models.Index) bool { return x.Optional })
	return &live
}
