package embedded

import (
	"context"
	"maps"
	"slices"
	"strings"
)

const maxTags = 50

type tagResourceInput struct {
	ResourceArn string
	Tags        []tag
}

// empty is a request without parameters, or a response without content.
type empty struct{}

func (s *Store) tagResource(_ context.Context, in *tagResourceInput) (*empty, error) {
	old, err := s.resource(in.ResourceArn)
	if err != nil {
		return nil, err
	}
	if err := mustHave(in.Tags != nil, "tags"); err != nil {
		return nil, err
	}
	tb := old.copy()
	if tb.Tags, err = mergeTags(old.Tags, in.Tags); err != nil {
		return nil, err
	}
	return &empty{}, s.alter(tb.Name, func(t *tx) (*table, error) { return tb, t.saveTable(tb) })
}

// resource returns the table of an ARN.
func (s *Store) resource(arn string) (*table, error) {
	if err := mustHave(arn != "", "resourceArn"); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(arn, "arn:") || !strings.Contains(arn, ":table/") {
		return nil, invalid("Invalid TableArn: Invalid ResourceArn provided as input %s", arn)
	}
	tb, err := s.table(arn)
	if err != nil {
		return nil, refused("ResourceNotFoundException", "Requested resource not found: ResourcArn: %s not found", arn)
	}
	return tb, nil
}

// mergeTags adds tags to those of a table, within the service's limits.
func mergeTags(old map[string]string, added []tag) (map[string]string, error) {
	merged := maps.Clone(old)
	if merged == nil {
		merged = map[string]string{}
	}
	for _, t := range added {
		if t.Key == "" || len(t.Key) > 128 || len(t.Value) > 256 {
			return nil, invalid("One or more parameter values were invalid: a tag has a key of 1 to 128 and a value of 0 to 256 characters")
		}
		merged[t.Key] = t.Value
	}
	if len(merged) > maxTags {
		return nil, refused("LimitExceededException", "One or more parameter values were invalid: Too many tags: more than %d", maxTags)
	}
	return merged, nil
}

type untagResourceInput struct {
	ResourceArn string
	TagKeys     []string
}

func (s *Store) untagResource(_ context.Context, in *untagResourceInput) (*empty, error) {
	old, err := s.resource(in.ResourceArn)
	if err != nil {
		return nil, err
	}
	if err := mustHave(in.TagKeys != nil, "tagKeys"); err != nil {
		return nil, err
	}
	tb := old.copy()
	tb.Tags = maps.Clone(old.Tags)
	for _, key := range in.TagKeys {
		delete(tb.Tags, key)
	}
	return &empty{}, s.alter(tb.Name, func(t *tx) (*table, error) { return tb, t.saveTable(tb) })
}

type listTagsInput struct {
	ResourceArn string
	NextToken   string
}

type listTagsOutput struct {
	Tags []tag
}

func (s *Store) listTagsOfResource(_ context.Context, in *listTagsInput) (*listTagsOutput, error) {
	tb, err := s.resource(in.ResourceArn)
	if err != nil {
		return nil, err
	}
	out := &listTagsOutput{Tags: []tag{}}
	for _, key := range slices.Sorted(maps.Keys(tb.Tags)) {
		out.Tags = append(out.Tags, tag{key, tb.Tags[key]})
	}
	return out, nil
}

type describeLimitsOutput struct {
	AccountMaxReadCapacityUnits  int64
	AccountMaxWriteCapacityUnits int64
	TableMaxReadCapacityUnits    int64
	TableMaxWriteCapacityUnits   int64
}

// describeLimits returns the service's default quotas, which the store does not enforce.
func (s *Store) describeLimits(context.Context, *empty) (*describeLimitsOutput, error) {
	return &describeLimitsOutput{80000, 80000, 40000, 40000}, nil
}

type endpoint struct {
	Address              string
	CachePeriodInMinutes int64
}

type describeEndpointsOutput struct{ Endpoints []endpoint }

func (s *Store) describeEndpoints(context.Context, *empty) (*describeEndpointsOutput, error) {
	return &describeEndpointsOutput{[]endpoint{{"embedded.invalid", 1440}}}, nil
}
