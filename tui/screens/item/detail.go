package item

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (o *overviewTab) detailHeight() int {
	switch {
	case o.h < 10:
		return 0
	case o.h < 22:
		return 4
	default:
		return 7
	}
}

func (o *overviewTab) detail(w, h int) string {
	if h < 2 {
		return ""
	}
	st := o.s.env.Styles
	r := o.selectedRow()
	if r == nil {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	text, role := detailValue(r, w*h)
	var value, about []string
	if text != "" {
		value = present.Indented(widget.Wrap(st, role, text, max(w-4, 1)))
	}
	if r.meaning != "" {
		about = present.Indented(widget.Wrap(st, widget.RoleMuted, models.PrintableCell(r.meaning, 400), max(w-4, 1)))
	}
	for _, fact := range o.attributeFacts(r) {
		about = append(about, present.Indented(widget.Wrap(st, widget.RoleFaint, models.PrintableCell(fact, 400), max(w-4, 1)))...)
	}
	room := max(h-1-len(about), 1)
	lines := append([]string{widget.Rule(st, r.path, o.detailNote(r), w)}, value[:min(len(value), room)]...)
	lines = append(lines, about...)
	return widget.Place(strings.Join(lines[:min(len(lines), h)], "\n"), w, h)
}

func detailValue(r *attributeRow, cells int) (string, widget.Role) {
	if r.value == nil {
		return "", widget.RoleText
	}
	text, ok := models.ValueText(r.value)
	if !ok {
		return models.PrintableCell(present.Summary(r.value), cells), widget.RoleText
	}
	if models.IsMasked(r.value) {
		return models.PrintableCell(text, cells), widget.RoleFaint
	}
	return models.PrintableCell(text, cells), widget.RoleText
}

func (o *overviewTab) detailNote(r *attributeRow) string {
	parts := []string{string(models.ValueType(r.value))}
	if r.value != nil {
		if n := (models.Item{"": r.value}).Size(); n >= 256 {
			parts = append(parts, humanize.Bytes(uint64(n)))
		}
	}
	if e := o.s.facts.entity; e != nil {
		if a := e.Attribute(r.path); a != nil && a.Required {
			parts = append(parts, "required")
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

func (o *overviewTab) attributeFacts(r *attributeRow) []string {
	e := o.s.facts.entity
	if e == nil {
		return nil
	}
	a := e.Attribute(r.path)
	if a == nil {
		return nil
	}
	text, _ := models.ValueText(r.value)
	var facts []string
	if l := e.Lifecycle(r.path); l != nil {
		facts = append(facts, stateMeaning(l, text))
	} else if len(a.Enum) > 0 {
		list := "one of " + strings.Join(models.NamesOf(a.Enum, a.Labeled), ", ")
		if a.OpenEnum {
			list += ", or another"
		}
		facts = append(facts, list)
	}
	if a.Format.IsTime() && !models.IsMasked(r.value) {
		if t, ok := a.Format.ReadTime(text); ok && !a.Format.IsPeriod() {
			facts = append(facts, t.UTC().Format("Monday 2 January 2006, 15:04:05 UTC")+", "+present.Age(t, o.s.env.Now()))
		}
	}
	if words := formatWords(a); words != "" {
		facts = append(facts, words)
	}
	if target := o.s.related.leadsTo(r); target != "" {
		facts = append(facts, "refers to a "+target+"; enter opens it")
	}
	switch a.Sensitive {
	case models.PII:
		facts = append(facts, "personal data: masked until revealed with R and a reason")
	case models.Secret:
		facts = append(facts, "secret: never shown, copied or exported")
	case models.Open:
	}
	return facts
}

func stateMeaning(l *models.Lifecycle, state string) string {
	known := l.State(state)
	switch {
	case known == nil:
		return "not a state of the lifecycle" + models.DidYouMean(state, stateNames(l))
	case known.Description != "":
		return state + ": " + known.Description
	case l.Terminal(state):
		return state + ": final state"
	}
	return ""
}

// formatExamples spell how values of a format are written.
var formatExamples = map[models.Format]string{
	models.ISO8601: "written as 2026-01-14T10:00:00Z", models.ISO8601Millis: "written as 2026-01-14T10:00:00.000Z",
	models.ISO8601Any:   "written as 2026-01-14T10:00:00Z; the document leaves its precision open",
	models.EpochSeconds: "written as seconds since 1970: 1768384800",
	models.EpochMillis:  "written as milliseconds since 1970: 1768384800000",
	models.Date:         "a day in UTC, written as 2026-01-14", models.Day: "a day in UTC, written as 20260114",
	models.ISOLocal: "a time in UTC: 2026-01-14T10:00:00", models.ISOLocalMilli: "a time in UTC: 2026-01-14T10:00:00.000",
	models.Hour: "an hour in UTC: 2026-01-14T10", models.Week: "an ISO 8601 week: 2026-W03",
	models.Month: "a month: 2026-01", models.Year: "a year: 2026",
	models.Compact: "written as 20260114T100000Z", models.UUID: "a UUID", models.UUID7: "a UUID that begins with its time",
	models.ULID: "a ULID, which begins with its time", models.KSUID: "a KSUID, which begins with its time",
	models.SHA256: "a SHA-256 digest in 64 hexadecimal digits", models.E164: "a telephone number with its country code: +26771234567",
	models.Email: "an e-mail address", models.URL: "a URL", models.IP: "an IP address", models.Domain: "a domain name",
	models.MIME: "a media type: image/jpeg", models.Cents: "money in hundredths: 1250 is 12.50", models.Bytes: "a size in bytes",
	models.Seconds: "a length of time in seconds", models.Score: "a score", models.Version: "a version: 1.4.2",
}

func formatWords(a *models.Attribute) string {
	words := formatExamples[a.Format]
	if a.Format.IsLayout() {
		example, _ := a.Format.FormatTime(time.Date(2026, 1, 14, 10, 0, 0, 0, time.UTC))
		words = "a time in UTC, written as " + example
	}
	if a.Prefix != "" {
		words = strings.TrimPrefix(words+", begins with "+a.Prefix, ", ")
	}
	return words
}

// itemFacts is made once for an item and a masker.
type itemFacts struct {
	entity    *models.Entity // nil: no entity matches
	why       string         // then: why not the nearest one
	name, id  string
	filed     string      // the id as it may stand in a file, whatever is revealed
	states    int         // number of the badges that are states: the first ones
	masked    models.Item // every value in the facts comes from here
	keyText   string
	size      int // bytes, as DynamoDB counts them
	keys      []keyFact
	missing   []string
	expiry    string
	expiryBad bool
	relations []present.Relation
	findings  []*accesspatterns.Finding
	defects   []change.Defect // of the item itself, masked
}

func newItemFacts(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) itemFacts {
	f := itemFacts{masked: masker.Item(table, it), name: "Unknown item", size: it.Size()}
	f.keyText = table.KeyText(f.masked)
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		f.why = present.WhyUnknown(env, masker, table, it)
		f.id, f.filed = f.keyText, table.KeyText(present.Unrevealed(env, masker).Item(table, it))
		return f
	}
	e := r.Entity
	f.entity, f.name = e, present.EntityName(e)
	f.id, f.filed = present.ItemTitle(e, masker, r, it).Text, present.ItemID(e, present.Unrevealed(env, masker), r, it).Text
	f.keys = keyFacts(e, masker, it)
	f.missing = e.MissingAttributes(it)
	f.expiry, f.expiryBad = present.Expiry(env, table, it)
	f.relations = present.RelationsOf(env, masker, table, it, f.masked)
	f.findings = present.FindingsOf(env, e)
	f.defects = env.Drift.DefectsShown(masker, table, it)
	for _, l := range e.Lifecycles {
		if _, ok := f.masked.Text(l.Attribute); ok {
			f.states++
		}
	}
	return f
}

func (f *itemFacts) badges() []widget.Cell {
	var list []widget.Cell
	if f.entity == nil {
		return []widget.Cell{{Text: "? matches no entity", Role: widget.RoleWarn}}
	}
	for _, l := range f.entity.Lifecycles {
		if state, ok := f.masked.Text(l.Attribute); ok {
			list = append(list, present.StateBadge(l, state))
		}
	}
	if f.expiry != "" {
		cell := widget.Cell{Text: f.expiry, Role: widget.RoleMuted}
		if f.expiryBad {
			cell = widget.Cell{Text: "✗ " + f.expiry, Role: widget.RoleBad}
		}
		list = append(list, cell)
	}
	if len(f.missing) > 0 {
		list = append(list, widget.Cell{Text: "! incomplete", Role: widget.RoleWarn})
	}
	return list
}

// spineSteps bounds the search; lifecycles are small, hostile ones need not be.
const spineSteps = 20_000

// spineOf is the longest way without a loop from the first state to a good end, by documented transitions if there is
// one.
func spineOf(l *models.Lifecycle) []string {
	start := ""
	for _, s := range l.States {
		if s.Initial || start == "" {
			start = s.Name
		}
		if s.Initial {
			break
		}
	}
	if start == "" {
		return nil
	}
	for _, kind := range []models.StateKind{models.StateGood, ""} {
		for _, documented := range []bool{true, false} {
			p := spineSearch{l: l, kind: kind, documented: documented, seen: map[string]bool{}}
			p.walk(start, nil)
			if len(p.best) > 1 {
				return p.best
			}
		}
	}
	return []string{start}
}

type spineSearch struct {
	l          *models.Lifecycle
	kind       models.StateKind // of the end, "" for any
	documented bool
	seen       map[string]bool
	best       []string
	steps      int
}

func (p *spineSearch) walk(state string, path []string) {
	p.steps++
	if p.steps > spineSteps || p.seen[state] {
		return
	}
	p.seen[state] = true
	path = append(path, state)
	if s := p.l.State(state); s != nil && (p.kind == "" || s.Kind == p.kind) && len(path) > len(p.best) {
		p.best = append([]string(nil), path...)
	}
	for _, m := range p.l.Moves(state) {
		if m.Documented || !p.documented {
			p.walk(m.To, path)
		}
	}
	p.seen[state] = false
}

const (
	stripTitle = 34 // cells of a pattern's title
	stripMore  = 9  // cells that are kept for saying how many more there are
)

// stripEntry is a pattern in the strip, at the columns [from, to).
type stripEntry struct {
	from, to int
	relation present.Relation
}

// relatedStrip is the line above the tabs that names related patterns with their counts.
type relatedStrip struct {
	s       *itemScreen
	drawn   bool // the line is visible
	entries []stripEntry
}

func (sp *relatedStrip) line() string {
	t := widget.NewStrip(sp.s.env.Styles, widget.SurfacePlain, sp.s.w)
	t.Put(widget.RoleText, " ")
	sp.entries = sp.entries[:0]
	order := sp.s.counts.countOrder()
	for i, r := range order {
		title := models.PrintableCell(relationTitle(r), stripTitle)
		rest := len(order) - i
		need := ansi.StringWidth(title) + 1 + countWidth + 2
		if rest > 1 {
			need += stripMore
		}
		if need > t.Room() {
			t.Put(widget.RoleFaint, "+"+strconv.Itoa(rest)+" more")
			break
		}
		from := sp.s.w - t.Room()
		count := sp.s.counts.countText(r)
		role, word := widget.RoleInfo, widget.RoleMuted
		if count == "0" || count == "–" || count == "…" {
			role, word = widget.RoleFaint, widget.RoleFaint
		}
		t.Put(word, title+" ")
		t.Cell(role, count, countWidth, widget.AlignRight)
		t.Put(widget.RoleFaint, " ›")
		sp.entries = append(sp.entries, stripEntry{from, sp.s.w - t.Room(), r})
		t.Put(widget.RoleText, "  ")
	}
	return t.String()
}

func (sp *relatedStrip) click(x, _ int) tea.Cmd {
	for _, e := range sp.entries {
		if x >= e.from && x < e.to {
			return runRelation(e.relation)
		}
	}
	return nil
}
