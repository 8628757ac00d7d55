package accesspatterns

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Operation is the kind of a pattern. Profiles and the JSON contract contain the values, so they must not change.
type Operation string

// These are the operations of patterns.
const (
	Get   Operation = "get"
	Query Operation = "query"
	Count Operation = "count"
	Scan  Operation = "scan"
	Write Operation = "write"
)

// Operations lists every operation.
func Operations() []Operation { return []Operation{Get, Query, Count, Scan, Write} }

// API returns the name of the DynamoDB operation, which is GetItem, Query or Scan, or "" for writes.
func (o Operation) API() string {
	return map[Operation]string{Get: "GetItem", Query: "Query", Count: "Query", Scan: "Scan"}[o]
}

// A Pattern is a documented read or write of a schema. The schema loader creates it. After that, it does not change,
// so several goroutines may bind it at once.
type Pattern struct {
	ID         string // without the schema's name
	Profile    string
	Title      string
	Group      string
	Read       Read // the read when no variant applies; its Operation is Write for writes
	Variants   []Variant
	Returns    []*models.Entity
	Table      *models.Table
	Params     []*Param
	OrderNote  string // description of the row order, "" if the document omits it
	PageSize   int    // default number of rows per page, 0 for none
	PageParam  string // the parameter that sets the page size, "" for none
	StopAfter  int    // the number of matches after which reading ends, 0 to read all
	ExpectOne  bool   // warn about more than one row
	Documented bool
	Source     []string // quotations of the document
	// AsDocumented is the read in the document, or nil if it equals Read.
	AsDocumented    *DocumentedRead
	Safe            string           // how Read differs from AsDocumented, "" if it does not
	Findings        []*Finding       // findings about the pattern; those that prevent it from working first
	DocumentedWrite *DocumentedWrite // the documented write, nil for a read
	// CustomQuery is set for a custom query, and nil for a declared pattern. A custom query never compares items by
	// values that the user may not see.
	CustomQuery *CustomQuery
}

// A CustomQuery is the text of a custom query, in the syntax of package raw.
type CustomQuery struct {
	Key        []string // NAME=VALUE
	Where      []string // NAME OP VALUE
	Descending bool
	Limit      int // rows per page, 0 for the default
}

// HasSameCustomQuery reports whether both are the same custom query.
func (p *Pattern) HasSameCustomQuery(q *Pattern) bool {
	return p.CustomQuery != nil && q.CustomQuery != nil && p.Table == q.Table && p.Read.Index == q.Read.Index &&
		slices.Equal(p.CustomQuery.Key, q.CustomQuery.Key) &&
		slices.Equal(p.CustomQuery.Where, q.CustomQuery.Where) && p.CustomQuery.Descending == q.CustomQuery.Descending &&
		p.CustomQuery.Limit == q.CustomQuery.Limit
}

// FullID returns the ID with the schema's name, as in authbridge.get-verification.
func (p *Pattern) FullID() string { return p.Profile + "." + p.ID }

// Term names the pattern in a text, by its full ID or its title.
func (p *Pattern) Term() models.Term { return models.Term{ID: p.FullID(), Title: p.Title} }

// Short names the pattern in a text about its schema, by its ID or its title.
func (p *Pattern) Short() models.Term { return models.Term{ID: p.ID, Title: p.Title} }

// IsRead reports whether the pattern reads.
func (p *Pattern) IsRead() bool { return p.Read.Operation != Write }

// Defect returns the first schema issue that prevents the pattern from working as documented, or nil. Other findings
// about the pattern are only caveats.
func (p *Pattern) Defect() *Finding {
	return models.First(p.Findings, func(f *Finding) bool { return f.DecidesPattern(p.ID) })
}

// HasSeriousFinding reports whether the documented pattern would harm users who rely on the data.
func (p *Pattern) HasSeriousFinding() bool {
	f := p.Defect()
	return f != nil && f.Kind.IsSerious()
}

// Param returns the parameter with this name, or nil.
func (p *Pattern) Param(name string) *Param {
	return models.First(p.Params, func(q *Param) bool { return q.Name == name })
}

// A Read describes a read: its operation, key conditions and filter.
type Read struct {
	Operation  Operation
	Index      *models.Index // nil for the table itself
	Key        []KeyCondition
	Filter     []FilterCondition
	FanOut     *FanOut
	Descending bool
	Consistent bool // strongly consistent; Get always is
	// Projection lists the attributes to read as dotted paths, or is nil to read whole items. ddbdesk always reads keys
	// and the attributes that distinguish entities.
	Projection []string
}

