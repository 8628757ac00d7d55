package config

import (
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Sink says where copies of the journal's entries are kept: in a table or a file.
type Sink struct {
	Table    string // "" for none
	Context  string // of the table, "" for the current one
	File     string // "" for none
	Required bool   // changes and reveals are refused while the sink does not answer
}

// journalDecl is about the journal of all contexts.
type journalDecl struct {
	Sink     sinkDecl `yaml:"sink"`
	Required bool     `yaml:"required"`
}

type sinkDecl struct {
	Table   string `yaml:"table"`
	Context string `yaml:"context"`
	File    string `yaml:"file"`
}

func (r *reader) sink(d journalDecl, file string, contexts []Context) Sink {
	out := Sink{Table: d.Sink.Table, Context: d.Sink.Context, File: d.Sink.File, Required: d.Required}
	table, inFile := r.Has("journal.sink.table"), r.Has("journal.sink.file")
	const one = "name a table or a file"
	switch {
	case table && inFile:
		r.Errorf("journal.sink", "remove one of them", "only one of table and file is allowed")
	case !table && !inFile && (r.Has("journal.sink") || d.Required):
		r.Errorf("journal", one, "the journal has no sink")
	case table && !models.IsTableName(d.Sink.Table):
		r.Errorf("journal.sink.table", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q",
			models.Printable(d.Sink.Table))
	case inFile && strings.TrimSpace(d.Sink.File) == "":
		r.Errorf("journal.sink.file", one, "the path is empty")
	}
	names := models.NamesOf(contexts, func(c Context) string { return c.Name })
	if _, known := (&File{Contexts: contexts}).Context(d.Sink.Context); d.Sink.Context != "" && !known {
		r.unknown("journal.sink.context", "context", d.Sink.Context, names)
	}
	if out.File != "" {
		out.File = located(out.File, filepath.Dir(file))
	}
	return out
}
