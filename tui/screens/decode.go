// This file is the screen that takes pasted text apart: what it is, what its
// parts mean, and what it opens.

package screens

import (
	"strings"
	"time"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// decodeField is the name of the input.
const decodeField = "key"

// decodeScreen reads what is typed or pasted while it changes.
type decodeScreen struct {
	env  *Env   // without a session where the text may belong to any schema
	in   []*Env // the schemas that it is held against
	form *widget.Form
	// held is pasted text that does not belong on one line: an item's JSON, or
	// text with control characters. It is shown shortened; typing replaces it.
	held string
	read string // the text that readings belong to

	spell  func(*models.Masker) string // the text that came from an item, nil when it was typed
	masker *models.Masker              // what text and readings were made with

	result  decodeResult
	at      int // the reading that is shown
	opens   *widget.Fields
	pager   *widget.Pager
	made    int // width that the pager's lines were made for
	count   int // number of these lines
	stripX  []int
	w, h    int
	opensAt int // first line of the patterns inside the panel
}

// NewDecode returns the decoder, with text to start from.
func NewDecode(env *Env, text string) Screen { return newDecode(env, []*Env{env}, text) }

// newDecodeKey returns the decoder for the key of an item: it is hidden or shown
// as personal data is.
func newDecodeKey(env *Env, spell func(*models.Masker) string) Screen {
	s := newDecode(env, []*Env{env}, spell(env.Session.Masker()))
	s.spell = spell
	return s
}

// NewDecodeAll returns the decoder for a text that may belong to any of the
// profiles. What it opens opens the profile first.
func NewDecodeAll(s *widget.Styles, now func() time.Time, list []*profiles.Profile, text string) Screen {
	in := make([]*Env, len(list))
	for i, p := range list {
		// A session without a store: nothing is read here.
		in[i] = &Env{Session: session.New(session.Options{Profile: p, Clock: now}), Styles: s, Now: now}
	}
	return newDecode(&Env{Styles: s, Now: now}, in, text)
}

func newDecode(env *Env, in []*Env, text string) *decodeScreen {
	s := &decodeScreen{env: env, in: in, opens: widget.NewFields(env.Styles), pager: widget.NewPager(env.Styles)}
	s.form = widget.NewForm(env.Styles, widget.FormField{
		Name: decodeField, Label: "Decode", Placeholder: "paste a key, PK / SK, an id, or an item's JSON", Width: 400,
	})
	if env.Session != nil {
		s.masker = env.Session.Masker()
	}
	s.take(text)
	s.update()
	return s
}

// checkMasker hides or shows again what was revealed or hidden elsewhere.
func (s *decodeScreen) checkMasker() {
	if s.env.Session == nil || s.masker == s.env.Session.Masker() {
		return
	}
	s.masker = s.env.Session.Masker()
	if spell := s.spell; spell != nil {
		s.take(spell(s.masker))
		s.spell = spell
	}
	s.result.done = false
	s.update()
}

// Detached reports whether no schema is open.
func (s *decodeScreen) Detached() bool { return s.env.Session == nil }

// Title names the screen.
func (s *decodeScreen) Title() string { return "Decode" }

// Init has nothing to wait for.
func (s *decodeScreen) Init() tea.Cmd { return nil }

// Close has nothing to cancel.
func (s *decodeScreen) Close() {}

// Typing is always true: every printable key is a part of what is decoded.
func (s *decodeScreen) Typing() bool { return true }

// Status says what the text is.
func (s *decodeScreen) Status() string { return s.result.status() }

// SetStyles changes the theme.
func (s *decodeScreen) SetStyles(st *widget.Styles) {
	s.env.Styles = st
	s.form.SetStyles(st)
	s.opens.SetStyles(st)
	s.pager.SetStyles(st)
	s.made = 0
	s.layout()
}

// Actions are the keys beside typing.
func (s *decodeScreen) Actions() widget.Actions {
	as := s.env.Keys.Rebind("decode", s.makeActions())
	as[0].Desc = s.result.enterWord(s.at)
	return as
}

// makeActions is the table of keys, the most important first.
func (s *decodeScreen) makeActions() widget.Actions {
	bind := func(help string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, ""))
	}
	return widget.Actions{
		{
			Name: "enter", Binding: bind("enter", "enter"), Desc: "open",
			Long: "run the chosen pattern, or open the pasted item", Disabled: s.enterDisabled, Run: s.enter,
		},
		{Name: "next-reading", Binding: bind("tab", "tab"), Desc: "next reading", Disabled: s.oneReading, Run: func() tea.Cmd { return s.turn(1) }},
		{Name: "previous-reading", Binding: bind("shift+tab", "shift+tab"), Long: "previous reading", Disabled: s.oneReading, Run: func() tea.Cmd { return s.turn(-1) }},
		{Name: "choose", Binding: bind("↑↓", "up", "down"), Desc: "choose", Long: "choose what to open", Disabled: s.enterDisabled},
		{Name: "clear", Binding: bind("ctrl+u", "ctrl+u"), Desc: "clear", Disabled: s.nothingToClear, Run: func() tea.Cmd {
			s.take("")
			s.update()
			return nil
		}},
	}
}

