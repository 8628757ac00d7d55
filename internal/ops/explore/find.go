package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type findInput struct {
	schema, value string
	contexts      []string
	allowScan     bool
}

var findValue = op.New(op.Op{
	Path: "find", Title: "Find an ID, a key or another value in all schemas",
	Help: "Searches SCHEMA for VALUE, or all schemas if SCHEMA is omitted. VALUE is an ID, an email address, a domain, a\n" +
		"key, \"PK / SK\" or an item as JSON. It can also be text that contains one of these, such as a link, a log line, a\n" +
		"query result, an event, or a mail header such as Ana <ana@example.com>. The best match comes first.\n\n" +
		"It sends each GetItem and single-partition Query whose key it can build from VALUE, within a limit of requests\n" +
		"and time. If no read applies, it scans small tables, except on production. If VALUE is the start of an ID, an\n" +
		"unknown ID or a word, it prints the cost of a scan; --allow-scan runs the scan. If no schema contains VALUE, it\n" +
		"searches the keys of at most 10 tables without a schema, and prints the cost of their scans.\n\n" +
		"With --context, or with find: in the configuration, it searches several contexts at once, each with its own\n" +
		"role, masking and budget, and reports each context that it could not search.\n\n" +
		"The exit code is 1 if it searched every schema and found nothing. If a search fails, the exit code is that of\n" +
		"the error.",
	Needs: op.Reads, Formats: op.TextJSON,
}, func(in *findInput) []*op.Param {
	return []*op.Param{
		op.SchemaArg(&in.schema).Optional(), op.Arg(&in.value, "value", "an ID, a key, or another value of an item"),
		op.Flag(&in.contexts, "context", "search `CONTEXT`; repeatable (default: the contexts under find: in the configuration)"),
		op.Flag(&in.allowScan, "allow-scan", "run the searches that ddbdesk offers when it finds no item; they cost RCU"),
	}
}, func(ctx context.Context, c *op.Call, in *findInput) (op.Result, error) {
	f, err := newFinder(c, in.schema, in.contexts, in.allowScan || c.CanAsk())
	if err != nil {
		return nil, err
	}
	found, r, err := Search(ctx, f, "VALUE", in.value, in.allowScan)
	if err != nil && len(found.Failed) == 0 {
		return nil, err
	}
	for i, f := range found.Failed {
		found.Failed[i].Context = cmp.Or(f.Context, c.Access(nil).Context)
	}
	found.addNotes(c, in.value, r)
	if c.Output == items.JSON.Name {
		found.writeNotes(c.Note)
	}
	if err != nil {
		return found, err // The document lists the schemas that ddbdesk could not search.
	}
	if len(found.Hits) == 0 {
		return found, op.NotFound
	}
	return found, nil
})

// newFinder returns a finder, and notes invalid schemas. Without contexts, it uses those of the configuration. If similar
// is false, as for a script, the finder looks only for the given ID.
func newFinder(c *op.Call, schema string, contexts []string, similar bool) (*find.Finder, error) {
	if len(contexts) == 0 {
		var err error
		if contexts, err = c.FindIn(); err != nil {
			return nil, err
		}
	}
	options, err := c.FindOptions()
	if err != nil {
		return nil, err
	}
	var sources []find.Source
	if len(contexts) == 0 {
		if sources, err = sourcesOf(c, c.Host, schema, ""); err != nil {
			return nil, err
		}
	}
	for _, name := range contexts {
		h, err := c.In(name)
		if err != nil {
			return nil, err
		}
		list, err := sourcesOf(c, h, schema, name)
		if err != nil {
			return nil, fmt.Errorf("context %s: %w", op.Short(name), err)
		}
		sources = append(sources, list...)
	}
	options.Offers, options.Similar = true, similar
	if schema == "" {
		options.Schemaless = func(ctx context.Context) find.Schemaless { return schemalessTables(ctx, c, contexts) }
	}
	return find.New(sources, options), nil
}

// profilesOf returns the schema with a name, or all schemas for "". It warns about invalid schemas.
func profilesOf(c *op.Call, h op.Host, schema string) ([]*profiles.Profile, error) {
	if schema != "" {
		p, err := h.Profile(schema)
		if err != nil {
			return nil, err
		}
		return []*profiles.Profile{p}, nil
	}
	every, err := h.Profiles()
	if every == nil {
		return nil, err
	}
	if err != nil {
		c.Warn(strings.Split(err.Error(), "\n"))
	}
	return every, nil
}

