package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type driftInput struct {
	sweepFlags

	schema, entity  string
	repair, yes     bool
	reason          string
	scan, templated bool
}

var findDrift = op.New(op.Op{
	Path: "drift", Title: "Find items that do not match the schema, and repair them",
	Help: "Scans the tables of the schema, or the table of ENTITY, for items that do not match the schema. PROBLEM is\n" +
		"stale key (an index key does not match the attributes), time (a TTL or a repeated time is wrong), incomplete\n" +
		"(required attributes are missing), value (a type, a format or an enum value is wrong), or unknown (no entity\n" +
		"matches). In JSON, the values are stale-key, ttl, ghost, value and unknown.\n" +
		"--repair plans the values that follow from other attributes, and --repair --yes applies them, one transaction per\n" +
		"item. The exit code is 0 even if it finds drift.\n\n" +
		"--template prints actions for the schema that set the missing attributes. After review, a sweep applies them.",
	Needs: op.Writes, Formats: op.TableJSON,
}, func(in *driftInput) []*op.Param {
	entity := op.Arg(&in.entity, "entity", "the only entity to report").Optional()
	entity.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, _ string) []string { return explore.CompleteEntities(p) })
	return []*op.Param{
		op.SchemaArg(&in.schema), entity, in.rateFlag(),
		op.Flag(&in.repair, "repair", "plan the repair of each item; writes only with --yes"),
		op.Flag(&in.yes, "yes", "apply the repairs; needs --role admin"),
		op.Reason(&in.reason, "record `TEXT` as the reason in the audit entries and the journal"),
		op.Flag(&in.scan, "allow-scan", "allow scans of production tables"),
		op.Flag(&in.templated, "template", "print actions for the schema that set missing attributes, instead of the items"),
	}
}, func(ctx context.Context, c *op.Call, in *driftInput) (op.Result, error) {
	switch {
	case in.templated && (in.repair || c.Output == "json"):
		return nil, session.InputErrorf("--template prints actions and repairs nothing; omit --repair and -o json")
	case in.yes && !in.repair:
		return nil, session.InputErrorf("--yes works only with --repair; add --repair")
	case in.reason != "" && !in.repair:
		return nil, session.InputErrorf("--reason works only with --repair; add --repair")
	case in.rate != "" && !in.yes:
		return nil, session.InputErrorf("--rate works only with --repair --yes; add both")
	}
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	search := drift.Options{AllowScan: in.scan, Entity: in.entity}
	tables, _, err := workspace.New(session.Options{Profile: p}).Drift.TablesOf(search)
	if err != nil {
		return nil, err
	}
	access := op.Reads
	if in.repair {
		access = op.Writes
	}
	w, err := c.Connect(ctx, p, access)
	if err != nil {
		return nil, err
	}
	d := &driftSearch{Call: c, w: w, in: in, repairs: map[string]int{}, templates: templateWriter{items: map[missingAttribute]int{}}}
	if in.yes {
		if d.repairing, err = w.Committer.Start(ctx, changes.Set{Tables: tables, Reason: in.reason, Rate: in.Rate}); err != nil {
			return nil, err
		}
	}
	if err := w.Drift.CheckConsent(ctx, search); err != nil {
		return nil, err
	}
	d.search = search
	if in.templated {
		for _, err := range d.rows(ctx) {
			if err != nil {
				return nil, d.end(err)
			}
		}
		return op.Doc{Lines: d.templates.lines()}, d.end(nil)
	}
	return d.stream(ctx), nil
})

// A driftSearch runs while its result is being written. It repairs and shows each item as soon as it finds it.
type driftSearch struct {
	*op.Call
	w         *workspace.Workspace
	in        *driftInput
	search    drift.Options
	repairing *changes.Run   // sweep that applies the repairs; nil without --yes
	repairs   map[string]int // number of repairs by outcome
	templates templateWriter
	summary   drift.Summary
}

// impossible is the outcome of a repair that ddbdesk cannot make. It complements the outcomes of changes.
const impossible = "impossible"

