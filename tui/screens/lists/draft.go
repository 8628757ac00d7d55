package lists

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Draft reviews a schema drafted from tables. The user confirms, renames or removes each inferred part and then saves
// the schema.
var Draft = screen.Registration{
	Scope: func() screen.Scope {
		return screen.Scope{
			Name: "draft", Title: "Draft", Does: "Confirms, renames and saves a schema drafted from tables without one.",
			Actions: listing.Keys((&draftScreen{}).spec()), Pieces: screen.GridKeys(),
		}
	},
	Open: screen.OpenFunc(func(env *screen.Env, _ screen.Draft) screen.Screen {
		s := &draftScreen{draft: env.Review(), folded: true}
		s.rebuildRows()
		s.Screen = listing.New(env, s.spec())
		return s
	}),
}

type part = *draft.Part

type draftScreen struct {
	*listing.Screen[part]
	draft  *draft.Review // nil after the user saved the schema
	rows   atomic.Pointer[listing.Rows[part]]
	all    []part // all parts; rows contains only the questions and one folded row until the user expands it
	folded bool
	edited bool
	saving bool
}

// restID is the ID of the row that represents the parts without questions.
const restID = "rest"

func isRest(p part) bool { return p.ID == restID }

var draftGuide = screen.Guide{
	Purpose: "A schema inferred from a sample of the tables. The other screens already use it, with your answers.",
	First: "press enter on each part marked ? to confirm it and go on, or drop it with o d. " +
		"Rename an entity with o e, and remove a part that you do not need with o x. Press ctrl+s to save the schema.",
	Signs: screen.Signs([]screen.Sign{
		{Glyph: "?", Meaning: "inferred; needs confirmation"},
		{Glyph: "·", Meaning: "inferred; true for the whole sample"},
		{Glyph: "✓", Meaning: "confirmed: documented in the schema"},
		{Glyph: "✗", Meaning: "dropped or removed: not written to the schema"},
	}, screen.MaskSigns),
}

func (s *draftScreen) spec() *listing.Spec[part] {
	return &listing.Spec[part]{
		Name: "draft", Title: "Draft", Heading: "Inferred", Noun: "part", Guide: draftGuide, Layout: listing.Beside, BesideFrom: 160,
		ID:     func(p part) string { return p.ID },
		Label:  func(_ *screen.Env, p part) string { return partTitle(p) },
		Search: func(p part) string { return "entity " + s.entityName(p) },
		Empty:  listing.None("The schema is saved", ""),
		Load: func(context.Context, *screen.Env, *listing.Reading[part]) (listing.Rows[part], error) {
			return *s.rows.Load(), nil
		},
		Columns: []listing.Column[part]{
			{Column: widget.Column{Width: 1, Frozen: true}, Cell: func(_ *screen.Env, p part) widget.Cell {
				sign, role := answerSign(p)
				return widget.Cell{Text: sign, Role: role}
			}},
			listing.Text("entity", func(p part) string { return models.Printable(s.entityName(p)) }),
			listing.Text("part", func(p part) string { return models.Printable(partTitle(p)) }),
			{Column: widget.Column{Title: "inferred", Weight: 1}, Cell: func(_ *screen.Env, p part) widget.Cell {
				_, role := answerSign(p)
				text := p.Inferred
				if p.Sensitivity != models.NotSensitive {
					text += " · ◆ " + string(p.Sensitivity)
				}
				return widget.Cell{Text: models.Printable(text), Role: role}
			}},
		},
		Facts:   s.facts,
		Actions: s.actions(),
	}
}

