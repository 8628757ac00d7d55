package accesspatterns_test

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestErrorsAboutKeysHideSensitiveValues(t *testing.T) {
	for sensitivity, want := range map[models.Sensitivity]string{
		models.Open: `parameter name: "ana#b" contains "#", the separator after it in {name}#{id}`,
		models.PII:  "parameter name: the value does not fit the key",
	} {
		name := text("name")
		name.Sensitive = sensitivity
		p := pattern(accesspatterns.Read{Key: []accesspatterns.KeyCondition{matches("PK", "{name}#{id}")}}, name, text("id"))
		if _, err := p.Bind(arguments("name=ana#b id=1"), noon); err == nil || err.Error() != want {
			t.Errorf("sensitivity %v: %v, want %s", sensitivity, err, want)
		}
	}
}

// DynamoDB accepts conditions on the first attributes of a sort key only, and equalities on all but the last.
func TestConditionsOnASortKeyOfSeveralAttributes(t *testing.T) {
	on := func(name string, o accesspatterns.Operator, template string) accesspatterns.KeyCondition {
		return accesspatterns.KeyCondition{Attribute: key(name), Compare: o, Template: models.MustTemplate(template)}
	}
	const equal, less, starts, fits = accesspatterns.Equal, accesspatterns.Less, accesspatterns.BeginsWith, accesspatterns.Matches
	for _, tt := range []struct {
		name string
		sort []accesspatterns.KeyCondition
		args string
		want string // the condition, or "!" and the error
	}{
		{"the first", []accesspatterns.KeyCondition{on("a", equal, "{x}")}, "x=1", "PK = 'A' AND a = '1'"},
		{
			"both",
			[]accesspatterns.KeyCondition{on("a", equal, "{x}"), on("b", less, "{y}")},
			"x=1 y=2",
			"PK = 'A' AND a = '1' AND b < '2'",
		},
		{
			"both with matches",
			[]accesspatterns.KeyCondition{on("a", fits, "{x}"), on("b", fits, "{y}")},
			"x=1 y=2",
			"PK = 'A' AND a = '1' AND b = '2'",
		},
		{"the second alone", []accesspatterns.KeyCondition{on("b", equal, "{y}")}, "y=2", "!parameter y: follows a in the key of byBoth"},
		{
			"the first without its value",
			[]accesspatterns.KeyCondition{on("a", fits, "{x}"), on("b", fits, "{y}")},
			"y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after an order",
			[]accesspatterns.KeyCondition{on("a", less, "{x}"), on("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after a beginning",
			[]accesspatterns.KeyCondition{on("a", starts, "{x}"), on("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after an open tail",
			[]accesspatterns.KeyCondition{on("a", fits, "{x}[#{z}]"), on("b", equal, "{y}")},
			"x=1 y=2",
			"!parameter y: follows a in the key of byBoth",
		},
		{
			"the second after a whole tail",
			[]accesspatterns.KeyCondition{on("a", fits, "{x}[#{z}]"), on("b", equal, "{y}")},
			"x=1 y=2 z=3",
			"PK = 'A' AND a = '1#3' AND b = '2'",
		},
	} {
		p := pattern(accesspatterns.Read{
			Index: &models.Index{Name: "byBoth", PartitionKeys: models.KeyList(key("PK")), SortKeys: models.KeyList(key("a"), key("b"))},
			Key:   append([]accesspatterns.KeyCondition{matches("PK", "A")}, tt.sort...),
		}, optional("x"), optional("y"), optional("z"))
		other := *p // The schema may list the conditions in any order.
		other.Read.Key = append(slices.Clone(tt.sort), matches("PK", "A"))
		if _, err := other.Bind(arguments(tt.args), noon); (err != nil) != strings.HasPrefix(tt.want, "!") {
			t.Errorf("%s, before the partition key: %v", tt.name, err)
		}
		r, err := p.Bind(arguments(tt.args), noon)
		if says, fails := strings.CutPrefix(tt.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %s", tt.name, err, says)
			}
		} else if err != nil || asked(r.Legs[0]) != tt.want {
			t.Errorf("%s: %v, %v, want %s", tt.name, allAsked(r), err, tt.want)
		}
	}
}

func TestFiltersListsTheAlternatives(t *testing.T) {
	exists := func(name string) accesspatterns.FilterCondition {
		return where(name, models.TypeS, accesspatterns.Exists)
	}
	either := accesspatterns.FilterCondition{Any: []accesspatterns.FilterCondition{exists("b"), exists("c")}}
	read := accesspatterns.Read{Filter: []accesspatterns.FilterCondition{exists("a"), either}}
	var got []string
	for _, f := range read.Filters() {
		got = append(got, f.Attribute)
	}
	if diff := gocmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Error(diff)
	}
}

// Parameters are sent in the format of what they are compared with alone.
func TestComparedListsWhatAPlaceholderIsComparedWith(t *testing.T) {
	read := accesspatterns.Read{
		Key: []accesspatterns.KeyCondition{
			matches("PK", "A#{x}"), matches("GSI1PK", "{x:upper}"), matches("GSI2PK", "{x}"), between("{at}#{id}", "{x}", ""),
		},
		Filter: []accesspatterns.FilterCondition{
			where("a", models.TypeS, accesspatterns.Equal, "{x}"), where("b", models.TypeS, accesspatterns.Contains, "{x}"),
			where("c", models.TypeS, accesspatterns.Equal, "{y}"),
		},
	}
	if diff := gocmp.Diff([]string{"GSI2PK", "at", "a"}, read.Compared("x")); diff != "" {
		t.Error(diff)
	}
}
