package item

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// attributeRow is a line of the overview.
type attributeRow struct {
	path    string // dotted from the root; also what it is folded by
	top     string // the top-level attribute that it belongs to
	section string
	depth   int
	label   string
	value   types.AttributeValue // nil: missing
	fold    bool                 // has children
	count   int                  // of a chunk of a list: its elements, from at on
	at      int
	meaning string
}

// itemRows are the rows as the widget asks for them: when they are seen.
type itemRows struct {
	s    *itemScreen
	show present.Presenter
	room int // cells for value and note
}

// Len is how many rows there are.
func (f itemRows) Len() int { return len(f.s.overview.attributes.rows) }

// Section is the heading of a row.
func (f itemRows) Section(i int) string { return f.s.overview.attributes.rows[i].section }

// Row is a row as it is shown.
func (f itemRows) Row(i int) widget.FieldRow {
	return f.s.overview.attributes.field(f.show, &f.s.overview.attributes.rows[i], f.room)
}

// rowMaker collects rows in the order of the schema.
type rowMaker struct {
	s    *itemScreen
	rows []attributeRow
	done map[string]bool
	all  bool // as if everything were unfolded
}

func (al *attributeList) fillRows() {
	al.rows = al.makeRows(false)
	al.fillFields()
}

func (al *attributeList) makeRows(all bool) []attributeRow {
	m := rowMaker{s: al.t.s, done: map[string]bool{}, all: all}
	e := al.t.s.facts.entity
	if e == nil {
		m.section(present.SectionUnknown, al.t.s.facts.masked.Names())
	} else {
		m.documented(e)
	}
	m.gone()
	return m.rows
}

func (al *attributeList) fillFields() {
	labels := 0
	for _, r := range al.rows[:min(len(al.rows), 200)] {
		labels = max(labels, min(ansi.StringWidth(models.PrintableCell(r.label, 28))+2+2*min(r.depth, present.DeepestIndent), 28))
	}
	room := al.rowsFor - min(labels, max(al.rowsFor/3, 8)) - 5
	al.t.fields.SetSource(itemRows{al.t.s, present.Presenter{Now: al.t.s.env.Now()}, room})
}

func (m *rowMaker) documented(e *models.Entity) {
	for _, name := range e.KeyNames() {
		if a := e.Attribute(name); a == nil {
			m.done[name] = true // A made-up key: the tab with the keys explains it.
		}
	}
	for _, g := range present.GroupsOf(e) {
		m.section(g.Title, g.Attributes)
	}
	var strays []string
	for _, n := range m.s.facts.masked.Names() {
		if !m.done[n] {
			strays = append(strays, n)
		}
	}
	m.section(present.SectionUndocumented, strays)
	for _, n := range m.s.facts.missing {
		m.rows = append(m.rows, attributeRow{path: n, top: n, label: n, section: present.SectionMissing, meaning: present.MeaningOf(e, n)})
	}
}

func (m *rowMaker) gone() {
	row := models.Item{}
	for n, how := range m.s.read.changed {
		if v, had := m.s.row[n]; had && how == "gone" {
			row[n] = v
		}
	}
	if len(row) == 0 {
		return
	}
	// What is gone may have told what the item was: mask the row as a whole.
	masked := m.s.masker.Item(m.s.table, m.s.row)
	for _, n := range row.Names() {
		m.add(attributeRow{path: n, top: n, section: present.SectionGone, label: n, value: masked[n]})
	}
}

func (m *rowMaker) section(title string, paths []string) {
	for _, path := range paths {
		v, ok := m.s.facts.masked.At(path)
		if m.done[path] || !ok {
			continue
		}
		m.done[path] = true
		top, _, _ := strings.Cut(path, ".")
		if _, whole := m.s.facts.masked[path]; whole {
			top = path
		}
		m.add(attributeRow{path: path, top: top, section: title, label: path, value: v})
	}
}

