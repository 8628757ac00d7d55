// This file runs the lint: it computes the defects of a schema from the
// profile that describes it.

package profiles

import (
	"fmt"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// Lint finds defects of the schema that the profile describes. They are
// computed from tables, keys, lifecycles and requests; the declared findings
// only say which of them the document's readers already know: Finding names
// the one of the same kind about the same part.
//
// A request that DynamoDB would reject is an Error when ddbdesk would run it,
// any other defect a Warning. What is wrong only with the request that the
// document gives is Info, for ddbdesk runs another one. The order is that of
// the file.
func (p *Profile) Lint() []Diagnostic {
	l := &linter{Profile: p}
	var requests []request
	for _, q := range p.Patterns {
		requests = append(requests, requestsOf(q, "patterns."+q.ID)...)
	}
	inline := p.inlineRequests()
	var faults []fault
	for i := range lintRules {
		r := &lintRules[i]
		l.requests = requests
		if r.rejected {
			l.requests = slices.Concat(requests, inline)
		}
		r.check(l, func(f fault) {
			f.rule = r
			if !f.repeats(faults) {
				faults = append(faults, f)
			}
		})
	}
	l.nameFindings(faults)
	list := make([]Diagnostic, len(faults))
	for i, f := range faults {
		list[i] = p.src.locate(Diagnostic{
			Path: f.path, Severity: f.severity(), Rule: f.rule.name, Kind: string(f.rule.kind),
			Message: f.message, Suggestion: f.suggestion, Finding: f.finding,
		})
	}
	sortDiagnostics(list)
	return list
}

// LintRules lists the names of the lint rules in the order of their families.
func LintRules() []string {
	names := make([]string, len(lintRules))
	for i, r := range lintRules {
		names[i] = r.name
	}
	return names
}

// A lintRule finds one kind of defect.
type lintRule struct {
	name string
	kind accesspatterns.FindingKind
	// rejected: DynamoDB refuses a request with this defect.
	rejected bool
	// info: worth knowing, but nothing to change in the schema.
	info bool
	// words tell the findings of this defect from others of the same kind
	// about the same part.
	words []string
	check func(*linter, func(fault))
}

// A fault is a defect that a rule found, and the parts of the schema that it
// is about.
type fault struct {
	path, message, suggestion  string
	documented                 bool // only the document's own request has it
	patterns, entities, tables []string

	rule    *lintRule
	finding string
}

// repeats reports whether another request of the pattern already has the
// defect.
func (f fault) repeats(faults []fault) bool {
	for _, o := range faults {
		if o.rule == f.rule && o.message == f.message && common(o.patterns, f.patterns) {
			return true
		}
	}
	return false
}

func (f fault) severity() Severity {
	switch {
	case f.documented || f.rule.info:
		return Info
	case f.rule.rejected:
		return Error
	default:
		return Warning
	}
}

type linter struct {
	*Profile
	requests []request
}

// A request is one that a pattern makes, or that the document gives for it.
type request struct {
	pattern    *accesspatterns.Pattern
	read       accesspatterns.Read
	path       string
	documented bool
	limited    bool // it has a number of rows a page
}

// inlineRequests lists the reads of trails and queues. They are this program's
// own, so only what DynamoDB would refuse is said of them.
func (p *Profile) inlineRequests() []request {
	var list []request
	for _, t := range p.Trails {
		if t.Read != nil && p.Pattern(t.Read.ID) != t.Read {
			list = append(list, requestsOf(t.Read, "trails."+t.Entity.Name+".read")...)
		}
	}
	for _, q := range p.Queues {
		if p.Pattern(q.Pattern.ID) != q.Pattern {
			list = append(list, requestsOf(q.Pattern, "queues."+q.ID+".read")...)
		}
	}
	return list
}

func requestsOf(p *accesspatterns.Pattern, path string) []request {
	limited := p.AsDocumented == nil && (p.PageSize > 0 || p.PageParam != "")
	list := []request{{pattern: p, read: p.Read, path: path, limited: limited}}
	for i, v := range p.Variants {
		list = append(list, request{pattern: p, read: v.Read, path: fmt.Sprintf("%s.variants.%d", path, i), limited: limited})
	}
	if d := p.AsDocumented; d != nil {
		list = append(list, request{pattern: p, read: d.Read, path: path + ".as_documented", documented: true, limited: d.Limit > 0})
	}
	return list
}

// say tells of a defect at a part of what is checked: key.PK, "" for all of it.
type say func(part, suggestion, message string, args ...any)

// eachRequest checks every request that reads.
func eachRequest(check func(*linter, request, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, r := range l.requests {
			if r.read.Operation == accesspatterns.Write {
				continue
			}
			f := fault{documented: r.documented, patterns: []string{r.pattern.ID}, tables: []string{r.pattern.Table.ID}}
			for _, e := range r.pattern.Returns {
				f.entities = append(f.entities, e.Name)
			}
			check(l, r, f.sayer(r.path, found))
		}
	}
}

// eachWrite checks every documented write.
func eachWrite(check func(*linter, *accesspatterns.Pattern, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, p := range l.Patterns {
			if p.IsRead() {
				continue
			}
			f := fault{patterns: []string{p.ID}, tables: []string{p.Table.ID}}
			for _, e := range p.Returns {
				f.entities = append(f.entities, e.Name)
			}
			check(l, p, f.sayer("patterns."+p.ID, found))
		}
	}
}

// eachAction checks every declared action.
func eachAction(check func(*linter, *accesspatterns.Action, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, a := range l.Actions {
			f := fault{entities: []string{a.Entity.Name}, tables: []string{a.Entity.Table.ID}}
			check(l, a, f.sayer("actions."+a.ID, found))
		}
	}
}

func eachEntity(check func(*linter, *models.Entity, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, e := range l.Entities {
			f := fault{entities: []string{e.Name}, tables: []string{e.Table.ID}}
			check(l, e, f.sayer("entities."+e.Name, found))
		}
	}
}

func eachTable(check func(*linter, *models.Table, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, t := range l.Tables {
			f := fault{tables: []string{t.ID}}
			check(l, t, f.sayer("tables."+t.ID, found))
		}
	}
}

func eachIndex(check func(*linter, *models.Table, *models.Index, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, t := range l.Tables {
			for _, x := range t.Indexes {
				f := fault{tables: []string{t.ID}}
				check(l, t, x, f.sayer("tables."+t.ID+".indexes."+x.Name, found))
			}
		}
	}
}

func eachLifecycle(check func(*linter, *models.Lifecycle, say)) func(*linter, func(fault)) {
	return func(l *linter, found func(fault)) {
		for _, c := range l.Lifecycles {
			f := fault{entities: []string{c.Entity.Name}, tables: []string{c.Entity.Table.ID}}
			check(l, c, f.sayer("lifecycles."+c.Name, found))
		}
	}
}

// sayer returns the say of the part at path, about what f names.
func (f fault) sayer(path string, found func(fault)) say {
	return func(part, suggestion, message string, args ...any) {
		f.path, f.suggestion, f.message = path, suggestion, fmt.Sprintf(message, args...)
		if part != "" {
			f.path = path + "." + part
		}
		found(f)
	}
}
