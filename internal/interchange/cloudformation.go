package interchange

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// cloudFormation is a CloudFormation or SAM template, the output of `cdk synth`, or a serverless.yml.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html
var cloudFormation = Format{
	Name: "cloudformation", Title: "CloudFormation template",
	Obtain: "pass a template with Resources, the folder cdk.out, or a serverless.yml with the files that it includes",
	recognizes: func(top map[string]any) bool {
		resources, _ := cloudResources(top)
		return resources != nil
	},
	read:  readCloudFormation,
	write: writeCloudFormation,
}

// decodeYAML converts short tags such as !Ref X to {Ref: X}, and limits aliases, which could exhaust memory.
func decodeYAML(text []byte) (any, error) {
	var root yaml.Node
	if placed.Blank(text) {
		return nil, errors.New("the file is empty")
	}
	if err := yaml.Load(text, &root); err != nil {
		if at, ok := errors.AsType[*yaml.LoadError](err); ok {
			return nil, fmt.Errorf("line %d: %s", at.Mark.Line, at.Message)
		}
		return nil, errors.New("the file is neither JSON nor YAML")
	}
	budget := 200_000 // number of parts, including expanded aliases
	return plainNode(&root, &budget)
}

func plainNode(n *yaml.Node, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, errors.New("the file has too many parts")
	}
	var v any
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, errors.New("the file is empty")
		}
		return plainNode(n.Content[0], budget)
	case yaml.AliasNode:
		return plainNode(n.Alias, budget)
	case yaml.MappingNode:
		m, base := map[string]any{}, map[string]any{} // base contains the values of <<
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := plainNode(n.Content[i+1], budget)
			if err != nil {
				return nil, err
			}
			if n.Content[i].Value != "<<" {
				m[n.Content[i].Value] = inner
				continue
			}
			parts, isList := inner.([]any)
			if !isList {
				parts = []any{inner}
			}
			for _, part := range slices.Backward(parts) { // the first part has priority
				part, _ := part.(map[string]any)
				maps.Copy(base, part)
			}
		}
		maps.Copy(base, m)
		v = base
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			inner, err := plainNode(c, budget)
			if err != nil {
				return nil, err
			}
			list = append(list, inner)
		}
		v = list
	default:
		v = n.Value
	}
	if name, ok := strings.CutPrefix(n.Tag, "!"); ok && !strings.HasPrefix(name, "!") && name != "" {
		if name != "Ref" && name != "Condition" {
			name = "Fn::" + name
		}
		v = map[string]any{name: v}
	}
	return v, nil
}

// A cloudTemplate is a template with the data that its functions need.
type cloudTemplate struct {
	*reader
	file       map[string]any // whole file, for the variables of a serverless.yml
	parameters map[string]any
	skipped    *[]string // parts that the import skipped, with their places
	assumed    *[]string // values that the import uses for variables inside other variables
	budget     *int      // parts that variables may still generate, because a small file could exhaust memory
}

// maxGeneratedParts is the maximum number of parts that the variables of a template may generate.
const maxGeneratedParts = 200_000

func (c cloudTemplate) spend(n int) bool {
	*c.budget -= n
	return *c.budget >= 0
}

func (c cloudTemplate) skip(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	*c.skipped = append(*c.skipped, text)
	c.warnf("%s", text)
}

// readCloudFormation skips unreadable tables with a warning and imports the rest of the file.
func readCloudFormation(r *reader, f File) error {
	top, err := decodeTop(f.Text)
	if err != nil {
		return err
	}
	c := cloudTemplate{reader: r, file: top, skipped: &[]string{}, assumed: &[]string{}, budget: new(maxGeneratedParts)}
	c.parameters, _ = top["Parameters"].(map[string]any)
	c.includeParts(top)
	r.setName(c.serverlessText("${self:service}", func(name string) string {
		value, _ := c.defaultOf(name)
		return value
	}))
	resources, otherSections := cloudResources(top)
	for _, place := range otherSections {
		c.skip("%s is in another file, which is not read; import that file too", place)
	}
	found := 0
	var first error
	for _, id := range slices.Sorted(maps.Keys(resources)) {
		isTable, err := c.readResource(id, resources[id])
		switch {
		case err != nil:
			err = fmt.Errorf("resource %s: %w", id, err)
			first = cmp.Or(first, err)
			c.warnf("%v; it was skipped", err)
		case isTable:
			found++
		}
	}
	if !c.spend(0) {
		c.warnf("the file's variables reference each other too often; names can be incomplete")
	}
	switch {
	case found > 0:
		return nil
	case first != nil:
		return first
	}
	return noTablesError{strings.Join(append([]string{"the template has no DynamoDB table"}, *c.skipped...), "; ")}
}

// A noTablesError is errNoTables with a custom message.
type noTablesError struct{ text string }

func (e noTablesError) Error() string        { return e.text }
func (e noTablesError) Is(target error) bool { return target == errNoTables }

