package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// A record is an applied plan, as the journal stores it for undo. Existing journals contain records, so the names and
// meanings of the fields must not change.
type record struct {
	Action  string            `json:"action"`
	Inputs  map[string]string `json:"inputs,omitempty"`
	Now     time.Time         `json:"now"`
	Actor   string            `json:"actor"`
	Token   string            `json:"token"`
	From    string            `json:"from,omitempty"`
	To      string            `json:"to,omitempty"`
	Undo    bool              `json:"undo,omitempty"`
	Secrets bool              `json:"secrets,omitempty"` // secret values were omitted
	Second  bool              `json:"second,omitempty"`  // the change needed a second person, and so does its undo
	Writes  []recordWrite     `json:"writes"`
}

type recordWrite struct {
	Operation Operation       `json:"op"`
	Entity    string          `json:"entity"`
	Key       json.RawMessage `json:"key"`
	Item      json.RawMessage `json:"item,omitempty"` // the item of a put or delete
	Changes   []recordChange  `json:"changes,omitempty"`
	Entry     bool            `json:"entry,omitempty"`
}

type recordChange struct {
	Path    string          `json:"path"`
	Values  json.RawMessage `json:"values"` // b is the value before, a the value after
	Derived bool            `json:"derived,omitempty"`
}

// Record returns a record of the plan's writes without secrets. It contains personal data, so store it only encrypted.
// If the plan writes secrets, ddbdesk cannot undo it from the record, so ReadRecord sets NoUndo.
func (p *Plan) Record() ([]byte, error) {
	r := record{
		Action: p.Action.ID, Inputs: map[string]string{}, Now: p.Basis.Now, Actor: p.Basis.Actor, Token: p.Basis.Token,
		From: p.From, To: p.To, Undo: p.Undoes != nil, Second: p.Action.IsRaw() && p.Action.FourEyes,
	}
	for name, text := range p.Basis.Inputs {
		if p.Action.IsRaw() {
			break // The writes are complete.
		}
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
		return nil, fmt.Errorf("record %s: %w", p.Action.FullID(), err)
	}
	return data, nil
}

