package screens

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// word is a piece of a line with its role.
type word struct {
	text string
	role widget.Role
}

// requestLine is the request as words, or what is missing.
type requestLine struct {
	words   []word
	problem string // why nothing can be sent, "" when it can
	read    accesspatterns.Read
	request *accesspatterns.Request // what is sent, nil when err says why nothing can be
	err     error
}

// paint draws the line.
func (l requestLine) paint(s *widget.Styles) string {
	var b strings.Builder
	for _, w := range l.words {
		b.WriteString(s.Paint(w.role, w.text))
	}
	return b.String()
}

// describeRequest binds the parameters and spells the request; when they do not
// suffice it spells what is known of it.
func describeRequest(env *Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity) requestLine {
	r, err := env.Session.Bind(p, args)
	if err != nil {
		l := requestLine{read: p.Read, problem: err.Error(), err: err}
		var bad *accesspatterns.ParamError
		if errors.As(err, &bad) {
			l.problem = inShort(bad)
		}
		l.words = sketch(env, p, args, hidden)
		if env.Plainly() {
			l.words = inWords(env, p, args, hidden, false)
		}
		return l
	}
	return spellRequest(env, r, hidden)
}

// spellRequest spells a request that can be sent.
func spellRequest(env *Env, r *accesspatterns.Request, hidden map[string]models.Sensitivity) requestLine {
	redact := redactor(r, hidden)
	l := requestLine{read: r.Read, request: r}
	if env.Plainly() {
		l.words = inWords(env, r.Pattern, r.Given, hidden, true)
		return l
	}
	switch leg := r.Legs[0]; {
	case leg.Get != nil:
		for i, c := range r.Read.Key {
			if i > 0 {
				l.words = append(l.words, word{"  ·  ", widget.RoleFaint})
			}
			l.words = append(l.words, word{c.Attribute.Name, widget.RoleKey}, word{" = ", widget.RoleMuted}, value(leg.Get.Key[c.Attribute.Name], redact))
		}
	case leg.Query != nil:
		q := leg.Query
		l.words = expression(text(q.KeyConditionExpression), q.ExpressionAttributeNames, q.ExpressionAttributeValues, redact)
		l.filter(text(q.FilterExpression), q.ExpressionAttributeNames, q.ExpressionAttributeValues, redact)
	case leg.Scan != nil:
		l.words = wholeTable(r.Pattern)
		l.filter(text(leg.Scan.FilterExpression), leg.Scan.ExpressionAttributeNames, leg.Scan.ExpressionAttributeValues, redact)
	}
	if n := len(r.Legs); n > 1 {
		l.words = append(l.words, word{fmt.Sprintf("  × %d partitions, %s to %s", n, r.Labels[0], r.Labels[n-1]), widget.RoleInfo})
	}
	return l
}

func wholeTable(p *accesspatterns.Pattern) []word {
	return []word{{"reads the whole table ", widget.RoleWarn}, {p.Table.Name, widget.RoleKey}}
}

func (l *requestLine) filter(e string, names map[string]string, values map[string]types.AttributeValue, redact accesspatterns.Redact) {
	if e == "" {
		return
	}
	l.words = append(l.words, word{"  then only ", widget.RoleFaint})
	l.words = append(l.words, expression(e, names, values, redact)...)
}

// inShort says what is wrong with a parameter in the few words that a line has
// room for.
func inShort(e *accesspatterns.ParamError) string {
	if strings.HasPrefix(e.Reason, "missing") {
		return "needs " + e.Param
	}
	return "not " + e.Param
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// redactor hides the parameters that are not shown, wherever they turn up.
func redactor(r *accesspatterns.Request, hidden map[string]models.Sensitivity) accesspatterns.Redact {
	return func(text string) string {
		for name := range hidden {
			if v, ok := r.Values[name]; ok && v.Text != "" {
				text = strings.ReplaceAll(text, v.Text, "•••")
			}
		}
		return text
	}
}

// value spells a key value: text in quotes, numbers bare.
func value(v types.AttributeValue, redact accesspatterns.Redact) word {
	t, _ := models.ValueText(v)
	t = redact(t)
	if models.ValueType(v) == models.TypeS {
		return word{`"` + t + `"`, widget.RoleText}
	}
	return word{t, widget.RoleInfo}
}

// expression spells an expression with its names and values in place of their
// aliases.
func expression(e string, names map[string]string, values map[string]types.AttributeValue, redact accesspatterns.Redact) []word {
	var words []word
	between := false
	for e != "" {
		n := strings.IndexAny(e, "#: ,()")
		switch {
		case n < 0:
			n = len(e)
		case n == 0 && (e[0] == '#' || e[0] == ':'):
			n = 1 + aliasLength(e[1:])
			if e[0] == '#' {
				words = append(words, word{names[e[:n]], widget.RoleKey})
			} else {
				words = append(words, value(values[e[:n]], redact))
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

func aliasLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return i
		}
	}
	return len(s)
}

// sketch spells the key conditions from their templates, with the values that
// are right so far.
func sketch(env *Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity) []word {
	values := func(name string) (word, bool) {
		q := p.Param(name)
		if q == nil {
			return word{}, false
		}
		given, ok := args[name]
		if !ok {
			given = q.Default
		}
		v, err := q.Read(given, env.Session.Now())
		if err != nil || given == "" {
			return word{}, false
		}
		if _, hide := hidden[name]; hide {
			return word{"•••", widget.RoleText}, true
		}
		return word{v.Text, widget.RoleText}, true
	}
	if p.Read.Operation == accesspatterns.Scan {
		return wholeTable(p)
	}
	var words []word
	for i, c := range p.Read.Key {
		if i > 0 {
			words = append(words, word{"  ·  ", widget.RoleFaint})
		}
		name := word{c.Attribute.Name, widget.RoleKey}
		switch c.Compare {
		case accesspatterns.Range:
			words = append(words, name, word{" from ", widget.RoleMuted})
			words = append(words, fill(c.From, values)...)
			words = append(words, word{" to ", widget.RoleMuted})
			words = append(words, fill(c.To, values)...)
		case accesspatterns.BeginsWith:
			words = append(words, word{"begins_with(", widget.RoleMuted}, name, word{", ", widget.RoleMuted})
			words = append(words, fill(c.Template, values)...)
			words = append(words, word{")", widget.RoleMuted})
		default:
			words = append(words, name, word{" = ", widget.RoleMuted})
			words = append(words, fill(c.Template, values)...)
		}
	}
	return words
}

// fill spells a template with the values that are known.
func fill(t models.Template, values func(string) (word, bool)) []word {
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
