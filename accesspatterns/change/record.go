package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

type record struct {
	Action  string            `json:"action"`
	Inputs  map[string]string `json:"inputs,omitempty"`
	Now     time.Time         `json:"now"`
	Actor   string            `json:"actor"`
	Token   string            `json:"token"`
	From    string            `json:"from,omitempty"`
	To      string            `json:"to,omitempty"`
	Undo    bool              `json:"undo,omitempty"`
	Secrets bool              `json:"secrets,omitempty"` // some values were left out
	Writes  []recordWrite     `json:"writes"`
}

type recordWrite struct {
	Operation Operation       `json:"op"`
	Entity    string          `json:"entity"`
	Key       json.RawMessage `json:"key"`
	Item      json.RawMessage `json:"item,omitempty"` // what a put put, what a delete deleted
	Changes   []recordChange  `json:"changes,omitempty"`
	Entry     bool            `json:"entry,omitempty"`
}

type recordChange struct {
	Path    string          `json:"path"`
	Values  json.RawMessage `json:"values"` // b and a, those that are there
	Derived bool            `json:"derived,omitempty"`
}

// Record returns what the plan writes, without what it only read and without
// any secret. It holds personal data: keep it sealed.
func (p *Plan) Record() ([]byte, error) {
	r := record{
		Action: p.Action.ID, Inputs: map[string]string{}, Now: p.Basis.Now, Actor: p.Basis.Actor, Token: p.Basis.Token,
		From: p.From, To: p.To, Undo: p.Undoes != nil,
	}
	for name, text := range p.Basis.Inputs {
		if in := p.Action.Input(name); in != nil && in.Sensitive == models.Secret {
			r.Secrets = true
			continue
		}
		r.Inputs[name] = text
	}
	for _, w := range p.Writes {
		rw, secrets := w.record()
		r.Secrets = r.Secrets || secrets
		r.Writes = append(r.Writes, rw)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", p.Action.FullID(), err)
	}
	return data, nil
}

func (w Write) record() (recordWrite, bool) {
	secrets := false
	secret := func(path string) bool {
		a := w.Entity.Attribute(path)
		hidden := a != nil && (a.Sensitive == models.Secret || holdsSecret(a))
		if t, ok := w.Entity.Keys[path]; ok && w.Entity.TemplateSensitivity(t) == models.Secret {
			hidden = true
		}
		secrets = secrets || hidden
		return hidden
	}
	out := recordWrite{Operation: w.Operation, Entity: w.Entity.Name, Key: w.Key.AppendDynamoDBJSON(nil), Entry: w.Entry}
	whole := w.After
	if w.Operation == Delete {
		whole = w.Before
	}
	if w.Operation == Put || w.Operation == Delete {
		kept := models.Item{}
		for name, v := range whole {
			if !secret(name) {
				kept[name] = v
			}
		}
		out.Item = kept.AppendDynamoDBJSON(nil)
		return out, secrets
	}
	for _, c := range w.Changes {
		if secret(c.Path) {
			continue
		}
		values := models.Item{}
		if c.Before != nil {
			values["b"] = c.Before
		}
		if c.After != nil {
			values["a"] = c.After
		}
		out.Changes = append(out.Changes, recordChange{c.Path, values.AppendDynamoDBJSON(nil), c.Derived})
	}
	return out, secrets
}

func holdsSecret(a *models.Attribute) bool {
	for _, inner := range a.Attributes {
		if inner.Sensitive == models.Secret || holdsSecret(inner) {
			return true
		}
	}
	return false
}