// record also reports whether it omitted secrets.
func (w Write) record() (recordWrite, bool) {
	omittedSecrets := false
	omit := func(path string) bool {
		a := w.Entity.Attribute(path)
		hidden := a != nil && (a.Sensitive == models.Secret || containsSecret(a))
		if t, ok := w.Entity.Keys[path]; ok && w.Entity.TemplateSensitivity(t) == models.Secret {
			hidden = true
		}
		omittedSecrets = omittedSecrets || hidden
		return hidden
	}
	out := recordWrite{Operation: w.Operation, Entity: w.Entity.Name, Key: w.Key.AppendDynamoDBJSON(nil), Entry: w.Entry}
	recorded := w.After
	if w.Operation == Delete {
		recorded = w.Before
	}
	if w.Operation == Put || w.Operation == Delete {
		stored := models.Item{}
		for name, v := range recorded {
			if !omit(name) {
				stored[name] = v
			}
		}
		out.Item = stored.AppendDynamoDBJSON(nil)
		return out, omittedSecrets
	}
	for _, c := range w.Changes {
		if omit(c.Path) {
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
	return out, omittedSecrets
}

func containsSecret(a *models.Attribute) bool {
	return slices.ContainsFunc(a.Attributes, func(inner *models.Attribute) bool {
		return inner.Sensitive == models.Secret || containsSecret(inner)
	})
}

// ErrNotInSchema matches the error of [ReadRecord] for a part that the schema no longer contains.
var ErrNotInSchema = errors.New("the schema no longer has")

// ReadRecord returns the plan of a record, without the items that the plan only read. action and entity look up names
// in the schema and return nil for unknown ones. Use the plan for Undo and Outcome only, because its writes have
// no conditions and its updates have no items. The error names the parts that the schema no longer contains.
func ReadRecord(data []byte, action func(id, entity string) *Action, entity func(string) *models.Entity) (*Plan, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read the record of a change: %w", err)
	}
	if len(r.Writes) == 0 {
		return nil, errors.New("the record of a change has no writes")
	}
	a := action(r.Action, r.Writes[0].Entity)
	switch name := r.Writes[0].Entity; {
	case a == nil && entity(name) == nil:
		return nil, fmt.Errorf("%w entity %q", ErrNotInSchema, models.Printable(name))
	case a == nil:
		return nil, fmt.Errorf("%w action %q", ErrNotInSchema, models.Printable(r.Action))
	}
	if r.Secrets {
		copied := *a
		copied.NoUndo = "it wrote a secret, and secrets are not stored"
		a = &copied
	}
	if r.Second && !a.FourEyes {
		copied := *a
		copied.FourEyes = true
		a = &copied
	}
	p := &Plan{
		Action: a, From: r.From, To: r.To,
		Basis: &Basis{UserInput: UserInput{Inputs: r.Inputs, Now: r.Now, Actor: r.Actor, Token: r.Token}, Items: map[string]models.Item{}},
	}
	if r.Undo {
		p.Undoes = &Plan{Action: a, Basis: p.Basis}
	}
	for _, rw := range r.Writes {
		e := entity(rw.Entity)
		if e == nil {
			return nil, fmt.Errorf("%w entity %q", ErrNotInSchema, models.Printable(rw.Entity))
		}
		w, err := rw.read(e)
		if err != nil {
			return nil, fmt.Errorf("read the record of a change: %w", err)
		}
		p.Writes = append(p.Writes, w)
	}
	return p, nil
}

func (rw recordWrite) read(e *models.Entity) (Write, error) {
	w := Write{Operation: rw.Operation, Table: e.Table, Entity: e, Entry: rw.Entry}
	var err error
	if w.Key, err = models.ParseItem(rw.Key); err != nil {
		return w, err
	}
	if len(rw.Item) > 0 {
		it, err := models.ParseItem(rw.Item)
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
		values, err := models.ParseItem(c.Values)
		if err != nil {
			return w, err
		}
		w.Changes = append(w.Changes, models.Change{Path: c.Path, Before: values["b"], After: values["a"], Derived: c.Derived})
	}
	return w, nil
}

// A State describes whether the tables contain a change.
type State string

// These are the states of a change.
const (
	Written    State = "written"     // every item is as the change left it, and its audit entry proves that this change wrote it
	AsPlanned  State = "as planned"  // every item is as the change would have left it; another user may have done the same
	NotWritten State = "not written" // every item is as it was before
	Overtaken  State = "overtaken"   // an audit entry proves that it was written, but items changed since
	Unclear    State = "unclear"     // items changed, and no evidence shows whether this change was written
)

// Outcome compares the plan with the current items to determine the result of a request whose response was lost. now
// must contain one item for each write of AllWrites, in the same order, or nil if the item is missing. Read the items
// with strong consistency, or Unclear and NotWritten may be wrong.
func (p *Plan) Outcome(now []models.Item) State {
	after, before := true, true
	for i, w := range p.AllWrites() {
		exists := now[i] != nil
		switch w.Operation {
		case Check:
			continue
		case Put:
			after = after && exists && models.EqualItems(now[i], w.After)
			before = before && !exists
		case Delete:
			after = after && !exists
			before = before && exists
		default:
			after = after && exists && len(conflictingChanges(w, now[i])) == 0
			before = before && exists && !slices.ContainsFunc(w.Changes, func(c models.Change) bool {
				v, _ := now[i].At(c.Path)
				return !models.EqualValues(v, c.Before)
			})
		}
	}
	if before && !after {
		return NotWritten
	}
	// The transaction also writes audit entries under their own keys, and ddbdesk never removes them.
	state := Unclear
	if after {
		state = AsPlanned
	}
	for i, w := range p.AllWrites() {
		switch {
		case !w.Entry || w.Operation != Put:
		case now[i] == nil:
			state = NotWritten
		case after:
			return Written
		case models.EqualItems(now[i], w.After):
			return Overtaken
		}
	}
	return state
}
