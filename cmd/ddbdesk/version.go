package main

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/models"
)

var showVersion = op.New(op.Op{
	Path: "version", Title: "Show the version and its commit; -o json adds the modules", Needs: op.Offline, Formats: op.TextJSON,
}, func(asJSON *bool) []*op.Param {
	return []*op.Param{op.Flag(asJSON, "json", "the same as -o json")}
}, func(_ context.Context, _ *op.Call, asJSON *bool) (op.Result, error) {
	v := currentBuild()
	doc := op.Doc{Document: v, Lines: []string{v.line()}}
	if *asJSON {
		return onlyJSON{doc}, nil
	}
	return doc, nil
})

// onlyJSON is a document that is JSON in every output format.
type onlyJSON struct{ op.Doc }

func (d onlyJSON) Text(to op.Output) error { return to.JSON(d.Document) }

func currentBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info)
}

func version() string { return currentBuild().Version }

// A build is the output of the version command: the information that Go recorded in the program. Commit and Date
// describe the last commit. They are empty if the program was not built from a clone of the repository.
type build struct {
	Version  string   `json:"version"`
	Commit   string   `json:"commit"`
	Date     string   `json:"date"`
	Modified bool     `json:"modified"` // the build used modified files
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Modules  []module `json:"modules"`
}

// A module is a dependency in the program. Sum is its checksum, as in go.sum, and empty for a module built from a
// folder.
type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum"`
}

// buildOf reads the commit and modules only from info, which is nil if the build recorded nothing.
func buildOf(info *debug.BuildInfo) build {
	v := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: []module{}}
	if info == nil {
		return v
	}
	v.Version = cmp.Or(info.Main.Version, v.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		v.Modules = append(v.Modules, module{m.Path, m.Version, m.Sum})
	}
	return v
}

// line returns the version line for people. It omits missing values.
func (v build) line() string {
	commit := v.Commit[:min(len(v.Commit), 12)]
	if v.Modified {
		commit += " with uncommitted changes"
	}
	facts := slices.DeleteFunc([]string{commit, v.Date, v.Go, v.Platform}, func(text string) bool { return text == "" })
	return "ddbdesk " + models.Printable(v.Version) + " (" + strings.Join(facts, ", ") + ")"
}
