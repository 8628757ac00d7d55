// Package draft is the screen that reviews a profile that was drafted of tables: what was inferred is confirmed, renamed or left
// out, part by part, and the profile is saved.
package draft

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// draftScreen lists the parts of the draft by entity, with the evidence of the selected one and the lines of its entity.
type draftScreen struct {
	screen.Base
	overlay.Split
	env     *screen.Env
	draft   *draft.Review // nil once the profile is saved
	list    *widget.List
	actions widget.Actions

	parts   []draft.Part
	changes int // answers so far, to draw the details again
	edited  bool
	saving  bool
}

// savedMsg is the outcome of saving the draft.
type savedMsg struct {
	profile *profiles.Profile
	err     error
}

var guide = screen.Guide{
	Purpose: "A profile inferred from a sample of the tables. The other screens already use it, with your answers.",
	First: "go through the parts marked ?, and confirm or drop each. " +
		"Rename the entities with e, and remove what you do not need with x. Press s to save the profile.",
	Signs: append([]screen.Sign{
		{Glyph: "?", Means: "inferred; needs confirmation"},
		{Glyph: "·", Means: "inferred; holds for the whole sample"},
		{Glyph: "✓", Means: "confirmed: documented in the profile"},
		{Glyph: "✗", Means: "dropped or removed: not written to the profile"},
	}, screen.MaskSigns...),
}

// New returns the review of the draft that the session's profile is.
func New(env *screen.Env, _ screen.Draft) screen.Screen {
	s := &draftScreen{
		Base: screen.Base{Name: "Draft", Kind: "draft", About: guide}, env: env, draft: env.Review(), list: widget.NewList(env.Styles),
	}
	s.list.SetStill(true)
	s.list.SetPlaceholder("filter by name, format or ?")
	s.list.SetEmpty("No part matches")
	s.actions = env.Keys.Rebind("draft", s.makeActions())
	s.Begin(env, []overlay.Entries{s.list}, func() overlay.Entries { return s.list }, s.cannotConfirm, s.confirm)
	s.fill()
	return s
}

// Actions returns the keys of the screen.
func (s *draftScreen) Actions() widget.Actions { return s.actions }

// Close closes the dialog.
func (s *draftScreen) Close() { s.CloseBox() }

// Edited returns the profile with the answers since the last call, nil without any.
func (s *draftScreen) Edited() *profiles.Profile {
	if !s.edited || s.draft == nil {
		return nil
	}
	s.edited = false
	p, err := s.env.Drafts.UseDraft(s.draft)
	if err != nil {
		return nil // Each answer was checked when it was given.
	}
	return p
}

// Status says how much is to be confirmed, and what the draft recognizes.
func (s *draftScreen) Status() string {
	switch {
	case s.saving:
		return "saving"
	case s.draft == nil:
		return "saved"
	}
	open := 0
	for _, p := range s.parts {
		if p.Check && p.Answer == draft.Unanswered {
			open++
		}
	}
	known, total := s.draft.Recognized()
	return fmt.Sprintf("%d of %s to check · %d of %s of the sample recognized", open, present.Plural(len(s.parts), "part"), known,
		present.Plural(total, "item"))
}

// SetSize puts the details beside the list, or below it on a narrow screen.
func (s *draftScreen) SetSize(w, h int) {
	if w >= present.NarrowBelow {
		s.Arrange(w, h, 0, w*11/20)
		return
	}
	s.Arrange(w, h, max(h, 0)/2, 0)
}

// Update handles what the root does not handle.
func (s *draftScreen) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(savedMsg); ok {
		return s.saved(msg)
	}
	return s.Feed(msg, s.Actions)
}

func (s *draftScreen) makeActions() widget.Actions {
	return append(widget.Actions{
		widget.NewAction("confirm", "enter space", "confirm", "confirm the part, or undo the confirmation", s.cannotConfirm, s.confirm),
		widget.NewAction("drop", "d", "drop", "drop the inferred format, values or condition", s.cannotDrop, s.drop),
		widget.NewAction("rename", "e f2", "rename", "rename the entity", s.cannotAnswer, s.rename),
		widget.NewAction("save", "s ctrl+s", "save", "name the profile and save it", s.isSaved, s.askSave),
		widget.NewAction("remove", "x delete", "remove", "remove the entity, attribute or pattern, or restore it", s.cannotRemove, s.remove),
		widget.NewAction("sensitivity", "m", "masking", "change masking: personal data, secret or none",
			s.cannotMask, s.mask),
		widget.NewAction("all", "a", "all", "confirm every part of the entity; asks first", s.cannotAnswer, s.askAll),
		widget.NewAction("next", "n", "next", "go to the next part to check", s.nothingOpen, s.next),
		widget.NewAction("patterns", "w", "patterns", "open the patterns of the draft", s.isSaved, func() tea.Cmd {
			return screen.Open(screen.Patterns{})
		}),
		widget.NewAction("preview", "v", "preview", "preview the profile file", s.isSaved, s.preview),
		widget.NewAction("filter", "/", "", "filter the list", nil, s.Filter),
		widget.NewAction("pane", "tab shift+tab", "", "switch between the list and the details", nil, s.SwitchPane),
	}, overlay.PaneKeys("list", nil, s.FocusDetails)...)
}

