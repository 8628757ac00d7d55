package interchange

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/infer"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// cloudFormation is a template of CloudFormation or SAM, what `cdk synth` prints, or a serverless.yml.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-table.html
var cloudFormation = Format{
	Name: "cloudformation", Title: "CloudFormation template",
	Obtain: "give a template with Resources, or the output of cdk synth",
	recognizes: func(top map[string]any) bool {
		return cloudResources(top) != nil
	},
	read:  readCloudFormation,
	write: writeCloudFormation,
}

// cloudResources returns the resources of a template or a serverless.yml, nil for none.
func cloudResources(top map[string]any) map[string]any {
	if inner, ok := top["resources"].(map[string]any); ok {
		top = inner
	}
	resources, _ := top["Resources"].(map[string]any)
	return resources
}

// decodeYAML decodes YAML. The short tags of CloudFormation become its functions: !Ref X is
// {Ref: X}, !Sub is {Fn::Sub: ..}. Aliases are expanded up to a bound, so that a small file
// cannot fill the memory.
func decodeYAML(text []byte) (any, error) {
	var root yaml.Node
	if placed.Blank(text) {
		return nil, errors.New("the file is empty")
	}
	if err := yaml.Load(text, &root); err != nil {
		if at, ok := errors.AsType[*yaml.LoadError](err); ok {
			return nil, fmt.Errorf("line %d: %s", at.Mark.Line, at.Message)
		}
		return nil, errors.New("neither JSON nor YAML")
	}
	budget := 200_000 // parts, with aliases expanded
	return plainNode(&root, &budget)
}

// plainNode returns the value of a node. Budget is the number of parts that it may still have.
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
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			inner, err := plainNode(n.Content[i+1], budget)
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = inner
		}
		v = m
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

// A cloudTemplate resolves the functions of a template.
type cloudTemplate struct {
	*reader
	parameters map[string]any
}

func readCloudFormation(r *reader, f File) error {
	top, err := decodeTop(f.Text)
	if err != nil {
		return err
	}
	c := cloudTemplate{reader: r}
	c.parameters, _ = top["Parameters"].(map[string]any)
	resources := cloudResources(top)
	found := 0
	for _, id := range slices.Sorted(maps.Keys(resources)) {
		resource, _ := resources[id].(map[string]any)
		properties, _ := resource["Properties"].(map[string]any)
		switch resource["Type"] {
		case "AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable":
			err = c.readTable(id, properties)
		case "AWS::Serverless::SimpleTable":
			c.readSimpleTable(id, properties)
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("resource %s: %w", id, err)
		}
		found++
	}
	if found == 0 {
		return errors.New("the template has no DynamoDB table")
	}
	return nil
}

func (c cloudTemplate) readTable(id string, properties map[string]any) error {
	properties, optional := c.resolveIndexes(properties)
	var d tableDescription
	if err := remarshal(properties, &d); err != nil {
		return err
	}
	name, notes := c.tableName(id, d.TableName)
	t, err := c.table(name, d)
	if err != nil {
		return err
	}
	t.ID = c.tableID(id)
	t.Notes = append(t.Notes, notes...)
	t.Source = "Resources." + id
	for _, x := range t.Indexes {
		x.Optional = !x.Local && slices.Contains(optional, x.Name) // a local index is created with its table
	}
	if ttl, ok := properties["TimeToLiveSpecification"].(map[string]any); ok && fmt.Sprint(ttl["Enabled"]) != "false" {
		t.TTL, _ = ttl["AttributeName"].(string)
	}
	infer.Add(c.profile(), infer.Sample{Table: t}, infer.Options{})
	infer.Patterns(c.profile(), t)
	return nil
}

// resolveIndexes replaces indexes inside Fn::If by the indexes themselves, whose names it returns: they exist only on a condition.
func (c cloudTemplate) resolveIndexes(properties map[string]any) (resolved map[string]any, optional []string) {
	resolved = maps.Clone(properties)
	for _, key := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		value := resolved[key]
		whole := false
		if branch, ok := chosen(value); ok {
			value, whole = branch, true
		}
		list, ok := value.([]any)
		if !ok {
			delete(resolved, key)
			continue
		}
		var indexes []any
		for _, x := range list {
			branch, conditional := chosen(x)
			if conditional {
				x = branch
			}
			m, ok := x.(map[string]any)
			if !ok {
				continue
			}
			if name, ok := m["IndexName"].(string); ok && (conditional || whole) {
				optional = append(optional, name)
			}
			if name, ok := c.text(m["IndexName"]); ok {
				m = maps.Clone(m)
				m["IndexName"] = name
			}
			indexes = append(indexes, m)
		}
		resolved[key] = indexes
	}
	return resolved, optional
}

