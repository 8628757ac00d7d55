package raw

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Query is a user-written read of a table or of an index.
type Query struct {
	Schema    string // the name of the schema
	Table     *models.Table
	Entities  []*models.Entity // entities of the table
	Index     *models.Index    // nil for the table itself
	Operation accesspatterns.Operation
	accesspatterns.CustomQuery
	// Masker is the user's masker. ddbdesk, not DynamoDB, compares values that Masker may hide, so that neither a count
	// nor a cost depends on them.
	Masker *models.Masker
}

// Pattern returns the query's pattern and the values of its parameters. Every error is an *accesspatterns.ParamError.
func (q Query) Pattern() (*accesspatterns.Pattern, map[string]string, error) {
	c := &compiler{Query: q, args: map[string]string{}, equal: map[string]Assignment{}}
	c.p = &accesspatterns.Pattern{
		ID: string(q.Operation), Profile: q.Schema, Title: "Custom query", Table: q.Table, Returns: q.Entities, CustomQuery: &q.CustomQuery,
		PageSize: q.Limit, Read: accesspatterns.Read{Operation: q.Operation, Index: q.Index, Descending: q.Descending},
	}
	c.partition, c.sort = q.Table.KeysOf(q.Index)
	if q.Index != nil {
		c.p.ID += "-" + q.Index.Name
	}
	where := make([]Comparison, len(q.Where))
	for i, text := range q.Where {
		var err error
		if where[i], err = ParseComparison(text); err != nil {
			return nil, nil, err
		}
	}
	if err := c.compileKeys(); err != nil {
		return nil, nil, err
	}
	for _, w := range c.compileSortKey(where) {
		if err := c.addFilter(w); err != nil {
			return nil, nil, err
		}
	}
	return c.p, c.args, nil
}

// A compiler builds the pattern of a query.
type compiler struct {
	Query

	p               *accesspatterns.Pattern
	args            map[string]string
	partition, sort []models.Key
	equal           map[string]Assignment // assignments of the key, by attribute
	next            *models.Key           // the sort key attribute that may be compared, or nil
}

// compileKeys adds the conditions on the whole primary key, or on the partition key and the first sort keys.
func (c *compiler) compileKeys() error {
	all := slices.Concat(c.partition, c.sort)
	for _, text := range c.Key {
		a, err := ParseAssignment(text)
		if err != nil {
			return err
		}
		i := models.KeyPosition(all, a.Path[0])
		switch {
		case c.Operation == accesspatterns.Scan || i < 0 || len(a.Path) > 1:
			hint := map[bool]string{false: "; to compare it, use --where"}[c.Operation == accesspatterns.Get]
			return syntaxErrorf(a.WithoutType(), "not a key attribute (%s)%s", strings.Join(names(all), ", "), hint)
		case a.Type != "" && a.Type != all[i].Type:
			return syntaxErrorf(a.WithoutType(), "the key has type %s", all[i].Type)
		}
		if _, duplicate := c.equal[a.Path[0]]; duplicate {
			return syntaxErrorf(a.WithoutType(), "set twice; omit one of the values")
		}
		if _, err := models.ScalarValue(all[i].Type, a.Value); err != nil {
			return syntaxErrorf(a.WithoutType(), "%v", err)
		}
		c.equal[a.Path[0]] = a
	}
	if c.Operation == accesspatterns.Scan {
		return nil
	}
	missing := ""
	for i, k := range all {
		a, isSet := c.equal[k.Name]
		switch {
		case !isSet && (i < len(c.partition) || c.Operation == accesspatterns.Get):
			return syntaxErrorf(k.Name, "missing; add %s=VALUE", Name{Path: []string{k.Name}}.WithoutType())
		case !isSet && missing == "":
			missing, c.next = k.Name, &all[i]
		case isSet && missing != "":
			return syntaxErrorf(a.WithoutType(), "the key requires %s first; add %[1]s=VALUE, or compare this attribute with --where", missing)
		case isSet:
			c.addCondition(k, accesspatterns.Equal, a.Value)
		}
	}
	return nil
}

