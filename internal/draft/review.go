package draft

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A Draft contains a drafted schema and the sample items by table ID.
type Draft struct {
	Profile *Profile
	Items   map[string][]models.Item
}

// CountRecognized returns the number of sample items that belong to exactly one entity of p, a schema loaded from the
// draft.
func (d *Draft) CountRecognized(p *profiles.Profile) (known, total int) {
	for id, list := range d.Items {
		n, _ := CountMatches(p.Entities, p.Table(id), list)
		known, total = known+n, total+len(list)
	}
	return known, total
}

// Notes returns the lines at the top of a draft.
func Notes(name string, tables int) []string {
	return []string{
		"Drafted from " + english.Plural(tables, "live table", "") + ".",
		"Confirm each line marked CHECK, then run: ddbdesk schema lint " + name + ".yaml",
	}
}

// A PartKind is the kind of an inferred part.
type PartKind uint8

// These are the kinds of parts.
const (
	EntityPart        PartKind = iota // name of an entity
	DiscriminatorPart                 // value that distinguishes the entity's items
	VersionPart                       // attribute that every change increments
	UpdatedPart                       // attribute that every change sets to the current time
	KeyPart                           // template of a key, and the condition under which an item has it
	AttributePart                     // type, format, enum and sensitivity of an attribute
	LifecyclePart                     // states of an attribute; see SetOpen
	PatternPart                       // access pattern that the keys allow
)

// An Answer is a user's decision about a part.
type Answer uint8

// These are the possible answers.
const (
	Unanswered Answer = iota
	Confirmed         // the schema marks the part as documented
	Dropped           // the schema omits inferred details: the format, the enum, the condition
	Removed           // the schema omits the whole part: the entity, the attribute, the pattern
)

// A Part is an inference that a user confirms or rejects.
type Part struct {
	ID       string // unique within the review
	Kind     PartKind
	Entity   int    // position of its entity, or of a pattern's first entity
	Name     string // name of the entity, key or pattern, or path of the attribute
	Inferred string // short description, without values of items
	Evidence string // reason for the inference, and open questions
	Check    bool   // a user must decide
	Answer   Answer
	// Sensitivity is set for attributes.
	Sensitivity models.Sensitivity
	States      []string // states of a lifecycle
	optional    bool     // the key or attribute has details that a user can drop
}

// A Review contains a user's decisions about a draft. It does not change the draft.
type Review struct {
	Draft *Draft

	name         string
	names        map[int]string // names of renamed entities
	answers      map[string]Answer
	sensitivity  map[string]models.Sensitivity
	open         map[string][]string // states with remaining work
	known, total int                 // sample items: recognized by the schema, and in total
}

// NewReview returns a review without answers.
func NewReview(d *Draft) *Review {
	return &Review{
		Draft: d, name: d.Profile.Name, names: map[int]string{}, answers: map[string]Answer{}, sensitivity: map[string]models.Sensitivity{},
		open: map[string][]string{},
	}
}

// Name returns the name of the schema.
func (r *Review) Name() string { return r.name }

// Recognized returns the number of sample items that the last loaded schema recognizes, and the number of all items.
func (r *Review) Recognized() (known, total int) { return r.known, r.total }

// Text returns the text of the schema with the answers applied.
func (r *Review) Text() []byte { return r.profile().Text() }

// Profile returns the schema with the answers applied.
func (r *Review) Profile() (*profiles.Profile, error) {
	p, err := profiles.LoadFile(r.name+".yaml", r.Text())
	if err != nil {
		return nil, fmt.Errorf("the draft has errors: %w", err)
	}
	r.known, r.total = r.Draft.CountRecognized(p)
	return p, nil
}

// SetName renames the schema.
func (r *Review) SetName(name string) error {
	return r.tryChange(func(next *Review) { next.name = name })
}

// Rename renames an entity and the patterns named after it.
func (r *Review) Rename(entity int, name string) error {
	for i, e := range r.Draft.Profile.Entities {
		if i != entity && cmp.Or(r.names[i], e.Name) == name {
			return fmt.Errorf("entity %s already exists", models.Printable(name))
		}
	}
	return r.tryChange(func(next *Review) { next.names[entity] = name })
}

// Answer answers a part; repeating the same answer removes it. It rejects the removal of an attribute that keys and
// conditions of its entity need.
func (r *Review) Answer(id string, a Answer) error {
	if r.answers[id] == a {
		a = Unanswered
	}
	if a == Removed {
		for _, p := range r.Parts() {
			if p.ID == id && !p.CanRemove() {
				return fmt.Errorf("%s cannot be removed", models.Printable(p.Name))
			}
			if uses := r.uses(p); p.ID == id && len(uses) > 0 {
				return fmt.Errorf("attribute %s cannot be removed: needed for %s", models.Printable(p.Name),
					models.Printable(strings.Join(uses, ", ")))
			}
		}
	}
	return r.tryChange(func(next *Review) { next.answers[id] = a })
}

