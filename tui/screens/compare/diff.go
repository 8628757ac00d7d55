package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

// compareState says how the two sides of a row relate.
type compareState uint8

const (
	compareSame compareState = iota
	compareDiffers
	compareOnlyLeft
	compareOnlyRight
	compareUntold // the same as far as it is shown
)

// compareStates lists every state, in the order in which they are counted.
func compareStates() []compareState {
	return []compareState{compareDiffers, compareOnlyLeft, compareOnlyRight, compareUntold, compareSame}
}

// words are the glyph and the words of a state. What is hidden on either side
// is told as hidden: it was compared all the same.
func (c compareState) words(hidden bool) (glyph, words string) {
	switch c {
	case compareSame:
		if hidden {
			return "=", "hidden, the same"
		}
		return "=", "same"
	case compareDiffers:
		if hidden {
			return "≠", "hidden, different"
		}
		return "≠", "different"
	case compareOnlyLeft:
		return "◂", "only left"
	case compareOnlyRight:
		return "▸", "only right"
	case compareUntold:
		return "?", "hidden"
	}
	return "?", ""
}

// comparePart is the value of one side, as stored and as it may be shown; both
// are nil where there is none.
type comparePart struct {
	stored, shown types.AttributeValue
}

// hidden reports whether the value is not shown as it is stored. Of a document,
// its members say so.
func (p comparePart) hidden() bool {
	return p.stored != nil && len(membersOf(p.shown)) == 0 && (p.shown == nil || models.IsMasked(p.shown))
}

// compareRow is an attribute, or a part of one, on both sides.
type compareRow struct {
	path    string // dotted from the root
	label   string
	section string // its heading; of top-level rows
	depth   int
	left    comparePart
	right   comparePart
	state   compareState
	hidden  bool
	fold    bool // has parts
	parts   int  // how many
}

// comparison makes the rows of two sides.
type comparison struct {
	given  bool // a side was pasted: whether it holds a hidden value is not told, or a guess would be confirmed
	rows   []compareRow
	counts map[compareState]int // of top-level attributes
	only   bool                 // rows that are the same are left out
	folds  map[string]bool      // rows that a person unfolded (true) or folded, by path
}

// compareItems makes the rows of two sides, in the order of the groups.
func (c *comparison) compareItems(left, right compareSide) {
	c.rows, c.counts, c.given = nil, map[compareState]int{}, left.given || right.given
	for _, g := range compareGroups(left, right) {
		for _, name := range g.Attributes {
			r := compareRow{
				path: name, label: name, section: g.Title,
				left: left.part(name), right: right.part(name),
			}
			if !left.names(name) || !right.names(name) {
				r.path, r.label = hiddenName+" "+strconv.Itoa(len(c.rows)), hiddenName
			}
			c.counts[c.stateOf(r.left, r.right)]++
			c.Add(r)
		}
	}
}

