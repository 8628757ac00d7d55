package present

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Unrevealed is the masker for what outlives the console: the names of files and
// bookmarks.
func Unrevealed(env *screen.Env, masker *models.Masker) *models.Masker {
	if masker.Hides(models.PII) {
		return masker
	}
	return models.NewMasker(env.Session.Profile().Entities, false)
}

// EntityName is what people call items of an entity.
func EntityName(e *models.Entity) string {
	if e.Title != "" {
		return e.Title
	}
	return e.Name
}

// ItemID is what people call the item by: the placeholder of its keys that is
// named after the entity, else the last one of the sort key, else the first of
// the partition key.
func ItemID(e *models.Entity, masker *models.Masker, r models.Recognition, it models.Item) models.Display {
	pk, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
	sk, _ := e.KeyTemplate(e.Table.SortKey.Name)
	names := append(pk.Placeholders(), sk.Placeholders()...)
	best := ""
	if len(names) > 0 {
		best = names[0]
	}
	if n := sk.Placeholders(); len(n) > 0 {
		best = n[len(n)-1]
	}
	for _, n := range names {
		if strings.EqualFold(n, e.Name+"Id") || strings.EqualFold(n, "id") {
			best = n
		}
	}
	if best == "" {
		return models.Display{}
	}
	value := r.Values[best]
	if text, ok := it.Text(best); ok {
		value = text
	}
	if a := e.Attribute(best); a != nil {
		return masker.Display(value, a.Sensitive, a.Format)
	}
	return models.Display{Text: value}
}

// WhyUnknown explains by the entity that comes nearest why the item is none of
// those that the schema describes.
func WhyUnknown(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) string {
	var nearest *models.Entity
	var reason error
	at := -1
	for _, e := range env.Session.Profile().EntitiesOf(table) {
		err := e.Explain(it)
		var m *models.Mismatch
		if errors.As(err, &m) && m.Pos > at {
			nearest, reason, at = e, err, m.Pos
		}
	}
	if nearest == nil {
		return "the schema describes no item of this table"
	}
	for _, k := range []models.Key{table.PartitionKey, table.SortKey} {
		t, ok := nearest.KeyTemplate(k.Name)
		if ok && masker.Hides(nearest.TemplateSensitivity(t)) {
			return "no entity of the schema has such a key; the nearest is " + EntityName(nearest)
		}
	}
	return "nearest: " + EntityName(nearest) + ", but " + reason.Error()
}

// Expiry says when the item's time to live ends. DynamoDB deletes within days
// of that moment, so an expired item may still be read.
func Expiry(env *screen.Env, table *models.Table, it models.Item) (text string, past bool) {
	if table.TTL == "" {
		return "", false
	}
	digits, ok := it.Text(table.TTL)
	if !ok || models.ValueType(it[table.TTL]) != models.TypeN {
		return "", false
	}
	t, ok := models.EpochSeconds.ReadTime(digits)
	if !ok {
		return "", false
	}
	if !t.After(env.Now()) {
		return "expired, waiting for deletion", true
	}
	return "expires " + Age(t, env.Now()), false
}

// FindingsOf lists what the document gets wrong about the entity and the
// patterns that return it, the gravest first.
func FindingsOf(env *screen.Env, e *models.Entity) []*accesspatterns.Finding {
	p := env.Session.Profile()
	list := append([]*accesspatterns.Finding(nil), p.FindingsOf(e)...)
	seen := map[*accesspatterns.Finding]bool{}
	for _, f := range list {
		seen[f] = true
	}
	for _, q := range p.Patterns {
		for _, r := range q.Returns {
			if r != e {
				continue
			}
			for _, f := range q.Findings {
				if !seen[f] {
					seen[f] = true
					list = append(list, f)
				}
			}
		}
	}
	gravity := accesspatterns.FindingKinds()
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int {
		return slices.Index(gravity, a.Kind) - slices.Index(gravity, b.Kind)
	})
	return list
}

// Heading is a title with a rule behind it, in w cells.
func Heading(s *widget.Styles, text string, w int) string {
	rule := max(w-len([]rune(text))-1, 0)
	return s.Paint(widget.RoleStrong, text) + " " + s.Paint(widget.RoleBorder, strings.Repeat("─", rule))
}

