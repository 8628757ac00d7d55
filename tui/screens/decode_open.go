package screens

import (
	"strings"

	"charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// openShown is how many ways to open one text are offered.
const openShown = 3

// OpenCommands are the items and questions that a typed key or id opens, the
// surest first; none for a text that may be anything.
func OpenCommands(env *Env, text string) []Command {
	if !LooksLikeKey(text) || isMasked(text) {
		return nil // No key and no id: a name.
	}
	var list []Command
	r := decode(env, text)
	for i := range r.readings {
		reading := &r.readings[i]
		if len(list) == openShown || reading.sureness() == 0 || len(reading.warnings) > 0 {
			continue
		}
		if c, ok := openCommand(env, reading); ok {
			list = append(list, c)
		}
	}
	return list
}

// LooksLikeKey reports whether a text may be a key or an id, and is no name.
func LooksLikeKey(text string) bool { return strings.ContainsAny(text, "#_-:0123456789") }

// openCommand opens the one item that the reading names, or else runs the
// pattern that fits best.
func openCommand(env *Env, r *reading) (Command, bool) {
	for _, p := range r.patterns {
		if p.Pattern.Read.Operation != accesspatterns.Get {
			continue
		}
		request, err := env.Session.Bind(p.Pattern, p.Args)
		if err != nil || len(request.Legs) != 1 || request.Legs[0].Get == nil {
			continue
		}
		key := models.Item(request.Legs[0].Get.Key)
		return Command{
			Kind: "open", Title: "Open " + entityName(r.entity) + " " + shownArgs(env.Session.Masker(), p, nil), Note: "by its key",
			Run: func() tea.Cmd { return Open(Item{Table: p.Pattern.Table, Item: key}) },
		}, true
	}
	if len(r.patterns) == 0 {
		return Command{}, false
	}
	p := r.patterns[0]
	return Command{
		Kind: "open", Title: p.Pattern.Title + "  " + shownArgs(env.Session.Masker(), p, nil), Note: env.OperationWord(p.Pattern.Read.Operation),
		Run: func() tea.Cmd { return Open(Patterns{Pattern: p.Pattern, Args: p.Args, Run: true}) },
	}, true
}

// EntityTitle is what people call items of an entity; "" for nil.
func EntityTitle(e *models.Entity) string {
	if e == nil {
		return ""
	}
	return entityName(e)
}

// IsBlank reports whether a text holds nothing that can be seen.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
