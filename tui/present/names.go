package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/local"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// EntryTitle describes an audit entry and its time, because its ID means nothing to the user. It returns "" for an
// entry without an action or a time.
func EntryTitle(p *profiles.Profile, e timeline.Entry, now time.Time) string {
	if e.What == "" || e.When.IsZero() {
		return ""
	}
	subject := e.Trail.SubjectOf(e.Item).Entity
	return Join(e.Sentence(subject, p.ActionsOf(subject)), At(e.When, now), ", ")
}

// UnrevealedMasker returns a masker that masks personal data even while the user reveals it. Use it for data that
// outlives the console, such as names of files and bookmarks.
func UnrevealedMasker(env *screen.Env, masker *models.Masker) *models.Masker {
	if masker.Hides(models.PII) {
		return masker
	}
	return env.Session.FullMasker()
}

// EntityName returns the title of an entity, or its name if it has no title, or "" for nil.
func EntityName(e *models.Entity) string {
	if e == nil {
		return ""
	}
	return cmp.Or(e.Title, e.Name)
}

// ItemID returns the item's ID: the value of the placeholder e.IDName, even if only the key contains it. It returns an
// empty Display if the entity has no ID.
func ItemID(e *models.Entity, masker *models.Masker, r models.Recognition, it models.Item) models.Display {
	idName := e.IDName()
	if idName == "" {
		return models.Display{}
	}
	value := r.Values[idName]
	if text, ok := it.Text(idName); ok {
		value = text
	}
	a := e.Attribute(idName)
	if a == nil {
		return models.Display{Text: value}
	}
	id := masker.Display(value, a.Sensitive, a.Format)
	if !id.Masked {
		id.Text = a.Format.ReadableText(id.Text)
	}
	return id
}

// ItemTitle returns an item's name: from the entity's title template if the item contains all parts, otherwise the ID.
// Without a schema, only the whole key identifies an item. Masked is true if the masker hides any part of it, even if
// other parts are visible.
func ItemTitle(e *models.Entity, masker *models.Masker, r models.Recognition, it models.Item) models.Display {
	if e.ByName != nil && it != nil {
		shown := masker.Item(e.Table, it)
		return models.Display{Text: e.Table.KeyText(shown), Masked: slices.ContainsFunc(e.Table.PrimaryKeys(), func(k models.Key) bool {
			return models.IsMasked(shown[k.Name])
		})}
	}
	text, err := e.ItemTitle.Format(it.Text)
	if e.ItemTitle.IsZero() || err != nil {
		return ItemID(e, masker, r, it)
	}
	if !masker.Hides(e.TemplateSensitivity(e.ItemTitle)) {
		return models.Display{Text: text}
	}
	out := models.Display{Masked: true}
	for _, s := range e.ItemTitle.Segments() {
		part := models.Display{Text: s.Literal}
		if s.Name != "" {
			value, _ := it.Text(s.Name)
			a := e.Attribute(s.Name)
			part = masker.Display(value, a.Sensitive, a.Format)
		}
		out.Text += part.Text
		out.Secret = out.Secret || part.Secret
	}
	return out
}

// UnknownReason returns the reason why no entity matches an item: the mismatch with the entity that fits most of its key.
// It quotes a key only if the masker hides nothing in it.
func UnknownReason(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) string {
	var nearest *models.Entity
	var reason error
	longest := -1
	for _, e := range env.Session.Profile().EntitiesOf(table) {
		err := e.Explain(it)
		if m, ok := errors.AsType[*models.Mismatch](err); ok && m.Pos > longest {
			nearest, reason, longest = e, err, m.Pos
		}
	}
	if nearest == nil {
		return "the schema describes no items of this table"
	}
	for _, k := range table.PrimaryKeys() {
		t, ok := nearest.KeyTemplate(k.Name)
		if ok && masker.Hides(nearest.TemplateSensitivity(t)) {
			return "the key matches no entity of the schema; the nearest is " + EntityName(nearest)
		}
	}
	return "nearest: " + EntityName(nearest) + ", but " + reason.Error()
}

// FindingsOf returns the issues of an entity and of the patterns that return it, without duplicates and most severe
// first. The caller may change the slice.
func FindingsOf(env *screen.Env, e *models.Entity) []*accesspatterns.Finding {
	p := env.Session.Profile()
	list := slices.Clone(p.FindingsOf(e))
	for _, q := range p.Patterns {
		if slices.Contains(q.Returns, e) {
			for _, f := range q.Findings {
				list = models.AppendOnce(list, f)
			}
		}
	}
	kinds := accesspatterns.FindingKinds()
	slices.SortStableFunc(list, func(a, b *accesspatterns.Finding) int {
		return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
	})
	return list
}

// Heading returns a title followed by a rule, w cells wide.
func Heading(s *widget.Styles, text string, w int) string {
	rule := max(w-len([]rune(text))-1, 0)
	return s.Paint(widget.RoleStrong, text) + " " + s.Paint(widget.RoleBorder, strings.Repeat("─", rule))
}

// StateText returns a state in a text: its title for role support, otherwise its name.
func StateText(env *screen.Env, l *models.Lifecycle, state string) string {
	if env.Plain() {
		return l.Title(state)
	}
	return state
}

