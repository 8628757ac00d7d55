package profiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func (b *patternBuilder) checkProjection(path string, r accesspatterns.Read) {
	if r.Projection == nil {
		return
	}
	switch r.Operation {
	case accesspatterns.Count, accesspatterns.Write:
		b.Errorf(path, "remove it", "%s returns no attributes", r.Operation)
	case accesspatterns.Get, accesspatterns.Query, accesspatterns.Scan:
	}
	if len(r.Projection) == 0 {
		b.Errorf(path, "list attributes, or remove projection:", "projection has no attributes")
	}
	keys := b.p.Table.KeyAttributes()
	for i, name := range r.Projection {
		at := fmt.Sprintf("%s.%d", path, i)
		known := slices.ContainsFunc(b.p.Returns, func(e *models.Entity) bool {
			a := e.Attribute(name)
			return a != nil && !a.KeyOnly
		})
		switch {
		case slices.Contains(r.Projection[:i], name):
			b.Errorf(at, "remove it", "duplicate attribute %q", models.Printable(name))
		case !known && models.KeyNamed(keys, name) < 0:
			var names []string
			for _, e := range b.p.Returns {
				names = append(names, paths(e.Attributes)...)
			}
			b.Errorf(at, near(name, names), "no attribute %q in %s", models.Printable(name), strings.Join(b.decl.Returns, ", "))
		}
	}
}

func (b *patternBuilder) checkLists(path string, r accesspatterns.Read) {
	before := ""
	for _, q := range b.p.Params {
		at := b.path + ".parameters." + q.Name + ".list"
		if !q.List || !r.Has(q.Name) {
			continue
		}
		inKey := func(c accesspatterns.KeyCondition) bool {
			return c.Template.Has(q.Name) && (c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.Equal)
		}
		elsewhere := r
		elsewhere.Key = slices.DeleteFunc(slices.Clone(r.Key), inKey)
		switch {
		case before != "":
			b.Errorf(at, "keep one", "%s and %s both take several values in %s", before, q.Name, path)
		case r.FanOut != nil:
			b.Errorf(at, "remove one of the two", "fan_out: and a list parameter cannot be combined")
		case !slices.ContainsFunc(r.Key, inKey) || elsewhere.Has(q.Name):
			b.Errorf(at, "use it in an equality condition of a key, or remove list:",
				"a list parameter works only in equality conditions of a key")
		}
		before = q.Name
	}
	for _, q := range b.p.Params {
		if q.List && !slices.ContainsFunc(b.reads(), func(r accesspatterns.Read) bool { return r.Has(q.Name) }) {
			b.Errorf(b.path+".parameters."+q.Name+".list", "remove list:", "no key condition uses {%s}", q.Name)
		}
	}
}
