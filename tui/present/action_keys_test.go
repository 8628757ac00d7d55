package present

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// Each action has one letter, which no other action of its queues or entity has.
func TestActionKeysAreUnambiguous(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		keys := ActionKeys(nil, p)
		groups := map[string][]*change.Action{}
		for _, q := range p.Queues {
			groups["queue "+q.ID] = q.Actions
		}
		for _, e := range p.Entities {
			groups["entity "+e.Name] = p.ActionsOf(e)
		}
		for group, actions := range groups {
			owner := map[string]string{}
			for _, a := range actions {
				letter := keys[a]
				if letter == "" {
					continue
				}
				if strings.Contains(ReservedKeys, letter) || owner[letter] != "" {
					t.Errorf("%s: %s has the key %q, which %s uses", group, a.ID, letter, owner[letter])
				}
				owner[letter] = a.ID
			}
		}
		for _, q := range p.Queues {
			for _, a := range q.Actions {
				if keys[a] == "" {
					t.Errorf("queue %s: %s has no key", q.ID, a.ID)
				}
			}
		}
	})
}

// An action gets the first letter of its verb if possible. A configured key belongs only to its action.
func TestActionKeysFollowVerb(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	for keys, want := range map[*widget.Keymap]string{
		nil: "claim-review c, approve a, reject r, request-resubmission i, mark-expired m",
		widget.NewKeymap(map[string]map[string][]string{"item": {"copy": {"a"}}, "queue": {"copy": {"c"}}}): "claim-review i, approve v, " +
			"reject r, request-resubmission , mark-expired m",
	} {
		letters := ActionKeys(keys, p)
		var got []string
		for _, a := range p.Queue("review-queue").Actions {
			got = append(got, a.ID+" "+letters[a])
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("got %s\nwant %s", text, want)
		}
	}
}
