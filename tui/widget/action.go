package widget

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Action is an operation that the user can run on a screen. The hint bar, the help screen, the command palette and
// docs/keys.md all come from actions.
type Action struct {
	Name    string      // stable identifier in the key configuration: "copy-key"
	Binding key.Binding // keys, with their spelling for hints
	Desc    string      // one or two words for the hint bar: "copy key"
	Long    string      // sentence for the help screen; "" uses Desc
	Danger  bool        // the action changes data: it is highlighted, and never runs on one key press

	// Disabled returns the reason why the action is unavailable, or "". With a nil Disabled, the action is always
	// available.
	Disabled func() string
	// Run performs the action. It is nil if a widget handles the action itself; the help screen still lists it.
	Run func() tea.Cmd
}

// NewAction returns an action. keys lists its keys, separated by spaces; hints show the first one. "o>a" is the key a
// in the menu of o. With an empty desc, the hint bar omits the action. disabled and run may be nil.
func NewAction(name, keys, desc, long string, disabled func() string, run func() tea.Cmd) Action {
	a := Action{Name: name, Desc: desc, Long: long, Disabled: disabled, Run: run}
	list := strings.Fields(strings.ReplaceAll(keys, MenuKey+">", MenuKey+"\x00"))
	for i, k := range list {
		list[i] = strings.ReplaceAll(k, "\x00", " ")
	}
	if len(list) > 0 {
		a.Binding = Bind(list[0], list...)
	}
	return a
}

// MenuKey opens the action menu of a screen. Actions that change data are available only in this menu.
const MenuKey = "o"

// InMenu returns the action's letter in the menu of MenuKey. in is false if the menu does not contain the action.
func (a Action) InMenu() (letter string, in bool) {
	for _, k := range a.Binding.Keys() {
		if letter, in = strings.CutPrefix(k, MenuKey+" "); in {
			return letter, true
		}
	}
	return "", false
}

// Why returns the reason why the action is unavailable, or "". Callers may call it for every frame, so Disabled must
// not read files or send requests.
func (a Action) Why() string {
	if a.Disabled == nil {
		return ""
	}
	return a.Disabled()
}

