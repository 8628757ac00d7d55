package interchange

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
)

// workbench is a NoSQL Workbench for DynamoDB data model, versions 1.0 to 3.0.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/workbench.Modeler.html
var workbench = Format{
	Name: "workbench", Title: "NoSQL Workbench model",
	Obtain:     "in NoSQL Workbench, choose Export data model, then NoSQL Workbench model",
	recognizes: hasKeys("DataModel"),
	read:       readWorkbench,
	write:      writeWorkbench,
}

type workbenchModel struct {
	ModelName     string
	ModelMetadata struct {
		Author, DateCreated, DateLastModified, Description, AWSService, Version string
	}
	DataModel []workbenchTable
}

type workbenchKey struct {
	AttributeName, AttributeType string
}

func (k *workbenchKey) key() models.Key {
	if k == nil {
		return models.Key{}
	}
	return models.Key{Name: k.AttributeName, Type: models.Type(k.AttributeType)}
}

type workbenchKeys struct {
	PartitionKey workbenchKey
	SortKey      *workbenchKey `json:",omitempty"`
}

type workbenchTable struct {
	TableName              string
	KeyAttributes          workbenchKeys
	NonKeyAttributes       []workbenchKey   `json:",omitempty"`
	TableFacets            []workbenchFacet `json:",omitempty"`
	GlobalSecondaryIndexes []workbenchIndex `json:",omitempty"`
	LocalSecondaryIndexes  []workbenchIndex `json:",omitempty"`
	TableData              []map[string]any `json:",omitempty"`
	DataAccess             map[string]any   `json:",omitempty"`
	BillingMode            string           `json:",omitempty"`
}

type workbenchIndex struct {
	IndexName     string
	KeyAttributes workbenchKeys
	Projection    struct {
		ProjectionType   string
		NonKeyAttributes []string `json:",omitempty"`
	}
}

type workbenchFacet struct {
	FacetName         string
	KeyAttributeAlias struct {
		PartitionKeyAlias string
		SortKeyAlias      string `json:",omitempty"`
	}
	NonKeyAttributes []string         `json:",omitempty"`
	TableData        []map[string]any `json:",omitempty"`
}

// workbenchVersions lists the versions that workbench can read.
var workbenchVersions = []string{"", "1.0", "2.0", "3.0"}

func readWorkbench(r *reader, f File) error {
	var m workbenchModel
	if err := r.decode(f.Text, &m); err != nil {
		return err
	}
	if s := m.ModelMetadata.AWSService; s != "" && s != "Amazon DynamoDB" {
		return fmt.Errorf("the model is for %s, not for Amazon DynamoDB", s)
	}
	if !slices.Contains(workbenchVersions, m.ModelMetadata.Version) {
		r.warnf("unknown model version %s; reading it as 3.0", models.Printable(m.ModelMetadata.Version))
	}
	r.setName(m.ModelName)
	r.profile().Title = models.Printable(m.ModelName)
	r.profile().Description = models.Printable(strings.Join(strings.Fields(m.ModelMetadata.Description), " "))
	if len(m.DataModel) == 0 {
		return errors.New("DataModel has no tables")
	}
	for i, d := range m.DataModel {
		if err := readWorkbenchTable(r, d); err != nil {
			return fmt.Errorf("DataModel[%d]: %w", i, err)
		}
	}
	return nil
}

func readWorkbenchTable(r *reader, d workbenchTable) error {
	if d.TableName == "" || d.KeyAttributes.PartitionKey.AttributeName == "" {
		return errors.New("table needs TableName and KeyAttributes.PartitionKey")
	}
	t := &draft.Table{Table: models.Table{
		ID: r.tableID(d.TableName), Name: d.TableName, Billing: billing(d.BillingMode),
		PartitionKey: d.KeyAttributes.PartitionKey.key(), SortKey: d.KeyAttributes.SortKey.key(),
	}}
	for i, x := range slices.Concat(d.GlobalSecondaryIndexes, d.LocalSecondaryIndexes) {
		r.addIndex(t, &models.Index{
			Name: x.IndexName, Local: i >= len(d.GlobalSecondaryIndexes), PartitionKeys: models.KeyList(x.KeyAttributes.PartitionKey.key()),
			SortKeys:   models.KeyList(x.KeyAttributes.SortKey.key()),
			Projection: models.Projection(x.Projection.ProjectionType), Include: x.Projection.NonKeyAttributes,
		})
	}
	s := draft.Sample{Table: t, Items: r.newItems(t, r.decodeRows(t, d.TableData))}
	var declared []*draft.Entity
	for _, facet := range d.TableFacets {
		items := r.newItems(t, r.decodeRows(t, facet.TableData))
		if e := facet.entity(t, d.NonKeyAttributes); len(items) == 0 && e != nil {
			declared = append(declared, e)
			continue
		}
		if len(items) == 0 {
			r.warnf("facet %s skipped: it has no rows, so its keys are unknown", models.Printable(facet.FacetName))
			continue
		}
		s.Groups = append(s.Groups, draft.Group{Name: facet.FacetName, Items: items, Hints: map[string]string{
			t.PartitionKey.Name: facet.KeyAttributeAlias.PartitionKeyAlias, t.SortKey.Name: facet.KeyAttributeAlias.SortKeyAlias,
		}})
	}
	if ttl := ttlName(d.NonKeyAttributes); ttl != "" {
		t.Notes = append(t.Notes, draft.CheckNote("add ttl: %s if it is the TTL attribute; the model does not name it", ttl))
	}
	if p := r.profile(); len(declared) > 0 && len(s.Items)+len(s.Groups) == 0 {
		p.Tables, p.Entities = append(p.Tables, t), append(p.Entities, declared...)
		draft.InferPatterns(p, t)
		return nil
	}
	draft.Infer(r.profile(), s, draft.InferOptions{})
	if e := r.profile().Entities[len(r.profile().Entities)-1]; e.Undocumented { // without rows
		for _, a := range d.NonKeyAttributes {
			if k := a.key(); e.Attribute(k.Name) == nil && slices.Contains(models.Types(), k.Type) {
				a := &draft.Attribute{Attribute: models.Attribute{Name: k.Name, Type: k.Type, Documented: true}}
				a.GuessSensitivity(k.Name)
				e.Attributes = append(e.Attributes, a)
			}
		}
	}
	r.profile().Entities = append(r.profile().Entities, declared...)
	draft.InferPatterns(r.profile(), t)
	return nil
}

