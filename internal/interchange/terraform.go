package interchange

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// terraform is the output of `terraform show -json` for a state or a plan, or a state file of version 4. Unlike HCL,
// they contain resolved expressions and modules. https://developer.hashicorp.com/terraform/internals/json-format
var terraform = Format{
	Name: "terraform", Title: "Terraform state or plan",
	Obtain: obtainTerraform,
	recognizes: func(top map[string]any) bool {
		return hasKeys("values")(top) && hasKeys("terraform_version")(top) || hasKeys("planned_values")(top) ||
			hasKeys("terraform_version", "resources")(top) || isConfiguration(top)
	},
	read:  readTerraform,
	write: writeTerraform,
}

// isConfiguration checks that resource types have a provider prefix, because other files also have a resource key.
func isConfiguration(top map[string]any) bool {
	resources, _ := top["resource"].(map[string]any)
	for kind, byName := range resources {
		if _, ok := byName.(map[string]any); !ok || !strings.Contains(kind, "_") {
			return false
		}
	}
	return len(resources) > 0
}

// obtainTerraform is also the hint for configuration files.
const obtainTerraform = "run terraform show -json > schema.json"

type terraformModule struct {
	Resources    []terraformResource `json:"resources"`
	ChildModules []terraformModule   `json:"child_modules"`
}

// A terraformResource is a resource of any type. Its arguments are decoded after the type is known, because different
// resource types use the same names for different types.
type terraformResource struct {
	Address   string          `json:"address"`
	Mode      string          `json:"mode"`
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Values    json.RawMessage `json:"values"`
	Instances []struct {
		Attributes json.RawMessage `json:"attributes"`
	} `json:"instances"` // in a state file
}

func (r terraformResource) place() string { return cmp.Or(r.Address, r.Type+"."+r.Name) }

func (m terraformModule) all() []terraformResource {
	list := m.Resources
	for _, child := range m.ChildModules {
		list = append(list, child.all()...)
	}
	return list
}

func decodeResources[T any](r *reader, list []terraformResource, kind string) (decoded []terraformResource, arguments []T, err error) {
	for _, res := range list {
		if res.Type != kind || res.Mode == "data" {
			continue
		}
		values := []json.RawMessage{res.Values}
		if len(res.Instances) > 0 {
			values = nil
			for _, i := range res.Instances {
				values = append(values, i.Attributes)
			}
		}
		for _, text := range values {
			var parts any
			if err := decodeJSON(text, &parts); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", res.place(), err)
			}
			var v T
			if err := remarshal(parts, &v); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", res.place(), err)
			}
			r.warnUnread(res.place(), parts, v)
			decoded, arguments = append(decoded, res), append(arguments, v)
		}
	}
	return decoded, arguments, nil
}

// A terraformGlobalIndex is an index that is a separate resource.
// https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/dynamodb_global_secondary_index
type terraformGlobalIndex struct {
	TableName  string                `json:"table_name"`
	IndexName  string                `json:"index_name"`
	KeySchema  []terraformKeyElement `json:"key_schema"`
	Projection []struct {
		ProjectionType   string   `json:"projection_type"`
		NonKeyAttributes []string `json:"non_key_attributes"`
	} `json:"projection"`
}

type terraformKeyElement struct {
	AttributeName string `json:"attribute_name"`
	AttributeType string `json:"attribute_type"`
	KeyType       string `json:"key_type"`
}

