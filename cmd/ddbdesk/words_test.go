package main

import (
	"strings"
	"testing"
)

const operatorProfile = `
name: ops
tables:
  t: {name: words, partition_key: PK, sort_key: SK, indexes: {ByScore: {partition_key: team, sort_key: {name: score, type: N}, projection: ALL}}}
entities:
  Game:
    table: t
    keys: {PK: "A#{team}", SK: "{id}"}
    attributes:
      id: {type: S, required: true}
      team: {type: S, required: true}
      score: {type: N}
      tags: {type: SS}
      at: {type: S, format: iso8601}
      notes: {type: L, items: S}
patterns:
  below: {operation: query, key: {PK: "A#{team}", SK: {lt: "{id}"}}, returns: [Game]}
  to: {operation: query, key: {PK: "A#{team}", SK: {lte: "{id}"}}, returns: [Game]}
  above: {operation: query, key: {PK: "A#{team}", SK: {gt: "{id}"}}, returns: [Game]}
  since: {operation: query, key: {PK: "A#{team}", SK: {gte: "{id}"}}, returns: [Game]}
  within: {operation: query, key: {PK: "A#{team}", SK: {between: ["{from}", "{to}"]}}, returns: [Game]}
  both: {operation: query, key: {PK: "A#{team}", SK: {gte: "{from}", lte: "{to}"}}, returns: [Game]}
  points: {operation: query, index: ByScore, key: {team: "{team}", score: {gt: "{score}"}}, returns: [Game]}
  other: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: score, differs: "{score}"}], returns: [Game]}
  less: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: score, lt: "{score}"}], returns: [Game]}
  until: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: at, lte: "{at}"}], returns: [Game]}
  after: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: at, gt: "{at}"}], returns: [Game]}
  tagged: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: tags, contains: "{tag}"}], returns: [Game]}
  noted: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: notes, contains: "{note}"}], returns: [Game]}
  many: {operation: query, key: {PK: "A#{team}"}, filter: [{attribute: tags, size: {gte: "2"}}], returns: [Game]}
  either:
    operation: query
    key: {PK: "A#{team}"}
    filter: [{any: [{attribute: score, gt: "{score}"}, {attribute: tags, contains: "{tag}"}, {attribute: at, exists: false}]}]
    returns: [Game]
    parameters: {tag: {required: false}}
  nested: {operation: query, key: {PK: "A#{team}", SK: {begins_with: "{league}#{id}"}}, returns: [Game], parameters: {league: {required: false}}}
actions:
  rename:
    entity: Game
    inputs: {to: {}}
    set: {at: "2026-01-20T10:00:00Z"}
    require:
      - {any: [{attribute: score, over: "2"}, {attribute: tags, contains: "{to}"}]}
`

func TestOperatorsOfKeysAndFilters(t *testing.T) {
	r := record(t, operatorProfile)
	r.put("words",
		`{"PK":{"S":"A#x"},"SK":{"S":"a"},"id":{"S":"a"},"team":{"S":"x"},"score":{"N":"1"},"tags":{"SS":["red"]},"at":{"S":"2026-01-14T10:00:00Z"}}`,
		`{"PK":{"S":"A#x"},"SK":{"S":"b"},"id":{"S":"b"},"team":{"S":"x"},"score":{"N":"2"},"tags":{"SS":["red","blue"]},"at":{"S":"2026-01-15T10:00:00Z"}}`,
		`{"PK":{"S":"A#x"},"SK":{"S":"c"},"id":{"S":"c"},"team":{"S":"x"},"score":{"N":"3"},"notes":{"L":[{"S":"late"}]}}`,
	)
	for _, c := range []struct{ pattern, args, want string }{
		{"below", "team=x id=b", "a"},
		{"to", "team=x id=b", "a b"},
		{"above", "team=x id=b", "c"},
		{"since", "team=x id=b", "b c"},
		{"within", "team=x from=a to=b", "a b"},
		{"both", "team=x from=b to=c", "b c"},
		{"points", "team=x score=1", "b c"},
		{"other", "team=x score=2", "a c"},
		{"less", "team=x score=2", "a"},
		{"until", "team=x at=2026-01-14", "a"},
		{"after", "team=x at=2026-01-14", "b"},
		{"tagged", "team=x tag=blue", "b"},
		{"noted", "team=x note=late", "c"},
		{"many", "team=x", "b"},
		{"either", "team=x score=9 tag=blue", "b c"},
		{"either", "team=x score=9", "c"},
	} {
		if got := r.rows("id", c.pattern, strings.Fields(c.args)...); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.pattern, c.args, got, c.want)
		}
	}
	code, _, errs := r.do("run", r.profile, "within", "team=x", "from=c", "to=a")
	if code != exitUsage || !strings.Contains(errs, "parameter from: later than to") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// A value that is given is a part of the key, or refused. It is never dropped.
func TestParameterBehindAMissingOneIsRefused(t *testing.T) {
	r := record(t, operatorProfile)
	code, _, errs := r.do("run", r.profile, "nested", "team=x", "id=a")
	if code != exitUsage || !strings.Contains(errs, "parameter id: follows {league} in the key, which has no value; give league too") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if got := r.received(); len(got) > 0 {
		t.Errorf("sent %v", got)
	}
}

