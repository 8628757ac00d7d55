package screens

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Plainly reports whether requests are told in words: to support. Developers
// and admins see keys and indexes, and so does who is not connected yet.
func (e *Env) Plainly() bool { return e.Session != nil && e.Session.Role() == session.Support }

// OperationWord names what a pattern does in one short word.
func (e *Env) OperationWord(op accesspatterns.Operation) string {
	if !e.Plainly() {
		return string(op)
	}
	switch op {
	case accesspatterns.Get:
		return "one"
	case accesspatterns.Query:
		return "list"
	case accesspatterns.Scan:
		return "all"
	case accesspatterns.Count:
		return "count"
	default:
		return "edit"
	}
}

// inWords spells what is asked for: each parameter and its value. Without any,
// a request that is ready asks for everything, and nothing is known of another.
func inWords(env *Env, p *accesspatterns.Pattern, args map[string]string, hidden map[string]models.Sensitivity, ready bool) []word {
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
		if _, hide := hidden[q.Name]; hide {
			text = models.MaskedText
		}
		words = append(words, word{q.Name + " ", widget.RoleKey}, word{text, widget.RoleText})
		if note := standsFor(q, text, env.Session.Now()); note != "" {
			words = append(words, word{" " + note, widget.RoleMuted})
		}
	}
	if len(words) > 0 && p.OrderNote != "" {
		words = append(words, word{"  ·  " + p.OrderNote, widget.RoleFaint})
	}
	switch {
	case p.Read.Operation == accesspatterns.Scan:
		words = append([]word{{"looks through everything", widget.RoleWarn}, {"  ", widget.RoleFaint}}, words...)
	case len(words) == 0 && ready:
		words = []word{{"asks for all of them", widget.RoleMuted}}
	}
	return words
}
