// Package query contains the dialog for a custom query: a table, an index, a key condition, filters, the order
// and the page size. The dialog creates the same pattern as ddbdesk table query.
package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A Dialog lets the user build a query and shows the resulting request.
type Dialog struct {
	overlay.Box

	env *screen.Env
	run func(p *accesspatterns.Pattern, args map[string]string) tea.Cmd

	table     *models.Table
	index     *models.Index
	pattern   *accesspatterns.Pattern // nil while a field is missing or invalid
	args      map[string]string
	text      string
	isInvalid bool
	estimates map[*models.Index]*reading.Estimate // nil while unknown
}

// New returns the dialog, filled with the values of from, and its first command. It calls run with the pattern.
func New(
	env *screen.Env, from screen.CustomQuery, run func(p *accesspatterns.Pattern, args map[string]string) tea.Cmd,
) (*Dialog, tea.Cmd) {
	d := &Dialog{env: env, run: run, table: from.Table, index: from.Index, estimates: map[*models.Index]*reading.Estimate{}}
	d.Dialog = &widget.Dialog{Title: "Custom query", Buttons: []widget.Button{
		{Name: "cancel", Label: "Cancel"}, {Name: "run", Label: "Run", Disabled: d.notReadyReason},
	}}
	values := d.valuesOf(from.Query)
	d.Form = widget.NewForm(env.Styles, d.fields(values)...)
	d.Form.SetValues(values)
	d.FocusForm(true)
	d.focusFirst()
	d.describe()
	return d, d.estimateCost()
}

func (d *Dialog) focusFirst() {
	values := d.Form.Values()
	partition, sort := d.keys()
	for _, k := range partition {
		if values[partitionPrefix+k.Name] == "" {
			d.Form.FocusField(partitionPrefix + k.Name)
			return
		}
	}
	for _, k := range sort {
		if values[sortPrefix+k.Name] == "" {
			d.Form.FocusField(sortPrefix + k.Name)
			return
		}
	}
	d.Form.FocusField(filterPrefix + strconv.Itoa(d.filterCount(values)-1))
}

func (d *Dialog) keys() (partition, sort []models.Key) { return d.table.KeysOf(d.index) }

func (d *Dialog) estimateCost() tea.Cmd {
	index, table, s, ctx := d.index, d.table, d.env.Workspace, d.env.Context
	if _, known := d.estimates[index]; known {
		return nil
	}
	d.estimates[index] = nil
	return func() tea.Msg {
		e, err := s.Reading.Estimate(ctx, table, index)
		if err != nil {
			return nil
		}
		return screen.Answer(func() tea.Cmd {
			if d.table == table { // The indexes of another table have other sizes.
				d.estimates[index] = &e
			}
			return nil
		})
	}
}

// Update edits the form or chooses a button.
func (d *Dialog) Update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	cmd, chosen := d.Choose(msg)
	choiceCmd, done := d.handleChoice(chosen)
	return tea.Batch(cmd, d.rebuild(), choiceCmd), done
}

// Click chooses the field or the button at the given position.
func (d *Dialog) Click(x, y int) (cmd tea.Cmd, done bool) {
	chosen, _ := d.ClickAt(x, y)
	choiceCmd, done := d.handleChoice(chosen)
	return tea.Batch(d.rebuild(), choiceCmd), done
}

func (d *Dialog) handleChoice(c widget.Choice) (cmd tea.Cmd, done bool) {
	switch {
	case c.Closed || c.Name == "cancel":
		return nil, true
	case c.Name == "run":
		return d.run(d.pattern, d.args), true
	case c.Why != "":
		if d.Form.Validate() == nil { // Otherwise the form shows the error.
			return screen.Send(screen.NoticeMsg{Text: c.Why}), false
		}
	}
	return nil, false
}

func (d *Dialog) notReadyReason() string {
	if d.pattern == nil {
		return d.text
	}
	return ""
}

func (d *Dialog) rebuild() tea.Cmd {
	values, oldIndex := d.Form.Values(), d.index
	if t := d.env.Session.Profile().Table(values[tableField]); t != nil && t != d.table {
		d.table, d.index, oldIndex = t, nil, &models.Index{}
		delete(values, indexField)
		clear(d.estimates)
	} else if at, err := strconv.Atoi(values[indexField]); err == nil {
		if d.index = nil; at > 0 && at <= len(d.table.Indexes) {
			d.index = d.table.Indexes[at-1]
		}
	}
	if fields := d.fields(values); d.index != oldIndex || len(fields) != d.Form.Len() {
		focus := d.Form.Focused()
		d.Form = widget.NewForm(d.env.Styles, fields...)
		d.Form.SetValues(values)
		d.FocusForm(d.OnForm())
		d.Form.FocusField(focus)
	}
	d.describe()
	return d.estimateCost()
}

