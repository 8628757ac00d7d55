// Package lint finds defects of a table design by analyzing its schema: requests that DynamoDB rejects, keys that
// overlap, index keys that become stale, or items that never expire. A rule consists of a function and one entry in the
// table of rules. Package profiles finds mistakes in the schema itself when it loads the schema.
package lint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Run returns the defects of the schema that p describes, in file order. It derives them from tables, keys, lifecycles
// and requests. Diagnostic.Finding contains the declared finding that already explains a defect, if there is one.
//
// A request that DynamoDB would reject is an Error if ddbdesk would send it; any other defect is a Warning. A defect in
// a request that only the document contains is Info, because ddbdesk sends a different request.
//
// If ctx ends, Run stops and returns its error.
func Run(ctx context.Context, p *profiles.Profile) ([]profiles.Diagnostic, error) {
	l := newLinter(p)
	l.stopped = func() bool { return ctx.Err() != nil }
	for _, r := range rules {
		l.names = append(l.names, r.name)
	}
	var requests []request
	for _, q := range p.Patterns {
		requests = append(requests, requestsOf(q, "patterns."+q.ID)...)
	}
	inline := l.inlineRequests()
	var defects []defect
	known := map[occurrence]bool{}
	for i := range rules {
		r := &rules[i]
		l.rule, l.requests = r, requests
		if r.rejected {
			l.requests = slices.Concat(requests, inline)
		}
		r.check(l, func(d defect) {
			d.rule = r
			repeated := false
			for _, id := range d.patterns {
				key := occurrence{r, d.message, id}
				repeated = repeated || known[key]
				known[key] = true
			}
			if !repeated {
				defects = append(defects, d)
			}
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	list := make([]profiles.Diagnostic, len(defects))
	for i, d := range defects {
		file, line, column := p.Position(d.path)
		list[i] = profiles.Diagnostic{
			File: file, Line: line, Column: column, Path: d.path, Severity: d.severity(), Rule: d.rule.name,
			Kind: string(d.rule.kind), Message: d.message, Suggestion: d.suggestion, Finding: l.findingOf(&d),
		}
	}
	list = l.withoutAccepted(list)
	slices.SortStableFunc(list, profiles.Diagnostic.Compare)
	return list, nil
}

// An occurrence identifies a defect of a pattern. Several parts of the pattern can have it.
type occurrence struct {
	rule             *rule
	message, pattern string
}

func (l *linter) isAccepted(path string) bool {
	return slices.ContainsFunc(l.Accepts, func(a profiles.Acceptance) bool { return accepts(a, l.rule.name, path) })
}

func accepts(a profiles.Acceptance, rule, path string) bool {
	rest, isWithin := strings.CutPrefix(path, a.At)
	return rule == a.Finding && (a.At == "" || isWithin && (rest == "" || rest[0] == '.'))
}

// withoutAccepted removes accepted warnings, keeps errors, and reports an acceptance that removes nothing.
func (l *linter) withoutAccepted(list []profiles.Diagnostic) []profiles.Diagnostic {
	used := make([]bool, len(l.Accepts))
	list = slices.DeleteFunc(list, func(d profiles.Diagnostic) bool {
		accepted := false
		for i, a := range l.Accepts {
			if d.Severity != profiles.Error && accepts(a, d.Rule, d.Path) {
				used[i], accepted = true, true
			}
		}
		return accepted
	})
	for i, a := range l.Accepts {
		if used[i] {
			continue
		}
		path := fmt.Sprintf("accept.%d", i)
		d := profiles.Diagnostic{
			Path: path, Severity: profiles.Warning, Rule: "accepts-nothing", Kind: string(accesspatterns.Gap),
			Message: "accept: matches no warning here", Suggestion: "remove it",
		}
		if !slices.Contains(l.names, a.Finding) {
			d.Path += ".finding"
			d.Message = fmt.Sprintf("unknown rule %q", models.Printable(a.Finding))
			if hint := strings.TrimPrefix(models.DidYouMean(a.Finding, l.names), "; "); hint != "" {
				d.Suggestion = hint
			}
		}
		d.File, d.Line, d.Column = l.Position(d.Path)
		list = append(list, d)
	}
	return list
}

// A rule finds one kind of defect.
type rule struct {
	name string
	kind accesspatterns.FindingKind
	// rejected means that DynamoDB rejects a request with this defect.
	rejected bool
	// info means that the defect is useful to know, but the schema need not change.
	info  bool
	check func(*linter, func(defect))
}

// A defect is one result of a rule, with the affected parts of the schema.
type defect struct {
	path, message, suggestion  string
	documented                 bool // only the document's own request has the defect
	patterns, entities, tables []string

	rule *rule
}

func (d defect) severity() profiles.Severity {
	switch {
	case d.documented || d.rule.info:
		return profiles.Info
	case d.rule.rejected:
		return profiles.Error
	default:
		return profiles.Warning
	}
}

// reporter adds a defect in a part of the checked object. part is a path in it, such as key.PK, or "" for all of it.
type reporter func(part, suggestion, message string, args ...any)

func (d defect) reporter(found func(defect)) reporter {
	base := d.path
	return func(part, suggestion, message string, args ...any) {
		d.path, d.suggestion, d.message = joinPath(base, part), suggestion, fmt.Sprintf(message, args...)
		found(d)
	}
}

// A linter checks one schema.
type linter struct {
	*profiles.Profile
	requests []request
	names    []string    // names of the rules
	rule     *rule       // the rule that is checked
	stopped  func() bool // reports whether the result is not needed anymore

	byName  map[string]*models.Entity
	byTable map[*models.Table][]*models.Entity

	// These are computed when needed, once for all rules.
	tenants         map[*models.Table]string
	primaries       map[*models.Entity]*primaryKey
	shapes          map[entityKey]*keyShape
	distinct        map[string]*keyShape
	overlapOf       map[shapePair]bool
	byKey           map[tableKey]*byPrefix[*group]
	requestedShapes map[condition]requestedResult
}

func newLinter(p *profiles.Profile) *linter {
	l := &linter{
		Profile: p, stopped: func() bool { return false },
		byName: map[string]*models.Entity{}, byTable: map[*models.Table][]*models.Entity{}, tenants: map[*models.Table]string{},
		primaries: map[*models.Entity]*primaryKey{}, shapes: map[entityKey]*keyShape{}, distinct: map[string]*keyShape{},
		overlapOf: map[shapePair]bool{}, byKey: map[tableKey]*byPrefix[*group]{}, requestedShapes: map[condition]requestedResult{},
	}
	for _, e := range p.Entities {
		l.byName[e.Name] = e
		l.byTable[e.Table] = append(l.byTable[e.Table], e)
	}
	return l
}

// Entity and EntitiesOf replace the methods of the schema, which search all entities.

func (l *linter) Entity(name string) *models.Entity { return l.byName[name] }

func (l *linter) EntitiesOf(t *models.Table) []*models.Entity { return l.byTable[t] }

// A request is the request of a pattern, or its documented version.
type request struct {
	pattern    *accesspatterns.Pattern
	read       accesspatterns.Read
	path       string
	documented bool
	limited    bool // the request sets a page size
}

// inlineRequests returns the reads of trails and queues, which only the rules about rejected requests check.
func (l *linter) inlineRequests() []request {
	var list []request
	for _, t := range l.Trails {
		if t.Read != nil && l.Pattern(t.Read.ID) != t.Read {
			list = append(list, requestsOf(t.Read, "trails."+t.Entity.Name+".read")...)
		}
	}
	for _, q := range l.Queues {
		if l.Pattern(q.Pattern.ID) != q.Pattern {
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

func each[T any](list func(*linter) []T, about func(T) defect, check func(*linter, T, reporter)) func(*linter, func(defect)) {
	return func(l *linter, found func(defect)) {
		for _, part := range list(l) {
			if l.stopped() {
				return
			}
			check(l, part, about(part).reporter(found))
		}
	}
}

func eachRequest(check func(*linter, request, reporter)) func(*linter, func(defect)) {
	reads := func(l *linter) []request {
		return slices.DeleteFunc(slices.Clone(l.requests), func(r request) bool { return r.read.Operation == accesspatterns.Write })
	}
	return each(reads, func(r request) defect {
		d := aboutPattern(r.pattern, r.path)
		d.documented = r.documented
		return d
	}, check)
}

func eachWrite(check func(*linter, *accesspatterns.Pattern, reporter)) func(*linter, func(defect)) {
	writes := func(l *linter) []*accesspatterns.Pattern {
		return slices.DeleteFunc(slices.Clone(l.Patterns), (*accesspatterns.Pattern).IsRead)
	}
	return each(writes, func(p *accesspatterns.Pattern) defect { return aboutPattern(p, "patterns."+p.ID) }, check)
}

func aboutPattern(p *accesspatterns.Pattern, path string) defect {
	d := defect{path: path, patterns: []string{p.ID}, tables: []string{p.Table.ID}}
	for _, e := range p.Returns {
		d.entities = append(d.entities, e.Name)
	}
	return d
}

func aboutEntity(e *models.Entity, path string) defect {
	return defect{path: path, entities: []string{e.Name}, tables: []string{e.Table.ID}}
}

func eachAction(check func(*linter, *change.Action, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*change.Action { return l.Actions },
		func(a *change.Action) defect { return aboutEntity(a.Entity, "actions."+a.ID) }, check)
}

func eachEntity(check func(*linter, *models.Entity, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*models.Entity { return l.Entities },
		func(e *models.Entity) defect { return aboutEntity(e, "entities."+e.Name) }, check)
}

func eachLifecycle(check func(*linter, *models.Lifecycle, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*models.Lifecycle { return l.Lifecycles },
		func(c *models.Lifecycle) defect { return aboutEntity(c.Entity, "lifecycles."+c.Name) }, check)
}

func eachTable(check func(*linter, *models.Table, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*models.Table { return l.Tables },
		func(t *models.Table) defect { return defect{path: "tables." + t.ID, tables: []string{t.ID}} }, check)
}

// eachIndex checks every index; reported paths are relative to the index.
func eachIndex(check func(*linter, *models.Table, *models.Index, reporter)) func(*linter, func(defect)) {
	return eachTable(func(l *linter, t *models.Table, report reporter) {
		for _, x := range t.Indexes {
			check(l, t, x, func(part, suggestion, message string, args ...any) {
				report(joinPath("indexes."+x.Name, part), suggestion, message, args...)
			})
		}
	})
}

func joinPath(path, part string) string {
	if part == "" {
		return path
	}
	return path + "." + part
}

// findingOf prefers the closest finding that names the rule to the only finding of its kind for exactly this part.
func (l *linter) findingOf(d *defect) string {
	named, similar := "", ""
	namedCloseness, similarCloseness := 0, 0
	for _, f := range l.Findings {
		c := d.closeness(f)
		switch {
		case slices.Contains(f.Rules, d.rule.name) && c > namedCloseness:
			named, namedCloseness = f.ID, c
		case len(f.Rules) > 0 || f.Kind != d.rule.kind || !d.concernsFinding(f, c):
		case c > similarCloseness:
			similar, similarCloseness = f.ID, c
		case c == similarCloseness:
			similar = "" // ambiguous
		}
	}
	if named != "" {
		return named
	}
	return similar
}

// closeness returns 3 for a pattern, 2 for an entity, 1 for a table and 0 for any other part.
func (d *defect) closeness(f *accesspatterns.Finding) int {
	patterns := len(f.Patterns) + len(f.Decides)
	switch {
	case haveCommon(d.patterns, f.Patterns) || haveCommon(d.patterns, f.Decides):
		return 3
	case haveCommon(d.entities, f.Entities) && (len(d.patterns) == 0 || patterns == 0):
		return 2
	case haveCommon(d.tables, f.Tables) && (len(d.patterns)+len(d.entities) == 0 || patterns+len(f.Entities) == 0):
		return 1
	default:
		return 0
	}
}

// concernsFinding excludes gaps and contradictions, which are too general without a rule.
func (d *defect) concernsFinding(f *accesspatterns.Finding, closeness int) bool {
	if f.Kind == accesspatterns.Gap || f.Kind == accesspatterns.Contradiction {
		return false
	}
	return closeness == 3 || closeness > 0 && len(f.Patterns)+len(f.Decides) == 0
}

func haveCommon(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func eachFinding(check func(*linter, *accesspatterns.Finding, reporter)) func(*linter, func(defect)) {
	return each(func(l *linter) []*accesspatterns.Finding { return l.Findings },
		func(f *accesspatterns.Finding) defect { return defect{path: "findings." + f.ID} }, check)
}

// unknownRule finds rule names that do not exist. It is a lint rule because the loader does not have the list of rules.
func unknownRule(l *linter, f *accesspatterns.Finding, report reporter) {
	for i, name := range f.Rules {
		if slices.Contains(l.names, name) {
			continue
		}
		hint := strings.TrimPrefix(models.DidYouMean(name, l.names), "; ")
		hint = cmp.Or(hint, "remove it")
		report(fmt.Sprintf("rules.%d", i), hint, "unknown rule %q", models.Printable(name))
	}
}

// Issues returns the errors and warnings of [Run] that no declared finding explains, as findings in file order. Each ID
// is the name of its rule, with a number added from the second finding on.
func Issues(ctx context.Context, p *profiles.Profile) ([]*accesspatterns.Finding, error) {
	var list []*accesspatterns.Finding
	count := map[string]int{}
	found, err := Run(ctx, p)
	for _, d := range found {
		if d.Finding != "" || d.Severity == profiles.Info {
			continue
		}
		place := "see " + d.Path + " in the schema"
		if d.Line > 0 {
			place = fmt.Sprintf("see %s, line %d of the schema", d.Path, d.Line)
		}
		f := &accesspatterns.Finding{
			ID: d.Rule, Kind: accesspatterns.FindingKind(d.Kind), Rules: []string{d.Rule}, Text: sentences(d.Message, d.Suggestion, place),
		}
		if count[d.Rule]++; count[d.Rule] > 1 {
			f.ID += fmt.Sprintf("-%d", count[d.Rule])
		}
		section, rest, _ := strings.Cut(d.Path, ".")
		name, _, _ := strings.Cut(rest, ".")
		switch {
		case name == "":
		case section == "patterns":
			f.Patterns = []string{name}
		case section == "entities":
			f.Entities = []string{name}
		case section == "tables":
			f.Tables = []string{name}
		}
		list = append(list, f)
	}
	return list, err
}

func sentences(texts ...string) string {
	var b strings.Builder
	for _, text := range texts {
		if text == "" {
			continue
		}
		first, _, _ := strings.Cut(text, " ")
		if strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,;") == "" {
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(text + ".")
	}
	return b.String()
}
