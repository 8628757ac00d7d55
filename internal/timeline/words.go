package timeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Sentence describes the entry of an entity's item in a few words: "Queued for review", or "Became Approved" if the
// entry contains only the state. actions contains the entity's actions. Call it only on the result of Shown, because
// the sentence contains text of the entry.
func (e Entry) Sentence(entity *models.Entity, actions []*change.Action) string {
	switch to := e.state(entity); {
	case e.Trail == nil && e.Change != nil:
		return capitalize(e.What)
	case e.What != "":
		return PastTense(title(e.What, actions))
	case to != "":
		return "Became " + to
	}
	return "Changed"
}

// User returns the user who made the change, or "" if the entry does not contain one.
func (e Entry) User() string {
	if strings.EqualFold(e.Who, "system") {
		return "the system"
	}
	return e.Who
}

// state returns the label of the entry's new state, or "" if the state did not change.
func (e Entry) state(entity *models.Entity) string {
	if entity == nil {
		return ""
	}
	for _, l := range entity.Lifecycles {
		from, _ := stateIn(l, e.Before)
		if to, known := stateIn(l, e.After); known && to != "" && to != from {
			return l.Title(to)
		}
	}
	return ""
}

var rawPrefixes = []string{change.RawEdit, change.RawPut, change.RawDelete}

func title(text string, actions []*change.Action) string {
	i := slices.IndexFunc(actions, func(a *change.Action) bool {
		return a.ID == text || slices.ContainsFunc(a.Transitions,
			func(t *models.Transition) bool { return t.Name == text && text != "" && a.Target == "" })
	})
	if i >= 0 {
		return actions[i].Title
	}
	if word := strings.Split(text, "."); len(word) > 2 && slices.Contains(rawPrefixes, word[0]+"."+word[1]+".") {
		return capitalize(word[1])
	}
	if undone, ok := strings.CutPrefix(text, "undo"); ok {
		id := strings.TrimLeft(undone, "-_.: ")
		if strings.HasPrefix(id, "table.") || slices.ContainsFunc(actions, func(a *change.Action) bool { return a.ID == id }) {
			return `Undo "` + title(id, actions) + `"`
		}
	}
	if strings.IndexFunc(text, unicode.IsLetter) != 0 { // such as a version
		return text
	}
	return NameInWords(text)
}

// NameInWords converts a name to words: "queue-for-review" and "queueForReview" become "Queue for review".
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
	return capitalize(strings.Join(strings.Fields(b.String()), " "))
}

func capitalize(text string) string {
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):]
	}
	return ""
}

// irregular contains past tenses that do not follow a rule.
var irregular = map[string]string{
	"set": "set", "put": "put", "read": "read", "bid": "bid", "send": "sent", "begin": "began", "take": "took", "give": "gave",
	"make": "made", "pay": "paid", "hold": "held", "win": "won", "lose": "lost", "run": "ran", "write": "wrote", "undo": "undid",
	"build": "built", "get": "got", "withdraw": "withdrew", "submit": "submitted", "flag": "flagged", "log": "logged", "ban": "banned",
	"drop": "dropped", "ship": "shipped", "stop": "stopped", "cancel": "canceled", "resubmit": "resubmitted",
}

// PastTense returns the past tense of words that begin with a verb: "Queue for review" becomes "Queued for review". It
// does not change words in the past tense, such as "Bid placed".
func PastTense(words string) string {
	first, rest, _ := strings.Cut(words, " ")
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if strings.HasSuffix(word, "ed") && len(word) > 3 || isPastTense(word) {
			return words
		}
	}
	if strings.EqualFold(first, "auto") && rest != "" {
		return "Automatically " + strings.ToLower(PastTense(rest))
	}
	verb := strings.ToLower(first)
	switch {
	case strings.IndexFunc(verb, unicode.IsLetter) != 0:
		return words
	case irregular[verb] != "":
		verb = irregular[verb]
	case strings.HasSuffix(verb, "e"):
		verb += "d"
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		verb = verb[:len(verb)-1] + "ied"
	default:
		verb += "ed"
	}
	return strings.TrimSpace(capitalize(verb) + " " + rest)
}

func isPastTense(word string) bool {
	for verb, old := range irregular {
		if word == old && verb != old {
			return true
		}
	}
	return false
}
