package interchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// awsTable is the output of describe-table or the input of CreateTable, alone or in a list, optionally followed by the
// output of describe-time-to-live.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html
var awsTable = Format{
	Name: "aws-table", Title: "table description",
	Obtain: "run aws dynamodb describe-table --table-name NAME > table.json; to include items, pass a folder that also contains an export to S3",
	recognizes: func(top map[string]any) bool {
		list, _ := top[""].([]any)
		for _, v := range append(list, top) {
			if m, _ := v.(map[string]any); hasKeys("Table")(m) || hasKeys("TableDescription")(m) || hasKeys("TimeToLiveDescription")(m) ||
				hasKeys("TableName", "KeySchema")(m) {
				return true
			}
		}
		return false
	},
	read: readAWSTable,
}

// A describedTable is a table description with the fields that only DynamoDB returns.
type describedTable struct {
	tableDescription

	BillingModeSummary struct{ BillingMode, LastUpdateToPayPerRequestDateTime any }
}

func readAWSTable(r *reader, f File) error {
	var parts []json.RawMessage
	if decodeJSON(f.Text, &parts) != nil {
		parts = []json.RawMessage{f.Text}
	}
	for _, part := range parts {
		var d struct {
			Table, TableDescription json.RawMessage
			TimeToLiveDescription   *struct{ AttributeName, TimeToLiveStatus string }
		}
		if err := decodeJSON(part, &d); err != nil {
			return err
		}
		switch tables := r.profile().Tables; {
		case d.TimeToLiveDescription == nil:
			if err := r.addDescribedTable(append(d.Table, d.TableDescription...), part); err != nil {
				return err
			}
		case len(tables) == 0:
			return errors.New("the file describes only a TTL; pass the description of its table before it")
		case strings.HasPrefix(d.TimeToLiveDescription.TimeToLiveStatus, "ENABL"):
			tables[len(tables)-1].TTL = d.TimeToLiveDescription.AttributeName
		}
	}
	return nil
}

func (r *reader) addDescribedTable(text, fallback json.RawMessage) error {
	if len(text) == 0 {
		text = fallback
	}
	var d describedTable
	if err := r.decode(text, &d); err != nil {
		return err
	}
	name, _ := d.TableName.(string)
	if d.BillingMode == nil {
		d.BillingMode = d.BillingModeSummary.BillingMode
	}
	t, err := r.table(name, d.tableDescription)
	if err != nil {
		return err
	}
	r.setName(name)
	r.profile().Tables = append(r.profile().Tables, t)
	r.pendingTables = append(r.pendingTables, t)
	return nil
}

// inferPendingTables infers the parts of tables whose items may be in other files. If a table still has no items,
// the draft does not state that the table is empty, because the import may lack its items.
func (r *reader) inferPendingTables() {
	p := r.profile()
	for _, t := range r.pendingTables {
		p.Tables = slices.DeleteFunc(p.Tables, func(other *draft.Table) bool { return other == t })
		draft.Infer(p, draft.Sample{Table: t, Items: r.newItems(t, r.options.Items[t.Name])}, draft.InferOptions{})
		draft.InferPatterns(p, t)
	}
}

// pulumi is the output of pulumi stack export, with the names of Terraform or CloudFormation in Pulumi's spelling.
// https://www.pulumi.com/docs/iac/cli/commands/pulumi_stack_export/
var pulumi = Format{
	Name: "pulumi", Title: "Pulumi stack export",
	Obtain: "run pulumi stack export > stack.json",
	recognizes: func(top map[string]any) bool {
		d, _ := top["deployment"].(map[string]any)
		return hasKeys("resources")(d)
	},
	read: readPulumi,
}

func readPulumi(r *reader, f File) error {
	var d struct {
		Deployment struct {
			Resources []struct {
				URN, Type       string
				Outputs, Inputs map[string]any
				Delete          bool
			}
		}
	}
	if err := decodeJSON(f.Text, &d); err != nil {
		return err
	}
	found := 0
	for _, res := range d.Deployment.Resources {
		values := res.Outputs
		if len(values) == 0 {
			values = res.Inputs
		}
		name := res.URN[strings.LastIndex(res.URN, ":")+1:]
		var err error
		switch {
		case res.Delete:
			continue
		case res.Type == "aws:dynamodb/table:Table":
			err = r.pulumiTable(name, values)
		case res.Type == "aws-native:dynamodb:Table" || res.Type == "aws-native:dynamodb:GlobalTable":
			c := cloudTemplate{reader: r, skipped: &[]string{}, assumed: &[]string{}, budget: new(maxGeneratedParts)}
			err = c.readTable(name, nil, withPascalCaseNames(values).(map[string]any))
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		found++
	}
	if found == 0 {
		return errors.New("no resource of type aws:dynamodb/table:Table")
	}
	return nil
}

func (r *reader) pulumiTable(name string, values map[string]any) error {
	snake, _ := withSnakeCaseNames(values).(map[string]any)
	for from, to := range map[string]string{
		"attributes": "attribute", "global_secondary_indexes": "global_secondary_index", "local_secondary_indexes": "local_secondary_index",
	} {
		if v, ok := snake[from]; ok {
			snake[to] = v
			delete(snake, from)
		}
	}
	if ttl, ok := snake["ttl"].(map[string]any); ok {
		snake["ttl"] = []any{ttl}
	}
	var d terraformTable
	if err := remarshal(snake, &d); err != nil {
		return err
	}
	r.warnUnread(name, snake, d)
	return readTerraformTable(r, terraformResource{Type: "aws:dynamodb/table:Table", Name: name}, d, nil)
}

func withRenamedKeys(v any, rename func(name string) string) any {
	switch v := v.(type) {
	case []any:
		return models.MapSlice(v, func(x any) any { return withRenamedKeys(x, rename) })
	case map[string]any:
		m := map[string]any{}
		for name, x := range v {
			m[rename(name)] = withRenamedKeys(x, rename)
		}
		return m
	}
	return v
}

func withPascalCaseNames(v any) any {
	return withRenamedKeys(v, func(name string) string { return strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):] })
}

func withSnakeCaseNames(v any) any {
	return withRenamedKeys(v, func(name string) string {
		var b strings.Builder
		for i, c := range name {
			if i > 0 && c >= 'A' && c <= 'Z' {
				b.WriteByte('_')
			}
			b.WriteRune(c)
		}
		return strings.ToLower(b.String())
	})
}
