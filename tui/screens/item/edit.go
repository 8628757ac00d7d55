package item

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// cannotEdit returns the reason why the session can neither make nor request a raw change of the item, or "".
func (s *itemScreen) cannotEdit() string {
	a, err := s.env.Planner.Action(change.RawEdit + s.table.Name)
	if err == nil {
		err = s.env.Session.CanChangeOrRequest(a)
	}
	switch {
	case s.env.Plain():
		return "only an admin can edit items" // An edit needs the stored names of attributes, which role support does not see.
	case err != nil:
		return s.env.Reason(err)
	case s.state == readGone:
		return "the item is gone"
	case s.state == readNone || s.state == readRunning:
		return "the item is being read" // An index row may lack attributes.
	case s.state != readDone:
		return "the item was not read; press r"
	}
	return ""
}

func (s *itemScreen) planRaw(kind, title string, inputs map[string]string) tea.Cmd {
	a, err := s.env.Planner.Action(kind + s.table.Name)
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error(), Bad: true})
	}
	subject := s.item
	if a.Kind == change.KindPut {
		subject = nil
	}
	if err := s.env.Planner.CheckGuard(a, inputs, subject); err != nil {
		return screen.Send(screen.NoticeMsg{Text: s.env.Reason(err), Bad: true})
	}
	r := planner.ChangeRequest{
		Action: a, Title: title + " · " + s.Title(), Verb: title, Item: subject, Args: inputs, Done: s.rereadAfterChange,
		About: "The plan shows every write. ddbdesk writes nothing if the data has changed since it was read.",
	}
	s.Box = planner.NewChange(s.env, r)
	return nil
}

func jsonTexts(list ...string) string {
	text, _ := json.Marshal(list) // Marshaling strings cannot fail.
	return string(text)
}

func (s *itemScreen) keyInput() string {
	var list []string
	for _, k := range s.table.PrimaryKeys() {
		text, _ := models.ValueText(s.item[k.Name])
		list = append(list, raw.Assignment{Name: raw.Name{Path: []string{k.Name}}, Value: text}.String())
	}
	return jsonTexts(list...)
}

// These are the fields of the dialog that edits an attribute.
const (
	nameField  = "attribute"
	typeField  = "type"
	valueField = "value"
	doField    = "do"
)

func (s *itemScreen) editAttribute() tea.Cmd {
	name, value := s.selectedInput()
	options := func(list ...string) []widget.Option {
		return models.MapSlice(list, func(v string) widget.Option { return widget.Option{Value: v} })
	}
	q := overlay.NewHarmlessQuestion("Edit an attribute", s.facts.name, "Plan the change", nil)
	inputs := func(v map[string]string) map[string]string {
		if v[doField] == "remove" {
			return map[string]string{change.RawKey: s.keyInput(), change.RawRemove: jsonTexts(v[nameField])}
		}
		n, _ := raw.ParseName(v[nameField]) // The form validates the name.
		if v[typeField] != "unchanged" {
			n.Type = models.Type(v[typeField])
		}
		return map[string]string{
			change.RawKey: s.keyInput(), change.RawSet: jsonTexts(raw.Assignment{Name: n, Value: v[valueField]}.String()),
		}
	}
	q.PromptAll(s.env.Styles,
		widget.FormField{
			Name: nameField, Required: true, Help: "a.b[0] is a path; write a name with a dot in double quotes",
			Validate: func(text string) error {
				_, err := raw.ParseName(text)
				return err
			},
		},
		widget.FormField{Name: doField, Label: "do", Kind: widget.FieldEnum, Options: options("set", "remove"), Default: "set"},
		widget.FormField{Name: typeField, Kind: widget.FieldEnum, Options: options("unchanged", "S", "N", "B", "BOOL",
			"NULL"), Default: "unchanged"},
		widget.FormField{
			Name: valueField, Width: 60, Multiline: true, Help: "maps, lists and sets as JSON; numbers keep 38 digits",
			Validate: func(text string) error {
				v := q.Form.Values()
				v[valueField] = text
				a, err := s.env.Planner.Action(change.RawEdit + s.table.Name)
				if err == nil {
					err = s.env.Planner.CheckGuard(a, inputs(v), s.item)
				}
				q.Text = nil
				if r, ok := errors.AsType[*session.Refusal](err); ok {
					q.Text = []string{r.Error()} // The field has room for one line only.
					return errors.New("an edit cannot set it")
				}
				return err
			},
		},
	)
	q.Form.SetValues(map[string]string{nameField: name, valueField: value})
	if name != "" {
		q.Form.FocusField(valueField)
	}
	isInvalid := q.Dialog.Buttons[1].Disabled
	q.Dialog.Buttons[1].Disabled = func() string {
		v := q.Form.Values()
		if value != "" && v[nameField] == name && v[valueField] == value && v[doField] == "set" && v[typeField] == "unchanged" {
			return "the value is unchanged"
		}
		return isInvalid()
	}
	q.Yes = func() tea.Cmd { return s.planRaw(change.RawEdit, "Edit the item", inputs(q.Form.Values())) }
	s.Box = q
	return nil
}

