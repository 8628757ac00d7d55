package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// fileOutput says where a file that ddbdesk wrote goes.
type fileOutput struct {
	out   string // a new file; "" for stdout
	force bool   // replace it
}

// register adds the flags to a command. What names the file.
func (o *fileOutput) register(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&o.out, "out", "", "write "+what+" to a new `FILE` (default: stdout)")
	cmd.Flags().BoolVar(&o.force, "force", false, "with --out, replace the file if it exists")
}

// draftOutput says where a profile that ddbdesk wrote goes.
type draftOutput struct {
	fileOutput
	merge string // a profile that receives what it lacks; "" for none
}

// register adds the flags to a command.
func (o *draftOutput) register(cmd *cobra.Command) {
	o.fileOutput.register(cmd, "the profile")
	cmd.Flags().StringVar(&o.merge, "merge", "", "add what is missing to the profile in `FILE`; its lines and comments stay as they are")
	cmd.MarkFlagsMutuallyExclusive("out", "merge")
}

// ready reports why the file cannot be written, before anything is read.
func (o *fileOutput) ready() error {
	if o.force && o.out == "" {
		return cli.UsageErrorf("--force: needs --out FILE")
	}
	if _, err := os.Lstat(o.out); o.out != "" && !o.force && !errors.Is(err, fs.ErrNotExist) {
		return cli.UsageErrorf("--out: %s exists; use --force to replace it", cli.Short(o.out))
	}
	return nil
}

// finish checks a draft, writes it, and reports on stderr what it has and how many of the items it recognizes. A
// draft that does not load is not written.
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

// write writes the text of a profile, as a whole or not at all.
func (o draftOutput) write(to cli.Streams, text []byte) error {
	if o.merge == "" {
		return o.fileOutput.write(to, text)
	}
	info, err := os.Stat(o.merge)
	if err != nil {
		return err
	}
	return appdir.Replace(o.merge, text, info.Mode().Perm())
}

// write writes a text, as a whole or not at all.
func (o fileOutput) write(to cli.Streams, text []byte) error {
	switch {
	case o.out == "":
		_, err := to.Stdout.Write(text)
		return err
	case o.force:
		return appdir.Replace(o.out, text, 0o644)
	}
	return appdir.Create(o.out, text)
}

// noteDraft reports the numbers of a draft's parts, and the items that it does not recognize.
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