func (m *rowMaker) add(r attributeRow) {
	r.fold = isFoldable(r.value)
	if r.meaning == "" {
		r.meaning = present.MeaningOf(m.s.facts.entity, r.path)
	}
	m.rows = append(m.rows, r)
	if r.fold && (m.all || m.s.overview.attributes.open[r.path]) {
		m.children(r)
	}
}

func (m *rowMaker) children(r attributeRow) {
	doc, ok := r.value.(*types.AttributeValueMemberM)
	if !ok {
		n, element := present.Elements(r.value)
		m.list(r, n, element)
		return
	}
	for _, name := range models.Item(doc.Value).Names() {
		m.add(attributeRow{
			path: r.path + "." + name, top: r.top, section: r.section, depth: r.depth + 1, label: name, value: doc.Value[name],
		})
	}
}

func (m *rowMaker) list(r attributeRow, n int, element func(int) types.AttributeValue) {
	if n > present.ListChunk && r.count == 0 {
		for at := 0; at < n; at += present.ListChunk {
			size := min(present.ListChunk, n-at)
			c := r
			c.path, c.depth, c.at, c.count = r.path+"["+strconv.Itoa(at)+"…]", r.depth+1, at, size
			c.label = strconv.Itoa(at) + "…" + strconv.Itoa(at+size-1)
			m.add(c)
		}
		return
	}
	from, to, base := 0, n, r.path
	if r.count > 0 { // A chunk: its path is that of the list with a range.
		from, to, base = r.at, r.at+r.count, r.path[:strings.LastIndexByte(r.path, '[')]
	}
	for i := from; i < to; i++ {
		m.add(attributeRow{
			path: base + "[" + strconv.Itoa(i) + "]", top: r.top, section: r.section,
			depth: r.depth + 1, label: strconv.Itoa(i), value: element(i),
		})
	}
}

func isFoldable(v types.AttributeValue) bool {
	if doc, ok := v.(*types.AttributeValueMemberM); ok {
		return len(doc.Value) > 0
	}
	_, list := v.(*types.AttributeValueMemberL)
	n, _ := present.Elements(v)
	return n > 1 || list && n == 1
}

func (al *attributeList) field(p present.Presenter, r *attributeRow, room int) widget.FieldRow {
	sign := "  "
	switch {
	case r.fold && al.open[r.path]:
		sign = "▾ "
	case r.fold:
		sign = "▸ "
	}
	f := widget.FieldRow{
		ID: r.path, Section: r.section, Highlight: al.t.needle,
		Label: strings.Repeat("  ", min(r.depth, present.DeepestIndent)) + sign + models.PrintableCell(r.label, fieldCells),
	}
	if r.section == present.SectionMissing {
		f.Value, f.Role, f.Note = "missing", widget.RoleWarn, r.meaning
		return f
	}
	shown := p.Show(al.t.s.facts.entity, r.path, r.value)
	if r.count > 0 {
		shown = present.Shown{Text: present.Plural(r.count, "element"), Role: widget.RoleMuted}
	}
	f.Value, f.Role = models.PrintableCell(al.t.around(shown.Text), fieldCells), shown.Role
	notes := make([]string, 0, 4)
	if target := al.t.s.related.leadsTo(r); target != "" {
		notes = append(notes, "› "+target)
	}
	if how := al.t.s.read.changed[r.top]; how != "" && r.depth == 0 {
		notes = append(notes, "≠ "+how+" since the list")
	}
	if shown.Note != "" {
		notes = append(notes, shown.Note)
	}
	if e := al.t.s.facts.entity; e != nil && r.section != present.SectionUndocumented {
		if a := e.Attribute(r.path); a != nil && !a.Documented {
			notes = append(notes, "not documented")
		}
	}
	f.Note = models.PrintableCell(strings.Join(notes, " · "), fieldCells)
	if r.meaning == "" {
		return f
	}
	if f.Note != "" {
		notes = append(notes[:0], f.Note)
	}
	whole := strings.Join(append(notes, models.Printable(r.meaning)), " · ")
	if al.t.detailHeight() == 0 || ansi.StringWidth(f.Value)+2+ansi.StringWidth(whole) <= room {
		f.Note = whole
	}
	return f
}

