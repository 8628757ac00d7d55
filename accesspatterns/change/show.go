package change

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Shown returns a copy of the plan in which m masks the sensitive values of items, keys, changes and conditions. Use
// the copy for display only, and never send it.
func (p *Plan) Shown(m *models.Masker) *Plan {
	out := *p
	out.Writes = make([]Write, len(p.Writes))
	for i, w := range p.Writes {
		out.Writes[i] = w.shown(m)
	}
	return &out
}

func (w Write) shown(m *models.Masker) Write {
	out := w
	if w.Before != nil {
		out.Before = m.Item(w.Table, w.Before)
	}
	if w.After != nil {
		out.After = m.Item(w.Table, w.After)
	}
	whole := out.After
	if whole == nil {
		whole = out.Before
	}
	if key, ok := w.Table.PrimaryKey(whole); ok {
		out.Key = key
	}
	out.Changes = make([]models.Change, len(w.Changes))
	for i, c := range w.Changes {
		out.Changes[i] = c
		if c.Before != nil {
			out.Changes[i].Path, out.Changes[i].Before = w.Entity.MaskedAt(out.Before, c.Path)
		}
		if c.After != nil {
			out.Changes[i].Path, out.Changes[i].After = w.Entity.MaskedAt(out.After, c.Path)
		}
	}
	out.Condition = make([]accesspatterns.Condition, len(w.Condition))
	for i, c := range w.Condition {
		out.Condition[i] = w.shownCondition(c, out.Before, m)
	}
	return out
}

func (w Write) shownCondition(c accesspatterns.Condition, shown models.Item, m *models.Masker) accesspatterns.Condition {
	out := c
	out.Values, out.Any = nil, nil
	for _, v := range c.Values {
		path, masked := w.shownValue(c.Attribute, v, shown, m)
		if c.Hidden && m.Hides(models.PII) {
			masked = models.HiddenValue()
		}
		out.Attribute, out.Values = path, append(out.Values, masked)
	}
	for _, other := range c.Any {
		out.Any = append(out.Any, w.shownCondition(other, shown, m))
	}
	return out
}

func (w Write) shownValue(
	attribute string, v types.AttributeValue, shown models.Item, m *models.Masker,
) (string, types.AttributeValue) {
	if now, ok := w.Before.At(attribute); ok && models.EqualValues(now, v) {
		return w.Entity.MaskedAt(shown, attribute)
	}
	it := w.Before.Clone()
	if w.Before == nil {
		it = w.After.Clone()
	}
	w.Entity.Set(it, attribute, v)
	return w.Entity.MaskedAt(m.Item(w.Table, it), attribute)
}

// ConditionText returns the conditions of a write in DynamoDB's expression language, with names and values in place of
// aliases.
func (w Write) ConditionText() string {
	return strings.Join(models.MapSlice(w.Condition, accesspatterns.Condition.Text), " AND ")
}

// ConditionWords describes the conditions of the write. It combines all comparisons of changed attributes.
func (w Write) ConditionWords() []string { return w.conditions(accesspatterns.Condition.String) }

// PlainConditions is like ConditionWords, but for role support, with the titles of states.
func (w Write) PlainConditions() []string {
	return w.conditions(func(c accesspatterns.Condition) string { return c.Plain(w.Entity) })
}

func (w Write) conditions(describe func(accesspatterns.Condition) string) []string {
	var words []string
	checksUnchanged, checksOthers := false, false
	for _, c := range w.Condition {
		switch {
		case c.ChecksUnchanged:
			checksUnchanged = true
			checksOthers = checksOthers || w.Operation == Delete || !slices.ContainsFunc(w.Changes,
				func(d models.Change) bool { return d.Path == c.Attribute })
		case c.Compare == accesspatterns.Exists && c.Attribute == w.Table.PartitionKey.Name:
			words = append(words, "the item exists")
		case c.Compare == accesspatterns.NotExists && c.Attribute == w.Table.PartitionKey.Name:
			words = append(words, "no item has this key")
		default:
			words = append(words, describe(c))
		}
	}
	switch all, n := len(w.Before)-len(w.Table.PrimaryKeys()), len(w.Unchecked); {
	case n > 0:
		words = append(words, fmt.Sprintf("%d of %d attributes still have the values that ddbdesk read", all-n, all))
	case checksOthers, checksUnchanged && w.Operation == Delete && !slices.ContainsFunc(w.Before.Names(), func(name string) bool {
		return models.KeyPosition(w.Table.PrimaryKeys(), name) < 0 &&
			!slices.ContainsFunc(w.Condition, func(c accesspatterns.Condition) bool { return c.Attribute == name })
	}):
		words = append(words, "all attributes still have the values that ddbdesk read")
	case checksUnchanged:
		words = append(words, "the attributes to change still have the values that ddbdesk read")
	}
	return words
}

