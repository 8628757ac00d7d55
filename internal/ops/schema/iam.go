package schema

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

type policyInput struct {
	input
	PolicyOptions
}

var printPolicy = op.New(op.Op{
	Path: "iam", Title: "Print the least-privilege IAM policy for a role",
	Help: "Prints the least-privilege IAM policy for all patterns of the schema and the table of change requests. With\n" +
		"--role admin, the policy also covers the enabled actions and their undo. The policy covers the region of\n" +
		"--region, or the regions that the schema allows, or all regions. IAM cannot mask: the policy allows reading\n" +
		"whole items. The command does not connect to AWS.",
	Needs: op.Offline, Formats: []string{items.JSON.Name},
}, func(in *policyInput) []*op.Param {
	in.Partition = "aws"
	return []*op.Param{
		op.SchemaArg(&in.schema),
		op.Flag(&in.Account, "account", "limit the policy to AWS account `ID` (default: any account)").WithCheck(func() error {
			if in.Account == "" || models.IsAccount(in.Account) {
				return nil
			}
			return fmt.Errorf("invalid account ID %q; use 12 digits", op.Short(in.Account))
		}),
		// Source: AWS General Reference, "Amazon Resource Names (ARNs)".
		op.Flag(&in.Partition, "partition", "use AWS `PARTITION`: aws, aws-cn or aws-us-gov").OneOf("aws", "aws-cn", "aws-us-gov"),
		op.Flag(&in.Drift, "drift", "include Scan of all tables, for ddbdesk drift; with --role admin, also its repairs"),
		op.Flag(&in.Streams, "streams", "include the streams of all tables, for ddbdesk tail and the history of items"),
	}
}, func(_ context.Context, c *op.Call, in *policyInput) (op.Result, error) {
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	access := c.Access(p)
	in.Regions, in.Writes = p.Guardrails.Regions, access.MayChange()
	if access.Target.Region != "" {
		in.Regions = []string{access.Target.Region}
	}
	policy := PolicyOf(p, in.PolicyOptions)
	if access.Requests.Table != "" || p.Requests != "" {
		of, err := requests.PlaceFor(p, access.Requests.Table)
		if err != nil {
			return nil, err
		}
		store, err := requests.NewProfile(of)
		if err != nil {
			return nil, err
		}
		o := in.PolicyOptions
		o.Writes, o.Drift, o.Streams = true, false, false // Every role can file a request.
		for _, s := range PolicyOf(store, o).Statement {
			s.Sid = "Requests" + s.Sid
			policy.Statement = append(policy.Statement, s)
		}
	}
	text, err := json.Marshal(policy)
	if n := len(bytes.ReplaceAll(text, []byte(" "), nil)); n > maxManaged {
		c.Notef("the policy has %d characters without spaces, and a managed policy allows %d; split its statements between two policies",
			n, maxManaged)
	}
	return op.Doc{Document: policy}, err
})

// policyVersion is the version of the policy language. Source: AWS Identity and Access Management User Guide, "IAM JSON
// policy elements: Version".
const policyVersion = "2012-10-17"

// maxManaged is the maximum size of a managed policy in characters, excluding spaces. Source: AWS Identity and Access
// Management User Guide, "IAM and AWS STS quotas".
const maxManaged = 6144

// A Policy is an IAM policy document. Its field names follow the policy language.
type Policy struct {
	Version   string
	Statement []Statement
}

// A Statement allows actions on resources.
type Statement struct {
	Sid       string                         // ID that is unique within the policy
	Effect    string                         // always Allow
	Action    []string                       // such as dynamodb:Query
	Resource  []string                       // ARNs of tables and indexes, which may contain *
	Condition map[string]map[string][]string `json:",omitempty"` // values by operator and condition key
}