// Templates lists every template of the read. Some of them may be zero templates, which have no placeholders.
func (r Read) Templates() []models.Template {
	var list []models.Template
	for _, c := range r.Key {
		list = append(list, c.templates()...)
	}
	for _, f := range r.Filters() {
		list = append(list, f.Values...)
	}
	if r.FanOut != nil {
		list = append(list, r.FanOut.From, r.FanOut.To)
	}
	return list
}

// Filters lists the comparisons in the filter, including the comparisons of every alternative.
func (r Read) Filters() []FilterCondition {
	var list []FilterCondition
	for _, f := range r.Filter {
		if f.Any == nil {
			list = append(list, f)
		}
		list = append(list, Read{Filter: f.Any}.Filters()...)
	}
	return list
}

// Has reports whether a template of the read contains the placeholder.
func (r Read) Has(name string) bool {
	return slices.ContainsFunc(r.Templates(), func(t models.Template) bool { return t.Has(name) })
}

// A Variant is a read that applies if all parameters in When have a value.
type Variant struct {
	When []string
	Read Read
}

// A KeyCondition is a condition on one key attribute.
type KeyCondition struct {
	Attribute models.Key
	Compare   Operator
	Template  models.Template // the value to compare with; unused for Range
	Upper     models.Template // the upper end of Between
	// These fields define a Range: the placeholder On of KeyTemplate is between From and To, both included. Either end
	// may be the zero template.
	On          string
	KeyTemplate models.Template
	From, To    models.Template
}

func (c KeyCondition) templates() []models.Template {
	return []models.Template{c.Template, c.Upper, c.KeyTemplate, c.From, c.To}
}

// PartlyComparedSensitivity returns the strictest sensitivity of the values that the read compares with the parameter
// by order, substring or size instead of by the whole value. It returns models.NotSensitive if there is no such
// comparison.
func (r Read) PartlyComparedSensitivity(q *Param, entities []*models.Entity) models.Sensitivity {
	comparesPart := func(o Operator, t models.Template) bool {
		segs := t.Segments()
		return t.Has(q.Name) && (o.IsOrdering() || o == Contains || o == NotContains || o == BeginsWith && segs[len(segs)-1].Name == q.Name)
	}
	strictest := models.NotSensitive
	add := func(found bool, attribute string) {
		if !found {
			return
		}
		if strictest = models.Stricter(strictest, q.Sensitive); q.Attribute != nil {
			strictest = models.Stricter(strictest, q.Attribute.Strictest())
		}
		for _, e := range entities {
			if t, key := e.Keys[attribute]; !key || !t.Has(q.Name) { // A key placeholder has the sensitivity of its own part.
				strictest = e.Stricter(strictest, strings.Split(attribute, "."))
			}
		}
	}
	for _, c := range r.Key {
		add(comparesPart(c.Compare, c.Template) || comparesPart(c.Compare, c.Upper), c.Attribute.Name)
		add(c.From.Has(q.Name) || c.To.Has(q.Name), c.On)
	}
	for _, f := range r.Filters() {
		add(slices.ContainsFunc(f.Values, func(t models.Template) bool { return t.Has(q.Name) && f.Size || comparesPart(f.Compare, t) }),
			f.Attribute)
	}
	return strictest
}

func (r Read) isRangeBound(name string) bool {
	inKey := func(c KeyCondition) bool {
		return c.From.Has(name) || c.To.Has(name) || c.Compare.IsOrdering() && (c.Template.Has(name) || c.Upper.Has(name))
	}
	var inFilter func(f FilterCondition) bool
	inFilter = func(f FilterCondition) bool {
		return f.Compare.IsOrdering() && slices.Contains(f.Placeholders(), name) || slices.ContainsFunc(f.Any, inFilter)
	}
	return slices.ContainsFunc(r.Key, inKey) || slices.ContainsFunc(r.Filter, inFilter)
}

// ComparedAttributes lists the attributes and key parts that the read compares with only the placeholder's value.
func (r Read) ComparedAttributes(name string) []string {
	isOnlySegment := func(list ...models.Template) bool {
		return slices.ContainsFunc(list, func(t models.Template) bool {
			segs := t.Segments()
			return len(segs) == 1 && segs[0].Name == name && segs[0].Format == ""
		})
	}
	var list []string
	for _, c := range r.Key {
		switch {
		case isOnlySegment(c.From, c.To):
			list = append(list, c.On)
		case isOnlySegment(c.Template, c.Upper):
			list = append(list, c.Attribute.Name)
		}
	}
	for _, f := range r.Filters() {
		if !f.Size && f.Compare != Contains && isOnlySegment(f.Values...) {
			list = append(list, f.Attribute)
		}
	}
	return list
}

