package widget

// Kind is the meaning of a lifecycle state. It is shown as a glyph, a word and a
// color, in that order of importance.
type Kind uint8

// The kinds.
const (
	KindOpen  Kind = iota // not final
	KindGood              // final, successful
	KindBad               // final, unsuccessful
	KindFinal             // final, neutral
)

// KindOf returns the kind for a profile's "open", "good", "bad" or "final"; other
// words count as open. A profile without a kind for a state is valid, so there is no error.
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

// Glyph returns the symbol of the kind, one cell wide. Each kind has a glyph of its own, so
// that the meaning is not lost without colors.
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

// Role returns the role that text of the kind is drawn in.
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

// Badge returns a state as a grid cell.
func Badge(k Kind, state string) Cell {
	return Cell{Text: k.Glyph() + " " + state, Role: k.Role()}
}

// Fill returns a badge as styled text on its own color, with a blank at each end. A screen has few: the state of what it
// shows, not those of a list.
func (s *Styles) Fill(badge Cell) string {
	return s.PaintOn(badge.Role, SurfaceFill, " "+badge.Text+" ")
}

// Badge returns a state as styled text.
func (s *Styles) Badge(k Kind, state string) string {
	c := Badge(k, state)
	return s.Paint(c.Role, c.Text)
}