func (s *draftScreen) actions() []listing.Action[part] {
	answer := func(a draft.Answer, kind func(p part) bool) func(*listing.Screen[part], []part) tea.Cmd {
		return func(_ *listing.Screen[part], list []part) tea.Cmd {
			var err error
			for _, p := range list { // Some marked parts may not accept this answer.
				if p.Answer != draft.Removed && kind(p) {
					err = errors.Join(err, s.draft.Answer(p.ID, a))
				}
			}
			return s.handleAnswer(err)
		}
	}
	checkPart := func(kind func(p part) bool, fallback string) func(*screen.Env, part) error {
		return listing.CheckAll(s.isSaved,
			listing.Require(func(p part) bool { return !isRest(p) }, "press enter to list these parts"),
			listing.Require(func(p part) bool { return p.Answer != draft.Removed }, "the part is removed; restore it first"),
			listing.Require(kind, fallback))
	}
	isPart := checkPart(func(part) bool { return true }, "")
	isConfirmable := func(p part) bool { return p.Kind != draft.PatternPart && p.Kind != draft.LifecyclePart }
	return []listing.Action[part]{
		s.confirmAction(checkPart(isConfirmable, "patterns need no confirmation"), answer(draft.Confirmed, isConfirmable)),
		{
			Name: "drop", Keys: "o>d", Desc: "drop", Long: "drop the inferred format, values or condition",
			Can: checkPart(part.CanDrop, "nothing to drop: the part has no format, values or condition"),
			All: answer(draft.Dropped, part.CanDrop),
		},
		{
			Name: "rename", Keys: "o>e f2", Desc: "rename", Long: "rename the entity",
			Can: isPart, Run: s.rename,
		},
		{Name: "save", Keys: "ctrl+s", Desc: "save", Long: "name the schema and save it", Free: true, Can: s.isSaved, Run: s.promptSave},
		{
			Name: "remove", Keys: "o>x delete", Desc: "remove", Long: "remove the entity, attribute or pattern, or restore it",
			Can: listing.CheckAll(s.isSaved, listing.Require(func(p part) bool { return !isRest(p) && p.CanRemove() },
				"select an entity, an attribute or a pattern")),
			Run: s.remove,
		},
		{
			Name: "sensitivity", Keys: "o>m", Desc: "masking", Long: "change masking: personal data, secret or none",
			Can: checkPart(func(p part) bool { return p.Kind == draft.AttributePart }, "no attribute is selected"),
			Run: func(_ *listing.Screen[part], p part) tea.Cmd {
				next := map[models.Sensitivity]models.Sensitivity{
					models.NotSensitive: models.PII,
					models.PII:          models.Secret,
					models.Secret:       models.NotSensitive,
				}
				return s.handleAnswer(s.draft.SetSensitivity(p.ID, next[p.Sensitivity]))
			},
		},
		{
			Name: "states", Keys: "o>l", Desc: "open states", Long: "choose the states in which work remains; adds a lifecycle and a queue",
			Can: checkPart(func(p part) bool { return p.Kind == draft.LifecyclePart }, "no states are selected"),
			Run: s.promptStates,
		},
		{
			Name: "all", Keys: "o>a", Desc: "confirm all", Long: "confirm every part of the entity; asks first",
			Can: isPart, Run: s.confirmAll,
		},
		{
			Name: "next", Keys: "n", Desc: "next", Long: "go to the next part to check", Free: true,
			Can: listing.Require(func(part) bool { return s.nextOpen() != "" }, "no part is left to check"),
			Run: func(l *listing.Screen[part], _ part) tea.Cmd { return l.ReloadAt(s.nextOpen()) },
		},
		{
			Name: "patterns", Keys: "o>w", Desc: "patterns", Long: "open the patterns of the draft", Free: true, Can: s.isSaved,
			Open: func(part) screen.Target { return screen.Patterns{} },
		},
		{Name: "preview", Keys: "v", Desc: "preview", Long: "preview the schema file", Free: true, Can: s.isSaved, Run: s.preview},
	}
}

// confirmAction confirms parts. It expands the folded row instead, and prompts for the open states.
func (s *draftScreen) confirmAction(
	can func(*screen.Env, part) error, confirm func(*listing.Screen[part], []part) tea.Cmd,
) listing.Action[part] {
	return listing.Action[part]{
		Name: "confirm", Keys: "enter", Desc: "confirm",
		Long: "confirm the selected part or the marked ones, and go to the next",
		Can: func(e *screen.Env, p part) error {
			if isRest(p) || p.Kind == draft.LifecyclePart {
				return s.isSaved(e, p)
			}
			return can(e, p)
		},
		All: func(l *listing.Screen[part], list []part) tea.Cmd {
			switch {
			case slices.ContainsFunc(list, isRest):
				return s.unfold()
			case len(list) == 1 && list[0].Kind == draft.LifecyclePart:
				return s.promptStates(l, list[0])
			}
			wasPrompted := slices.ContainsFunc(list, isOpen)
			cmd := confirm(l, list)
			if !wasPrompted {
				return cmd
			}
			return tea.Batch(cmd, s.selectNext(l))
		},
	}
}

// selectNext selects the next part to check. After the last one it asks whether to save.
func (s *draftScreen) selectNext(l *listing.Screen[part]) tea.Cmd {
	next := s.nextOpen()
	switch {
	case next != "":
		return l.ReloadAt(next)
	case slices.ContainsFunc(s.all, isOpen):
		return nil // The part is not visible.
	}
	return s.promptSave(l, nil)
}