// A FilterCondition is a condition that DynamoDB applies after reading. Binding omits a condition whose parameters have
// no value; Between may lack one end.
type FilterCondition struct {
	Attribute  string      // a dotted path
	Names      []string    // as in Condition
	ClientSide bool        // ddbdesk evaluates it, because DynamoDB cannot filter by a key of the queried table or index
	Type       models.Type // type of the values
	Compare    Operator
	Values     []models.Template // the values to compare with, as in Condition
	Size       bool              // compare the attribute's size, not its value
	// Any contains alternatives, at least one of which must hold. Binding omits the condition unless all alternatives
	// have values. If Any is set, the other fields are unused.
	Any []FilterCondition
}

// Placeholders lists the placeholders of all values.
func (f FilterCondition) Placeholders() []string {
	var names []string
	for _, o := range f.Any {
		names = append(names, o.Placeholders()...)
	}
	for _, t := range f.Values {
		names = append(names, t.Placeholders()...)
	}
	return names
}

// A FanOut reads several partitions, one for each value of a placeholder in the partition key, and merges their rows by
// the sort key.
type FanOut struct {
	Placeholder string          // a value of its parameter selects one partition
	Part        string          // the computed part of the placeholder that Values contains, such as id:mod 10; "" for its values
	Values      []string        // the values to read
	From, To    models.Template // without Values: the first and the last period to read, in UTC
	Hours       bool            // the periods are hours, not days
	Format      models.Format   // format of the periods in keys; Date by default
	Rendered    bool            // the key template formats the period itself, from a time
	// Max is the maximum number of partitions that one request may read. Each partition is a separate request, even if
	// it is empty. Binding rejects a longer range instead of truncating it, because partial results would look
	// complete.
	Max int
}

// DocumentedRead is the read in the document, which lint checks.
type DocumentedRead struct {
	Read  Read
	Limit int
}

// DocumentedWrite describes a documented write.
type DocumentedWrite struct {
	API       string // DynamoDB operation, such as UpdateItem
	Sets      []string
	Condition string
}

// A FindingKind classifies a schema issue.
type FindingKind string

// These are the kinds of schema issues.
const (
	Impossible    FindingKind = "IMPOSSIBLE"    // DynamoDB rejects it, or the data does not exist
	Wrong         FindingKind = "WRONG"         // accepted, silently wrong or incomplete
	Integrity     FindingKind = "INTEGRITY"     // leaves the data inconsistent
	Security      FindingKind = "SECURITY"      // mixes tenants, or exposes secrets or personal data
	Cost          FindingKind = "COST"          // reads far more than it returns
	Latent        FindingKind = "LATENT"        // works today, breaks with a small change
	Contradiction FindingKind = "CONTRADICTION" // the document contradicts itself
	Gap           FindingKind = "GAP"           // the document omits necessary information
)

// FindingKinds lists every kind of finding.
func FindingKinds() []FindingKind {
	return []FindingKind{Impossible, Wrong, Integrity, Security, Cost, Latent, Contradiction, Gap}
}

// IsSerious reports whether an issue of this kind harms users who rely on the data: wrong results, inconsistent items,
// or exposed data. Other issues concern cost, the future or the document.
func (k FindingKind) IsSerious() bool { return k == Wrong || k == Integrity || k == Security }

// A Finding is a schema issue: a defect or contradiction of a schema document, and the workaround. IDs are unique in a
// schema, and documents cite them.
type Finding struct {
	ID         string      `json:"id"`
	Kind       FindingKind `json:"kind"`
	Rules      []string    `json:"-"`               // names of the rules of profiles/lint that find the defect
	Title      string      `json:"title,omitempty"` // the problem, for readers who do not know DynamoDB; "" for none
	Text       string      `json:"text"`            // the document's statement, and why it is a defect
	Workaround string      `json:"behaviour"`       // ddbdesk's workaround; the command contract fixes its name in JSON
	Source     string      `json:"source,omitempty"`
	Patterns   []string    `json:"patterns,omitempty"`
	Entities   []string    `json:"entities,omitempty"`
	Tables     []string    `json:"tables,omitempty"`
	Decides    []string    `json:"-"` // IDs of the patterns that do not work because of the finding
}

// String names the issue in a table.
func (f *Finding) String() string { return f.ID + " " + string(f.Kind) }

// DecidesPattern reports whether f prevents the pattern from working.
func (f *Finding) DecidesPattern(id string) bool { return slices.Contains(f.Decides, id) }

// maxList is the maximum number of values of a parameter: ten batches of MaxBatch keys.
const maxList = 1000

