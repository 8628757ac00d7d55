package main

import (
	"os"
	"strings"
	"testing"
)

func TestConvertsReleaseConfiguration(t *testing.T) {
	f, err := os.Open("../../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // The file was only read.
	var out strings.Builder
	if err := convert(f, &out, "1.2.3", "bin/ddbdesk"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: ddbdesk\n", "version: 1.2.3\n", "license: MIT\n", "dst: /usr/bin/ddbdesk\n", "src: bin/ddbdesk\n", "/usr/share/man/man1/"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
	}
	for _, unconverted := range []string{"{{", "formats", "package_name"} {
		if strings.Contains(out.String(), unconverted) {
			t.Errorf("%q is unchanged in:\n%s", unconverted, out.String())
		}
	}
}

func TestToolRefusesConfigurationWithoutPackages(t *testing.T) {
	for _, text := range []string{"version: 2\n", "nfpms: [{formats: [deb]}]\n", "nfpms: [{contents: []}, {contents: []}]\n"} {
		if err := convert(strings.NewReader(text), &strings.Builder{}, "1", "p"); err == nil {
			t.Errorf("convert accepted %q", text)
		}
	}
}
