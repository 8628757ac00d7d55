package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/iam"
	"github.com/ddbdesk/ddbdesk/models"
)

// partitions are the AWS partitions. Source: AWS General Reference, "Amazon Resource
// Names (ARNs)".
var partitions = []string{"aws", "aws-cn", "aws-us-gov"}

func iamCommand(a *app) *cobra.Command {
	var o iam.Options
	var output string
	cmd := &cobra.Command{
		Use: "iam", Short: "Print the least-privilege IAM policy for a role",
		Long: "Prints the least-privilege IAM policy for all patterns of the schema; with --role admin, also the enabled\n" +
			"actions and their undo. The policy covers the region of --region, or the regions that the schema allows, or\n" +
			"all regions. IAM cannot mask: the policy allows reading whole items. The command does not connect to AWS.",
	}
	cmd.Flags().StringVar(&o.Account, "account", "", "limit the policy to AWS account `ID` (default: any account)")
	cmd.Flags().StringVar(&o.Partition, "partition", "aws", "AWS `partition`: aws, aws-cn or aws-us-gov")
	cmd.Flags().BoolVar(&o.Drift, "drift", false, "include Scan of all tables, for ddbdesk drift; with --role admin, also its repairs")
	cmd.Flags().BoolVar(&o.Streams, "streams", false, "include the streams of all tables, for ddbdesk tail and the timeline of items")
	cli.OutputFlag(cmd, &output, "json")
	return a.forSchema(cmd, func(_ context.Context, schema string) error {
		p, err := a.schema(schema)
		if err != nil {
			return err
		}
		if o.Account != "" && !models.IsAccount(o.Account) {
			return cli.UsageErrorf("--account: invalid account ID %q; use 12 digits", cli.Short(o.Account))
		}
		if !slices.Contains(partitions, o.Partition) {
			return cli.InvalidChoice("--partition", "partition", o.Partition, partitions)
		}
		o.Regions = p.Guardrails.Regions
		if a.flags.Region != "" {
			o.Regions = []string{a.flags.Region}
		}
		o.Writes = a.mayChange()
		policy := iam.For(p, o)
		if err := cli.WriteJSON(a.Stdout, policy); err != nil {
			return err
		}
		return notePolicySize(a.Streams, policy)
	})
}

func notePolicySize(s cli.Streams, p iam.Policy) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if n := len(bytes.ReplaceAll(text, []byte(" "), nil)); n > iam.MaxManaged {
		s.Notef("the policy has %d characters without spaces, and a managed policy allows %d; split its statements between two policies",
			n, iam.MaxManaged)
	}
	return nil
}
