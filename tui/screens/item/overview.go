package item

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// keysBeside is the width from which the keys are drawn beside the overview.
const keysBeside = 110

// keysBesideSummary is the width for that where the overview has a summary.
const keysBesideSummary = 160

// overviewTab lists the attributes in groups, below a summary for those who handle items. Documents can be unfolded.
type overviewTab struct {
	base
	fields *widget.Fields

	w, h int

	needle     string          // folded text that is highlighted, "" for none
	index      []searchEntry   // everything in the item; nil until something is searched
	hits       []int           // matches, by their place in index
	unfolded   map[string]bool // what was unfolded before the search; nil without one
	attributes attributeList
}

// searchEntry is a row of the overview as if everything were unfolded.
type searchEntry struct {
	path   string
	parent int    // index of the row that holds it, -1 at the top
	text   string // name and value, folded
}

func newOverviewTab(s *itemScreen) *overviewTab {
	o := &overviewTab{base: base{s}, fields: widget.NewFields(s.env.Styles)}
	o.attributes = attributeList{t: o, open: map[string]bool{}}
	return o
}

func (o *overviewTab) title() string { return "Overview" }

func (o *overviewTab) note() string {
	return present.Plural(len(o.s.item), "attribute") + " · " + humanize.Bytes(uint64(o.s.facts.size))
}

func (o *overviewTab) setStyles(st *widget.Styles) { o.fields.SetStyles(st) }

func (o *overviewTab) mouse() widget.Clickable { return below{o.fields, o.summary().height(o.w, o.h)} }

func (o *overviewTab) summary() itemSummary { return itemSummary{o.s} }

func (o *overviewTab) beside() tab {
	from := keysBeside
	if o.summary().shown() {
		from = keysBesideSummary
	}
	if o.s.w < from || len(o.s.facts.keys) == 0 {
		return nil
	}
	return o.s.tabs[tabKeys]
}

func (o *overviewTab) remake() {
	o.index = nil
	if o.unfolded != nil {
		o.s.search.again(o)
		return
	}
	o.attributes.fillRows()
}

func (o *overviewTab) setSize(w, h int) {
	o.w, o.h = w, h
	o.fields.SetSize(w, h-o.detailHeight()-o.summary().height(w, h))
	if o.attributes.rowsFor != w {
		o.attributes.rowsFor = w
		o.attributes.fillFields()
	}
}

func (o *overviewTab) view() string {
	var parts []string
	if summary := o.summary().view(o.w, o.summary().height(o.w, o.h)); summary != "" {
		parts = append(parts, summary)
	}
	parts = append(parts, o.fields.View())
	if detail := o.detail(o.w, o.detailHeight()); detail != "" {
		parts = append(parts, detail)
	}
	return widget.Rows(parts...)
}

func (o *overviewTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, o.fields.Update(msg) }

func (o *overviewTab) enter() command {
	r := o.selectedRow()
	if r == nil {
		return command{word: "follow", why: "nothing to open"}
	}
	if r.fold {
		word := "unfold"
		if o.attributes.open[r.path] {
			word = "fold"
		}
		return command{word: word, run: o.attributes.toggle}
	}
	follow, ok := o.s.related.follow(r)
	if !ok {
		return command{word: "follow", why: models.Printable(r.label) + " leads to no other item"}
	}
	return command{word: "follow", run: func() tea.Cmd { return follow }}
}

func (o *overviewTab) search() command { return o.s.search.in(o) }

func (o *overviewTab) actions() widget.Actions {
	return widget.Actions{
		{Name: "fold", Binding: widget.Bind("←/h", "left", "h"), Long: "fold, or go to the parent", Run: o.attributes.fold},
		{Name: "unfold", Binding: widget.Bind("→/l", "right", "l", "space"), Long: "unfold or fold a document", Run: o.attributes.toggle},
		widget.NewAction("fold-all", "z", "fold all", "unfold or fold all documents", nil, o.attributes.foldAll),
	}
}

func (o *overviewTab) selected() (path string, value types.AttributeValue, ok bool) {
	r := o.selectedRow()
	if r == nil || r.value == nil {
		return "", nil, false
	}
	return r.path, r.value, true
}

func (o *overviewTab) selectedRow() *attributeRow {
	_, i, ok := o.fields.Selected()
	if !ok || i >= len(o.attributes.rows) {
		return nil
	}
	return &o.attributes.rows[i]
}

func (o *overviewTab) selectPath(path string) {
	o.fields.Select(slices.IndexFunc(o.attributes.rows, func(r attributeRow) bool { return r.path == path }))
}