func sourcesOf(c *op.Call, h op.Host, schema, name string) ([]find.Source, error) {
	list, err := profilesOf(c, h, schema)
	if err != nil {
		return nil, err
	}
	return models.MapSlice(list, func(p *profiles.Profile) find.Source { return newSource(h, p, name) }), nil
}

func newSource(h op.Host, p *profiles.Profile, name string) find.Source {
	return find.Source{
		Place: find.Place{Profile: p, Context: name},
		Open:  func(ctx context.Context) (*workspace.Workspace, error) { return h.Connect(ctx, p, op.Reads) },
	}
}

// schemalessTables omits databases whose tables cannot be listed: the search of their schemas reports the reason.
func schemalessTables(ctx context.Context, c *op.Call, contexts []string) (all find.Schemaless) {
	if len(contexts) == 0 {
		contexts = []string{""}
	}
	for _, name := range contexts {
		h := c.Host
		var err error
		if name != "" {
			if h, err = c.In(name); err != nil {
				continue
			}
		}
		known, _ := h.Profiles() // A schema that cannot be read covers nothing.
		conn, _, err := h.Database(ctx, nil)
		if err != nil {
			continue
		}
		list, _ := tables.List(ctx, conn.Reader(), known)
		for _, t := range list {
			if len(t.Schemas) > 0 {
				continue
			}
			var p *profiles.Profile
			if len(all.Sources) < find.MaxSchemaless {
				p, _, _ = h.Table("table:" + t.Name)
			}
			if p == nil {
				all.Others = append(all.Others, t.Name)
				continue
			}
			all.Sources = append(all.Sources, newSource(h, p, name))
		}
	}
	return all
}

// A Hit is an item that matches. Title and Key are masked. Patterns contains the IDs of the patterns that the item can
// fill. State is "" for an item without a lifecycle, and Entity is "" if no entity matches. Way is "read" if the value
// identified the item, "followed" if another hit led to it, and "scan" if a scan found it.
type Hit struct {
	Schema   string          `json:"schema"`
	Context  string          `json:"context"` // the connection's context, "" without one
	Entity   string          `json:"entity"`
	Table    string          `json:"table"`
	Key      json.RawMessage `json:"key"`
	Title    string          `json:"title"`
	State    string          `json:"state"`
	Patterns []string        `json:"patterns"`
	Way      string          `json:"way"`
	Expired  string          `json:"expired,omitempty"` // time of expiry; DynamoDB deletes the item within days
	From     string          `json:"from,omitempty"`    // position of its ID or key in the text

	card          find.Card
	isPrefixMatch bool
	keyText       string
	about, did    string // for an audit entry: the item that it is about, and what happened
}

// A Missing is a pattern that could find the value if it had more parameters.
type Missing struct {
	Schema     string   `json:"schema"`
	Pattern    string   `json:"pattern"`
	Parameters []string `json:"parameters"`
}

// Found is the document of find. ConsumedCapacity is in RCU, including reads that found nothing.
type Found struct {
	Hits             []Hit     `json:"hits"`
	Requests         int       `json:"requests"`
	ConsumedCapacity float64   `json:"consumedCapacity"`
	Missing          []Missing `json:"missing"`
	Understood       []string  `json:"understood,omitempty"` // the recognized form of the text, if the item itself was not found
	Offers           []Offer   `json:"offers,omitempty"`
	Failed           []Failed  `json:"failed,omitempty"`
	Truncated        bool      `json:"truncated,omitempty"` // for agents: hits are missing, or the search reached its limit

	several bool     // the search covered several contexts
	notes   []string // facts about the search, then the commands that list all hits of a kind
}

// An Offer is a search that ddbdesk did not run, for IDs that begin with the value or for a word, with its cost limit.
type Offer struct {
	Schema    string `json:"schema"`
	Context   string `json:"context"`
	Table     string `json:"table"`
	Operation string `json:"operation"` // query or scan
	// Both are missing if ddbdesk did not describe the table.
	Items     *int64   `json:"items,omitempty"`
	ReadUnits *float64 `json:"readUnits,omitempty"`
}

// A Failed is a schema that ddbdesk could not search completely, so it may contain the value.
type Failed struct {
	Schema  string `json:"schema"`
	Context string `json:"context"`
	Error   string `json:"error"`
	Err     error  `json:"-"`
}

// ways maps each way of finding an item to its name in the output.
var ways = map[find.Way]string{find.Direct: "read", find.Followed: "followed", find.Scanned: "scan"}

