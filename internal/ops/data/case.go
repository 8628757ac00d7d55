package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cases"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/explore"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type saveInput struct {
	schema, from string
	args         map[string]string
	out          string
	limits       cases.Limits
	purpose      cases.Purpose
}

var saveCase = op.New(op.Op{
	Path: "case save", Title: "Save a case file, with pseudonyms for personal data",
	Help: "Reads an item by its key, or the items of a pattern, follows their relations and prints the tree. With --out, it\n" +
		"rereads the items with strong consistency and saves them in a case file for ddbdesk open and case load.\n\n" +
		"Pseudonyms of the same type and format replace personal data, even in keys. Equal values get equal pseudonyms\n" +
		"within a file; another file uses different ones. The file omits secrets, and attributes that the schema does\n" +
		"not declare, unless --keep names them.",
	Needs: op.Reads, Formats: op.TextJSON,
}, func(in *saveInput) []*op.Param {
	in.limits = cases.DefaultLimits()
	l := &in.limits
	from := op.Arg(&in.from, "from", "`ENTITY|PATTERN` of the first items of the case")
	from.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, _ string) []string {
		return append(explore.CompleteEntities(p), explore.CompletePattern(p, nil, "")...)
	})
	given := op.Arg(&in.args, "values", "parts of the key, or parameters of the pattern, as `name=value`").Optional()
	given.Complete = explore.InSchema(&in.schema, func(p *profiles.Profile, word string) []string {
		if e := p.Entity(in.from); e != nil {
			return models.MapSlice(e.KeyPlaceholders(), func(name string) string { return name + "=" })
		}
		return explore.CompletePattern(p, []string{in.from}, word)
	})
	return []*op.Param{
		op.SchemaArg(&in.schema), from, given,
		op.Flag(&in.out, "out", "save the case in `FILE`, which must not exist").WithCheck(func() error { return items.CheckNewFile(in.out) }),
		op.Flag(&l.Depth, "depth", "follow relations for `N` steps").Within(0, -1),
		op.Flag(&l.Rows, "rows", "save at most `N` items of each read").WithCheck(func() error { return checkPositive(l.Rows) }),
		op.Flag(&l.Items, "items", "save at most `N` items").WithCheck(func() error { return checkPositive(l.Items) }),
		op.Flag(&l.Bytes, "bytes", "save at most `N` bytes of items").WithCheck(func() error { return checkPositive(l.Bytes) }),
		op.Flag(&l.Units, "rcu", "stop following relations after `N` RCU").WithCheck(func() error { return checkPositive(l.Units) }),
		op.Flag(&l.Without, "without", "do not follow `PATTERN`; repeatable"),
		op.Flag(&in.purpose.Keep, "keep", "keep `ATTRIBUTE`, which the schema does not declare; repeatable"),
		op.Reason(&in.purpose.Reason, "store the reason `TEXT` and the --ticket in the file and in the journal; required on production"),
	}
}, func(ctx context.Context, c *op.Call, in *saveInput) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	start, err := in.start(p)
	if err != nil {
		return nil, err
	}
	w, err := c.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	in.purpose.Ticket = c.Access(p).Purpose.Ticket
	if in.out != "" {
		if err := w.Cases.Check(in.purpose); err != nil {
			return nil, err
		}
	}
	tree, err := w.Cases.Explore(ctx, start, in.limits)
	if err != nil {
		return nil, err
	}
	list := tree.Items()
	if len(list) == 0 {
		c.Note("no results")
		return nil, op.NotFound
	}
	doc := savedCase{Items: len(list), Entities: cases.Entities(list), Dropped: []string{}, Kept: []string{}}
	for _, r := range tree.Rows() {
		doc.Branches = append(doc.Branches, caseBranch{r.Name, r.Depth, r.Entities(), r.New(), r.More})
	}
	if in.out == "" {
		c.Note("nothing was saved; to save the case, add --out FILE" + cases.Extension)
		return op.Doc{Document: doc, Lines: treeLines(tree, w)}, nil
	}
	saved, report, err := w.Cases.Collect(ctx, tree, in.purpose)
	if err != nil {
		return nil, err
	}
	if err := saved.Save(in.out); err != nil {
		return nil, err
	}
	for _, name := range report.Unmatched {
		c.Notef("--keep %s: no saved item has an undeclared attribute with this name", op.Short(name))
	}
	doc.File, doc.Items, doc.Entities = &in.out, len(saved.Records), cases.Entities(saved.Records)
	doc.Replaced = cases.Total(report.Replaced)
	doc.Dropped = append(doc.Dropped, cases.Names(report.Dropped)...)
	doc.Kept = append(doc.Kept, cases.Names(report.Kept)...)
	return op.Doc{Document: doc, Lines: slices.Concat(treeLines(tree, w), []string{""}, report.Lines(),
		[]string{"saved     " + in.out})}, nil
})