// Sentence describes the action in a menu or on the help screen. For the change of an item, it starts with the title of
// the change and a colon.
func (a Action) Sentence() string {
	text := cmp.Or(a.Long, a.Desc, a.Name)
	if strings.HasPrefix(a.Name, "change-") && a.Desc != "" { // Long describes the change.
		text = a.Desc + ": " + text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Keys returns the action's keys as hints spell them: "enter", "↑/k".
func (a Action) Keys() string {
	if h := a.Binding.Help().Key; h != "" {
		return h
	}
	if keys := a.Binding.Keys(); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

// Actions contains the actions of one scope, most important first.
type Actions []Action

// Match returns the action bound to a key, even if it is unavailable. If several actions have the key, it returns the
// first one; tests find such scopes with Clashes.
func (as Actions) Match(msg tea.KeyPressMsg) (Action, bool) {
	for _, a := range as {
		if key.Matches(msg, a.Binding) {
			return a, true
		}
	}
	return Action{}, false
}

// Handle runs the action bound to a key. If the action is unavailable, Handle returns the reason in reason instead.
// used is false if no action is bound to the key, or if the action has no Run.
func (as Actions) Handle(msg tea.KeyPressMsg) (cmd tea.Cmd, reason string, used bool) {
	a, ok := as.Match(msg)
	if !ok || a.Run == nil {
		return nil, "", false
	}
	if reason := a.Why(); reason != "" {
		return nil, reason, true
	}
	return a.Run(), "", true
}

// Named returns the action with the given name.
func (as Actions) Named(name string) (Action, bool) {
	return models.Find(as, func(a Action) bool { return a.Name == name })
}

// Clashes returns an error for every key that two actions of the scope share and for every duplicate name, or nil.
func (as Actions) Clashes() error {
	var errs []error
	owner, named := map[string]string{}, map[string]bool{}
	for _, a := range as {
		if named[a.Name] {
			errs = append(errs, fmt.Errorf("duplicate action name %q", a.Name))
		}
		named[a.Name] = true
		for _, k := range a.Binding.Keys() {
			if other, taken := owner[k]; taken {
				errs = append(errs, fmt.Errorf("actions %q and %q both use the key %q", other, a.Name, k))
				continue
			}
			owner[k] = a.Name
		}
	}
	return errors.Join(errs...)
}

// Hints draws the hint bar on a surface: the keys and labels of as many available actions as fit into w cells. The bar
// may be narrower than w. It omits actions without a label or keys; the help screen shows all actions.
func (as Actions) Hints(s *Styles, on Surface, w int) string {
	var out string
	for i, h := range as.hints(w) {
		if i > 0 {
			out += s.PaintOn(RoleMuted, on, "  ")
		}
		role := RoleKey
		if h.Danger {
			role = RoleBad
		}
		out += s.PaintOn(role, on, h.Keys()) + s.PaintOn(RoleMuted, on, " "+h.Desc)
	}
	return out
}

// A hint is an action in the hint bar, with its position.
type hint struct {
	Action
	from, to int
}

func (as Actions) hints(w int) []hint {
	var list []hint
	used := 0
	for _, a := range as {
		if a.Desc == "" || a.Keys() == "" || a.Why() != "" {
			continue
		}
		from := used
		if len(list) > 0 {
			from += 2
		}
		to := from + textWidth(a.Keys(), w+1) + 1 + textWidth(a.Desc, w+1)
		if to > w {
			continue // A shorter hint may still fit.
		}
		list = append(list, hint{a, from, to})
		used = to
	}
	return list
}

// IsText reports whether a key produces text in a text field.
func IsText(key string) bool {
	return utf8.RuneCountInString(key) == 1 || key == "space" || strings.HasPrefix(key, "shift+") &&
		utf8.RuneCountInString(key) == len("shift+")+1
}

// A Keymap contains the configured keys by scope and action. A nil Keymap keeps every action's default keys.
type Keymap struct {
	keys map[string]map[string][]string
}

// NewKeymap returns a keymap for keys by scope and action, spelled like in Bubble Tea. An empty list removes the keys
// of an action. The keymap retains the map, so the caller must not change it.
func NewKeymap(keys map[string]map[string][]string) *Keymap { return &Keymap{keys: keys} }

// Rebind returns a copy of a scope's actions with the configured keys. It ignores unknown names, which the
// configuration reports. For an action in the menu of MenuKey, the configured key is its letter in the menu.
func (k *Keymap) Rebind(scope string, as Actions) Actions {
	if k == nil || len(k.keys[scope]) == 0 {
		return as
	}
	configured := k.keys[scope]
	list := make(Actions, len(as))
	for i, a := range as {
		if keys, ok := configured[a.Name]; ok {
			if _, in := a.InMenu(); in {
				keys = withMenuKey(keys)
			}
			a.Binding = key.NewBinding(key.WithKeys(keys...), key.WithHelp(keySymbols(keys), a.Binding.Help().Desc))
		}
		list[i] = a
	}
	return list
}

func withMenuKey(keys []string) []string {
	list := make([]string, len(keys))
	for i, k := range keys {
		if list[i] = k; IsText(k) {
			list[i] = MenuKey + " " + k
		}
	}
	return list
}

// IsConfigured reports whether the user configured the keys of an action in a scope.
func (k *Keymap) IsConfigured(scope, action string) bool {
	if k == nil {
		return false
	}
	_, ok := k.keys[scope][action]
	return ok
}

// Letters returns the single letters that the user configured in the scopes, so that automatic assignments can avoid
// them.
func (k *Keymap) Letters(scopes ...string) string {
	letters := ""
	if k == nil {
		return letters
	}
	for _, scope := range scopes {
		for _, keys := range k.keys[scope] {
			for _, key := range keys {
				if len(key) == 1 {
					letters += key
				}
			}
		}
	}
	return letters
}

// Assign assigns a letter to each name, such as "approve-request". It tries the first letters of all names in order,
// then other letters of the first words, the first letters of other words, and finally any letter. A name gets no
// letter if all its letters are reserved, in use, or configured in the scopes.
func (k *Keymap) Assign(names []string, reserved string, scopes ...string) map[string]string {
	letters, taken := map[string]string{}, reserved+k.Letters(scopes...)
	assign := func(name, candidates string) {
		for _, r := range candidates {
			if letters[name] == "" && r >= 'a' && r <= 'z' && !strings.ContainsRune(taken, r) {
				letters[name], taken = string(r), taken+string(r)
			}
		}
	}
	for _, name := range names {
		assign(name, name[:min(1, len(name))])
	}
	for _, name := range names {
		starts := ""
		for word := range strings.SplitSeq(name, "-") {
			starts += word[:min(1, len(word))]
		}
		verb, _, _ := strings.Cut(name, "-")
		assign(name, verb+starts+name)
	}
	return letters
}

func keySymbols(keys []string) string {
	signs := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
	var names []string
	for _, k := range keys[:min(len(keys), 2)] {
		if sign, ok := signs[k]; ok {
			k = sign
		}
		names = append(names, k)
	}
	return strings.Join(names, "/")
}
