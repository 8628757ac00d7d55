package results

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// valueBytes is how much of a value is kept: what a cell shows.
	ValueBytes = 160
	// manyValues is how much all of them may take before less of each is kept.
	manyValues = 32 << 20
	// fewBytes is how much that is.
	fewBytes = 40
)

// madeValues are the values by the place of their row. They only grow: a copy
// keeps what it has.
type MadeValues struct {
	from []uint32 // where a row's value begins in text, one more than that; 0 for none
	text []byte
}

// any reports whether there are values.
func (m *MadeValues) any() bool { return m.from != nil }

// set keeps the value of a row behind all others.
func (m *MadeValues) Set(at int, value string) {
	for len(m.from) <= at {
		m.from = append(m.from, 0)
	}
	most := ValueBytes
	if len(m.text) > manyValues {
		most = fewBytes
	}
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most-len("…")], "") + "…"
	}
	m.text = append(m.text, byte(len(value)))
	m.from[at] = uint32(len(m.text))
	m.text = append(m.text, value...)
}

// at is the value of a row, "" for none.
func (m *MadeValues) At(at int) string {
	if at >= len(m.from) || m.from[at] == 0 {
		return ""
	}
	from := m.from[at]
	return string(m.text[from : from+uint32(m.text[from-1])])
}

// queryCell is what jq made of a row.
func queryCell(value string) widget.Cell {
	if value == "" {
		return widget.Cell{Text: present.NoValue, Role: widget.RoleFaint}
	}
	role := widget.RoleStrong
	if value == "null" {
		role = widget.RoleFaint
	}
	return widget.Cell{Text: models.PrintableCell(value, present.CellRunes), Role: role}
}
