// The iam command: the policy that a role needs, for who grants it.

package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/iam"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// accountNumber matches the number of an AWS account.
var accountNumber = regexp.MustCompile(`^[0-9]{12}$`)

// partitions are the kinds of AWS. Source: AWS General Reference, "Amazon Resource
// Names (ARNs)".
var partitions = []string{"aws", "aws-cn", "aws-us-gov"}

func iamCommand(a *app) *cobra.Command {
	var o iam.Options
	var output string
	cmd := &cobra.Command{
		Use: "iam SCHEMA", Short: "Print the IAM policy that a role needs", Args: exactly("SCHEMA"), ValidArgsFunction: completeSchemas,
		Long: "iam prints the least IAM policy with which every pattern of the schema works, and with --role admin\n" +
			"every action that is on and its undo. Nothing is asked of AWS. --region says where, else the regions\n" +
			"that the schema allows, else any. What --role support hides is hidden by ddbdesk alone: IAM sees whole items.",
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.schema(args[0])
			if err != nil {
				return err
			}
			if o.Account != "" && !accountNumber.MatchString(o.Account) {
				return usageErrorf("--account: %q is no account number: 12 digits", short(o.Account))
			}
			if !slices.Contains(partitions, o.Partition) {
				return usageErrorf("--partition: %q is none of aws, aws-cn, aws-us-gov%s", short(o.Partition), models.DidYouMean(o.Partition, partitions))
			}
			o.Regions = p.Guardrails.Regions
			if a.flags.region != "" {
				o.Regions = []string{a.flags.region}
			}
			o.Writes = session.Role(a.flags.role) == session.Admin && !a.flags.readOnly
			policy := iam.For(p, o)
			if err := writeJSON(a.stdout, policy); err != nil {
				return err
			}
			return a.noteSize(policy)
		},
	}
	cmd.Flags().StringVar(&o.Account, "account", "", "account number (default: any)")
	cmd.Flags().StringVar(&o.Partition, "partition", "aws", "aws, aws-cn or aws-us-gov")
	cmd.Flags().BoolVar(&o.Drift, "drift", false, "also what looking for drift needs: Scan of every table; with --role admin its repair")
	outputFlag(cmd, &output, "json", "json")
	return cmd
}

// noteSize says when the policy is too long to be a managed one.
func (a *app) noteSize(p iam.Policy) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if n := len(bytes.ReplaceAll(text, []byte(" "), nil)); n > iam.MaxManaged {
		a.notef("%d characters without blanks: a managed policy may have %d, so split its statements over two", n, iam.MaxManaged)
	}
	return nil
}
