package lists

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// A listedDifference is an item, or a property of a table, that differs between the environments.
type listedDifference struct {
	otherContext string
	comparison   *compare.Comparison
	table        *compare.TableDifference // nil for an item
	item         compare.Difference
	// attributes contains the item's attributes in both environments, masked by masker.
	attributes []compare.Attribute
	masker     *models.Masker
}

// maxDifferences is the maximum number of items to list. Additional items are only counted.
const maxDifferences = 2000

// Differences lists how the session's database differs from another context's: first tables, then items by entity.
var Differences = listing.Open(func(env *screen.Env, to screen.Differences) *listing.Spec[*listedDifference] {
	var consent atomic.Bool                     // consent to read whole production tables
	var refused atomic.Pointer[session.Refusal] // reason why ddbdesk did not compare the items
	spec := &listing.Spec[*listedDifference]{
		Name: "differences", Title: "Differences", Noun: "difference", Costly: true, Layout: listing.Tall,
		Does: "Lists tables and items that differ between this database and another context's database.",
		Guide: screen.Guide{
			Purpose: "Compares the tables and items of this database with another context. ddbdesk writes nothing.",
			First:   "press enter to read an item again and see both states. On production, press o a to compare the items.",
			Signs: []screen.Sign{
				{Glyph: "≠", Meaning: "differs between the environments"},
				{Glyph: "◂", Meaning: "only in this environment"},
				{Glyph: "▸", Meaning: "only in the other environment"},
			},
		},
		ID:    (*listedDifference).id,
		Label: func(_ *screen.Env, d *listedDifference) string { return d.subject() },
		Empty: func(*screen.Env) (string, string) {
			if r := refused.Load(); r != nil {
				return "The tables are equal. Press o a to compare the items.", r.Reason
			}
			return "✓ No differences", "Press r to compare again."
		},
		Load: func(ctx context.Context, e *screen.Env, r *listing.Reading[*listedDifference]) (listing.Rows[*listedDifference], error) {
			rows, refusal, err := compareWith(ctx, e, to.Context, consent.Load(), r)
			refused.Store(refusal)
			return rows, err
		},
		Columns: []listing.Column[*listedDifference]{
			listing.Text("", (*listedDifference).sign),
			listing.Text("Entity", (*listedDifference).entity),
			listing.Styled(widget.Column{Title: "Item", Max: 80, Middle: true}, widget.RoleText,
				func(_ *screen.Env, d *listedDifference) string {
					return d.subject()
				}),
			{Column: widget.Column{Title: "Difference", Max: 60, Weight: 1}, Cell: differenceCell},
		},
		Search: func(d *listedDifference) string {
			text := ""
			if d.table == nil {
				_, changes := d.comparison.Shown(d.item)
				for _, ch := range changes {
					text += ch.Path + " "
				}
			}
			return text
		},
		Facts: differenceFacts,
		Actions: []listing.Action[*listedDifference]{
			{
				Name: "enter", Keys: "enter", Desc: "compare", Long: "read the item in both environments and compare the versions",
				Can: listing.Require(func(d *listedDifference) bool { return d.table == nil }, "the details show both values"),
				Run: readBoth,
			},
			{
				Name: "all", Keys: "o>a", Desc: "compare items",
				Long: "compare production items, which scans whole tables; asks first", Free: true,
				Can: listing.Require(func(*listedDifference) bool { return refused.Load() != nil }, "the items were compared"),
				Run: func(s *listing.Screen[*listedDifference], _ *listedDifference) tea.Cmd {
					q := overlay.NewHarmlessQuestion("Compare the items?", "", "Compare", nil,
						"Every item of "+present.Plural(len(s.Env.Session.Profile().Tables), "table")+
							" is read once in each of the two environments, within their budgets. Press esc to stop.")
					q.Yes = func() tea.Cmd {
						consent.Store(true)
						return s.Reload()
					}
					s.Box = q
					return nil
				},
			},
		},
	}
	if env != nil {
		spec.Heading = contextName(env) + " ≠ " + models.Printable(to.Context)
	}
	return spec
})

func compareWith(ctx context.Context, e *screen.Env, otherContext string, consent bool, r *listing.Reading[*listedDifference]) (
	rows listing.Rows[*listedDifference], refusal *session.Refusal, err error,
) {
	other, err := e.OtherContexts.OpenIn(ctx, otherContext, e.Session.Profile())
	if err != nil {
		return rows, nil, err
	}
	c := compare.New(e.Workspace, other)
	tables, err := c.Tables(ctx)
	if err != nil {
		return rows, nil, err
	}
	for i := range tables {
		rows.List = append(rows.List, &listedDifference{otherContext: otherContext, comparison: c, table: &tables[i]})
	}
	var mu sync.Mutex
	o := compare.Options{AllowScan: consent, Details: maxDifferences, Progress: func(sum compare.Summary) {
		mu.Lock()
		defer mu.Unlock()
		r.Found(listing.Rows[*listedDifference]{
			List:   slices.Clone(rows.List),
			Status: fmt.Sprintf("%s here, %s there", present.Plural(sum.Left, "item"), present.Plural(sum.Right, "item")),
		})
	}}
	if errors.As(c.Check(ctx, o), &refusal) {
		rows.Status = "items not compared; press o a" + tablesDiffer(len(tables))
		return rows, refusal, nil
	}
	items := 0
	sum, err := c.Find(ctx, o, func(d compare.Difference) error {
		mu.Lock()
		defer mu.Unlock()
		if items++; items <= maxDifferences {
			rows.List = append(rows.List, &listedDifference{otherContext: otherContext, comparison: c, item: d})
		}
		return nil
	})
	slices.SortStableFunc(rows.List[len(tables):], func(a, b *listedDifference) int { return strings.Compare(a.entity(), b.entity()) })
	rows.Status = fmt.Sprintf("%d only here, %d there, %d different · %d equal%s", sum.OnlyLeft, sum.OnlyRight, sum.Differs, sum.Equal,
		tablesDiffer(len(tables)))
	if items > maxDifferences {
		rows.Note = fmt.Sprintf("the first %d of %d items", maxDifferences, items)
	}
	return rows, nil, err
}