// chosen returns the first branch of Fn::If that is not AWS::NoValue. Which one a deployment
// has is not known to an import.
func chosen(v any) (any, bool) {
	m, _ := v.(map[string]any)
	branches, ok := m["Fn::If"].([]any)
	if !ok || len(branches) != 3 {
		return nil, false
	}
	if ref, ok := branches[1].(map[string]any); ok && ref["Ref"] == "AWS::NoValue" {
		return branches[2], true
	}
	return branches[1], true
}

func (c cloudTemplate) readSimpleTable(id string, properties map[string]any) {
	key := models.Key{Name: "id", Type: models.TypeS}
	if k, ok := properties["PrimaryKey"].(map[string]any); ok {
		if name, ok := k["Name"].(string); ok {
			key.Name = name
		}
		switch k["Type"] {
		case "Number":
			key.Type = models.TypeN
		case "Binary":
			key.Type = models.TypeB
		}
	}
	name, notes := c.tableName(id, properties["TableName"])
	t := &draft.Table{Table: models.Table{ID: c.tableID(id), Name: name, PartitionKey: key, Source: "Resources." + id}, Notes: notes}
	infer.Add(c.profile(), infer.Sample{Table: t}, infer.Options{})
	infer.Patterns(c.profile(), t)
}

// tableName returns the real name of a table. Without one, CloudFormation makes it of the stack, the logical ID and a suffix
// that the template does not have.
func (c cloudTemplate) tableName(id string, v any) (name string, notes []string) {
	if branch, ok := chosen(v); ok {
		v = branch
		notes = append(notes, draft.Check("table name depends on a condition"))
	}
	if text, ok := c.text(v); ok && text != "" {
		return text, notes
	}
	return id, append(notes, draft.Check("table name is not in the template; set name:"))
}

// subText matches the references in Fn::Sub.
var subText = lazy(`\$\{([^}!]+)\}`)

// text resolves a text with functions. References become variables of the profile. It reports
// false for a function that only CloudFormation can compute, such as Fn::ImportValue.
func (c cloudTemplate) text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case map[string]any:
		if ref, ok := v["Ref"].(string); ok {
			return c.reference(ref), true
		}
		switch sub := v["Fn::Sub"].(type) {
		case string:
			return subText().ReplaceAllStringFunc(sub, func(ref string) string { return c.reference(ref[2 : len(ref)-1]) }), true
		case []any:
			if len(sub) > 0 {
				return c.text(map[string]any{"Fn::Sub": sub[0]})
			}
		}
		if join, ok := v["Fn::Join"].([]any); ok && len(join) == 2 {
			parts, _ := join[1].([]any)
			texts := make([]string, len(parts))
			for i, p := range parts {
				if texts[i], ok = c.text(p); !ok {
					return "", false
				}
			}
			return strings.Join(texts, fmt.Sprint(join[0])), true
		}
	}
	return "", false
}

// reference returns a reference as a variable, with the default of its parameter. A name that
// depends on the account or the region becomes a variable too, whose value the user sets with
// --var.
func (c cloudTemplate) reference(name string) string {
	variable := infer.Camel(strings.TrimPrefix(name, "AWS::"))
	value, description := "dev", draft.Check("no default for %s in the template", name)
	if name == "AWS::StackName" {
		variable, value, description = "stack", "dev", "Name of the stack"
	}
	if p, ok := c.parameters[name].(map[string]any); ok {
		allowed, _ := p["AllowedValues"].([]any)
		switch {
		case fmt.Sprint(p["Default"]) != "" && p["Default"] != nil:
			value, description = fmt.Sprint(p["Default"]), ""
		case len(allowed) > 0:
			value, description = fmt.Sprint(allowed[0]), ""
		}
		if text, ok := p["Description"].(string); ok {
			description = strings.TrimSpace(models.Printable(text) + " " + description)
		}
	}
	c.variable(variable, value, description)
	return "{" + variable + "}"
}
