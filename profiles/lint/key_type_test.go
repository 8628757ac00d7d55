package lint_test

import (
	"fmt"
	"testing"

	"github.com/ddbdesk/ddbdesk/profiles"
)

// DynamoDB rejects an item whose key has a type other than the table's, so the key's type must be the type that its
// template produces.
func TestKeysHaveTypeOfTheirTemplate(t *testing.T) {
	for _, tt := range []struct {
		kind, template string
		wrong          bool
	}{
		{"N", "{n}", false},
		{"N", "{n:div 100}", false},
		{"N", "{n:05d}", false},
		{"N", "{at:epoch-nanos}", false},
		{"N", "{at:9999999999 - epoch-seconds}", false},
		{"N", "{at:%Y%m%d}", false},
		{"N", "1{n:05d}", false},
		{"N", "{name}", true},
		{"N", "N#{n}", true},
		{"N", "{at}", true},
		{"N", "{at:date}", true},
		{"N", "{name:first 3}", true},
		{"B", "{data}", false},
		{"B", "{name}", true},
		{"B", "B#{n}", true},
		{"S", "{n}", false},
	} {
		p, err := profiles.Load("k.yaml", fmt.Appendf(nil, `name: k
title: K
tables: {main: {name: k, partition_key: PK, sort_key: {name: SK, type: %s}}}
entities:
  Thing:
    table: main
    keys: {PK: "T#{name}", SK: "%s"}
    attributes:
      name: {type: S, required: true}
      n: {type: N, required: true}
      data: {type: B, required: true}
      at: {type: S, format: iso8601, required: true}
`, tt.kind, tt.template), nil)
		if err != nil {
			t.Errorf("%s %s: %v", tt.kind, tt.template, err)
			continue
		}
		wrong := false
		for _, d := range lintRun(t, p) {
			wrong = wrong || d.Rule == "key-type-differs"
		}
		if wrong != tt.wrong {
			t.Errorf("%s %s: reported = %v, want %v", tt.kind, tt.template, wrong, tt.wrong)
		}
	}
}