// Scope describes the keys of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "draft", Title: "Draft",
		Does:    "Confirms, renames and saves a profile that was drafted of tables without one.",
		Actions: (&draftScreen{}).makeActions(), Pieces: screen.MovingKeys(),
	}
}

func (s *draftScreen) isSaved() string {
	switch {
	case s.saving:
		return "the profile is being saved"
	case s.draft == nil:
		return "the profile is already saved; edit its file"
	}
	return ""
}

func (s *draftScreen) hasNoPart() string {
	if why := s.isSaved(); why != "" {
		return why
	}
	if s.selected() == nil {
		return "no part is selected"
	}
	return ""
}

func (s *draftScreen) cannotAnswer() string {
	if why := s.hasNoPart(); why != "" {
		return why
	}
	if s.selected().Answer == draft.Removed {
		return "the part is removed; restore it first"
	}
	return ""
}

func (s *draftScreen) cannotConfirm() string {
	if why := s.cannotAnswer(); why != "" {
		return why
	}
	if s.selected().Kind == draft.PatternPart {
		return "a pattern needs no confirmation; remove it if you do not need it"
	}
	return ""
}

func (s *draftScreen) cannotRemove() string {
	if why := s.hasNoPart(); why != "" {
		return why
	}
	if !s.selected().CanRemove() {
		return "select an entity, an attribute or a pattern"
	}
	return ""
}

func (s *draftScreen) cannotDrop() string {
	if why := s.cannotAnswer(); why != "" {
		return why
	}
	if !s.selected().CanDrop() {
		return "nothing to drop: the part has no format, values or condition"
	}
	return ""
}

func (s *draftScreen) cannotMask() string {
	if why := s.cannotAnswer(); why != "" {
		return why
	}
	if s.selected().Kind != draft.AttributePart {
		return "no attribute is selected"
	}
	return ""
}

func (s *draftScreen) open() int {
	it, _ := s.list.Selected()
	at := slices.IndexFunc(s.parts, func(p draft.Part) bool { return p.ID == it.ID })
	for n := range s.parts {
		i := (at + 1 + n) % len(s.parts)
		if p := s.parts[i]; p.Check && p.Answer == draft.Unanswered {
			return i
		}
	}
	return -1
}

func (s *draftScreen) nothingOpen() string {
	if s.open() < 0 {
		return "no part is left to check"
	}
	return ""
}

func (s *draftScreen) next() tea.Cmd {
	s.list.SetFilter("")
	s.list.Select(s.parts[s.open()].ID)
	return nil
}

func (s *draftScreen) answered(err error) tea.Cmd {
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	s.edited = true
	s.fill()
	return nil
}

func (s *draftScreen) confirm() tea.Cmd {
	return s.answered(s.draft.Answer(s.selected().ID, draft.Confirmed))
}

func (s *draftScreen) drop() tea.Cmd {
	return s.answered(s.draft.Answer(s.selected().ID, draft.Dropped))
}

func (s *draftScreen) remove() tea.Cmd {
	p := *s.selected()
	yes := func() tea.Cmd { return s.answered(s.draft.Answer(p.ID, draft.Removed)) }
	if p.Kind != draft.EntityPart || p.Answer == draft.Removed {
		return yes()
	}
	text := s.draft.Removal(p.Entity)
	for i := range text {
		text[i] = models.Printable(text[i]) + "."
	}
	text = append(text, "The entity stays in the list, and can be restored until the profile is saved.")
	s.Box = overlay.NewCalmQuestion("Remove "+models.Printable(p.Name)+"?", "", "Remove", yes, text...)
	return nil
}

func (s *draftScreen) mask() tea.Cmd {
	p := s.selected()
	next := map[models.Sensitivity]models.Sensitivity{models.Open: models.PII, models.PII: models.Secret, models.Secret: models.Open}
	return s.answered(s.draft.SetSensitivity(p.ID, next[p.Sensitivity]))
}