// An Inconsistency is one item in the document. It always has all fields. Repair is the outcome of the repair: planned,
// committed, conflict or impossible. Why is its reason or its notes. Writes contains the writes of the plan. Journal is
// the ID of an applied repair.
type Inconsistency struct {
	Table   string         `json:"table"`
	Entity  *string        `json:"entity"` // null if no entity matches
	Key     models.Item    `json:"key"`
	Defects []Defect       `json:"defects"`
	Repair  *string        `json:"repair"` // null without --repair, or if it failed
	Reason  *string        `json:"why"`
	Writes  []change.Write `json:"writes"`
	Journal *string        `json:"journal"`

	cells [][]string   // a row for each defect
	plan  *change.Plan // masked preview of a planned repair, above the rows
}

// A Defect is one defect of an item. Its stored and expected values are masked.
type Defect struct {
	Kind      change.DefectKind `json:"kind"`
	Attribute *string           `json:"attribute"`
	Stored    *string           `json:"stored"`
	Expected  *string           `json:"expected"`
	Text      string            `json:"text"`
}

// stream shows every item with drift, then the summary. Even after an error, a complete document reports all repairs.
func (d *driftSearch) stream(ctx context.Context) op.Stream {
	header := []string{"ENTITY", "KEY", "PROBLEM", "ATTRIBUTE", "REPAIR", "DETAILS"}
	if !d.in.repair {
		header = slices.Delete(header, 4, 5)
	}
	s := op.Stream{
		Rows: d.rows(ctx), Table: items.NewTextTable(header...),
		Cells: func(row any) [][]string { return row.(Inconsistency).cells },
		Drawn: func(any, [][]string) [][]string { return nil }, Above: d.above,
		Envelope: op.Envelope{
			Member: "items", Head: struct{}{}, End: d.end,
			Tail: func() any { return DriftTotals{d.summary.Items, d.summary.Scanned, reading.Round(d.summary.Capacity)} },
		},
	}
	s.Table.Keys, s.Table.WholeLast = "KEY", true
	return s
}

// above returns the planned repair of an item. For a terminal, it adds the item with its whole key and its defects.
func (d *driftSearch) above(to op.Output, row any) (lines []string) {
	item := row.(Inconsistency)
	if item.plan != nil {
		lines = append(changes.WriteLines(item.plan, d.Plain(), to.Draws()), "")
	}
	if !to.Draws() {
		return lines
	}
	lines = append(lines, explore.ItemText(d.Call, d.w.Session.Profile(), item.cells[0][0], item.cells[0][1]))
	for _, cells := range item.cells {
		lines = append(lines, "  "+strings.Join(slices.DeleteFunc(cells[2:], func(s string) bool { return s == "" }), "  "))
	}
	return lines
}

// DriftTotals is the end of drift's document.
type DriftTotals struct {
	Count    int     `json:"count"`
	Scanned  int     `json:"scanned"`
	Capacity float64 `json:"consumedCapacity"` // RCU
}

func (d *driftSearch) rows(ctx context.Context) iter.Seq2[any, error] {
	return op.Pushed(func(add func(row any) error) (err error) {
		due := op.NotesDue()
		d.search.Progress = func(t *models.Table, sum drift.Summary) {
			if due() {
				d.Notef("%s: %s scanned, %s with drift", t.Name, english.Plural(sum.Scanned, "item", ""),
					english.Plural(sum.Items, "item", ""))
			}
		}
		d.summary, err = d.w.Drift.Find(ctx, d.search, func(item drift.Result) error {
			if d.templates.add(item); d.in.templated {
				return nil
			}
			row, err := d.row(ctx, item)
			return cmp.Or(add(row), err)
		})
		return err
	})
}

// end notes the results. Conflicts during repair do not end the search.
func (d *driftSearch) end(err error) error {
	if err != nil && d.summary.Items == 0 && d.summary.Scanned == 0 {
		return err
	}
	d.Note(d.summaryText(d.summary, err == nil))
	if n := len(d.templates.gaps); n > 0 && !d.in.templated {
		d.Notef("actions in the schema can set %s; --template prints them", english.Plural(n, "missing attribute", ""))
	}
	if names := slices.Sorted(maps.Keys(d.summary.Undeclared)); len(names) > 0 && !d.in.templated {
		list := strings.Replace(strings.Join(models.Limited(names, 5), ", "), ", and ", " and ", 1)
		d.Notef("no entity declares %s, so support and agents do not see the values; declare the attributes, or set undeclared: show", list)
	}
	if d.repairs[string(changes.Planned)] > 0 && d.CanAsk() {
		d.Note("nothing is written yet; to apply the repairs, run " + d.w.Session.Again("--yes", ""))
	}
	if d.repairs[string(changes.Committed)] > 1 {
		id := journal.ShortID(d.repairing.Summary().ID)
		d.Note("to undo the repairs, run " + d.w.Session.Command("undo", d.in.schema, "--sweep", id))
	}
	switch {
	case err != nil:
		return fmt.Errorf("stopped after %s: %w", english.Plural(d.summary.Scanned, "item", ""), err)
	case d.repairs[string(changes.Conflict)] > 0:
		return op.Conflict
	}
	return nil
}

