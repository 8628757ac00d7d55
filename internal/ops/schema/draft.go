package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// maxSample is the maximum number of items to read per table.
const maxSample = 20_000

type initInput struct {
	tables    []string
	name      string
	sample    int
	allowScan bool
	examples  bool
	open      []string
	to        draftFile
}

var initSchema = op.New(op.Op{
	Path: "schema init", Title: "Draft a schema from live tables and a sample of their items",
	Help: "Drafts a schema from live tables: describes them, reads a sample of their items, and infers entities, key\n" +
		"templates, attributes, formats and patterns. Inferred parts have documented: false, with the evidence in a\n" +
		"comment; lines marked CHECK need your confirmation.\n\n" +
		"ddbdesk does not store the sample, and writes no item values to the schema, except literals in keys and words\n" +
		"that repeat, such as states. Without TABLE, it lists the tables that no schema covers.",
	Needs: op.Reads,
}, func(in *initInput) []*op.Param {
	in.sample = DefaultSample
	tables := op.Arg(&in.tables, "table", "names of tables").Optional()
	tables.Complete = op.CompleteTables
	return append(in.to.params(), tables,
		op.Flag(&in.name, "name", "name the schema `NAME` (default: the name of the first table)"),
		op.Flag(&in.sample, "sample", "read about `N` items of each table; 0 reads none").Within(0, maxSample),
		op.Flag(&in.allowScan, "allow-scan", "allow reading the sample from a database that is not on this machine"),
		op.Flag(&in.open, "open", "draft a lifecycle and a queue from the open states of an attribute, as "+
			"`ATTRIBUTE=STATES`, such as Order.status=paid,packed"),
		op.Flag(&in.examples, "examples", "also write example values of attributes that are not sensitive"))
}, func(ctx context.Context, c *op.Call, in *initInput) (op.Result, error) {
	if err := in.to.Ready(); err != nil {
		return nil, err
	}
	conn, access, err := c.Database(ctx, nil)
	if err != nil {
		return nil, err
	}
	if len(in.tables) == 0 {
		return uncoveredTables(ctx, c, conn.Reader())
	}
	if err := rejectCoveredTables(c, access.Role, in); err != nil {
		return nil, err
	}
	if in.sample > 0 && !in.allowScan && !access.Target.IsLocal() {
		return nil, &session.Refusal{
			Reason: fmt.Sprintf("reading a sample of %s items from each table in %s costs RCU",
				humanize.Comma(int64(in.sample)), access.Target),
			Advice: "to accept the cost, run " + access.Again("--allow-scan", "") + "; to read no items, add --sample 0",
		}
	}
	// The tables may be production, so journal the read unless they are local.
	access.Profile = &profiles.Profile{Name: in.tables[0]}
	ctx, end := session.NewViewer(access).BeginLookup(ctx, &session.Lookup{
		Subject: "schema init " + strings.Join(in.tables, " "), Always: !access.Target.IsLocal(),
	})
	d, err := FromTables(ctx, store.NewPacer(conn.Reader(), access.Budget), in.tables,
		DraftOptions{Name: in.name, Sample: in.sample, Examples: in.examples, Note: c.Notef})
	if err = end(err); err != nil {
		return nil, err
	}
	if err := promptStates(ctx, c, d.Profile, in.open); err != nil {
		return nil, err
	}
	return in.to.finish(c, d.Profile, d.Items)
})

// rejectCoveredTables rejects a draft from items that a schema masks for the role, because a draft shows some values.
func rejectCoveredTables(c *op.Call, role session.Role, in *initInput) error {
	if role != session.Support || in.sample == 0 {
		return nil
	}
	known, _ := c.Profiles()
	for _, p := range known {
		for _, t := range p.Tables {
			if slices.ContainsFunc(in.tables, func(name string) bool { return p.MayName(t, name) }) {
				return &session.Refusal{
					Reason: fmt.Sprintf("schema %s masks values of table %s for support, and a draft from its items would show some", p.Name, t.Name),
					Advice: "use --role developer, or --sample 0, which reads no items",
				}
			}
		}
	}
	return nil
}