func (p *Param) readList(text string, now time.Time) (Value, error) {
	texts, ok := splitList(text)
	switch {
	case !ok:
		return Value{}, ParamErrorf(p.Name, "not a JSON array of strings and numbers; use [\"a\", \"b\"] or a, b")
	case len(texts) == 0:
		return Value{}, ParamErrorf(p.Name, "the list is empty; give one value or more, separated by commas")
	case len(texts) > maxList:
		return Value{}, ParamErrorf(p.Name, "%d values; the maximum is %d", len(texts), maxList)
	}
	var list []Value
	for _, element := range texts {
		v, err := p.readOne(element, now)
		if err != nil {
			return Value{}, err
		}
		if !slices.ContainsFunc(list, func(o Value) bool { return o.Text == v.Text }) {
			list = append(list, v)
		}
	}
	all := list[0]
	all.List = list
	return all, nil
}

// splitList splits a JSON array, or text with commas or line breaks. It returns false for a broken array.
func splitList(text string) ([]string, bool) {
	var list []string
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var values []any
		if models.DecodeJSON(text, &values) != nil {
			return nil, false
		}
		for _, v := range values {
			switch v := v.(type) {
			case string:
				list = append(list, v)
			case json.Number:
				list = append(list, v.String())
			default:
				return nil, false
			}
		}
		return list, true
	}
	for element := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		if element = strings.TrimSpace(element); element != "" {
			list = append(list, element)
		}
	}
	return list, true
}

// Argument returns an item's value as an argument for the parameter. It encodes a value that would otherwise be split
// as an array. Use it wherever a value becomes an argument, so that a name with a comma stays one value.
func (p *Param) Argument(value string) string {
	if list, ok := splitList(value); !p.List || ok && len(list) == 1 && list[0] == value {
		return value
	}
	return string(models.AppendValueJSON([]byte{'['}, models.StringValue(value))) + "]"
}

func (b *binding) listParam() *Param {
	return models.First(b.pattern.Params, func(q *Param) bool { return q.List && len(b.values[q.Name].List) > 0 && b.read.Has(q.Name) })
}

// maxNearest is the maximum number of templates that NearestTemplates returns.
const maxNearest = 3

// NearestTemplates returns the key templates that a key almost fits, closest first. Each Mismatch explains which
// literal text differs or which part does not have its documented format, and may quote a part of the key. It returns
// nil if the key fits a template. It includes a template only if the key starts with at least half of its literal
// beginning, because placeholders match any text. It sends no requests.
func NearestTemplates(entities []*models.Entity, key, sortKey string) []NearMatch {
	d := match(entities, key, sortKey)
	d.keepNear(func(n NearMatch) bool {
		t, _ := n.Entity.KeyTemplate(n.Attribute)
		return n.literal > 1 && 2*n.literal >= len(t.LiteralPrefix())
	})
	for _, c := range d.Candidates {
		literal := len(c.Matches[0].Template.LiteralPrefix())
		switch {
		case literal == 0:
			continue
		case len(c.Warnings) == 0:
			return nil
		}
		d.Near = append(d.Near, c.nearWith(c.Warnings[0], literal))
	}
	d.sortNear()
	seen := map[models.Mismatch]bool{} // Several entities can share a template.
	d.keepNear(func(n NearMatch) bool {
		first := !seen[*n.Mismatch]
		seen[*n.Mismatch] = true
		return first
	})
	return d.Near[:min(len(d.Near), maxNearest)]
}

// nearWith returns the key that a warning is about, or the first key if a secret with the same text masks the name.
func (c *Candidate) nearWith(warning string, literal int) NearMatch {
	name, _, _ := strings.Cut(warning, ":")
	at := func(m KeyMatch, pos int) NearMatch {
		mismatch := &models.Mismatch{Template: m.Template.String(), Pos: pos, Want: name, Reason: warning}
		return NearMatch{Entity: c.Entity, Attribute: m.Attribute, Mismatch: mismatch, key: m.Key, literal: literal}
	}
	for _, m := range c.Matches {
		for _, s := range m.Spans {
			if s.Segment.Name == name {
				return at(m, s.Start)
			}
		}
	}
	return at(c.Matches[0], literal)
}

func (d *Decoded) keepNear(keep func(NearMatch) bool) {
	d.Near = slices.DeleteFunc(d.Near, func(n NearMatch) bool { return !keep(n) })
}

func (d *Decoded) sortNear() {
	slices.SortStableFunc(d.Near, func(a, b NearMatch) int {
		return cmp.Or(cmp.Compare(b.literal, a.literal), cmp.Compare(b.Mismatch.Pos, a.Mismatch.Pos))
	})
}
