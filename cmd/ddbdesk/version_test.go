package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionReadsTheBuild(t *testing.T) {
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
	text := strings.Join(v.lines(), "\n")
	for _, want := range []string{
		"ddbdesk v0.1.0\n", "commit     0123abcd, with changes", "date       2026-11-20T10:00:00Z",
		"module     github.com/ddbdesk/ddbdesk v0.1.0 without a checksum", "example.com/a v1.0.0 h1:aaa=", "example.com/fork v1.0.1 h1:bbb=",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "example.com/b") {
		t.Errorf("a replaced module is listed:\n%s", text)
	}
}

// A program without information, such as one that another build tool made, still says what it is.
func TestVersionWithoutBuildInformation(t *testing.T) {
	v := buildOf(nil)
	if text := strings.Join(v.lines(), "\n"); !strings.HasPrefix(text, "ddbdesk (devel)\n") || strings.Contains(text, "commit") {
		t.Errorf("%s", text)
	}
	if v.Modules == nil {
		t.Error("modules would be null in JSON")
	}
}