// Search finds a value. It returns the document and the underlying result. argument names the value in errors. If
// acceptOffers is true, Search also runs the offered searches.
func Search(ctx context.Context, f *find.Finder, argument, value string, acceptOffers bool) (Found, find.Result, error) {
	s, err := f.Search(ctx, value)
	if err != nil {
		return Found{}, find.Result{}, session.InputErrorf("%s: %v", argument, err)
	}
	r := s.Wait()
	if acceptOffers && len(r.Offers) > 0 && ctx.Err() == nil {
		if s, err = f.Accept(ctx, value, r.Offers); err != nil {
			return Found{}, r, session.InputErrorf("%s: %v", argument, err)
		}
		r = r.Merge(s.Wait())
	}
	if err := ctx.Err(); err != nil {
		return Found{}, r, err
	}
	d := Found{
		several: f.SearchesSeveral(), Hits: models.MapSlice(r.Hits, newHit), Requests: r.Requests, Missing: []Missing{},
		ConsumedCapacity: reading.Round(r.Capacity), Understood: r.Meanings(), Offers: models.MapSlice(r.Offers, newOffer),
	}
	for _, m := range r.Missing {
		d.Missing = append(d.Missing, Missing{m.Profile.Name, m.Pattern.FullID(), m.Parameters})
	}
	for _, failure := range r.Failures {
		d.Failed = append(d.Failed, Failed{
			Schema: failure.Profile.Name, Context: failure.Context,
			Error: models.Printable(failure.Err.Error()), Err: failure.Err,
		})
	}
	if len(r.Hits) == 0 && len(r.Failures) > 0 { // The unsearched part may contain the value.
		err = r.FailuresByError()[0].Err
	}
	return d, r, err
}

func newOffer(o find.Offer) Offer {
	operation := "scan"
	if o.Queries != nil {
		operation = "query"
	}
	s := o.Workspace.Session
	j := Offer{Schema: s.Profile().Name, Context: s.Context(), Table: o.Table.Name, Operation: operation}
	if units := reading.Round(o.Estimate.ReadUnits); o.Priced {
		j.Items, j.ReadUnits = &o.Estimate.Items, &units
	}
	return j
}

// newHit uses the masker of the hit's session, so that values revealed in one schema stay masked in the others.
func newHit(h find.Hit) Hit {
	masked := h.Workspace.Session.Masker().Item(h.Table, h.Item)
	key, _ := h.Table.PrimaryKey(masked)
	j := Hit{
		Schema: h.Workspace.Session.Profile().Name, Context: h.Workspace.Session.Context(), Table: h.Table.Name,
		Key: key.AppendJSON(nil), Patterns: []string{}, Way: ways[h.Way],
		card: h.Card(), keyText: h.Table.KeyText(masked),
	}
	j.Title, j.isPrefixMatch, j.From = j.card.Title, h.IsPrefixMatch, h.From
	if e := j.card.Entry; e != nil && j.card.Subject != "" {
		of := e.Trail.SubjectOf(h.Item).Entity
		j.about, j.did = of.Title+" "+j.card.Subject, models.Printable(e.Sentence(of, h.Workspace.Session.Profile().ActionsOf(of)))
	}
	if at := j.card.Expired; !at.IsZero() {
		j.Expired = at.UTC().Format(time.RFC3339)
	}
	if h.Entity != nil {
		j.Entity = h.Entity.Name
	}
	if len(j.card.States) > 0 {
		j.State = j.card.States[0].Name
	}
	for _, related := range h.Workspace.Reading.Related(h.Table, h.Item) {
		if id := related.Pattern.FullID(); !slices.Contains(j.Patterns, id) {
			j.Patterns = append(j.Patterns, id)
		}
	}
	return j
}

// JSON returns the document.
func (f Found) JSON() any { return f }