// PolicyOptions determines the permissions and resources of a policy.
type PolicyOptions struct {
	Writes bool // allows the enabled actions and their undo
	Drift  bool // allows Scan of all tables, and with Writes the repair of drift
	// Streams allows reading the streams of all tables. Policies always allow the declared streams.
	Streams bool

	Partition string   // partition in the ARNs, such as aws-cn; "" for aws
	Regions   []string // nil for all regions
	Account   string   // account ID, "" for any account
}

// PolicyOf returns the policy for the schema.
func PolicyOf(p *profiles.Profile, o PolicyOptions) Policy {
	g := grants{o: o, byAction: map[string][]accesspatterns.Permission{}}
	for _, t := range p.Tables {
		g.table(p, t)
	}
	for _, pattern := range p.Patterns {
		g.add(pattern.Permissions()...)
	}
	for _, t := range p.Trails {
		if t.Read != nil {
			g.add(t.Read.Permissions()...)
		}
	}
	for _, q := range p.Queues {
		g.add(q.Pattern.Permissions()...)
	}
	for _, a := range permittedActions(p, o) {
		for _, t := range a.Tables() {
			if o.Writes && a.CanSweep() { // Sweeps on production describe the table.
				g.add(accesspatterns.Permission{Action: "dynamodb:DescribeContinuousBackups", Table: t.Name})
			}
		}
	}
	out := Policy{Version: policyVersion, Statement: []Statement{}}
	for _, kind := range []struct{ sid, action string }{
		{"Describe", "DescribeTable"},
		{"DescribeExpiry", "DescribeTimeToLive"},
		{"DescribeRecovery", "DescribeContinuousBackups"},
		{"Get", "GetItem"},
		{"GetBehindIndexes", "BatchGetItem"},
		{"Query", "Query"},
		{"Scan", "Scan"},
		{"DescribeStream", "DescribeStream"},
		{"GetShardIterator", "GetShardIterator"},
		{"GetRecords", "GetRecords"},
	} {
		if s, ok := g.statement(kind.sid, "dynamodb:"+kind.action); ok {
			out.Statement = append(out.Statement, s)
		}
	}
	out.Statement = mergeStatements(out.Statement)
	if o.Writes {
		out.Statement = append(out.Statement, writeStatements(p, o)...)
	}
	return out
}

// grants collects permissions by IAM action.
type grants struct {
	o        PolicyOptions
	byAction map[string][]accesspatterns.Permission
}

func (g *grants) add(list ...accesspatterns.Permission) {
	for _, p := range list {
		g.byAction[p.Action] = models.AppendOnce(g.byAction[p.Action], p)
	}
}

func (g *grants) table(p *profiles.Profile, t *models.Table) {
	permission := func(operation string) accesspatterns.Permission {
		return accesspatterns.Permission{Action: "dynamodb:" + operation, Table: t.Name}
	}
	g.add(permission("DescribeTable"))
	if t.TTL != "" {
		g.add(permission("DescribeTimeToLive"))
	}
	if len(p.EntitiesOf(t)) > 0 {
		g.add(permission("GetItem"))
	}
	if t.Stream != "" || g.o.Streams {
		for _, operation := range []string{"DescribeStream", "GetShardIterator", "GetRecords"} {
			needed := permission(operation)
			needed.Stream = true
			g.add(needed)
		}
	}
	if g.o.Drift {
		g.add(permission("Scan"))
	}
}

func (g *grants) statement(sid, action string) (Statement, bool) {
	list := g.byAction[action]
	if len(list) == 0 {
		return Statement{}, false
	}
	var resources []string
	for _, p := range list {
		resources = append(resources, g.o.arns(p)...)
	}
	return Statement{Sid: sid, Effect: "Allow", Action: []string{action}, Resource: resources}, true
}

func (o PolicyOptions) arns(p accesspatterns.Permission) []string {
	regions := o.Regions
	if len(regions) == 0 {
		regions = []string{"*"}
	}
	return models.MapSlice(regions, func(r string) string {
		return "arn:" + cmp.Or(o.Partition, "aws") + ":dynamodb:" + r + ":" + cmp.Or(o.Account, "*") + ":" + p.Resource()
	})
}

