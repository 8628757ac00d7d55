// Command nfpmconfig converts the Linux package section of .goreleaser.yaml to a configuration of nfpm, so that
// packages can be built and tested without goreleaser.
//
//	go run ./internal/tools/nfpmconfig -version 0.1.0 -program bin/ddbdesk < .goreleaser.yaml > nfpm.yaml
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"go.yaml.in/yaml/v4"
)

func main() {
	version := flag.String("version", "0.0.0", "the version of the packages")
	program := flag.String("program", "bin/ddbdesk", "the program to pack, as `FILE`")
	flag.Parse()
	if err := convert(os.Stdin, os.Stdout, *version, *program); err != nil {
		fmt.Fprintln(os.Stderr, "nfpmconfig:", err)
		os.Exit(1)
	}
}

// convert reads a goreleaser configuration and writes an nfpm configuration.
func convert(r io.Reader, w io.Writer, version, program string) error {
	var release struct {
		Nfpms []map[string]any `yaml:"nfpms"`
	}
	if err := yaml.NewDecoder(r).Decode(&release); err != nil {
		return err
	}
	if len(release.Nfpms) != 1 {
		return errors.New("the configuration must have one entry under nfpms")
	}
	p := release.Nfpms[0]
	contents, ok := p["contents"].([]any)
	if !ok {
		return errors.New("the entry under nfpms has no contents")
	}
	p["name"], p["version"], p["arch"] = p["package_name"], version, runtime.GOARCH
	p["contents"] = append(contents, map[string]any{"src": program, "dst": "/usr/bin/ddbdesk"})
	for _, key := range []string{"package_name", "file_name_template", "formats", "mtime"} { // unknown to nfpm
		delete(p, key)
	}
	text, err := yaml.Marshal(p)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
