// This file describes a pattern: its parameters, its request, and what the
// document got wrong about it.

package accesspatterns

import (
	"github.com/ddbdesk/ddbdesk/models"
)

// An Operation is what a pattern does.
type Operation string

// The operations.
const (
	Get   Operation = "get"
	Query Operation = "query"
	Count Operation = "count"
	Scan  Operation = "scan"
	Write Operation = "write"
)

// Operations lists every operation.
func Operations() []Operation { return []Operation{Get, Query, Count, Scan, Write} }

// API returns the name of the DynamoDB operation: GetItem, Query or Scan.
func (o Operation) API() string {
	switch o {
	case Get:
		return "GetItem"
	case Query, Count:
		return "Query"
	case Scan:
		return "Scan"
	default:
		return ""
	}
}

// A Pattern is one documented question, or a documented write, by its id.
type Pattern struct {
	ID         string // without the profile's name
	Profile    string
	Title      string
	Group      string
	Read       Read // the request when no variant applies; Operation Write for writes
	Variants   []Variant
	Returns    []*models.Entity
	Table      *models.Table
	Params     []*Param
	OrderNote  string
	PageSize   int    // rows a page when nobody asks for another number
	PageParam  string // the parameter that gives the page size, "" without
	StopAfter  int    // the pattern ends after so many matches; 0: never
	ExpectOne  bool   // more than one row is worth a warning
	Documented bool
	Source     []string
	// AsDocumented is the request that the document gives, nil when ddbdesk
	// runs that one.
	AsDocumented *Documented
	Safe         string
	Findings     []*Finding // all that concern it; those that decide first
	Writing      *Writing   // for writes
}

// FullID returns the id with the profile's name: authbridge.get-verification.
func (p *Pattern) FullID() string { return p.Profile + "." + p.ID }

// IsRead reports whether the pattern reads.
func (p *Pattern) IsRead() bool { return p.Read.Operation != Write }

// Defect returns the first finding because of which the pattern does not work
// as documented, nil when it does.
func (p *Pattern) Defect() *Finding {
	for _, f := range p.Findings {
		if f.DecidesPattern(p.ID) {
			return f
		}
	}
	return nil
}

// Param returns the parameter called name, nil when there is none.
func (p *Pattern) Param(name string) *Param {
	for _, q := range p.Params {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// A Read is one request of a pattern.
type Read struct {
	Operation  Operation
	Index      *models.Index // nil: the table itself
	Key        []KeyCondition
	Filter     []FilterCondition
	FanOut     *FanOut
	Descending bool
}

// A Variant is the request that runs when all parameters of When are given.
type Variant struct {
	When []string
	Read Read
}

// A KeyCondition is the condition on one key attribute.
type KeyCondition struct {
	Attribute models.Key
	Compare   Operator
	Template  models.Template // what the attribute is compared with; unused for Range
	Upper     models.Template // of Between
	// For Range: the placeholder On of KeyTemplate between From and To; either
	// may be the zero template.
	On          string
	KeyTemplate models.Template
	From, To    models.Template
}

// A FilterCondition is applied by DynamoDB after reading. Conditions whose
// parameters are not given are left out.
type FilterCondition struct {
	Attribute string // dotted path
	Type      models.Type
	Equals    models.Template
	Begins    models.Template
	In        []string
	From, To  models.Template // inclusive
	Exists    *bool
}

// A FanOut asks one partition after another and merges the answers in the
// order of the sort key.
type FanOut struct {
	Placeholder string
	Values      []string        // each of these, or the parameter's value when given
	From, To    models.Template // or each UTC day between two times
	Max         int             // partitions at most
}

// Documented is the request that a document gives, for lint to judge.
type Documented struct {
	Read  Read
	Limit int
}

// Writing explains a documented write.
type Writing struct {
	API       string // UpdateItem, PutItem, TransactWriteItems..
	Sets      []string
	Condition string
}

// A FindingKind classifies a defect of a document.
type FindingKind string

// The kinds of finding.
const (
	Impossible    FindingKind = "IMPOSSIBLE"    // DynamoDB rejects it, or the data does not exist
	Wrong         FindingKind = "WRONG"         // accepted, silently wrong or incomplete
	Integrity     FindingKind = "INTEGRITY"     // leaves the data inconsistent
	Security      FindingKind = "SECURITY"      // tenants mixed, secrets or personal data exposed
	Cost          FindingKind = "COST"          // reads far more than it returns
	Latent        FindingKind = "LATENT"        // right today, breaks with a small change
	Contradiction FindingKind = "CONTRADICTION" // the document says two things
	Gap           FindingKind = "GAP"           // the document leaves out something needed
)

// FindingKinds lists every kind.
func FindingKinds() []FindingKind {
	return []FindingKind{Impossible, Wrong, Integrity, Security, Cost, Latent, Contradiction, Gap}
}

// A Finding is a defect of a schema document, and what ddbdesk does about it.
type Finding struct {
	ID        string
	Kind      FindingKind
	Title     string // what goes wrong, in words that need no knowledge of DynamoDB; "" without
	Text      string // what the document says, and why that is a defect
	Behaviour string // what ddbdesk does instead
	Source    string
	Patterns  []string
	Entities  []string
	Tables    []string
	Decides   []string
}

// DecidesPattern reports whether the pattern does not work because of f.
func (f *Finding) DecidesPattern(id string) bool {
	for _, d := range f.Decides {
		if d == id {
			return true
		}
	}
	return false
}
