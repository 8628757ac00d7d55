package main

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// draftOutput says where a profile that ddbdesk wrote goes.
type draftOutput struct {
	schema.File
	merge string // a profile that receives what it lacks; "" for none
}

func (o *draftOutput) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Out, "out", "", "write the profile to a new `FILE` (default: stdout)")
	cmd.Flags().BoolVar(&o.Force, "force", false, "with --out, replace the file if it exists")
	cmd.Flags().StringVar(&o.merge, "merge", "", "add what is missing to the profile in `FILE`; its lines and comments stay as they are")
	cmd.MarkFlagsMutuallyExclusive("out", "merge")
}

// finish does not write a draft that does not load.
func (o draftOutput) finish(to cli.Streams, d *draft.Profile, items map[string][]models.Item) error {
	text, kept, name := d.Text(), []string(nil), d.Name+".yaml"
	var before []byte
	if o.merge != "" {
		var err error
		before, err = appdir.ReadFile(o.merge)
		if err != nil {
			return fmt.Errorf("--merge: %w", err)
		}
		if text, kept, err = draft.Merge(before, d); err != nil {
			return cli.UsageErrorf("--merge: %s: %v", cli.Short(o.merge), err)
		}
		name = o.merge
	}
	p, err := profiles.LoadFile(name, text)
	if err != nil {
		return fmt.Errorf("the profile was not written, because it has errors: %w", err)
	}
	for _, line := range kept {
		to.Note(line)
	}
	if err := o.write(to, text); err != nil {
		return err
	}
	noteDraft(to, p, draft.Checks(text)-draft.Checks(before), items)
	return nil
}

func (o draftOutput) write(to cli.Streams, text []byte) error {
	if o.merge == "" {
		r, err := o.Save(text)
		if r == nil {
			return err
		}
		return r.Text(op.Output{Writer: to.Stdout, Beside: to.Stderr, Note: to.Note})
	}
	info, err := os.Stat(o.merge)
	if err != nil {
		return err
	}
	return appdir.Replace(o.merge, text, info.Mode().Perm())
}

func noteDraft(s cli.Streams, p *profiles.Profile, checks int, items map[string][]models.Item) {
	total, known := 0, 0
	odd := map[string]int{}
	for id, list := range items {
		t := p.Table(id)
		for _, it := range list {
			total++
			if _, ok := models.Recognize(p.Entities, t, it); ok {
				known++
			} else {
				odd[id]++
			}
		}
	}
	text := english.OxfordWordSeries([]string{
		english.Plural(len(p.Tables), "table", ""), english.Plural(len(p.Entities), "entity", "entities"),
		english.Plural(len(p.Patterns), "pattern", ""),
	}, "and")
	if total > 0 {
		text += fmt.Sprintf("; recognizes %d of %d sample items", known, total)
	}
	if checks > 0 {
		text += "; " + english.Plural(checks, "place", "") + " marked CHECK to confirm"
	}
	s.Note(text)
	for _, id := range slices.Sorted(maps.Keys(odd)) {
		s.Notef("table %s: %d items match no entity; see their keys with ddbdesk run", id, odd[id])
	}
}
