// Package present converts values, keys, requests and schema issues to styled text, in the same way on every screen. It
// sends no requests and keeps no state. Code for a single screen belongs in that screen's package.
package present

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

const (
	// NoValue stands for an attribute that an item does not contain.
	NoValue = "–"
	// CellRunes is the maximum length of a text in a cell; no column is wider.
	CellRunes = 160
)

// A Presenter formats values. It never changes digits. It does not mask values: pass only items that session.Masker()
// has masked.
type Presenter struct {
	Now    time.Time // time that ages refer to
	Titles bool      // states have their titles, for role support
	Times  TimeForm  // form of times in cells
}

// TimeForm is the form of times in cells.
type TimeForm uint8

// These are the forms of times.
const (
	Relative TimeForm = iota // 15:04 · 3 h ago, or 02 Jan · 3 d ago
	Dated                    // 2 Jan 15:04 · 3 d ago
	Ageless                  // 2 Jan 15:04
)

// NewPresenter returns the presenter of an environment.
func NewPresenter(env *screen.Env) Presenter {
	return Presenter{Now: env.Now(), Titles: env.Plain()}
}

// Label returns the title of an attribute for role support, and its path for other roles. e may be nil.
func (p Presenter) Label(e *models.Entity, path string) string {
	if p.Titles && e != nil {
		if a := e.Attribute(path); a != nil && a.Title != "" {
			return a.Title
		}
	}
	return path
}

// A FormattedValue is a formatted value for the item view.
type FormattedValue struct {
	Text string
	Note string // age, unit or exact value, or ""
	Role widget.Role
}

// Cell returns the value at a path of a masked item as a short line. e is nil if no entity matches the item.
func (p Presenter) Cell(e *models.Entity, path string, it models.Item) widget.Cell {
	v, ok := it.At(path)
	if !ok && e != nil {
		if a := e.Attribute(path); a != nil && a.KeyOnly {
			var text string
			text, ok = e.Values(it)(path)
			v = models.StringValue(text)
		}
	}
	if !ok {
		return widget.Cell{Text: NoValue, Role: widget.RoleFaint}
	}
	s := p.formatValue(ValueOf(e, path), v, true)
	if document, ok := v.(*types.AttributeValueMemberM); ok && p.Titles {
		s.Text = p.members(e, path, document.Value)
	}
	cell := widget.Cell{Text: models.PrintableCell(s.Text, CellRunes), Role: s.Role}
	if models.ValueType(v) == models.TypeN {
		cell.Align = widget.AlignRight
		if ValueOf(e, path).Format.IsTime() {
			cell.Align = widget.AlignLeft
		}
	}
	return cell
}

// Show returns the exact value at a path for the item view, with a note.
func (p Presenter) Show(e *models.Entity, path string, v types.AttributeValue) FormattedValue {
	return p.formatValue(ValueOf(e, path), v, false)
}

// Plain returns the value at a path in everyday form, with times in the screens' time zone, and with yes and no.
func (p Presenter) Plain(e *models.Entity, path string, v types.AttributeValue) FormattedValue {
	k := ValueOf(e, path)
	if text, ok := models.ValueText(v); ok && k.Format.IsTime() && !k.Format.IsPeriod() && !models.IsMasked(v) {
		if t, ok := k.Format.ReadTime(text); ok {
			return FormattedValue{Text: When(t, p.Now)}
		}
	}
	s := p.formatValue(k, v, false)
	switch v := v.(type) {
	case *types.AttributeValueMemberBOOL:
		if k.Lifecycle == nil {
			s.Text = map[string]string{"true": "yes", "false": "no"}[s.Text]
		}
	case *types.AttributeValueMemberN:
		s.Note = ""
	case *types.AttributeValueMemberM:
		s.Text = p.members(e, path, v.Value)
	}
	if k.Lifecycle != nil && s.Role != widget.RoleWarn {
		text, _ := models.ValueText(v)
		if st := k.Lifecycle.State(text); st != nil && st.Label != "" {
			s.Text = strings.Replace(s.Text, text, st.Label, 1)
		}
	}
	return s
}

func (p Presenter) members(e *models.Entity, path string, document models.Item) string {
	names := document.Names()
	return strings.TrimPrefix(firstParts(len(names), func(i int) string {
		name, v := strings.TrimPrefix(path+"."+names[i], "."), document[names[i]]
		title, _ := e.PlainName(name)
		title = models.PrintableCell(strings.TrimPrefix(title, path+"."), 32)
		if _, ok := models.ValueText(v); ok {
			return title + " " + models.PrintableCell(p.Plain(e, name, v).Text, 32)
		}
		return title
	}), " ")
}

