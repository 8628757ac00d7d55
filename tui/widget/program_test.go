package widget

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// formProgram shows a list and a form side by side. Tab changes sides.
type formProgram struct {
	styles *Styles
	list   *List
	form   *Form
	right  bool
	ran    map[string]string
	w, h   int
}

func (p *formProgram) Init() tea.Cmd { return GraphemeWidths }

func (p *formProgram) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		p.w, p.h = size.Width, size.Height
		p.list.SetSize(30, p.h)
		p.form.SetSize(p.w-30, p.h)
	}
	var cmd tea.Cmd
	var used bool
	if p.right {
		cmd, used = p.form.Update(msg)
	} else {
		cmd, used = p.list.Update(msg)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok && !used {
		switch press.String() {
		case "tab", "shift+tab":
			p.right = !p.right
		case "enter":
			if p.right && p.form.Validate() == nil {
				p.ran = p.form.Values()
			}
		}
	}
	p.form.SetFocused(p.right)
	p.list.SetFocused(!p.right)
	return p, cmd
}

func (p *formProgram) View() tea.View {
	v := tea.NewView(p.form.OverPopup(Columns(p.list.View(), p.form.View()), 30, 0))
	v.AltScreen = true
	if c := p.form.Cursor(); c != nil {
		c.X += 30
		v.Cursor = c
	} else {
		v.Cursor = p.list.Cursor()
	}
	return v
}

func TestListAndFormInProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		form := testForm()
		form.SetFocused(false)
		d := &formProgram{styles: NewStyles(true, false), list: testList(), form: form}
		tt := tuitest.New(t, d, tuitest.Size{W: 80, H: 12})
		tt.WaitFor("by client + status")
		if _, _, visible := tt.Cursor(); visible {
			t.Error("a cursor is visible although no field has the focus")
		}
		tt.Type("/user")
		if x, y, visible := tt.Cursor(); x != 7 || y != 0 || !visible {
			t.Errorf("the filter's cursor is at %d,%d, visible: %v", x, y, visible)
		}
		tt.Press("enter", "tab")
		tt.Paste("client_日本\n")
		tt.Press("left", "backspace")
		if x, y, _ := tt.Cursor(); x != 30+12+7 || y != 0 {
			t.Errorf("the form's cursor is at %d,%d:\n%s", x, y, tt.Screen())
		}
		tt.Press("down", "space", "down")
		tt.Golden("popup")
		tt.Press("enter", "tab")
		tt.Enter("x")
		tt.WaitFor("✗ limit is a number, not x")
		if d.ran != nil {
			t.Errorf("an invalid form ran with %v", d.ran)
		}
		tt.Press("backspace", "enter")
		if d.ran["clientId"] != "client_本" || d.ran["status"] != "done" || d.ran["limit"] != "50" {
			t.Errorf("the form ran with %v", d.ran)
		}
	})
}
