package explore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/compare"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type diffInput struct {
	compare.Options

	schema   string
	scope    string // entity or pattern, "" for everything
	contexts []string
	tables   bool   // compares only the tables
	out      string // case file
}

var compareContexts = op.New(op.Op{
	Path: "diff", Title: "Compare the tables and items of two environments",
	Help: "Compares the tables of two contexts, then their items. It prints items that only one context has, and items\n" +
		"whose attributes differ. It does not compare attributes that the schema declares volatile or, for support,\n" +
		"masked personal data. The exit code is 10 if anything differs.\n\n" +
		"--out writes the items that exist only in the second context, or differ there, to a case file, with pseudonyms\n" +
		"for personal data.\n\n" +
		"ddbdesk reads each side once, within its budget, and writes to neither. Memory grows with the unmatched items:\n" +
		"about 120 MB for a million.",
	Needs: op.Reads, Formats: op.TableJSON,
}, func(in *diffInput) []*op.Param {
	in.Details = 1000
	difference := op.Arg(&in.scope, "items", "an `ENTITY|PATTERN` whose items are compared").Optional()
	difference.Complete = InSchema(&in.schema, func(p *profiles.Profile, _ string) []string { return CompleteEntities(p) })
	return []*op.Param{
		op.SchemaArg(&in.schema), difference, op.Arg(&in.Args, "values", "parameters of the pattern, as `name=value`").Optional(),
		op.Flag(&in.contexts, "context", "compare `CONTEXT`; use twice"), // This flag replaces the global one.
		op.Flag(&in.tables, "tables", "compare only table definitions; read no items"),
		op.Flag(&in.out, "out", "save the differing items of the second context as a case file in `FILE`, which must not exist").
			WithCheck(func() error { return items.CheckNewFile(in.out) }),
		op.Flag(&in.AllowScan, "allow-scan", "allow scans of production tables"),
		op.Flag(&in.Details, "details", "list changed attributes of the first `N` differing items, 0 for all, and only the keys of later items").
			Within(0, -1),
	}
}, func(ctx context.Context, c *op.Call, in *diffInput) (op.Result, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var sides [2]*workspace.Workspace
	for i, name := range in.contexts {
		var err error
		if sides[i], err = c.OpenIn(ctx, name, in.schema); err != nil {
			return nil, err
		}
	}
	if err := in.choose(sides[0]); err != nil {
		return nil, err
	}
	d := &comparison{Call: c, diffInput: in, profile: sides[0].Session.Profile(), between: compare.New(sides[0], sides[1])}
	if !in.tables {
		if err := d.between.Check(ctx, in.Options); err != nil {
			return nil, err
		}
	}
	var err error
	if in.out != "" {
		purpose := c.Access(nil).Purpose
		if d.newCase, err = d.between.NewCase(cases.Purpose{Reason: purpose.Reason, Ticket: purpose.Ticket}); err != nil {
			return nil, err
		}
	}
	if d.tables, err = d.between.Tables(ctx); err != nil {
		return nil, err
	}
	return d.stream(ctx), nil
})

func (in *diffInput) check() error {
	switch {
	case len(in.contexts) != 2 || in.contexts[0] == in.contexts[1]:
		return session.InputErrorf("diff compares two contexts; add --context twice, with different names, such as " +
			"--context staging --context production")
	case in.tables && in.out != "":
		return session.InputErrorf("--tables compares only table definitions; omit --out")
	case in.tables && in.scope != "":
		return session.InputErrorf("--tables compares only table definitions; omit %s", op.Short(in.scope))
	}
	return nil
}

func (in *diffInput) choose(w *workspace.Workspace) error {
	p := w.Session.Profile()
	switch {
	case in.scope == "":
	case p.Entity(in.scope) != nil && len(in.Args) == 0:
		in.Entity = in.scope
	case p.Pattern(in.scope) == nil && len(in.Args) == 0:
		_, err := w.Reading.Entity(in.scope)
		return err
	default:
		in.Pattern = in.scope
	}
	return nil
}

// A comparison is one run of diff.
type comparison struct {
	*op.Call
	*diffInput

	profile *profiles.Profile
	between *compare.Comparison
	tables  []compare.TableDifference
	sum     compare.Summary
	newCase *compare.Case // nil without a case file
}

