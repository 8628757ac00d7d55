package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionReadsBuild(t *testing.T) {
	v := buildOf(&debug.BuildInfo{
		Main: debug.Module{Path: "github.com/ddbdesk/ddbdesk", Version: "v0.1.0"},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:aaa="},
			{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v1.0.1", Sum: "h1:bbb="}},
		},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-11-20T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
		},
	})
	want := "ddbdesk v0.1.0 (0123abcd with uncommitted changes, 2026-11-20T10:00:00Z, " + v.Go + ", " + v.Platform + ")"
	if v.line() != want {
		t.Errorf("got %s, want %s", v.line(), want)
	}
	if v.Modules[2] != (module{"example.com/fork", "v1.0.1", "h1:bbb="}) {
		t.Errorf("got %+v for a replaced module", v.Modules[2])
	}
}

// A program without build information, for example from another build tool, still describes its version.
func TestVersionWithoutBuildInformation(t *testing.T) {
	v := buildOf(nil)
	if text := v.line(); !strings.HasPrefix(text, "ddbdesk (devel) (go") {
		t.Errorf("got %s, want ddbdesk (devel)", text)
	}
	if v.Modules == nil {
		t.Error("Modules is nil and would be null in JSON")
	}
}
