package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// An Operation is the operation of one write of a plan, in DynamoDB's terms.
type Operation string

// These are the operations of a write.
const (
	Update Operation = "Update"
	Put    Operation = "Put"
	Delete Operation = "Delete"
	Check  Operation = "ConditionCheck"
)

// MaxWrites is the maximum number of writes in a transaction. Source: Amazon DynamoDB API Reference,
// TransactWriteItems. Most actions write only a few items.
const MaxWrites = 100

// UserInput contains the information that the user and the session supply for a change.
type UserInput struct {
	Inputs map[string]string // inputs by name, as the user entered them
	Actor  string            // the user who makes the change, as typed or configured
	// Identity is the user's name in AWS or the operating system, or "" if unknown.
	Identity string
	Reason   Reason // "" if none was given
	// Token is the client request token, which is a new UUID for each change and the source of generated IDs.
	Token string
	Now   time.Time // UTC
	Live  LiveTables
	// Override permits a raw change where the schema has an action. The change then needs a second person.
	Override bool
	// FirstItem returns the first item of an entity that a query finds, or nil.
	FirstItem func(ctx context.Context, p *accesspatterns.Pattern, args map[string]string, e *models.Entity) (models.Item, error)
	// LaterWrites returns the known writes of an item after the change that an undo reverts, newest first. Undo uses
	// them to avoid mistaking the versions and derived attributes that they changed for another user's change.
	LaterWrites func(t *models.Table, key models.Item) []Write
}

// A Basis contains all input of a plan. The same basis always makes the same plan, including generated IDs, so ddbdesk
// can check a plan file by planning again. A basis must not change once gathered.
type Basis struct {
	UserInput
	Values map[string]accesspatterns.Value // the parsed inputs, defaults included
	// Items contains the items that Gather read, by the alias of the reading. The subject has the alias Subject.
	// Missing items have no entry.
	Items map[string]models.Item
}

// Subject is the alias of the item that an action changes.
const Subject = "item"

// A Plan is a change that ddbdesk has not applied yet. It never changes, so several goroutines may read it.
type Plan struct {
	Action   *Action
	Basis    *Basis
	From, To string   // the states before and after, "" without a transition
	Writes   []Write  // the subject's write first, audit entries last
	Undoes   *Plan    // the plan that this plan undoes, or nil
	Joined   *Plan    // another plan in the same transaction, or nil; see Join
	Notes    []string // remaining tasks for people
}

// A Write is one write of a plan. The basis and the batch share Key, Before and After, which must not change.
type Write struct {
	Operation Operation
	Table     *models.Table
	Entity    *models.Entity
	Key       models.Item // the primary key
	Before    models.Item // the item that ddbdesk read; nil if it must not exist
	After     models.Item // the item after the write; nil if the write deletes it
	// Changes contains the attributes that an update sends, or all attributes of a put. It is nil for a delete.
	Changes   []models.Change
	Condition []accesspatterns.Condition // all of them must hold
	// Unchecked lists attributes of a deleted item that the condition omits, because they do not fit or have volatile
	// parts. The caller compares them before it sends the batch and, after a delete without a transaction, with the item
	// in the response.
	Unchecked []string
	Entry     bool // the item is an audit or history entry
}

// A Conflict is the error for a change that the data does not permit. It means that nothing was written, so the user
// can read the item again. Use errors.As to find it. Message never contains personal data, but Differences may, so mask
// them before you show them.
type Conflict struct {
	Message string // the reason
	plain   string // Message for role support, if it differs
	Missing bool   // there is no item to change
	Lasting bool   // a new plan would have a conflict, too
	// Differences lists attributes that changed after ddbdesk read them, if that is the reason.
	Differences []models.Change
}

func (c *Conflict) Error() string { return c.Message }

// Plain returns the message for role support.
func (c *Conflict) Plain() string { return cmp.Or(c.plain, c.Message) }