// ConfirmAll confirms the unanswered parts of an entity, except patterns and lifecycles.
func (r *Review) ConfirmAll(entity int) error {
	return r.tryChange(func(next *Review) {
		for _, p := range r.Parts() {
			if p.Entity == entity && p.Answer == Unanswered && p.Kind != PatternPart && p.Kind != LifecyclePart {
				next.answers[p.ID] = Confirmed
			}
		}
	})
}

// SetSensitivity sets and confirms the sensitivity of an attribute.
func (r *Review) SetSensitivity(id string, s models.Sensitivity) error {
	return r.tryChange(func(next *Review) { next.sensitivity[id], next.answers[id] = s, Confirmed })
}

// SetOpen sets the open states of a lifecycle, which become a queue. Without states, the draft omits the lifecycle.
func (r *Review) SetOpen(id string, open []string) error {
	return r.tryChange(func(next *Review) { next.open[id], next.answers[id] = open, Confirmed })
}

func (r *Review) clone() *Review {
	next := *r
	next.open = maps.Clone(r.open)
	next.names, next.answers, next.sensitivity = maps.Clone(r.names), maps.Clone(r.answers), maps.Clone(r.sensitivity)
	return &next
}

func (r *Review) tryChange(change func(next *Review)) error {
	next := r.clone()
	change(next)
	if _, err := next.Profile(); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(first)
	}
	*r = *next
	return nil
}

// Parts returns the inferred parts of the draft with their answers, by entity. It omits the parts of a removed entity.
func (r *Review) Parts() []Part {
	var list []Part
	patterns := r.patternParts()
	for i, e := range r.Draft.Profile.Entities {
		add := func(kind PartKind, id, name, inferred, evidence string) *Part {
			id = partID(i, id)
			list = append(list, Part{
				ID: id, Kind: kind, Entity: i, Name: name, Inferred: inferred, Evidence: WithoutCheckMark(evidence),
				Check: CountChecks([]byte(evidence)) > 0, Answer: r.answers[id],
			})
			return &list[len(list)-1]
		}
		add(EntityPart, "", cmp.Or(r.names[i], e.Name), "in table "+e.Table, strings.Join(entityNotes(e), "; "))
		if r.isRemovedEntity(i) {
			continue
		}
		for _, f := range e.Equals {
			add(DiscriminatorPart, "when", f.Key, "discriminator", "all sampled items have the same value").Check = true
		}
		if e.Version != "" {
			add(VersionPart, "version", e.Version, "number of changes", VersionNote(e.Version))
		}
		if e.Updated != "" {
			add(UpdatedPart, "updated", e.Updated, "time of the last change", UpdatedNote(e.Updated))
		}
		for _, k := range e.Keys {
			subject := k.Template
			if len(k.When) > 0 {
				subject += " when " + k.condition()
			}
			add(KeyPart, "key "+k.Attribute, k.Attribute, subject, k.Note).optional = len(k.When) > 0
		}
		eachAttribute(e.Attributes, "", func(path string, a *Attribute) {
			p := add(AttributePart, "attribute "+path, path, attributeText(a), withoutNote(a.Note, stateNote))
			p.Sensitivity, p.optional = a.Sensitive, a.Format != "" || len(a.Enum) > 0 || a.Refers != ""
			if s, ok := r.sensitivity[p.ID]; ok {
				p.Sensitivity = s
			}
		})
		for _, l := range r.Draft.Profile.Lifecycles() {
			if l.Entity != e.Name || r.answers[partID(i, "attribute "+l.Attribute)] == Dropped {
				continue
			}
			subject := "states: " + strings.Join(l.States, ", ")
			if open := r.open[partID(i, "states "+l.Attribute)]; len(open) > 0 {
				subject += " · work remains in " + strings.Join(open, ", ")
			}
			add(LifecyclePart, "states "+l.Attribute, l.Attribute, subject,
				CheckNote("in which states does work remain?")).States = l.States
		}
		list = append(list, patterns[i]...)
	}
	return list
}

func partID(entity int, part string) string { return fmt.Sprintf("%d %s", entity, part) }

func entityNotes(e *Entity) []string {
	return withoutStrings(e.Notes, VersionNote(e.Version), UpdatedNote(e.Updated))
}

func withoutStrings(list []string, removed ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(removed, s) })
}

func eachAttribute(list []*Attribute, above string, visit func(path string, a *Attribute)) {
	for _, a := range list {
		visit(above+a.Name, a)
		eachAttribute(a.Nested, above+a.Name+".", visit)
	}
}