// Text writes the hits with their keys, and the notes. On a terminal it draws a table above the notes, otherwise it
// writes lines.
func (f Found) Text(to op.Output) error {
	if !to.Draws() || len(f.Hits) == 0 {
		f.writeNotes(to.Note)
	}
	if len(f.Hits) == 0 {
		return nil
	}
	var lines []string
	several := f.several
	headings := []string{"ENTITY", "ID", "STATE", "SCHEMA", "CHANGED", "FOUND", "KEY"}
	if several {
		headings = slices.Insert(headings, 3, "CONTEXT")
	}
	if to.Plain {
		headings = headings[:len(headings)-1] // Role support reads no keys.
	}
	isOneTable := !slices.ContainsFunc(f.Hits, func(h Hit) bool { return h.Table != f.Hits[0].Table })
	t := items.NewTextTable(headings...)
	t.Optional, t.Kinds = []string{"SCHEMA", "KEY"}, map[string]models.StateKind{}
	for _, h := range f.Hits {
		parts := []string{h.Schema, h.card.Entity, h.Title}
		if several {
			parts = append([]string{h.Context}, parts...)
		}
		for _, s := range h.card.States {
			parts = append(parts, stateName(s, to.Plain))
		}
		changed, method := "", ""
		if !h.card.Expired.IsZero() {
			parts = append(parts, "expired "+h.card.Expired.UTC().Format(time.RFC3339))
		}
		if !h.card.Changed.IsZero() {
			changed = h.card.Changed.UTC().Format(time.RFC3339)
			parts = append(parts, "changed "+changed)
		}
		if h.Way == ways[find.Scanned] {
			method = "by a scan"
		}
		if h.isPrefixMatch {
			method = strings.TrimPrefix(method+", by prefix", ", ")
		}
		if method != "" {
			parts = append(parts, "found "+method)
		}
		if h.From != "" {
			parts = append(parts, "from "+h.From)
		}
		key := h.keyText
		lines = append(lines, models.Printable(strings.Join(parts, "   ")), "  "+models.Printable(h.Table+"  "+key))
		if !isOneTable {
			key = h.Table + ": " + key
		}
		state := cmp.Or(h.State, h.did)
		if len(h.card.States) > 0 {
			first := h.card.States[0]
			state = models.Printable(stateName(first, to.Plain))
			if s := first.Lifecycle.State(first.Name); s != nil {
				t.Kinds[state] = s.Kind
			}
		}
		if !h.card.Expired.IsZero() && !strings.EqualFold(state, "expired") {
			state = strings.TrimPrefix(state+", expired", ", ")
			t.Kinds[state] = models.StateFinal
		}
		title := h.Title
		if to.Plain || title == h.card.Subject { // Support reads the ID of the item, not that of its audit entry.
			title = cmp.Or(h.about, title)
		}
		row := []string{h.card.Entity, title, state, h.Schema, changed, method, key}
		if several {
			row = slices.Insert(row, 3, h.Context)
		}
		t.Add(row[:len(headings)]...)
	}
	if !to.Draws() {
		return to.Lines(lines...)
	}
	defer f.writeNotes(to.Note)
	return t.Write(to.Writer)
}

func (f Found) writeNotes(note func(text string)) {
	for _, text := range f.notes {
		note(text)
	}
}

