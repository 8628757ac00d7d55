package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// filterCustomQuery applies the conditions of a custom query that DynamoDB does not. It also removes rows with hidden
// values that the query compares, because finding or counting such rows would reveal the values.
func (r *Run) filterCustomQuery(leg accesspatterns.Leg, page *accesspatterns.Page) {
	request := r.request
	if request.Pattern.CustomQuery == nil {
		return
	}
	compared, masker, table, all := comparedAttributes(request), r.rd.s.Masker(), request.Pattern.Table, len(page.Items)
	page.Items = slices.DeleteFunc(page.Items, func(it models.Item) bool {
		shown := masker.Lazy(table, it)
		return !leg.PassesClientFilter(it) || slices.ContainsFunc(compared, shown.Hides)
	})
	page.Count -= all - len(page.Items)
}

func comparedAttributes(r *accesspatterns.Request) [][]string {
	var paths [][]string
	for _, f := range r.Read.Filters() {
		path := f.Names
		if f.Compare == accesspatterns.Exists || f.Compare == accesspatterns.NotExists {
			path = path[:len(path)-1] // Names inside a document are sensitive; attribute names are not.
		}
		if len(path) > 0 {
			paths = append(paths, path)
		}
	}
	return paths
}

// CheckNarrowed rejects a declared pattern that compares masked values with a given range, substring or size, because
// about twenty searches reveal such a value. A whole value is allowed, because the user already knows it.
func (rd *Reader) CheckNarrowed(r *accesspatterns.Request, next string) error {
	if r.Pattern.CustomQuery != nil {
		return nil
	}
	for _, q := range r.Pattern.Params {
		if _, isSet := r.Given[q.Name]; isSet && rd.s.Masker().Hides(r.Read.PartlyComparedSensitivity(q, r.Pattern.Returns)) {
			return session.Refusef(next, "%s compares masked values with a range or part of %s, and the results would reveal them",
				r.Pattern.Term(), q.Name)
		}
	}
	return nil
}

// canCompare rejects a custom query if every item hides a value that the query compares or sorts by. It also
// rejects a query that narrows masked values if the session has no reason for it.
func (rd *Reader) canCompare(r *accesspatterns.Request) error {
	p := r.Pattern
	switch {
	case rd.s.Store() == nil || p.CustomQuery == nil && rd.s.Purpose().Reason != "":
		return nil
	case p.CustomQuery == nil:
		return rd.CheckNarrowed(r, "add --reason TEXT; the journal records each such read")
	}
	for _, path := range append(comparedAttributes(r), sortedBy(r)...) {
		if _, all := rd.s.Masker().HidesPath(p.Table, path); all {
			r := &session.Refusal{
				Reason: models.Printable(models.PathText(path)) + " is masked, and a query by it would reveal its values",
				Advice: "give the whole key, or add --reveal --reason TEXT as developer or admin",
			}
			if declared := rd.declaredNames(p.Table); !slices.Contains(declared, path[0]) {
				r.Reason = fmt.Sprintf("%s is masked, because no entity of %s declares it", models.Printable(path[0]), p.Table.Name)
				if hint := models.DidYouMean(path[0], declared); hint != "" {
					r.Advice = strings.TrimPrefix(hint, "; ")
				}
			}
			return r
		}
	}
	return nil
}

func (rd *Reader) declaredNames(t *models.Table) (names []string) {
	for _, e := range rd.s.Profile().Entities {
		if e.Table == t {
			attributes := models.MapSlice(e.Attributes, func(a *models.Attribute) string { return a.Name })
			names = slices.Concat(names, e.KeyNames(), attributes)
		}
	}
	return names
}

// sortedBy returns the paths of the attribute that determines the order of a query's rows, or nil.
func sortedBy(r *accesspatterns.Request) [][]string {
	if r.Read.Operation != accesspatterns.Query {
		return nil
	}
	_, sort := r.Pattern.Table.KeysOf(r.Read.Index)
	for _, k := range sort {
		equal := func(c accesspatterns.KeyCondition) bool { return c.Attribute == k && c.Compare == accesspatterns.Equal }
		if !slices.ContainsFunc(r.Read.Key, equal) {
			return [][]string{{k.Name}}
		}
	}
	return nil
}

// OmittedAttributes names the attributes in the comparisons of a custom query that are masked in some items. The query
// omits these items. The result depends only on the schema.
func (rd *Reader) OmittedAttributes(r *accesspatterns.Request) []string {
	if r.Pattern.CustomQuery == nil {
		return nil
	}
	var names []string
	for _, path := range comparedAttributes(r) {
		if isHidden, _ := rd.s.Masker().HidesPath(r.Pattern.Table, path); isHidden {
			names = append(names, models.Printable(models.PathText(path)))
		}
	}
	return names
}
