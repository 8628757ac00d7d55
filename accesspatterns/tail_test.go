package accesspatterns_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// optional is a parameter that may be left out.
func optional(name string) *accesspatterns.Param {
	return &accesspatterns.Param{Name: name, Type: accesspatterns.String}
}

func allAsked(r *accesspatterns.Request) []string {
	list := make([]string, len(r.Legs))
	for i, l := range r.Legs {
		list[i] = asked(l)
	}
	return list
}

func TestOptionalTailOfAKey(t *testing.T) {
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
			"range within the tail that is not given",
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
				if diff := gocmp.Diff(want, allAsked(r)); diff != "" {
					t.Errorf("descending %v (-want +got):\n%s", descending, diff)
				}
				if len(r.Legs) > 1 && !r.Sequential {
					t.Error("the rows of the two legs are merged, although one follows the other")
				}
			}
		})
	}
}

func TestOptionalTailRejectsAPartOfItWhereAWholeKeyIsNeeded(t *testing.T) {
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
			t.Errorf("%s: %v, want an error about z", name, err)
		}
	}
}

func TestOptionalTailOfAGetAndAFilter(t *testing.T) {
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
		} else if got := strings.Join(allAsked(r), "; "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestBindRejectsParametersThatNothingUses(t *testing.T) {
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
		args, want string // the error about the rejected parameter, "" for none
	}{
		{variant, "card=1", ""},
		{variant, "n=2", ""},
		{variant, "card=1 n=2", "parameter n: has no effect with the other parameters; leave it out"},
		{gap, "status=open createdAt=2026", ""},
		{gap, "createdAt=2026", "parameter createdAt: follows {status} in the key, which has no value; give status too"},
		{dayPattern(false, 9), "from=2026-01-12 to=2026-01-14", ""},
	} {
		_, err := tt.p.Bind(arguments(tt.args), noon)
		var fault *accesspatterns.ParamError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.args, err)
		case tt.want != "" && (!errors.As(err, &fault) || fault.Error() != tt.want):
			t.Errorf("%s: %v, want %s", tt.args, err, tt.want)
		}
	}
}
