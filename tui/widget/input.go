package widget

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
)

// inputLimit is the maximum number of characters of an input. A DynamoDB key has at most 2,048 bytes.
const inputLimit = 8192

// An input is a single-line text input. It uses the text field of Bubbles only for editing, because that field's view
// counts runes instead of cells and misplaces the cursor after wide characters and in scrolled text. Unprintable
// characters stay in the value; the view draws them with models.Printable.
type input struct {
	edit      textinput.Model
	masked    bool
	multiline bool // the text may have several lines, which the view joins
	offset    int  // number of cells scrolled out on the left
}

// lineSign stands for a line break in the editor, which does not accept line breaks.
const lineSign = "⏎"

func newInput() input {
	in := input{edit: textinput.New()}
	in.edit.Prompt = ""
	in.edit.CharLimit = inputLimit
	in.edit.SetVirtualCursor(false) // The terminal's own cursor blinks without ticks.
	return in
}

func (in *input) value() string {
	if in.multiline {
		return strings.ReplaceAll(in.edit.Value(), lineSign, "\n")
	}
	return in.edit.Value()
}

func (in *input) set(text string) {
	if in.multiline {
		text = strings.ReplaceAll(text, "\n", lineSign)
	}
	in.edit.SetValue(text)
	in.edit.CursorEnd()
}

func (in *input) focus() { in.edit.Focus() }

func (in *input) blur() { in.edit.Blur() }

func (in *input) update(msg tea.Msg) (tea.Cmd, bool) {
	press, isKey := msg.(tea.KeyPressMsg)
	if in.multiline && isKey && press.String() == "alt+enter" {
		msg, isKey = tea.PasteMsg{Content: "\n"}, false
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		if in.multiline {
			paste.Content = strings.NewReplacer("\r\n", lineSign, "\n", lineSign, "\r", lineSign).Replace(paste.Content)
		}
		isBreak := func(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }
		paste.Content = strings.Join(strings.FieldsFunc(paste.Content, isBreak), " ")
		msg = paste
	}
	before := in.value()
	if isKey && in.edit.Focused() && in.editCluster(press) {
		return nil, in.value() != before
	}
	var cmd tea.Cmd
	in.edit, cmd = in.edit.Update(msg)
	return cmd, in.value() != before
}

// editCluster replaces some edits of Bubbles 2.2.1, which deletes single runes and panics on a last word of one rune.
func (in *input) editCluster(press tea.KeyPressMsg) bool {
	keys, runes := in.edit.KeyMap, []rune(in.edit.Value())
	at := min(in.edit.Position(), len(runes))
	switch {
	case key.Matches(press, keys.CharacterBackward):
		in.edit.SetCursor(clusterBefore(runes, at))
	case key.Matches(press, keys.CharacterForward):
		in.edit.SetCursor(clusterAfter(runes, at))
	case key.Matches(press, keys.DeleteCharacterBackward):
		from := clusterBefore(runes, at)
		in.edit.SetValue(string(slices.Delete(runes, from, at)))
		in.edit.SetCursor(from)
	case key.Matches(press, keys.DeleteCharacterForward), at == len(runes)-1 && key.Matches(press, keys.DeleteWordForward):
		in.edit.SetValue(string(slices.Delete(runes, at, clusterAfter(runes, at))))
		in.edit.SetCursor(at)
	default:
		return false
	}
	return true
}

func clusterAfter(runes []rune, at int) int {
	cluster, _ := ansi.FirstGraphemeCluster(string(runes[at:]), ansi.GraphemeWidth)
	return at + utf8.RuneCountInString(cluster)
}

func clusterBefore(runes []rune, at int) int {
	from := 0
	for rest := string(runes); rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		next := from + utf8.RuneCountInString(cluster)
		if next >= at {
			break
		}
		from, rest = next, rest[len(cluster):]
	}
	return from
}

func (in *input) shownText() (text string, cursor int) {
	value := in.edit.Value()
	runes := []rune(value)
	before := string(runes[:min(in.edit.Position(), len(runes))])
	if in.masked {
		return strings.Repeat("•", len(runes)), len([]rune(before))
	}
	return models.Printable(value), models.Width(models.Printable(before))
}

func (in *input) atEnd() bool { return in.edit.Position() >= len([]rune(in.edit.Value())) }

func (in *input) render(s *Styles, on Surface, placeholder, completion string, w int) (view string, cursor int) {
	if w <= 0 {
		return "", 0
	}
	if in.value() == "" {
		in.offset = 0
		return s.PaintCell(RoleFaint, on, placeholder, w, AlignLeft), 0
	}
	part, at := in.visiblePart(w)
	if used := models.Width(part); completion != "" && used < w {
		return s.PaintCell(RoleText, on, part, used, AlignLeft) + s.PaintCell(RoleFaint, on, completion, w-used, AlignLeft), at
	}
	return s.PaintCell(RoleText, on, part, w, AlignLeft), at
}

func (in *input) visiblePart(w int) (part string, cursor int) {
	text, at := in.shownText()
	if !in.edit.Focused() {
		in.offset = 0
		return ansi.Truncate(text, w, "…"), 0
	}
	in.offset = max(min(in.offset, at-1), at-w+1, 0) // The cursor is never on the sign for the hidden beginning.
	if models.Width(text) < w {
		in.offset = 0
	}
	if part = ansi.Cut(text, in.offset, in.offset+w); in.offset > 0 {
		part = "…" + ansi.Cut(text, in.offset+1, in.offset+w)
	}
	return part, min(max(at-in.offset, 0), w-1)
}

// A SearchInput is the text of a search. While the user types, it handles all keys.
type SearchInput struct {
	in     input
	typing bool
}

// NewSearchInput returns an empty search.
func NewSearchInput() *SearchInput { return &SearchInput{in: newInput()} }

// Start lets the user type.
func (f *SearchInput) Start() {
	f.typing = true
	f.in.focus()
}

// Stop ends typing and keeps the text.
func (f *SearchInput) Stop() {
	f.typing = false
	f.in.blur()
}

// Set replaces the text.
func (f *SearchInput) Set(text string) { f.in.set(text) }

// Clear ends typing and removes the text.
func (f *SearchInput) Clear() {
	f.Stop()
	f.Set("")
}

// Typing reports whether the user is typing the text.
func (f *SearchInput) Typing() bool { return f.typing }

// Text returns the search text, or "".
func (f *SearchInput) Text() string { return f.in.value() }

// Update handles keys and pastes while the user types. changed reports whether the text changed. Update uses all keys,
// so the screen must handle enter and esc first.
func (f *SearchInput) Update(msg tea.Msg) (cmd tea.Cmd, changed bool) {
	if !f.typing {
		return nil, false
	}
	return f.in.update(msg)
}

// Shown returns at most w cells of the text around the cursor, and the cursor's position in them. The result is
// printable and not styled.
func (f *SearchInput) Shown(w int) (text string, cursor int) {
	if w <= 0 {
		return "", 0
	}
	text, cursor = f.in.visiblePart(w)
	return models.Printable(text), cursor
}

// Caret returns the terminal cursor at a position.
func Caret(x, y int) *tea.Cursor {
	c := tea.NewCursor(x, y)
	c.Shape = tea.CursorBar
	return c
}
