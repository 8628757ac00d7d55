package mcp_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/mcp"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// These methods and types can reveal personal data or write items.
var (
	forbiddenMethods = []string{"Reveal", "Hide", "Commit", "Writer", "Write", "Put", "Delete", "Update", "Apply"}
	forbiddenTypes   = []string{"session.Session", "store.Writer", "store.Connection", "changes.Committer", "dynamodb.Client"}
)

// No field or method of the types for agents leads to a method that reveals personal data or writes.
func TestViewersCannotRevealOrWrite(t *testing.T) {
	for _, root := range []any{&session.Viewer{}, &reading.Reader{}, &tables.Catalog{}, &drift.Finder{}, &changes.Planner{}, &changes.Journal{}, &mcp.AgentView{}, &mcp.Server{}} {
		w := &typeWalk{seen: map[reflect.Type]bool{}}
		w.visit(reflect.TypeOf(root), reflect.TypeOf(root).String())
		for _, found := range w.found {
			t.Error(found)
		}
	}
	w := &typeWalk{seen: map[reflect.Type]bool{}}
	w.visit(reflect.TypeFor[*session.Session](), "session")
	if len(w.found) == 0 {
		t.Error("the search finds no write method of a session")
	}
}

// A typeWalk visits all types of this module that can be reached from one type.
type typeWalk struct {
	seen  map[reflect.Type]bool
	found []string
}

func (w *typeWalk) visit(t reflect.Type, path string) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	if slices.Contains(forbiddenTypes, strings.TrimPrefix(t.String(), "*")) {
		w.found = append(w.found, path+" is a "+t.String())
		return
	}
	ours := strings.HasPrefix(t.PkgPath(), "github.com/ddbdesk/ddbdesk/") || t.PkgPath() == ""
	switch k := t.Kind(); {
	case k == reflect.Pointer, k == reflect.Slice, k == reflect.Array, k == reflect.Map, k == reflect.Chan:
		w.visit(t.Elem(), path)
	case k == reflect.Func:
		w.results(t, path)
	case k == reflect.Struct && ours:
		for field := range t.Fields() {
			w.visit(field.Type, path+"."+field.Name)
		}
	}
	if !ours && (t.Kind() != reflect.Pointer || !strings.HasPrefix(t.Elem().PkgPath(), "github.com/ddbdesk/ddbdesk/")) {
		return
	}
	for m := range t.Methods() {
		if owner := receiver(t); slices.Contains(forbiddenMethods, m.Name) && (strings.HasPrefix(owner, "session.") ||
			strings.HasPrefix(owner, "store.")) {
			w.found = append(w.found, path+"."+m.Name)
		}
		w.results(m.Type, path+"."+m.Name+"()")
	}
}

// results visits the result types of a function.
func (w *typeWalk) results(f reflect.Type, path string) {
	for out := range f.Outs() {
		w.visit(out, path)
	}
}

// receiver returns the name of a type without the asterisk of a pointer.
func receiver(t reflect.Type) string { return strings.TrimPrefix(t.String(), "*") }
