package present

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A word is a piece of a line with its role.
type word struct {
	Text string
	role widget.Role
}

// A RequestLine describes a request in words, or its missing parameters.
type RequestLine struct {
	Words   []word
	Problem string // short reason why ddbdesk cannot send the request, or ""
	Read    accesspatterns.Read
	Request *accesspatterns.Request // nil if Err is set
	Err     error                   // reason why there is no request
}

// Paint draws the line without cutting it.
func (l RequestLine) Paint(s *widget.Styles) string {
	var b strings.Builder
	for _, w := range l.Words {
		b.WriteString(s.Paint(w.role, w.Text))
	}
	return b.String()
}

// Text returns the line without styles.
func (l RequestLine) Text() string {
	var b strings.Builder
	for _, w := range l.Words {
		b.WriteString(w.Text)
	}
	return b.String()
}

// DescribeRequest binds the parameters and describes the request. If parameters are missing or invalid, it describes
// the rest. It masks the parameters in hidden. It sends no requests, so the caller can use it for each key press.
func DescribeRequest(env *screen.Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity) RequestLine {
	r, err := env.Reading.Bind(p, args)
	if err != nil {
		l := RequestLine{Read: p.Read, Problem: err.Error(), Err: err}
		if paramErr, ok := errors.AsType[*accesspatterns.ParamError](err); ok {
			name := paramErr.Param
			if q := p.Param(name); q != nil {
				name = ParamLabel(env.Plain(), q)
			}
			l.Problem = "not " + name
			if strings.HasPrefix(paramErr.Reason, "missing") {
				l.Problem = "needs " + name
			}
		}
		l.Words = incompleteWords(env, p, args, hidden)
		if env.Plain() {
			l.Words = plainWords(env, p, args, hidden, false)
		}
		return l
	}
	return DescribeBoundRequest(env, r, hidden)
}

// DescribeBoundRequest describes a complete request.
func DescribeBoundRequest(env *screen.Env, r *accesspatterns.Request, hidden map[string]models.Sensitivity) RequestLine {
	redact := r.Redactor(hidden)
	l := RequestLine{Read: r.Read, Request: r}
	if env.Plain() {
		l.Words = plainWords(env, r.Pattern, r.Given, hidden, true)
		return l
	}
	switch leg := r.Legs[0]; {
	case leg.Batch != nil:
		_, keys := leg.Keys()
		l.Words = append(keyWords(r, keys.Keys[0], redact), word{"  and " + Plural(r.KeyCount()-1, "more key"), widget.RoleInfo})
		return l
	case leg.Get != nil:
		l.Words = keyWords(r, leg.Get.Key, redact)
	case leg.Query != nil:
		q := leg.Query
		l.Words = expressionWords(textOf(q.KeyConditionExpression), q.ExpressionAttributeNames, q.ExpressionAttributeValues, redact)
		l.addFilter(textOf(q.FilterExpression), q.ExpressionAttributeNames, q.ExpressionAttributeValues, redact)
	case leg.Scan != nil:
		l.Words = scanWords(r.Pattern)
		l.addFilter(textOf(leg.Scan.FilterExpression), leg.Scan.ExpressionAttributeNames, leg.Scan.ExpressionAttributeValues, redact)
	}
	switch n := len(r.Legs); {
	case n > 1 && r.Read.FanOut != nil:
		l.Words = append(l.Words, word{fmt.Sprintf("  × %d partitions, %s to %s", n, r.Labels[0], r.Labels[n-1]), widget.RoleInfo})
	case n > 1:
		l.Words = append(l.Words, word{fmt.Sprintf("  × %d requests", n), widget.RoleInfo})
	}
	return l
}

func keyWords(r *accesspatterns.Request, key models.Item, redact accesspatterns.Redact) []word {
	var words []word
	for i, c := range r.Read.Key {
		if i > 0 {
			words = append(words, word{"  ·  ", widget.RoleFaint})
		}
		words = append(words, word{c.Attribute.Name, widget.RoleKey}, word{" = ", widget.RoleMuted},
			valueWord(key[c.Attribute.Name], redact))
	}
	return words
}

func scanWords(p *accesspatterns.Pattern) []word {
	if x := p.Read.Index; x != nil {
		return []word{{"reads the whole index ", widget.RoleWarn}, {x.Name, widget.RoleKey}}
	}
	return []word{{"reads the whole table ", widget.RoleWarn}, {p.Table.Name, widget.RoleKey}}
}

func (l *RequestLine) addFilter(e string, names map[string]string, values map[string]types.AttributeValue, redact accesspatterns.Redact) {
	if e == "" {
		return
	}
	l.Words = append(l.Words, word{"  filter ", widget.RoleFaint})
	l.Words = append(l.Words, expressionWords(e, names, values, redact)...)
}

