package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// awsModel is the dynamodb_data_model.json of the AWS data modeling tools. It contains tables, items, and access
// patterns as AWS CLI commands. https://github.com/awslabs/mcp, src/dynamodb-mcp-server
var awsModel = Format{
	Name: "aws-model", Title: "AWS data model",
	Obtain: "pass the dynamodb_data_model.json of the DynamoDB MCP server",
	recognizes: func(top map[string]any) bool {
		return firstTable(top)["TableName"] != nil
	},
	read: readAWSModel,
}

type modelPattern struct {
	Pattern        any    `json:"pattern"`
	Description    string `json:"description"`
	Table          string `json:"table"`
	Index          string `json:"index"`
	Operation      string `json:"dynamodb_operation"`
	Implementation string `json:"implementation"`
	Reason         string `json:"reason"`
}

func readAWSModel(r *reader, f File) error {
	var d struct {
		Tables []tableDescription `json:"tables"`
		Items  map[string][]struct {
			PutRequest struct {
				Item map[string]any
			}
		} `json:"items"`
		Patterns []modelPattern `json:"access_patterns"`
	}
	if err := r.decode(f.Text, &d); err != nil {
		return err
	}
	for i, description := range d.Tables {
		name, _ := description.TableName.(string)
		if name == "" {
			return fmt.Errorf("tables[%d] has no TableName", i)
		}
		t, err := r.table(name, description)
		if err != nil {
			return err
		}
		var rows []map[string]any
		for _, put := range d.Items[name] {
			rows = append(rows, put.PutRequest.Item)
		}
		draft.Infer(r.profile(), draft.Sample{Table: t, Items: r.newItems(t, r.decodeRows(t, rows))}, draft.InferOptions{})
	}
	for _, a := range d.Patterns {
		if err := r.modelPattern(a); err != nil {
			r.warnf("access pattern %v was skipped: %v", a.Pattern, err)
		}
	}
	for _, t := range r.profile().Tables {
		if len(d.Patterns) == 0 {
			draft.InferPatterns(r.profile(), t)
		}
	}
	return nil
}

// modelPattern adds a pattern, or returns an error if it cannot. The import then omits the pattern instead of failing.
func (r *reader) modelPattern(a modelPattern) error {
	q := &draft.Pattern{
		ID: draft.Kebab(a.Description), Title: models.Printable(a.Description), Documented: true,
		Source: []string{"pattern " + fmt.Sprint(a.Pattern)},
	}
	if words := strings.Split(q.ID, "-"); len(words) > 6 {
		q.ID = strings.Join(words[:6], "-")
	}
	if a.Operation == "" {
		return errors.New(a.Reason)
	}
	c, err := parseCommand(a.Implementation)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(r.profile().Tables, func(t *draft.Table) bool { return t.Name == a.Table || t.Name == c.flags["table-name"] })
	if i < 0 {
		return fmt.Errorf("table %q is not in the file", a.Table)
	}
	w := commandPattern{reader: r, table: r.profile().Tables[i], command: c, pattern: q}
	q.Table = w.table.ID
	switch q.Operation = operationWords[a.Operation]; q.Operation {
	case "get":
		err = w.deriveGet()
	case "query":
		err = w.deriveQuery()
	case "scan":
		w.deriveFilter()
	case "write":
		q.Writes = a.Operation
		if err := w.deriveGet(); err != nil || len(q.Returns) == 0 {
			q.Returns = w.entities()[:1]
		}
		q.Key, q.Parameters = nil, nil
	default:
		return fmt.Errorf("operation %s is not supported in schemas", a.Operation)
	}
	if err != nil {
		return err
	}
	if len(q.Returns) == 0 {
		q.Returns = w.entities()
	}
	r.addPattern(q)
	return nil
}

// A command is a parsed AWS CLI command.
type command struct {
	flags map[string]string // values by flag name without dashes; "true" for a flag without a value
}

// parseCommand parses POSIX shell quotes. It does not execute anything or expand shell variables.
func parseCommand(line string) (command, error) {
	c := command{flags: map[string]string{}}
	args, err := shellWords(line)
	if err != nil {
		return c, err
	}
	for i := 0; i < len(args); i++ {
		name, ok := strings.CutPrefix(args[i], "--")
		if !ok {
			continue
		}
		if name, value, ok := strings.Cut(name, "="); ok {
			c.flags[name] = value
			continue
		}
		c.flags[name] = "true"
		if i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
			c.flags[name] = args[i+1]
			i++
		}
	}
	return c, nil
}

func shellWords(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", c) {
				word.WriteRune('\\')
			}
			if c != '\n' { // A backslash at the end of a line continues the command.
				word.WriteRune(c)
				inWord = true
			}
			escaped = false
		case c == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				out = append(out, word.String())
			}
			word.Reset()
			inWord = false
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("its command has an unclosed quote")
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}