func (d *comparison) stream(ctx context.Context) op.Result {
	left, right := strings.ToUpper(op.Short(d.contexts[0])), strings.ToUpper(op.Short(d.contexts[1]))
	s := op.Stream{
		Envelope: op.Envelope{
			Member: "differences", Head: Compared{d.contexts[0], d.contexts[1], newTableDifferences(d.tables)},
			Tail: func() any {
				used := d.sum.Capacity
				return Comparison{d.sum, [2]float64{reading.Round(used[0]), reading.Round(used[1])}}
			},
			End: func(err error) error { return d.end(ctx, err) },
		},
		Rows: d.rows(ctx), Cells: d.cells, Drawn: func(any, [][]string) [][]string { return nil }, Above: d.lines,
		Table: items.NewTextTable("ENTITY", "KEY", "DIFFERENCE", "ATTRIBUTE", left, right),
	}
	s.Table.Keys = "KEY"
	if len(d.tables) > 0 {
		s.First = items.NewTextTable("TABLE", "PROPERTY", left, right)
	}
	for _, x := range d.tables {
		s.First.Add(x.Table, x.Property, cmp.Or(x.Left, "–"), cmp.Or(x.Right, "–"))
	}
	return s
}

func (d *comparison) rows(ctx context.Context) iter.Seq2[any, error] {
	return op.Pushed(func(add func(row any) error) (err error) {
		if d.diffInput.tables {
			return nil
		}
		due := op.NotesDue()
		d.Options.Progress = func(sum compare.Summary) {
			if due() {
				d.Notef("%s and %s items read", humanize.Comma(int64(sum.Left)), humanize.Comma(int64(sum.Right)))
			}
		}
		d.sum, err = d.between.Find(ctx, d.Options, func(item compare.Difference) error {
			if d.newCase != nil {
				if err := d.newCase.Add(item); err != nil {
					return err
				}
			}
			return add(d.contrast(item))
		})
		if err != nil {
			return fmt.Errorf("stopped after %s: %w", english.Plural(d.sum.Left+d.sum.Right, "item", ""), err)
		}
		return nil
	})
}

func (d *comparison) contrast(item compare.Difference) Contrast {
	key, changes := d.between.Shown(item)
	c := Contrast{
		Table: item.Table.ID, Key: key, Attributes: []string{}, Changes: append([]models.Change{}, changes...),
		Compared: item.Kind != compare.Differs || item.Left != nil,
		Side:     map[compare.Kind]string{compare.OnlyLeft: "left", compare.OnlyRight: "right", compare.Differs: "both"}[item.Kind],
		text:     item.Table.KeyText(key),
	}
	for _, ch := range changes {
		c.Attributes = append(c.Attributes, ch.Path)
	}
	if item.Entity != nil {
		c.Entity, c.entity = &item.Entity.Name, item.Entity
	}
	return c
}

func (d *comparison) cells(row any) [][]string {
	c := row.(Contrast)
	entity, difference := "–", "differs"
	if c.Entity != nil {
		entity = *c.Entity
		if d.Plain() {
			entity = cmp.Or(c.entity.Title, entity)
		}
	}
	switch c.Side {
	case "left":
		difference = "only in " + op.Short(d.contexts[0])
	case "right":
		difference = "only in " + op.Short(d.contexts[1])
	}
	changes := c.Changes
	if d.Plain() {
		changes = models.PlainChanges(c.entity, changes)
	}
	switch {
	case len(c.Changes) == 0:
		return [][]string{{entity, c.text, difference, "", "", ""}}
	case len(changes) == 0: // role support does not see keys
		return [][]string{{entity, c.text, difference, "index key", "", ""}}
	}
	rows := make([][]string, len(changes))
	for i, ch := range changes {
		text, name := c.entity.FormatOf(ch.Path).ReadableText, ch.Path
		if d.Plain() {
			name, _ = c.entity.PlainName(ch.Path)
		}
		rows[i] = []string{"", "", "", name, text(change.ValueCell(ch.Before)), text(change.ValueCell(ch.After))}
	}
	copy(rows[0], []string{entity, c.text, difference})
	return rows
}

// lines replaces the rows of an item on a terminal: first its whole key, then a line for each attribute.
func (d *comparison) lines(to op.Output, row any) (lines []string) {
	if !to.Draws() {
		return nil
	}
	for i, r := range d.cells(row) {
		if i == 0 {
			lines = []string{r[2] + "  " + ItemText(d.Call, d.profile, r[0], r[1])}
		}
		if left, right := r[4], r[5]; left+right != "" {
			from, to := op.Short(d.contexts[0]), op.Short(d.contexts[1])
			lines = append(lines, fmt.Sprintf("  %s  %s in %s → %s in %s", r[3], left, from, right, to))
		} else if r[3] != "" {
			lines = append(lines, "  "+r[3])
		}
	}
	return lines
}