func (d *driftSearch) row(ctx context.Context, item drift.Result) (Inconsistency, error) {
	r, err := d.repair(ctx, item)
	if r.status != "" {
		d.repairs[r.status]++
	}
	key, defects := d.w.Drift.Shown(item)
	row, entity := d.document(item, defects, r), "–"
	if item.Entity != nil {
		entity = item.Entity.Name
		if d.Plain() {
			entity = cmp.Or(item.Entity.Title, entity)
		}
	}
	for i, f := range defects {
		format := item.Entity.FormatOf(f.Attribute)
		f.Stored, f.Expected = format.ReadableText(f.Stored), format.ReadableText(f.Expected)
		if d.Plain() {
			f.Attribute, _ = item.Entity.PlainName(f.Attribute)
		}
		details := defectText(f)
		problem, _, _ := strings.Cut(details, ":")
		if i == 0 && r.reason != "" && !strings.HasPrefix(r.reason, problem) {
			details += " (" + r.reason + ")"
		}
		cells, name := []string{entity, key, f.Kind.Word(), f.Attribute}, item.Defects[i].Attribute
		if d.in.repair {
			repaired := r.plan == nil || slices.ContainsFunc(r.plan.Writes[0].Changes, func(c models.Change) bool { return c.Path == name })
			cells = append(cells, map[bool]string{true: r.status, false: impossible}[repaired])
		}
		row.cells = append(row.cells, append(cells, details))
	}
	if r.status == string(changes.Planned) {
		row.plan = r.plan.Shown(d.w.Session.Masker())
	}
	return row, err
}

func (d *driftSearch) document(item drift.Result, defects []change.Defect, r repairResult) Inconsistency {
	doc := Inconsistency{
		Table: item.Table.Name, Defects: []Defect{}, Repair: op.OrNull(r.status), Reason: op.OrNull(models.Printable(r.reason)),
		Writes: []change.Write{}, Journal: op.OrNull(r.journal),
	}
	for _, f := range defects {
		doc.Defects = append(doc.Defects, Defect{f.Kind, op.OrNull(f.Attribute), op.OrNull(f.Stored), op.OrNull(f.Expected), f.Text})
	}
	doc.Key, _ = item.Table.PrimaryKey(d.w.Session.Masker().Item(item.Table, item.Item))
	if item.Entity != nil {
		doc.Entity = &item.Entity.Name
	}
	if r.plan != nil {
		doc.Writes = r.plan.Shown(d.w.Session.Masker()).Writes
	}
	return doc
}

// A repairResult is the outcome of a repair. Its status is "" without --repair, or after an error that ends the search.
type repairResult struct {
	status, reason, journal string
	plan                    *change.Plan
}

// repair returns an error that ends the search, because repairing the next item would fail in the same way.
func (d *driftSearch) repair(ctx context.Context, item drift.Result) (repairResult, error) {
	switch {
	case !d.in.repair:
		return repairResult{}, nil
	case !item.Repairable:
		return repairResult{status: impossible, reason: item.Obstacle}, nil
	case d.repairing == nil:
		plan, err := d.w.Planner.PlanRepair(ctx, item.Table, item.Item, d.in.reason)
		if err != nil {
			return failedRepair(err)
		}
		return repairResult{status: string(changes.Planned), plan: plan}, nil
	}
	o := d.repairing.Change(ctx, changes.Item{Table: item.Table, Item: item.Item})
	switch {
	case o.Status == changes.Refused && o.Planned: // A guard would also reject the next repair.
		return repairResult{}, o.Err
	case o.Err != nil:
		return failedRepair(o.Err)
	case o.Status == changes.Skipped:
		return repairResult{}, context.Cause(ctx)
	}
	return repairResult{string(changes.Committed), o.Reason, o.Journal, o.Commitment.Plan}, unrecordedError(o.Commitment, d.w)
}

