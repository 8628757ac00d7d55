package item

import (
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// relatedHeight is how many lines below the list tell about the pattern under
// the cursor.
func (rt *relatedTab) height() int {
	switch body := rt.s.h - rt.s.header.head(); {
	case body < 14:
		return 0
	case body < 26:
		return 4
	default:
		return 7
	}
}

// relatedDetail tells what the pattern under the cursor asks, what it is asked
// with, and how much it finds.
func (rt *relatedTab) detail(w, h int) string {
	if h < 2 {
		return ""
	}
	st := rt.s.env.Styles
	r, ok := rt.selected()
	if !ok {
		return widget.Place(widget.Rule(st, "", "", w), w, h)
	}
	lines := []string{widget.Rule(st, r.Pattern.ID, present.EntityNames(r.Pattern.Returns), w)}
	put := func(label string, role widget.Role, text string) {
		if text != "" {
			lines = append(lines, " "+st.PaintCell(widget.RoleFaint, widget.SurfacePlain, label, 10, widget.AlignLeft)+
				st.Paint(role, models.PrintableCell(text, max(w-12, 1))))
		}
	}
	if known := rt.s.env.Tables.Obstacle(r.Pattern); known != nil {
		put("✗", widget.RoleBad, known.String())
	} else {
		put("finds", widget.RoleText, rt.s.counts.countWords(r))
	}
	line := present.DescribeRequest(rt.s.env, r.Pattern, r.Args, r.Hidden)
	lines = append(lines, " "+st.PaintCell(widget.RoleFaint, widget.SurfacePlain, "asks", 10, widget.AlignLeft)+line.Paint(st))
	put("filled", widget.RoleText, r.Shown)
	put("open", widget.RoleMuted, openParams(r))
	if f := r.Pattern.Defect(); f != nil {
		put("⚠ "+f.ID, widget.RoleWarn, f.Workaround)
	}
	return widget.Place(strings.Join(lines[:min(len(lines), h)], "\n"), w, h)
}

// openParams are the parameters that the item leaves open, with what they are
// then.
func openParams(r present.Relation) string {
	var parts []string
	for _, q := range r.Pattern.Params {
		if _, filled := r.Args[q.Name]; filled {
			continue
		}
		switch {
		case slices.Contains(r.Missing, q.Name):
			parts = append(parts, q.Name+" is needed")
		case q.Default != "":
			parts = append(parts, q.Name+" "+q.Default)
		default:
			parts = append(parts, q.Name+" any")
		}
	}
	return strings.Join(parts, " · ")
}
