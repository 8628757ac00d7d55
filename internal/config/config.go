// Package config reads the configuration file: named contexts, the theme, own
// keys, options of the console. It says everything that is wrong with the file
// at once, each with its line and column.
//
// What the words for themes, colours, scopes and actions are, the console knows:
// it hands them in as a [Vocabulary]. The package itself does no more than read,
// and knows the keys that terminals can send.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
)

// A File is a configuration that can be used. The zero value is that of somebody
// without a file.
type File struct {
	Path     string
	Found    bool // there is a file
	Contexts []Context
	Theme    Theme
	Keys     Bindings
	Options  Options
}

// A Context is a named connection. Empty values leave the flag of the same name
// as it is.
type Context struct {
	Name        string
	Profile     string // of the AWS configuration
	Region      string
	EndpointURL string
	Embedded    string // folder of an embedded store
	Role        string
	Actor       string
	ReadOnly    bool
	Vars        map[string]string

	Environment string // such as "prod": it may count as production
	Budget      string // for long reads, in read units per second, or "none"
	Colour      string // of the top line, one of the vocabulary's; "" for none
}

// A Theme is the name of a built-in one, and colours that replace some of its.
type Theme struct {
	Name        string            // "" is the default
	Colours     map[string]string // by the meaning of the colour: "#3b50c8", or "0" to "255"
	Dark, Light map[string]string // those of one kind of terminal; they win
}

// Bindings are keys by scope and action. An action without keys can be reached
// through the palette alone.
type Bindings map[string]map[string][]string

// Options are switches of the console; nil leaves the choice to it.
type Options struct {
	ASCII *bool // draw frames and signs with ASCII; nil: as the locale says
	Mouse *bool // take the mouse; nil: yes
}

// Path returns where the configuration file is.
func Path() string { return filepath.Join(appdir.Config(), "config.yaml") }

// Read reads the file at path, if there is one. Its error is an [Errors] when
// the file is wrong.
func Read(path string, words Vocabulary) (*File, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: path}, nil
	}
	if err != nil {
		return nil, Errors{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	return Parse(path, text, words)
}

func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// Parse reads the text of a file; path stands in what it says.
func Parse(path string, text []byte, words Vocabulary) (*File, error) {
	var d fileDecl
	s := parse(path, text, &d)
	f := s.file(d, words)
	f.Path, f.Found = path, true
	if len(s.bad) > 0 {
		return nil, s.bad.sorted()
	}
	return f, nil
}

// Context returns the context with a name.
func (f *File) Context(name string) (Context, bool) {
	for _, c := range f.Contexts {
		if c.Name == name {
			return c, true
		}
	}
	return Context{}, false
}

// Names lists the names of the contexts in the order of the file.
func (f *File) Names() []string {
	list := make([]string, len(f.Contexts))
	for i, c := range f.Contexts {
		list[i] = c.Name
	}
	return list
}

// Target says in a few words where a context leads, without asking anything.
func (c Context) Target() string {
	switch {
	case c.Embedded != "":
		return "embedded store in " + c.Embedded
	case c.EndpointURL != "":
		return c.EndpointURL
	case c.Profile != "" && c.Region != "":
		return fmt.Sprintf("AWS profile %s, %s", c.Profile, c.Region)
	case c.Profile != "":
		return "AWS profile " + c.Profile
	}
	return c.Region
}
