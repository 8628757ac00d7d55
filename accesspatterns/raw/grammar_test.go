package raw_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
)

func TestAssignments(t *testing.T) {
	t.Parallel()
	name := func(t models.Type, path ...string) raw.Name { return raw.Name{Path: path, Type: t} }
	for text, want := range map[string]raw.Assignment{
		"pk=C#1":             {Name: name("", "pk"), Value: "C#1"},
		"pk=":                {Name: name("", "pk")},
		"pk=a=b":             {Name: name("", "pk"), Value: "a=b"},
		"total:N=5":          {Name: name("N", "total"), Value: "5"},
		"a.b.c= x ":          {Name: name("", "a", "b", "c"), Value: " x "},
		`"a.b"=1`:            {Name: name("", "a.b"), Value: "1"},
		`"a=b \"c\"":BOOL=x`: {Name: name("BOOL", `a=b "c"`), Value: "x"},
		`a."b.c".d=1`:        {Name: name("", "a", "b.c", "d"), Value: "1"},
		`"ns:attr"=1`:        {Name: name("", "ns:attr"), Value: "1"},
		"größe=1":            {Name: name("", "größe"), Value: "1"},
		"list[0]=1":          {Name: name("", "list", "[0]"), Value: "1"},
		"l[10][2].x:N=1":     {Name: name("N", "l", "[10]", "[2]", "x"), Value: "1"},
		`"a b"[0]."c[0]"=1`:  {Name: name("", "a b", "[0]", "c[0]"), Value: "1"},
		`"[0]"=1`:            {Name: name("", "[0]"), Value: "1"},
	} {
		if got, err := raw.ParseAssignment(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, cmp.Diff(want, got))
		}
	}
	for text, want := range map[string]string{
		"pk": "expected NAME=VALUE", "=x": "expected the name", "a..b=1": "expected the name", "total:X=1": `"X" is not a type`, "a:b:N=1": "not a type",
		"a b=1": "double quotes", `"a=1`: "a JSON string", `"a"b=1`: "expected NAME=VALUE", "a\xff=1": "not valid UTF-8", "": "expected the name",
		`""=1`: "expected the name", `a"b=1`: "expected NAME=VALUE", "list[x]=1": "write a list element as [0]", "list[-1]=1": "write a list element as [0]",
		"list[0=1": "write a list element as [0]", "list[00]=1": "write a list element as [0]", "list[0]x=1": "expected NAME=VALUE", `a."[0]"=1`: "set the whole map",
	} {
		_, err := raw.ParseAssignment(text)
		if !errors.Is(err, accesspatterns.ErrParam) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	parse := func(text string) raw.Name {
		n, err := raw.ParseName(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for text, want := range map[string]raw.Comparison{
		"total > 5":                       {parse("total"), accesspatterns.Greater, []string{"5"}},
		"status=paid":                     {parse("status"), accesspatterns.Equal, []string{"paid"}},
		"a.b[0]!=x=y":                     {parse("a.b[0]"), accesspatterns.NotEqual, []string{"x=y"}},
		"total:N<=5":                      {parse("total:N"), accesspatterns.LessOrEqual, []string{"5"}},
		`"a>b">"c"`:                       {parse(`"a>b"`), accesspatterns.Greater, []string{"c"}},
		" total:N  >=   5 ":               {parse("total:N"), accesspatterns.GreaterOrEqual, []string{"5"}},
		"a.b != x y":                      {parse("a.b"), accesspatterns.NotEqual, []string{"x y"}},
		"sk begins-with ORDER#":           {parse("sk"), accesspatterns.BeginsWith, []string{"ORDER#"}},
		"tags contains a":                 {parse("tags"), accesspatterns.Contains, []string{"a"}},
		"note exists":                     {parse("note"), accesspatterns.Exists, nil},
		`"a.b" missing`:                   {parse(`"a.b"`), accesspatterns.NotExists, nil},
		"at between 1 and 2":              {parse("at"), accesspatterns.Between, []string{"1", "2"}},
		`at between "a and b" and " c "`:  {parse("at"), accesspatterns.Between, []string{"a and b", " c "}},
		`note = ""`:                       {parse("note"), accesspatterns.Equal, []string{""}},
		`note = "\"quoted\" \u00e9"`:      {parse("note"), accesspatterns.Equal, []string{`"quoted" é`}},
		"note <= <= x":                    {parse("note"), accesspatterns.LessOrEqual, []string{"<= x"}},
		"note =":                          {parse("note"), accesspatterns.Equal, []string{""}},
		"createdAt < 2026-01-14T10:00:00": {parse("createdAt"), accesspatterns.Less, []string{"2026-01-14T10:00:00"}},
	} {
		if got, err := raw.ParseComparison(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, cmp.Diff(want, got))
		}
	}
	for text, want := range map[string]string{
		"total=>5": "expected a comparison", "total": "expected a comparison", "total like x": "operators are = != <", "note exists x": "exists does not accept a value",
		"at between 1": "between A and B", `at = "a" b`: "a JSON string", `at = "a`: "a JSON string", "at:Q = 1": "not a type", "": "expected the name",
	} {
		_, err := raw.ParseComparison(text)
		if !errors.Is(err, accesspatterns.ErrParam) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// Quoting and parsing any name or value returns the original text.
func TestQuotedTextReadsBack(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	alphabet := []rune("ab.:=\"\\ \t'<>!#é漢😀{}[]0,\u2028and")
	text := func(minimum int) string {
		out := make([]rune, minimum+random.IntN(6))
		for i := range out {
			out[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(out)
	}
	kinds := []models.Type{"", models.TypeS, models.TypeN, models.TypeB, models.TypeBOOL, models.TypeNULL}
	for range 20_000 {
		n := raw.Name{Type: kinds[random.IntN(len(kinds))]}
		for range 1 + random.IntN(3) {
			n.Path = append(n.Path, text(1))
		}
		if got, err := raw.ParseName(n.String()); err != nil || !cmp.Equal(got, n) {
			t.Fatalf("seed %d: %q: %v (-want +got):\n%s", seed, n, err, cmp.Diff(n, got))
		}
		a := raw.Assignment{Name: n, Value: text(0)}
		if got, err := raw.ParseAssignment(a.String()); err != nil || !cmp.Equal(got, a) {
			t.Fatalf("seed %d: %q: %v (-want +got):\n%s", seed, a, err, cmp.Diff(a, got))
		}
		c := raw.Comparison{Name: n, Compare: accesspatterns.NotEqual, Values: []string{text(0)}}
		if random.IntN(2) == 0 {
			c.Compare, c.Values = accesspatterns.Between, append(c.Values, text(0))
		}
		if got, err := raw.ParseComparison(c.String()); err != nil || !cmp.Equal(got, c) {
			t.Fatalf("seed %d: %q: %v (-want +got):\n%s", seed, c, err, cmp.Diff(c, got))
		}
	}
}