// A commandPattern derives a pattern from a command.
type commandPattern struct {
	*reader
	table   *draft.Table
	command command
	pattern *draft.Pattern
}

func (p commandPattern) entities() []string {
	var names []string
	for _, e := range p.profile().Entities {
		if e.Table == p.table.ID {
			names = append(names, e.Name)
		}
	}
	return names
}

func (p commandPattern) item(flag string) (models.Item, error) {
	text := p.command.flags[flag]
	if text == "" {
		return models.Item{}, nil
	}
	it, err := models.ParseItem([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return it, nil
}

// deriveGet finds the entity whose templates fit the key. The key contains example values, so only its form matters.
func (p commandPattern) deriveGet() error {
	key, err := p.item("key")
	if err != nil || len(key) == 0 {
		return errors.Join(err, errIf(len(key) == 0, "its command has no --key"))
	}
	for _, e := range p.profile().Entities {
		if e.Table != p.table.ID || !matchesKey(e, p.table, key) {
			continue
		}
		p.pattern.Returns = []string{e.Name}
		for _, k := range p.table.PrimaryKeys() {
			p.pattern.Key = append(p.pattern.Key, draft.Field{Key: k.Name, Value: e.Template(k.Name)})
		}
		return nil
	}
	return errors.New("its key matches no item in the file")
}

func errIf(condition bool, text string) error {
	if condition {
		return errors.New(text)
	}
	return nil
}

func matchesKey(e *draft.Entity, t *draft.Table, key models.Item) bool {
	for _, k := range t.PrimaryKeys() {
		text, ok := key.Text(k.Name)
		template, err := models.ParseTemplate(e.Template(k.Name), nil)
		if !ok || err != nil {
			return false
		}
		if _, err := template.Parse(text); err != nil {
			return false
		}
	}
	return true
}

// A term is the condition on one attribute in an expression.
type term struct {
	attribute, operator string
	values              []string
}

var (
	betweenText = models.LazyRegexp(`(?i)^\s*(\S+)\s+BETWEEN\s+(\S+)\s+AND\s+(\S+)\s*$`)
	compareText = models.LazyRegexp(`^\s*([#\w.-]+)\s*(=|<>|<=|>=|<|>)\s*(:\w+)\s*$`)
	beginsText  = models.LazyRegexp(`(?i)^\s*begins_with\s*\(\s*([#\w.-]+)\s*,\s*(:\w+)\s*\)\s*$`)
	existsText  = models.LazyRegexp(`(?i)^\s*(attribute_exists|attribute_not_exists)\s*\(\s*([#\w.-]+)\s*\)\s*$`)
	andText     = models.LazyRegexp(`(?i)\s+AND\s+`)
	betweenAnd  = models.LazyRegexp(`(?i)(BETWEEN\s+\S+)\s+AND\s+`)
)

// terms returns in rest the parts that it cannot parse, such as OR, NOT and parentheses. The caller reports them.
func (p commandPattern) terms(flag string) (list []term, rest []string, err error) {
	values, err := p.item("expression-attribute-values")
	if err != nil {
		return nil, nil, err
	}
	names := map[string]string{}
	if text := p.command.flags["expression-attribute-names"]; text != "" {
		if err := decodeJSON([]byte(text), &names); err != nil {
			return nil, nil, fmt.Errorf("--expression-attribute-names: %w", err)
		}
	}
	name := func(s string) string {
		if n, ok := names[s]; ok {
			return n
		}
		return s
	}
	value := func(s string) string {
		text, _ := values.Text(s)
		return text
	}
	expression := betweenAnd().ReplaceAllString(p.command.flags[flag], "$1 \x00 ")
	for _, part := range andText().Split(expression, -1) {
		part = strings.ReplaceAll(part, "\x00", "AND")
		if strings.TrimSpace(part) == "" {
			continue
		}
		if m := betweenText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), "between", []string{value(m[2]), value(m[3])}})
		} else if m := compareText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), m[2], []string{value(m[3])}})
		} else if m := beginsText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[1]), "begins_with", []string{value(m[2])}})
		} else if m := existsText().FindStringSubmatch(part); m != nil {
			list = append(list, term{name(m[2]), strings.ToLower(m[1]), nil})
		} else {
			rest = append(rest, strings.TrimSpace(part))
		}
	}
	return list, rest, nil
}

