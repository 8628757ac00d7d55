package present

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// ReservedKeys contains the letters that schema actions cannot use: they move the cursor, or belong to queues, items
// or every screen.
const ReservedKeys = "bdeghjklnopqstuyz"

// RequestKeys returns the keys that open the change requests. Their tab follows those of the queues.
func RequestKeys(env *screen.Env) string {
	return "i " + strconv.Itoa(len(env.Session.Profile().Queues)+1)
}

// RequestText describes the requester of a change and its time: "requested by lesego, 2 h ago".
func RequestText(env *screen.Env, q requests.Entry) string {
	who := models.PrintableCell(q.Requester, 24)
	if q.IsRequester {
		who = "you"
	}
	return "requested by " + who + ", " + Age(q.Created, env.Now())
}

// RequestTitle describes a pending change request: "▸ Reject requested by lesego, 2 h ago".
func RequestTitle(env *screen.Env, q requests.Entry) string {
	return "▸ " + ActionTitle(env, q.Action) + " " + RequestText(env, q)
}

// ActionTitle returns the title of an action with an ID, or the ID if the schema has no such action.
func ActionTitle(env *screen.Env, id string) string {
	if a := env.Session.Profile().Action(id); a != nil {
		return a.Title
	}
	return cmp.Or(models.Printable(id), NoValue)
}

// ActionKeys assigns a letter to each action of a schema, for use in queues, items, lifecycles and menus. Queue
// actions choose first, so that "a" approves in every queue with an approval, and transitions choose before an entity's
// other changes. An action gets no letter if each letter of its ID is reserved, configured, or in use in its queues or
// for its entity.
func ActionKeys(keys *widget.Keymap, p *profiles.Profile) map[*change.Action]string {
	letters := map[*change.Action]string{}
	assign := func(group []*change.Action) {
		taken, byID := ReservedKeys, map[string]*change.Action{}
		var names []string
		for _, a := range group {
			for _, other := range append(p.ActionsOf(a.Entity), group...) {
				taken += letters[other]
			}
			if letters[a] == "" {
				names, byID[a.ID] = append(names, a.ID), a
			}
		}
		for id, letter := range keys.Assign(names, taken, "everywhere", "queue", "item") {
			letters[byID[id]] = letter
		}
	}
	for _, q := range p.Queues {
		assign(q.Actions)
	}
	for _, e := range p.Entities {
		assign(slices.DeleteFunc(slices.Clone(p.ActionsOf(e)), func(a *change.Action) bool { return a.To() == "" }))
		assign(p.ActionsOf(e))
	}
	return letters
}

// ActionVerb returns the first word of an action's ID for hints. If another action has the same first word, it returns
// all words of the ID.
func ActionVerb(a *change.Action, actions []*change.Action) string {
	first, _, _ := strings.Cut(a.ID, "-")
	for _, other := range actions {
		if word, _, _ := strings.Cut(other.ID, "-"); other != a && word == first {
			return strings.ReplaceAll(a.ID, "-", " ")
		}
	}
	return first
}

func patternObstacle(env *screen.Env, p *accesspatterns.Pattern) *tables.Obstacle {
	if a := env.Session.Profile().Action(p.ID); a != nil && !p.IsRead() {
		return env.Tables.ObstacleToChange(a)
	}
	return env.Tables.Obstacle(p)
}

// PatternNote returns a pattern's note in the palette: the reason why it is known to fail, or its group. The reason
// comes from table descriptions and failed requests. PatternNote sends no requests.
func PatternNote(env *screen.Env, p *accesspatterns.Pattern) string {
	if o := patternObstacle(env, p); o != nil {
		return "✗ " + o.Problem
	}
	return p.Group
}

// ChangeObstacle returns a known obstacle to an action, or "". The obstacle may not affect the item, so the user can
// try the action anyway. The action may be nil.
func ChangeObstacle(env *screen.Env, a *change.Action) string {
	if a == nil {
		return ""
	}
	if o := env.Tables.ObstacleToChange(a); o != nil {
		return o.Problem
	}
	return ""
}

// ObstacleWarning returns the warning about a known obstacle to a change.
func ObstacleWarning(s *widget.Styles, o *tables.Obstacle, w int) []string {
	text := o.String()
	if o.Refused {
		text += ". Retry to check again."
	}
	return HangingIndent(s, widget.RoleBad, "✗ ", text, w)
}

// CannotReadTrails reports whether reading every audit trail of an entity is known to fail. It returns false if there
// is no trail with a read pattern.
func CannotReadTrails(env *screen.Env, e *models.Entity) bool {
	refused := false
	for _, t := range env.Session.Profile().TrailsOf(e) {
		if t.Read == nil {
			continue
		}
		if env.Tables.Obstacle(t.Read) == nil {
			return false
		}
		refused = true
	}
	return refused
}

// ObstacleNote describes an obstacle on one line.
func ObstacleNote(s *widget.Styles, o *tables.Obstacle) string {
	line := s.Paint(widget.RoleBad, " ✗ "+o.Problem)
	if o.Refused {
		return line + s.Paint(widget.RoleFaint, " · ") + s.Paint(widget.RoleKey, "enter") + s.Paint(widget.RoleFaint, " retry")
	}
	if o.Advice == "" {
		return line
	}
	return line + s.Paint(widget.RoleFaint, "; "+o.Advice)
}

// ObstacleLines describes an obstacle and its remedy in lines of w cells.
func ObstacleLines(s *widget.Styles, o *tables.Obstacle, w int) []string {
	if o == nil {
		return nil
	}
	lines := []string{Heading(s, "Does not work here", w)}
	lines = append(lines, widget.Wrap(s, widget.RoleBad, "✗ "+o.Problem, w)...)
	if o.Advice != "" {
		lines = append(lines, widget.Wrap(s, widget.RoleText, "→ "+o.Advice, w)...)
	}
	if o.Refused {
		lines = append(
			lines,
			widget.Wrap(
				s, widget.RoleMuted,
				"AWS denied the last request. If the policy has changed, try again.", w,
			)...,
		)
	}
	return append(lines, "")
}
