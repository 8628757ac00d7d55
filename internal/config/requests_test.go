package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestContextRequests(t *testing.T) {
	f, err := Parse("c.yaml", []byte("contexts:\n  a:\n    requests: {table: ddbdesk-requests, expires: 72h, notify: {url: https://a.com/b}}\n"), testVocabulary())
	if err != nil {
		t.Fatal(err)
	}
	want := Requests{Table: "ddbdesk-requests", Valid: 72 * time.Hour, URL: "https://a.com/b"}
	if diff := cmp.Diff(want, f.Contexts[0].Requests); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidRequestSettingsAreReported(t *testing.T) {
	for requests, want := range map[string]string{
		"{table: a b}":                         "invalid table name",
		"{expires: soon}":                      "invalid duration",
		"{expires: 721h}":                      "invalid duration",
		"{expires: 59s}":                       "invalid duration",
		"{notify: {url: 'ftp://example.com'}}": "invalid HTTP URL",
		"{tabel: a}":                           "unknown key",
	} {
		_, err := Parse("c.yaml", []byte("contexts:\n  a:\n    requests: "+requests+"\n"), testVocabulary())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", requests, err, want)
		}
	}
}