func (s *decodeScreen) nothingToClear() string {
	if s.text() == "" {
		return "there is nothing to clear"
	}
	return ""
}

func (s *decodeScreen) oneReading() string {
	if len(s.result.readings) < 2 {
		return "there is no other reading"
	}
	return ""
}

func (s *decodeScreen) turn(by int) tea.Cmd {
	n := len(s.result.readings)
	s.at = (s.at + by + n) % n
	s.show()
	return nil
}

// Update takes typing, pasting and moving.
func (s *decodeScreen) Update(msg tea.Msg) tea.Cmd {
	s.checkMasker()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.PasteMsg:
		s.paste(msg)
	case tea.KeyPressMsg:
		if c, why, used := s.Actions().Handle(msg); used {
			if why != "" {
				return Send(NoticeMsg{Text: why})
			}
			return c
		}
		switch msg.String() {
		case "esc":
			return Send(BackMsg{})
		case "up", "down", "pgup", "pgdown":
			s.opens.Update(msg)
			return nil
		}
		if s.held != "" && (msg.Text != "" || msg.String() == "backspace" || msg.String() == "delete") {
			s.take("")
		}
		cmd, _ = s.form.Update(msg)
	default:
		cmd, _ = s.form.Update(msg)
	}
	s.update()
	return cmd
}

// paste adds a short key to what is there; everything else replaces it.
func (s *decodeScreen) paste(msg tea.PasteMsg) {
	text := strings.Trim(msg.Content, "\r\n\t ")
	if s.held == "" && onOneLine(text) && s.form.Values()[decodeField] != "" {
		s.form.Update(tea.PasteMsg{Content: text})
		return
	}
	s.take(text)
}

// take replaces the text.
func (s *decodeScreen) take(text string) {
	s.held, s.spell = "", nil
	line := strings.NewReplacer("\r\n", " / ", "\n", " / ", "\t", " / ").Replace(strings.Trim(text, "\r\n\t "))
	if len(text) <= longestLine && !strings.HasPrefix(line, "{") && onOneLine(line) {
		s.form.SetValues(map[string]string{decodeField: line})
		return
	}
	s.held = text
	s.form.SetValues(map[string]string{decodeField: ""})
}

// longestLine is the longest text in bytes that is edited as a line.
const longestLine = 4096

func onOneLine(text string) bool {
	return len(text) <= longestLine && strings.IndexFunc(text, unicode.IsControl) < 0
}

// text is what is decoded.
func (s *decodeScreen) text() string {
	if s.held != "" {
		return s.held
	}
	return s.form.Values()[decodeField]
}

// update reads the text anew when it changed.
func (s *decodeScreen) update() {
	text := s.text()
	if text == s.read && s.result.done {
		return
	}
	s.read, s.at = text, 0
	s.result = decodeIn(s.in, text)
	s.show()
}

// show prepares the lines of the reading.
func (s *decodeScreen) show() {
	s.made = 0
	rows := []widget.FieldRow{}
	if s.at < len(s.result.readings) {
		rows = s.result.readings[s.at].rows(s.env)
	}
	s.opens.SetRows(rows)
	s.opens.Select(0)
	s.layout()
}

func (s *decodeScreen) enterDisabled() string {
	if s.at >= len(s.result.readings) {
		return "there is nothing to open yet"
	}
	r := s.result.readings[s.at]
	if r.item == nil && len(r.patterns) == 0 {
		return "no pattern can be run with this alone"
	}
	return ""
}

func (s *decodeScreen) enter() tea.Cmd {
	r := s.result.readings[s.at]
	if r.item != nil {
		return s.openItem(r)
	}
	_, i, ok := s.opens.Selected()
	if !ok || i >= len(r.patterns) {
		return nil
	}
	p := r.patterns[i]
	for _, v := range p.Args {
		if isMasked(v) {
			return Send(NoticeMsg{Text: "a part of this key is masked: open the item and run the pattern from there", Bad: true})
		}
	}
	if s.Detached() {
		return Send(EnterMsg{Profile: r.env.Session.Profile(), Then: func(env *Env) Screen {
			return NewWorkbench(env).Open(env.Session.Profile().Pattern(p.Pattern.ID), p.Args, true)
		}})
	}
	return Send(RunMsg{Pattern: p.Pattern, Args: p.Args})
}

// openItem opens the item of a reading, in its own profile.
func (s *decodeScreen) openItem(r reading) tea.Cmd {
	table, item := r.entity.Table, r.item
	if !s.Detached() {
		return Send(OpenMsg{NewItem(s.env, table, item)})
	}
	return Send(EnterMsg{Profile: r.env.Session.Profile(), Then: func(env *Env) Screen {
		return NewItem(env, env.Session.Profile().Table(table.ID), item)
	}})
}