func (d *comparison) end(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	d.Note(d.summary())
	if !d.diffInput.tables && d.between.IgnoresMasked() {
		d.Note("masked values were not compared; to compare them, use --role developer")
	}
	if d.newCase != nil {
		if err := d.save(ctx); err != nil {
			return err
		}
	}
	if d.sum.Different() || len(d.tables) > 0 {
		return op.Conflict
	}
	return nil
}

func (d *comparison) save(ctx context.Context) error {
	c, _, err := d.newCase.Collect(ctx)
	if err != nil {
		return err
	}
	if c == nil {
		d.Notef("no item of a known entity differs in %s; nothing was saved", op.Short(d.contexts[1]))
		return nil
	}
	if err := c.Save(d.out); err != nil {
		return fmt.Errorf("save the case: %w", err)
	}
	d.Notef("saved %s of %s to %s", english.Plural(len(c.Records), "item", ""), op.Short(d.contexts[1]), d.out)
	return nil
}

func (d *comparison) summary() string {
	sum := d.sum
	if d.CanAsk() && !sum.Different() && len(d.tables) == 0 && !d.diffInput.tables {
		return fmt.Sprintf("no differences: the tables and %s of %s are equal",
			english.Plural(sum.Equal, "item", ""), op.Short(cmp.Or(d.scope, d.schema)))
	}
	parts := []string{english.Plural(len(d.tables), "difference between the tables", "differences between the tables")}
	if d.CanAsk() && len(d.tables) == 0 {
		parts[0] = "the table definitions are equal"
	}
	if !d.diffInput.tables {
		parts = append(parts,
			fmt.Sprintf("%s only in %s", humanize.Comma(int64(sum.OnlyLeft)), op.Short(d.contexts[0])),
			fmt.Sprintf("%s only in %s", humanize.Comma(int64(sum.OnlyRight)), op.Short(d.contexts[1])),
			english.Plural(sum.Differs, "item differs", "items differ"), english.Plural(sum.Equal, "item is equal", "items are equal"))
	}
	return strings.Join(parts, "; ")
}

// Compared is the beginning of diff's document. The differences between items follow it, then [Comparison].
type Compared struct {
	Left   string            `json:"left"`  // name of the first context
	Right  string            `json:"right"` // name of the second context
	Tables []TableDifference `json:"tables"`
}

// A TableDifference is a table that differs between two databases. The document omits equal tables.
type TableDifference struct {
	Table       string               `json:"table"` // name in the schema
	Differences []PropertyDifference `json:"differences"`
}

// A PropertyDifference is a property of a table. It is "" on the side without the property.
type PropertyDifference struct {
	Property string `json:"property"`
	Left     string `json:"left"`
	Right    string `json:"right"`
}

func newTableDifferences(list []compare.TableDifference) []TableDifference {
	out := []TableDifference{}
	for _, d := range list {
		if len(out) == 0 || out[len(out)-1].Table != d.Table {
			out = append(out, TableDifference{Table: d.Table})
		}
		last := &out[len(out)-1]
		last.Differences = append(last.Differences, PropertyDifference{d.Property, d.Left, d.Right})
	}
	return out
}

// A Contrast is an item that differs between two databases. Before is a value in the first database, After in the
// second one.
type Contrast struct {
	Entity     *string         `json:"entity"` // null if no entity matches
	Table      string          `json:"table"`  // name in the schema
	Key        models.Item     `json:"key"`
	Side       string          `json:"side"`       // left or right if only that side has the item, otherwise both
	Attributes []string        `json:"attributes"` // paths that differ; none unless both databases have the item
	Changes    []models.Change `json:"changes"`
	// Compared is false if ddbdesk compared only the digests, because too many items differ to read them again.
	Compared bool `json:"compared"`

	text   string // text of the key
	entity *models.Entity
}

// Comparison is the end of diff's document.
type Comparison struct {
	Items    compare.Summary `json:"items"`
	Capacity [2]float64      `json:"consumedCapacity"` // in RCU: for the left database, then for the right one
}
