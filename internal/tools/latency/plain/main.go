// Plain shows a list of rows with a cursor in Bubble Tea. Command latency compares ddbdesk with it.
package main

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

const rows = 100

type list struct{ w, h, at int }

func (l list) Init() tea.Cmd { return nil }

func (l list) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		l.w, l.h = msg.Width, msg.Height
	case tea.KeyPressMsg:
		switch msg.String() {
		case "down":
			l.at = min(l.at+1, rows-1)
		case "up":
			l.at = max(l.at-1, 0)
		case "q", "ctrl+c":
			return l, tea.Quit
		}
	}
	return l, nil
}

func (l list) View() tea.View {
	var b strings.Builder
	b.WriteString("plain: every row of the screen\n")
	top := max(l.at-l.h+2, 0)
	for i := top; i < top+l.h-1; i++ {
		mark := " "
		if i == l.at {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s row %06d %s\n", mark, i, strings.Repeat("x", max(l.w-14, 0)))
	}
	v := tea.NewView(strings.TrimSuffix(b.String(), "\n"))
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(list{}).Run(); err != nil {
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(1)
	}
}