func checkPositive[N int | float64](n N) error {
	if n > 0 {
		return nil
	}
	return fmt.Errorf("%v is out of range; use a number above 0", n)
}

// A savedCase is the JSON output of case save. Without a file, ddbdesk saved nothing, and Replaced, Dropped and Kept
// are empty. Dropped and Kept contain attribute names of the form Entity.attribute.
type savedCase struct {
	File     *string        `json:"file"`
	Items    int            `json:"items"`
	Entities map[string]int `json:"entities"`
	Replaced int            `json:"replaced"` // number of values replaced by pseudonyms
	Dropped  []string       `json:"dropped"`
	Kept     []string       `json:"kept"`
	Branches []caseBranch   `json:"branches"`
}

// A caseBranch contains the items that one pattern found, starting from the items of the parent branch.
type caseBranch struct {
	Pattern  string         `json:"pattern"`
	Depth    int            `json:"depth"` // 0 for the root
	Entities map[string]int `json:"entities"`
	New      int            `json:"new"`
	More     bool           `json:"more"` // a limit excluded further items
}

func (in *saveInput) start(p *profiles.Profile) (link.Place, error) {
	for _, id := range in.limits.Without {
		if p.Pattern(id) == nil {
			hint := models.DidYouMean(id, p.PatternIDs())
			return link.Place{}, session.InputErrorf("--without: %s has no pattern %q%s", p.Name, op.Short(id), hint)
		}
	}
	start, err := link.Find(p, in.from, in.args)
	if err != nil || start.Pattern == nil {
		return start, err
	}
	offline := workspace.New(session.Options{Profile: p})
	q, err := explore.ReadPattern(offline, p, in.from)
	if err != nil {
		return start, err
	}
	request, err := offline.Reading.Bind(q, in.args)
	if err == nil && (request.IsScan() || request.IsCount()) {
		err = session.InputErrorf("a case cannot start with %s, which is a scan or a count; use an entity, or a GetItem or Query pattern",
			q.Term())
	}
	return start, err
}

func treeLines(t *cases.Tree, w *workspace.Workspace) (lines []string) {
	rows := t.Rows()
	for i, r := range rows {
		if q := w.Session.Profile().Pattern(r.Name); q != nil && w.Session.Plain() {
			branch := *r.Branch
			branch.Name = q.Title
			rows[i].Branch = &branch
		}
	}
	names, counts := 0, 0
	for _, r := range rows {
		names, counts = max(names, ansi.StringWidth(r.Indent+r.Name)), max(counts, ansi.StringWidth(r.Counts()))
	}
	for _, r := range rows {
		name := r.Indent + r.Name + strings.Repeat(" ", names-ansi.StringWidth(r.Indent+r.Name))
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s  %-*s  %s", name, counts, r.Counts(), models.Printable(r.Note())), " "))
	}
	return append(lines, t.Summary())
}

type loadCaseInput struct {
	path              string
	dry, yes, replace bool
}

var loadCase = op.New(op.Op{
	Path: "case load", Title: "Write the missing items of a case file, except to production",
	Help: "Writes the items of a case file that do not exist yet. If an item exists with other values, ddbdesk writes\n" +
		"nothing and exits with 10. With --replace, ddbdesk updates such items to the values of the case file if they have\n" +
		"not changed since it showed the plan. It keeps secrets, and attributes that the schema does not declare.\n\n" +
		"On the embedded database and on local servers, ddbdesk creates missing tables. case load needs --role admin, except on\n" +
		"the embedded database, and refuses production. On a terminal, ddbdesk shows the plan and asks first.",
	Needs: op.Writes, Formats: op.TextJSON,
}, func(in *loadCaseInput) []*op.Param {
	return []*op.Param{
		op.Arg(&in.path, "file", "a file that case save wrote"), op.Flag(&in.dry, "dry-run", "show the plan; write nothing"),
		op.Flag(&in.yes, "yes", "write without asking"), op.Flag(&in.replace, "replace", "also update items that exist with other values"),
	}
}, func(ctx context.Context, c *op.Call, in *loadCaseInput) (op.Result, error) {
	if in.dry && in.yes {
		return nil, session.InputErrorf("--dry-run and --yes cannot be used together")
	}
	saved, p, err := OpenCase(c, in.path)
	if err != nil {
		return nil, err
	}
	t, err := prepare(ctx, c, p)
	if err != nil {
		return nil, err
	}
	viewer := session.NewViewer(t.access)
	l := caseLoad{Call: c, target: t, masker: viewer.Masker(), place: t.conn.Describe().Place()}
	if l.Plan, err = cases.PlanLoad(ctx, t.conn.Reader(), saved, time.Now()); err != nil {
		return nil, err
	}
	if in.replace {
		l.replaced, err = l.Replacements(viewer)
	} else {
		err = l.Conflict()
	}
	if err != nil {
		return nil, err
	}
	if l.Expired > 0 {
		c.Notef("%s expired; the database may delete expired items soon", english.Plural(l.Expired, "item", ""))
	}
	if in.dry {
		return l.result(tables.SeedResult{Written: len(l.New), Replaced: len(l.replaced)}, true), nil
	}
	if !in.yes && l.total() > 0 && c.CanAsk() {
		if err := l.confirm(ctx); err != nil {
			return nil, err
		}
	}
	c.Notef("writing %s to %s", english.Plural(l.total(), "item", ""), l.place)
	done, err := t.writeJournaled(ctx, func() (tables.SeedResult, error) { return l.apply(ctx) })
	if err != nil {
		return nil, err
	}
	return l.result(done, false), nil
})