func (s *draftScreen) isSaved(*screen.Env, part) error {
	switch {
	case s.saving:
		return errors.New("the schema is being saved")
	case s.draft == nil:
		return errors.New("the schema is already saved; edit its file")
	}
	return nil
}

// rebuildRows copies the data for the command, because only Bubble Tea's goroutine may use the review.
func (s *draftScreen) rebuildRows() {
	rows := listing.Rows[part]{}
	s.all = nil
	if s.draft != nil {
		parts, open := s.draft.Parts(), 0
		var rest []part
		for i := range parts {
			p := &parts[i]
			s.all = append(s.all, p)
			if isOpen(p) {
				open++
			}
			if isQuestion := p.Check || p.Kind == draft.LifecyclePart; isQuestion {
				rows.List = append(rows.List, p)
			} else {
				rest = append(rest, p)
			}
		}
		if s.folded = s.folded && len(rows.List) > 0; !s.folded {
			rows.List = s.all
		} else if len(rest) > 0 {
			rows.List = append(rows.List, &draft.Part{
				ID: restID, Kind: draft.PatternPart, Entity: -1, Name: present.Plural(len(rest), "more part"),
				Inferred: "inferred from the whole sample; press enter for the list",
			})
		}
		recognized, total := s.draft.Recognized()
		rows.Note = present.Plural(open, "part") + " to check"
		rows.Status = fmt.Sprintf("%d of %s to check · %d of %s of the sample recognized", open,
			present.Plural(len(parts), "part"), recognized,
			present.Plural(total, "item"))
	}
	s.rows.Store(&rows)
}

func (s *draftScreen) unfold() tea.Cmd {
	s.folded = false
	s.rebuildRows()
	first := slices.IndexFunc(s.all, func(p part) bool { return !p.Check && p.Kind != draft.LifecyclePart })
	return s.ReloadAt(s.all[max(first, 0)].ID)
}

func isOpen(p part) bool { return p.Check && p.Answer == draft.Unanswered }

func (s *draftScreen) entityName(of part) string {
	i := slices.IndexFunc(s.all, func(p part) bool { return p.Entity == of.Entity && p.Kind == draft.EntityPart })
	if i < 0 {
		return ""
	}
	return s.all[i].Name
}

func (s *draftScreen) nextOpen() string {
	now, _, _ := s.Selected()
	list := s.Filtered()
	at := slices.Index(list, now)
	for n := range list {
		if p := list[(at+1+n)%len(list)]; isOpen(p) {
			return p.ID
		}
	}
	return ""
}

func (s *draftScreen) handleAnswer(err error) tea.Cmd {
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	s.edited = true
	s.rebuildRows()
	byID := map[string]part{}
	for _, p := range s.rows.Load().List {
		byID[p.ID] = p
	}
	s.Unmark()
	s.Change(func(p part) (part, bool) { return byID[p.ID], byID[p.ID] != nil })
	return s.ReadAgain()
}

func (s *draftScreen) Edited() *profiles.Profile {
	if !s.edited || s.draft == nil {
		return nil
	}
	s.edited = false
	p, err := s.Env.Drafts.UseDraft(s.draft)
	if err != nil {
		return nil // Each answer was already checked when the user gave it.
	}
	return p
}

var _ screen.ProfileEditor = (*draftScreen)(nil)

func (s *draftScreen) Update(msg tea.Msg) tea.Cmd {
	if press, ok := msg.(tea.KeyPressMsg); ok && press.String() == "/" && s.folded { // The filter applies to all parts.
		return tea.Batch(s.unfold(), s.Screen.Update(msg))
	}
	return s.Screen.Update(msg)
}

func (s *draftScreen) remove(l *listing.Screen[part], p part) tea.Cmd {
	yes := func() tea.Cmd { return s.handleAnswer(s.draft.Answer(p.ID, draft.Removed)) }
	if p.Kind != draft.EntityPart || p.Answer == draft.Removed {
		return yes()
	}
	text := s.draft.Removal(p.Entity)
	for i := range text {
		text[i] = models.Printable(text[i]) + "."
	}
	text = append(text, "You can restore the entity from this list until you save the schema.")
	l.Box = overlay.NewHarmlessQuestion("Remove "+models.Printable(p.Name)+"?", "", "Remove", yes, text...)
	return nil
}

func (s *draftScreen) confirmAll(l *listing.Screen[part], p part) tea.Cmd {
	l.Box = overlay.NewHarmlessQuestion("Confirm every part?", "", "Confirm", func() tea.Cmd {
		return s.handleAnswer(s.draft.ConfirmAll(p.Entity))
	}, "Marks each unanswered part of "+models.Printable(s.entityName(p))+" as documented.")
	return nil
}

