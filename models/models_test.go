package models_test

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

func s(text string) types.AttributeValue { return models.StringValue(text) }

func n(digits string) types.AttributeValue { return &types.AttributeValueMemberN{Value: digits} }

// m is a map of one entry.
func m(name string, v types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{name: v}}
}

func l(values ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: values}
}

func null() types.AttributeValue { return &types.AttributeValueMemberNULL{Value: true} }

type option func(*models.Attribute)

// attr is a string attribute that the options change.
func attr(name string, options ...option) *models.Attribute {
	a := &models.Attribute{Name: name, Path: name, Type: models.TypeS, Documented: true}
	for _, change := range options {
		change(a)
	}
	return a
}

func pii(a *models.Attribute)      { a.Sensitive = models.PII }
func secret(a *models.Attribute)   { a.Sensitive = models.Secret }
func required(a *models.Attribute) { a.Required = true }
func keyOnly(a *models.Attribute)  { a.KeyOnly = true }

func format(f models.Format) option { return func(a *models.Attribute) { a.Format = f } }
func prefix(p string) option        { return func(a *models.Attribute) { a.Prefix = p } }
func enum(words ...string) option   { return func(a *models.Attribute) { a.Enum = words } }

// document makes a map of the attributes. Nested ones are written before what
// holds them, so their paths are completed here.
func document(inner ...*models.Attribute) option {
	return func(a *models.Attribute) {
		a.Type, a.Attributes = models.TypeM, inner
		var complete func(string, []*models.Attribute)
		complete = func(outer string, list []*models.Attribute) {
			for _, n := range list {
				n.Path = outer + "." + n.Name
				complete(n.Path, n.Attributes)
			}
		}
		complete(a.Name, inner)
	}
}

func key(name string) models.Key { return models.Key{Name: name, Type: models.TypeS} }

// entity is sealed; keys are pairs of a key attribute and its template.
func entity(table *models.Table, name string, keys map[string]string, attributes ...*models.Attribute) *models.Entity {
	e := &models.Entity{Name: name, Table: table, Keys: map[string]models.Template{}, Attributes: attributes}
	for k, text := range keys {
		e.Keys[k] = models.MustTemplate(text)
	}
	e.Seal()
	return e
}