// A caseLoad is a case that is being written to a database.
type caseLoad struct {
	*op.Call
	*cases.Plan
	*target

	replaced []*change.Plan
	masker   *models.Masker
	place    string
}

func (l *caseLoad) total() int { return len(l.New) + len(l.replaced) }

func (l *caseLoad) result(done tables.SeedResult, dry bool) op.Result {
	skipped := l.Present + done.Skipped
	doc := op.Doc{Document: map[string]any{
		"items": done.Written, "skipped": skipped, "replaced": done.Replaced, "target": l.place, "written": !dry,
		"entities": cases.Entities(l.New),
	}}
	if skipped > 0 {
		doc.Notes = append(doc.Notes, english.Plural(skipped, "item already exists", "items already exist"))
	}
	if dry {
		doc.Lines, doc.Notes = l.describe(), append(doc.Notes, "nothing was written to "+l.place)
	}
	line := english.Plural(done.Written, "item", "")
	if done.Replaced > 0 {
		line += fmt.Sprintf(", %d replaced", done.Replaced)
	}
	doc.Lines = append(doc.Lines, line)
	return doc
}

func (l *caseLoad) describe() (lines []string) {
	entities := cases.Entities(l.New)
	for _, name := range slices.Sorted(maps.Keys(entities)) {
		lines = append(lines, fmt.Sprintf("%d %s", entities[name], cmp.Or(name, "without an entity")))
	}
	for _, plan := range l.replaced {
		lines = append(lines, plan.Shown(l.masker).Text(l.Plain()))
	}
	return lines
}

func (l *caseLoad) confirm(ctx context.Context) error {
	q := op.Question{
		Preview: l.describe(), Text: fmt.Sprintf("Write %s to %s? (y/N) ", english.Plural(l.total(), "item", ""),
			models.Printable(l.place)),
		Declined: "nothing was written",
	}
	if l.Present > 0 {
		q.Preview = append(q.Preview, fmt.Sprintf("existing items left unchanged: %d", l.Present))
	}
	_, err := l.Ask(ctx, q)
	return err
}

// apply first writes items that do not exist yet, then the others if they still match the plan.
func (l *caseLoad) apply(ctx context.Context) (tables.SeedResult, error) {
	done, err := Write(ctx, l.profile, l.conn, AddRecords(l.New))
	if err != nil {
		return done, err
	}
	sweep := ""
	done.Replaced, sweep, err = workspace.New(l.access).Committer.Replace(ctx, l.conn.Writer(), l.replaced)
	if done.Replaced > 0 {
		undo := l.access
		undo.Role = session.Admin // needed even on the embedded database, unlike for case load
		l.Notef("to undo, run %s --sweep %s", session.NewViewer(undo).SchemaCommand("undo"), journal.ShortID(sweep))
	}
	return done, err
}

// AddRecords returns a function that adds the items of a case.
func AddRecords(list []*cases.Record) func(add func(items.Record) error) error {
	return func(add func(items.Record) error) error {
		for _, r := range list {
			if err := add(items.Record{Table: r.Table, Item: r.Item}); err != nil {
				return err
			}
		}
		return nil
	}
}

// OpenCase reads a case file, and opens the schema that it was saved with, using the variables of this call.
func OpenCase(h op.Host, path string) (*cases.Case, *profiles.Profile, error) {
	text, err := appdir.ReadFile(path)
	if err != nil {
		return nil, nil, op.FileError(err)
	}
	f, err := cases.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", models.Printable(path), err)
	}
	saved, schema, err := h.Recorded("case file", f.Schema, f.Variables, path)
	if err == nil {
		err = f.Match(saved)
	} else if _, invalid := errors.AsType[profiles.Errors](err); invalid { // The schema may lack a variable of the header.
		err = &session.Refusal{Reason: "the case was saved with another version of schema " + op.Short(f.Schema), Advice: err.Error()}
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := h.Profile(schema)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Open(p)
	return c, p, err
}
