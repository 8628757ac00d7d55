package cases

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Purpose contains the reason to save a case, and lists the undeclared attributes to keep.
type Purpose struct {
	Reason, Ticket string
	Keep           []string // attribute names, or Entity.attribute
}

func (o Purpose) recorded() (change.Reason, error) {
	return session.ReasonFor(nil, o.Ticket+" "+o.Reason)
}

// Check returns an error if the user cannot save a case for the purpose: production requires a reason, and a case file
// names its schema, which a table without a schema does not have.
func (c *Collector) Check(o Purpose) error {
	if c.s.Profile().File == "" {
		return &session.Refusal{
			Reason: "a case file requires a schema, and the table has none",
			Advice: "draft one with ddbdesk schema init TABLE --out FILE, then name it instead of the table",
		}
	}
	if c.s.Production() && strings.TrimSpace(o.Reason) == "" {
		return &session.Refusal{Reason: "production requires a reason to save a case", Advice: "add --reason TEXT"}
	}
	_, err := o.recorded()
	return err
}

// Collect reads the items of a tree again, with strong consistency, and returns them with pseudonyms for personal data.
// It first records the collection in the journal. A value has the same pseudonym everywhere in a case, but a different
// one in the next case: otherwise, a user could put guessed values into a private database and compare their
// pseudonyms. The report counts items that were deleted since Explore, or that match no entity; the case omits them.
func (c *Collector) Collect(ctx context.Context, tree *Tree, o Purpose) (*Case, *Report, error) {
	if err := c.Check(o); err != nil {
		return nil, nil, err
	}
	reason, err := o.recorded()
	if err != nil {
		return nil, nil, err
	}
	r := c.replacer(o.Keep)
	list := tree.Items()
	detail := journal.Detail{
		Reason: reason, Items: strconv.Itoa(len(list)),
		Entities: journal.Counts(Entities(list)), Format: Extension[1:], Shown: "masked",
	}
	var name string
	if tree.Start.Pattern != nil {
		name = tree.Start.Pattern.FullID()
	} else {
		name = tree.Start.Entity.Name
	}
	if err := c.s.Record(ctx, journal.Export, "case save "+name, detail); err != nil {
		return nil, nil, fmt.Errorf("record the case in the journal: %w", err)
	}
	out := &Case{Header: c.header(tree, o, r)}
	stored, err := storedItems(ctx, c.s.Store(), list) // A case must not mix states from a long search.
	if err != nil {
		return nil, nil, err
	}
	saved := map[string]bool{}
	for _, f := range list {
		original, ok := stored[f.id()]
		if !ok {
			r.report.Deleted++
			continue
		}
		known, ok := c.s.Recognize(f.Table, original)
		if !ok {
			r.report.Unrecognized++
			continue
		}
		it, err := r.item(known.Entity, original)
		if err != nil {
			return nil, nil, fmt.Errorf("save an item of %s: %w", known.Entity.Name, err)
		}
		record := &Record{f.Table, known.Entity, it}
		if saved[record.id()] {
			return nil, nil, fmt.Errorf("save an item of %s: two items would have the same key", known.Entity.Name)
		}
		saved[record.id()] = true
		out.Records = append(out.Records, record)
	}
	r.report.Unmatched = slices.DeleteFunc(slices.Clone(o.Keep), func(name string) bool { return r.named[name] })
	return out, &r.report, nil
}

func (c *Collector) replacer(keep []string) *replacer {
	var prefixes []string
	for _, e := range c.s.Profile().Entities {
		for _, a := range e.Attributes {
			prefixes = append(prefixes, a.Prefix)
		}
	}
	return &replacer{s: c.s, m: c.pseudonyms(prefixes), keep: keep, named: map[string]bool{}}
}

func (c *Collector) header(tree *Tree, o Purpose, r *replacer) Header {
	p, source := c.s.Profile(), c.s.Target().Place()
	if c.s.Target().Embedded {
		source = c.s.Target().String() // without a folder name of this machine
	}
	h := Header{
		Version: Version, Schema: p.Name, Profile: p.Digest(), Variables: map[string]string{}, Source: source,
		Production: c.s.Production(), Taken: c.s.Now().UTC(), Reason: strings.TrimSpace(o.Reason), Ticket: strings.TrimSpace(o.Ticket),
	}
	if !strings.HasPrefix(p.File, "builtin:") {
		h.Schema = filepath.Base(p.File)
	}
	for _, v := range p.Variables {
		h.Variables[v.Name] = v.Value
	}
	if q := tree.Start.Pattern; q != nil {
		h.Start = Origin{Pattern: q.ID, Parameters: map[string]string{}}
		for name, v := range tree.Start.Args {
			h.Start.Parameters[name] = r.parameter(q.Param(name), v)
		}
		return h
	}
	h.Start.Entity = tree.Start.Entity.Name
	return h
}

// storedItems reads with strong consistency. It treats a table that does not exist as empty.
func storedItems(ctx context.Context, r store.Reader, list []*Record) (map[string]models.Item, error) {
	keys := map[*models.Table][]models.Item{}
	var tables []*models.Table
	for _, rec := range list {
		key, _ := rec.Table.PrimaryKey(rec.Item)
		if keys[rec.Table] == nil {
			tables = append(tables, rec.Table)
		}
		keys[rec.Table] = append(keys[rec.Table], key)
	}
	stored := map[string]models.Item{}
	for _, t := range tables {
		page, err := r.Fetch(ctx, accesspatterns.BatchLeg(t, keys[t]), nil, 0)
		if err != nil && store.ClassOf(err) != store.TableMissing {
			return nil, err
		}
		for _, it := range page.Items {
			stored[(&Record{Table: t, Item: it}).id()] = it
		}
	}
	return stored, nil
}

// A Report counts the replaced, omitted and kept attributes of a case, without their values. With an error,
// Collect returns a nil Report.
type Report struct {
	Replaced     map[string]int // values with a pseudonym, by Entity.attribute
	Dropped      map[string]int // omitted attributes
	Kept         map[string]int // undeclared attributes that the user named
	Unmatched    []string       // names in Purpose.Keep that are not an undeclared attribute of any item
	Unnamed      int            // omitted attributes with names that may be data themselves
	Unrecognized int            // omitted items that match no entity
	Deleted      int            // items deleted after Explore found them
}

func count(to *map[string]int, name string) {
	if *to == nil {
		*to = map[string]int{}
	}
	(*to)[name]++
}

// Total returns the sum of the counts.
func Total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// Names returns the counted attributes in byte order.
func Names(counts map[string]int) []string { return slices.Sorted(maps.Keys(counts)) }

// Lines returns the report for people.
func (r *Report) Lines() []string {
	var lines []string
	add := func(subject string, counts map[string]int) {
		for _, name := range Names(counts) {
			lines = append(lines, fmt.Sprintf("%-9s %s × %s", subject, name, humanize.Comma(int64(counts[name]))))
		}
	}
	add("replaced", r.Replaced)
	add("dropped", r.Dropped)
	add("kept", r.Kept)
	addDropped := func(n int, subject string) {
		if n > 0 {
			lines = append(lines, "dropped   "+english.Plural(n, subject, ""))
		}
	}
	addDropped(r.Unnamed, "attribute whose name is not a plain identifier")
	addDropped(r.Unrecognized, "item that matches no entity")
	if r.Deleted > 0 {
		lines = append(lines, fmt.Sprintf("missing   %s deleted since the search", english.Plural(r.Deleted, "item", "")))
	}
	return lines
}