func (c cloudTemplate) readResource(id string, v any) (isTable bool, err error) {
	resource, ok := v.(map[string]any)
	switch {
	case strings.HasPrefix(id, "Fn::"):
		c.skip("Resources.%s is not read; import the output of aws cloudformation get-template --template-stage Processed", id)
		return false, nil
	case !ok:
		c.skip("Resources.%s is in another file, which is not read; import that file too", id)
		return false, nil
	}
	properties, _ := resource["Properties"].(map[string]any)
	switch kind, _ := resource["Type"].(string); {
	case kind == "AWS::DynamoDB::Table" || kind == "AWS::DynamoDB::GlobalTable":
		return true, c.readTable(id, resource, properties)
	case kind == "AWS::Serverless::SimpleTable":
		return true, c.readTable(id, resource, simpleTable(properties))
	case kind == "AWS::CloudFormation::Stack" || kind == "AWS::Serverless::Application" || strings.HasSuffix(kind, "::MODULE"):
		c.skip("Resources.%s (%s) has a template of its own, which is not read; import that template too", id, kind)
	}
	return false, nil
}

func (c cloudTemplate) readTable(id string, resource, properties map[string]any) error {
	l := cloudLiterals{cloudTemplate: c}
	place := "Resources." + id + ".Properties"
	resolved := map[string]any{"TableName": properties["TableName"]}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if name != "TableName" && !isIgnored(reflect.TypeFor[tableDescription](), name) {
			resolved[name] = l.value(place+"."+name, properties[name])
		}
	}
	var d tableDescription
	if err := remarshal(resolved, &d); err != nil {
		return err
	}
	name, notes := c.tableName(id, d.TableName)
	t, err := c.table(name, d)
	if err != nil {
		return append(l.problems, err)[0] // an unresolvable key is the cause
	}
	for _, problem := range l.problems {
		c.warnf("%v; it was skipped", problem)
	}
	c.warnUnread(place, resolved, d)
	t.ID = c.tableID(tableNameOrID(id, name))
	t.Notes = slices.Concat(t.Notes, notes, l.notes, conditionOf(resource))
	t.Source = "Resources." + id
	for _, x := range t.Indexes {
		x.Optional = !x.Local && slices.Contains(l.optional, x.Name) // created together with its table
	}
	c.inferTable(t)
	return nil
}

// tableNameOrID returns the table name if it is literal, otherwise the logical ID without its CDK hash.
func tableNameOrID(id, name string) string {
	if !cdkHash().MatchString(id) {
		return id
	}
	if name != id && !strings.Contains(name, "{") {
		return name
	}
	return cdkHash().ReplaceAllString(id, "$1")
}

func conditionOf(resource map[string]any) []string {
	if name, ok := resource["Condition"].(string); ok {
		return []string{draft.CheckNote("the template creates the table only if %s is true", models.Printable(name))}
	}
	return nil
}

func simpleTable(properties map[string]any) map[string]any {
	key, _ := properties["PrimaryKey"].(map[string]any)
	name := key["Name"]
	if name == nil {
		name = "id"
	}
	keyType := map[string]string{"number": "N", "binary": "B"}[strings.ToLower(fmt.Sprint(key["Type"]))]
	return map[string]any{
		"TableName":            properties["TableName"],
		"AttributeDefinitions": []any{map[string]any{"AttributeName": name, "AttributeType": cmp.Or(keyType, "S")}},
		"KeySchema":            []any{map[string]any{"AttributeName": name, "KeyType": "HASH"}},
	}
}

func (c cloudTemplate) withoutVariables(name string) string {
	for _, v := range c.profile().Variables {
		name = strings.ReplaceAll(name, "{"+v.Name+"}", "")
	}
	return name
}

// tableName returns the resolved name. If it is unknown, it returns the logical ID with a note.
func (c cloudTemplate) tableName(id string, v any) (name string, notes []string) {
	if branch, _, ok := firstBranch(v); ok {
		v = branch
		notes = append(notes, draft.CheckNote("table name depends on a condition"))
	}
	*c.assumed = nil
	text, ok := c.text(v, c.reference)
	switch {
	case ok && strings.ContainsAny(c.withoutVariables(text), "{}$#"): // a function that only the Serverless Framework can evaluate
		note := draft.CheckNote("table name is computed by %s; set name:", models.Printable(fmt.Sprint(v)))
		return tableNameOrID(id, id), append(notes, note)
	case ok && text != "":
		if len(*c.assumed) > 0 {
			notes = append(notes, draft.CheckNote("table name uses %s", strings.Join(*c.assumed, ", ")))
		}
		return text, notes
	}
	if m, ok := v.(map[string]any); ok && len(m) == 1 && m["Ref"] == nil {
		for function := range m {
			return tableNameOrID(id, id), append(notes,
				draft.CheckNote("table name is computed by %s; set name:", models.Printable(function)))
		}
	}
	return tableNameOrID(id, id), append(notes, draft.CheckNote("table name is not in the template; set name:"))
}
