package schema

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/interchange"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

type exportInput struct {
	input

	format string
	to     File
}

// exportSchema is ddbdesk schema export.
var exportSchema = op.New(op.Op{
	Path: "schema export", Title: "Write a profile as the schema file of another tool",
	Help: "Prints the tables, indexes and TTL of a profile as " + english.OxfordWordSeries(exportFormats(), "or") + ".\n" +
		"What the format cannot express is listed on stderr.",
	Needs: op.Offline,
}, func(in *exportInput) []*op.Param {
	return append(in.to.Params("the file"), op.SchemaArg(&in.schema),
		op.Arg(&in.format, "format", "format of the file").Among(exportFormats()...))
}, func(_ context.Context, c *op.Call, in *exportInput) (op.Result, error) {
	if err := in.to.Ready(); err != nil {
		return nil, err
	}
	p, err := c.Profile(in.schema)
	if err != nil {
		return nil, err
	}
	text, lost, err := interchange.Find(in.format).Write(p)
	if err != nil {
		return nil, err
	}
	r, err := in.to.Save(text)
	if err == nil && len(lost) > 0 {
		c.Notef("format %s cannot express %s", in.format, strings.Join(lost, ", "))
	}
	return r, err
})

func exportFormats() []string {
	var names []string
	for _, f := range interchange.Formats() {
		if f.Writes() {
			names = append(names, f.Name)
		}
	}
	return names
}

// A File says where a file that an operation made goes.
type File struct {
	Out   string // a new file; "" for the result
	Force bool   // replace it
}

// Params declares the file. What names it.
func (f *File) Params(what string) []*op.Param {
	return []*op.Param{
		op.Flag(&f.Out, "out", "write "+what+" to a new `FILE` (default: stdout)"),
		op.Flag(&f.Force, "force", "with --out, replace the file if it exists"),
	}
}

// Ready reports why the file cannot be written, before anything is read.
func (f *File) Ready() error {
	if f.Force && f.Out == "" {
		return session.InputErrorf("--force: needs --out FILE")
	}
	if _, err := os.Lstat(f.Out); f.Out != "" && !f.Force && !errors.Is(err, fs.ErrNotExist) {
		return session.InputErrorf("--out: %s exists; use --force to replace it", op.Short(f.Out))
	}
	return nil
}

// Save writes the file, as a whole or not at all. Without one the text is the result.
func (f *File) Save(text []byte) (op.Result, error) {
	switch {
	case f.Out == "":
		return op.Raw(text), nil
	case f.Force:
		return nil, appdir.Replace(f.Out, text, 0o644)
	}
	return nil, appdir.Create(f.Out, text)
}