func valueWord(v types.AttributeValue, redact accesspatterns.Redact) word {
	t, _ := models.ValueText(v)
	t = redact(t)
	switch models.ValueType(v) {
	case models.TypeS:
		return word{`"` + t + `"`, widget.RoleText}
	case models.TypeB:
		return word{"binary " + t, widget.RoleInfo}
	default:
		return word{t, widget.RoleInfo}
	}
}

func expressionWords(e string, names map[string]string, values map[string]types.AttributeValue, redact accesspatterns.Redact) []word {
	var words []word
	between := false
	for e != "" {
		n := strings.IndexAny(e, "#: ,()")
		switch {
		case n < 0:
			n = len(e)
		case n == 0 && (e[0] == '#' || e[0] == ':'):
			n = 1 + strings.IndexFunc(e[1:]+" ", func(r rune) bool { return r != '_' && !IsWord(r) })
			if e[0] == '#' {
				words = append(words, word{names[e[:n]], widget.RoleKey})
			} else {
				words = append(words, valueWord(values[e[:n]], redact))
			}
			e = e[n:]
			continue
		case n == 0:
			n = 1
		}
		piece := e[:n]
		e = e[n:]
		switch {
		case piece == "BETWEEN":
			between = true
		case piece == "AND" && !between:
			piece = "·"
		case piece == "AND":
			between = false
		}
		words = append(words, word{piece, widget.RoleMuted})
	}
	return words
}

func incompleteWords(env *screen.Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity) []word {
	values := func(name string) (word, bool) {
		q := p.Param(name)
		if q == nil {
			return word{}, false
		}
		value, ok := args[name]
		if !ok {
			value = q.Default
		}
		v, err := q.Read(value, env.Session.Now())
		if err != nil || value == "" {
			return word{}, false
		}
		if _, isHidden := hidden[name]; isHidden {
			return word{models.MaskedText, widget.RoleText}, true
		}
		return word{v.Text, widget.RoleText}, true
	}
	if p.Read.Operation == accesspatterns.Scan {
		return scanWords(p)
	}
	var words []word
	add := func(text string, t models.Template) {
		if !t.IsZero() {
			words = append(append(words, word{text, widget.RoleMuted}), templateWords(t, values)...)
		}
	}
	for i, c := range p.Read.Key {
		if i > 0 {
			words = append(words, word{"  ·  ", widget.RoleFaint})
		}
		name := word{c.Attribute.Name, widget.RoleKey}
		if c.Compare == accesspatterns.BeginsWith {
			words = append(words, word{"begins_with(", widget.RoleMuted}, name)
			add(", ", c.Template)
			words = append(words, word{")", widget.RoleMuted})
			continue
		}
		words = append(words, name)
		switch c.Compare {
		case accesspatterns.Range:
			add(" from ", c.From)
			add(" to ", c.To)
		case accesspatterns.Matches:
			add(" = ", c.Template)
		default:
			add(" "+string(c.Compare)+" ", c.Template)
			add(" AND ", c.Upper)
		}
	}
	return words
}

func templateWords(t models.Template, values func(string) (word, bool)) []word {
	words := []word{{`"`, widget.RoleText}}
	for _, seg := range t.Segments() {
		if seg.Name == "" {
			words = append(words, word{seg.Literal, widget.RoleText})
			continue
		}
		w, ok := values(seg.Name)
		if !ok {
			w = word{"{" + seg.Name + "}", widget.RoleWarn}
		}
		words = append(words, w)
	}
	return append(words, word{`"`, widget.RoleText})
}

// plainWords describes the request for users who do not know the keys. ready means that ddbdesk can send it.
func plainWords(
	env *screen.Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity, ready bool,
) []word {
	if p.CustomQuery != nil {
		return customQueryWords(p, hidden)
	}
	var words []word
	for _, q := range p.Params {
		text, ok := args[q.Name]
		if !ok {
			text = q.Default
		}
		if text == "" || q.Type == accesspatterns.Token {
			continue
		}
		if len(words) > 0 {
			words = append(words, word{"  ·  ", widget.RoleFaint})
		}
		if _, isHidden := hidden[q.Name]; isHidden {
			text = models.MaskedText
		}
		words = append(words, word{ParamLabel(env.Plain(), q) + " ", widget.RoleKey}, word{ParamValue(env, q, text), widget.RoleText})
		if note := ResolvedText(q, text, env.Session.Now()); note != "" {
			words = append(words, word{" " + note, widget.RoleMuted})
		}
	}
	if len(words) > 0 && p.OrderNote != "" {
		words = append(words, word{"  ·  " + p.OrderNote, widget.RoleFaint})
	}
	switch {
	case p.Read.Operation == accesspatterns.Scan:
		words = append([]word{{"reads the whole list", widget.RoleWarn}, {"  ", widget.RoleFaint}}, words...)
	case len(words) == 0 && ready:
		words = []word{{"returns every item", widget.RoleMuted}}
	}
	return words
}

