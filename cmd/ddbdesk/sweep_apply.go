package main

import (
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/applying"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
)

// The flags that bound how a sweep is applied.
const (
	flagCanary = "canary"
	flagRate   = "rate"
	flagSweep  = "sweep"
)

// defaultCanary is how many items a sweep changes before it asks whether to continue.
const defaultCanary = 3

// paceOptions bound how a sweep is applied.
type paceOptions struct {
	canary int
	rate   string
}

// register adds the flags.
func (o *paceOptions) register(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.canary, flagCanary, defaultCanary, "change `N` items of a sweep first, then ask; 0 changes all without asking again")
	o.registerRate(cmd)
}

// registerRate adds the flag of the write budget alone.
func (o *paceOptions) registerRate(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.rate, flagRate, "",
		"limit a sweep to `WCU` per second, or none for no limit (default: limited on production)")
}

// limits parses the flags.
func (o paceOptions) limits() (sweep.Limits, error) {
	rate, err := reading.ParseBudget(o.rate)
	switch {
	case err != nil:
		return sweep.Limits{}, cli.UsageErrorf("--%s: invalid rate %q; give WCU per second, such as 100, or none", flagRate,
			cli.Short(o.rate))
	case o.canary < 0:
		return sweep.Limits{}, cli.UsageErrorf("--%s: %d is negative", flagCanary, o.canary)
	}
	return sweep.Limits{Rate: rate, Canary: o.canary}, nil
}

// applySweep applies the manifest of a file, or continues to.
func applySweep(a *app, cmd *cobra.Command, path string, m *sweep.Manifest, o applyOptions) error {
	mode, err := chooseMode(a.Streams, cmd, flagYes)
	if err != nil {
		return err
	}
	limits, err := o.pace.limits()
	if err != nil {
		return err
	}
	p, schema, err := recordedProfile(&a.settings, "sweep", m.Schema, m.Variables, path)
	if err != nil {
		return err
	}
	if m.Profile != p.Digest() { // checked first: its action may be gone
		return profileChanged(p)
	}
	ctx := cmd.Context()
	w, err := a.changeSession(ctx, p)
	if err != nil {
		return err
	}
	r := &applying.Sweep{
		Streams: a.Streams, Output: o.output, Path: path, Schema: schema, Workspace: w, Manifest: m,
		Production: w.Session.Production() || p.IsProduction(m.Context),
	}
	return r.Apply(ctx, mode == modeAsk, limits)
}
