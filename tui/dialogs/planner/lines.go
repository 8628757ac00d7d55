package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (c *Change) planLines(st *widget.Styles, w int) []string {
	p := c.shownPlan()
	lines, notes := c.writesLines(st, p, w), slices.Clone(p.Notes)
	for _, q := range c.Env.Requests.PendingOf(c.plan.Writes[0].Table, c.plan.Writes[0].Key) {
		if a := c.Env.Session.Profile().Action(q.Action); a != nil && c.req.Action != nil && !c.isReviewed() {
			notes = slices.Insert(notes, 0, "The change request of "+models.PrintableCell(q.Requester, 40)+" stays open: "+a.Title+".")
		}
	}
	if expired := expiredText(c.Env, c.plan.Writes[0].Table, c.plan.Writes[0].After); expired != "" {
		notes = append(notes, "The item "+expired+". DynamoDB deletes it within days.")
	}
	notes = append(notes, c.remainingItems()...)
	if len(notes) > 0 {
		lines = append(lines, "")
	}
	return append(lines, noteLines(st, notes, w)...)
}

// remainingItems warns that a plan deletes an item or its key, but not the items that belong to it.
func (c *Change) remainingItems() (notes []string) {
	isWritten := func(e *models.Entity, operation change.Operation) bool {
		return slices.ContainsFunc(c.plan.Writes, func(w change.Write) bool { return w.Entity == e && w.Operation == operation })
	}
	for _, e := range c.Env.Session.Profile().Entities {
		i := slices.IndexFunc(c.plan.Writes, func(w change.Write) bool {
			return w.Operation == change.Delete && w.Entity != nil && w.Entity.Name == e.Parent
		})
		switch {
		case i < 0 || isWritten(e, change.Delete):
		case isWritten(c.plan.Writes[i].Entity, change.Put):
			notes = append(notes, fmt.Sprintf("The plan moves only this item. Each %s that belongs to it keeps the old key.", e.Title))
		default:
			notes = append(notes, fmt.Sprintf("The plan does not delete any %s that belongs to the item.", e.Title))
		}
	}
	return notes
}

func expiredText(env *screen.Env, t *models.Table, it models.Item) string {
	at, ok := t.Expires(it)
	if now := env.Session.Now(); ok && !at.After(now) {
		return "expired " + present.Age(at, now)
	}
	return ""
}

func (c *Change) writesLines(st *widget.Styles, p *change.Plan, w int) []string {
	tables := map[*models.Table]bool{}
	for _, wr := range p.Writes {
		tables[wr.Table] = true
	}
	var lines []string
	for i, wr := range p.Writes {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, c.writeLines(st, wr, w, len(tables) > 1)...)
	}
	return lines
}

func noteLines(st *widget.Styles, notes []string, w int) []string {
	var lines []string
	for _, n := range notes {
		lines = append(lines, present.HangingIndent(st, widget.RoleWarn, "! ", n, w)...)
	}
	return lines
}

func (c *Change) writeLines(st *widget.Styles, wr change.Write, w int, withTable bool) []string {
	key := c.keyText(wr)
	if withTable {
		key += "  in " + wr.Table.Name
	}
	fold := ""
	if n, canFold := map[change.Operation]int{change.Put: len(wr.After), change.Delete: len(wr.Before)}[wr.Operation]; canFold &&
		!c.Env.Plain() {
		fold = map[bool]string{false: "▸ ", true: "▾ "}[c.expanded] + present.Plural(n, "attribute") + "  "
	}
	if c.Env.Plain() {
		wr.Changes = models.WithoutKeys(wr.Entity, wr.Changes)
	}
	role, verb := writeVerb(wr)
	right := st.Paint(widget.RoleFaint, fold) + st.Paint(role, verb)
	title := st.Paint(widget.RoleTitle, present.EntityName(wr.Entity)) + "  "
	room := max(w-ansi.StringWidth(right)-ansi.StringWidth(title)-2, 8)
	lines := []string{present.Spread(title+st.Paint(widget.RoleStrong, models.PrintableCell(key, room)), right, w)}
	switch {
	case wr.Operation == change.Update:
		lines = append(lines, c.changeRows(st, wr.Entity, wr.Changes, w)...)
	case wr.Operation == change.Put && c.expanded:
		lines = append(lines, c.valueRows(st, wr.Entity, wr.After, wr.Changes, w)...)
	case wr.Operation == change.Delete && c.expanded:
		lines = append(lines, c.valueRows(st, wr.Entity, wr.Before, nil, w)...)
	}
	if c.step == changeStepEnded {
		return lines // The write already met its conditions.
	}
	return append(lines, c.conditionLines(st, wr, w)...)
}