// selectedInput returns the name and the value of the selected attribute. The value is "" if it is masked. The name of
// a primary key is "" too, because an edit cannot change it.
func (s *itemScreen) selectedInput() (name, value string) {
	path, v, ok := s.overview.selected()
	isKey := func(k models.Key) bool { return k.Name == path }
	if !ok || s.active != tab(s.overview) || slices.ContainsFunc(s.table.PrimaryKeys(), isKey) {
		return "", ""
	}
	n := raw.Name{Path: []string{path}}
	if _, isTopLevel := s.item[path]; !isTopLevel {
		n.Path = strings.Split(strings.ReplaceAll(path, "[", ".["), ".")
		v, _ = s.facts.masked.AtNames(n.Path)
	}
	if v == nil || (models.Item{"": v}).Masked() {
		return n.WithoutType(), ""
	}
	if text, isScalar := models.ValueText(v); isScalar {
		return n.WithoutType(), text
	}
	return n.WithoutType(), string(models.PrintableJSON(models.AppendValueJSON(nil, v)))
}

// shownItem returns the item without attributes that are partly masked. An edit does not change those.
func (s *itemScreen) shownItem() models.Item {
	it := models.Item{}
	for name, v := range s.facts.masked {
		if !(models.Item{"": v}).Masked() {
			it[name] = v
		}
	}
	return it
}

// editJSON opens the item as DynamoDB JSON in an editor. If put is true, it saves the edited text as a new item.
func (s *itemScreen) editJSON(put bool) func() tea.Cmd {
	return func() tea.Cmd {
		return screen.Send(screen.RunExternalMsg{
			To: screen.Editor, File: present.FileName("json", s.fileName()), Text: items.DynamoDB.Item(s.shownItem()),
			Edited: func(text string) tea.Msg { return screen.Answer(func() tea.Cmd { return s.planEdits(text, put) }) },
		})
	}
}

func (s *itemScreen) planEdits(text string, put bool) tea.Cmd {
	now, err := models.ParseItem([]byte(text))
	switch {
	case s.Box != nil:
		return nil
	case err != nil:
		return screen.Send(screen.NoticeMsg{Text: "not an item: " + err.Error(), Bad: true})
	case put:
		return s.planRaw(change.RawPut, "Put a new item", map[string]string{change.RawItem: string(now.AppendDynamoDBJSON(nil))})
	}
	var removed []string
	before, set := s.shownItem(), models.Item{}
	for name, v := range now {
		if old, exists := before[name]; !exists || !models.EqualValues(old, v) {
			set[name] = v
		}
	}
	for name := range before {
		if now[name] == nil {
			removed = append(removed, raw.Name{Path: []string{name}}.WithoutType())
		}
	}
	if len(set)+len(removed) == 0 {
		return screen.Send(screen.NoticeMsg{Text: "nothing was changed"})
	}
	slices.Sort(removed)
	inputs := map[string]string{change.RawKey: s.keyInput()}
	if len(removed) > 0 {
		inputs[change.RawRemove] = jsonTexts(removed...)
	}
	if len(set) > 0 {
		inputs[change.RawItem] = string(set.AppendDynamoDBJSON(nil))
	}
	return s.planRaw(change.RawEdit, "Edit the item", inputs)
}