func (s *draftScreen) askAll() tea.Cmd {
	entity := s.selected().Entity
	s.Box = overlay.NewCalmQuestion("Confirm every part?", "", "Confirm", func() tea.Cmd {
		return s.answered(s.draft.ConfirmAll(entity))
	}, "Marks each unanswered part of "+models.Printable(s.entityName(entity))+" as documented.")
	return nil
}

// entityWord matches the names of entities.
var entityWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func (s *draftScreen) rename() tea.Cmd {
	entity := s.selected().Entity
	q := overlay.NewCalmQuestion("Rename the entity", "", "Rename", nil, "The drafted patterns of the entity are renamed too.")
	q.Ask(s.env.Styles, widget.FormField{Name: "name", Label: "Name", Required: true, Width: 44}, func(name string) string {
		if !entityWord.MatchString(name) {
			return "use letters, digits and _, starting with a letter"
		}
		return ""
	})
	q.Form.SetValues(map[string]string{"name": s.entityName(entity)})
	q.Yes = func() tea.Cmd { return s.answered(s.draft.Rename(entity, q.Value())) }
	s.Box = q
	return nil
}

// profileWord matches the names of profiles.
var profileWord = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (s *draftScreen) askSave() tea.Cmd {
	text := "The console reloads the profile when the file changes."
	if open := s.toCheck(); open > 0 {
		text = "Unconfirmed parts are marked CHECK in the file. " + text
	}
	q := overlay.NewCalmQuestion("Save the profile", "", "Save", nil, text)
	q.AskAll(s.env.Styles,
		widget.FormField{Name: "name", Label: "Profile", Required: true, Width: 50, Validate: func(name string) error {
			if !profileWord.MatchString(name) {
				return errors.New("use lowercase letters, digits and -, starting with a letter")
			}
			return nil
		}},
		widget.FormField{Name: "file", Label: "File", Placeholder: "NAME.yaml in the folder of profiles", Width: 50},
	)
	q.Form.SetValues(map[string]string{"name": s.draft.Name()})
	q.Yes = func() tea.Cmd { return s.save(q.Form.Values()) }
	s.Box = q
	return nil
}

func (s *draftScreen) save(values map[string]string) tea.Cmd {
	if err := s.draft.SetName(values["name"]); err != nil {
		return s.answered(err)
	}
	s.saving = true
	drafts, r, file := s.env.Drafts, s.draft, values["file"]
	return func() tea.Msg {
		p, err := drafts.SaveDraft(r, file)
		return savedMsg{p, err}
	}
}

func (s *draftScreen) saved(msg savedMsg) tea.Cmd {
	s.saving = false
	if msg.err != nil {
		return screen.Send(screen.NoticeMsg{Text: msg.err.Error(), Bad: true})
	}
	s.draft, s.edited = nil, false
	return screen.Send(screen.EnterMsg{Profile: msg.profile, Notice: "saved " + models.Printable(msg.profile.File)})
}

func (s *draftScreen) fill() {
	s.changes++
	if s.draft == nil {
		return
	}
	s.parts = s.draft.Parts()
	items := make([]widget.ListItem, len(s.parts))
	for i, p := range s.parts {
		sign, role := answerSign(p)
		items[i] = widget.ListItem{
			ID: p.ID, Section: "Entity " + models.Printable(s.entityName(p.Entity)), Lead: sign, Title: models.Printable(title(p)),
			Badge: models.Printable(badge(p)), BadgeRole: role, Search: sign + " " + models.Printable(p.Inferred),
		}
	}
	s.list.SetItems(items)
}