func (al *attributeList) toggle() tea.Cmd {
	if r := al.t.selectedRow(); r != nil && r.fold {
		al.setOpen(r.path, !al.open[r.path])
	}
	return nil
}

func (al *attributeList) setOpen(path string, open bool) {
	if open {
		al.open[path] = true
	} else {
		delete(al.open, path)
	}
	al.fillRows()
}

func (al *attributeList) fold() tea.Cmd {
	_, i, ok := al.t.fields.Selected()
	if !ok || i >= len(al.rows) {
		return nil
	}
	if r := al.rows[i]; r.fold && al.open[r.path] {
		al.setOpen(r.path, false)
		return nil
	}
	for parent := i - 1; parent >= 0 && al.rows[i].depth > 0; parent-- {
		if al.rows[parent].depth < al.rows[i].depth {
			al.t.fields.Select(parent)
			break
		}
	}
	return nil
}

func (al *attributeList) foldAll() tea.Cmd {
	top := ""
	if r := al.t.selectedRow(); r != nil {
		top = r.top
	}
	folded := len(al.open) > 0
	al.open = map[string]bool{}
	if !folded {
		al.t.makeIndex()
		for _, entry := range al.t.index {
			if entry.parent >= 0 {
				al.open[al.t.index[entry.parent].path] = true
			}
		}
	}
	if al.t.unfolded != nil {
		al.t.unfolded = al.open
	}
	al.fillRows()
	al.t.selectPath(top)
	return nil
}

func (o *overviewTab) find(needle string) int {
	if o.unfolded == nil {
		o.unfolded = o.attributes.open
	}
	o.needle, o.hits, o.attributes.open = needle, o.hits[:0], maps.Clone(o.unfolded)
	if needle != "" {
		o.makeIndex()
		for i, entry := range o.index {
			if strings.Contains(entry.text, needle) {
				o.hits = append(o.hits, i)
				o.unfold(o.attributes.open, i)
			}
		}
	}
	o.attributes.fillRows()
	return len(o.hits)
}

func (o *overviewTab) show(n int) {
	if n >= len(o.hits) {
		return
	}
	if o.unfold(o.attributes.open, o.hits[n]) { // The user folded it after the search.
		o.attributes.fillRows()
	}
	o.selectPath(o.index[o.hits[n]].path)
}

func (o *overviewTab) endFind() {
	r := o.selectedRow()
	if o.unfolded != nil {
		o.attributes.open = maps.Clone(o.unfolded)
	}
	path := ""
	if r != nil {
		path = r.path
		if i := slices.IndexFunc(o.index, func(e searchEntry) bool { return e.path == path }); i >= 0 {
			o.unfold(o.attributes.open, i)
		}
	}
	o.needle, o.hits, o.unfolded = "", nil, nil
	o.attributes.fillRows()
	o.selectPath(path)
}

func (o *overviewTab) unfold(open map[string]bool, i int) bool {
	folded := false
	for p := o.index[i].parent; p >= 0; p = o.index[p].parent {
		if path := o.index[p].path; !open[path] {
			open[path], folded = true, true
		}
	}
	return folded
}

func (o *overviewTab) makeIndex() {
	if o.index != nil {
		return
	}
	show := present.Presenter{Now: o.s.env.Now()}
	rows := o.attributes.makeRows(true)
	o.index = make([]searchEntry, len(rows))
	var above []int // the row that contains each depth
	for i := range rows {
		r := &rows[i]
		above = append(above[:min(r.depth, len(above))], i)
		entry := searchEntry{path: r.path, parent: -1, text: widget.Fold(r.label)}
		if len(above) > 1 {
			entry.parent = above[len(above)-2]
		}
		if text, ok := models.ValueText(r.value); ok {
			entry.text += "\x00" + widget.Fold(text)
			if shown := show.Show(o.s.facts.entity, r.path, r.value); r.depth < present.DeepestIndent && shown.Text != text {
				entry.text += "\x00" + widget.Fold(shown.Text)
			}
		}
		o.index[i] = entry
	}
}

// searchLead is how much of a long value is shown before the match in it.
const searchLead = 24

func (o *overviewTab) around(text string) string {
	if o.needle == "" || len(text) < 2*searchLead {
		return text
	}
	at := strings.Index(widget.Fold(text), o.needle)
	if at < 2*searchLead {
		return text
	}
	from := at - searchLead
	for from < at && text[from]&0xC0 == 0x80 { // Not inside a UTF-8 sequence.
		from++
	}
	return "…" + text[from:]
}

// attributeList is the rows of the attributes and the documents that are unfolded in them.
type attributeList struct {
	t *overviewTab

	rows    []attributeRow
	rowsFor int             // width that the notes of the rows were made for
	open    map[string]bool // unfolded documents, by path
}
