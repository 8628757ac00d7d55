package team

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// titles finds the titles of actions in requests and journal entries of any schema, for role support. It opens schemas
// without a connection. For a schema that needs a connection, such as a table, it returns the IDs.
type titles map[string]*profiles.Profile

func newTitles(c *op.Call) titles {
	t := titles{}
	if c.Plain() {
		list, _ := c.Profiles() // Without a schema, its IDs are shown.
		for _, p := range list {
			t[p.Name] = p
		}
	}
	return t
}

// find returns nil for an unknown action, and for roles that read IDs instead of titles.
func (t titles) find(schema, id string) *change.Action {
	if p := t[schema]; p != nil {
		return p.Action(id)
	}
	return nil
}

func (t titles) action(schema, id string) string {
	if a := t.find(schema, id); a != nil {
		return a.Title
	}
	return id
}

// subject names the actions and patterns in the subject of a journal entry, such as "plan SCHEMA.ACTION".
func (t titles) subject(schema, text string) string {
	words := strings.Fields(text)
	for i, id := range words {
		if a := t.find(schema, id); a != nil {
			words[i] = a.Title
		} else if p := t[schema]; p != nil && p.Pattern(id) != nil {
			words[i] = p.Pattern(id).Title
		} else if verb, ok := strings.CutPrefix(id, "requests."); ok && len(t) > 0 {
			words[i] = verb + " a change request"
		}
	}
	return strings.Join(words, " ")
}

// item returns the title and the ID of an item with a key, for role support; see [explore.PlainItem].
func (t titles) item(schema, text string) (title, id string) {
	if p := t[schema]; p != nil {
		return explore.PlainItem(p, text)
	}
	if id, ok := strings.CutPrefix(text, "DDBDESK#REQUESTS / "); ok && len(t) > 0 {
		return "", id
	}
	return "", text
}

func (t titles) stateChange(schema, id, from, to string) string {
	if to == "" {
		return ""
	}
	if a := t.find(schema, id); a != nil && a.Lifecycle != nil {
		from, to = a.Lifecycle.Title(from), a.Lifecycle.Title(to)
	}
	return from + " → " + to
}