// keyText returns the key of a write. For role support it returns the ID of the item, which audit entries do not need.
func (c *Change) keyText(wr change.Write) string {
	if !c.Env.Plain() {
		return models.Printable(wr.Table.KeyText(wr.Key))
	}
	it := wr.After
	if it == nil {
		it = wr.Before
	}
	if r, ok := c.Env.Session.Recognize(wr.Table, it); ok && !wr.Entry {
		return models.Printable(present.ItemID(r.Entity, c.Env.Session.Masker(), r, it).Text)
	}
	return ""
}

func writeVerb(wr change.Write) (widget.Role, string) {
	switch wr.Operation {
	case change.Put:
		return widget.RoleGood, "+ new item"
	case change.Delete:
		return widget.RoleBad, "− deleted"
	case change.Check:
		return widget.RoleMuted, "? only checked"
	default:
		return widget.RoleInfo, "~ " + present.Plural(len(wr.Changes), "change")
	}
}

func (c *Change) conditionLines(st *widget.Styles, wr change.Write, w int) []string {
	words := wr.PlainConditions()
	switch {
	case c.Env.Plain() && wr.Operation == change.Put:
		return nil
	case c.Env.Plain():
		words = []string{"the item has not changed in the meantime"}
	case len(wr.Unchecked) == 0 && (wr.Operation != change.Delete || c.expanded || len(wr.Condition) <= maxConditions):
		words = models.MapSlice(wr.Condition, func(cond accesspatterns.Condition) string { return conditionText(wr, cond) })
	}
	if len(words) == 0 {
		return nil
	}
	return present.HangingIndent(st, widget.RoleMuted, "  only if  ", strings.Join(words, " and "), w)
}

func conditionText(wr change.Write, cond accesspatterns.Condition) string {
	switch isKey := cond.Attribute == wr.Table.PartitionKey.Name; {
	case isKey && cond.Compare == accesspatterns.Exists:
		return "it exists"
	case isKey && cond.Compare == accesspatterns.NotExists:
		return "it does not exist"
	}
	return cond.String()
}

const (
	changeIndent = 2
	// maxConditions is the maximum number of conditions of a delete to list without its attributes.
	maxConditions = 4
	changePathMax = 30
	derivedWord   = "  derived"
)

// changeRows lists states first and derived attributes last.
func (c *Change) changeRows(st *widget.Styles, e *models.Entity, list []models.Change, w int) []string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b models.Change) int { return ChangeRank(e, a) - ChangeRank(e, b) })
	labels, pathWidth := present.NewPresenter(c.Env), 0
	for _, ch := range list {
		pathWidth = max(pathWidth, min(ansi.StringWidth(labels.Label(e, ch.Path)), changePathMax))
	}
	left := changeIndent + pathWidth + 2
	room := func(ch models.Change) int { // Only derived changes have a note at the right edge.
		if ch.Derived {
			return w - left - len(derivedWord)
		}
		return w - left
	}
	rows := make([]changeRow, len(list))
	beforeWidth := 0
	for i, ch := range list {
		rows[i] = changeRow{ch, c.formatValue(e, ch.Path, ch.Before), c.formatValue(e, ch.Path, ch.After)}
		rows[i].after.Text += ch.NewType()
		if rows[i].width() <= room(ch) {
			beforeWidth = max(beforeWidth, ansi.StringWidth(rows[i].before.Text))
		}
	}
	var lines []string
	for _, r := range rows {
		head := strings.Repeat(" ", changeIndent) + st.PaintCell(
			widget.RoleKey, widget.SurfacePlain, labels.Label(e, r.Path), pathWidth, widget.AlignLeft,
		) + "  "
		if beforeWidth+3+ansi.StringWidth(r.after.Text) <= room(r.Change) && ansi.StringWidth(r.before.Text) <= beforeWidth {
			lines = append(lines, r.withDerivedNote(st, head+st.PaintCell(
				r.before.Role, widget.SurfacePlain, r.before.Text, beforeWidth, widget.AlignLeft,
			)+
				st.Paint(widget.RoleMuted, " → ")+st.Paint(r.after.Role, r.after.Text), w))
			continue
		}
		before := widget.Wrap(st, r.before.Role, r.before.Text, max(w-left, 8))
		lines = append(lines, head+before[0])
		lines = append(lines, present.IndentLines(before[1:], left)...)
		after := widget.Wrap(st, r.after.Role, r.after.Text, max(room(r.Change)-2, 8))
		lines = append(lines, r.withDerivedNote(st, strings.Repeat(" ", left-2)+st.Paint(widget.RoleMuted, "→ ")+after[0], w))
		lines = append(lines, present.IndentLines(after[1:], left)...)
	}
	return lines
}

