// Package present turns values, keys, requests and schema issues into styled text, the same way on
// every screen. It reads nothing and keeps no state; what only one screen shows belongs to that
// screen.
package present

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// NoValue is shown for an attribute that an item does not have.
	NoValue = "–"
	// CellRunes is the maximum width of a text in a cell; no column is wider.
	CellRunes = 160
)

// A Presenter formats values. It changes no digit and masks nothing: its items must have
// gone through session.Masker().
type Presenter struct {
	Now time.Time // ages are relative to it
}

// A Shown is a formatted value for the item view.
type Shown struct {
	Text string
	Note string // age, unit or exact value; "" for none
	Role widget.Role
}

// Cell returns the value at a path of a masked item as a short line. e is nil for an item
// that no entity matches.
func (p Presenter) Cell(e *models.Entity, path string, it models.Item) widget.Cell {
	v, ok := it.At(path)
	if !ok {
		return widget.Cell{Text: NoValue, Role: widget.RoleFaint}
	}
	s := p.show(ValueOf(e, path), v, true)
	cell := widget.Cell{Text: models.PrintableCell(s.Text, CellRunes), Role: s.Role}
	if models.ValueType(v) == models.TypeN {
		cell.Align = numberAlign(e, path)
	}
	return cell
}

// Show returns the value at a path for the item view: exact, with a note.
func (p Presenter) Show(e *models.Entity, path string, v types.AttributeValue) Shown {
	return p.show(ValueOf(e, path), v, false)
}

func numberAlign(e *models.Entity, path string) widget.Align {
	if f := ValueOf(e, path).Format; f.IsTime() {
		return widget.AlignLeft
	}
	return widget.AlignRight
}

// Spelling is what the schema defines about a value.
type Spelling struct {
	Format    models.Format
	Lifecycle *models.Lifecycle
	Attribute *models.Attribute // nil for one that the schema does not declare
}

// ValueOf returns the format and the lifecycle of the attribute at a path.
func ValueOf(e *models.Entity, path string) Spelling {
	var k Spelling
	if e == nil {
		return k
	}
	if a := e.Attribute(path); a != nil {
		k.Format, k.Attribute = a.Format, a
	}
	if k.Format == models.NoFormat && path == e.Table.TTL && path != "" {
		k.Format = models.EpochSeconds // DynamoDB requires this format.
	}
	k.Lifecycle = e.Lifecycle(path)
	return k
}

func (p Presenter) show(k Spelling, v types.AttributeValue, short bool) Shown {
	switch v := v.(type) {
	case *models.Masked:
		return Shown{Text: v.Value, Role: widget.RoleFaint}
	case *types.AttributeValueMemberS:
		return p.text(k, v.Value, short)
	case *types.AttributeValueMemberN:
		s := p.text(k, v.Value, short)
		if s.Role == widget.RoleText && s.Text == v.Value {
			s.Role = widget.RoleInfo
		}
		return s
	case *types.AttributeValueMemberBOOL:
		if v.Value {
			return Shown{Text: "true", Role: widget.RoleInfo}
		}
		return Shown{Text: "false", Role: widget.RoleInfo}
	case *types.AttributeValueMemberB:
		return Shown{Text: Plural(len(v.Value), "byte"), Note: "binary", Role: widget.RoleMuted}
	case *types.AttributeValueMemberNULL:
		return Shown{Text: "NULL", Role: widget.RoleFaint}
	case nil:
		return Shown{Text: NoValue, Role: widget.RoleFaint}
	default:
		return Shown{Text: Summary(v), Role: widget.RoleMuted}
	}
}

func (p Presenter) text(k Spelling, text string, short bool) Shown {
	switch {
	case text == "":
		return Shown{Text: `""`, Note: "empty", Role: widget.RoleFaint}
	case k.Lifecycle != nil:
		c := StateBadge(k.Lifecycle, text)
		return Shown{Text: strings.Replace(c.Text, text, k.Attribute.Labeled(text), 1), Role: c.Role}
	case k.Attribute.Labeled(text) != text:
		return Shown{Text: k.Attribute.Labeled(text)}
	case k.Format.IsTime():
		return p.time(k.Format, text, short)
	}
	switch k.Format {
	case models.Cents:
		return money(text)
	case models.Bytes:
		return size(text)
	case models.Seconds:
		return seconds(text)
	default:
		return Shown{Text: text}
	}
}

// StateBadge returns a state of a lifecycle as symbol, word and color; an unknown state with
// a question mark.
func StateBadge(l *models.Lifecycle, state string) widget.Cell {
	s := l.State(state)
	if s == nil {
		return widget.Cell{Text: "? " + models.PrintableCell(state, CellRunes), Role: widget.RoleWarn}
	}
	return widget.Badge(widget.KindOf(string(s.Kind)), state)
}
