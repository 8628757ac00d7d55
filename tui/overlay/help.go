package overlay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// NewHelp returns the help of a screen: its guide, and every action of the groups with its keys. Those that are not
// possible now are folded at the end, each with its reason.
func NewHelp(s *widget.Styles, about screen.Screen, groups ...widget.HelpGroup) *Sheet {
	var guide screen.Guide
	if g, ok := about.(screen.Guided); ok {
		guide = g.Guide()
	}
	query, all := "", false
	h := NewSheet(s, "Help · "+about.Title(), func(s *widget.Styles, w int) []string {
		return HelpText(s, guide, groups, query, all, w)
	})
	h.Key = "?"
	h.search = func(text string) { query = text }
	h.unfold = func() { all = !all }
	return h
}

func guideLines(s *widget.Styles, guide screen.Guide, purpose widget.Role, w int) []string {
	return append(widget.Wrap(s, purpose, guide.Purpose, w), widget.Wrap(s, widget.RoleInfo, "First: "+guide.First, w)...)
}

// HelpText is the help in lines of w cells; with a query only what holds it. Actions that are not possible now are
// counted at the end, and with all, or with a query, listed there with their reasons. The first
// group is that of the screen, so the signs come after it. A query is compared without regard
// to case and blanks at its ends.
func HelpText(s *widget.Styles, guide screen.Guide, groups []widget.HelpGroup, query string, all bool, w int) []string {
	var lines []string
	if query == "" && guide.Purpose != "" {
		lines = append(guideLines(s, guide, widget.RoleText, w), "")
	}
	found, off := slices.Clone(groups), widget.HelpGroup{Title: "Not available now"}
	for i, g := range found {
		found[i].Actions = nil
		for _, a := range g.Actions {
			switch {
			case !holds(query, a.Keys(), a.Name, a.Desc, a.Long):
			case a.Why() != "":
				off.Actions = append(off.Actions, a)
			default:
				found[i].Actions = append(found[i].Actions, a)
			}
		}
	}
	hidden := 0
	if all || query != "" {
		found = append(found, off)
	} else {
		hidden = len(off.Actions)
	}
	found = slices.DeleteFunc(found, func(g widget.HelpGroup) bool { return len(g.Actions) == 0 })
	signs := signLines(s, guide.Signs, query, w)
	if len(found) > 0 {
		lines = append(lines, widget.HelpLines(s, w, found[0])...)
	}
	lines = append(lines, signs...)
	if len(found) > 1 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, widget.HelpLines(s, w, found[1:]...)...)
	}
	if hidden > 0 {
		word := "actions are"
		if hidden == 1 {
			word = "action is"
		}
		lines = append(append(lines, ""), widget.Wrap(s, widget.RoleMuted,
			fmt.Sprintf("▸ %d %s not available now. Press z to list them with their reasons.", hidden, word), w)...)
	}
	if len(lines) == 0 {
		lines = widget.Wrap(s, widget.RoleMuted, "no key and no sign is about that", w)
	}
	return lines
}

func signLines(s *widget.Styles, signs []screen.Sign, query string, w int) []string {
	var lines []string
	for _, sign := range signs {
		if !holds(query, sign.Glyph, sign.Means) {
			continue
		}
		glyph := sign.Glyph
		for _, line := range widget.Wrap(s, widget.RoleText, sign.Means, max(w-10, 8)) {
			lines = append(lines, s.PaintCell(widget.RoleInfo, widget.SurfacePlain, glyph, 8, widget.AlignRight)+"  "+line)
			glyph = ""
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", s.Paint(widget.RoleTitle, "Signs")}, lines...)
}

func holds(query string, texts ...string) bool {
	query = strings.ToLower(strings.TrimSpace(query))
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), query) })
}
