package decode

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// openShown is the maximum number of commands for a text.
const openShown = 3

// OpenCommands returns commands that open the items and patterns of a key or an ID, best first, and whether the text is
// spelled like a key or an item, or almost like a key. A text that may be a name is neither.
func OpenCommands(env *screen.Env, text string) (list []screen.Command, spelled bool) {
	if !present.LooksLikeKey(text) {
		return nil, false
	}
	r := decode(env, text)
	spelled = len(r.near) > 0
	for i := range r.matches {
		found := &r.matches[i]
		spelled = spelled || found.item != nil || len(found.keys) > 0 && found.score() > 0
		if len(list) == openShown || found.score() == 0 || len(found.warnings) > 0 {
			continue
		}
		if c, ok := openCommand(env, found); ok {
			list = append(list, c)
		}
	}
	return list, spelled
}

func openCommand(env *screen.Env, r *match) (screen.Command, bool) {
	if slices.ContainsFunc(r.patterns, func(p accesspatterns.Related) bool { return maskedArgs(p.Args) }) {
		return screen.Command{}, false
	}
	for _, p := range r.patterns {
		if p.Pattern.Read.Operation != accesspatterns.Get {
			continue
		}
		request, err := env.Reading.Bind(p.Pattern, p.Args)
		if err != nil || len(request.Legs) != 1 || request.Legs[0].Get == nil {
			continue
		}
		key := models.Item(request.Legs[0].Get.Key)
		return screen.Command{
			Kind:  "open",
			Title: "Open " + present.EntityName(r.entity) + " " + present.ShownArgs(env.Session.Masker(), p, nil),
			Note:  "by its key",
			Run:   func() tea.Cmd { return screen.Open(screen.Item{Table: p.Pattern.Table, Item: key}) },
		}, true
	}
	if len(r.patterns) == 0 {
		return screen.Command{}, false
	}
	p := r.patterns[0]
	return screen.Command{
		Kind: "open", Title: p.Pattern.Title + "  " + present.ShownArgs(env.Session.Masker(), p, nil),
		Note: env.OperationWord(p.Pattern.Read.Operation),
		Run:  func() tea.Cmd { return screen.Open(screen.Patterns{Pattern: p.Pattern, Args: p.Args, Run: true}) },
	}, true
}

func maskedArgs(args map[string]string) bool {
	for _, v := range args {
		if models.LooksMasked(v) {
			return true
		}
	}
	return false
}
