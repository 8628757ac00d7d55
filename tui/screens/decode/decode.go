// Package decode contains the screen that explains a pasted key, ID or item.
package decode

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// decodeField is the name of the input field.
const decodeField = "key"

// A decodeScreen decodes text while the user types it.
type decodeScreen struct {
	screen.Base
	overlay.Host
	env  *screen.Env
	form *widget.Form
	// pastedText is pasted text that does not fit into one editable line: JSON or text with control characters. The screen
	// shows a shortened form, and typing replaces it.
	pastedText  string
	decodedText string // text that result explains

	keyText func(*models.Masker) string // returns the text of an item's key; nil for typed text
	masker  *models.Masker              // masker that the text and result use

	result       decodeResult
	visibleMatch int // index of the visible match
	patterns     *widget.Fields
	pager        *widget.Pager

	w, h        int
	patternsTop int // first line of the patterns within the panel
	bar         widget.Tabs
}

// New returns the decoder screen.
func New(env *screen.Env, to screen.Decode) screen.Screen {
	if to.KeyText == nil {
		return newDecode(env, to.Text)
	}
	s := newDecode(env, to.KeyText(env.Session.Masker()))
	s.keyText = to.KeyText
	return s
}

func newDecode(env *screen.Env, text string) *decodeScreen {
	s := &decodeScreen{
		Base: screen.Base{Name: "Decode", About: guide}, env: env, patterns: widget.NewFields(env.Styles),
		pager: widget.NewPager(env.Styles), bar: widget.Tabs{Plain: true},
	}
	s.Panes = s.panes
	s.form = widget.NewForm(env.Styles, widget.FormField{
		Name: decodeField, Label: "Decode", Placeholder: "paste a key, PK / SK, an ID, or an item as JSON", Width: 400,
	})
	s.masker = env.Session.Masker()
	s.setText(text)
	s.refresh()
	return s
}

func (s *decodeScreen) checkMasker() {
	if s.masker == s.env.Session.Masker() {
		return
	}
	s.masker = s.env.Session.Masker()
	if keyText := s.keyText; keyText != nil {
		s.setText(keyText(s.masker))
		s.keyText = keyText
	}
	s.result.done = false
	s.refresh()
}

// Typing returns true, because every printable key belongs to the text.
func (s *decodeScreen) Typing() bool { return true }

func (s *decodeScreen) Status() string { return s.result.status() }

func (s *decodeScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.form.SetStyles(st)
	s.patterns.SetStyles(st)
	s.pager.SetStyles(st)
	s.layout()
}

func (s *decodeScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("decode", s.makeActions())
	if as[0].Desc = "run"; s.visibleMatch < len(s.result.matches) && s.result.matches[s.visibleMatch].item != nil {
		as[0].Desc = "open the item"
	}
	return as
}

func (s *decodeScreen) makeActions() widget.Actions {
	return widget.Actions{
		widget.NewAction("enter", "enter", "open", "run the chosen pattern, or open the pasted item",
			s.enterDisabled, s.enter),
		widget.NewAction("next-reading", "tab", "next match", "", s.noOtherMatch, func() tea.Cmd { return s.switchMatch(1) }),
		widget.NewAction("previous-reading", "shift+tab", "", "previous match",
			s.noOtherMatch, func() tea.Cmd { return s.switchMatch(-1) }),
		{
			Name: "choose", Binding: widget.Bind("↑↓", "down", "up"), Desc: "choose", Long: "choose the entry to open",
			Disabled: s.enterDisabled,
		},
		widget.NewAction("clear", "ctrl+u", "clear", "", func() string {
			if s.text() == "" {
				return "the text is empty"
			}
			return ""
		}, func() tea.Cmd {
			s.setText("")
			s.refresh()
			return nil
		}),
	}
}

func (s *decodeScreen) noOtherMatch() string {
	if len(s.result.matches) < 2 {
		return "no other match"
	}
	return ""
}

func (s *decodeScreen) switchMatch(by int) tea.Cmd {
	n := len(s.result.matches)
	s.visibleMatch = (s.visibleMatch + by + n) % n
	s.showResult()
	return nil
}

func (s *decodeScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.PasteMsg:
		s.paste(msg)
	case tea.KeyPressMsg:
		if c, used := screen.Press(s.Actions(), msg); used {
			return c
		}
		switch msg.String() {
		case "esc":
			return screen.Send(screen.BackMsg{})
		case "up", "down", "pgup", "pgdown":
			s.patterns.Update(msg)
			return nil
		}
		if s.pastedText != "" && (msg.Text != "" || msg.String() == "backspace" || msg.String() == "delete") {
			s.setText("")
		}
		cmd, _ = s.form.Update(msg)
	default:
		cmd, _ = s.form.Update(msg)
	}
	s.refresh()
	return cmd
}

func (s *decodeScreen) paste(msg tea.PasteMsg) {
	text := strings.Trim(msg.Content, "\r\n\t ")
	if s.pastedText == "" && isOnOneLine(text) && s.form.Values()[decodeField] != "" {
		s.form.Update(tea.PasteMsg{Content: text})
		return
	}
	s.setText(text)
}

func (s *decodeScreen) setText(text string) {
	s.pastedText, s.keyText = "", nil
	line := strings.NewReplacer("\r\n", " / ", "\n", " / ", "\t", " / ").Replace(strings.Trim(text, "\r\n\t "))
	if len(text) <= maxLineLength && !strings.HasPrefix(line, "{") && isOnOneLine(line) {
		s.form.SetValues(map[string]string{decodeField: line})
		return
	}
	s.pastedText = text
	s.form.SetValues(map[string]string{decodeField: ""})
}

