package profiles

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// patternBuilder builds one pattern.
type patternBuilder struct {
	*builder
	path string
	decl patternDecl
	p    *accesspatterns.Pattern
	used []string // placeholders in order of appearance
}

var writeOperations = []string{"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}

func (b *patternBuilder) build(id string) *accesspatterns.Pattern {
	d := b.decl
	p := &accesspatterns.Pattern{
		ID: id, Profile: b.builder.p.Name, Title: cmp.Or(d.Title, id), Group: d.Group, OrderNote: d.OrderNote,
		StopAfter: d.StopAfter, ExpectOne: d.Expect == "one", Documented: isDocumented(d.Documented),
		Source: d.Source, Safe: d.Safe,
	}
	b.p = p
	b.checkWord(b.path+".expect", d.Expect, []string{"one", "many"})
	for i, name := range d.Returns {
		if e := b.entity(fmt.Sprintf("%s.returns.%d", b.path, i), name); e != nil {
			p.Returns = append(p.Returns, e)
		}
	}
	b.checkWord(b.path+".table", d.Table, b.builder.decl.Tables.Keys())
	p.Table = b.builder.p.Table(d.Table)
	if p.Table == nil && len(p.Returns) > 0 {
		p.Table = p.Returns[0].Table
	}
	if p.Table == nil {
		b.Errorf(b.path, "", "pattern needs table: or an entity in returns:")
		return nil
	}
	if p.Group == "" && len(p.Returns) > 0 {
		p.Group = p.Returns[0].Title
	}
	p.Read = b.read(b.path, d.requestDecl, d.FanOut)
	b.checkWord(b.path+".writes", d.Writes, writeOperations)
	if p.Read.Operation == accesspatterns.Write {
		p.DocumentedWrite = &accesspatterns.DocumentedWrite{API: d.Writes, Sets: d.Set, Condition: d.Condition}
	}
	b.variants()
	b.limit()
	b.params()
	b.checkReads()
	b.documented()
	return p
}

func (b *patternBuilder) read(path string, d requestDecl, fan *fanOutDecl) accesspatterns.Read {
	words := texts(accesspatterns.Operations()...)
	if d.Operation == "" {
		b.Errorf(path, "use one of "+strings.Join(words, ", "), "request has no operation")
	}
	b.checkWord(path+".operation", d.Operation, words)
	b.checkWord(path+".order", d.Order, []string{"ascending", "descending"})
	r := accesspatterns.Read{
		Operation: accesspatterns.Operation(d.Operation), Descending: d.Order == "descending", Consistent: d.Consistent,
	}
	if d.Index != "" {
		if r.Index = b.p.Table.Index(d.Index); r.Index == nil {
			names := models.MapSlice(b.p.Table.Indexes, func(x *models.Index) string { return x.Name })
			b.Errorf(path+".index", nearestHint(d.Index, names), "%s has no index %q", b.p.Table.Name, models.Printable(d.Index))
			return r
		}
		if d.Consistent && !r.Index.Local {
			b.Errorf(path+".consistent", "remove it, or query the table", "DynamoDB has no consistent reads of a global index")
		}
	}
	r.Projection = d.Projection
	b.checkProjection(path+".projection", r)
	if fan != nil {
		r.FanOut = b.fanOut(path+".fan_out", fan)
	}
	for _, k := range d.Key {
		if c, ok := b.condition(path+".key."+k.Key, k.Key, k.Value, r.Index); ok {
			r.Key = append(r.Key, c)
		}
	}
	b.period(path+".fan_out", fan, &r)
	b.shards(path+".fan_out", fan, &r)
	for i, f := range d.Filter {
		r.Filter = append(r.Filter, b.filter(fmt.Sprintf("%s.filter.%d", path, i), f))
	}
	return r
}

func (b *patternBuilder) markUsed(t models.Template) models.Template {
	for _, n := range t.Placeholders() {
		b.used = models.AppendOnce(b.used, n)
	}
	return t.Bind(func(name string) *models.Attribute {
		_, a := b.paramAttribute("", name, paramDecl{}, b.p.Returns)
		return a
	})
}

func (b *patternBuilder) condition(path, name string, d conditionDecl, x *models.Index) (accesspatterns.KeyCondition, bool) {
	keys := slices.Concat(b.p.Table.KeysOf(x))
	c := accesspatterns.KeyCondition{Attribute: models.Key{Name: name, Type: models.TypeS}}
	if i := models.KeyPosition(keys, name); i >= 0 {
		c.Attribute = keys[i]
	}
	var words []string
	for _, f := range comparisons[string](d) {
		words = append(words, f.word)
		c.Compare, c.Template = f.compare, b.markUsed(b.template(placed.Join(path, f.word), f.value))
	}
	if d.Between != nil {
		words = append(words, "between")
	}
	if d.Range+d.From+d.To != "" {
		words = append(words, "range")
	}
	if d.Digest != "" && !slices.Equal(words, []string{"equals"}) {
		b.Errorf(path+".digest", "write equals:", "a digest can only be compared for equality")
		return c, false
	}
	c.Template = b.withDigest(path, c.Template, d.Digest)
	switch {
	case slices.Equal(words, []string{"lte", "gte"}):
		return b.betweenCondition(path, c, []string{d.AtLeast, d.AtMost})
	case len(words) > 1:
		b.Errorf(path, "write one of them, or gte: with lte:", "condition has %s; DynamoDB allows one comparison of a key attribute",
			strings.Join(words, " and "))
		return c, false
	case d.Between != nil:
		return b.betweenCondition(path, c, d.Between)
	case len(words) == 1 && words[0] != "range":
		b.checkKeysSortByTime(path, c)
		return c, !c.Template.IsZero()
	case d.Range != "":
		return b.rangeCondition(path, c, d)
	}
	if d.From != "" || d.To != "" {
		b.Errorf(path, "add range: with the name of the placeholder that is compared", "from: and to: without range:")
		return c, false
	}
	b.Errorf(path, `write a template, begins_with:, or range: with from: and to:`, "condition is empty")
	return c, false
}

func (b *patternBuilder) betweenCondition(path string, c accesspatterns.KeyCondition, ends []string) (accesspatterns.KeyCondition, bool) {
	if len(ends) != 2 {
		b.Errorf(path+".between", "write [lower, upper]", "between needs two values, found %d", len(ends))
		return c, false
	}
	c.Compare = accesspatterns.Between
	c.Template, c.Upper = b.markUsed(b.template(path+".between.0", ends[0])), b.markUsed(b.template(path+".between.1", ends[1]))
	b.checkKeysSortByTime(path, c)
	return c, !c.Template.IsZero() && !c.Upper.IsZero()
}

func (b *patternBuilder) rangeCondition(path string, c accesspatterns.KeyCondition, d conditionDecl) (accesspatterns.KeyCondition, bool) {
	c.Compare, c.On = accesspatterns.Range, d.Range
	var attribute *models.Attribute
	for _, e := range b.p.Returns {
		if t, ok := e.KeyTemplate(c.Attribute.Name); ok && t.Has(d.Range) {
			c.KeyTemplate, attribute = t, e.Attribute(d.Range)
			break
		}
	}
	if c.KeyTemplate.IsZero() {
		b.Errorf(path+".range", "", "no key template of %s in %s contains {%s}", c.Attribute.Name,
			strings.Join(b.decl.Returns, ", "), d.Range)
		return c, false
	}
	for _, s := range c.KeyTemplate.Segments() {
		if s.Name == d.Range {
			if !s.TimeFormat().IsReversed() {
				b.checkSortsByTime(path+".range", "{"+s.Name+"}", s.TimeFormat())
			}
			if attribute != nil && !attribute.KeyOnly && s.IsTruncated() { // a filter on the attribute completes the range
				b.checkSortsByTime(path+".range", attribute.Path, attribute.Format)
			}
			if !s.Format.KeepsOrder(c.Attribute.Type == models.TypeN) {
				b.Errorf(path+".range", "give a quotient a width, such as {n:div 100 06d}, and read each shard by a fan-out",
					"{%s} does not sort like its values, so it has no ranges", s.PartName())
			}
			break
		}
		if s.Name != "" {
			b.used = models.AppendOnce(b.used, s.Name)
		}
	}
	c.From, c.To = b.markUsed(b.template(path+".from", d.From)), b.markUsed(b.template(path+".to", d.To))
	return c, true
}

func (b *patternBuilder) variants() {
	for i, v := range b.decl.Variants {
		path := fmt.Sprintf("%s.variants.%d", b.path, i)
		v.Operation = cmp.Or(v.Operation, b.decl.Operation)
		if len(v.When) == 0 {
			b.Errorf(path, "list the parameters that select it", "variant has no when:, so it would always replace the pattern's request")
		}
		if v.Operation == string(accesspatterns.Write) {
			b.Errorf(path+".operation", "use get, query or scan, or declare another pattern", "a variant cannot write")
		}
		v.Order = cmp.Or(v.Order, b.decl.Order)
		if v.Projection == nil {
			v.Projection = b.decl.Projection
		}
		v.Consistent = v.Consistent || b.decl.Consistent && (v.Index == "" || v.Index == b.decl.Index)
		b.p.Variants = append(b.p.Variants, accesspatterns.Variant{When: v.When, Read: b.read(path, v.requestDecl, v.FanOut)})
		for _, name := range v.When {
			b.used = models.AppendOnce(b.used, name)
		}
	}
}

func (b *patternBuilder) limit() {
	b.checkPositive(b.path+".stop_after", b.decl.StopAfter)
	limit := b.decl.Limit
	if limit == "" {
		return
	}
	if strings.HasPrefix(limit, "{") {
		b.p.PageParam = strings.Trim(limit, "{}")
		b.used = models.AppendOnce(b.used, b.p.PageParam)
		return
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 1 {
		b.Errorf(b.path+".limit", "", "expected a number of rows or a {parameter}, found %q", models.Printable(limit))
	}
	b.p.PageSize = n
}

// documented builds the request in the document. Its placeholders are not parameters.
func (b *patternBuilder) documented() {
	if b.decl.AsDocumented == nil {
		return
	}
	d := *b.decl.AsDocumented
	d.Operation = cmp.Or(d.Operation, string(accesspatterns.Query))
	b.p.AsDocumented = &accesspatterns.DocumentedRead{Read: b.read(b.path+".as_documented", d.requestDecl, nil), Limit: d.Limit}
}

// params builds declared parameters first, then other placeholders. It builds fan-out placeholders only if declared.
func (b *patternBuilder) params() {
	names := b.decl.Parameters.Keys()
	for _, n := range b.used {
		if !b.isFannedOut(n) {
			names = models.AppendOnce(names, n)
		}
	}
	for _, name := range names {
		d, _ := b.decl.Parameters.Get(name)
		if d.Attribute == "" {
			d.Attribute = b.comparedAttribute(name)
		}
		q := b.param(b.path+".parameters."+name, name, d, b.p.Returns)
		q.List = d.List
		q.AllowsEmpty = mayBeEmpty(q, b.keyTemplates())
		b.p.Params = append(b.p.Params, q)
	}
	for _, q := range b.p.Params {
		b.checkValues(b.path+".parameters."+q.Name, q, b.p.Params)
	}
	for _, v := range b.p.Variants {
		for _, n := range v.When {
			if q := b.p.Param(n); q != nil {
				q.Required = false
			}
		}
	}
	for _, q := range b.p.Params {
		if d, _ := b.decl.Parameters.Get(q.Name); d.Required == nil && b.isOnlyInTails(q.Name) {
			q.Required = false
		}
	}
}

func (b *patternBuilder) keyTemplates() []models.Template {
	var list []models.Template
	for _, r := range b.reads() {
		for _, c := range r.Key {
			list = append(list, c.Template)
		}
	}
	return list
}

func mayBeEmpty(q *accesspatterns.Param, keys []models.Template) bool {
	return slices.ContainsFunc(keys, func(t models.Template) bool {
		return t.Bind(func(string) *models.Attribute { return q.Attribute }).MayBeEmpty(q.Name)
	})
}

// comparedAttribute returns the attribute that a parameter is compared with: {from} has the format of createdAt.
func (b *patternBuilder) comparedAttribute(name string) string {
	if _, a := b.paramAttribute("", name, paramDecl{}, b.p.Returns); a != nil {
		return ""
	}
	for _, r := range b.reads() {
		for _, other := range r.ComparedAttributes(name) {
			if e, a := b.paramAttribute("", other, paramDecl{}, b.p.Returns); a != nil {
				return e.Name + "." + a.Path
			}
		}
	}
	return ""
}

func (b *builder) param(path, name string, d paramDecl, entities []*models.Entity) *accesspatterns.Param {
	q := &accesspatterns.Param{Name: name, Default: d.Default, From: d.From, Description: d.Description}
	q.Entity, q.Attribute = b.paramAttribute(path, name, d, entities)
	if a := q.Attribute; a != nil {
		q.Enum, q.OpenEnum, q.Format, q.Prefix, q.Sensitive = a.Enum, a.OpenEnum, a.Format, a.Prefix, a.Sensitive
		q.Labels = a.Labels
		q.Description = cmp.Or(q.Description, a.Description)
	}
	b.checkFormat(path+".format", d.Format)
	b.checkWord(path+".sensitive", d.Sensitive, sensitivities())
	if d.Format != "" {
		q.Format = models.Format(d.Format)
	}
	if d.Sensitive != "" {
		q.Sensitive = models.Sensitivity(d.Sensitive)
	}
	if len(d.Enum) > 0 {
		q.Enum = d.Enum
	}
	if len(d.Labels) > 0 {
		if len(q.Enum) == 0 {
			q.Enum = d.Labels.Keys()
		}
		q.Labels = b.labelsOf(path+".labels", name, d.Labels, q.Enum, q.OpenEnum)
	}
	q.Type = b.paramType(path, q, d)
	b.bounds(path, q, d)
	for i, w := range d.DefaultWhen {
		if len(w.If) != 1 {
			b.Errorf(fmt.Sprintf("%s.default_when.%d.if", path, i), "", "expected one parameter with its values")
			continue
		}
		q.DefaultWhen = append(q.DefaultWhen, accesspatterns.DefaultWhen{Param: w.If[0].Key, Values: w.If[0].Value, Value: w.Value})
	}
	q.Required = d.Default == "" && q.Type != accesspatterns.Token
	if d.Required != nil {
		q.Required = *d.Required && d.Default == ""
	}
	return q
}

func (b *builder) bounds(path string, q *accesspatterns.Param, d paramDecl) {
	for _, bound := range []struct {
		word, text string
		to         *string
	}{{"maximum", d.Maximum, &q.Maximum}, {"minimum", d.Minimum, &q.Minimum}} {
		switch q.Type {
		case accesspatterns.Number, accesspatterns.Integer, accesspatterns.Timestamp, accesspatterns.Day:
			if bound.text != "" && b.checkValue(path+"."+bound.word, q, bound.text) {
				*bound.to = bound.text
			}
		default:
			if bound.text != "" {
				b.Errorf(path+"."+bound.word, "set type: number, or remove it", "a value of type %s has no %s", q.Type, bound.word)
			}
		}
	}
}

func (b *builder) checkValue(path string, q *accesspatterns.Param, text string) bool {
	var invalid *accesspatterns.ParamError
	_, err := q.Read(text, time.Now())
	isInvalid := q.Type != accesspatterns.String && errors.As(err, &invalid)
	if isInvalid {
		b.Errorf(path, "", "%s", invalid.Reason)
	}
	return !isInvalid
}

func (b *builder) checkValues(path string, q *accesspatterns.Param, known []*accesspatterns.Param) {
	if q.Default != "" {
		b.checkValue(path+".default", q, q.Default)
	}
	for i, w := range q.DefaultWhen {
		at := fmt.Sprintf(".default_when.%d", i)
		b.checkWord(path+at+".if", w.Param, models.MapSlice(known, func(p *accesspatterns.Param) string { return p.Name }))
		b.checkValue(path+at+".value", q, w.Value)
	}
}

func (b *builder) paramAttribute(path, name string, d paramDecl, entities []*models.Entity) (*models.Entity, *models.Attribute) {
	if d.Attribute != "" {
		return b.attributeRef(path+".attribute", d.Attribute)
	}
	for _, e := range entities {
		if a := e.Attribute(name); a != nil {
			return e, a
		}
	}
	return nil, nil
}

func (b *builder) paramType(path string, q *accesspatterns.Param, d paramDecl) accesspatterns.ParamType {
	b.checkWord(path+".type", d.Type, texts(accesspatterns.ParamTypes()...))
	switch {
	case d.Type != "":
		return accesspatterns.ParamType(d.Type)
	case q.Format.IsDay():
		return accesspatterns.Day
	case q.Format.IsTime():
		return accesspatterns.Timestamp
	case len(q.Enum) > 0:
		return accesspatterns.Enum
	case q.Attribute != nil && q.Attribute.Type == models.TypeN:
		return accesspatterns.Number
	case q.Attribute != nil && q.Attribute.Type == models.TypeBOOL:
		return accesspatterns.Boolean
	default:
		return accesspatterns.String
	}
}

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
		case !known && models.KeyPosition(keys, name) < 0:
			var names []string
			for _, e := range b.p.Returns {
				names = append(names, paths(e.Attributes)...)
			}
			b.Errorf(at, nearestHint(name, names), "no attribute %q in %s", models.Printable(name), strings.Join(b.decl.Returns, ", "))
		}
	}
}

