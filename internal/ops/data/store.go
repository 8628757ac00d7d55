package data

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

type checkInput struct {
	dir     string
	compact bool
}

var checkStore = op.New(op.Op{
	Path: "serve check", Title: "Verify an embedded database",
	Help: "Verifies the embedded database in DIR: checksums, indexes, counts and the pages of the file. It changes nothing,\n" +
		"unless --compact is given and the database is intact: then it rewrites the file without free space.\n\n" +
		"Exit codes: 0 intact, 255 damaged, 253 missing, of a newer version, or open in another process.",
	Needs: op.Offline, Formats: op.TextJSON,
}, func(in *checkInput) []*op.Param {
	return []*op.Param{
		op.Arg(&in.dir, "dir", "folder of the database"),
		op.Flag(&in.compact, "compact", "shrink the file if the database is intact; needs room for a second copy"),
	}
}, func(_ context.Context, _ *op.Call, in *checkInput) (op.Result, error) {
	report, err := embedded.Check(appdir.RealPath(in.dir))
	if err == nil && in.compact && report.Sound() {
		report.Compacted, err = embedded.Compact(appdir.RealPath(in.dir))
	}
	if err != nil {
		return nil, &store.Error{Class: store.Config, What: err.Error(), Err: err}
	}
	if !report.Sound() {
		err = fmt.Errorf("database %s is damaged; restore it from a backup, or export what is readable with ddbdesk run --all",
			models.Printable(report.Path))
	}
	return op.Doc{Document: report, Lines: checkLines(report)}, err
})

func checkLines(report *embedded.Report) (lines []string) {
	for _, p := range report.Problems {
		lines = append(lines, "damaged: "+models.Printable(p))
	}
	for _, t := range report.Tables {
		state := "sound"
		if len(t.Problems) > 0 {
			state = "damaged"
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, %s", models.Printable(t.Table), state, english.Plural(int(t.Items), "item", ""),
			english.Plural(t.Indexes, "index", "indexes")))
		for _, p := range t.Problems {
			lines = append(lines, "  "+models.Printable(p))
		}
	}
	if c := report.Compacted; c != nil {
		lines = append(lines, fmt.Sprintf("compacted: %s to %s", humanize.IBytes(uint64(c.Before)), humanize.IBytes(uint64(c.After))))
	}
	return lines
}
