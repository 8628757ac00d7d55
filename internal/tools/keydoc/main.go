// Command keydoc writes docs/keys.md from the console's key tables, so that the document always matches the console.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/tui"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "docs/keys.md", "output file")
	flag.Parse()
	if err := os.WriteFile(*out, []byte(document()), 0o644); err != nil {
		log.Fatalf("keydoc: %v", err)
	}
}

const introduction = `# Keys

<!-- Made by go generate ./tui from the tables behind the keys. Do not edit. -->

` + "`?`" + ` lists the keys of the current screen, and why an action is unavailable. To assign another key, use the names in the
[configuration](configuration.md), as in ` + "`keys: {workbench: {explain: X}}`" + `. Some keys are reserved: ` + "`ctrl+c`" + ` cancels the
current operation, and quits if you press it twice. ` + "`ctrl+z`" + ` suspends ddbdesk. ` + "`esc`" + ` cancels, closes and goes back, and
never quits. In text fields, letters are text; press ` + "`esc`" + ` or ` + "`tab`" + ` to leave the field.

Press ` + "`o`" + ` for a menu of every action that changes data; ` + "`o u`" + ` means ` + "`o`" + `, then ` + "`u`" + `. The palette also
lists actions without a key. Text that you paste or type outside a field never runs an action; ddbdesk offers to search for it.
`

// A row is a line of a table: keys, their action, and the action's name in the configuration.
type row struct{ keys, does, name string }

// minScreens is the number of screens from which the document lists a common row only once.
const minScreens = 3

func document() string {
	var b strings.Builder
	b.WriteString(introduction)
	scopes := tui.Scopes()
	section(&b, scopes[0], nil)
	b.WriteString("\n## Moving\n\nIn every list, grid, tree and text. These keys cannot be changed.\n\n")
	writeMovementKeys(&b)
	screensOf := map[row][]string{}
	var common []row
	var lists []string // screens whose keys include those of every list
	for _, s := range scopes[1:] {
		for _, r := range rows(s) {
			if screensOf[r] == nil {
				common = append(common, r)
			}
			if screensOf[r] = append(screensOf[r], s.Name); len(screensOf[r]) > len(lists) {
				lists = screensOf[r]
			}
		}
	}
	common = slices.DeleteFunc(common, func(r row) bool { return len(screensOf[r]) < minScreens })
	b.WriteString("\n## Lists\n\nSeveral screens share these keys, which are not repeated below. " +
		"The configuration lists them under the name of each screen.\n\n| keys | does | name | screens |\n| --- | --- | --- | --- |\n")
	for _, r := range common {
		screens := quoteNames(screensOf[r])
		others := slices.DeleteFunc(slices.Clone(lists), func(s string) bool { return slices.Contains(screensOf[r], s) })
		if len(others) == 0 {
			screens = "every list"
		} else if len(others) < len(screensOf[r]) {
			screens = "every list except " + quoteNames(others)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.keys, r.does, r.name, screens)
	}
	var short []screen.Scope
	for _, s := range scopes[1:] {
		if len(ownRows(s, common)) <= maxShortKeys {
			short = append(short, s)
			continue
		}
		section(&b, s, common)
	}
	b.WriteString("\n## Other screens\n\nThe configuration lists these keys under the name of the screen.\n\n" +
		"| screen | keys | does | name |\n| --- | --- | --- | --- |\n")
	for _, s := range short {
		for _, r := range append([]row{{does: s.Does}}, ownRows(s, common)...) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, r.keys, r.does, r.name)
		}
	}
	return b.String()
}

func quoteNames(names []string) string { return "`" + strings.Join(names, "` `") + "`" }

func rows(s screen.Scope) []row {
	var list []row
	for _, a := range s.Actions {
		r := row{keys(a), description(a), "`" + a.Name + "`"}
		if a.Run == nil {
			r.name = "" // a part of the screen handles the key, so it cannot be configured
		}
		list = append(list, r)
	}
	for _, a := range s.Pieces {
		if _, isMovement := movementActions().Named(a.Name); !isMovement {
			list = append(list, row{keys(a), description(a), ""})
		}
	}
	return list
}

// maxShortKeys is the maximum number of keys for a screen in the table of other screens.
const maxShortKeys = 4

// ownRows returns the keys of a screen, except those in another table.
func ownRows(s screen.Scope, otherRows []row) []row {
	return slices.DeleteFunc(rows(s), func(r row) bool { return slices.Contains(otherRows, r) })
}

func section(b *strings.Builder, s screen.Scope, otherRows []row) {
	fmt.Fprintf(b, "\n## %s\n\n%[3]s Name in the configuration: `%[2]s`.\n\n| keys | does | name |\n| --- | --- | --- |\n", s.Title, s.Name, s.Does)
	for _, r := range ownRows(s, otherRows) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", r.keys, r.does, r.name)
	}
}

// movementActions returns the movement keys of all lists, grids, trees and texts.
func movementActions() widget.Actions {
	return append(widget.Actions(widget.NavigationActions()), widget.NewGrid(&widget.Styles{}).Actions()...)
}

func writeMovementKeys(b *strings.Builder) {
	b.WriteString("| keys | does |\n| --- | --- |\n")
	for _, a := range movementActions() {
		fmt.Fprintf(b, "| %s | %s |\n", keys(a), description(a))
	}
}

// keys returns every key of an action, including those without a hint, or the keys that reach it through a menu.
func keys(a widget.Action) string {
	switch {
	case a.Keys() == "":
		return "" // available in the palette
	case len(a.Binding.Keys()) == 0:
		return "`" + a.Keys() + "`"
	}
	var list []string
	for _, k := range a.Binding.Keys() {
		list = append(list, "`"+strings.ReplaceAll(k, "|", "\\|")+"`")
	}
	return strings.Join(list, " ")
}

func description(a widget.Action) string {
	text := a.Long
	if text == "" {
		text = a.Desc
	}
	if a.Danger {
		text += " (changes data)"
	}
	return strings.ReplaceAll(text, "|", "\\|")
}