func attributeText(a *Attribute) string {
	words := []string{string(a.Type)}
	if a.Required {
		words = append(words, "required")
	}
	if a.Format != "" {
		words = append(words, a.Prefix+string(a.Format))
	}
	if a.Refers != "" {
		words = append(words, "refers to "+a.Refers)
	}
	if len(a.Enum) > 0 {
		words = append(words, "enum: "+strings.Join(a.Enum, ", "))
	}
	if a.KeyOnly {
		words = append(words, "only in the key")
	}
	return strings.Join(words, " · ")
}

func (r *Review) profile() *Profile {
	p := r.withEntities()
	p.Patterns = slices.DeleteFunc(p.Patterns, func(q *Pattern) bool { return r.answers[r.patternID(q)] == Removed })
	return p
}

func (r *Review) withEntities() *Profile {
	p := *r.Draft.Profile
	p.Name, p.Entities, p.Patterns = r.name, nil, nil
	p.Notes = Notes(r.name, len(p.Tables))
	for i, e := range r.Draft.Profile.Entities {
		if !r.isRemovedEntity(i) {
			p.Entities = append(p.Entities, r.entity(i, e))
		}
	}
	for _, t := range p.Tables {
		InferPatterns(&p, t)
	}
	p.lifecycles = nil
	for i, e := range r.Draft.Profile.Entities {
		for _, l := range r.Draft.Profile.Lifecycles() {
			open := r.open[partID(i, "states "+l.Attribute)]
			a := p.Entity(cmp.Or(r.names[i], e.Name))
			if l.Entity != e.Name || len(open) == 0 || a == nil || a.Attribute(l.Attribute) == nil {
				continue
			}
			if attribute := a.Attribute(l.Attribute); len(attribute.Enum) > 0 {
				l.Entity, l.Open = a.Name, open
				attribute.Note = WithoutChecks(attribute.Note)
				p.lifecycles = append(p.lifecycles, l)
			}
		}
	}
	return &p
}

func (r *Review) entity(i int, e *Entity) *Entity {
	answer := *e
	answer.Name = cmp.Or(r.names[i], e.Name)
	if r.answers[partID(i, "when")] == Dropped {
		answer.Equals = nil
	}
	for _, part := range []struct {
		id, note string
		name     *string
	}{{"version", VersionNote(e.Version), &answer.Version}, {"updated", UpdatedNote(e.Updated), &answer.Updated}} {
		switch r.answers[partID(i, part.id)] {
		case Confirmed:
			answer.Notes = withoutStrings(answer.Notes, part.note)
		case Dropped:
			answer.Notes, *part.name = withoutStrings(answer.Notes, part.note), ""
		case Unanswered, Removed:
		}
	}
	answer.Keys = slices.Clone(e.Keys)
	for n, k := range e.Keys {
		switch r.answers[partID(i, "key "+k.Attribute)] {
		case Confirmed:
			answer.Keys[n].Note = WithoutChecks(k.Note)
		case Dropped:
			answer.Keys[n].Note, answer.Keys[n].When = WithoutChecks(k.Note), nil
		case Unanswered, Removed:
		}
	}
	answer.Attributes = r.attributes(i, "", e.Attributes)
	return &answer
}

func (r *Review) attributes(entity int, above string, list []*Attribute) []*Attribute {
	var out []*Attribute
	for _, a := range list {
		answer, id := *a, partID(entity, "attribute "+above+a.Name)
		answer.Refers = r.reference(a.Refers)
		if s, ok := r.sensitivity[id]; ok {
			answer.Sensitive = s
		}
		switch r.answers[id] {
		case Confirmed:
			answer.Note, answer.Documented = WithoutChecks(a.Note), true
		case Dropped:
			answer.Note, answer.Format, answer.Enum, answer.OpenEnum = WithoutChecks(a.Note), "", nil, false
			answer.Prefix, answer.Refers = "", ""
		case Removed:
			continue
		case Unanswered:
		}
		answer.Nested = r.attributes(entity, above+a.Name+".", a.Nested)
		answer.Undocumented = answer.Undocumented || len(a.Nested) > 0 && len(answer.Nested) == 0
		out = append(out, &answer)
	}
	return out
}

// CanDrop reports whether the part has inferred details that a user can drop.
func (p *Part) CanDrop() bool {
	switch p.Kind {
	case EntityPart, PatternPart, LifecyclePart:
	case DiscriminatorPart, VersionPart, UpdatedPart:
		return true
	case KeyPart, AttributePart:
		return p.optional
	}
	return false
}

// CanRemove reports whether a user can remove the whole part. A key may still need an attribute; see [Review.Answer].
func (p *Part) CanRemove() bool {
	return p.Kind == EntityPart || p.Kind == AttributePart || p.Kind == PatternPart
}