// Appendf appends a formatted text to the message, and returns the conflict.
func (c *Conflict) Appendf(format string, args ...any) *Conflict {
	more, plain := models.FormatWordings(format, args...)
	c.Message, c.plain = c.Message+more, c.Plain()+plain
	return c
}

// Replace replaces a text in the message.
func (c *Conflict) Replace(old, text string) {
	c.Message, c.plain = strings.ReplaceAll(c.Message, old, text), strings.ReplaceAll(c.plain, old, text)
}

// NothingWritten starts the text of a conflict that DynamoDB detected when ddbdesk sent the change.
const NothingWritten = "nothing was written: "

// Conflictf returns a conflict with a formatted message.
func Conflictf(format string, args ...any) *Conflict {
	c := &Conflict{}
	c.Message, c.plain = models.FormatWordings(format, args...)
	return c
}

// Plan makes a plan of the action. It sends no requests and is fast enough to call on each key press in a form. The
// error is a *Conflict if the items in the basis do not permit the action. Any error other than a *Conflict or a
// *ParamError means a schema error, or too many writes for a transaction.
func (a *Action) Plan(b *Basis) (*Plan, error) {
	if a.IsRaw() {
		return a.planRaw(b)
	}
	pl := planner{newScope(a, b)}
	p := &Plan{Action: a, Basis: b, Notes: slices.Clone(a.Manual)}
	key, err := a.subjectKey(pl.scope)
	if err != nil {
		key = models.Item{} // Gather rejected it. The key is only for messages.
	}
	if err := a.checkSubject(b.Items[Subject], key); err != nil {
		return nil, err
	}
	if p.From, p.To, err = a.transition(pl.scope); err != nil {
		return nil, err
	}
	if p.Writes, err = pl.subjectWrites(p); err != nil {
		return nil, err
	}
	for _, c := range a.Companions {
		w, err := pl.companion(c)
		if err != nil {
			return nil, err
		}
		if w.Operation != "" {
			p.Writes = append(p.Writes, w)
		}
	}
	return p, pl.finish(p, nil)
}

func (pl planner) finish(p *Plan, extra []Setting) error {
	subject := p.Writes[0]
	if old := p.SubjectBefore(); p.Action.Kind == KindMove {
		subject.Changes = models.Diff(old, subject.After)
		if subject.After == nil { // an undo deletes first
			subject.Changes = models.Diff(old, p.Writes[1].After)
		}
	}
	pl.setAuditChange(subject)
	for _, e := range p.Action.Audits {
		d := draft{entity: e.Trail.Entity, set: append(slices.Clone(e.Set), extra...), place: "entry of " + e.Trail.Entity.Name}
		w, err := planner{pl.with(e.Trail.Let)}.put(d)
		if err != nil {
			return err
		}
		w.Entry = true
		p.Writes = append(p.Writes, w)
	}
	return p.check()
}

// At makes the plan again from another basis, with the same items but the time of the commit. It keeps the token, so
// sending the plan again after a lost response repeats the same request. It returns the same errors as Action.Plan,
// because a change that was permitted earlier, such as before an expiry, may no longer be.
func (p *Plan) At(b Basis) (*Plan, error) {
	var replanned *Plan
	var err error
	if p.Undoes != nil {
		replanned, err = p.Undoes.undo(&b)
	} else {
		replanned, err = p.Action.Plan(&b)
	}
	if err != nil {
		return nil, err
	}
	return replanned.joinedAt(p.Joined, b)
}

// SharesTime reports whether the plan writes a trail entry and its time of change equals that of the subject's last
// change. If a trail uses this time as the key, both entries would have the same key. Otherwise their order depends on
// the rest of the key, and generated IDs follow the clocks of two users, not the order of the changes. The caller must
// wait for the next tick of the time format, which takes at most a second.
func (p *Plan) SharesTime() bool {
	w := p.Writes[0]
	last, known := p.SubjectBefore().Text(w.Entity.Updated)
	now, _ := w.After.Text(w.Entity.Updated)
	return known && last == now && slices.ContainsFunc(p.Writes, func(w Write) bool { return w.Entry })
}

