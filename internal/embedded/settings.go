package embedded

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// These are DynamoDB's limits on a table's tags: their number and the length of keys and values.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Tagging.html
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
)

// resourceInput contains the parameter of the operations on a table's tags.
type resourceInput struct{ ResourceArn string }

func (in *resourceInput) check(c *checks) { c.present(in.ResourceArn != "", "resourceArn") }

func (in *resourceInput) table(s *Store, operation string) (*table, error) {
	arn := in.ResourceArn
	if !strings.HasPrefix(arn, "arn:") || !strings.Contains(arn, ":table/") {
		return nil, apierror.Invalid("Invalid TableArn: Invalid ResourceArn provided as input %s", arn)
	}
	tb, err := s.table(arn)
	if err != nil {
		if !strings.HasPrefix(arn, arnPrefix) {
			return nil, apierror.Protocol("AccessDeniedException", "not authorized to perform: dynamodb:"+operation+" on resource: "+arn)
		}
		// DynamoDB's message has this misspelling.
		return nil, apierror.Refused("ResourceNotFoundException", "Requested resource not found: ResourcArn: %s not found", arn)
	}
	return tb, nil
}

// tag is a label of a table, for example for cost reports.
type tag struct{ Key, Value *string }

// validTag matches the keys and values of tags.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Tagging.html
var validTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{Z}\p{N}+\-=._:/]*$`) })

// reservedTags is the prefix of tag keys that only AWS can assign.
const reservedTags = "aws:"

func (c *checks) tags(tags []tag) {
	for i, t := range tags {
		at := fmt.Sprintf("tags.%d.member.", i+1)
		c.tagPart(t.Key, at+"key", 1, maxTagKey)
		c.tagPart(t.Value, at+"value", 0, maxTagValue)
	}
}

func (c *checks) tagPart(text *string, field string, minimum, maximum int) {
	c.present(text != nil, field)
	if text != nil {
		c.length(*text, utf8.RuneCountInString(*text), field, minimum, maximum)
	}
}

func (t tag) checkCharacters() error {
	switch {
	case strings.HasPrefix(*t.Key, reservedTags):
		return apierror.InvalidParameter("tag key %s begins with %s, which is reserved", *t.Key, reservedTags)
	case !validTag().MatchString(*t.Key):
		return apierror.InvalidParameter("tag key %s contains a character that is not allowed", *t.Key)
	case !validTag().MatchString(*t.Value):
		return apierror.InvalidParameter("tag value %s contains a character that is not allowed", *t.Value)
	}
	return nil
}

// noOutput is a response without content.
type noOutput struct{}

// tagResourceInput is the request to add tags to a table or to replace their values.
type tagResourceInput struct {
	resourceInput
	Tags []tag
}

func (in *tagResourceInput) check(c *checks) {
	in.resourceInput.check(c)
	c.present(in.Tags != nil, "tags")
	c.tags(in.Tags)
}

func (in *tagResourceInput) run(_ context.Context, s *Store) (any, error) {
	old, err := in.table(s, "TagResource")
	if err != nil {
		return nil, err
	}
	tb := old.copy()
	if tb.Tags, err = mergeTags(old.Tags, in.Tags); err != nil {
		return nil, err
	}
	return noOutput{}, s.saveTable(tb)
}

func mergeTags(old map[string]string, added []tag) (map[string]string, error) {
	merged := maps.Clone(old)
	if merged == nil {
		merged = map[string]string{}
	}
	for _, t := range added {
		if err := t.checkCharacters(); err != nil {
			return nil, err
		}
		merged[*t.Key] = *t.Value
	}
	if len(merged) > maxTags {
		return nil, apierror.InvalidParameter("Too many tags: more than %d", maxTags)
	}
	return merged, nil
}

// untagResourceInput is the request to remove tags. It ignores missing keys.
type untagResourceInput struct {
	resourceInput
	TagKeys []string
}

func (in *untagResourceInput) check(c *checks) {
	in.resourceInput.check(c)
	c.present(in.TagKeys != nil, "tagKeys")
}

func (in *untagResourceInput) run(_ context.Context, s *Store) (any, error) {
	old, err := in.table(s, "UntagResource")
	if err != nil {
		return nil, err
	}
	tb := old.copy()
	tb.Tags = maps.Clone(old.Tags)
	for _, key := range in.TagKeys {
		delete(tb.Tags, key)
	}
	return noOutput{}, s.saveTable(tb)
}

// listTagsInput is the request to list all tags. The response contains them all, without a next token.
type listTagsInput struct {
	resourceInput
	NextToken string
}

// listTagsOutput contains the tags ordered by key.
type listTagsOutput struct {
	Tags []tag
}

func (in *listTagsInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := in.table(s, "ListTagsOfResource")
	if err != nil {
		return nil, err
	}
	out := &listTagsOutput{Tags: []tag{}}
	for _, key := range slices.Sorted(maps.Keys(tb.Tags)) {
		out.Tags = append(out.Tags, tag{&key, new(tb.Tags[key])})
	}
	return out, nil
}

type describeLimitsOutput struct {
	AccountMaxReadCapacityUnits  int64
	AccountMaxWriteCapacityUnits int64
	TableMaxReadCapacityUnits    int64
	TableMaxWriteCapacityUnits   int64
}

// describeLimitsInput is the request for DynamoDB's default quotas, which the store does not enforce.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
type describeLimitsInput struct{ unconstrained }

func (*describeLimitsInput) run(context.Context, *Store) (any, error) { //nolint:unparam // the signature of all operations
	return &describeLimitsOutput{80000, 80000, 40000, 40000}, nil
}

// endpoint is a host for endpoint discovery. The AWS SDK for Go sends requests to it only if discovery is enabled.
type endpoint struct {
	Address              string
	CachePeriodInMinutes int64
}

type describeEndpointsOutput struct{ Endpoints []endpoint }

type describeEndpointsInput struct{ unconstrained }

func (*describeEndpointsInput) run(context.Context, *Store) (any, error) { //nolint:unparam // the signature of all operations
	return &describeEndpointsOutput{[]endpoint{{"embedded.invalid", 1440}}}, nil
}

// The store cannot recover tables, but it keeps the setting of point-in-time recovery for tests of programs that check
// it.

// recoveryDays is the default recovery period.
const recoveryDays = 35

// pointInTimeRecoverySpec is the setting in a request. Enabled is required.
type pointInTimeRecoverySpec struct {
	PointInTimeRecoveryEnabled *bool
	RecoveryPeriodInDays       *int64
}

// updateContinuousBackupsInput is the request to enable or disable point-in-time recovery.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateContinuousBackups.html
type updateContinuousBackupsInput struct {
	tableInput
	PointInTimeRecoverySpecification *pointInTimeRecoverySpec
}

// describeContinuousBackupsInput is the request for the setting of point-in-time recovery.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeContinuousBackups.html
type describeContinuousBackupsInput struct{ tableInput }

type continuousBackupsOutput struct {
	ContinuousBackupsDescription continuousBackups
}

type continuousBackups struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription pointInTimeRecovery
}

// pointInTimeRecovery is the state of the setting. It omits the period while recovery is disabled.
type pointInTimeRecovery struct {
	PointInTimeRecoveryStatus string
	RecoveryPeriodInDays      int64 `json:",omitempty"`
}

func (in *updateContinuousBackupsInput) check(c *checks) {
	in.tableInput.check(c)
	spec := in.PointInTimeRecoverySpecification
	c.present(spec != nil, "pointInTimeRecoverySpecification")
	if spec == nil {
		return
	}
	c.present(spec.PointInTimeRecoveryEnabled != nil, "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled")
	if spec.RecoveryPeriodInDays != nil {
		c.number(*spec.RecoveryPeriodInDays, "pointInTimeRecoverySpecification.recoveryPeriodInDays", 1, recoveryDays)
	}
}

func (in *updateContinuousBackupsInput) run(_ context.Context, s *Store) (any, error) {
	old, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	tb, days := old.copy(), int64(0)
	if *in.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled {
		days = recoveryDays
		if given := in.PointInTimeRecoverySpecification.RecoveryPeriodInDays; given != nil {
			days = *given
		}
	}
	tb.RecoveryDays = days
	return describeBackups(tb), s.saveTable(tb)
}

func (in *describeContinuousBackupsInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	return describeBackups(tb), nil
}

func describeBackups(tb *table) *continuousBackupsOutput {
	d := pointInTimeRecovery{PointInTimeRecoveryStatus: "DISABLED"}
	if tb.RecoveryDays > 0 {
		d = pointInTimeRecovery{PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: tb.RecoveryDays}
	}
	return &continuousBackupsOutput{continuousBackups{"ENABLED", d}}
}

// throughput is the provisioned capacity, which the store reports but does not enforce.
type throughput struct {
	ReadCapacityUnits  int64
	WriteCapacityUnits int64
}

func (t throughput) check(c *checks, at string) {
	c.number(t.ReadCapacityUnits, at+"provisionedThroughput.readCapacityUnits", 1, math.MaxInt64)
	c.number(t.WriteCapacityUnits, at+"provisionedThroughput.writeCapacityUnits", 1, math.MaxInt64)
}

func (t throughput) unchangedError(subject, name string) error {
	return apierror.Invalid("The provisioned throughput for the %[1]s%[2]s will not change. The requested value equals the current value. "+
		"Current ReadCapacityUnits provisioned for the %[1]s: %[3]d. Requested ReadCapacityUnits: %[3]d. "+
		"Current WriteCapacityUnits provisioned for the %[1]s: %[4]d. Requested WriteCapacityUnits: %[4]d. "+
		"Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
		subject, name, t.ReadCapacityUnits, t.WriteCapacityUnits)
}

// These are the billing modes. An empty mode means PROVISIONED.
const (
	billProvisioned = "PROVISIONED"
	billOnDemand    = "PAY_PER_REQUEST"
)

func billing(mode string, t *throughput) (string, throughput, error) {
	if mode == billOnDemand {
		if t != nil && *t != (throughput{}) {
			return "", throughput{}, apierror.InvalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when " +
				"BillingMode is PAY_PER_REQUEST")
		}
		return mode, throughput{}, nil
	}
	if t == nil {
		return "", throughput{}, apierror.InvalidParameter("ReadCapacityUnits and WriteCapacityUnits must both be specified when " +
			"BillingMode is PROVISIONED")
	}
	var c checks
	t.check(&c, "")
	return billProvisioned, *t, c.err()
}