func names(keys []models.Key) []string {
	return models.MapSlice(keys, func(k models.Key) string { return Name{Path: []string{k.Name}}.WithoutType() })
}

func (c *compiler) addCondition(k models.Key, o accesspatterns.Operator, values ...string) {
	cond := accesspatterns.KeyCondition{Attribute: k, Compare: o}
	n := Name{Path: []string{k.Name}}
	for i, v := range values {
		if t := c.addParameter(n, v); i == 0 {
			cond.Template = t
		} else {
			cond.Upper = t
		}
	}
	c.p.Read.Key = append(c.p.Read.Key, cond)
}

// addParameter returns the template of a value, which becomes a parameter. Empty text is neither a parameter nor a key.
func (c *compiler) addParameter(n Name, value string) models.Template {
	if value == "" {
		return models.Template{}
	}
	name := n.WithoutType()
	for i := 2; c.p.Param(name) != nil; i++ {
		name = n.WithoutType() + " " + strconv.Itoa(i)
	}
	q := &accesspatterns.Param{Name: name, Type: accesspatterns.String, Required: true, Sensitive: c.sensitivity(n, value)}
	c.p.Params = append(c.p.Params, q)
	c.args[name] = value
	return models.Placeholder(name, nil)
}

// sensitivity returns the strictest sensitivity that an entity declares for the attribute. If the value is a complete key
// of some entity, entities whose keys begin with other literals do not count.
func (c *compiler) sensitivity(n Name, value string) models.Sensitivity {
	var strictest, ofValue models.Sensitivity
	isKey := false
	for _, e := range c.Entities {
		strictest = e.Stricter(strictest, n.Path)
		t, ok := e.Keys[n.Path[0]]
		if strings.HasPrefix(value, t.LiteralPrefix()) {
			ofValue = e.Stricter(ofValue, n.Path)
		}
		if ok && len(n.Path) == 1 {
			_, err := t.Parse(value)
			isKey = isKey || err == nil
		}
	}
	if isKey {
		return ofValue
	}
	return strictest
}

// compileSortKey turns comparisons of the sort key into a key condition if DynamoDB supports it. It returns all others.
func (c *compiler) compileSortKey(where []Comparison) []Comparison {
	for c.next != nil {
		k := *c.next
		isUsable := func(w Comparison, o accesspatterns.Operator) bool {
			return w.Compare == o && len(w.Path) == 1 && w.Path[0] == k.Name && (w.Type == "" || w.Type == k.Type) &&
				!slices.ContainsFunc(w.Values, func(v string) bool { return !isValidAs(k.Type, v) || v == "" || c.mayRevealKey(k, v) })
		}
		indexOf := func(o accesspatterns.Operator) int {
			return slices.IndexFunc(where, func(w Comparison) bool { return isUsable(w, o) })
		}
		low, high := indexOf(accesspatterns.GreaterOrEqual), indexOf(accesspatterns.LessOrEqual)
		if low >= 0 && high >= 0 && indexOf(accesspatterns.Equal) < 0 {
			c.addCondition(k, accesspatterns.Between, where[low].Values[0], where[high].Values[0])
			where = slices.Delete(where, max(low, high), max(low, high)+1)
			return slices.Delete(where, min(low, high), min(low, high)+1)
		}
		for _, o := range []accesspatterns.Operator{
			accesspatterns.Equal, accesspatterns.Between, accesspatterns.BeginsWith, accesspatterns.GreaterOrEqual, accesspatterns.Greater,
			accesspatterns.LessOrEqual, accesspatterns.Less, "",
		} {
			i := indexOf(o)
			switch {
			case o == "":
				return where
			case i < 0 || o == accesspatterns.BeginsWith && k.Type == models.TypeN:
				continue
			}
			c.addCondition(k, o, where[i].Values...)
			where = slices.Delete(where, i, i+1)
			if o != accesspatterns.Equal {
				return where
			}
			break
		}
		// After an equality on one key, the query may compare the next one.
		if at := models.KeyPosition(c.sort, k.Name); at+1 < len(c.sort) {
			c.next = &c.sort[at+1]
		} else {
			c.next = nil
		}
	}
	return where
}

