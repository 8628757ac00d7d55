package compare

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A side is an item or one state of an item.
type side struct {
	title   string // name of the state, such as "current"
	table   *models.Table
	item    models.Item // as stored
	entered bool        // the user entered the item, and could use it to guess a hidden value
}

// comparedSides contains both sides of a comparison in displayable form.
type comparedSides struct {
	left, right   side
	titles        [2]string // names of the two items, or of the two states
	ids           [2]string // the IDs of the two items, or the names of the two states
	entities      [2]*models.Entity
	items         [2]models.Item // as stored, if the comparison uses stored values
	masked        [2]models.Item
	masker        *models.Masker
	ignoresHidden bool // hidden values are not compared, because a match would reveal them
	plain         bool // show titles instead of names, and no computed keys
}

func newSides(env *screen.Env, left, right side) *comparedSides {
	b := &comparedSides{left: left, right: right, titles: [2]string{left.title, right.title}, masker: env.Session.Masker()}
	b.plain = env.Plain()
	b.ignoresHidden = left.entered || right.entered || env.Session.CanReveal() != nil
	for i, s := range []side{left, right} {
		b.masked[i] = b.masker.Item(s.table, s.item)
		if b.items[i] = s.item; b.ignoresHidden {
			b.items[i] = b.masked[i]
		}
		if r, ok := env.Session.Recognize(s.table, s.item); ok {
			b.entities[i] = r.Entity
		}
	}
	b.ids = b.titles
	leftName, leftID := nameOf(env, left.table, left.item)
	rightName, rightID := nameOf(env, right.table, right.item)
	if leftName == rightName { // Items with different keys can have the same title.
		leftName, rightName = left.table.KeyText(b.masked[0]), right.table.KeyText(b.masked[1])
		leftID, rightID = leftName, rightName
	}
	if leftName != rightName && !right.entered {
		b.titles, b.ids = [2]string{leftName, rightName}, [2]string{leftID, rightID}
	}
	return b
}

func (c *comparedSides) title() string { return c.titles[0] + " ◂ ▸ " + c.titles[1] }

func nameOf(env *screen.Env, table *models.Table, it models.Item) (name, id string) {
	masker := env.Session.Masker()
	key := table.KeyText(masker.Item(table, it))
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		return key, key
	}
	id = cmp.Or(present.ItemTitle(r.Entity, masker, r, it).Text, key)
	return present.EntityName(r.Entity) + " " + id, id
}

// A state describes how the two sides of a row relate.
type state uint8

const (
	same state = iota
	differs
	onlyLeft
	onlyRight
	undecided // masked, with equal visible parts
)

// These are the signs and words for each state.
var (
	signs = [...]string{same: "=", differs: "≠", onlyLeft: "◂", onlyRight: "▸", undecided: "?"}
	words = [...]string{same: "the same", differs: "different", onlyLeft: "only left", onlyRight: "only right", undecided: "masked"}
	roles = [...]widget.Role{
		same: widget.RoleFaint, differs: widget.RoleWarn, onlyLeft: widget.RoleBad, onlyRight: widget.RoleGood, undecided: widget.RoleFaint,
	}
)

// A value is an attribute's value on one side, as stored and as shown. Both are nil if the side lacks the attribute.
type value struct{ stored, shown types.AttributeValue }

func (v value) isHidden() bool {
	return v.stored != nil && len(membersOf(v.shown)) == 0 && (v.shown == nil || models.IsMasked(v.shown))
}

// A pair is an attribute on both sides, or a part of it that differs.
type pair struct {
	path, label string // dotted path from the root; label hides a masked name
	group       string // group of the attribute
	left, right value
	state       state
	sides       *comparedSides
}

func (c *comparedSides) value(i int, name string) (v value, named bool) {
	stored := c.items[i][name]
	shown, ok := c.masked[i][name]
	if stored != nil && !ok {
		return value{stored, models.HiddenValue()}, false
	}
	return value{stored, shown}, true
}

// pairs returns the attributes in the schema's order, with the parts of documents that differ.
func (c *comparedSides) pairs() []*pair {
	var list []*pair
	for _, g := range c.groups() {
		for _, name := range g.Attributes {
			p := pair{path: name, label: c.label(name), group: g.Title, sides: c}
			var one, other bool
			p.left, one = c.value(0, name)
			if p.right, other = c.value(1, name); !one || !other {
				p.path, p.label = models.MaskedText+" "+strconv.Itoa(len(list)), models.MaskedText
			}
			list = c.add(list, p)
		}
	}
	return list
}

func (c *comparedSides) label(name string) string {
	return present.Presenter{Titles: c.plain}.Label(cmp.Or(c.entities[0], c.entities[1]), name)
}

func (c *comparedSides) add(list []*pair, p pair) []*pair {
	p.state = c.stateOf(p.left, p.right)
	parts := partsOf(p)
	if p.state != differs || len(parts) == 0 {
		return append(list, &p)
	}
	for _, part := range parts {
		list = c.add(list, part)
	}
	return list
}

func (c *comparedSides) stateOf(left, right value) state {
	switch {
	case right.stored == nil:
		return onlyLeft
	case left.stored == nil:
		return onlyRight
	case c.ignoresHidden && !models.EqualValues(left.shown, right.shown):
		return differs
	case c.ignoresHidden && (models.IsMasked(left.shown) || models.IsMasked(right.shown)):
		return undecided
	case models.EqualValues(left.stored, right.stored):
		return same
	}
	return differs
}