// An uncoveredTable is a table that no schema describes.
type uncoveredTable struct {
	Table string `json:"table" col:"TABLE,key"`
	Items string `json:"items" col:"ITEMS"` // DynamoDB's item count, "" if the role may not read it
}

func uncoveredTables(ctx context.Context, c *op.Call, r store.Reader) (op.Result, error) {
	known, _ := c.Profiles() // An unreadable schema does not cover any table.
	list, err := tables.List(ctx, r, known)
	if err != nil {
		return nil, err
	}
	rows := op.Rows{Empty: "every table of the connection has a schema"}
	if len(list) == 0 {
		rows.Empty = "the connection has no tables"
	}
	list = slices.DeleteFunc(list, func(t tables.ListedTable) bool { return len(t.Schemas) > 0 })
	tables.Describe(ctx, r, list)
	var found []uncoveredTable
	for _, t := range list {
		row := uncoveredTable{Table: t.Name}
		if t.Info != nil {
			row.Items = humanize.Comma(t.Info.ApproximateItems)
		}
		found = append(found, row)
	}
	if rows.List = found; len(found) > 0 {
		rows.Note = "no schema covers these tables; draft one with ddbdesk schema init " + found[0].Table
	}
	return rows, nil
}

// promptStates turns state attributes into lifecycles: those in open, or else those that the user names.
func promptStates(ctx context.Context, c *op.Call, p *draft.Profile, open []string) error {
	values := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	}
	for _, text := range open {
		place, states, _ := strings.Cut(text, "=")
		entity, attribute, _ := strings.Cut(place, ".")
		if err := p.SetOpen(entity, attribute, values(states)); err != nil {
			return session.InputErrorf("--open: %v", err)
		}
	}
	for _, l := range p.Lifecycles() {
		name := l.Entity + "." + l.Attribute
		if !c.CanAsk() || len(open) > 0 {
			c.Notef("%s may be a lifecycle (%s); to draft one with a queue, add --open %s=STATE,...", name,
				strings.Join(l.States, ", "), name)
			continue
		}
		var openErr error
		_, err := c.Ask(ctx, op.Question{
			Text: fmt.Sprintf("%s is %s. In which states does work remain? (separated by commas; press enter for no lifecycle) ", name,
				english.OxfordWordSeries(l.States, "or")),
			Accepts: func(answer string) bool {
				if list := values(answer); len(list) > 0 {
					openErr = p.SetOpen(l.Entity, l.Attribute, list)
				}
				return true
			},
		})
		if err = errors.Join(err, openErr); err != nil {
			return err
		}
	}
	return nil
}

type importInput struct {
	interchange.Options

	format string
	paths  []string
	items  string
	to     draftFile
}

var importSchema = op.New(op.Op{
	Path: "schema import", Title: "Draft a schema from the file of another tool",
	Help: "Drafts a schema from the file of another tool. Parts that ddbdesk infers from sample items in the file\n" +
		"have documented: false; lines marked CHECK need your confirmation. A report goes to stderr.\n\nFormats:\n" + importFormats(),
	Needs: op.Offline,
}, func(in *importInput) []*op.Param {
	format := op.Arg(&in.format, "format", "format of the files (default: detected)").Optional()
	format.Files = true
	format.Complete = func(op.Host, string) []string {
		return models.MapSlice(interchange.Formats(), func(f *interchange.Format) string { return f.Name + "\t" + f.Title })
	}
	return append(in.to.params(), format, op.Arg(&in.paths, "file", "files and folders to import"),
		op.Flag(&in.Name, "name", "name the schema `NAME` (default: the name in the file)"),
		op.Flag(&in.Table, "table", "use `NAME` as the table name if the file has none"),
		op.Flag(&in.items, "items", "also write the sample items of the files to a new `FILE`, for ddbdesk load").
			WithCheck(func() error { return items.CheckPath(in.items) }))
}, func(_ context.Context, c *op.Call, in *importInput) (op.Result, error) {
	if err := in.to.Ready(); err != nil {
		return nil, err
	}
	format, files, err := in.read()
	if err != nil {
		return nil, err
	}
	found, err := format.Read(files, in.Options)
	if err != nil {
		return nil, session.InputErrorf("%v", err)
	}
	c.Warn(found.Warnings)
	r, err := in.to.finish(c, found.Profile, found.Items)
	switch n := found.ItemCount(); {
	case err != nil:
	case in.items == "" && n > 0:
		c.Notef("the files contain %d sample items; to save them, add --items FILE", n)
	case in.items == "":
	case n == 0:
		c.Notef("the files contain no sample items, so %s was not written", models.Printable(in.items))
	default:
		err = appdir.Create(in.items, batchJSON(found))
	}
	return r, err
})

