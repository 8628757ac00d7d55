// This file shows a status as a glyph, a word and a colour, in that order of
// importance.

package widget

// Kind says what a state of a lifecycle means to a person.
type Kind uint8

// The kinds.
const (
	KindOpen  Kind = iota // something still has to happen
	KindGood              // ended well
	KindBad               // ended badly
	KindFinal             // ended, neither well nor badly
)

// KindOf returns the kind that a profile names "open", "good", "bad" or
// "final"; other words count as open.
func KindOf(name string) Kind {
	switch name {
	case "good":
		return KindGood
	case "bad":
		return KindBad
	case "final":
		return KindFinal
	}
	return KindOpen
}

// Glyph is the sign of the kind, one cell wide.
func (k Kind) Glyph() string {
	switch k {
	case KindGood:
		return "✓"
	case KindBad:
		return "✗"
	case KindFinal:
		return "■"
	default:
		return "◐"
	}
}

// Role is the colour of the kind.
func (k Kind) Role() Role {
	switch k {
	case KindGood:
		return RoleGood
	case KindBad:
		return RoleBad
	case KindFinal:
		return RoleMuted
	default:
		return RoleInfo
	}
}

// Badge is a state as text for a cell, with the role to draw it in.
func Badge(k Kind, state string) Cell {
	return Cell{Text: k.Glyph() + " " + state, Role: k.Role()}
}

// Badge is a state, painted.
func (s *Styles) Badge(k Kind, state string) string {
	c := Badge(k, state)
	return s.Paint(c.Role, c.Text)
}