func mergeStatements(list []Statement) []Statement {
	var out []Statement
	merged := 0
	for _, s := range list {
		i := slices.IndexFunc(out, func(o Statement) bool { return slices.Equal(o.Resource, s.Resource) })
		if i < 0 {
			out = append(out, s)
			continue
		}
		if len(out[i].Action) == 1 {
			merged++
			out[i].Sid = "Read" + strconv.Itoa(merged)
		}
		out[i].Action = append(out[i].Action, s.Action...)
	}
	return out
}

// tableWrites contains the writes to one table.
type tableWrites struct {
	table   *models.Table
	actions []string
	leading map[string]bool // IAM patterns for the partition keys
	anyKey  bool            // at least one partition key has no pattern
}

func writeStatements(p *profiles.Profile, o PolicyOptions) []Statement {
	byTable := map[string]*tableWrites{}
	for _, t := range p.Tables {
		byTable[t.Name] = &tableWrites{table: t, leading: map[string]bool{}}
	}
	for _, a := range permittedActions(p, o) {
		for _, needed := range append(a.CommitPermissions(), a.UndoPermissions()...) {
			w := byTable[needed.Table]
			w.actions = models.AppendOnce(w.actions, needed.Action)
		}
		for _, e := range a.WrittenEntities() {
			byTable[e.Table.Name].addEntity(e)
		}
	}
	var list []Statement
	for _, t := range p.Tables {
		w := byTable[t.Name]
		if len(w.actions) == 0 {
			continue
		}
		slices.Sort(w.actions)
		id := "Change" + sid(t.ID)
		for slices.ContainsFunc(list, func(s Statement) bool { return s.Sid == id }) {
			id += "2"
		}
		list = append(list, Statement{
			Sid: id, Effect: "Allow", Action: w.actions,
			Resource: o.arns(accesspatterns.Permission{Table: t.Name}), Condition: w.condition(),
		})
	}
	return list
}

func permittedActions(p *profiles.Profile, o PolicyOptions) []*change.Action {
	list := models.Filter(p.Actions, func(a *change.Action) bool { return a.Disabled == "" })
	for _, e := range p.Entities {
		if a := p.RepairOf(e); o.Drift && a != nil && a.Disabled == "" && e.Owner == "" && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list
}

func (w *tableWrites) addEntity(e *models.Entity) {
	t, ok := e.KeyTemplate(w.table.PartitionKey.Name)
	segments := t.Segments()
	if !ok || t.LiteralPrefix() == "" || w.table.PartitionKey.Type != models.TypeS ||
		strings.ContainsAny(segments[0].Literal, "*?$") {
		w.anyKey = true
		return
	}
	pattern := segments[0].Literal
	if len(segments) > 1 {
		pattern += "*"
	}
	w.leading[pattern] = true
}

// condition returns the condition on partition keys, or nil to allow any key. Source: Amazon DynamoDB Developer Guide,
// "Using IAM policy conditions for fine-grained access control".
func (w *tableWrites) condition() map[string]map[string][]string {
	if w.anyKey {
		return nil
	}
	return map[string]map[string][]string{
		"ForAllValues:StringLike": {"dynamodb:LeadingKeys": slices.Sorted(maps.Keys(w.leading))},
	}
}

// notInSid matches the characters that a statement ID cannot contain.
var notInSid = models.LazyRegexp(`[^A-Za-z0-9]+`)

// sid returns letters and digits only. Source: AWS IAM User Guide, "IAM JSON policy elements: Sid".
func sid(name string) string {
	text := ""
	for _, word := range notInSid().Split(name, -1) {
		text += strings.ToUpper(word[:min(1, len(word))]) + word[min(1, len(word)):]
	}
	return text
}