func TestRequirementWithAlternatives(t *testing.T) {
	r := record(t, operatorProfile)
	r.put("words",
		`{"PK":{"S":"A#x"},"SK":{"S":"a"},"id":{"S":"a"},"team":{"S":"x"},"score":{"N":"1"},"tags":{"SS":["red"]}}`,
		`{"PK":{"S":"A#x"},"SK":{"S":"c"},"id":{"S":"c"},"team":{"S":"x"},"score":{"N":"3"}}`,
	)
	change := func(id, to string) (int, string) {
		code, _, errs := r.do("change", r.profile, "rename", "team=x", "id="+id, "to="+to, "--yes", "--role", "admin")
		return code, errs
	}
	if code, errs := change("a", "blue"); code != exitConflict || !strings.Contains(errs, "does not meet any of: score > 2 or contains(tags, blue)") {
		t.Errorf("exit %d: %s", code, errs)
	}
	r.received()
	for _, c := range [][2]string{{"a", "red"}, {"c", "blue"}} {
		if code, errs := change(c[0], c[1]); code != exitOK {
			t.Errorf("%s: exit %d: %s", c[0], code, errs)
		}
	}
	sent := strings.Join(r.received(), "\n")
	if !strings.Contains(sent, "(#score \\u003e :seen_score OR contains(#tags, :seen_tags))") {
		t.Errorf("no alternatives in %s", sent)
	}
}

const separatorProfile = `
name: videos
tables:
  t: {name: words, partition_key: PK, sort_key: SK, indexes: {Nth: {partition_key: PK, sort_key: {name: n, type: N}, projection: ALL}}}
entities:
  Appearance:
    table: t
    keys: {PK: "FACE#{faceId}", SK: "APPEAR#{videoId}#{at}", n: "{n}"}
    attributes:
      faceId: {type: S, required: true}
      videoId: {type: S, required: true}
      at: {type: S, format: iso8601, required: true}
      n: {type: N}
  Part:
    table: t
    keys: {PK: "PART#{bucket}#{name}", SK: "{code:4}{serial}"}
    attributes: {bucket: {type: S, required: true}, name: {type: S, required: true}, code: {type: S, required: true}, serial: {type: S, required: true}}
    sample: {count: 5}
patterns:
  one: {operation: get, key: {PK: "FACE#{faceId}", SK: "APPEAR#{videoId}#{at}"}, returns: [Appearance]}
  of-video: {operation: query, key: {PK: "FACE#{faceId}", SK: {begins_with: "APPEAR#{videoId}#"}}, returns: [Appearance]}
  part: {operation: get, key: {PK: "PART#{bucket}#{name}", SK: "{code:4}{serial}"}, returns: [Part]}
actions:
  add-part:
    entity: Part
    kind: put
    inputs: {bucket: {}, name: {}, code: {}, serial: {}}
`

// The format of the time, the width, and the item's own attributes tell where a value ends
// that contains the separator.
func TestValuesThatContainTheSeparator(t *testing.T) {
	r := record(t, separatorProfile)
	r.put("words",
		`{"PK":{"S":"FACE#f"},"SK":{"S":"APPEAR#a#b#2026-01-14T10:00:00Z"},"faceId":{"S":"f"},"videoId":{"S":"a#b"},"at":{"S":"2026-01-14T10:00:00Z"}}`,
		`{"PK":{"S":"PART#x#y#z"},"SK":{"S":"ab#d#1"},"bucket":{"S":"x#y"},"name":{"S":"z"},"code":{"S":"ab#d"},"serial":{"S":"#1"}}`,
	)
	if got := r.rows("videoId", "one", "faceId=f", "videoId=a#b", "at=2026-01-14T10:00:00Z"); got != "a#b" {
		t.Errorf("get: %q", got)
	}
	if got := r.rows("bucket", "part", "bucket=x#y", "name=z", "code=ab#d", "serial=#1"); got != "x#y" {
		t.Errorf("get of what only the item settles: %q", got)
	}
	// As a prefix, the value would select other videos.
	if code, _, errs := r.do("run", r.profile, "of-video", "faceId=f", "videoId=a#b"); code != exitUsage || !strings.Contains(errs, "contains \"#\"") {
		t.Errorf("prefix: exit %d: %s", code, errs)
	}
	// Another item could have the same key.
	code, _, errs := r.do("change", r.profile, "add-part", "bucket=x#y", "name=w", "code=abcd", "serial=1", "--yes", "--role", "admin")
	if code != exitUsage || !strings.Contains(errs, "parameter bucket: ") {
		t.Errorf("new item: exit %d: %s", code, errs)
	}
	if out, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
		t.Errorf("drift: %s%s", out, errs)
	}
	if out, _ := r.ok("decode", r.profile, "APPEAR#a#b#2026-01-14T10:00:00Z"); !strings.Contains(out, "a#b\n") || strings.Contains(out, "  n = ") {
		t.Errorf("decode: %s", out)
	}
	// Text is no value of the key n, which is a number.
	if out, _ := r.ok("decode", r.profile, "abcdef"); strings.Contains(out, "n = {n}") {
		t.Errorf("decode: %s", out)
	}
	r.ok("seed", r.profile, "--role", "admin")
}