// describe builds the pattern from the form, or sets the reason why it cannot.
func (d *Dialog) describe() {
	operation, customQuery := d.readQuery(d.Form.Values())
	d.Dialog.Buttons[1].Label = map[bool]string{true: "Scan", false: "Run"}[operation == accesspatterns.Scan]
	p, args, err := d.env.Session.Profile().CustomPattern(d.table, d.index, operation, customQuery, false)
	if err == nil {
		l := present.DescribeRequest(d.env, p, args, nil)
		if err = l.Err; err == nil {
			d.pattern, d.args, d.isInvalid = p, args, false
			d.text = l.Text()
			if operation == accesspatterns.Scan && !d.env.Plain() {
				d.text = "Scan " + d.text
			}
			return
		}
	}
	d.pattern, d.isInvalid, d.text = nil, true, strings.TrimPrefix(err.Error(), "parameter ")
}

// cost returns the estimated cost of the request, or "" if it is unknown.
func (d *Dialog) cost() string {
	e := d.estimates[d.index]
	switch {
	case e == nil || d.pattern == nil:
		return ""
	case d.pattern.Read.Operation == accesspatterns.Scan:
		return "Reads all items: " + e.String() + "."
	case d.env.Plain():
		return ""
	}
	rows := d.pattern.PageSize
	if rows == 0 {
		rows = reading.DefaultPageSize
	}
	return fmt.Sprintf("At most about %g RCU for a page of %s.", e.Page(rows), present.Plural(rows, "item"))
}

// maxTextWidth is the maximum text width in cells.
const maxTextWidth = 104

// requestLines is the maximum number of lines for the request.
const requestLines = 3

// Over draws the dialog over a screen of w by h cells.
func (d *Dialog) Over(s *widget.Styles, background string, w, h int) string {
	width := max(min(w-8, maxTextWidth), 1)
	role, lead, line := widget.RoleInfo, "→ ", d.text
	switch {
	case d.Form.Problem() != "": // The line above shows it.
		lead, line = "", ""
	case d.isInvalid:
		role, lead = widget.RoleWarn, "… "
	}
	below := append([]string{""}, present.HangingIndent(s, role, lead, line, width)...)
	if len(below) > requestLines+1 {
		below = below[:requestLines+1]
	}
	below = append(below, widget.Wrap(s, widget.RoleMuted, d.cost(), width)...)
	d.Dialog.Note = d.table.Name
	return d.Draw(s, background, w, h, width, nil, below)
}

func (d *Dialog) readQuery(values map[string]string) (accesspatterns.Operation, accesspatterns.CustomQuery) {
	var query accesspatterns.CustomQuery
	partition, sort := d.keys()
	isMissing := func(k models.Key) bool { return values[partitionPrefix+k.Name] == "" }
	operation := accesspatterns.Query
	if slices.ContainsFunc(partition, isMissing) {
		operation = accesspatterns.Scan
	}
	add := func(k models.Key, compare accesspatterns.Operator, value string, inKey bool) {
		n := raw.Name{Path: []string{k.Name}}
		if inKey && compare == accesspatterns.Equal {
			query.Key = append(query.Key, raw.Assignment{Name: n, Value: value}.String())
			return
		}
		c := raw.Comparison{Name: n, Compare: compare, Values: []string{value}}
		if compare == accesspatterns.Between {
			if parsed, err := raw.ParseComparison(n.WithoutType() + " between " + value); err == nil {
				c = parsed
			}
		}
		query.Where = append(query.Where, c.String())
	}
	inKey := operation == accesspatterns.Query
	for _, k := range partition {
		if v := values[partitionPrefix+k.Name]; v != "" {
			add(k, accesspatterns.Equal, v, inKey)
		}
	}
	for _, k := range sort {
		v, compare := values[sortPrefix+k.Name], accesspatterns.Operator(values[comparePrefix+k.Name])
		if v != "" {
			add(k, compare, v, inKey)
		}
		inKey = inKey && v != "" && compare == accesspatterns.Equal
	}
	for i := range d.filterCount(values) {
		if text := strings.TrimSpace(values[filterPrefix+strconv.Itoa(i)]); text != "" {
			query.Where = append(query.Where, text)
		}
	}
	query.Descending = operation == accesspatterns.Query && values[orderField] == orderDescending
	query.Limit, _ = strconv.Atoi(values[limitField])
	return operation, query
}
