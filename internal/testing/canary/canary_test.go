package canary_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/models"
)

var at = time.Date(2026, 1, 20, 12, 0, 0, 0, time.UTC)

func plant(t *testing.T, name string) *canary.MarkedData {
	t.Helper()
	p, err := canary.Open(name, false)
	if err != nil {
		t.Fatal(err)
	}
	g, err := canary.Plant(p, 2, at)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Every sensitive attribute gets a marker, and every item is still recognized as its entity.
func TestPlantMarksEverySensitiveAttribute(t *testing.T) {
	for _, name := range canary.Names() {
		g := plant(t, name)
		planted := map[string]bool{}
		for _, m := range g.Watch.Markers() {
			planted[m.Where] = true
		}
		var walk func(e *models.Entity, list []*models.Attribute)
		walk = func(e *models.Entity, list []*models.Attribute) {
			for _, a := range list {
				if a.Sensitive != models.NotSensitive && a.Type != models.TypeBOOL && !planted[e.Name+"."+a.Path] {
					t.Errorf("%s: %s.%s has no canary", name, e.Name, a.Path)
				}
				walk(e, a.Attributes)
			}
		}
		for _, e := range g.Profile.Entities {
			walk(e, e.Attributes)
			if len(g.ItemsOf(e)) == 0 {
				t.Errorf("%s: no item of %s", name, e.Name)
			}
			for _, it := range g.ItemsOf(e) {
				if r, ok := models.Recognize(g.Profile.Entities, e.Table, it); !ok || r.Entity != e {
					t.Errorf("%s: %s was recognized as %v", name, e.Name, r.Entity)
				}
			}
		}
	}
}

// The masker hides every marker, and secrets even after a reveal. With an unmasked schema, it hides
// none.
func TestMaskerHidesEveryMarker(t *testing.T) {
	for _, name := range canary.Names() {
		g := plant(t, name)
		unmasked, err := canary.Open(name, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range g.Items {
			shown := func(m *models.Masker, table *models.Table) []canary.Sighting {
				return g.Watch.Find(string(m.Item(table, p.Item).AppendDynamoDBJSON(nil)))
			}
			for _, s := range shown(models.NewMasker(g.Profile.Entities, false), p.Table) {
				t.Errorf("%s shows %s", name, s)
			}
			for _, s := range shown(models.NewMasker(g.Profile.Entities, true), p.Table) {
				if s.Marker.Secret {
					t.Errorf("%s shows %s after the reveal", name, s)
				}
			}
			raw, seen := g.Watch.Find(string(p.Item.AppendDynamoDBJSON(nil))), shown(models.NewMasker(unmasked.Entities, false).WithUndeclared(),
				unmasked.Table(p.Table.ID))
			if p.Entity != nil && len(seen) < len(raw) {
				t.Errorf("%s: unmasked, only %d of %d markers of %s are visible", name, len(seen), len(raw), p.Entity.Name)
			}
		}
	}
}

func TestFindRecognizesEveryEncoding(t *testing.T) {
	g := plant(t, canary.Awkward)
	for _, m := range g.Watch.Markers() {
		quoted, err := json.Marshal(m.Value)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(m.Value))
		for how, text := range map[string]string{
			"plain": m.Value, "upper": strings.ToUpper(m.Value), "quoted": string(quoted), "URL": url.QueryEscape(m.Value),
			"hex": hex.EncodeToString([]byte(m.Value)), "cut": m.Value[:len(m.Value)-5], "wrapped": m.Value[:7] + " │\n│ " + m.Value[7:],
			"base64":                     base64.StdEncoding.EncodeToString([]byte(m.Value)),
			"base64 of JSON":             base64.URLEncoding.EncodeToString([]byte(`{"k":"` + m.Value)),
			"base64 shifted by one byte": base64.StdEncoding.EncodeToString([]byte("x" + m.Value)), "hash": "sha256:" + hex.EncodeToString(sum[:])[:16],
			"hash in base64": base64.StdEncoding.EncodeToString(sum[:]),
		} {
			found := g.Watch.Find("before " + text + " after")
			if len(found) == 0 || found[0].Marker.Secret != m.Secret {
				t.Errorf("%s of %s, %s: got %v", how, m.Where, text, found)
			}
		}
	}
	encrypted := strings.Repeat("aB3/", 40) + "XkqzSv" + strings.Repeat("aB3/", 40) // has a marker's start by chance
	for _, harmless := range []string{"", encrypted, "k•••@•••.bw", "2026-01-20T12:00:00Z 739 rows", strings.Repeat("quiz vex ", 1000)} {
		if found := g.Watch.Find(harmless); len(found) > 0 {
			t.Errorf("%q: got %v, want no marker", harmless, found)
		}
	}
}

// An unmasked schema is valid and has no sensitive attributes.
func TestUnmaskedSchemaHasNoSensitiveAttributes(t *testing.T) {
	for _, name := range canary.Names() {
		p, err := canary.Open(name, true)
		if err != nil {
			t.Fatal(err)
		}
		g, err := canary.Plant(p, 1, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range g.Watch.Markers() {
			if !strings.HasPrefix(m.Where, "(no kind).(undeclared)") {
				t.Errorf("%s: %s is sensitive", name, m.Where)
			}
		}
	}
}