func failedRepair(err error) (repairResult, error) {
	r := repairResult{status: impossible, reason: err.Error()}
	switch status := changes.StatusOf(err); {
	case status == changes.Conflict:
		r.status = string(status)
	case status != changes.Refused && !errors.Is(err, accesspatterns.ErrParam): // an invalid key concerns one item
		return repairResult{reason: r.reason}, err
	}
	return r, nil
}

func defectText(d change.Defect) string {
	switch {
	case d.Stored != "" && d.Expected != "":
		return fmt.Sprintf("%s, expected %s", d.Stored, d.Expected)
	case d.Stored != "":
		return fmt.Sprintf("%s: %s", d.Stored, d.Text)
	case d.Expected != "":
		return fmt.Sprintf("%s (expected %s)", d.Text, d.Expected)
	}
	return d.Text
}

// kindNouns names the kinds of defects in a count.
var kindNouns = map[change.DefectKind]string{
	change.Unknown: "unknown item", change.Ghost: "incomplete item", change.StaleKey: "stale key",
	change.StaleTTL: "wrong time", change.WrongValue: "wrong value",
}

func (d *driftSearch) summaryText(sum drift.Summary, whole bool) string {
	parts := []string{english.Plural(sum.Scanned, "item", "") + " scanned"}
	if sum.Capacity > 0 && !d.Plain() {
		parts[0] += fmt.Sprintf(", %g RCU", reading.Round(sum.Capacity))
	}
	switch {
	case sum.Items == 0 && whole && d.CanAsk():
		return fmt.Sprintf("no drift: %s of %s matched the schema; %s", english.Plural(sum.Checked, "item", ""),
			models.Printable(cmp.Or(d.in.entity, d.in.schema)), parts[0])
	case !whole:
		parts[0] += ", incomplete"
	case sum.Items == 0:
		parts = append(parts, "no drift")
	}
	for _, k := range change.DefectKinds() {
		if n := sum.Kinds[k]; n > 0 {
			parts = append(parts, english.Plural(n, kindNouns[k], ""))
		}
	}
	for _, outcome := range []string{string(changes.Planned), string(changes.Committed), string(changes.Conflict), impossible} {
		if n := d.repairs[outcome]; n > 0 {
			parts = append(parts, english.Plural(n, "repair", "")+" "+outcome)
		}
	}
	return strings.TrimSuffix(parts[0]+": "+strings.Join(parts[1:], ", "), ": ")
}

// A missingAttribute is a required attribute that is missing in some items of an entity.
type missingAttribute struct {
	entity *models.Entity
	path   string
}

// A templateWriter collects missing attributes and writes actions that set them. A repair cannot set these attributes,
// because other attributes do not determine their values.
type templateWriter struct {
	gaps  []missingAttribute
	items map[missingAttribute]int // number of items with each gap
}

func (w *templateWriter) add(item drift.Result) {
	for _, path := range item.MissingAttributes() {
		g := missingAttribute{item.Entity, path}
		if w.items[g] == 0 {
			w.gaps = append(w.gaps, g)
		}
		w.items[g]++
	}
}

// lines returns the actions as part of a schema. They are disabled until someone reviews them.
func (w *templateWriter) lines() (lines []string) {
	if len(w.gaps) > 0 {
		lines = []string{"actions:"}
	}
	for _, g := range w.gaps {
		input := g.path[strings.LastIndex(g.path, ".")+1:]
		lines = append(lines,
			fmt.Sprintf("  # %s of %s without %s.", english.Plural(w.items[g], "item", ""), g.entity.Name, g.path),
			fmt.Sprintf("  set-%s-%s:", draft.Kebab(g.entity.Name), draft.Kebab(strings.ReplaceAll(g.path, ".", "-"))),
			fmt.Sprintf("    title: Set missing %s", g.path),
			"    entity: "+g.entity.Name,
			fmt.Sprintf("    inputs: {%s: {}}", input),
			fmt.Sprintf(`    set: {%s: "{%s}"}`, g.path, input),
			fmt.Sprintf("    require: [{attribute: %s, exists: false, because: %[1]s is set}]", g.path),
			"    reason: required",
			"    disabled: Review what the action sets, then remove this line.")
	}
	return lines
}