// read opens the files, including those in folders. An argument that is a file instead of a format is the first file.
func (in *importInput) read() (format *interchange.Format, files []interchange.File, err error) {
	paths, anyFormat := in.paths, in.format == "" || in.format == "cdk"
	if format = interchange.Find(in.format); format == nil && !anyFormat {
		if _, err := os.Stat(in.format); err != nil {
			names := models.MapSlice(interchange.Formats(), func(f *interchange.Format) string { return f.Name })
			return nil, nil, session.InputErrorf("FORMAT: %s", op.InvalidChoice("format", in.format, names))
		}
		paths = append([]string{in.format}, paths...)
	}
	if _, err := os.Stat(paths[0]); err != nil && len(paths) == 1 && interchange.Find(paths[0]) != nil {
		return nil, nil, session.InputErrorf("missing FILE for format %s; %s", paths[0], interchange.Find(paths[0]).Obtain)
	}
	in.Items = map[string][]models.Item{}
	in.OpenReferenced = func(file, name string) ([]byte, error) {
		root, err := os.OpenRoot(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		defer root.Close() //nolint:errcheck // It was only read.
		return root.ReadFile(name)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			list, err := in.folder(path)
			if err != nil {
				return nil, nil, session.InputErrorf("FILE: %v", op.FileError(err))
			}
			files = append(files, list...)
			continue
		}
		text, err := appdir.ReadFile(path)
		if err != nil {
			return nil, nil, op.FileError(err)
		}
		files = append(files, interchange.File{Name: path, Text: text})
	}
	if len(files) == 0 {
		obtain := interchange.Find("aws-table").Obtain
		return nil, nil, session.InputErrorf("the folder contains an export without the description of its table; %s", obtain)
	}
	return format, files, nil
}

// folder returns the schema files of a folder. A folder with S3 exports contains items instead.
func (in *importInput) folder(path string) ([]interchange.File, error) {
	tables, err := items.SampleExports(path, maxSample)
	if err != nil {
		return nil, err
	}
	for name, list := range tables {
		in.Items[name] = append(in.Items[name], list...)
	}
	if len(tables) > 0 {
		return nil, nil
	}
	return interchange.Folder(os.DirFS(path), path)
}

func importFormats() string {
	var list strings.Builder
	for _, f := range interchange.Formats() {
		fmt.Fprintf(&list, "  %-15s %s: %s\n", f.Name, f.Title, f.Obtain)
	}
	return list.String()
}

