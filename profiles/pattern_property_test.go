package profiles_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// argumentsFrom fills each parameter of a pattern with a sample value of the parameter's attribute.
func argumentsFrom(p *accesspatterns.Pattern, list []sample.Item, n int) map[string]string {
	args := map[string]string{}
	for _, q := range p.Params {
		if q.Attribute == nil || q.Type == accesspatterns.Token || q.Name == p.PageParam {
			continue
		}
		var values []string
		for _, s := range list {
			if s.Entity != q.Entity {
				continue
			}
			if v, ok := s.Entity.Values(s.Item)(q.Attribute.Path); ok {
				values = append(values, v)
			}
		}
		if len(values) > 0 {
			args[q.Name] = values[n%len(values)]
		}
	}
	return args
}

// fillRequired fills required parameters that the samples lack.
func fillRequired(p *accesspatterns.Pattern, args map[string]string) {
	for _, q := range p.Params {
		if _, ok := args[q.Name]; ok || !q.Required || q.Default != "" {
			continue
		}
		switch q.Type {
		case accesspatterns.Timestamp:
			args[q.Name] = "now-1h"
		case accesspatterns.Day:
			args[q.Name] = "today"
		case accesspatterns.Number, accesspatterns.Integer:
			args[q.Name] = "10"
		case accesspatterns.Boolean:
			args[q.Name] = "true"
		case accesspatterns.Enum:
			args[q.Name] = q.Enum[0]
		case accesspatterns.String, accesspatterns.Token:
			args[q.Name] = "x1"
		}
	}
}

// dropRanges removes times, because the times of two items may be in the wrong order.
func dropRanges(p *accesspatterns.Pattern, args map[string]string) {
	for _, q := range p.Params {
		if q.Type == accesspatterns.Timestamp && (!q.Required || q.Default != "") {
			delete(args, q.Name)
		}
	}
}

func TestEveryReadPatternBindsToSampleItems(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		list := schemas.Samples(t, p, sample.Options{})
		for _, q := range p.Patterns {
			if !q.IsRead() {
				continue
			}
			t.Run(q.ID, func(t *testing.T) {
				for n := range 5 {
					args := argumentsFrom(q, list, n*7)
					dropRanges(q, args)
					fillRequired(q, args)
					checkBind(t, q, args)
					for _, param := range q.Params {
						if !param.Required || param.Default != "" {
							delete(args, param.Name)
						}
					}
					checkBind(t, q, args)
				}
			})
		}
	})
}

func checkBind(t *testing.T, q *accesspatterns.Pattern, args map[string]string) {
	t.Helper()
	r, err := q.Bind(args, schemas.Now)
	if err != nil {
		t.Errorf("%s: binding %v: %v", q.FullID(), args, err)
		return
	}
	if len(r.Legs) == 0 || len(r.Legs) != len(r.Labels) {
		t.Errorf("%s with %v: got %d legs and %d labels", q.FullID(), args, len(r.Legs), len(r.Labels))
	}
	for _, leg := range r.Legs {
		if err := checkLeg(leg); err != nil {
			t.Errorf("%s with %v: %v", q.FullID(), args, err)
		}
	}
	for _, x := range r.Explain(50, nil) {
		if len(x.Input) == 0 {
			t.Errorf("the explanation of %s is empty", q.FullID())
		}
	}
}

var (
	aliasText = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)
	bareText  = regexp.MustCompile(`(^|[\s(,.])[A-Za-z_][A-Za-z0-9_]*`)
	allowed   = []string{"AND", "BETWEEN", "IN", "begins_with", "attribute_exists", "attribute_not_exists"}
)

// checkLeg checks a request like DynamoDB: it has one input, defines and uses every alias, and contains no bare
// attribute name.
func checkLeg(leg accesspatterns.Leg) error {
	switch {
	case leg.Get != nil && leg.Query == nil && leg.Scan == nil:
		if len(leg.Get.Key) == 0 {
			return fmt.Errorf("a GetItem without a key")
		}
		return nil
	case leg.Query != nil && leg.Get == nil && leg.Scan == nil:
		q := leg.Query
		if aws.ToString(q.KeyConditionExpression) == "" {
			return fmt.Errorf("a Query without a key condition")
		}
		return checkExpressions(q.ExpressionAttributeNames, q.ExpressionAttributeValues, q.KeyConditionExpression, q.FilterExpression)
	case leg.Scan != nil && leg.Get == nil && leg.Query == nil:
		s := leg.Scan
		return checkExpressions(s.ExpressionAttributeNames, s.ExpressionAttributeValues, s.FilterExpression)
	default:
		return fmt.Errorf("a leg must have exactly one input")
	}
}

func checkExpressions(names map[string]string, values map[string]types.AttributeValue, list ...*string) error {
	var used []string
	for _, x := range list {
		if x == nil {
			continue
		}
		if *x == "" {
			return fmt.Errorf("an empty expression")
		}
		used = append(used, aliasText.FindAllString(*x, -1)...)
		for _, word := range bareText.FindAllString(*x, -1) {
			word = regexp.MustCompile(`^[\s(,.]`).ReplaceAllString(word, "")
			if !slices.Contains(allowed, word) {
				return fmt.Errorf("%q is not aliased in %s", word, *x)
			}
		}
	}
	for _, u := range used {
		_, name := names[u]
		_, value := values[u]
		if name == value {
			return fmt.Errorf("%s is not defined", u)
		}
	}
	for n := range names {
		if !slices.Contains(used, n) {
			return fmt.Errorf("%s is defined and not used", n)
		}
	}
	for n, v := range values {
		if !slices.Contains(used, n) {
			return fmt.Errorf("%s is defined and not used", n)
		}
		if text, ok := models.ValueText(v); ok && text == "" {
			return fmt.Errorf("%s is empty", n)
		}
	}
	if names != nil && len(names) == 0 || values != nil && len(values) == 0 {
		return fmt.Errorf("an empty map of aliases: DynamoDB rejects it")
	}
	return nil
}

func TestItemPatternsBind(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		offered := map[string]int{}
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			for _, r := range accesspatterns.Relations(p.Patterns, p.Entities, accesspatterns.ItemView(s.Entity, s.Item)) {
				offered[r.Pattern.ID]++
				bound, err := r.Pattern.Bind(r.Args, schemas.Now)
				if err != nil {
					t.Errorf("%s: binding %s with %v: %v", s.Entity.Name, r.Pattern.ID, r.Args, err)
					continue
				}
				for _, leg := range bound.Legs {
					if err := checkLeg(leg); err != nil {
						t.Errorf("%s with %v: %v", r.Pattern.ID, r.Args, err)
					}
				}
			}
		}
		if len(offered) == 0 {
			t.Error("no item has a related pattern")
		}
	})
}
