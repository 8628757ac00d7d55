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

// An overviewTab lists the attributes in groups. The user can expand documents.
type overviewTab struct {
	base
	related *relatedTab
	fields  *widget.Fields

	w, h int

	rows       []attributeRow      // rows that match the filter
	total      int                 // number of rows without the filter
	builtWidth int                 // width for which the tab built the rows' notes
	expanded   map[string]bool     // expanded documents, by path; nil until the tab has rows
	filter     *widget.SearchInput // while it contains text, everything is expanded
	needle     string              // filter text, case-folded, for highlighting
	origin     string              // path that the user selected before typing the filter; "" if the user moved since
}

func newOverviewTab(s *itemData, related *relatedTab) *overviewTab {
	return &overviewTab{
		base: base{s}, related: related, filter: widget.NewSearchInput(), fields: widget.NewFields(s.env.Styles),
	}
}

func (o *overviewTab) title() string { return "Overview" }

func (o *overviewTab) note() string {
	if o.s.plain {
		return "" // Support does not see computed keys.
	}
	text := present.Plural(len(o.s.item), "attribute") + " · " + humanize.Bytes(uint64(o.s.item.Size()))
	if e := o.s.facts.entity; e != nil && e.ByName == nil && !isDescribed(e) {
		text = "not described in the schema document · " + text
	}
	return text
}

func (o *overviewTab) setStyles(st *widget.Styles) { o.fields.SetStyles(st) }

func (o *overviewTab) mouse() widget.Clickable { return o.fields }

func (o *overviewTab) remake() { o.fillRows() }

func (o *overviewTab) setSize(w, h int) {
	o.w, o.h = w, h
	o.fields.SetSize(w, h)
	if o.builtWidth != w {
		o.builtWidth = w
		o.fillFields()
	}
}

func (o *overviewTab) view() string { return o.fields.View() }

func (o *overviewTab) update(msg tea.Msg) (tea.Cmd, bool) {
	if o.isTyping() {
		return o.updateFilter(msg), true
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		switch press.String() {
		case "left", "h":
			o.fold()
			return nil, true
		case "right", "l":
			return o.toggle(), true
		case "z":
			o.toggleAll()
			return nil, true
		}
	}
	return nil, o.fields.Update(msg)
}

func (o *overviewTab) enter() command {
	r := o.selectedRow()
	if r == nil {
		return command{word: "follow", reason: "nothing to open"}
	}
	if r.hasChildren {
		verb := "unfold"
		if o.expanded[r.path] {
			verb = "fold"
		}
		return command{word: verb, run: o.toggle}
	}
	follow, ok := o.related.followReference(r)
	if !ok {
		reason := models.Printable(r.label) + " does not refer to another item"
		if o.related.title() != "" {
			reason += "; see the Related tab"
		}
		return command{word: "follow", reason: reason}
	}
	return command{word: "follow", run: func() tea.Cmd { return follow }}
}

func (o *overviewTab) search() command {
	return command{run: func() tea.Cmd {
		if r := o.selectedRow(); r != nil && !o.isFiltered() {
			o.origin = r.path
		}
		o.filter.Start()
		return nil
	}}
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
	if !ok || i >= len(o.rows) {
		return nil
	}
	return &o.rows[i]
}

func (o *overviewTab) selectPath(path string) {
	o.fields.Select(slices.IndexFunc(o.rows, func(r attributeRow) bool { return r.path == path }))
}

func (o *overviewTab) toggle() tea.Cmd {
	if r := o.selectedRow(); r != nil && r.hasChildren {
		o.setOpen(r.path, !o.expanded[r.path])
	}
	return nil
}

func (o *overviewTab) setOpen(path string, open bool) {
	if open {
		o.expanded[path] = true
	} else {
		delete(o.expanded, path)
	}
	o.fillRows()
}

func (o *overviewTab) fold() {
	_, i, ok := o.fields.Selected()
	if !ok || i >= len(o.rows) {
		return
	}
	if r := o.rows[i]; r.hasChildren && o.expanded[r.path] {
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

func (o *overviewTab) toggleAll() {
	top := ""
	if r := o.selectedRow(); r != nil {
		top = r.top
	}
	hadExpanded := len(o.expanded) > 0
	o.expanded = map[string]bool{}
	if !hadExpanded {
		for _, r := range o.makeRows(true) {
			if r.hasChildren {
				o.expanded[r.path] = true
			}
		}
	}
	o.fillRows()
	o.selectPath(top)
}

// searchLead is the length of the text to show before a match in a long value.
const searchLead = 24

func (o *overviewTab) excerpt(text string) string {
	if o.needle == "" || len(text) < 2*searchLead {
		return text
	}
	at := strings.Index(widget.Fold(text), o.needle)
	if at < 2*searchLead {
		return text
	}
	from := at - searchLead
	for from < at && text[from]&0xC0 == 0x80 { // Do not start inside a UTF-8 sequence.
		from++
	}
	return "…" + text[from:]
}