func (c *comparedSides) groups() []models.Group {
	grouped := map[string]bool{}
	isInSide := func(name string) bool {
		_, l := c.items[0][name]
		_, r := c.items[1][name]
		return (l || r) && !grouped[name]
	}
	keys := models.Group{Title: "Keys"}
	var groups []models.Group
	for _, e := range c.entities {
		if e == nil {
			continue
		}
		for _, name := range e.KeyNames() {
			if e.Attribute(name) == nil && isInSide(name) {
				keys.Attributes = append(keys.Attributes, name)
				grouped[name] = true
			}
		}
		for _, g := range present.GroupsOf(e) {
			group := models.Group{Title: g.Title}
			for _, path := range g.Attributes {
				name, _, _ := strings.Cut(path, ".")
				if isInSide(path) {
					name = path
				}
				if isInSide(name) {
					group.Attributes = append(group.Attributes, name)
					grouped[name] = true
				}
			}
			if len(group.Attributes) > 0 {
				groups = append(groups, group)
			}
		}
	}
	rest := models.Group{Title: present.SectionUndocumented}
	if c.entities == [2]*models.Entity{} {
		rest.Title = present.SectionUnknown
	}
	for _, name := range unionOf(c.items[0], c.items[1]) {
		if isInSide(name) {
			rest.Attributes = append(rest.Attributes, name)
		}
	}
	for _, g := range []models.Group{rest, keys} {
		if len(g.Attributes) > 0 && (!c.plain || g.Title == rest.Title) {
			groups = append(groups, g)
		}
	}
	return groups
}

func unionOf(a, b map[string]types.AttributeValue) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// A member is a part of a document, list or set.
type member struct {
	name  string
	value types.AttributeValue
}

// membersOf uses the values of a set's elements as their names, because the elements have no position.
func membersOf(v types.AttributeValue) []member {
	var list []member
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		for _, n := range models.Item(v.Value).Names() {
			list = append(list, member{n, v.Value[n]})
		}
	case *types.AttributeValueMemberL:
		for i, e := range v.Value {
			list = append(list, member{strconv.Itoa(i), e})
		}
	case *types.AttributeValueMemberSS:
		for _, e := range slices.Sorted(slices.Values(v.Value)) {
			list = append(list, member{e, models.StringValue(e)})
		}
	case *types.AttributeValueMemberNS:
		for _, e := range slices.SortedFunc(slices.Values(v.Value), models.CompareNumbers) {
			list = append(list, member{e, &types.AttributeValueMemberN{Value: e}})
		}
	}
	return list
}

func partsOf(r pair) []pair {
	for _, side := range []value{r.left, r.right} {
		if side.stored != nil && models.ValueType(side.stored) != models.ValueType(side.shown) {
			return nil // The whole value is masked.
		}
	}
	if r.left.stored != nil && r.right.stored != nil && models.ValueType(r.left.stored) != models.ValueType(r.right.stored) {
		return nil
	}
	left, right := partMap(r.left), partMap(r.right)
	_, document := cmp.Or(r.left.stored, r.right.stored).(*types.AttributeValueMemberM)
	inSet := !document && !isList(r.left.stored) && !isList(r.right.stored) // An element of a set is its own name.
	var list []pair
	add := func(name string) {
		part := pair{
			path: r.path + "." + name, label: r.label + "." + name, group: r.group, left: left[name],
			right: right[name], sides: r.sides,
		}
		switch {
		case isList(r.left.stored) || isList(r.right.stored):
			part.path, part.label = r.path+"["+name+"]", r.label+"["+name+"]"
		case !r.left.showsName(name), !r.right.showsName(name), inSet && (part.left.isHidden() || part.right.isHidden()):
			part.path, part.label = r.path+"."+models.MaskedText+" "+strconv.Itoa(len(list)), r.label+"."+models.MaskedText
		}
		list = append(list, part)
	}
	for _, m := range membersOf(r.left.stored) {
		add(m.name)
	}
	for _, m := range membersOf(r.right.stored) {
		if _, both := left[m.name]; !both {
			add(m.name)
		}
	}
	return list
}

func (v value) showsName(name string) bool {
	stored, ok := v.stored.(*types.AttributeValueMemberM)
	shown, both := v.shown.(*types.AttributeValueMemberM)
	return !ok || !both || stored.Value[name] == nil || shown.Value[name] != nil
}

// partMap matches masked elements of a set by position, because they look alike.
func partMap(p value) map[string]value {
	stored := membersOf(p.stored)
	if len(stored) == 0 {
		return nil
	}
	shown := membersOf(p.shown)
	parts := make(map[string]value, len(stored))
	doc, isDoc := p.shown.(*types.AttributeValueMemberM)
	for i, m := range stored {
		part := value{stored: m.value}
		switch {
		case isDoc && doc.Value[m.name] != nil:
			part.shown = doc.Value[m.name]
		case isDoc:
			part.shown = models.HiddenValue()
		case i < len(shown):
			part.shown = shown[i].value
		}
		parts[m.name] = part
	}
	return parts
}

func isList(v types.AttributeValue) bool {
	_, ok := v.(*types.AttributeValueMemberL)
	return ok
}