func (c *compiler) addFilter(w Comparison) error {
	f := accesspatterns.FilterCondition{Attribute: w.Dotted(), Names: w.Path, Compare: w.Compare}
	f.ClientSide = c.mayHide(w) || c.Operation == accesspatterns.Query &&
		models.KeyPosition(slices.Concat(c.partition, c.sort), w.Path[0]) >= 0
	if c.Operation == accesspatterns.Get {
		return syntaxErrorf(w.WithoutType(), "a filter does not apply to a single item; omit it")
	}
	if c.Masker.HidesName(c.Table, w.Path[0]) {
		return syntaxErrorf(w.WithoutType(), "the attribute is masked, because its name may be personal data")
	}
	if len(w.Values) == 0 {
		c.p.Read.Filter = append(c.p.Read.Filter, f)
		return nil
	}
	kinds := c.possibleTypes(w)
	if len(kinds) == 0 {
		values := models.Printable(strings.Join(w.Values, and))
		swapped := w
		swapped.Values = slices.Clone(w.Values)
		slices.Reverse(swapped.Values)
		if w.Compare == accesspatterns.Between && len(c.possibleTypes(swapped)) > 0 {
			return syntaxErrorf(w.WithoutType(), "no value is between %s; write the smaller value first", values)
		}
		types := c.declaredTypes(w)
		if w.Type != "" {
			types = []models.Type{w.Type}
		}
		return syntaxErrorf(w.WithoutType(), "%s cannot be compared this way, because the type of %s is %s", values, w.WithoutType(),
			strings.Join(models.MapSlice(types, func(t models.Type) string { return string(t) }), " or "))
	}
	for _, v := range w.Values {
		f.Values = append(f.Values, c.addParameter(w.Name, v))
	}
	list := make([]accesspatterns.FilterCondition, len(kinds))
	for i, kind := range kinds {
		list[i] = f
		list[i].Type = kind
	}
	if len(list) > 1 && w.Compare != accesspatterns.NotEqual {
		list = []accesspatterns.FilterCondition{{Any: list, ClientSide: f.ClientSide}}
	}
	c.p.Read.Filter = append(c.p.Read.Filter, list...)
	return nil
}

// Key returns the primary key in the assignments.
func Key(t *models.Table, assignments []string) (models.Item, error) {
	c := &compiler{
		Query: Query{Table: t, Operation: accesspatterns.Get, CustomQuery: accesspatterns.CustomQuery{Key: assignments}},
		args:  map[string]string{}, equal: map[string]Assignment{},
		p: &accesspatterns.Pattern{},
	}
	c.partition, c.sort = t.KeysOf(nil)
	if err := c.compileKeys(); err != nil {
		return nil, err
	}
	key := models.Item{}
	for _, k := range t.PrimaryKeys() {
		if c.equal[k.Name].Value == "" {
			return nil, syntaxErrorf(k.Name, "the value is empty; DynamoDB does not allow empty key values")
		}
		key[k.Name], _ = models.ScalarValue(k.Type, c.equal[k.Name].Value) // compileKeys validated it.
	}
	return key, nil
}

// mayRevealKey reports whether a bound would reveal masked parts of keys; their literal beginning is not masked.
func (c *compiler) mayRevealKey(k models.Key, value string) bool {
	return slices.ContainsFunc(c.Entities, func(e *models.Entity) bool {
		t, _ := e.KeyTemplate(k.Name)
		literal := t.LiteralPrefix()
		return c.Masker.Hides(e.Stricter(models.NotSensitive, []string{k.Name})) && value != literal && strings.HasPrefix(value, literal)
	})
}