// compareGroups are the attributes that either side has, each once: in the
// groups of the left side's entity, then of the right one's, keys last.
func compareGroups(left, right compareSide) []models.Group {
	done := map[string]bool{}
	has := func(name string) bool {
		_, l := left.item[name]
		_, r := right.item[name]
		return (l || r) && !done[name]
	}
	keys := models.Group{Title: "Keys"}
	var groups []models.Group
	for _, e := range []*models.Entity{left.entity, right.entity} {
		if e == nil {
			continue
		}
		for _, name := range e.KeyNames() {
			if e.Attribute(name) == nil && has(name) {
				keys.Attributes = append(keys.Attributes, name)
				done[name] = true
			}
		}
		for _, g := range present.GroupsOf(e) {
			own := models.Group{Title: g.Title}
			for _, path := range g.Attributes {
				name, _, _ := strings.Cut(path, ".")
				if has(path) {
					name = path
				}
				if has(name) {
					own.Attributes = append(own.Attributes, name)
					done[name] = true
				}
			}
			if len(own.Attributes) > 0 {
				groups = append(groups, own)
			}
		}
	}
	rest := models.Group{Title: present.SectionUndocumented}
	if left.entity == nil && right.entity == nil {
		rest.Title = present.SectionUnknown
	}
	for _, name := range unionOf(left.item, right.item) {
		if has(name) {
			rest.Attributes = append(rest.Attributes, name)
		}
	}
	for _, g := range []models.Group{rest, keys} {
		if len(g.Attributes) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// unionOf are the names of both maps in byte order, each once.
func unionOf(a, b map[string]types.AttributeValue) []string {
	names := slices.Collect(maps.Keys(a))
	for n := range b {
		if _, both := a[n]; !both {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// hiddenName stands for a name that the masker does not show.
const hiddenName = models.MaskedText

func (c *comparison) stateOf(left, right comparePart) compareState {
	switch {
	case right.stored == nil:
		return compareOnlyLeft
	case left.stored == nil:
		return compareOnlyRight
	case c.given && !models.EqualValues(left.shown, right.shown):
		return compareDiffers
	case c.given && (!models.EqualValues(left.stored, left.shown) || !models.EqualValues(right.stored, right.shown)):
		return compareUntold
	case models.EqualValues(left.stored, right.stored):
		return compareSame
	}
	return compareDiffers
}

// add adds a row and, when it is unfolded, its parts.
func (c *comparison) Add(r compareRow) {
	r.state = c.stateOf(r.left, r.right)
	if (r.state == compareSame || r.state == compareUntold) && c.only {
		return
	}
	parts := partsOf(&r)
	r.parts, r.fold = len(parts), len(parts) > 0
	r.hidden = !r.fold && (r.left.hidden() || r.right.hidden())
	c.rows = append(c.rows, r)
	if !r.fold || !c.unfolded(&r) {
		return
	}
	for _, p := range parts {
		c.Add(p)
	}
}

// manyParts are too many to be listed before somebody asks.
const manyParts = 300

// unfolded reports whether the parts of a row are listed: at first those of
// what is on both sides and differs.
func (c *comparison) unfolded(r *compareRow) bool {
	if chosen, ok := c.folds[r.path]; ok {
		return chosen
	}
	return r.state == compareDiffers && r.parts <= manyParts
}

// toggle folds or unfolds a row.
func (c *comparison) toggle(r *compareRow) { c.folds[r.path] = !c.unfolded(r) }

// member is a part of a document, list or set.
type member struct {
	name  string
	value types.AttributeValue
}

// membersOf are the parts of a value; none of a scalar. Elements of a set are
// named by themselves: they have no place.
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

// partsOf are the rows inside a row, none when its sides are not of one kind.
func partsOf(r *compareRow) []compareRow {
	for _, side := range []comparePart{r.left, r.right} {
		if side.stored != nil && models.ValueType(side.stored) != models.ValueType(side.shown) {
			return nil // It is hidden as a whole.
		}
	}
	if r.left.stored != nil && r.right.stored != nil && models.ValueType(r.left.stored) != models.ValueType(r.right.stored) {
		return nil
	}
	left, right := partMap(r.left), partMap(r.right)
	var list []compareRow
	add := func(name string) {
		row := compareRow{path: r.path + "." + name, label: name, depth: r.depth + 1, left: left[name], right: right[name]}
		switch {
		case isList(r.left.stored) || isList(r.right.stored):
			row.path = r.path + "[" + name + "]"
		case !r.left.names(name) || !r.right.names(name):
			row.path, row.label = r.path+"."+hiddenName+" "+strconv.Itoa(len(list)), hiddenName
		}
		list = append(list, row)
	}
	from := membersOf(r.left.stored)
	for _, m := range from {
		add(m.name)
	}
	for _, m := range membersOf(r.right.stored) {
		if _, both := left[m.name]; !both {
			add(m.name)
		}
	}
	return list
}

// names reports whether a part may be called by its name: it has none of that
// name, or is shown with it.
func (p comparePart) names(name string) bool {
	stored, ok := p.stored.(*types.AttributeValueMemberM)
	shown, both := p.shown.(*types.AttributeValueMemberM)
	return !ok || !both || stored.Value[name] == nil || shown.Value[name] != nil
}

// partMap is a value by the names of its parts. Parts of a set that are hidden
// cannot be told apart by what is shown of them.
func partMap(p comparePart) map[string]comparePart {
	stored := membersOf(p.stored)
	if len(stored) == 0 {
		return nil
	}
	shown := membersOf(p.shown)
	parts := make(map[string]comparePart, len(stored))
	doc, isDoc := p.shown.(*types.AttributeValueMemberM)
	for i, m := range stored {
		part := comparePart{stored: m.value}
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
