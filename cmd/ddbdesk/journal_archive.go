package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/cli"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// archiveOptions are the flags of `ddbdesk journal archive`.
type archiveOptions struct {
	to, before string
	keep       int
}

// archiveCommand returns `ddbdesk journal archive`.
func archiveCommand(a *app) *cobra.Command {
	var o archiveOptions
	cmd := &cobra.Command{
		Use: "archive --to DIR (--before TIME | --keep N)", Short: "Move old entries of the journal to a folder", Args: cli.Exactly(),
		Long: "Moves the oldest sealed files of the journal to DIR. The journal remembers where they are and continues its hash\n" +
			"chain; verify checks them as long as they are there. Changes in them can no longer be undone with journal undo.\n" +
			"A file with a change whose outcome is unknown stays, with all after it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("keep") == (o.before != "") {
				return cli.UsageErrorf("journal archive: expected either --before or --keep")
			}
			return archiveJournal(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.to, "to", "", "folder that receives the files")
	cmd.Flags().StringVar(&o.before, "before", "", "move files whose entries are all before this time, such as 2026-01-01 or now-90d")
	cmd.Flags().IntVar(&o.keep, "keep", 0, "number of sealed files to keep")
	return cmd
}

// archiveJournal moves the oldest files of the journal.
func archiveJournal(ctx context.Context, a *app, o archiveOptions) error {
	move := journal.Archiving{To: o.to, Keep: o.keep, By: journal.Entry{
		Actor: a.localActor(), User: session.SystemUser(),
	}}
	switch {
	case o.to == "":
		return cli.UsageErrorf("journal archive: missing --to DIR")
	case o.keep < 0:
		return cli.UsageErrorf("--keep: expected 0 or more")
	case o.before != "":
		t, err := models.ParseTime(o.before, time.Now())
		if err != nil {
			return cli.UsageErrorf("--before: %v", err)
		}
		move.Before = t.Time
	}
	switch _, err := os.Stat(journal.DefaultPath()); {
	case errors.Is(err, fs.ErrNotExist):
		a.Note("the journal does not exist yet")
		return nil
	case err != nil:
		return err
	}
	j, err := journal.Open(journal.DefaultPath())
	if err != nil {
		return err
	}
	shipper, err := newShipper(a)
	if err != nil {
		return err
	}
	j.ShipTo(shipper)
	if err := j.Flush(ctx); err != nil {
		return fmt.Errorf("nothing was archived, because entries have not reached the sink: %w", err)
	}
	moved, err := j.Archive(ctx, move)
	if err != nil {
		return err
	}
	if len(moved) == 0 {
		a.Note("no sealed file to archive; the journal seals a file when it reaches 4 MB")
		return nil
	}
	first, last := moved[0], moved[len(moved)-1]
	_, err = fmt.Fprintf(a.Stdout, "entries %d to %d moved to %s: %s\n", first.First, last.Last(),
		models.Printable(filepath.Dir(last.Path)), english.Plural(len(moved), "file", ""))
	return err
}

// archivedHint ends an error about a change that the journal does not have: it may have been archived.
func archivedHint() string {
	list, err := journal.ReadArchived(journal.DefaultPath())
	if err != nil || len(list) == 0 {
		return ""
	}
	last := list[len(list)-1]
	return fmt.Sprintf("; entries 1 to %d are archived in %s and cannot be undone", last.Last(), models.Printable(filepath.Dir(last.Path)))
}

// noteArchived says where older entries are.
func noteArchived(s cli.Streams) error {
	list, err := journal.ReadArchived(journal.DefaultPath())
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1]
	s.Notef("entries 1 to %d, until %s, are archived in %s", last.Last(), last.Until.Format(time.DateOnly),
		models.Printable(filepath.Dir(last.Path)))
	return nil
}
