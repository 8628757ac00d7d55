package config

import (
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// Sink specifies the table or file that stores copies of the journal's entries.
type Sink struct {
	Table    string `yaml:"table"`   // "" for none
	Context  string `yaml:"context"` // context of the table, "" for the current one
	File     string `yaml:"file"`    // "" for none
	Required bool   // ddbdesk refuses changes and reveals while the sink does not answer
}

// journalDecl configures the journal of all contexts.
type journalDecl struct {
	Sink     Sink `yaml:"sink"`
	Required bool `yaml:"required"`
}

func (r *reader) sink(d journalDecl, file string, contexts []Context) Sink {
	out := d.Sink
	out.Required = d.Required
	table, inFile := r.Has("journal.sink.table"), r.Has("journal.sink.file")
	const one = "name a table or a file"
	switch {
	case table && inFile:
		r.Errorf("journal.sink", "remove one of them", "only one of table and file is allowed")
	case !table && !inFile && (r.Has("journal.sink") || d.Required):
		r.Errorf("journal", one, "the journal has no sink")
	case table && !models.IsTableName(out.Table):
		r.Errorf("journal.sink.table", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q",
			models.Printable(out.Table))
	case inFile && strings.TrimSpace(out.File) == "":
		r.Errorf("journal.sink.file", one, "the path is empty")
	}
	r.checkOneOf("journal.sink.context", "context", out.Context, (&File{Contexts: contexts}).Names())
	if out.File != "" {
		out.File = resolvePath(out.File, filepath.Dir(file))
	}
	return out
}