func batchJSON(in *interchange.Import) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	var variables []string
	for _, v := range in.Profile.Variables {
		variables = append(variables, "{"+v.Name+"}", v.Default)
	}
	expanded := strings.NewReplacer(variables...)
	for i, t := range in.Profile.Tables {
		name, _ := json.Marshal(expanded.Replace(t.Name))
		fmt.Fprintf(&b, "%s\n  %s: [", strings.Repeat(",", min(i, 1)), name)
		for j, it := range in.Items[t.ID] {
			fmt.Fprintf(&b, "%s\n    {\"PutRequest\": {\"Item\": %s}}", strings.Repeat(",", min(j, 1)), it.AppendDynamoDBJSON(nil))
		}
		b.WriteString("]")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// A draftFile determines where to write a drafted schema.
type draftFile struct {
	File

	merge string // existing schema to extend, or ""
}

func (f *draftFile) params() []*op.Param {
	merge := op.Flag(&f.merge, "merge", "add the missing parts to the schema in `FILE`, and keep its lines and comments")
	return append(f.Params("the schema"), merge.WithCheck(func() error {
		if f.Out != "" {
			return errors.New("cannot be used with --out")
		}
		_, err := os.Stat(f.merge)
		return op.FileError(err) // before reading any table
	}))
}

func (f *draftFile) finish(c *op.Call, d *draft.Profile, items map[string][]models.Item) (op.Result, error) {
	text, unmerged, name := d.Text(), []string(nil), d.Name+".yaml"
	var before []byte
	if f.merge != "" {
		var err error
		if before, err = appdir.ReadFile(f.merge); err != nil {
			return nil, fmt.Errorf("--merge: %w", op.FileError(err))
		}
		fitSchema(c, d, f.merge, before, items)
		if text, unmerged, err = draft.Merge(before, d); err != nil {
			return nil, session.InputErrorf("--merge: %s: %v", op.Short(f.merge), err)
		}
		name = f.merge
	}
	p, err := profiles.LoadFile(name, text)
	if err != nil {
		return nil, fmt.Errorf("the schema was not written, because it has errors: %w", err)
	}
	for _, line := range unmerged {
		c.Note(line)
	}
	r, err := f.write(text)
	if err == nil {
		noteDraft(c, p, draft.CountChecks(text)-draft.CountChecks(before), items)
	}
	return r, err
}

// fitSchema gives tables the IDs that the schema has for tables of the same name, because each source makes its own. It
// removes drafted entities without keys from tables with entities, because they match every item.
func fitSchema(c *op.Call, d *draft.Profile, name string, before []byte, items map[string][]models.Item) {
	schema, err := profiles.LoadFile(name, before)
	drafted, draftErr := profiles.LoadFile(name, d.Text())
	if err != nil || draftErr != nil {
		return // Merge or the load of its result reports the error.
	}
	for _, t := range d.Tables {
		same := func(have *models.Table) bool { return have.Name == drafted.Table(t.ID).Name }
		have := models.First(schema.Tables, same)
		if have == nil {
			continue
		}
		if have.ID != t.ID {
			list := items[t.ID]
			delete(items, t.ID)
			if d.SetTableID(t, have.ID); len(list) > 0 {
				items[t.ID] = list
			}
		}
		existing := schema.EntitiesOf(have)
		if len(existing) > 0 && !d.RemoveUndocumented(t) {
			continue
		}
		for _, e := range existing {
			if e.Undocumented && len(e.Keys) == 0 {
				c.Notef("entity %s has no keys, so it matches every item of table %s; remove it and its patterns from %s", e.Name, have.ID,
					op.Short(name))
			}
		}
	}
}

func (f *draftFile) write(text []byte) (op.Result, error) {
	if f.merge == "" {
		return f.Save(text)
	}
	info, err := os.Stat(f.merge)
	if err != nil {
		return nil, err
	}
	return nil, appdir.Replace(f.merge, text, info.Mode().Perm())
}

func noteDraft(c *op.Call, p *profiles.Profile, checks int, items map[string][]models.Item) {
	total, known, problems := 0, 0, []string{}
	for _, id := range slices.Sorted(maps.Keys(items)) {
		n, several := draft.CountMatches(p.Entities, p.Table(id), items[id])
		unmatched := len(items[id]) - n - several
		total, known = total+len(items[id]), known+n
		if unmatched > 0 {
			problems = append(problems, fmt.Sprintf("table %s: %s no entity; see their keys with ddbdesk run", id, matchingText(unmatched)))
		}
		if several > 0 {
			problems = append(problems, fmt.Sprintf("table %s: %s several entities; distinguish the entities with when:, or join them",
				id, matchingText(several)))
		}
	}
	text := english.OxfordWordSeries([]string{
		english.Plural(len(p.Tables), "table", ""), english.Plural(len(p.Entities), "entity", "entities"),
		english.Plural(len(p.Patterns), "pattern", ""),
	}, "and")
	if total > 0 {
		text += fmt.Sprintf("; the draft recognizes %d of %d sample items", known, total)
	}
	if checks > 0 {
		text += "; " + english.Plural(checks, "place", "") + " to confirm, marked CHECK"
	}
	c.Note(text)
	for _, line := range problems {
		c.Note(line)
	}
}

func matchingText(n int) string {
	return english.Plural(n, "item", "") + " " + english.PluralWord(n, "matches", "match")
}
