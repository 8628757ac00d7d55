// Package config reads the configuration file: named contexts, the theme, key bindings and options of the console. It
// reports all faults of the file at once, each with its line and column.
//
// The package defines the keys that terminals can send. The console defines the names of themes, colors, screens and
// actions, and passes them in as a [Vocabulary].
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// A File is a valid configuration. The zero value is the configuration of a user without a file.
type File struct {
	Path     string
	Found    bool // the file exists
	Contexts []Context
	Theme    Theme
	Keys     Bindings
	Options  Options
	Sink     Sink
	Find     []string // contexts to search, in addition to the current connection
	Profiles []string // files and folders of schema profiles, absolute or relative to the current folder, like Path
}

// A Context is a named connection. Each field sets the command-line flag of the same name; an empty field does not
// change the flag.
type Context struct {
	Name        string
	Profile     string `yaml:"profile"` // AWS profile
	Region      string `yaml:"region"`
	EndpointURL string `yaml:"endpoint-url"`
	Embedded    string `yaml:"embedded"`    // folder of an embedded database
	FromExport  string `yaml:"from-export"` // folder of exports to S3
	Role        string `yaml:"role"`
	Actor       string `yaml:"actor"`
	ReadOnly    bool   `yaml:"read-only"`

	Vars        map[string]string // variables of schema profiles
	Environment string            `yaml:"environment"`         // for example "prod", which a profile may treat as production
	Production  *bool             `yaml:"production"`          // nil derives it from the names
	Accounts    []string          `yaml:"production-accounts"` // numbers of AWS accounts that are production
	RawEdits    string            `yaml:"raw-edits"`           // "true" or "override" allows edits without an action
	Budget      string            `yaml:"budget"`              // RCU per second for long reads, or "none"
	Color       string            `yaml:"color"`               // color of the top line, one of Vocabulary.Marks; "" for none
	Requests    Requests
	Session     SessionRules
	Reads       *bool // whether the journal records reads; nil: only on production
}

// SessionRules defines the inputs that a session requires before its first read.
type SessionRules struct {
	Reason bool   // require the user's reason for working with the database
	Ticket string `yaml:"ticket"` // regular expression that the whole ticket ID must match, "" if no ticket is required
}

// Requests contains the table of change requests and the settings for notifications.
type Requests struct {
	Table string        `yaml:"table"` // "" for the table in the schema profile
	Valid time.Duration // time for which users can apply a request; 0 for the default
	URL   string        // URL that receives a POST request, "" for none
}

// A Theme is the name of a built-in theme, and colors that replace some of its colors. Colors have the form "#3b50c8",
// or "0" to "255" for a color of the terminal's table.
type Theme struct {
	Name        string            // "" for the default
	Background  string            // kind of terminal, one of Vocabulary.Backgrounds; "" queries the terminal
	Colors      map[string]string // keys are meanings, from Vocabulary.Colors
	Dark, Light map[string]string // colors for dark or light terminals, which override Colors
}

// Bindings contains keys by scope and action. Users can run an action with an empty list only from the palette.
type Bindings map[string]map[string][]string

// Options contains settings of the console. A nil field selects the console's default.
type Options struct {
	ASCII *bool `yaml:"ascii"` // draw with ASCII characters; nil: depends on the locale
	Mouse *bool `yaml:"mouse"` // use the mouse; nil: yes
	// ScanLimit is the maximum cost in RCU of a scan without consent, outside of production; nil: the default.
	ScanLimit *int           `yaml:"scan-limit"`
	Zone      *time.Location // time zone of the screens; nil: the machine's time zone
}

// Errors contains the faults of a configuration file in file order.
type Errors struct {
	Path   string
	Faults []placed.Fault
}

// Error returns one line for each fault.
func (e Errors) Error() string {
	lines := models.MapSlice(e.Faults, func(f placed.Fault) string { return f.Format(e.Path, "error") })
	return strings.Join(lines, "\n")
}

// formatVersion is the version of the file format. A file may omit it.
const formatVersion = 1

// Path returns the path of the configuration file.
func Path() string { return filepath.Join(appdir.Config(), "config.yaml") }

// Read reads the file at path, if it exists. The error is [Errors].
func Read(path string, vocabulary Vocabulary) (*File, error) {
	text, err := appdir.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: path}, nil
	}
	if err != nil {
		if inner, ok := errors.AsType[*fs.PathError](err); ok {
			err = inner.Err // without the path, which the fault contains
		}
		return nil, Errors{path, []placed.Fault{{Message: "cannot read the file: " + err.Error()}}}
	}
	return Parse(path, text, vocabulary)
}

// Parse parses the text of a file. Its errors are [Errors] and contain path.
func Parse(path string, text []byte, vocabulary Vocabulary) (*File, error) {
	var d fileDecl
	r := parse(text, &d)
	f := r.file(d, vocabulary)
	f.Sink = r.sink(d.Journal, path, f.Contexts)
	f.Path, f.Found = path, true
	if err := appdir.CheckFormat(d.Format, formatVersion); err != nil {
		_, line, column := r.At("format")
		return nil, Errors{path, []placed.Fault{{Line: line, Column: column, Path: "format", Message: err.Error()}}}
	}
	for _, profile := range d.Profiles {
		f.Profiles = append(f.Profiles, resolvePath(profile, filepath.Dir(path)))
	}
	if len(r.faults) > 0 {
		slices.SortStableFunc(r.faults, placed.Fault.Compare)
		return nil, Errors{path, r.faults}
	}
	return f, nil
}

func resolvePath(path, dir string) string {
	if path = appdir.ExpandHome(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Context returns the context with a name.
func (f *File) Context(name string) (c Context, ok bool) {
	return models.Find(f.Contexts, func(c Context) bool { return c.Name == name })
}

// Names returns the names of the contexts in the order of the file.
func (f *File) Names() []string {
	return models.MapSlice(f.Contexts, func(c Context) string { return c.Name })
}

// Target describes the connection of a context, for example "AWS profile dev, eu-west-1".
func (c Context) Target() string {
	switch {
	case c.Embedded != "":
		return "embedded database in " + c.Embedded
	case c.FromExport != "":
		return "export in " + c.FromExport
	case c.EndpointURL != "":
		return c.EndpointURL
	case c.Profile != "" && c.Region != "":
		return fmt.Sprintf("AWS profile %s, %s", c.Profile, c.Region)
	case c.Profile != "":
		return "AWS profile " + c.Profile
	}
	return c.Region
}
