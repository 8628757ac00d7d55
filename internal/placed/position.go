package placed

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// Has reports whether the text contains the part at path.
func (s *Source) Has(path string) bool {
	_, ok := s.place(path)
	return ok
}

func (s *Source) place(path string) (place, bool) {
	if p, ok := s.pos[path]; ok || len(s.uses) == 0 {
		return p, ok
	}
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if from, ok := s.uses[path[:end]]; ok {
			return s.place(from + path[end:])
		}
	}
	return place{}, false
}

// A place is the position of a part. Its file is "" for the loaded text.
type place struct {
	file         string
	line, column int
}

// At returns the position of the part at path, or of the closest enclosing part in the text. file is "" for the loaded
// text. At returns zeros if there is no such part.
func (s *Source) At(path string) (file string, line, column int) {
	for {
		if p, ok := s.place(path); ok {
			return p.file, p.line, p.column
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return "", 0, 0
		}
		path = path[:i]
	}
}

// SetPosition sets the position of the part at path to the position of n.
func (s *Source) SetPosition(path string, n *yaml.Node) {
	s.pos[path] = place{s.files[n], n.Line, n.Column}
}

// ReusePositions records that path reuses the parts of from, so that paths within it have positions.
func (s *Source) ReusePositions(from, path string) { s.uses[path] = from }
