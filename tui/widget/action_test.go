package widget

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

type actionRanMsg string

func testActions() Actions {
	action := func(name, keys, help, desc string) Action {
		return Action{
			Name: name, Desc: desc, Binding: key.NewBinding(key.WithKeys(strings.Fields(keys)...), key.WithHelp(help, desc)),
			Run: func() tea.Cmd { return func() tea.Msg { return actionRanMsg(name) } },
		}
	}
	reject := action("reject", "r", "r", "reject")
	reject.Danger = true
	reject.Disabled = func() string { return "the session is read-only" }
	return Actions{
		action("open", "enter", "enter", "open"), action("filter", "/", "/", "filter"), reject, action("help", "?", "?", "help"),
	}
}

func TestActionsHandle(t *testing.T) {
	as := testActions()
	cmd, reason, used := as.Handle(press("enter"))
	if !used || reason != "" || cmd() != actionRanMsg("open") {
		t.Errorf("enter: got reason %q, used: %v", reason, used)
	}
	if cmd, reason, used = as.Handle(press("r")); cmd != nil || !used || reason != "the session is read-only" {
		t.Errorf("a disabled action: got reason %q, used: %v", reason, used)
	}
	if _, _, used = as.Handle(press("z")); used {
		t.Error("a key without an action was used")
	}
}

func TestActionsHintsCutToFit(t *testing.T) {
	s := NewStyles(true, false)
	for w, want := range map[int]string{
		60: "enter open  / filter  ? help", 21: "enter open  / filter", 19: "enter open  ? help", 3: "", 0: "", -1: "",
	} {
		if got := plain(testActions().Hints(s, SurfaceBar, w)); got != want {
			t.Errorf("hints in %d cells: got %q, want %q", w, got, want)
		}
	}
}

func TestActionsClashes(t *testing.T) {
	as := testActions()
	if err := as.Clashes(); err != nil {
		t.Fatal(err)
	}
	as = append(as, Action{Name: "refresh", Binding: key.NewBinding(key.WithKeys("ctrl+r", "r"))}, Action{Name: "open"})
	want := `actions "reject" and "refresh" both use the key "r"` + "\n" + `duplicate action name "open"`
	if err := as.Clashes(); err == nil || err.Error() != want {
		t.Errorf("Clashes() = %v, want %s", err, want)
	}
}