func customQueryWords(p *accesspatterns.Pattern, hidden map[string]models.Sensitivity) []word {
	var words []word
	if p.Read.Operation == accesspatterns.Scan {
		words = append(words, word{"reads the whole list", widget.RoleWarn})
	}
	isHidden := func(name string) bool { _, hide := hidden[name]; return hide }
	for i, c := range raw.Comparisons(p.CustomQuery, isHidden, func(string) string { return models.MaskedText }) {
		switch {
		case i > 0:
			words = append(words, word{"  ·  ", widget.RoleFaint})
		case len(words) > 0:
			words = append(words, word{"  ", widget.RoleFaint})
		}
		name := c.Name.String()
		words = append(words, word{models.Printable(name), widget.RoleKey},
			word{models.Printable(strings.TrimPrefix(c.String(), name)), widget.RoleText})
	}
	return words
}

// PatternItems lists the schema's patterns and the given listings by group, in the schema's order. Patterns that are known
// to fail have a badge.
func PatternItems(env *screen.Env, listings ...*accesspatterns.Pattern) []widget.ListItem {
	var groups []string
	byGroup := map[string][]widget.ListItem{}
	for _, p := range slices.Concat(env.Session.Profile().Patterns, listings) {
		it := widget.ListItem{ID: p.ID, Section: p.Group, Lead: env.OperationWord(p.Read.Operation), Title: p.Title, Search: p.ID}
		if p.HasSeriousFinding() {
			it.Badge, it.BadgeRole = "⚠", widget.RoleWarn
		}
		if patternObstacle(env, p) != nil {
			it.Badge, it.BadgeRole = "✗", widget.RoleBad
		}
		if _, ok := byGroup[p.Group]; !ok {
			groups = append(groups, p.Group)
		}
		byGroup[p.Group] = append(byGroup[p.Group], it)
	}
	var items []widget.ListItem
	for _, g := range groups {
		items = append(items, byGroup[g]...)
	}
	return items
}

// EntityNames returns the names and titles of entities as one text.
func EntityNames(list []*models.Entity) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
		if e.Title != "" && e.Title != e.Name {
			names[i] += " (" + e.Title + ")"
		}
	}
	return strings.Join(names, ", ")
}

// WriteLine describes a write on one line: the operation, the attributes that it sets, and its condition.
func WriteLine(s *widget.Styles, p *accesspatterns.Pattern) string {
	if p.DocumentedWrite == nil {
		return ""
	}
	line := s.Paint(widget.RoleFaint, "✎ ") + s.Paint(widget.RoleKey, p.DocumentedWrite.API)
	if len(p.DocumentedWrite.Sets) > 0 {
		line += s.Paint(widget.RoleMuted, " sets ") + s.Paint(widget.RoleText, strings.Join(p.DocumentedWrite.Sets, ", "))
	}
	if p.DocumentedWrite.Condition != "" {
		line += s.Paint(widget.RoleMuted, " only if ") + s.Paint(widget.RoleText, p.DocumentedWrite.Condition)
	}
	return line
}

// WriteLines describes a write in lines of w cells.
func WriteLines(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	t := &Facts{Styles: s, Label: 12, Width: w}
	t.Lines = append(t.Lines, Heading(s, "Planned write", w))
	row := func(label string, role widget.Role, value string) {
		t.Styled(label, s.PaintCell(role, widget.SurfacePlain, value, max(w-t.Label, 1), widget.AlignLeft))
	}
	row("request", widget.RoleKey, p.DocumentedWrite.API)
	label := "key"
	for _, c := range p.Read.Key {
		t.Styled(label, s.Paint(widget.RoleKey, c.Attribute.Name)+s.Paint(widget.RoleMuted, " = ")+Template(s, c.Template))
		label = ""
	}
	if len(p.DocumentedWrite.Sets) > 0 {
		row("sets", widget.RoleText, strings.Join(p.DocumentedWrite.Sets, ", "))
	}
	row("condition", widget.RoleText, cmp.Or(p.DocumentedWrite.Condition, "none: it replaces an existing item"))
	label = "parameters"
	for _, q := range p.Params {
		about := q.Description
		if !q.Required {
			about = Join(about, "optional", " · ")
		}
		t.Styled(label, s.Paint(widget.RoleKey, q.Name)+s.Paint(widget.RoleMuted, "  "+about))
		label = ""
	}
	t.Blank()
	return t.Lines
}

func textOf(expression *string) string {
	if expression == nil {
		return ""
	}
	return *expression
}
