package present

import (
	"cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// DefectWords describe a kind of defect: its sign and word in lists, and what it means.
type DefectWords struct {
	Sign, Word string
	Role       widget.Role
	Means      string
}

var defectWords = map[change.DefectKind]DefectWords{
	change.Unknown: {"?", "unknown", widget.RoleWarn, "The keys match no entity of the table."},
	change.Ghost: {
		"∅", "ghost", widget.RoleBad,
		"Required attributes are missing, for example after an update without a condition.",
	},
	change.StaleKey: {
		"≠", "stale key", widget.RoleWarn,
		"An index key does not match the attributes that it is derived from. Queries of the index miss the item or misplace it.",
	},
	change.StaleTTL: {
		"≠", "time", widget.RoleWarn,
		"A time, such as the TTL, has the wrong value, type or format.",
	},
	change.WrongValue: {
		"≠", "value", widget.RoleWarn,
		"A value has another type or format than the documented one, or is not in its closed enum.",
	},
}

// WordsOf returns the words of a kind of defect.
func WordsOf(k change.DefectKind) DefectWords { return defectWords[k] }

// DefectBadge returns a kind of defect as a sign and a word.
func DefectBadge(k change.DefectKind) widget.Cell {
	d := defectWords[k]
	return widget.Cell{Text: d.Sign + " " + d.Word, Role: d.Role}
}

// DefectValues returns the stored and the expected value of a defect; ok is false when it has neither.
func DefectValues(d change.Defect) (stored, expected string, ok bool) {
	return cmp.Or(d.Stored, NoValue), cmp.Or(d.Expected, NoValue), d.Stored != "" || d.Expected != ""
}

// DefectLines describes a masked defect in lines of w cells: its attribute, what is wrong, and the expected value.
func DefectLines(st *widget.Styles, d change.Defect, w int) []string {
	name := cmp.Or(d.Attribute, defectWords[d.Kind].Word)
	lines := widget.Wrap(st, widget.RoleText, d.Text, max(w-1-models.Width(name), 8))
	lines[0] = st.Paint(widget.RoleKey, name) + " " + lines[0]
	for i := 1; i < len(lines); i++ {
		lines[i] = "  " + lines[i]
	}
	if stored, expected, ok := DefectValues(d); ok {
		lines = append(lines, "  "+st.Paint(widget.RoleBad, stored)+st.Paint(widget.RoleFaint, " → ")+st.Paint(widget.RoleGood, expected))
	}
	return lines
}
