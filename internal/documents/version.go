package documents

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/ddbdesk/ddbdesk/models"
)

// Version is the document of version: what Go recorded when it built the program. Commit and Date are those of the
// last commit, and empty in a program that was not built from a clone of the repository.
type Version struct {
	Version  string   `json:"version"`
	Commit   string   `json:"commit"`
	Date     string   `json:"date"`
	Modified bool     `json:"modified"` // the files were not those of the commit
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Modules  []Module `json:"modules"`
}

// Module is a module in the program. Sum is its checksum, as in go.sum, and empty for what was built from a folder.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum"`
}

// NewVersion reads the build information of a program, nil if it has none. Nothing is read but
// info, so the document is the same wherever the binary runs.
func NewVersion(info *debug.BuildInfo) Version {
	v := Version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Modules: []Module{}}
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
		v.Modules = append(v.Modules, Module{m.Path, m.Version, m.Sum})
	}
	return v
}

// Lines returns the information for people, without what the build did not record.
func (v Version) Lines() []string {
	commit := v.Commit
	if v.Modified {
		commit += ", with changes that are not committed"
	}
	lines := []string{"ddbdesk " + models.Printable(v.Version)}
	for _, row := range [][2]string{{"commit", commit}, {"date", v.Date}, {"go", v.Go}, {"platform", v.Platform}} {
		if row[1] != "" {
			lines = append(lines, fmt.Sprintf("%-10s %s", row[0], row[1]))
		}
	}
	for _, m := range v.Modules {
		lines = append(lines, fmt.Sprintf("%-10s %s %s %s", "module", m.Path, m.Version, cmp.Or(m.Sum, "without a checksum")))
	}
	return lines
}
