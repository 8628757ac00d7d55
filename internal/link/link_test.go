package link_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func viewer(p *profiles.Profile) *session.Viewer {
	return session.New(session.Options{Profile: p, Role: session.Developer}).Viewer
}

// Every sample item has a link that opens exactly this item, unless its key contains personal data.
func TestLinkOpensItsItem(t *testing.T) {
	refused := 0
	for _, name := range profiles.Names() {
		s := viewer(schemas.Open(t, name))
		for _, sample := range fixture.Samples(t, s.Profile()) {
			l, err := link.ForItem(s, sample.Table, sample.Item, "history")
			if s.HidesKey(sample.Table, sample.Item) {
				if refused++; !errors.Is(err, session.ErrRefused) || !strings.Contains(err.Error(), "personal data") {
					t.Errorf("%s: got %v, want a refusal", sample.Table.KeyText(sample.Item), err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			read, err := link.Parse(l.String())
			if err != nil {
				t.Fatal(err)
			}
			at, err := read.Resolve(s.Profile())
			want, _ := sample.Table.PrimaryKey(sample.Item)
			if err != nil || at.Entity.Table != sample.Table || !models.EqualItems(at.Key, want) || at.Section != "history" {
				t.Errorf("%s opens %v: %v", l, at.Key, err)
			}
		}
	}
	if refused == 0 {
		t.Error("no sample key contains personal data")
	}
}

func TestItemLinkRoundTrips(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for _, sample := range fixture.Samples(t, p) {
		if sample.Entity.Name != "Verification" {
			continue
		}
		id, _ := sample.Item.Text("verificationId")
		l, err := link.ForItem(viewer(p), sample.Table, sample.Item, "history")
		if want := "ddbdesk open 'authbridge/Verification?verificationId=" + id + "#history'"; err != nil || l.Command() != want {
			t.Errorf("got %s, want %s: %v", l.Command(), want, err)
		}
		return
	}
}

func TestLinkToQueryKeepsRelativeTimes(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	l, err := link.ForQuery(viewer(p), p.Pattern("list-verifications-by-date"), map[string]string{"date": "-7d"})
	if err != nil || l.String() != "authbridge/list-verifications-by-date?date=-7d" {
		t.Errorf("got link %s: %v", l, err)
	}
	at, err := l.Resolve(p)
	if err != nil || at.Pattern.ID != "list-verifications-by-date" || at.Args["date"] != "-7d" {
		t.Errorf("the link opens %v: %v", at, err)
	}
}

func TestLinkToQueryRefusesPersonalData(t *testing.T) {
	for _, name := range profiles.Names() {
		s := viewer(schemas.Open(t, name))
		for _, p := range s.Profile().Patterns {
			for _, q := range p.Params {
				if s.Sensitivity(q) == models.NotSensitive {
					continue
				}
				if _, err := link.ForQuery(s, p, map[string]string{q.Name: "x"}); !errors.Is(err, session.ErrRefused) {
					t.Errorf("%s %s: got %v, want a refusal", p.FullID(), q.Name, err)
				}
			}
		}
	}
}

func TestInvalidLinksNameProblem(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for text, want := range map[string]string{
		"authbridge":    "is not a ddbdesk link",
		"/Verification": "is not a ddbdesk link",
		"authbridge/Verificaton?verificationId=ver_1":     "Verification",
		"authbridge/Verification":                         "missing parameter verificationId; add verificationId=VALUE",
		"authbridge/Verification?id=ver_1":                "verificationId",
		"authbridge/Verification?verificationId":          "expected name=value",
		"authbridge/Verification?a=%zz":                   "expected name=value",
		"authbridge/Verification?a=1&a=2":                 "sets a twice",
		"authbridge/Verification?verificationId=v#nowher": "unknown section",
		"authbridge/get-verification?x=1":                 "no parameter",
		"authbridge/get-verification#raw":                 "only links to items have a section",
	} {
		l, err := link.Parse(text)
		if err == nil {
			_, err = l.Resolve(p)
		}
		if !errors.Is(err, session.ErrInput) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// A link can contain any value, and a shell reads it as one argument.
func TestLinksEscapeAnyValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := link.Link{Schema: "a/b.yaml", Name: "Entity", Values: map[string]string{}, Section: rapid.SampledFrom(link.Sections()).Draw(t, "section")}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringN(1, 9, -1), 0, 4, rapid.ID).Draw(t, "names") {
			l.Values[name] = rapid.String().Draw(t, "text")
		}
		read, err := link.Parse(l.String())
		if err != nil || read.Schema != l.Schema || read.Section != l.Section || !maps.Equal(read.Values, l.Values) {
			t.Fatalf("%s was read back as %v: %v", l, read, err)
		}
		if n := strings.Count(l.Command(), "'"); n != 2 {
			t.Fatalf("got %d quotes in %s, want 2", n, l.Command())
		}
	})
}