type terraformTable struct {
	Name        string `json:"name"`
	HashKey     string `json:"hash_key"`
	RangeKey    string `json:"range_key"`
	BillingMode string `json:"billing_mode"`
	StreamOn    bool   `json:"stream_enabled"`
	StreamView  string `json:"stream_view_type"`
	Attribute   []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"attribute"`
	Global []terraformIndex `json:"global_secondary_index"`
	Local  []terraformIndex `json:"local_secondary_index"`
	TTL    []struct {
		AttributeName string `json:"attribute_name"`
		Enabled       bool   `json:"enabled"`
	} `json:"ttl"`
}

type terraformIndex struct {
	Name             string   `json:"name"`
	HashKey          string   `json:"hash_key"`
	RangeKey         string   `json:"range_key"`
	ProjectionType   string   `json:"projection_type"`
	NonKeyAttributes []string `json:"non_key_attributes"`

	KeySchema []terraformKeyElement `json:"key_schema"`
}

func readTerraform(r *reader, f File) error {
	var d struct {
		Values struct {
			RootModule terraformModule `json:"root_module"`
		} `json:"values"`
		Planned struct {
			RootModule terraformModule `json:"root_module"`
		} `json:"planned_values"`
		Resources []terraformResource `json:"resources"`
	}
	if top, err := decodeTop(f.Text); err == nil && isConfiguration(top) {
		return errors.New("the file is a Terraform configuration, in which expressions are not resolved; " + obtainTerraform)
	}
	if err := decodeJSON(f.Text, &d); err != nil {
		return err
	}
	module := d.Values.RootModule
	if len(module.Resources)+len(module.ChildModules) == 0 {
		module = d.Planned.RootModule
	}
	module.Resources = append(module.Resources, d.Resources...)
	list := module.all()
	resources, tables, err := decodeResources[terraformTable](r, list, "aws_dynamodb_table")
	if err != nil {
		return err
	}
	_, globals, err := decodeResources[terraformGlobalIndex](r, list, "aws_dynamodb_global_secondary_index")
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		return noTablesError{"no managed resource of type aws_dynamodb_table"}
	}
	for i, d := range tables {
		var tableIndexes []terraformGlobalIndex
		globals = slices.DeleteFunc(globals, func(x terraformGlobalIndex) bool {
			if x.TableName == d.Name {
				tableIndexes = append(tableIndexes, x)
			}
			return x.TableName == d.Name
		})
		if err := readTerraformTable(r, resources[i], d, tableIndexes); err != nil {
			return fmt.Errorf("%s: %w", resources[i].place(), err)
		}
	}
	for _, res := range list {
		isTable := strings.Contains(res.Type, "dynamodb") && strings.HasSuffix(res.Type, "table")
		if isTable && res.Mode != "data" && res.Type != "aws_dynamodb_table" {
			r.warnf("%s is not read: tables of this type are unknown", models.Printable(res.place()))
		}
	}
	for _, x := range globals {
		r.warnf("skipped index %s: the file has no table %s", models.Printable(x.IndexName), models.Printable(x.TableName))
	}
	return nil
}

func readTerraformTable(r *reader, res terraformResource, d terraformTable, globals []terraformGlobalIndex) error {
	if d.HashKey == "" {
		return errors.New("hash_key is not in the file; a plan omits values that are known only after apply; use the state instead")
	}
	t, err := r.table(cmp.Or(d.Name, res.Name), d.description(globals))
	if err != nil {
		return err
	}
	id := res.Name
	if d.Name != "" && slices.Contains([]string{"this", "main", "default", "table"}, id) { // generic names in modules
		id = d.Name
	}
	t.ID, t.Source = r.tableID(id), res.Type+"."+res.Name
	if d.Name == "" {
		t.Notes = append(t.Notes, draft.CheckNote("table name is unknown until the plan is applied; set name:"))
	}
	r.inferTable(t)
	return nil
}

func (d terraformTable) description(globals []terraformGlobalIndex) tableDescription {
	out := tableDescription{BillingMode: d.BillingMode, KeySchema: keySchema(d.HashKey, d.RangeKey)}
	out.StreamSpecification.StreamEnabled, out.StreamSpecification.StreamViewType = d.StreamOn, d.StreamView
	for _, a := range d.Attribute {
		out.AttributeDefinitions = append(out.AttributeDefinitions, attributeDefinition{a.Name, a.Type})
	}
	for _, ttl := range d.TTL {
		if ttl.Enabled {
			out.TimeToLiveSpecification.AttributeName = ttl.AttributeName
		}
	}
	for _, x := range d.Global {
		keys := keySchema(x.HashKey, x.RangeKey)
		if len(x.KeySchema) > 0 {
			keys = out.keys(x.KeySchema)
		}
		out.GlobalSecondaryIndexes = append(out.GlobalSecondaryIndexes, describedIndex(x.Name, keys, x.ProjectionType, x.NonKeyAttributes))
	}
	for _, x := range globals {
		index := describedIndex(x.IndexName, out.keys(x.KeySchema), string(models.ProjectionAll), nil)
		for _, p := range x.Projection {
			index.Projection.ProjectionType, index.Projection.NonKeyAttributes = p.ProjectionType, p.NonKeyAttributes
		}
		out.GlobalSecondaryIndexes = append(out.GlobalSecondaryIndexes, index)
	}
	for _, x := range d.Local {
		keys := keySchema(d.HashKey, x.RangeKey)
		out.LocalSecondaryIndexes = append(out.LocalSecondaryIndexes, describedIndex(x.Name, keys, x.ProjectionType, x.NonKeyAttributes))
	}
	return out
}

func (d *tableDescription) keys(list []terraformKeyElement) (schema []keyElement) {
	for _, k := range list {
		schema = append(schema, keyElement{k.AttributeName, k.KeyType})
		if k.AttributeType != "" {
			d.AttributeDefinitions = append(d.AttributeDefinitions, attributeDefinition{k.AttributeName, k.AttributeType})
		}
	}
	return schema
}
