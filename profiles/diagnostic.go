package profiles

import (
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Severity is the importance of a diagnostic.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the profile cannot be used
	Warning Severity = "warning" // a defect of the schema
	Info    Severity = "info"    // a defect of the document that ddbdesk works around
)

// A Diagnostic is one fault of a profile, or of the schema that it describes. Commands write it
// as JSON, so the names there must not change.
type Diagnostic struct {
	File       string   `json:"file"`
	Line       int      `json:"line"`   // 1-based; 0 when the whole file is meant
	Column     int      `json:"column"` // 1-based
	Path       string   `json:"path"`   // patterns.get-verification.key.PK
	Severity   Severity `json:"severity"`
	Rule       string   `json:"rule"` // syntax, unknown-word, or a lint rule
	Kind       string   `json:"kind,omitempty"`
	Message    string   `json:"message"`
	Suggestion string   `json:"suggestion,omitempty"`
	Finding    string   `json:"finding,omitempty"` // the documented finding that explains it
}

func (d Diagnostic) fault() placed.Fault {
	return placed.Fault{File: d.File, Line: d.Line, Column: d.Column, Path: d.Path, Message: d.Message, Suggestion: d.Suggestion}
}

// String formats the diagnostic as [placed.Fault.Format] does.
func (d Diagnostic) String() string { return d.fault().Format(d.File, string(d.Severity)) }

// Errors holds every error of one profile. It is never empty when it is returned as an error.
type Errors []Diagnostic

func (e Errors) Error() string {
	return strings.Join(models.NamesOf(e, Diagnostic.String), "\n")
}

// Compare orders diagnostics by their place in the file, then by message.
func (d Diagnostic) Compare(o Diagnostic) int { return d.fault().Compare(o.fault()) }