// A ValueFormat is the schema's definition of a value's format.
type ValueFormat struct {
	Format    models.Format
	Lifecycle *models.Lifecycle
	Attribute *models.Attribute // nil if the schema does not declare the attribute
}

// ValueOf returns the definition of the attribute at a path.
func ValueOf(e *models.Entity, path string) ValueFormat {
	if e == nil {
		return ValueFormat{}
	}
	return ValueFormat{e.FormatOf(path), e.Lifecycle(path), e.Attribute(path)}
}

func (p Presenter) formatValue(k ValueFormat, v types.AttributeValue, short bool) FormattedValue {
	switch v := v.(type) {
	case *models.Masked:
		return FormattedValue{Text: v.Value, Role: widget.RoleFaint}
	case *types.AttributeValueMemberS:
		return p.formatText(k, v.Value, short)
	case *types.AttributeValueMemberN:
		s := p.formatText(k, v.Value, short)
		if s.Role == widget.RoleText && s.Text == v.Value {
			s.Role = widget.RoleInfo
		}
		return s
	case *types.AttributeValueMemberBOOL:
		if k.Lifecycle != nil {
			return p.formatText(k, strconv.FormatBool(v.Value), short)
		}
		return FormattedValue{Text: strconv.FormatBool(v.Value), Role: widget.RoleInfo}
	case *types.AttributeValueMemberB:
		return FormattedValue{Text: Plural(len(v.Value), "byte"), Note: "binary", Role: widget.RoleMuted}
	case *types.AttributeValueMemberNULL:
		return FormattedValue{Text: "NULL", Role: widget.RoleFaint}
	case nil:
		return FormattedValue{Text: NoValue, Role: widget.RoleFaint}
	default:
		return FormattedValue{Text: Summary(v), Role: widget.RoleMuted}
	}
}

func (p Presenter) formatText(k ValueFormat, formatText string, short bool) FormattedValue {
	switch {
	case formatText == "":
		return FormattedValue{Text: `""`, Note: "empty", Role: widget.RoleFaint}
	case k.Lifecycle != nil:
		c := StateBadge(p.Titles, k.Lifecycle, formatText)
		return FormattedValue{Text: strings.Replace(c.Text, formatText, k.Attribute.Labeled(formatText), 1), Role: c.Role}
	case k.Attribute.Labeled(formatText) != formatText:
		return FormattedValue{Text: k.Attribute.Labeled(formatText)}
	case k.Format.IsTime():
		return p.formatTime(k.Format, formatText, short)
	}
	switch k.Format {
	case models.Cents:
		return formatMoney(formatText)
	case models.Bytes:
		return formatSize(formatText)
	case models.Seconds:
		return formatSeconds(formatText)
	default:
		return FormattedValue{Text: formatText}
	}
}

// StateBadge returns the symbol, word and color of a lifecycle state. An unknown state has a question mark. If plain is
// set, for role support, the word is the title of the state.
func StateBadge(plain bool, l *models.Lifecycle, state string) widget.Cell {
	s := l.State(state)
	if s == nil {
		return widget.Cell{Text: "? " + models.PrintableCell(state, CellRunes), Role: widget.RoleWarn}
	}
	if (plain || state == "true" || state == "false") && s.Label != "" { // The label is clear without the attribute's name.
		state = s.Label
	}
	return widget.Badge(widget.KindOf(string(s.Kind)), state)
}

// Elements returns the number of elements in a list or a set, and a function that returns the i-th element. It returns
// 0 for any other value.
func Elements(v types.AttributeValue) (n int, at func(i int) types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberL:
		return len(v.Value), func(i int) types.AttributeValue { return v.Value[i] }
	case *types.AttributeValueMemberSS:
		return len(v.Value), func(i int) types.AttributeValue { return models.StringValue(v.Value[i]) }
	case *types.AttributeValueMemberNS:
		return len(v.Value), func(i int) types.AttributeValue { return &types.AttributeValueMemberN{Value: v.Value[i]} }
	case *types.AttributeValueMemberBS:
		return len(v.Value), func(i int) types.AttributeValue { return &types.AttributeValueMemberB{Value: v.Value[i]} }
	}
	return 0, nil
}

// summaryParts is the maximum number of members in a summary.
const summaryParts = 4

