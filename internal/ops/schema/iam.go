package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/iam"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/models"
)

type policyInput struct {
	input
	iam.Options
}

var printPolicy = op.New(op.Op{
	Path: "iam", Title: "Print the least-privilege IAM policy for a role",
	Help: "Prints the least-privilege IAM policy for all patterns of the schema; with --role admin, also the enabled\n" +
		"actions and their undo. The policy covers the region of --region, or the regions that the schema allows, or\n" +
		"all regions. IAM cannot mask: the policy allows reading whole items. The command does not connect to AWS.",
	Needs: op.Offline, Formats: []string{items.JSON.Name},
}, func(in *policyInput) []*op.Param {
	in.Partition = "aws"
	return []*op.Param{
		op.SchemaArg(&in.schema),
		op.Flag(&in.Account, "account", "limit the policy to AWS account `ID` (default: any account)").Checked(func() error {
			if in.Account == "" || models.IsAccount(in.Account) {
				return nil
			}
			return fmt.Errorf("invalid account ID %q; use 12 digits", op.Short(in.Account))
		}),
		// Source: AWS General Reference, "Amazon Resource Names (ARNs)".
		op.Flag(&in.Partition, "partition", "AWS `partition`: aws, aws-cn or aws-us-gov").Among("aws", "aws-cn", "aws-us-gov"),
		op.Flag(&in.Drift, "drift", "include Scan of all tables, for ddbdesk drift; with --role admin, also its repairs"),
		op.Flag(&in.Streams, "streams", "include the streams of all tables, for ddbdesk tail and the timeline of items"),
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
	policy := iam.For(p, in.Options)
	text, err := json.Marshal(policy)
	if n := len(bytes.ReplaceAll(text, []byte(" "), nil)); n > iam.MaxManaged {
		c.Notef("the policy has %d characters without spaces, and a managed policy allows %d; split its statements between two policies",
			n, iam.MaxManaged)
	}
	return op.Doc{Document: policy}, err
})