// mayHide reports whether the value may be masked in some item. Items that match no entity show only declared
// attributes, and the content of an undeclared document determines whether it is masked.
func (c *compiler) mayHide(w Comparison) bool {
	isHidden, _ := c.Masker.HidesPath(c.Table, w.Path)
	declared, guessed := models.KeyPosition(c.Table.KeyAttributes(), w.Path[0]) >= 0, false
	for _, e := range c.Entities {
		declared, guessed = declared || e.Attribute(w.Path[0]) != nil, guessed || e.ByName != nil
	}
	isDocument := slices.ContainsFunc(w.Values, func(v string) bool { return isValidAs(models.TypeM, v) || isValidAs(models.TypeL, v) })
	switch comparesPart := len(w.Path) > 1 || w.Compare == accesspatterns.Contains || isDocument; {
	case isHidden:
		return true
	case declared || !c.Masker.Hides(models.PII):
		return false
	case !comparesPart && (w.Compare == accesspatterns.Exists || w.Compare == accesspatterns.NotExists):
		return false
	default:
		return !guessed || comparesPart
	}
}

// possibleTypes returns the written type, the key's, the declared ones, or all that the text and the operator allow.
func (c *compiler) possibleTypes(w Comparison) []models.Type {
	kinds := []models.Type{w.Type}
	if w.Type == "" {
		if kinds = c.declaredTypes(w); len(kinds) == 0 {
			kinds = models.Types()
			isBoolean := func(v string) bool { return strings.EqualFold(v, "true") || strings.EqualFold(v, "false") }
			if slices.ContainsFunc(w.Values, func(v string) bool { return !isBoolean(v) }) {
				kinds = slices.DeleteFunc(kinds, func(kind models.Type) bool { return kind == models.TypeBOOL }) // 1 is a number.
			}
		}
	}
	return slices.DeleteFunc(kinds, func(kind models.Type) bool {
		switch isTextOrBinary := kind == models.TypeS || kind == models.TypeB; {
		case slices.ContainsFunc(w.Values, func(v string) bool { return !isValidAs(kind, v) }):
			return true
		case slices.Contains([]models.Type{models.TypeM, models.TypeL, models.TypeSS, models.TypeNS, models.TypeBS}, kind):
			return w.Compare != accesspatterns.Equal && w.Compare != accesspatterns.NotEqual
		case w.Compare == accesspatterns.BeginsWith:
			return !isTextOrBinary
		case w.Compare == accesspatterns.Between:
			return !isTextOrBinary && kind != models.TypeN || isReversed(kind, w.Values[0], w.Values[1])
		case w.Compare.IsOrdering():
			return !isTextOrBinary && kind != models.TypeN
		}
		return false
	})
}

func isReversed(kind models.Type, low, high string) bool {
	a, errA := models.ScalarValue(kind, low)
	b, errB := models.ScalarValue(kind, high)
	c := accesspatterns.Condition{Attribute: "x", Compare: accesspatterns.Greater}
	c.Values = append(c.Values, b)
	return errA == nil && errB == nil && c.Holds(models.Item{"x": a})
}

// declaredTypes returns an attribute's types according to the key or the entities, or nil if they do not declare it.
func (c *compiler) declaredTypes(w Comparison) []models.Type {
	all := c.Table.KeyAttributes()
	if i := models.KeyPosition(all, w.Path[0]); i >= 0 && len(w.Path) == 1 {
		return []models.Type{all[i].Type}
	}
	var kinds []models.Type
	for _, e := range c.Entities {
		a := e.AttributeAt(w.Path)
		if a == nil || a.KeyOnly {
			continue
		}
		if w.Compare == accesspatterns.Contains {
			if a = a.Member(); a == nil {
				return nil // a list with elements of any type
			}
		}
		kinds = models.AppendOnce(kinds, a.Type)
	}
	return kinds
}

func isValidAs(kind models.Type, text string) bool {
	switch kind {
	case models.TypeNULL:
		return text == "null"
	case models.TypeB:
		_, err := base64.StdEncoding.Strict().DecodeString(text)
		return err == nil && text != ""
	default:
	}
	_, err := models.ValueOf(kind, text)
	return err == nil
}