func (r *Review) isRemovedEntity(i int) bool { return r.answers[partID(i, "")] == Removed }

func (r *Review) entityAt(name string) int {
	return slices.IndexFunc(r.Draft.Profile.Entities, func(e *Entity) bool {
		return cmp.Or(r.names[slices.Index(r.Draft.Profile.Entities, e)], e.Name) == name
	})
}

func (r *Review) patternID(q *Pattern) string {
	id := fmt.Sprintf("pattern %s %s %s %v", q.Operation, q.Table, q.Index, q.Key)
	if q.Operation == "get" && len(q.Returns) > 0 {
		id += fmt.Sprint(" ", r.entityAt(q.Returns[0]))
	}
	return id
}

func (r *Review) patternParts() map[int][]Part {
	parts := map[int][]Part{}
	for _, q := range r.withEntities().Patterns {
		if len(q.Returns) == 0 {
			continue
		}
		subject := q.Operation
		if q.Index != "" {
			subject += " through " + q.Index
		}
		if len(q.Returns) > 1 {
			subject += ", returns " + strings.Join(q.Returns, ", ")
		}
		id, i := r.patternID(q), r.entityAt(q.Returns[0])
		parts[i] = append(parts[i], Part{
			ID: id, Kind: PatternPart, Entity: i, Name: q.ID, Inferred: subject, Evidence: "the keys allow it", Answer: r.answers[id],
		})
	}
	return parts
}

func (r *Review) reference(refers string) string {
	name, _, _ := strings.Cut(refers, ".")
	i := slices.IndexFunc(r.Draft.Profile.Entities, func(e *Entity) bool { return e.Name == name })
	switch {
	case refers == "" || i < 0:
		return refers
	case r.isRemovedEntity(i):
		return ""
	}
	return strings.Replace(refers, name, cmp.Or(r.names[i], name), 1)
}

func (r *Review) uses(p Part) []string {
	if p.Kind != AttributePart {
		return nil
	}
	e := r.entity(p.Entity, r.Draft.Profile.Entities[p.Entity])
	var list []string
	if t := r.Draft.Profile.Table(e.Table); t != nil {
		for _, k := range t.KeyAttributes() {
			if k.Name == p.Name {
				list = append(list, "key "+k.Name)
			}
		}
	}
	for _, k := range e.Keys {
		if t, err := models.ParseTemplate(k.Template, nil); err == nil && slices.Contains(t.Placeholders(), p.Name) {
			list = append(list, "key "+k.Attribute)
		}
		if slices.ContainsFunc(k.When, func(f Field) bool { return f.Key == p.Name }) {
			list = append(list, "the condition of key "+k.Attribute)
		}
	}
	for _, f := range e.Equals {
		if f.Key == p.Name {
			list = append(list, "the discriminator")
		}
	}
	if e.Version == p.Name {
		list = append(list, "the number of changes")
	}
	if e.Updated == p.Name {
		list = append(list, "the time of the last change")
	}
	return list
}

// Removal describes the other changes if the user removes an entity: patterns that return it, attributes that refer to
// it, and sample items that no entity recognizes afterwards.
func (r *Review) Removal(entity int) []string {
	next := r.clone()
	next.answers[partID(entity, "")] = Removed
	before, after := r.profile(), next.profile()
	patterns := map[string]*Pattern{}
	for _, q := range after.Patterns {
		patterns[next.patternID(q)] = q
	}
	var removed, narrower, references []string
	for _, q := range before.Patterns {
		switch other := patterns[r.patternID(q)]; {
		case other == nil:
			removed = append(removed, q.ID)
		case len(other.Returns) < len(q.Returns):
			narrower = append(narrower, q.ID)
		}
	}
	for i, e := range r.Draft.Profile.Entities {
		eachAttribute(e.Attributes, "", func(path string, a *Attribute) {
			if i != entity && !r.isRemovedEntity(i) && r.reference(a.Refers) != next.reference(a.Refers) {
				references = append(references, cmp.Or(r.names[i], e.Name)+"."+path)
			}
		})
	}
	var list []string
	for _, c := range []struct {
		subject string
		names   []string
	}{
		{"Also removes " + english.PluralWord(len(removed), "pattern ", "patterns "), removed},
		{"No longer returned by " + english.PluralWord(len(narrower), "pattern ", "patterns "), narrower},
		{"No longer a reference: ", references},
	} {
		if len(c.names) > 0 {
			list = append(list, c.subject+strings.Join(c.names, ", "))
		}
	}
	known, total := r.known, r.total
	if _, err := next.Profile(); err == nil && next.known < known {
		list = append(list, fmt.Sprintf("ddbdesk then recognizes %d of %d sample items instead of %d", next.known, total, known))
	}
	return list
}
