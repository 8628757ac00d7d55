package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

const multiKeyProfile = `
name: matches
tables:
  t:
    name: words
    partition_key: id
    indexes:
      ByRegion:
        partition_key: [tournament, region]
        sort_key: [round, bracket, {name: score, type: N}]
        projection: ALL
      ByPlayer: {partition_key: player, sort_key: [day, round], projection: KEYS_ONLY}
entities:
  Match:
    table: t
    attributes:
      id: {type: S, required: true}
      tournament: {type: S}
      region: {type: S}
      round: {type: S, enum: [FINAL, SEMI]}
      bracket: {type: S}
      score: {type: N}
      player: {type: S}
      day: {type: S, format: day}
    sample: {count: 8}
patterns:
  match: {operation: get, key: {id: "{id}"}, returns: [Match]}
  of-region: {operation: query, index: ByRegion, key: {tournament: "{tournament}", region: "{region}"}, returns: [Match]}
  of-round:
    operation: query
    index: ByRegion
    key: {tournament: "{tournament}", region: "{region}", round: "{round}", bracket: {begins_with: "{bracket}"}}
    returns: [Match]
    parameters: {round: {required: false}, bracket: {required: false}}
  best:
    operation: query
    index: ByRegion
    key: {tournament: "{tournament}", region: "{region}", round: "{round}", bracket: "{bracket}", score: {range: score, from: "{from}", to: "{to}"}}
    order: descending
    returns: [Match]
    parameters: {from: {required: false}, to: {required: false}}
  of-players:
    operation: query
    index: ByRegion
    key: {tournament: "{tournament}", region: "{region}"}
    fan_out: {placeholder: region, values: [EU, NA]}
    returns: [Match]
  of-player: {operation: query, index: ByPlayer, key: {player: "{player}", day: "{day}"}, returns: [Match]}
`

// For an index key with several attributes, a pattern sets conditions on the first attributes. The last of these allows
// any condition that DynamoDB supports.
func TestMultiAttributeIndexKeys(t *testing.T) {
	r := startRecorder(t, multiKeyProfile)
	match := func(id, region, round, bracket, score string) string {
		return `{"id":{"S":"` + id + `"},"tournament":{"S":"W"},"region":{"S":"` + region + `"},"round":{"S":"` + round +
			`"},"bracket":{"S":"` + bracket + `"},"score":{"N":"` + score + `"},"player":{"S":"p"},"day":{"S":"20260114"}}`
	}
	r.put(match("a", "EU", "SEMI", "upper", "9"), match("b", "EU", "SEMI", "lower", "10"), match("c", "EU", "FINAL", "upper", "2"),
		match("d", "NA", "FINAL", "upper", "7"), match("e", "EU", "SEMI", "upper", "10"),
		`{"id":{"S":"f"},"tournament":{"S":"W"},"region":{"S":"EU"},"round":{"S":"SEMI"}}`)
	for _, c := range []struct{ pattern, args, want string }{
		{"of-region", "tournament=W region=EU", "c b a e"},
		{"of-round", "tournament=W region=EU", "c b a e"},
		{"of-round", "tournament=W region=EU round=SEMI", "b a e"},
		{"of-round", "tournament=W region=EU round=SEMI bracket=up", "a e"},
		{"best", "tournament=W region=EU round=SEMI bracket=upper", "e a"},
		{"best", "tournament=W region=EU round=SEMI bracket=upper from=10", "e"},
		{"best", "tournament=W region=EU round=SEMI bracket=upper to=9", "a"},
		{"of-players", "tournament=W", "c d b a e"},
	} {
		if got := r.rows("id", c.pattern, strings.Fields(c.args)...); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.pattern, c.args, got, c.want)
		}
	}
	out, _ := r.ok("run", r.profile, "of-player", "player=p", "day=2026-01-14", "-o", "jsonl")
	if strings.Count(out, "\n") != 5 {
		t.Errorf("of-player: want 5 rows, got %s", out)
	}
	// Pages continue after the last row, even if ddbdesk merges partitions.
	for _, pattern := range []string{"of-region region=EU", "of-players"} {
		id, args, _ := strings.Cut(pattern, " ")
		all := r.rows("id", id, strings.Fields(args+" tournament=W")...)
		if got := r.paged(id, strings.Fields(args+" tournament=W")...); got != all {
			t.Errorf("%s in pages of 2: got %s, want %s", pattern, got, all)
		}
	}
	code, _, errs := r.do("run", r.profile, "of-round", "tournament=W", "region=EU", "bracket=up")
	if code != cli.ExitUsage || !strings.Contains(errs, "parameter bracket: requires a single value for round; add round=VALUE") {
		t.Errorf("exit %d, want a usage error about round: %s", code, errs)
	}
}

