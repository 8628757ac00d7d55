package accesspatterns

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ddbdesk/ddbdesk/models"
)

// Projected returns the paths that a read of some attributes asks for, nil for whole items: its projection, the keys of the
// table and the index, which determine where reading continues, and what tells the entities apart. None is inside another.
func (p *Pattern) Projected(r Read) []string {
	if r.Projection == nil {
		return nil
	}
	paths := slices.Clone(r.Projection)
	partition, sort := p.Table.KeysOf(r.Index)
	for _, k := range slices.Concat(p.Table.PrimaryKeys(), partition, sort) {
		paths = append(paths, k.Name)
	}
	for _, e := range p.Returns {
		paths = slices.Concat(paths, e.Has, e.Lacks, models.NamesOf(e.Is, func(same models.Equality) string { return same.Path }))
	}
	var list []string
	for i, path := range paths {
		covered := func(other string) bool { return strings.HasPrefix(path, other+".") }
		if !slices.Contains(paths[:i], path) && !slices.ContainsFunc(paths, covered) {
			list = append(list, path)
		}
	}
	return list
}

// Reads reports whether the rows have an attribute, or a part of it: whether a read of the pattern asks for it, or the keys
// contain it. The columns of a grid ask it, so that a column is not empty because the attribute
// was never read.
func (p *Pattern) Reads(path string) bool {
	inside := func(a, b string) bool { return a == b || strings.HasPrefix(a, b+".") }
	asks := func(r Read) bool {
		return r.Projection == nil || slices.ContainsFunc(p.Projected(r), func(asked string) bool {
			return inside(asked, path) || inside(path, asked)
		})
	}
	return asks(p.Read) || slices.ContainsFunc(p.Variants, func(v Variant) bool { return asks(v.Read) }) ||
		slices.ContainsFunc(p.Returns, func(e *models.Entity) bool {
			a := e.Attribute(path)
			return a != nil && a.KeyOnly
		})
}

func (p *Pattern) projection(read Read, e *Expression) *string {
	paths := p.Projected(read)
	if paths == nil {
		return nil
	}
	aliases := make([]string, len(paths))
	for i, path := range paths {
		aliases[i] = e.Path(p.pathNames(path))
	}
	return aws.String(strings.Join(aliases, ", "))
}

// BatchOf returns the leg that reads items by their keys with the attributes that the request reads, and some others that
// a filter needs.
func (r *Request) BatchOf(keys []models.Item, also ...string) Leg {
	leg := BatchLeg(r.Pattern.Table, keys)
	if r.Read.Projection != nil {
		read := r.Read
		read.Projection = append(slices.Clone(read.Projection), also...)
		e := &Expression{}
		of := leg.Batch.RequestItems[r.Pattern.Table.Name]
		of.ProjectionExpression = r.Pattern.projection(read, e)
		of.ExpressionAttributeNames = e.Names()
		leg.Batch.RequestItems[r.Pattern.Table.Name] = of
	}
	return leg
}