// Template paints a key template: what is fixed dim, what varies bright.
func Template(s *widget.Styles, t models.Template) string {
	var b strings.Builder
	for _, seg := range t.Segments() {
		if seg.Name == "" {
			b.WriteString(s.Paint(widget.RoleText, seg.Literal))
			continue
		}
		format := ""
		if seg.Format != models.NoFormat {
			format = ":" + string(seg.Format)
		}
		b.WriteString(s.Paint(widget.RoleInfo, "{"+seg.Name+format+"}"))
	}
	return b.String()
}

// FindingRole is the color of a kind of schema issue.
func FindingRole(k accesspatterns.FindingKind) widget.Role {
	switch k {
	case accesspatterns.Impossible, accesspatterns.Wrong, accesspatterns.Security:
		return widget.RoleBad
	case accesspatterns.Integrity, accesspatterns.Cost:
		return widget.RoleWarn
	default:
		return widget.RoleInfo
	}
}

// LifecycleEnds is a lifecycle in one line: where it starts and how it can
// end. ◐ created → … → ✓ approved | ✗ rejected.
func LifecycleEnds(s *widget.Styles, l *models.Lifecycle) []string {
	var first, last []string
	between := false
	for _, st := range l.States {
		badge := s.Badge(widget.KindOf(string(st.Kind)), st.Name)
		switch {
		case st.Initial:
			first = append(first, badge)
		case l.Terminal(st.Name):
			last = append(last, badge)
		default:
			between = true
		}
	}
	arrow := s.Paint(widget.RoleFaint, " → ")
	parts := []string{strings.Join(first, s.Paint(widget.RoleFaint, " | "))}
	if between {
		parts = append(parts, arrow, s.Paint(widget.RoleFaint, "…"))
	}
	if len(last) > 0 {
		parts = append(parts, arrow, strings.Join(last, s.Paint(widget.RoleFaint, " | ")))
	}
	return parts
}

// VisitTitle calls an item what its screen calls it, by its key alone.
func VisitTitle(env *screen.Env, v history.Visit) (kind, title string) {
	masker := env.Session.Masker()
	if v.Entity == nil {
		return "unknown", "Unknown item " + models.PrintableCell(v.Table.KeyText(masker.Item(v.Table, v.Key)), 60)
	}
	kind = EntityName(v.Entity)
	r := models.Recognition{Entity: v.Entity, Values: keyValues(v.Entity, v.Key)}
	id := ItemID(v.Entity, masker, r, v.Key).Text
	if id == "" {
		return kind, kind
	}
	return kind, kind + " " + models.PrintableCell(id, 60)
}

// keyValues are the placeholders that the primary key of an item of e holds.
func keyValues(e *models.Entity, key models.Item) map[string]string {
	values := map[string]string{}
	for _, k := range []models.Key{e.Table.PartitionKey, e.Table.SortKey} {
		t, ok := e.KeyTemplate(k.Name)
		text, has := key.Text(k.Name)
		if !ok || !has {
			continue
		}
		m, err := t.Parse(text)
		if err != nil {
			continue // The profile has changed since: the item's screen will say so.
		}
		for name, v := range m.Values {
			values[name] = v
		}
	}
	return values
}

// QueryTitle returns the title of a pattern and its parameters, masked.
func QueryTitle(env *screen.Env, p *accesspatterns.Pattern, args map[string]string) string {
	return Join(p.Title, ShownArgs(env.Session.Masker(), accesspatterns.Related{Pattern: p, Args: args}, nil), "  ")
}

// maxNamePart is how many characters of a part a file's name has.
const maxNamePart = 70

// FileName makes the name of a file of what it holds.
func FileName(ending string, parts ...string) string {
	var words []string
	for _, p := range parts {
		word := strings.Trim(strings.Map(func(r rune) rune {
			switch {
			case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_' || r == '.':
				return r
			case unicode.IsLetter(r):
				return -1
			}
			return '-'
		}, p), "-.")
		for strings.Contains(word, "--") {
			word = strings.ReplaceAll(word, "--", "-")
		}
		if len(word) > maxNamePart {
			word = strings.TrimRight(word[:maxNamePart], "-.") // It is ASCII.
		}
		if word != "" {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = []string{"ddbdesk"}
	}
	return strings.Join(words, "-") + "." + ending
}

// PrettyJSON is JSON with a member a line.
func PrettyJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// IsWord reports whether a character is a letter or a digit.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
