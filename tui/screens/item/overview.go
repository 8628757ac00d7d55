package item

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// overviewTab lists the attributes in groups. Documents can be unfolded.
type overviewTab struct {
	base
	related *relatedTab
	fields  *widget.Fields

	w, h int

	rows     []attributeRow
	rowsFor  int             // width that the notes of the rows were made for
	open     map[string]bool // unfolded documents, by path
	needle   string          // folded text that is highlighted, "" for none
	hits     []int           // rows that match; while a search is on, everything is unfolded
	searched bool

	input   *widget.Find // the text that is searched for
	matches int
	match   int // the one under the cursor
}

func newOverviewTab(s *subject, related *relatedTab) *overviewTab {
	return &overviewTab{
		base: base{s}, related: related, input: widget.NewFind(), fields: widget.NewFields(s.env.Styles), open: map[string]bool{},
	}
}

func (o *overviewTab) title() string { return "Overview" }

func (o *overviewTab) note() string {
	text := present.Plural(len(o.s.item), "attribute")
	if !o.s.plain {
		text += " · " + humanize.Bytes(uint64(o.s.item.Size()))
	}
	return text
}

func (o *overviewTab) setStyles(st *widget.Styles) { o.fields.SetStyles(st) }

func (o *overviewTab) mouse() widget.Clickable { return o.fields }

func (o *overviewTab) remake() {
	if o.searched {
		o.again()
		return
	}
	o.fillRows()
}

func (o *overviewTab) setSize(w, h int) {
	o.w, o.h = w, h
	o.fields.SetSize(w, h)
	if o.rowsFor != w {
		o.rowsFor = w
		o.fillFields()
	}
}

func (o *overviewTab) view() string { return o.fields.View() }

func (o *overviewTab) update(msg tea.Msg) (tea.Cmd, bool) {
	if o.typing() {
		return o.searchKey(msg), true
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "left", "h":
			o.fold()
			return nil, true
		case "right", "l":
			return o.toggle(), true
		case "z":
			o.foldAll()
			return nil, true
		}
	}
	return nil, o.fields.Update(msg)
}

func (o *overviewTab) enter() command {
	r := o.selectedRow()
	if r == nil {
		return command{word: "follow", why: "nothing to open"}
	}
	if r.fold {
		word := "unfold"
		if o.open[r.path] {
			word = "fold"
		}
		return command{word: word, run: o.toggle}
	}
	follow, ok := o.related.follow(r)
	if !ok {
		return command{word: "follow", why: models.Printable(r.label) + " leads to no other item"}
	}
	return command{word: "follow", run: func() tea.Cmd { return follow }}
}

func (o *overviewTab) search() command { return command{run: o.startSearch} }

func (o *overviewTab) selected() (path string, value types.AttributeValue, ok bool) {
	r := o.selectedRow()
	if r == nil || r.value == nil {
		return "", nil, false
	}
	return r.path, r.value, true
}

func (o *overviewTab) selectedRow() *attributeRow {
	_, i, ok := o.fields.Selected()
	if !ok || i >= len(o.rows) {
		return nil
	}
	return &o.rows[i]
}

func (o *overviewTab) selectPath(path string) {
	o.fields.Select(slices.IndexFunc(o.rows, func(r attributeRow) bool { return r.path == path }))
}

func (o *overviewTab) toggle() tea.Cmd {
	if r := o.selectedRow(); r != nil && r.fold {
		o.setOpen(r.path, !o.open[r.path])
	}
	return nil
}

func (o *overviewTab) setOpen(path string, open bool) {
	if open {
		o.open[path] = true
	} else {
		delete(o.open, path)
	}
	o.fillRows()
}

func (o *overviewTab) fold() {
	_, i, ok := o.fields.Selected()
	if !ok || i >= len(o.rows) {
		return
	}
	if r := o.rows[i]; r.fold && o.open[r.path] {
		o.setOpen(r.path, false)
		return
	}
	for parent := i - 1; parent >= 0 && o.rows[i].depth > 0; parent-- {
		if o.rows[parent].depth < o.rows[i].depth {
			o.fields.Select(parent)
			break
		}
	}
}

func (o *overviewTab) foldAll() {
	top := ""
	if r := o.selectedRow(); r != nil {
		top = r.top
	}
	folded := len(o.open) > 0
	o.open = map[string]bool{}
	if !folded {
		for _, r := range o.makeRows(true) {
			if r.fold {
				o.open[r.path] = true
			}
		}
	}
	o.fillRows()
	o.selectPath(top)
}

func (o *overviewTab) find(needle string) int {
	o.searched, o.needle, o.hits = true, needle, o.hits[:0]
	o.rows = o.makeRows(needle != "")
	show := present.Presenter{Now: o.s.env.Now()}
	for i := range o.rows {
		r := &o.rows[i]
		text := widget.Fold(r.label)
		if stored, ok := models.ValueText(r.value); ok {
			text += "\x00" + widget.Fold(stored)
			if r.depth < present.DeepestIndent {
				text += "\x00" + widget.Fold(o.shown(show, r).Text)
			}
		}
		if needle != "" && strings.Contains(text, needle) {
			o.hits = append(o.hits, i)
		}
	}
	o.fillFields()
	return len(o.hits)
}

func (o *overviewTab) show(n int) {
	if n < len(o.hits) {
		o.fields.Select(o.hits[n])
	}
}

// endFind leaves unfolded what the cursor is in.
func (o *overviewTab) endFind() {
	path := ""
	if r := o.selectedRow(); r != nil && o.searched {
		path = r.path
		for _, above := range o.rows {
			if above.fold && strings.HasPrefix(path, above.path) && path != above.path {
				o.open[above.path] = true
			}
		}
	}
	o.needle, o.hits, o.searched = "", nil, false
	o.fillRows()
	o.selectPath(path)
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
