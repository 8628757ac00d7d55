package profiles

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/placed"
)

// A text is a profile with the access to the files that it includes.
type text struct {
	file string
	text []byte
	// read returns a file of the profile's folder, by its path there; nil if the text has no folder.
	read func(path string) ([]byte, error)
}

// An inclusion is a file that a profile includes.
type inclusion struct {
	path string // within the folder of the profile
	file string // for messages
	text []byte
}

// maxFiles is how many files a profile can include.
const maxFiles = 100

// A composer puts the text of a profile together: with the files that it includes, and with the overlay of an environment.
type composer struct {
	*source
	of       text
	included []inclusion
	within   []string // the files around the one that is read, to detect a cycle
}

// compose returns nil if there is nothing to decode.
func (c *composer) compose() *yaml.Node {
	if placed.Blank(c.of.text) {
		c.add(placed.Fault{Kind: placed.Syntax, Line: 1, Column: 1, Message: "file is empty; a profile starts with name:"})
	}
	c.within = []string{path.Base(strings.ReplaceAll(c.of.file, `\`, "/"))}
	root := c.Parse("", c.of.text)
	if root == nil || root.Kind != yaml.MappingNode {
		return root
	}
	return c.include(root, root, ".")
}

func (c *composer) include(root, n *yaml.Node, dir string) *yaml.Node {
	_, list := placed.Pair(n, "include")
	if list == nil {
		return root
	}
	names := []*yaml.Node{list}
	if list.Kind == yaml.SequenceNode {
		names = list.Content
	}
	for i, name := range names {
		at := placed.Join("include", strconv.Itoa(i))
		if name.Kind != yaml.ScalarNode {
			c.FaultAt(name, at, "", "expected a file path")
			continue
		}
		root = c.file(root, name, at, path.Join(dir, name.Value))
	}
	return root
}

// file adds one included file to root. Including it again has no effect.
func (c *composer) file(root, name *yaml.Node, at, p string) *yaml.Node {
	if slices.Contains(c.within, p) {
		c.FaultAt(name, at, "remove it", "file includes itself: "+strings.Join(append(slices.Clone(c.within), p), " → "))
		return root
	}
	if slices.ContainsFunc(c.included, func(i inclusion) bool { return i.path == p }) {
		return root
	}
	if len(c.included) == maxFiles {
		c.FaultAt(name, at, "combine some of the files", fmt.Sprintf("profile includes more than %d files", maxFiles))
		return root
	}
	body, ok := c.open(name, at, p)
	c.included = append(c.included, inclusion{p, beside(c.of.file, p), body})
	if !ok {
		return root
	}
	n := c.Parse(beside(c.of.file, p), body)
	switch {
	case n == nil:
		return root
	case n.Kind != yaml.MappingNode:
		c.FaultAt(n, "", "write keys of a profile, such as entities:", "expected a mapping (key: value)")
		return root
	}
	root = c.Unite(root, c.sections(n))
	c.within = append(c.within, p)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	return c.include(root, n, path.Dir(p))
}

// open reports a fault where the file is included.
func (c *composer) open(name *yaml.Node, at, p string) ([]byte, bool) {
	const next = "give a path relative to this file, in the folder of the profile"
	switch {
	case c.of.read == nil:
		c.FaultAt(name, at, "save the profile as a file", "include: works only in a profile that is a file")
		return nil, false
	case path.IsAbs(name.Value) || strings.Contains(name.Value, `\`) || !fs.ValidPath(p) || p == ".":
		c.FaultAt(name, at, next, fmt.Sprintf("%q is not a file in the folder of the profile", name.Value))
		return nil, false
	}
	body, err := c.of.read(p)
	if err == nil {
		return body, true
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	c.FaultAt(name, at, next, fmt.Sprintf("cannot read %q: %v", name.Value, err))
	return nil, false
}

// besideFile refuses links that lead out of the folder.
func besideFile(file string) func(p string) ([]byte, error) {
	if name, ok := strings.CutPrefix(file, "builtin:"); ok {
		return func(p string) ([]byte, error) { return builtin.ReadFile(path.Join("builtin", path.Dir(name), p)) }
	}
	return func(p string) ([]byte, error) { return appdir.ReadWithin(filepath.Dir(file), p) }
}

// ofProfile are the words that describe the profile as a whole. Included files and overlays cannot have them.
var ofProfile = []string{"name", "include", "overlays"}

func (c *composer) sections(n *yaml.Node) *yaml.Node {
	n = &yaml.Node{Kind: n.Kind, Content: slices.Clone(n.Content), Line: n.Line, Column: n.Column}
	for i := 0; i+1 < len(n.Content); {
		k := n.Content[i]
		if k.Value == "include" || strings.HasPrefix(k.Value, "x-") {
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		if k.Value == "name" {
			c.FaultAt(k, k.Value, "remove it", "an included file must not have name:")
			n.Content = slices.Delete(n.Content, i, i+2)
			continue
		}
		i += 2
	}
	return n
}

func beside(file, p string) string {
	if name, ok := strings.CutPrefix(file, "builtin:"); ok {
		return "builtin:" + path.Join(path.Dir(name), p)
	}
	if i := strings.LastIndexAny(file, `/\`); i >= 0 {
		return file[:i+1] + p
	}
	return p
}

// Decode implements placed.Former: it keeps the changes, which [placed.Source.Patch] applies, and checks their sections.
func (o *overlayDecl) Decode(s *placed.Source, n *yaml.Node, path string) {
	o.changes = n
	if n.Kind != yaml.MappingNode {
		s.Errorf(path, "", "expected a mapping (section: changes)")
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; slices.Contains(ofProfile, k.Value) {
			s.FaultAt(k, placed.Join(path, k.Value), "remove it", "an overlay cannot change "+k.Value)
		}
	}
}