// maxLineLength is the maximum length of an editable line in bytes; the screen holds longer text.
const maxLineLength = 4096

func isOnOneLine(text string) bool {
	return len(text) <= maxLineLength && strings.IndexFunc(text, unicode.IsControl) < 0
}

func (s *decodeScreen) text() string { return cmp.Or(s.pastedText, s.form.Values()[decodeField]) }

func (s *decodeScreen) refresh() {
	text := s.text()
	if text == s.decodedText && s.result.done {
		return
	}
	s.decodedText, s.visibleMatch = text, 0
	s.result = decode(s.env, text)
	s.showResult()
}

func (s *decodeScreen) showResult() {
	s.pager.Invalidate()
	rows := []widget.FieldRow{}
	if s.visibleMatch < len(s.result.matches) {
		rows = s.result.matches[s.visibleMatch].rows(s.env)
	}
	s.patterns.SetRows(rows)
	s.patterns.Select(0)
	s.layout()
}

func (s *decodeScreen) enterDisabled() string {
	if s.visibleMatch >= len(s.result.matches) {
		return "no match to open"
	}
	r := s.result.matches[s.visibleMatch]
	if r.item == nil && len(r.patterns) == 0 {
		return "the text is not enough to run a pattern"
	}
	return ""
}

func (s *decodeScreen) enter() tea.Cmd {
	r := s.result.matches[s.visibleMatch]
	if r.item != nil {
		return screen.Open(screen.Item{Table: r.entity.Table, Item: r.item})
	}
	_, i, ok := s.patterns.Selected()
	if !ok || i >= len(r.patterns) {
		return nil
	}
	p := r.patterns[i]
	if hasMaskedArg(p.Args) {
		return screen.Send(screen.NoticeMsg{Text: "the key is partly masked; open the item and run the pattern from there", Bad: true})
	}
	return screen.Open(screen.Patterns{Pattern: p.Pattern, Args: p.Args, Run: true})
}

func (s *decodeScreen) Stage() screen.Stage {
	return screen.Stage{Place: "decode", Decoded: s.decodedText != ""}
}

// guide is the introduction in the screen's help.
var guide = screen.Guide{
	Purpose: "Explains a key, an ID or an item as JSON: the entity, the meaning of each part, and the patterns that you can run with it.",
	First:   "paste the text. Press enter on a pattern to run it.",
	Signs: []screen.Sign{
		{Glyph: "▸", Meaning: "the part of the key that this line explains"},
		{Glyph: "{name}", Meaning: "a placeholder: a part of a key that differs between items"},
		{Glyph: models.MaskedText, Meaning: "masked personal data in the key"},
	},
}

// Scope returns the key table of the screen.
func Scope() screen.Scope {
	return screen.Scope{
		Name: "decode", Title: "Decode",
		Does:    "Decodes pasted keys, IDs and items.",
		Actions: (&decodeScreen{}).makeActions(), Types: true,
	}
}

// openShown is the maximum number of commands to offer for a text.
const openShown = 3

// OpenCommands returns commands that open the items and patterns for a key or an ID, best first. spelled reports
// whether the text has the form of a key or an item, or nearly that of a key. If the text may be a name, OpenCommands
// returns nil and false.
func OpenCommands(env *screen.Env, text string) (list []screen.Command, spelled bool) {
	if !present.LooksLikeKey(text) {
		return nil, false
	}
	r := decode(env, text)
	spelled = len(r.nearMatches) > 0
	for i := range r.matches {
		found := &r.matches[i]
		spelled = spelled || found.item != nil || len(found.keys) > 0 && found.score() > 0
		if len(list) == openShown || found.score() == 0 || len(found.warnings) > 0 {
			continue
		}
		if c, ok := openCommand(env, found); ok && !slices.ContainsFunc(list, func(o screen.Command) bool { return o.Title == c.Title }) {
			list = append(list, c)
		}
	}
	return list, spelled
}

func openCommand(env *screen.Env, r *match) (screen.Command, bool) {
	if slices.ContainsFunc(r.patterns, func(p accesspatterns.Related) bool { return hasMaskedArg(p.Args) }) {
		return screen.Command{}, false
	}
	open := func(key models.Item, text string) (screen.Command, bool) {
		run := func() tea.Cmd { return screen.Open(screen.Item{Table: r.entity.Table, Item: key}) }
		return screen.Command{Kind: "open", Title: "Open " + present.EntityName(r.entity) + " " + text, Note: "by its key", Run: run}, true
	}
	for _, p := range r.patterns {
		if p.Pattern.Read.Operation != accesspatterns.Get || !slices.Contains(p.Pattern.Returns, r.entity) {
			continue
		}
		request, err := env.Reading.Bind(p.Pattern, p.Args)
		if err == nil && len(request.Legs) == 1 && request.Legs[0].Get != nil {
			return open(request.Legs[0].Get.Key, present.MaskedArgs(env, env.Session.Masker(), p, nil))
		}
	}
	if r.key != nil {
		return open(r.key, r.entity.Table.KeyText(env.Session.Masker().KeyOf(r.entity, r.key)))
	}
	if len(r.patterns) == 0 {
		return screen.Command{}, false
	}
	p := r.patterns[0]
	return screen.Command{
		Kind: "open", Title: p.Pattern.Title + "  " + present.MaskedArgs(env, env.Session.Masker(), p, nil),
		Note: env.OperationWord(p.Pattern.Read.Operation),
		Run:  func() tea.Cmd { return screen.Open(screen.Patterns{Pattern: p.Pattern, Args: p.Args, Run: true}) },
	}, true
}

func hasMaskedArg(args map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(args)), models.LooksMasked)
}