// A changeRow is a change with displayable values.
type changeRow struct {
	models.Change
	before, after present.FormattedValue
}

func (r changeRow) width() int {
	return ansi.StringWidth(r.before.Text) + 3 + ansi.StringWidth(r.after.Text)
}

func (r changeRow) withDerivedNote(st *widget.Styles, line string, w int) string {
	if !r.Derived {
		return widget.Place(line, w, 1)
	}
	return present.Spread(line, st.Paint(widget.RoleFaint, derivedWord), w)
}

// ChangeRank returns the sort rank of a changed attribute: states first, derived attributes last.
func ChangeRank(e *models.Entity, ch models.Change) int {
	switch {
	case ch.Derived:
		return 2
	case e != nil && e.Lifecycle(ch.Path) != nil:
		return 0
	}
	return 1
}

// MaxValueCells is the maximum width of a long value in a plan. The dry run contains the whole value.
const MaxValueCells = 400

func (c *Change) valueRows(st *widget.Styles, e *models.Entity, it models.Item, list []models.Change, w int) []string {
	width := 0
	for name := range it {
		width = max(width, min(ansi.StringWidth(name), changePathMax))
	}
	left := changeIndent + width + 2
	var lines []string
	for _, name := range it.Names() {
		v := c.formatValue(e, name, it[name])
		note := ""
		if slices.ContainsFunc(list, func(ch models.Change) bool { return ch.Derived && ch.Path == name }) {
			note = derivedWord
		}
		head := strings.Repeat(" ", changeIndent) + st.PaintCell(widget.RoleKey, widget.SurfacePlain, name, width, widget.AlignLeft) + "  "
		text := widget.Wrap(st, v.Role, v.Text, max(w-left-len(derivedWord), 8))
		lines = append(lines, present.Spread(head+text[0], st.Paint(widget.RoleFaint, note), w))
		lines = append(lines, present.IndentLines(text[1:], left)...)
	}
	return lines
}

func (c *Change) formatValue(e *models.Entity, path string, v types.AttributeValue) present.FormattedValue {
	p := present.NewPresenter(c.Env)
	shown := p.Show(e, path, v)
	if p.Titles && v != nil {
		shown = p.Plain(e, path, v)
		shown.Note = "" // It does not belong to the value.
	}
	if _, isScalar := models.ValueText(v); v != nil && !isScalar {
		shown.Text, shown.Role = string(models.AppendValueJSON(nil, v)), widget.RoleText
	}
	if shown.Text == "" {
		shown.Text = `""`
	}
	if a := attributeOf(e, path); a != nil && shown.Text != a.Format.ReadableText(shown.Text) {
		if moment, _, hasTime := strings.Cut(shown.Note, " · "); hasTime {
			shown.Text += " (" + moment + ")"
		}
	}
	shown.Text = models.PrintableCell(shown.Text, MaxValueCells) // The layout needs the width of the printed text.
	return shown
}

func attributeOf(e *models.Entity, path string) *models.Attribute {
	if e == nil {
		return nil
	}
	return e.Attribute(path)
}

// ChangeRows draws the changes of an entity's attributes in lines of w cells.
func ChangeRows(env *screen.Env, e *models.Entity, list []models.Change, w int) []string {
	c := &Change{Env: env}
	return c.changeRows(env.Styles, e, list, w)
}

// PlanLines draws a plan's writes and notes in lines of w cells. It masks personal data like the other screens.
func PlanLines(env *screen.Env, p *change.Plan, w int) []string {
	c := &Change{Env: env, plan: p}
	return c.planLines(env.Styles, w)
}