// These expressions match valid names of entities and schemas.
var (
	entityWord  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	profileWord = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

func (s *draftScreen) rename(l *listing.Screen[part], p part) tea.Cmd {
	q := overlay.NewHarmlessQuestion("Rename the entity", "", "Rename", nil, "The drafted patterns of the entity are renamed too.")
	q.Prompt(l.Env.Styles, widget.FormField{Name: "name", Label: "Name", Required: true, Width: 44}, func(name string) string {
		if !entityWord.MatchString(name) {
			return "use letters, digits and _, starting with a letter"
		}
		return ""
	})
	q.Form.SetValues(map[string]string{"name": s.entityName(p)})
	q.Yes = func() tea.Cmd { return s.handleAnswer(s.draft.Rename(p.Entity, q.Value())) }
	l.Box = q
	return nil
}

func (s *draftScreen) promptStates(l *listing.Screen[part], p part) tea.Cmd {
	list, open := widget.NewList(l.Env.Styles), map[string]bool{}
	showStates := func() {
		list.SetItems(models.MapSlice(p.States, func(state string) widget.ListItem {
			return widget.ListItem{ID: state, Lead: map[bool]string{false: "[ ]", true: "[x]"}[open[state]], Title: models.Printable(state)}
		}))
	}
	list.HideFilter()
	showStates()
	text := models.Printable(p.Inferred) + ". Items in the marked states are a queue; the other states are final."
	l.Box = &overlay.Picker{
		Title: "In which states does work remain?", Note: "space mark · enter make lifecycle", List: list, MaxWidth: 84,
		MaxHeight: len(p.States) + 5,
		Above:     func(st *widget.Styles, w int) []string { return append(widget.Wrap(st, widget.RoleMuted, text, w), "") },
		Key: func(press tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
			if at, ok := list.Selected(); ok && press.String() == "space" {
				open[at.ID] = !open[at.ID]
				showStates()
				return nil, true
			}
			return nil, false
		},
		Choose: func(string, string, bool) (cmd tea.Cmd, done bool) {
			states := slices.DeleteFunc(slices.Clone(p.States), func(state string) bool { return !open[state] })
			if len(states) == 0 {
				return screen.Send(screen.NoticeMsg{Text: "mark at least one state with space"}), false
			}
			cmd = s.handleAnswer(s.draft.SetOpen(p.ID, states))
			return tea.Batch(cmd, s.selectNext(l)), true
		},
	}
	return nil
}

func (s *draftScreen) promptSave(l *listing.Screen[part], _ part) tea.Cmd {
	text := "The console reloads the schema when the file changes."
	if slices.ContainsFunc(s.all, isOpen) {
		text = "Unconfirmed parts are marked CHECK in the file. " + text
	}
	q := overlay.NewHarmlessQuestion("Save the schema", "", "Save", nil, text)
	q.PromptAll(l.Env.Styles,
		widget.FormField{Name: "name", Label: "Schema", Required: true, Width: 50, Validate: func(name string) error {
			if !profileWord.MatchString(name) {
				return errors.New("use lowercase letters, digits and -, starting with a letter")
			}
			return nil
		}},
		widget.FormField{Name: "file", Label: "File", Placeholder: "profiles/NAME.yaml in the configuration folder", Width: 50},
	)
	q.Form.SetValues(map[string]string{"name": s.draft.Name()})
	q.Yes = func() tea.Cmd { return s.save(q.Form.Values()) }
	l.Box = q
	return nil
}

func (s *draftScreen) save(values map[string]string) tea.Cmd {
	if err := s.draft.SetName(values["name"]); err != nil {
		return s.handleAnswer(err)
	}
	s.saving = true
	drafts, r, file := s.Env.Drafts, s.draft, values["file"]
	return func() tea.Msg {
		p, err := drafts.SaveDraft(r, file)
		return screen.Answer(func() tea.Cmd { return s.finishSave(p, err) })
	}
}

func (s *draftScreen) finishSave(p *profiles.Profile, err error) tea.Cmd {
	s.saving = false
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	s.draft, s.edited = nil, false
	notice := "saved " + models.Printable(p.File)
	if p.IsProduction() && !s.Env.Session.Production() {
		notice = "a table name now counts as production; " + notice
	}
	return screen.Send(screen.EnterMsg{Profile: p, Notice: notice})
}

func answerSign(p part) (string, widget.Role) {
	switch {
	case p.Answer == draft.Confirmed:
		return "✓", widget.RoleGood
	case p.Answer == draft.Dropped, p.Answer == draft.Removed:
		return "✗", widget.RoleBad
	case p.Check:
		return "?", widget.RoleWarn
	}
	return "·", widget.RoleMuted
}

// kindWords maps each kind of part to its name.
var kindWords = map[draft.PartKind]string{
	draft.EntityPart: "entity", draft.DiscriminatorPart: "when", draft.VersionPart: "version", draft.UpdatedPart: "updated",
	draft.KeyPart: "key", draft.AttributePart: "", draft.PatternPart: "pattern", draft.LifecyclePart: "states of",
}

func partTitle(p part) string {
	if isRest(p) {
		return p.Name
	}
	return present.Join(kindWords[p.Kind], p.Name, " ")
}

func (s *draftScreen) preview(l *listing.Screen[part], _ part) tea.Cmd {
	text := string(s.draft.Text())
	sheet := overlay.NewSheet(l.Env.Styles, s.draft.Name()+".yaml", func(st *widget.Styles, w int) []string {
		return yamlLines(st, strings.Split(text, "\n"), w)
	})
	sheet.Key, sheet.Copy, sheet.What = "v", text, "the schema"
	l.Box = sheet
	return nil
}

// yamlName matches the part of a line of YAML before the value.
var yamlName = regexp.MustCompile(`^ *(- )?([^ ]+: )?`)

func yamlLines(st *widget.Styles, lines []string, w int) []string {
	var out []string
	for _, line := range lines {
		code, comment, commented := strings.Cut(line, "# ")
		role := widget.RoleFaint
		if strings.Contains(comment, "CHECK") {
			role = widget.RoleWarn
		}
		if commented && ansi.StringWidth(line) <= w {
			out = append(out, st.Paint(widget.RoleText, code)+st.Paint(role, "# "+comment))
			continue
		}
		lead := yamlName.FindString(code)
		if value := strings.TrimSpace(code[len(lead):]); !commented || code != lead {
			out = append(out, present.HangingIndent(st, widget.RoleText, lead, value, w)...)
		}
		if commented {
			out = append(out, present.HangingIndent(st, role, strings.Repeat(" ", len(lead))+"# ", comment, w)...)
		}
	}
	return out
}

// maskingWords describes the sensitivities.
var maskingWords = map[models.Sensitivity]string{
	models.NotSensitive: "shown",
	models.PII:          "personal data: masked until revealed with a reason",
	models.Secret:       "secret: never shown",
}

func (s *draftScreen) facts(e *screen.Env, p part) []listing.Fact {
	if isRest(p) {
		return []listing.Fact{{Text: p.Name, Role: widget.RoleTitle}, {Text: p.Inferred}}
	}
	sign, role := answerSign(p)
	list := []listing.Fact{{Text: partTitle(p), Role: widget.RoleTitle}, {Label: "inferred", Text: p.Inferred}}
	if p.Kind == draft.AttributePart {
		list = append(list, listing.Fact{Label: "masking", Text: maskingWords[p.Sensitivity]})
	}
	list = append(list, listing.Fact{Label: "evidence", Text: p.Evidence},
		listing.Fact{Label: "answer", Role: role, Text: sign + " " + answerWords(p)})
	if s.draft == nil || p.Answer == draft.Removed && p.Kind != draft.AttributePart { // not in the new file
		return list
	}
	return append(list, listing.Heading("In the file"), listing.Fact{Lines: func(w int) []string {
		return yamlLines(e.Styles, s.fileLines(p), w)
	}})
}

func answerWords(p part) string {
	switch {
	case p.Answer == draft.Confirmed:
		return "confirmed"
	case p.Answer == draft.Dropped:
		return "dropped: not written to the schema"
	case p.Answer == draft.Removed:
		return "removed: not written to the schema; press o x to restore it"
	case p.Kind == draft.PatternPart:
		return "not needed"
	case p.Kind == draft.LifecyclePart:
		return "open: press enter to name the states in which work remains"
	case p.Check && p.CanDrop():
		return "open: press enter to confirm or o d to drop"
	case p.Check:
		return "open: press enter to confirm"
	}
	return "not needed: true for the whole sample"
}

func (s *draftScreen) fileLines(p part) []string {
	name := s.entityName(p)
	if p.Kind == draft.PatternPart {
		name = p.Name
	}
	lines := strings.Split(string(s.draft.Text()), "\n")
	from := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  "+name+":") })
	if from < 0 {
		return nil
	}
	for i, line := range lines[from+1:] {
		if !strings.HasPrefix(line, "   ") {
			return lines[from : from+1+i]
		}
	}
	return lines[from:]
}
