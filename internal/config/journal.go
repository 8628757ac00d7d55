package config

import (
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Sink says where copies of the journal's entries are kept: in a table, a file, or with a program.
type Sink struct {
	Table    string   // "" for none
	Context  string   // of the table, "" for the current one
	File     string   // "" for none
	Command  []string // a program and its arguments, none for no program
	Required bool     // changes and reveals are refused while the sink does not answer
}

// journalDecl is about the journal of all contexts.
type journalDecl struct {
	Sink     sinkDecl `yaml:"sink"`
	Required bool     `yaml:"required"`
}

type sinkDecl struct {
	Table   string   `yaml:"table"`
	Context string   `yaml:"context"`
	File    string   `yaml:"file"`
	Command []string `yaml:"command"`
}

// sink checks where copies of the journal's entries are kept.
func (r *reader) sink(d journalDecl, file string, contexts []Context) Sink {
	out := Sink{Table: d.Sink.Table, Context: d.Sink.Context, File: d.Sink.File, Command: d.Sink.Command, Required: d.Required}
	given := 0
	for _, key := range []string{"table", "file", "command"} {
		if r.Has("journal.sink." + key) {
			given++
		}
	}
	const one = "name a table, a file or a command"
	switch {
	case given > 1:
		r.Errorf("journal.sink", "remove all but one", "only one of table, file and command is allowed")
	case given == 0 && (r.Has("journal.sink") || d.Required):
		r.Errorf("journal", one, "the journal has no sink")
	case r.Has("journal.sink.table") && !models.IsTableName(d.Sink.Table):
		r.Errorf("journal.sink.table", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q",
			models.Printable(d.Sink.Table))
	case r.Has("journal.sink.file") && strings.TrimSpace(d.Sink.File) == "":
		r.Errorf("journal.sink.file", one, "the path is empty")
	case r.Has("journal.sink.command") && (len(d.Sink.Command) == 0 || strings.TrimSpace(d.Sink.Command[0]) == ""):
		r.Errorf("journal.sink.command", "write the program and its arguments as a list", "the command is empty")
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