// paged returns the IDs of the rows in pages of two.
func (r *recorder) paged(pattern string, args ...string) string {
	r.t.Helper()
	token := regexp.MustCompile(`--next (\S+)`)
	var rows []string
	args = append([]string{"run", r.profile, pattern, "--limit", "2", "-o", "jsonl"}, args...)
	for next := []string(nil); ; {
		out, errs := r.ok(append(slices.Clip(args), next...)...)
		for _, m := range regexp.MustCompile(`"id":"(\w+)"`).FindAllStringSubmatch(out, -1) {
			rows = append(rows, m[1])
		}
		more := token.FindStringSubmatch(errs)
		if more == nil {
			return strings.Join(rows, " ")
		}
		next = []string{"--next", more[1]}
	}
}

// Every other command that reads keys also handles keys with several attributes.
func TestMultiAttributeKeysOutsideQueries(t *testing.T) {
	r := startRecorder(t, multiKeyProfile)
	status, text, err := postDynamo(t, http.DefaultClient, r.url, "", "DescribeTable", strings.NewReader(`{"TableName":"words"}`))
	if err != nil || status != http.StatusOK || !strings.Contains(text, `{"AttributeName":"region","KeyType":"HASH"},{"AttributeName":"round","KeyType":"RANGE"}`) {
		t.Errorf("the description lacks the key: %v %d %s", err, status, text)
	}
	if out, errs := r.ok("table", "check", r.profile); strings.Contains(out+errs, "schema expects") {
		t.Errorf("table check reports a difference: %s%s", out, errs)
	}
	r.ok("seed", r.profile, "--role", "admin")
	if _, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
		t.Errorf("drift reports a difference: %s", errs)
	}
	if _, errs := r.ok("schema", "lint", r.profile); !strings.HasPrefix(errs, "0 errors") {
		t.Errorf("schema lint reports errors: %s", errs)
	}
	for _, c := range []struct{ args, want string }{
		{"show", "index ByRegion   partition key tournament + region, sort key round + bracket + score"},
		{"docs", "| `ByRegion` | `tournament, region` | `round, bracket, score (N)` |"},
	} {
		if out, _ := r.ok("schema", c.args, r.profile, "--role", "developer"); !strings.Contains(out, c.want) {
			t.Errorf("schema %s: %q is missing in %s", c.args, c.want, out)
		}
	}
	// A schema from a live table or another format contains the whole index key.
	draft := filepath.Join(t.TempDir(), "draft.yaml")
	r.ok("schema", "init", "words", "--out", draft, "--allow-scan")
	_, _ = r.ok("table", "check", draft)
	for _, format := range []string{"cloudformation", "aws-schema"} {
		file, second := filepath.Join(t.TempDir(), "export"), filepath.Join(t.TempDir(), "again.yaml")
		r.ok("schema", "export", r.profile, format, "--out", file)
		r.ok("schema", "import", format, file, "--out", second)
		out, _ := r.ok("schema", "show", second, "--role", "developer")
		if !strings.Contains(out, "index ByRegion   partition key tournament + region, sort key round + bracket + score") {
			t.Errorf("%s: the index ByRegion is missing in %s", format, out)
		}
	}
	if out, _ := r.ok("schema", "export", r.profile, "terraform"); !strings.Contains(out, "attribute_name = \"region\"\n      key_type       = \"HASH\"") {
		t.Errorf("terraform: the key region is missing in %s", out)
	}
	if code, _, errs := r.do("schema", "export", r.profile, "workbench"); code != cli.ExitUsage ||
		!strings.Contains(errs, "index ByRegion has a key of several attributes") {
		t.Errorf("workbench: exit %d, want an error about the key of ByRegion: %s", code, errs)
	}
}