// ReadRecord returns the plan of a record: what it wrote, not what it read.
// action and entity return what the profile has of these names, nil for
// unknown ones.
func ReadRecord(data []byte, action func(id, entity string) *Action, entity func(string) *models.Entity) (*Plan, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("reading the record of a change: %w", err)
	}
	if len(r.Writes) == 0 {
		return nil, errors.New("the record of a change holds no write")
	}
	a := action(r.Action, r.Writes[0].Entity)
	if a == nil {
		return nil, fmt.Errorf("the profile has no action %q any more", models.Printable(r.Action))
	}
	if r.Secrets {
		copied := *a
		copied.NoUndo = "it wrote a secret, which is never kept"
		a = &copied
	}
	p := &Plan{
		Action: a, From: r.From, To: r.To,
		Basis: &Basis{Given: Given{Inputs: r.Inputs, Now: r.Now, Actor: r.Actor, Token: r.Token}, Items: map[string]models.Item{}},
	}
	if r.Undo {
		p.Undoes = &Plan{Action: a, Basis: p.Basis}
	}
	for _, rw := range r.Writes {
		e := entity(rw.Entity)
		if e == nil {
			return nil, fmt.Errorf("the profile has no entity %q any more", models.Printable(rw.Entity))
		}
		w, err := rw.read(e)
		if err != nil {
			return nil, fmt.Errorf("reading the record of a change: %w", err)
		}
		p.Writes = append(p.Writes, w)
	}
	return p, nil
}

func (rw recordWrite) read(e *models.Entity) (Write, error) {
	w := Write{Operation: rw.Operation, Table: e.Table, Entity: e, Entry: rw.Entry}
	var err error
	if w.Key, err = accesspatterns.ParseTypedItem(rw.Key); err != nil {
		return w, err
	}
	if len(rw.Item) > 0 {
		it, err := accesspatterns.ParseTypedItem(rw.Item)
		if err != nil {
			return w, err
		}
		if rw.Operation == Delete {
			w.Before = it
		} else {
			w.After, w.Changes = it, models.Diff(nil, it)
		}
	}
	for _, c := range rw.Changes {
		values, err := accesspatterns.ParseTypedItem(c.Values)
		if err != nil {
			return w, err
		}
		w.Changes = append(w.Changes, models.Change{Path: c.Path, Before: values["b"], After: values["a"], Derived: c.Derived})
	}
	return w, nil
}

// State is what the tables say about whether a change happened.
type State string

// The states.
const (
	Written    State = "written"     // every item is as the change left it
	NotWritten State = "not written" // every item is as it was before
	Overtaken  State = "overtaken"   // it was written: its audit entry is there; the items were changed since
	Unclear    State = "unclear"     // the items were changed, and nothing tells by whom
)

// Found tells from the items of the writes as they are now, in their order and
// nil where there is none, whether the plan was carried out.
func (p *Plan) Found(now []models.Item) State {
	after, before := true, true
	for i, w := range p.Writes {
		switch w.Operation {
		case Check:
			continue
		case Put:
			after = after && now[i] != nil && models.EqualItems(now[i], w.After)
			before = before && now[i] == nil
		case Delete:
			after = after && now[i] == nil
			before = before && now[i] != nil
		default:
			after = after && now[i] != nil && len(moved(w, now[i])) == 0
			before = before && now[i] != nil && w.untouched(now[i])
		}
	}
	switch {
	case after:
		return Written
	case before:
		return NotWritten
	default:
		return p.evidence(now)
	}
}

// evidence tells from the audit entries alone. They are written in the same
// transaction, under keys of their own, and nobody removes them.
func (p *Plan) evidence(now []models.Item) State {
	state := Unclear
	for i, w := range p.Writes {
		if !w.Entry || w.Operation != Put {
			continue
		}
		if now[i] != nil && models.EqualItems(now[i], w.After) {
			return Overtaken
		}
		if now[i] == nil {
			state = NotWritten
		}
	}
	return state
}

// untouched reports whether the item is as it was before the write.
func (w Write) untouched(now models.Item) bool {
	for _, c := range w.Changes {
		v, _ := now.At(c.Path)
		if !models.EqualValues(v, c.Before) {
			return false
		}
	}
	return true
}
