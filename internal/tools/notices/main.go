// Command notices writes the licenses of all modules in the program on all its platforms, each text once.
//
//	go run ./internal/tools/notices -out THIRD-PARTY-NOTICES
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	out := flag.String("out", "THIRD-PARTY-NOTICES", "write the notices to `FILE`")
	program := flag.String("program", "github.com/ddbdesk/ddbdesk/cmd/ddbdesk", "the `PACKAGE` of the program")
	flag.Parse()
	text, err := notices(*program)
	if err == nil {
		err = os.WriteFile(*out, []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)(\.(txt|md))?$`)

// modules returns the folders of a program's modules on several systems, by module and version.
func modules(program string, systems ...string) (map[string]string, error) {
	dirs := map[string]string{}
	for _, system := range systems {
		cmd := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`, program)
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		list, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the modules for %s: %w", system, err)
		}
		for line := range strings.Lines(string(list)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[module] = dir
			}
		}
	}
	return dirs, nil
}

func notices(program string) (string, error) {
	dirs, err := modules(program, "linux", "darwin", "windows")
	if err != nil {
		return "", err
	}
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the Go standard library: %w", err)
	}
	dirs["The Go standard library"] = strings.TrimSpace(string(root))
	modulesByText := map[string][]string{} // modules by license text
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		text, err := licenseIn(dirs[module])
		if err != nil {
			return "", fmt.Errorf("%s: %w", module, err)
		}
		modulesByText[text] = append(modulesByText[text], module)
	}
	var b strings.Builder
	b.WriteString("ddbdesk contains the following software. `go generate ./cmd/ddbdesk` writes this file.\n")
	byFirstModule := func(a, b string) int { return cmp.Compare(modulesByText[a][0], modulesByText[b][0]) }
	for _, text := range slices.SortedFunc(maps.Keys(modulesByText), byFirstModule) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(modulesByText[text], "\n"), text)
	}
	return b.String(), nil
}

// licenseIn returns the legal texts in a module's folder.
func licenseIn(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, e := range entries {
		if !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("no license in %s", dir)
	}
	return strings.Join(texts, "\n\n"), nil
}
