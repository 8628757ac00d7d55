// This file describes what is wrong with a configuration, and where.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Diagnostic is one fault of a configuration file.
type Diagnostic struct {
	File       string
	Line       int // 1-based; 0 when the whole file is meant
	Column     int // 1-based, in bytes
	Path       string
	Message    string
	Suggestion string
}

// String formats the fault as file:line:column: error: path: message, in one
// line.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.File)
	if d.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", d.Line, d.Column)
	}
	b.WriteString(": error: ")
	if d.Path != "" {
		b.WriteString(d.Path + ": ")
	}
	b.WriteString(d.Message)
	if d.Suggestion != "" {
		b.WriteString("; " + d.Suggestion)
	}
	return b.String()
}

// Errors is everything that is wrong with a file, in its order.
type Errors []Diagnostic

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return e
}