func (b *patternBuilder) checkLists(path string, r accesspatterns.Read) {
	previousList := ""
	for _, q := range b.p.Params {
		at := b.path + ".parameters." + q.Name + ".list"
		if !q.List || !r.Has(q.Name) {
			continue
		}
		inKey := func(c accesspatterns.KeyCondition) bool {
			return c.Template.Has(q.Name) && (c.Compare == accesspatterns.Matches || c.Compare == accesspatterns.Equal)
		}
		otherRead := r
		otherRead.Key = slices.DeleteFunc(slices.Clone(r.Key), inKey)
		switch {
		case previousList != "":
			b.Errorf(at, "keep one", "%s and %s both take several values in %s", previousList, q.Name, path)
		case r.FanOut != nil:
			b.Errorf(at, "remove one of the two", "fan_out: and a list parameter cannot be combined")
		case !slices.ContainsFunc(r.Key, inKey) || otherRead.Has(q.Name):
			b.Errorf(at, "use it in an equality condition of a key, or remove list:",
				"a list parameter works only in equality conditions of a key")
		}
		previousList = q.Name
	}
	for _, q := range b.p.Params {
		if q.List && !slices.ContainsFunc(b.reads(), func(r accesspatterns.Read) bool { return r.Has(q.Name) }) {
			b.Errorf(b.path+".parameters."+q.Name+".list", "remove list:", "no key condition uses {%s}", q.Name)
		}
	}
}