// SubjectBefore returns the subject that ddbdesk read, or nil for a new one. A move writes the put before the delete.
func (p *Plan) SubjectBefore() models.Item {
	if p.Action.Kind == KindMove && p.Writes[0].Operation == Put {
		return p.Writes[1].Before
	}
	return p.Writes[0].Before
}

// LastChanged returns the subject's time of change before the plan, or the zero time if it has none.
func (p *Plan) LastChanged() time.Time {
	w := p.Writes[0]
	a := w.Entity.Attribute(w.Entity.Updated)
	if a == nil {
		return time.Time{}
	}
	text, _ := p.SubjectBefore().Text(a.Path)
	at, _ := a.Format.ReadTime(text)
	return at
}

func (a *Action) transition(s *scope) (from, to string, err error) {
	if a.Lifecycle == nil {
		return "", "", nil
	}
	from, _ = s.basis.Items[Subject].Text(a.Lifecycle.Attribute)
	to = a.To()
	if p := a.Input(a.Target); p != nil {
		if v := s.input(p); v != nil {
			to, _ = models.ValueText(v)
		}
	}
	var nextStates []string // the possible next states
	for _, t := range a.Transitions {
		if !slices.Contains(t.From, from) {
			continue
		}
		if t.To == to {
			return from, to, nil
		}
		nextStates = models.AppendOnce(nextStates, t.To)
	}
	l := a.Lifecycle
	name := models.StateAttribute(l.Attribute)
	conflict := Conflictf("%s is %s", name, l.Term(from))
	if from == "" {
		conflict = Conflictf("%s is not set", name)
	}
	switch {
	case a.Target == "":
		return "", "", conflict.Appendf(": %s needs %s %s", a.Short(), name, l.Terms(a.From()))
	case len(nextStates) == 0:
		return "", "", conflict.Appendf(": no transition leaves this state")
	default:
		return "", "", conflict.Appendf(": it can become %s, not %s", l.Terms(nextStates), l.Term(to))
	}
}

// check rejects a plan that does not fit into a transaction. Source: DynamoDB API Reference, TransactWriteItems.
func (p *Plan) check() error {
	if n := len(p.AllWrites()); n > MaxWrites {
		return fmt.Errorf("%s needs %d writes; a transaction has at most %d", p.Action.FullID(), n, MaxWrites)
	}
	previous := map[string]bool{}
	for _, w := range p.AllWrites() {
		id := w.Table.Name + "\x00" + string(w.Key.AppendDynamoDBJSON(nil))
		if previous[id] {
			return Conflictf("%s writes %s %s twice in one transaction, which DynamoDB does not allow", p.Action.Short(), w.Entity.Title,
				models.Printable(w.Table.KeyText(models.NewMasker([]*models.Entity{w.Entity}, false).KeyOf(w.Entity, w.Key))))
		}
		previous[id] = true
		if err := w.checkExpressions(); err != nil {
			return err
		}
	}
	return nil
}

// SubjectID returns the name and value of the last placeholder of the subject's primary key, which identify the item to
// a user. The value is in clear text.
func (p *Plan) SubjectID() (name, value string) {
	w := p.Writes[0]
	it := w.After
	if it == nil {
		it = w.Before
	}
	values := w.Entity.Values(it)
	for _, k := range w.Table.PrimaryKeys() {
		t, _ := w.Entity.KeyTemplate(k.Name)
		for _, n := range t.Placeholders() {
			if v, ok := values(n); ok && v != "" {
				name, value = n, v
			}
		}
	}
	if value == "" { // the key is a constant
		return "key", w.Table.KeyText(w.Key)
	}
	return name, value
}