func (f *Found) notef(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

func stateName(s find.State, plain bool) string {
	if plain {
		return s.Lifecycle.Title(s.Name)
	}
	return s.Name
}

func (f *Found) addPartial(r find.Result) {
	for _, h := range r.Hits {
		if h.Identified || !h.More {
			continue
		}
		text := h.Card().Entity + ": " + strings.ToLower(r.Part(h))
		if q, _ := h.Query(); q != nil {
			words := []string{"run", session.SchemaName(h.Workspace.Session.Profile()), q.Pattern.ID}
			for name, value := range q.Args {
				words = append(words, name+"="+value)
			}
			text += "; to list all, run " + h.Workspace.Session.Command(append(words, "--all")...)
		}
		if !slices.Contains(f.notes, text) {
			f.notes = append(f.notes, text)
		}
	}
}

// maxMasked is the maximum number of masked attributes to name in a note.
const maxMasked = 8

func (f *Found) addNotes(c *op.Call, value string, r find.Result) {
	for i, x := range r.FailuresByError() {
		switch {
		case len(r.Hits) > 0 || i > 0:
			f.notef("the search is incomplete for %s: %v", find.Places(x.Places), x.Err)
		case len(r.Failures) > 1 || x.Places[0].Context != "": // The first is the error of the search.
			f.notef("the search is incomplete for %s", find.Places(x.Places))
		}
	}
	if r.Incomplete {
		f.notef("the search reached its limit, so some reads were not sent")
	}
	defer f.addPartial(r)
	defer func() {
		for _, offers := range r.OffersByKind() {
			text := unsearchedText(offers, value)
			if offers[0].Kind == find.UnsureOffer && c.CanAsk() {
				text = "searches that accept any text were skipped in " + find.Schemas(offers)
			}
			f.notef("%s", text)
		}
		if len(r.Offers) > 0 {
			f.notef("to run the skipped searches, add --allow-scan")
		}
	}()
	if l := r.Elsewhere; l != nil {
		f.notef("the link points to table %s, which no searched schema covers; to search it, run ddbdesk find table:%[1]s %s",
			models.Printable(l.Table), snippet.ShellQuote(strings.TrimSuffix(l.Partition+" / "+l.Sort, " / ")))
	}
	if len(r.Hits) > 0 {
		return
	}
	if len(r.Failures) == 0 {
		f.notef("%s", strings.TrimSuffix("no results for this "+r.OnlyMeaning(), " for this "))
	}
	if len(r.Masked) > 0 {
		advice := "search for another ID, or filter a pattern with --reveal and --where"
		if c.Plain() {
			advice = "search for an ID or the whole email address"
		}
		f.notef("ddbdesk did not search masked attributes: %s; %s", strings.Join(models.Limited(r.Masked, maxMasked), ", "), advice)
	}
	if r.LacksCountryCode {
		f.notef("this looks like " + find.NationalNumber)
	}
	if len(r.Unsearched) > 0 {
		f.notef("ddbdesk did not search tables without a schema: %s", op.Short(strings.Join(r.Unsearched, ", ")))
	}
	if len(r.Similar) > 0 {
		f.notef("did you mean %s?", strings.Join(r.Similar, " or "))
	}
	for _, n := range r.Near {
		f.notef("this almost matches a key of %s: %v; for details, run ddbdesk decode %s %s", n.Profile.Name, n,
			session.SchemaName(n.Profile), snippet.ShellQuote(value))
	}
	if len(r.Unused) > 0 {
		f.notef("the database contains no tables of %s", find.Places(r.Unused))
	}
	for _, m := range r.Missing {
		if slices.Contains(r.Unused, m.Place) {
			continue // The database cannot contain any of its items.
		}
		f.notef("%s also needs %s%s", nameOf(m.Pattern, c.Plain()), strings.Join(m.Parameters, ", "), sourceOf(m, c.Plain()))
	}
}

func unsearchedText(list []find.Offer, value string) string {
	n, first := find.Count(list), list[0]
	isRead := first.Kind == find.UnsureOffer || first.Kind == find.RemainingOffer
	text := strings.TrimSuffix(first.Table.Name+" in "+first.Workspace.Session.Context(), " in ")
	switch {
	case isRead && n == 1:
		text = "1 more read of " + find.Schemas(list)
	case isRead:
		text = fmt.Sprintf("%d more reads of %s", n, find.Schemas(list))
	case len(list) > 1:
		text = fmt.Sprintf("%d tables of %s", len(list), find.Schemas(list))
	}
	verb := " was "
	if n > 1 && (len(list) > 1 || isRead) {
		verb = " were "
	}
	labels := map[find.OfferKind]string{
		find.PrefixOffer: "not searched for IDs that start with the text", find.ScanOffer: "not scanned",
		find.SimilarOffer:    "not scanned for similar IDs",
		find.SchemalessOffer: "not scanned, because no schema describes " + map[bool]string{true: "them", false: "it"}[len(list) > 1],
		find.RemainingOffer:  fmt.Sprintf("not sent, because a search sends at most %d reads", find.DefaultReads),
		find.UnsureOffer:     "not sent, because a search skips patterns that accept any text", find.WordOffer: "not scanned for the text",
	}[first.Kind]
	switch sum, known := find.Total(list); {
	case isRead:
		return text + verb + labels
	case known:
		return text + verb + labels + ": " + sum.String()
	}
	s := first.Workspace.Session
	place := session.SchemaName(s.Profile())
	if first.Kind == find.SchemalessOffer {
		place = "table:" + first.Table.Name
	}
	hint := map[bool]string{true: "search one schema, as in", false: "run"}[len(list) > 1]
	return fmt.Sprintf("%s%s%s; to see the cost, %s %s", text, verb, labels, hint, s.Command("find", place, op.Short(value)))
}

func nameOf(p *accesspatterns.Pattern, plain bool) string {
	if plain {
		return p.Term().Plain()
	}
	return p.FullID()
}

func sourceOf(m find.Missing, plain bool) string {
	if p := lookup.SourceOf(m.Profile.Patterns, m.Missing); p != nil {
		return fmt.Sprintf("; %s returns it", nameOf(p, plain))
	}
	return ""
}
