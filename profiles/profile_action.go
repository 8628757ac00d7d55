package profiles

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// Action returns the action by id, with or without the profile's name; nil
// when there is none.
func (p *Profile) Action(id string) *change.Action {
	id = strings.TrimPrefix(id, p.Name+".")
	for _, a := range p.Actions {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// ActionIDs lists the ids of the actions without the profile's name.
func (p *Profile) ActionIDs() []string {
	ids := make([]string, len(p.Actions))
	for i, a := range p.Actions {
		ids[i] = a.ID
	}
	return ids
}

// ActionsOf lists the actions whose subject is of the entity.
func (p *Profile) ActionsOf(e *models.Entity) []*change.Action {
	var list []*change.Action
	for _, a := range p.Actions {
		if a.Entity == e {
			list = append(list, a)
		}
	}
	return list
}

// RepairOf returns the action that sets the derived attributes of an item of
// the entity right: the declared one, or one that is made up. It is nil for an
// entity that another service writes.
func (p *Profile) RepairOf(e *models.Entity) *change.Action {
	for _, list := range [][]*change.Action{p.Actions, p.repairs} {
		for _, a := range list {
			if a.Entity == e && a.Kind == change.Repairs {
				return a
			}
		}
	}
	return nil
}

// TrailsOf lists the trails that say what happened to items of the entity.
func (p *Profile) TrailsOf(e *models.Entity) []*change.Trail {
	var list []*change.Trail
	for _, t := range p.Trails {
		if _, ok := t.Subject(e); ok {
			list = append(list, t)
		}
	}
	return list
}

// Queue returns the queue by id, with or without the profile's name; nil when
// there is none.
func (p *Profile) Queue(id string) *change.Queue {
	id = strings.TrimPrefix(id, p.Name+".")
	for _, q := range p.Queues {
		if q.ID == id {
			return q
		}
	}
	return nil
}

// Digest identifies the profile as it was read: the hexadecimal SHA-256 of its
// text and the values of its variables. A plan that was made with another
// digest may mean something else.
func (p *Profile) Digest() string { return p.digest }

func digest(text []byte, vars []Variable) string {
	h := sha256.New()
	h.Write(text)
	for _, v := range vars {
		fmt.Fprintf(h, "\x00%q=%q", v.Name, v.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AuditDisabled reports whether the profile states that the action writes no
// audit entry.
func (p *Profile) AuditDisabled(a *change.Action) bool {
	d, _ := p.decl.Actions.get(a.ID)
	return d.Audit.text == noAudit
}