func answerSign(p draft.Part) (string, widget.Role) {
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

// kindWords name the kinds of parts.
var kindWords = map[draft.PartKind]string{
	draft.EntityPart: "entity", draft.DiscriminatorPart: "when", draft.VersionPart: "version", draft.UpdatedPart: "updated",
	draft.KeyPart: "key", draft.AttributePart: "", draft.PatternPart: "pattern",
}

func title(p draft.Part) string { return present.Join(kindWords[p.Kind], p.Name, " ") }

func badge(p draft.Part) string {
	masked := ""
	if p.Sensitivity != models.Open {
		masked = "◆ " + string(p.Sensitivity)
	}
	return present.Join(p.Inferred, masked, " · ")
}

func (s *draftScreen) selected() *draft.Part {
	it, ok := s.list.Selected()
	for i := range s.parts {
		if ok && s.parts[i].ID == it.ID {
			return &s.parts[i]
		}
	}
	return nil
}

func (s *draftScreen) entityName(entity int) string {
	for _, p := range s.parts {
		if p.Entity == entity && p.Kind == draft.EntityPart {
			return p.Name
		}
	}
	return ""
}

func (s *draftScreen) toCheck() (n int) {
	for _, p := range s.parts {
		if p.Check && p.Answer == draft.Unanswered {
			n++
		}
	}
	return n
}

func (s *draftScreen) preview() tea.Cmd {
	text := string(s.draft.Text())
	sheet := overlay.NewSheet(s.env.Styles, s.draft.Name()+".yaml", func(st *widget.Styles, w int) []string {
		return yamlLines(st, strings.Split(text, "\n"), w)
	})
	sheet.Key, sheet.Copy, sheet.What = "v", text, "the profile"
	s.Box = sheet
	return nil
}

func yamlLines(st *widget.Styles, lines []string, w int) []string {
	var out []string
	for _, line := range lines {
		code, comment, commented := strings.Cut(line, "# ")
		room := max(w-ansi.StringWidth(code), 0)
		text := st.Paint(widget.RoleText, ansi.Truncate(code, w, "…"))
		role := widget.RoleFaint
		if strings.Contains(comment, "CHECK") {
			role = widget.RoleWarn
		}
		if commented {
			text += st.Paint(role, ansi.Truncate("# "+comment, room, "…"))
		}
		out = append(out, text)
	}
	return out
}

// View draws the list and the details.
func (s *draftScreen) View() string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	st := s.env.Styles
	it, _ := s.list.Selected()
	list := widget.Panel{Title: "Inferred", Note: present.Plural(s.toCheck(), "part") + " to check", Focused: !s.OnDetails}.
		Render(st, s.list.View(), s.Rows.W, s.Rows.H)
	about := widget.Panel{Title: "Details", Focused: s.OnDetails}
	details := s.Details.Panel(about, s.Text.W, s.Text.H, struct {
		id      string
		changes int
	}{it.ID, s.changes}, s.detailLines)
	view := widget.Rows(list, details)
	if s.Text.X > 0 {
		view = widget.Columns(list, details)
	}
	return s.DrawBox(st, view, s.W, s.H)
}

func (s *draftScreen) detailLines(w int) []string {
	t := &present.Facts{Styles: s.env.Styles, Label: 10, Width: w}
	p := s.selected()
	if p == nil || s.draft == nil {
		return nil
	}
	sign, role := answerSign(*p)
	t.Paragraph(widget.RoleTitle, title(*p))
	t.Text("inferred", widget.RoleText, p.Inferred)
	if p.Kind == draft.AttributePart {
		t.Text("masking", widget.RoleText, maskingWords[p.Sensitivity])
	}
	t.Text("evidence", widget.RoleText, p.Evidence)
	t.Text("answer", role, sign+" "+answerWords(p))
	t.Blank()
	if p.Answer == draft.Removed && p.Kind != draft.AttributePart { // nothing of it is in the file
		return t.Lines
	}
	t.Lines = append(t.Lines, present.Heading(s.env.Styles, "In the file", w))
	t.Lines = append(t.Lines, yamlLines(s.env.Styles, s.fileLines(p), w)...)
	return t.Lines
}

// maskingWords explain a sensitivity.
var maskingWords = map[models.Sensitivity]string{
	models.Open:   "shown",
	models.PII:    "personal data: masked until revealed with a reason",
	models.Secret: "secret: never shown",
}

func answerWords(p *draft.Part) string {
	switch {
	case p.Answer == draft.Confirmed:
		return "confirmed"
	case p.Answer == draft.Dropped:
		return "dropped: not written to the profile"
	case p.Answer == draft.Removed:
		return "removed: not written to the profile; press x to restore it"
	case p.Kind == draft.PatternPart:
		return "none needed"
	case p.Check && p.CanDrop():
		return "open: press enter to confirm or d to drop"
	case p.Check:
		return "open: press enter to confirm"
	}
	return "none needed: it holds for the whole sample"
}

func (s *draftScreen) fileLines(p *draft.Part) []string {
	lines := strings.Split(string(s.draft.Text()), "\n")
	head := "  " + s.entityName(p.Entity) + ":"
	if p.Kind == draft.PatternPart {
		head = "  " + p.Name + ":"
	}
	var out []string
	inside := false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, head):
			inside = true
		case inside && (line == "" || !strings.HasPrefix(line, "   ")):
			return out
		}
		if inside {
			out = append(out, line)
		}
	}
	return out
}

var _ screen.ProfileEditor = (*draftScreen)(nil)