func tablesDiffer(n int) string {
	if n == 0 {
		return ""
	}
	return " · " + present.Plural(n, "different table property")
}

func (d *listedDifference) id() string {
	if d.table != nil {
		return "table " + d.table.Table + " " + d.table.Property
	}
	return string(d.item.Kind) + " " + d.item.Table.Name + " " + string(d.item.Key.AppendDynamoDBJSON(nil))
}

func (d *listedDifference) sign() string {
	return cmp.Or(map[compare.Kind]string{compare.OnlyLeft: "◂", compare.OnlyRight: "▸"}[d.item.Kind], "≠")
}

func (d *listedDifference) entity() string {
	switch {
	case d.table != nil:
		return "table"
	case d.item.Entity == nil:
		return present.NoValue
	}
	return present.EntityName(d.item.Entity)
}

func (d *listedDifference) subject() string {
	if d.table != nil {
		return d.table.Table + " · " + d.table.Property
	}
	key, _ := d.comparison.Shown(d.item)
	return d.item.Table.KeyText(key)
}

func differenceCell(e *screen.Env, d *listedDifference) widget.Cell {
	switch {
	case d.table != nil:
		return widget.Cell{Text: orNoValue(d.table.Left) + " → " + orNoValue(d.table.Right), Role: widget.RoleMuted}
	case d.item.Kind == compare.OnlyLeft:
		return widget.Cell{Text: "only in " + contextName(e), Role: widget.RoleMuted}
	case d.item.Kind == compare.OnlyRight:
		return widget.Cell{Text: "only in " + d.otherContext, Role: widget.RoleMuted}
	}
	c := widget.Cell{Text: "differs", Role: widget.RoleWarn}
	if _, changes := d.comparison.Shown(d.item); len(changes) > 0 {
		c.Text = present.Plural(len(changes), "attribute")
	}
	return c
}

func readBoth(s *listing.Screen[*listedDifference], d *listedDifference) tea.Cmd {
	ctx, masker := s.Env.Context, s.Env.Session.Masker()
	s.FocusDetails(true)
	return func() tea.Msg {
		both, err := d.comparison.ReadBoth(ctx, d.item)
		if err != nil {
			return screen.NoticeMsg{Text: err.Error(), Bad: true}
		}
		return screen.Answer(func() tea.Cmd {
			d.attributes, d.masker = both, masker
			s.Redraw()
			return nil
		})
	}
}

// A comparedEntry is a property or an attribute with its values in both environments.
type comparedEntry struct {
	name, left, right string
	differs           bool
}

func differenceFacts(e *screen.Env, d *listedDifference) []listing.Fact {
	var list []comparedEntry
	valueText := func(path string, v types.AttributeValue) string {
		if v == nil {
			return present.NoValue
		}
		return models.PrintableCell(present.NewPresenter(e).Show(d.item.Entity, path, v).Text, present.CellRunes)
	}
	switch {
	case d.table != nil:
		list = append(list, comparedEntry{d.table.Property, orNoValue(d.table.Left), orNoValue(d.table.Right), true})
	case d.attributes != nil && d.masker == e.Session.Masker():
		for _, a := range d.attributes {
			list = append(list, comparedEntry{a.Name, valueText(a.Name, a.Left), valueText(a.Name, a.Right), a.Differs})
		}
	default:
		_, changes := d.comparison.Shown(d.item)
		for _, ch := range changes {
			list = append(list, comparedEntry{ch.Path, valueText(ch.Path, ch.Before), valueText(ch.Path, ch.After), true})
		}
	}
	var facts []listing.Fact
	if len(list) > 0 {
		facts = append(facts, listing.Fact{Lines: func(w int) []string { return sideBySide(e, d.otherContext, list, w) }})
	}
	if d.table == nil && d.attributes == nil {
		facts = append(facts, listing.Fact{Text: "Press enter to read the item in both environments.", Role: widget.RoleMuted})
	}
	return facts
}

func sideBySide(e *screen.Env, otherContext string, list []comparedEntry, w int) []string {
	nameWidth := 4
	for _, f := range list {
		nameWidth = max(nameWidth, ansi.StringWidth(models.Printable(f.name)))
	}
	nameWidth = min(nameWidth, max(w/4, 4))
	column := max((w-nameWidth-4)/2, 4)
	line := func(sign string, f comparedEntry, role widget.Role) string {
		cell := func(text string, w int) string {
			return e.Styles.PaintCell(role, widget.SurfacePlain, text, w, widget.AlignLeft)
		}
		return cell(sign, 2) + cell(f.name, nameWidth) + " " + cell(f.left, column) + " " + cell(f.right, column)
	}
	lines := []string{line("", comparedEntry{left: contextName(e), right: otherContext}, widget.RoleMuted)}
	for _, f := range list {
		sign, role := "", widget.RoleText
		if f.differs {
			sign, role = "≠", widget.RoleWarn
		}
		lines = append(lines, line(sign, f, role))
	}
	return lines
}
