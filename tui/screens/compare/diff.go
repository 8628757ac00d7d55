package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// compareState is how the two sides of a row relate.
type compareState uint8

const (
	compareSame compareState = iota
	compareDiffers
	compareOnlyLeft
	compareOnlyRight
	compareUntold // equal as far as the values are shown; more is not disclosed
)

func compareStates() []compareState {
	return []compareState{compareDiffers, compareOnlyLeft, compareOnlyRight, compareUntold, compareSame}
}

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

// comparePart is the value of a side, as stored and as shown; both are nil if it has
// none.
type comparePart struct {
	stored, shown types.AttributeValue
}

func (p comparePart) hidden() bool {
	return p.stored != nil && len(membersOf(p.shown)) == 0 && (p.shown == nil || models.IsMasked(p.shown))
}

// compareRow is an attribute, or a part of one, on both sides.
type compareRow struct {
	path    string // dotted from the root
	label   string
	section string // heading of a top-level row
	depth   int
	left    comparePart
	right   comparePart
	state   compareState
	hidden  bool
	fold    bool // it has parts
	parts   int  // number of its parts
}

// comparison is the difference of two sides as rows.
type comparison struct {
	given  bool // a side was pasted: reporting hidden values as equal would confirm a guess
	rows   []compareRow
	counts map[compareState]int // of top-level attributes
	only   bool                 // omit equal rows
	folds  map[string]bool      // rows that the user unfolded (true) or folded, by path
}

func (c *comparison) compareItems(left, right compareSide) {
	c.rows, c.counts, c.given = nil, map[compareState]int{}, left.origin == fromUser || right.origin == fromUser
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
			c.add(r)
		}
	}
}

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

func unionOf(a, b map[string]types.AttributeValue) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// hiddenName is shown instead of a masked name.
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

func (c *comparison) add(r compareRow) {
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
		c.add(p)
	}
}

// manyParts is the number of parts from which a row is folded at first.
const manyParts = 300

func (c *comparison) unfolded(r *compareRow) bool {
	if chosen, ok := c.folds[r.path]; ok {
		return chosen
	}
	return r.state == compareDiffers && r.parts <= manyParts
}

func (c *comparison) toggle(r *compareRow) { c.folds[r.path] = !c.unfolded(r) }

// member is a part of a document, list or set.
type member struct {
	name  string
	value types.AttributeValue
}

// membersOf names the elements of a set by their values, because they have no position.
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

func partsOf(r *compareRow) []compareRow {
	for _, side := range []comparePart{r.left, r.right} {
		if side.stored != nil && models.ValueType(side.stored) != models.ValueType(side.shown) {
			return nil // The whole value is masked.
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

func (p comparePart) names(name string) bool {
	stored, ok := p.stored.(*types.AttributeValueMemberM)
	shown, both := p.shown.(*types.AttributeValueMemberM)
	return !ok || !both || stored.Value[name] == nil || shown.Value[name] != nil
}

// partMap matches masked elements of a set by position, because they look the same.
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

// differences are the rows of the comparison and the cursor in them.
type differences struct {
	diff  comparison
	rows  compareLines
	lines *widget.Lines
}

func (s *compareScreen) refresh() {
	path := ""
	if r, _ := s.row(); r != nil {
		path = r.path
	}
	if s.right.table != nil {
		s.found.diff.compareItems(s.left, s.right)
	}
	s.found.rows.arrange()
	s.found.lines.SetSource(&s.found.rows)
	if at := slices.IndexFunc(s.found.diff.rows, func(r compareRow) bool { return r.path == path }); at >= 0 {
		s.goTo(at)
	}
}

func (s *compareScreen) row() (*compareRow, int) {
	at, ok := s.found.lines.At()
	if !ok || at >= len(s.found.rows.lines) {
		return nil, 0
	}
	i := s.found.rows.lines[at].row
	return &s.found.diff.rows[i], i
}

func (s *compareScreen) goTo(row int) {
	if i := slices.IndexFunc(s.found.rows.lines, func(l compareLine) bool { return l.row == row }); i >= 0 {
		s.found.lines.Go(i)
	}
}

func (s *compareScreen) goToDifference(from, direction int) bool {
	for i := from; i >= 0 && i < len(s.found.diff.rows); i += direction {
		if r := &s.found.diff.rows[i]; r.state != compareSame && (!r.fold || !s.found.diff.unfolded(r)) {
			s.goTo(i)
			return true
		}
	}
	return false
}

func (s *compareScreen) toggle() {
	if r, _ := s.row(); r != nil && r.fold {
		s.found.diff.toggle(r)
		s.refresh()
	}
}

func (s *compareScreen) unfold() tea.Cmd {
	if r, _ := s.row(); r != nil && r.fold && !s.found.diff.unfolded(r) {
		s.toggle()
	}
	return nil
}

func (s *compareScreen) fold() tea.Cmd {
	r, i := s.row()
	if r == nil {
		return nil
	}
	if r.fold && s.found.diff.unfolded(r) {
		s.toggle()
		return nil
	}
	for parent := i - 1; parent >= 0 && r.depth > 0; parent-- {
		if s.found.diff.rows[parent].depth < r.depth {
			s.goTo(parent)
			break
		}
	}
	return nil
}

func (s *compareScreen) toggleOnly() tea.Cmd {
	s.found.diff.only = !s.found.diff.only
	s.refresh()
	return nil
}

func (s *compareScreen) search(direction int, none string) tea.Cmd {
	if _, i := s.row(); s.goToDifference(i+direction, direction) {
		return nil
	}
	return screen.Send(screen.NoticeMsg{Text: none})
}

func (s *compareScreen) viewRows() string {
	in := s.panel().Inner()
	rows, detail := s.found.lines.View(), s.detailHeight()
	if len(s.found.rows.lines) == 0 {
		none := "  " + s.env.Styles.Paint(widget.RoleMuted, "No differences. Press d to show all attributes.")
		rows = widget.Place(none, in.W, max(in.H-detail-compareTitles, 0))
	}
	view := widget.Rows(s.titles(in.W), rows)
	if detail > 0 {
		r, _ := s.row()
		view = widget.Rows(view, s.found.rows.detail(r, in.W, detail))
	}
	return view
}