// LifecycleEnds returns the parts of a line with a lifecycle's first and final states: ◐ created → … → ✓ approved | ✗
// rejected.
func LifecycleEnds(env *screen.Env, l *models.Lifecycle) []string {
	s := env.Styles
	var first, last []string
	hasMiddle := false
	for _, st := range l.States {
		badge := s.Badge(widget.KindOf(string(st.Kind)), StateText(env, l, st.Name))
		switch {
		case st.Initial:
			first = append(first, badge)
		case l.Terminal(st.Name):
			last = append(last, badge)
		default:
			hasMiddle = true
		}
	}
	arrow := s.Paint(widget.RoleFaint, " → ")
	parts := []string{strings.Join(first, s.Paint(widget.RoleFaint, " | "))}
	if hasMiddle {
		parts = append(parts, arrow, s.Paint(widget.RoleFaint, "…"))
	}
	if len(last) > 0 {
		parts = append(parts, arrow, strings.Join(last, s.Paint(widget.RoleFaint, " | ")))
	}
	return parts
}

// VisitTitle returns the entity and the title of a visited item in the form of the item's screen. It derives both from
// the key alone, so the title contains at most the ID.
func VisitTitle(env *screen.Env, v local.Visit) (kind, title string) {
	masker := env.Session.Masker()
	if v.Entity == nil {
		return "unknown", "Unknown item " + models.PrintableCell(v.Table.KeyText(masker.Item(v.Table, v.Key)), 60)
	}
	kind = EntityName(v.Entity)
	r := models.Recognition{Entity: v.Entity, Values: keyValues(v.Entity, v.Key)}
	id := ItemTitle(v.Entity, masker, r, v.Key).Text
	if id == "" {
		return kind, kind
	}
	return kind, kind + " " + models.PrintableCell(id, 60)
}

// KeyTitle is VisitTitle for the key of an item of e as the journal contains it.
func KeyTitle(env *screen.Env, e *models.Entity, text string) string {
	partition, sortKey, _ := strings.Cut(text, " / ")
	key := models.Item{e.Table.PartitionKey.Name: models.StringValue(partition), e.Table.SortKey.Name: models.StringValue(sortKey)}
	_, title := VisitTitle(env, local.Visit{Table: e.Table, Key: key, Entity: e})
	return title
}

func keyValues(e *models.Entity, key models.Item) map[string]string {
	values := map[string]string{}
	for _, k := range e.Table.PrimaryKeys() {
		t, ok := e.KeyTemplate(k.Name)
		text, exists := key.Text(k.Name)
		if !ok || !exists {
			continue
		}
		m, err := t.Parse(text)
		if err != nil {
			continue // The schema changed in the meantime; the item's screen reports it.
		}
		maps.Copy(values, m.Values)
	}
	return values
}

// QueryTitle returns a pattern's title with its masked parameters.
func QueryTitle(env *screen.Env, p *accesspatterns.Pattern, args map[string]string) string {
	if p.CustomQuery != nil {
		return Join(p.Title, p.Table.Name, " of ")
	}
	return Join(p.Title, MaskedArgs(env, env.Session.Masker(), accesspatterns.Related{Pattern: p, Args: args}, nil), "  ")
}

// A Recent is an opened item or an executed query in one schema.
type Recent struct {
	ID    string // contains stored values, so it must not be shown
	Kind  string // kind of the item, or "get", "query" or "scan"
	Title string
	Words string // additional search words
	To    screen.Target
	At    time.Time
}

// Recents returns the opened items and the executed queries, masked and newest first.
func Recents(env *screen.Env) []*Recent {
	var list []*Recent
	for _, v := range env.History.Visits() {
		kind, title := VisitTitle(env, v)
		if id, ok := strings.CutPrefix(title, kind+" "); ok {
			title = id
		}
		id := v.Table.ID + " " + string(v.Key.AppendDynamoDBJSON(nil))
		list = append(list, &Recent{id, kind, title, "item", screen.Item{Table: v.Table, Item: v.Key}, v.At})
	}
	for _, q := range env.History.Queries() {
		to := screen.Patterns{Pattern: q.Pattern, Args: q.Args, Run: true}
		kind := env.OperationWord(q.Pattern.Read.Operation)
		id := fmt.Sprint(q.Pattern.ID, q.Args)
		list = append(list, &Recent{id, kind, QueryTitle(env, q.Pattern, q.Args), q.Pattern.ID, to, q.At})
	}
	slices.SortStableFunc(list, func(a, b *Recent) int { return b.At.Compare(a.At) })
	return list
}

// maxNamePart is the maximum length of each part of a file name.
const maxNamePart = 70

// FileName joins parts that describe the content to a file name. It keeps only ASCII letters, digits, "_", "." and "-",
// and at most 70 characters of each part. Mask the parts first, because a file name outlives the session.
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
			word = strings.TrimRight(word[:maxNamePart], "-.") // The word is ASCII, so any byte is a valid cut.
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

// PrettyJSON indents JSON. It returns any other text unchanged.
func PrettyJSON(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// IsWord reports whether a character is a letter or a digit.
func IsWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// LowerFirst returns a label with a lowercase first letter, unless it starts with an abbreviation.
func LowerFirst(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(first)) + s[n:]
}