// fieldCells is how much of a value a line holds at most.
const fieldCells = 300

// A searcher is a tab that can be searched.
type searcher interface {
	tab
	// find highlights a folded text and returns how often it occurs.
	find(needle string) int
	// show goes to the n-th match.
	show(n int)
	// endFind removes the highlights.
	endFind()
}

// itemSearch is the text that is searched for in a tab, and what was found.
type itemSearch struct {
	s     *itemScreen
	find  *widget.Find
	tab   searcher // nil until something is searched
	found int      // number of matches
	at    int      // the match under the cursor
}

func (f *itemSearch) active() bool { return f.find.Typing() || f.find.Text() != "" }

func (f *itemSearch) of(t tab) bool { return f.active() && f.tab != nil && tab(f.tab) == t }

func (f *itemSearch) typing() bool { return f.find.Typing() && f.of(f.s.tab()) }

func (f *itemSearch) leave() {
	switch {
	case f.of(f.s.tab()) || !f.active():
	case f.find.Text() == "":
		f.end()
	default:
		f.find.Stop()
	}
}

func (f *itemSearch) in(t searcher) command {
	return command{run: func() tea.Cmd {
		if f.tab != nil && f.tab != t {
			f.tab.endFind()
		}
		f.find.Start()
		f.tab = t
		f.changed()
		return nil
	}}
}

func (f *itemSearch) end() {
	f.find.Clear()
	f.found, f.at = 0, 0
	if f.tab != nil {
		f.tab.endFind()
	}
}

func (f *itemSearch) changed() {
	f.at = 0
	f.again(f.tab)
	f.tab.show(0)
}

func (f *itemSearch) update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "esc":
			f.end()
			return nil
		case "enter":
			if f.find.Stop(); f.find.Text() == "" {
				f.end()
			}
			return nil
		case "up", "ctrl+p":
			return f.move(-1)
		case "down", "ctrl+n":
			return f.move(1)
		}
	}
	cmd, changed := f.find.Update(msg)
	if changed {
		f.changed()
	}
	return cmd
}

func (f *itemSearch) move(by int) tea.Cmd {
	if f.found > 0 {
		f.at = (f.at + by + f.found) % f.found
		f.tab.show(f.at)
	}
	return nil
}

func (f *itemSearch) step(by int) command {
	switch {
	case !f.of(f.s.tab()):
		return command{why: "no search; press / to start one"}
	case f.found == 0:
		return command{why: "no match for " + models.PrintableCell(f.find.Text(), 40)}
	}
	return command{run: func() tea.Cmd { return f.move(by) }}
}

func (f *itemSearch) again(t searcher) {
	if f.of(t) {
		f.found = t.find(f.find.Needle())
		f.at = min(f.at, max(f.found-1, 0))
	}
}

func searchHints() widget.Actions {
	hint := func(desc, help string, keys ...string) widget.Action {
		return widget.Action{Binding: widget.Bind(help, keys...), Desc: desc}
	}
	return widget.Actions{hint("keep", "enter", "enter"), hint("matches", "↑↓", "down", "up"), hint("leave", "esc", "esc")}
}

func (f *itemSearch) frame(w int) (title, note string, cursor int) {
	text, at := f.find.Shown(max(w-42, 12))
	if f.find.Text() == "" {
		return "/ search names and values", "esc closes", 2
	}
	note = "no match · esc closes"
	if f.found > 0 {
		keys := "n next, N previous, esc closes"
		if f.find.Typing() {
			keys = "enter keeps, esc closes"
		}
		note = fmt.Sprintf("%d of %s · %s", f.at+1, present.Thousands(f.found), keys)
	}
	return "/ " + text, note, 2 + at
}

func (f *itemSearch) cursor(w, y int) *tea.Cursor {
	title, _, cursor := f.frame(w)
	return widget.Caret(min(2+cursor, 2+ansi.StringWidth(title)), y)
}