// Summary returns the size and the first members of a document, list or set: {3} email, phone, sms. Its running time
// does not depend on the size of the members.
func Summary(v types.AttributeValue) string {
	if m, ok := v.(*types.AttributeValueMemberM); ok {
		return "{" + strconv.Itoa(len(m.Value)) + "}" + firstNames(m.Value)
	}
	n, at := Elements(v)
	sample := firstParts(n, func(i int) string { return shortValue(at(i)) })
	switch v.(type) {
	case *types.AttributeValueMemberL:
		return "[" + strconv.Itoa(n) + "]" + sample
	case *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
		return "set of " + strconv.Itoa(n) + sample
	}
	return "?"
}

func firstNames(m map[string]types.AttributeValue) string {
	if len(m) > 4096 {
		return "" // Sorting so many names takes too long for one line.
	}
	names := models.Item(m).Names()
	return firstParts(len(names), func(i int) string { return models.PrintableCell(names[i], 32) })
}

func shortValue(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return "{" + strconv.Itoa(len(v.Value)) + "}"
	case *types.AttributeValueMemberL:
		return "[" + strconv.Itoa(len(v.Value)) + "]"
	case *types.AttributeValueMemberB:
		return Plural(len(v.Value), "byte")
	case *types.AttributeValueMemberNULL:
		return "NULL"
	}
	if text, ok := models.ValueText(v); ok {
		return models.PrintableCell(text, 32)
	}
	return string(models.ValueType(v))
}

func firstParts(n int, part func(i int) string) string {
	var b strings.Builder
	for i := range min(n, summaryParts) {
		b.WriteString(" ")
		b.WriteString(part(i))
		if i < n-1 {
			b.WriteByte(',')
		}
	}
	if n > summaryParts {
		b.WriteString(" …")
	}
	return b.String()
}

func (p Presenter) formatTime(f models.Format, text string, short bool) FormattedValue {
	t, ok := f.ReadTime(text)
	switch {
	case !ok && short:
		return FormattedValue{Text: text, Role: widget.RoleWarn}
	case !ok:
		return FormattedValue{Text: text, Note: "not a time as " + string(f), Role: widget.RoleWarn}
	}
	switch {
	case f.IsDay() && short:
		return FormattedValue{Text: t.UTC().Format(time.DateOnly)}
	case f.IsPeriod() && short:
		return FormattedValue{Text: text}
	case f.IsPeriod():
		return FormattedValue{Text: text, Note: Age(t, p.Now)}
	case short && p.Times == Ageless:
		return FormattedValue{Text: At(t, p.Now)}
	case short && p.Times == Dated:
		return FormattedValue{Text: At(t, p.Now) + " · " + Age(t, p.Now)}
	case short:
		return FormattedValue{Text: p.Moment(t) + " · " + Age(t, p.Now)}
	case f.ReadableText(text) != text:
		return FormattedValue{Text: text, Note: t.UTC().Format("2006-01-02T15:04:05Z") + " · " + Age(t, p.Now)}
	}
	return FormattedValue{Text: text, Note: Age(t, p.Now)}
}

func formatMoney(cents string) FormattedValue {
	digits, negative := strings.CutPrefix(cents, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return FormattedValue{Text: cents, Note: "not whole cents", Role: widget.RoleWarn}
	}
	for len(digits) < 3 {
		digits = "0" + digits
	}
	whole, _ := new(big.Int).SetString(digits[:len(digits)-2], 10) // The text contains only digits.
	text := humanize.BigComma(whole) + "." + digits[len(digits)-2:]
	if negative {
		text = "-" + text
	}
	return FormattedValue{Text: text, Note: cents + " cents"}
}

func formatSize(text string) FormattedValue {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return FormattedValue{Text: text, Role: widget.RoleText}
	}
	if n < 1024 {
		return FormattedValue{Text: Plural(int(n), "byte")}
	}
	return FormattedValue{Text: humanize.IBytes(n), Note: text + " bytes"}
}

func formatSeconds(text string) FormattedValue {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<33 {
		return FormattedValue{Text: text}
	}
	if n < 60 {
		return FormattedValue{Text: text + "s"}
	}
	var parts []string
	for i, size := range []int64{86400, 3600, 60, 1} {
		if rest := n % []int64{1 << 34, 86400, 3600, 60}[i]; rest >= size {
			parts = append(parts, strconv.FormatInt(rest/size, 10)+"dhms"[i:i+1])
		}
	}
	return FormattedValue{Text: strings.Join(parts, " "), Note: text + " seconds"}
}