func (p commandPattern) deriveQuery() error {
	terms, rest, err := p.terms("key-condition-expression")
	if err != nil || len(rest) > 0 {
		return errors.Join(err, errIf(len(rest) > 0, "its key condition cannot be read"))
	}
	index := p.table.Index(p.command.flags["index-name"])
	if name := p.command.flags["index-name"]; index == nil && name != "" {
		return fmt.Errorf("index %s is not in the schema", name)
	}
	if index != nil {
		p.pattern.Index = index.Name
	}
	var entities []*draft.Entity
	for _, e := range p.profile().Entities {
		if e.Table == p.table.ID && !slices.ContainsFunc(terms, func(t term) bool { return !p.canRead(e, t) }) {
			entities = append(entities, e)
		}
	}
	if len(entities) == 0 {
		return errors.New("its key condition matches no item in the file")
	}
	for _, e := range entities {
		p.pattern.Returns = append(p.pattern.Returns, e.Name)
	}
	for _, k := range slices.Concat(p.table.KeysOf(index)) {
		for _, t := range terms {
			if t.attribute == k.Name {
				p.pattern.Key = append(p.pattern.Key, draft.Field{Key: k.Name, Value: p.condition(entities[0], t)})
			}
		}
	}
	if _, ok := p.command.flags["no-scan-index-forward"]; ok {
		p.pattern.Order = "descending"
	}
	p.deriveFilter()
	return nil
}

func (p commandPattern) canRead(e *draft.Entity, t term) bool {
	source := e.Template(t.attribute)
	template, err := models.ParseTemplate(source, nil)
	if err != nil {
		return false
	}
	if t.operator == "=" {
		_, err := template.Parse(t.values[0])
		return err == nil
	}
	literal := template.LiteralPrefix()
	for _, v := range t.values {
		isPrefix := t.operator == "begins_with" && strings.HasPrefix(literal, v)
		if !isPrefix && !strings.HasPrefix(v, literal) {
			return false
		}
	}
	return true
}

// condition uses the template of the first matching entity, because example values cannot distinguish entities.
func (p commandPattern) condition(e *draft.Entity, t term) any {
	source := e.Template(t.attribute)
	if t.operator == "=" {
		return source
	}
	prefix, nextName := prefixUpTo(source, nil)
	if t.operator == "begins_with" {
		for value := t.values[0]; nextName != ""; {
			next, nextPlaceholder := prefixUpTo(source, append(placeholders(prefix), nextName))
			template, err := models.ParseTemplate(strings.TrimSuffix(next, literalEnd(next)), nil)
			if err != nil || len(literalEnd(next)) == 0 || !strings.HasSuffix(value, literalEnd(next)) {
				break
			}
			if _, err := template.Parse(strings.TrimSuffix(value, literalEnd(next))); err != nil {
				break
			}
			prefix, nextName = next, nextPlaceholder
		}
		prefix = cmp.Or(prefix, "{"+nextName+"}")
		return draft.Map{{Key: "begins_with", Value: prefix}}
	}
	if nextName == "" {
		return source
	}
	ends := []string{"from", "to"}
	switch t.operator[:1] {
	case ">":
		ends = ends[:1]
	case "<":
		ends = ends[1:]
	}
	for _, name := range ends {
		if e.Attribute(nextName) != nil {
			p.pattern.Define(name, e.Name+"."+nextName)
		}
	}
	return rangeOf(p.pattern, t.operator, nextName, ends)
}

func placeholders(template string) []string {
	t, err := models.ParseTemplate(template, nil)
	if err != nil {
		return nil
	}
	return t.Placeholders()
}

func literalEnd(template string) string {
	return template[strings.LastIndexByte(template, '}')+1:]
}

func (p commandPattern) deriveFilter() {
	terms, rest, err := p.terms("filter-expression")
	if err != nil {
		rest = append(rest, err.Error())
	}
	for _, t := range terms {
		params := []string{draft.Camel(t.attribute)}
		switch t.operator {
		case "between", ">", ">=":
			params = []string{"from", "to"}[:len(filterWords[t.operator])]
		case "<", "<=":
			params = []string{"to"}
		case "attribute_exists", "attribute_not_exists":
			params = nil
		}
		if m, ok := condition(t.attribute, t.operator, params, func(name string) { p.defineParameter(name, t.attribute) }); ok &&
			t.operator != "in" {
			p.pattern.Filter = append(p.pattern.Filter, m)
		} else {
			rest = append(rest, t.attribute+" "+t.operator)
		}
	}
	for _, part := range rest {
		p.pattern.NotInTheLanguage = append(p.pattern.NotInTheLanguage, "condition "+models.Printable(part))
	}
}

func (p commandPattern) defineParameter(name, attribute string) {
	for _, e := range p.profile().Entities {
		if e.Table == p.table.ID && e.Attribute(attribute) != nil && name != attribute {
			p.pattern.Define(name, e.Name+"."+attribute)
			return
		}
	}
}
