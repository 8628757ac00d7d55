package timeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Sentence says in a few words what an entry tells about an item of an entity: "Queued for review", or "Became Approved" if
// the entry has only the state. The actions are those of the entity. Show only sentences of entries that Shown returned: the words are those of the entry.
func (e Entry) Sentence(of *models.Entity, actions []*change.Action) string {
	switch to := e.state(of); {
	case e.Trail == nil && e.Change != nil:
		return capital(e.What)
	case e.What != "":
		return Past(title(e.What, actions))
	case to != "":
		return "Became " + to
	}
	return "Changed"
}

// By identifies who made the change of an entry, "" if the entry does not tell.
func (e Entry) By() string {
	if strings.EqualFold(e.Who, "system") {
		return "the system"
	}
	return e.Who
}

// state returns the label of the state that the entry tells, "" if the state did not change.
func (e Entry) state(of *models.Entity) string {
	if of == nil {
		return ""
	}
	for _, l := range of.Lifecycles {
		from, _ := stateIn(l, e.Before)
		if to, known := stateIn(l, e.After); known && to != "" && to != from {
			return label(l, to)
		}
	}
	return ""
}

func title(what string, actions []*change.Action) string {
	i := slices.IndexFunc(actions, func(a *change.Action) bool {
		return a.ID == what || slices.ContainsFunc(a.Transitions,
			func(t *models.Transition) bool { return t.Name == what && what != "" && a.Target == "" })
	})
	if i >= 0 {
		return actions[i].Title
	}
	return NameInWords(what)
}

// NameInWords writes a name as words: "queue-for-review" and "queueForReview" are "Queue for review".
func NameInWords(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case strings.ContainsRune("-_.:/ ", r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return capital(strings.Join(strings.Fields(b.String()), " "))
}

func capital(text string) string {
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):]
	}
	return ""
}

// irregular are past tenses that no rule gives.
var irregular = map[string]string{
	"set": "set", "put": "put", "read": "read", "bid": "bid", "send": "sent", "begin": "began", "take": "took", "give": "gave",
	"make": "made", "pay": "paid", "hold": "held", "win": "won", "lose": "lost", "run": "ran", "write": "wrote", "undo": "undid",
	"build": "built", "get": "got", "withdraw": "withdrew", "submit": "submitted", "flag": "flagged", "log": "logged", "ban": "banned",
	"drop": "dropped", "ship": "shipped", "stop": "stopped", "cancel": "canceled", "resubmit": "resubmitted",
}

// Past puts words that begin with a verb into the past: "Queue for review" is "Queued for review". Words that are in the past
// already, such as "Bid placed", stay.
func Past(words string) string {
	first, rest, _ := strings.Cut(words, " ")
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if strings.HasSuffix(word, "ed") && len(word) > 3 || past(word) {
			return words
		}
	}
	if strings.EqualFold(first, "auto") && rest != "" {
		return "Automatically " + strings.ToLower(Past(rest))
	}
	verb := strings.ToLower(first)
	switch {
	case verb == "":
		return ""
	case irregular[verb] != "":
		verb = irregular[verb]
	case strings.HasSuffix(verb, "e"):
		verb += "d"
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		verb = verb[:len(verb)-1] + "ied"
	default:
		verb += "ed"
	}
	return strings.TrimSpace(capital(verb) + " " + rest)
}

func past(word string) bool {
	for verb, was := range irregular {
		if word == was && verb != was {
			return true
		}
	}
	return false
}