// MarshalJSON returns the write with its items as plain JSON. The JSON is part of the command contract and contains
// every value, so call it on a Shown plan.
func (w Write) MarshalJSON() ([]byte, error) {
	type change struct {
		Path    string          `json:"path"`
		Before  json.RawMessage `json:"before"`
		After   json.RawMessage `json:"after"`
		Derived bool            `json:"derived"`
	}
	doc := struct {
		Operation Operation    `json:"operation"`
		Table     string       `json:"table"`
		Entity    string       `json:"entity"`
		Key       models.Item  `json:"key"`
		Before    *models.Item `json:"before"`
		After     *models.Item `json:"after"`
		Changes   []change     `json:"changes"`
		Condition string       `json:"condition"`
		Entry     bool         `json:"entry"`
	}{
		Operation: w.Operation, Table: w.Table.Name, Entity: w.Entity.Name, Key: w.Key,
		Changes: []change{}, Condition: w.ConditionText(), Entry: w.Entry,
	}
	if w.Before != nil {
		doc.Before = &w.Before
	}
	if w.After != nil {
		doc.After = &w.After
	}
	for _, c := range w.Changes {
		doc.Changes = append(doc.Changes, change{c.Path, valueJSON(c.Before), valueJSON(c.After), c.Derived})
	}
	return json.Marshal(doc)
}

func valueJSON(v types.AttributeValue) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return models.AppendValueJSON(nil, v)
}

// Text describes the plan in a paragraph for each write, with its changes and conditions. The text contains every
// value, so call it on a Shown plan. Plain is the wording for role support: with IDs instead of keys, and with titles.
func (p *Plan) Text(plain bool) string {
	var b strings.Builder
	width, changes, words := 0, make([][]models.Change, len(p.Writes)), Write.words
	if plain {
		words = Write.plainWords
	}
	for i, w := range p.Writes {
		changes[i] = w.shownChanges(plain)
		for _, c := range changes[i] {
			width = max(width, len([]rune(c.Path)))
		}
	}
	for i, w := range p.Writes {
		subject, condition := words(w)
		fmt.Fprintf(&b, "%s %s\n", w.Verb(), strings.TrimRight(w.Entity.Title+"  "+models.Printable(subject), " "))
		for _, c := range changes[i] {
			w.changeLine(&b, c, width)
		}
		if plain && w.Operation == Update && len(changes[i]) == 0 {
			b.WriteString("  index keys are corrected\n")
		}
		if condition != "" {
			fmt.Fprintf(&b, "  only if  %s\n", condition)
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (w Write) words() (subject, condition string) {
	return w.Table.KeyText(w.Key) + "  in " + w.Table.Name, strings.Join(w.ConditionWords(), " and ")
}

func (w Write) plainWords() (subject, condition string) {
	if w.Operation != Put {
		condition = "the item has not changed in the meantime"
	}
	it := w.After
	if it == nil {
		it = w.Before
	}
	if !w.Entry {
		subject, _ = w.Entity.Values(it)(w.Entity.IDName())
		subject = cmp.Or(subject, w.Table.KeyText(w.Key))
	}
	return subject, condition
}

func (w Write) shownChanges(plain bool) []models.Change {
	switch {
	case !plain:
		return w.allChanges()
	case w.Entry:
		return nil
	}
	list := models.PlainChanges(w.Entity, w.allChanges())
	for i, c := range list {
		list[i].Path, _ = w.Entity.PlainName(c.Path)
		list[i].Derived = false
	}
	return list
}

func (w Write) allChanges() []models.Change {
	if w.Operation == Delete {
		return models.Diff(w.Before, nil)
	}
	return w.Changes
}

// Verb returns the sign and the verb of the write.
func (w Write) Verb() string { return operationVerbs[w.Operation] }

var operationVerbs = map[Operation]string{Put: "+ new", Delete: "- delete", Check: "? check", Update: "~ change"}

func (w Write) changeLine(b *strings.Builder, c models.Change, width int) {
	derived := ""
	if c.Derived {
		derived = "   derived"
	}
	switch w.Operation {
	case Put:
		fmt.Fprintf(b, "  %-*s  %s%s\n", width, c.Path, ValueWords(c.After), derived)
		return
	case Delete:
		fmt.Fprintf(b, "  %-*s  %s\n", width, c.Path, ValueWords(c.Before))
		return
	case Update, Check:
	}
	fmt.Fprintf(b, "  %-*s  %s → %s%s%s\n", width, c.Path, ValueWords(c.Before), ValueWords(c.After), c.NewType(), derived)
}

// maxValueCells is the maximum width of a value in a message or a table, in terminal cells.
const maxValueCells = 60

// ValueCell returns a value as one short line for people. It truncates long values; ValueWords does not.
func ValueCell(v types.AttributeValue) string {
	if v == nil {
		return "not set"
	}
	return models.PrintableCell(ValueWords(v), maxValueCells)
}

// ValueWords returns a value as one printable line, or "–" if v is nil. It writes documents and sets as plain JSON, and
// does not truncate the value.
func ValueWords(v types.AttributeValue) string {
	if v == nil {
		return "–"
	}
	return models.Printable(plainText(v))
}