// entity returns the entity of a facet without rows if its aliases are templates, as ddbdesk writes them, or nil.
func (f workbenchFacet) entity(t *draft.Table, types []workbenchKey) *draft.Entity {
	e := &draft.Entity{Name: f.FacetName, Table: t.ID}
	templates := map[string]string{
		t.PartitionKey.Name: f.KeyAttributeAlias.PartitionKeyAlias,
		t.SortKey.Name:      f.KeyAttributeAlias.SortKeyAlias,
	}
	if !strings.Contains(templates[t.PartitionKey.Name]+templates[t.SortKey.Name], "{") {
		return nil
	}
	add := func(a models.Attribute) {
		if a.Documented = true; e.Attribute(a.Name) == nil {
			d := &draft.Attribute{Attribute: a}
			d.GuessSensitivity(a.Name)
			e.Attributes = append(e.Attributes, d)
		}
	}
	for _, k := range types {
		if slices.Contains(f.NonKeyAttributes, k.AttributeName) && slices.Contains(models.Types(), models.Type(k.AttributeType)) {
			add(models.Attribute{Name: k.AttributeName, Type: models.Type(k.AttributeType)})
		}
	}
	for _, k := range t.PrimaryKeys() { // Another key can contain the attribute.
		if text := templates[k.Name]; text == "" || text == "{"+k.Name+"}" {
			add(models.Attribute{Name: k.Name, Type: k.Type, Required: true})
			delete(templates, k.Name)
		}
	}
	for _, k := range t.PrimaryKeys() {
		text, ok := templates[k.Name]
		if !ok {
			continue
		}
		template, err := models.ParseTemplate(text, nil)
		if err != nil {
			return nil
		}
		e.Keys = append(e.Keys, draft.Key{Attribute: k.Name, Template: template.String()})
		for _, name := range template.Placeholders() {
			add(models.Attribute{Name: name, Type: models.TypeS, KeyOnly: true, Required: !slices.Contains(template.Optional(), name)})
		}
	}
	return e
}

func ttlName(list []workbenchKey) string {
	for _, a := range list {
		switch draft.Camel(a.AttributeName) {
		case "ttl", "expirationTtl", "expireAt", "expiresAt", "expiration", "expiry", "timeToLive":
			return a.AttributeName
		}
	}
	return ""
}

// decodeRows accepts plain JSON inside the maps and lists of DynamoDB JSON, as in old files, with a warning.
func (r *reader) decodeRows(t *draft.Table, rows []map[string]any) []models.Item {
	var list []models.Item
	converted := 0
	for _, row := range rows {
		it, err := models.TypedItem(row)
		if err != nil {
			converted++
			it = models.Item{}
			for name, v := range row {
				it[name] = mixedValue(v)
			}
		}
		list = append(list, it)
	}
	if converted > 0 {
		r.warnf("table %s: %s with plain JSON inside a map or list, which was converted", t.Name, english.Plural(converted, "row", ""))
	}
	return list
}

// mixedValue returns a DynamoDB JSON value whose maps and lists may contain plain JSON.
func mixedValue(v any) types.AttributeValue {
	m, _ := v.(map[string]any)
	if it, err := models.TypedItem(map[string]any{"": v}); err == nil && m != nil {
		return it[""]
	}
	fields, isMap := m["M"].(map[string]any)
	list, isList := m["L"].([]any)
	switch {
	case len(m) != 1 || !isMap && !isList:
		return models.PlainValue(v)
	case isMap && len(fields) == 1 && fields["M"] != nil: // the plain JSON is itself a typed map
		return mixedValue(fields)
	case isMap:
		out := &types.AttributeValueMemberM{Value: models.Item{}}
		for name, inner := range fields {
			out.Value[name] = mixedValue(inner)
		}
		return out
	}
	out := &types.AttributeValueMemberL{}
	for _, inner := range list {
		out.Value = append(out.Value, mixedValue(inner))
	}
	return out
}
