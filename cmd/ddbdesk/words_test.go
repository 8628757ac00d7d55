package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
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

func TestKeyAndFilterOperators(t *testing.T) {
	r := startRecorder(t, operatorProfile)
	r.put(
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
			t.Errorf("%s %s: got %s, want %s", c.pattern, c.args, got, c.want)
		}
	}
	code, _, errs := r.do("run", r.profile, "within", "team=x", "from=c", "to=a")
	if code != cli.ExitUsage || !strings.Contains(errs, "parameter from: later than to") {
		t.Errorf("exit %d, want a usage error about from: %s", code, errs)
	}
}

// A given value becomes part of the key or causes an error. ddbdesk never drops it silently.
func TestParameterAfterMissingOneIsRejected(t *testing.T) {
	r := startRecorder(t, operatorProfile)
	code, _, errs := r.do("run", r.profile, "nested", "team=x", "id=a")
	if code != cli.ExitUsage || !strings.Contains(errs, "parameter id: the key requires {league} first; add league=VALUE") {
		t.Errorf("exit %d, want a usage error about id: %s", code, errs)
	}
	if got := r.received(); len(got) > 0 {
		t.Errorf("got requests %v, want none", got)
	}
}

func TestRequirementWithAlternatives(t *testing.T) {
	r := startRecorder(t, operatorProfile)
	r.put(
		`{"PK":{"S":"A#x"},"SK":{"S":"a"},"id":{"S":"a"},"team":{"S":"x"},"score":{"N":"1"},"tags":{"SS":["red"]}}`,
		`{"PK":{"S":"A#x"},"SK":{"S":"c"},"id":{"S":"c"},"team":{"S":"x"},"score":{"N":"3"}}`,
	)
	change := func(id, to string) (int, string) {
		code, _, errs := r.do("change", r.profile, "rename", "team=x", "id="+id, "to="+to, "--yes", "--role", "admin")
		return code, errs
	}
	if code, errs := change("a", "blue"); code != cli.ExitConflict || !strings.Contains(errs, "does not meet any of: score > 2 or contains(tags, blue)") {
		t.Errorf("exit %d, want a conflict about the requirement: %s", code, errs)
	}
	r.received()
	for _, c := range [][2]string{{"a", "red"}, {"c", "blue"}} {
		if code, errs := change(c[0], c[1]); code != cli.ExitOK {
			t.Errorf("%s: exit %d: %s", c[0], code, errs)
		}
	}
	sent := strings.Join(r.received(), "\n")
	if !strings.Contains(sent, "(#score \\u003e :seen_score OR contains(#tags, :seen_tags))") {
		t.Errorf("the condition lacks the alternatives: %s", sent)
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

// If a value contains the separator, its time format, its width or the item's attributes determine where it ends.
func TestValuesContainingSeparator(t *testing.T) {
	r := startRecorder(t, separatorProfile)
	r.put(
		`{"PK":{"S":"FACE#f"},"SK":{"S":"APPEAR#a#b#2026-01-14T10:00:00Z"},"faceId":{"S":"f"},"videoId":{"S":"a#b"},"at":{"S":"2026-01-14T10:00:00Z"}}`,
		`{"PK":{"S":"PART#x#y#z"},"SK":{"S":"ab#d#1"},"bucket":{"S":"x#y"},"name":{"S":"z"},"code":{"S":"ab#d"},"serial":{"S":"#1"}}`,
	)
	if got := r.rows("videoId", "one", "faceId=f", "videoId=a#b", "at=2026-01-14T10:00:00Z"); got != "a#b" {
		t.Errorf("get: got %q, want a#b", got)
	}
	if got := r.rows("bucket", "part", "bucket=x#y", "name=z", "code=ab#d", "serial=#1"); got != "x#y" {
		t.Errorf("get with an ambiguous key: got %q, want x#y", got)
	}
	// As a prefix, the value would match other videos.
	if code, _, errs := r.do("run", r.profile, "of-video", "faceId=f", "videoId=a#b"); code != cli.ExitUsage ||
		!strings.Contains(errs, "contains \"#\"") {
		t.Errorf("prefix: exit %d, want an error about #: %s", code, errs)
	}
	// Another item could have the same key.
	code, _, errs := r.do("change", r.profile, "add-part", "bucket=x#y", "name=w", "code=abcd", "serial=1", "--yes", "--role", "admin")
	if code != cli.ExitUsage || !strings.Contains(errs, "parameter bucket: ") {
		t.Errorf("new item: exit %d, want a usage error about bucket: %s", code, errs)
	}
	if out, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
		t.Errorf("drift reports a difference: %s%s", out, errs)
	}
	if out, _ := r.ok("decode", r.profile, "APPEAR#a#b#2026-01-14T10:00:00Z"); !strings.Contains(out, "a#b\n") ||
		strings.Contains(out, "  n = ") {
		t.Errorf("decode splits the key: %s", out)
	}
	// The key n is a number, so text does not match it.
	if out, _ := r.ok("decode", r.profile, "abcdef"); strings.Contains(out, "n = {n}") {
		t.Errorf("decode returns an empty value: %s", out)
	}
	r.ok("seed", r.profile, "--role", "admin")
}

const conditionalProfile = `
name: tasks
tables:
  t: {name: words, partition_key: PK, sort_key: SK, indexes: {Open: {partition_key: GPK, sort_key: GSK, projection: ALL}}}
entities:
  Task:
    table: t
    when: {equals: {_type: Task}}
    keys:
      PK: "ITEM#{id}"
      SK: META
      GPK: {template: "OPEN#{team}", when: {status: [open, review]}}
      GSK: {template: "{id}", when: {status: [open, review]}}
    attributes:
      _type: {type: S, required: true, enum: [Task]}
      id: {type: S, required: true}
      team: {type: S, required: true}
      status: {type: S, required: true, enum: [open, review, done]}
  Note:
    table: t
    when: {equals: {_type: Note}}
    keys: {PK: "ITEM#{id}", SK: META}
    attributes: {_type: {type: S, required: true, enum: [Note]}, id: {type: S, required: true}}
lifecycles:
  Status:
    entity: Task
    attribute: status
    states: {open: {kind: open, initial: true}, review: {kind: open}, done: {kind: good}}
    transitions:
      - {name: review, from: [open], to: review}
      - {name: finish, from: [open, review], to: done}
      - {name: reopen, from: [done], to: open}
patterns:
  task: {operation: get, key: {PK: "ITEM#{id}", SK: META}, returns: [Task]}
  note: {operation: get, key: {PK: "ITEM#{id}", SK: META}, returns: [Note]}
  open-tasks: {operation: query, index: Open, key: {GPK: "OPEN#{team}"}, returns: [Task]}
actions:
  review: {transition: review}
  finish: {transition: finish}
  reopen: {transition: reopen}
  add: {entity: Task, kind: put, inputs: {id: {}, team: {}}, set: {team: "{team}", status: open}}
`

// A key with a condition exists only while the condition is true. Changes add and remove it, and drift search and
// repair respect it.
func TestConditionalIndexKeys(t *testing.T) {
	r := startRecorder(t, conditionalProfile)
	change := func(args ...string) string {
		t.Helper()
		out, _ := r.ok(append(append([]string{"change", r.profile}, args...), "--yes", "--role", "admin")...)
		return out
	}
	open := func(want string) {
		t.Helper()
		if got := r.rows("id", "open-tasks", "team=x"); got != want {
			t.Errorf("open-tasks: got %q, want %q", got, want)
		}
		if _, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
			t.Errorf("drift reports a difference: %s", errs)
		}
	}
	change("add", "id=a", "team=x")
	open("a")
	if out := change("review", "id=a"); strings.Contains(out, "GPK") {
		t.Errorf("review changes the index key: %s", out)
	}
	open("a")
	if out := change("finish", "id=a"); !strings.Contains(out, "GPK") {
		t.Errorf("finish does not remove the index key: %s", out)
	}
	open("")
	r.ok("undo", r.profile, "--yes", "--role", "admin")
	open("a")
	change("finish", "id=a")
	change("reopen", "id=a")
	open("a")

	// Another program writes these items.
	r.put(
		`{"PK":{"S":"ITEM#b"},"SK":{"S":"META"},"_type":{"S":"Task"},"id":{"S":"b"},"team":{"S":"x"},"status":{"S":"done"},`+
			`"GPK":{"S":"OPEN#x"},"GSK":{"S":"b"}}`,
		`{"PK":{"S":"ITEM#c"},"SK":{"S":"META"},"_type":{"S":"Task"},"id":{"S":"c"},"team":{"S":"x"},"status":{"S":"open"}}`,
		`{"PK":{"S":"ITEM#n"},"SK":{"S":"META"},"_type":{"S":"Note"},"id":{"S":"n"}}`,
	)
	if got := r.rows("id", "open-tasks", "team=x"); got != "a b" {
		t.Errorf("open-tasks: got %q, want a b", got)
	}
	if out, _ := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(out, "an item is in the index only if status is open or review") {
		t.Errorf("drift does not report the index key: %s", out)
	}
	r.ok("drift", r.profile, "--allow-scan", "--repair", "--yes", "--role", "admin")
	open("a c")
}

// A value distinguishes entities with the same keys. New items get this value.
func TestDiscriminators(t *testing.T) {
	r := startRecorder(t, conditionalProfile)
	r.put(`{"PK":{"S":"ITEM#n"},"SK":{"S":"META"},"_type":{"S":"Note"},"id":{"S":"n"}}`)
	r.ok("change", r.profile, "add", "id=a", "team=x", "--yes", "--role", "admin")
	if got := r.rows("_type", "task", "id=a"); got != "Task" {
		t.Errorf("_type of the new item = %q, want Task", got)
	}
	if code, _, errs := r.do("change", r.profile, "finish", "id=n", "--yes", "--role", "admin"); code != cli.ExitConflict ||
		!strings.Contains(errs, "_type is Task") {
		t.Errorf("finishing a note: exit %d, want an error about _type: %s", code, errs)
	}
	r.ok("seed", r.profile, "--role", "admin")
	if _, errs := r.ok("drift", r.profile, "--allow-scan"); !strings.Contains(errs, "no drift") {
		t.Errorf("drift reports a difference: %s", errs)
	}
}

const localProfile = `
name: local
tables:
  t:
    name: words
    partition_key: PK
    sort_key: SK
    billing: provisioned
    indexes:
      ByScore: {local: true, sort_key: {name: score, type: N}, projection: ALL}
      ByTeam: {partition_key: team, projection: KEYS_ONLY}
entities:
  Game: {table: t, keys: {PK: "A#{id}", SK: "{round}"}, attributes: {id: {type: S, required: true}, round: {type: S, required: true}, score: {type: N}, team: {type: S}}}
patterns:
  best: {operation: query, index: ByScore, key: {PK: "A#{id}"}, order: descending, returns: [Game]}
  of-team: {operation: query, index: ByTeam, key: {team: "{team}"}, returns: [Game]}
`

// ddbdesk creates a local index as local, and a provisioned table with its capacity.
func TestLocalIndexesAndProvisionedTables(t *testing.T) {
	r := startRecorder(t, localProfile)
	status, text, err := postDynamo(t, http.DefaultClient, r.url, "", "DescribeTable", strings.NewReader(`{"TableName":"words"}`))
	local := regexp.MustCompile(`"LocalSecondaryIndexes":\[\{[^]]*"IndexName":"ByScore"`)
	if err != nil || status != http.StatusOK || !local.MatchString(text) || !strings.Contains(text, `"ReadCapacityUnits":5`) {
		t.Errorf("the description lacks the local index or the capacity: %v %d %s", err, status, text)
	}
	r.put(
		`{"PK":{"S":"A#x"},"SK":{"S":"1"},"id":{"S":"x"},"round":{"S":"1"},"score":{"N":"3"},"team":{"S":"red"}}`,
		`{"PK":{"S":"A#x"},"SK":{"S":"2"},"id":{"S":"x"},"round":{"S":"2"},"score":{"N":"7"}}`,
	)
	if got := r.rows("round", "best", "id=x"); got != "2 1" {
		t.Errorf("best: got %q, want 2 1", got)
	}
	if out, errs := r.ok("table", "check", r.profile); strings.Contains(out+errs, "schema expects") {
		t.Errorf("table check reports a difference: %s%s", out, errs)
	}
}

const writeProfile = `
name: writes
tables:
  t: {name: words, partition_key: PK, indexes: {Team: {partition_key: team, projection: KEYS_ONLY}}}
entities:
  Game:
    table: t
    keys: {PK: "A#{id}"}
    attributes:
      id: {type: S, required: true}
      team: {type: S}
      tags: {type: SS}
      marks: {type: NS}
      notes: {type: L, items: S}
      approvals: {type: M, undocumented: true}
      month: {type: S, format: month}
      at: {type: S, format: iso8601-local}
patterns:
  game: {operation: get, key: {PK: "A#{id}"}, returns: [Game]}
  of-team: {operation: query, index: Team, key: {team: "{team}"}, returns: [Game]}
  of-team-since: {operation: query, index: Team, key: {team: "{team}"}, filter: [{attribute: at, from: "{at}"}], returns: [Game]}
actions:
  tag: {entity: Game, inputs: {tag: {}}, set: {tags: "{tags} + {tag}"}}
  untag: {entity: Game, inputs: {tag: {}}, set: {tags: "{tags} - {tag}"}}
  mark: {entity: Game, inputs: {mark: {type: number}}, set: {marks: "{marks} + {mark}"}}
  note: {entity: Game, inputs: {note: {}}, set: {notes: "{notes} + {note}"}}
  approve: {entity: Game, inputs: {user: {}}, set: {"approvals.{user}.approved": true, "approvals.{user}.level": 3, "approvals.{user}.note": "true"}}
  touch: {entity: Game, set: {at: "{now}", month: "{now}"}}
`

// An action adds elements to sets and lists and removes them. An input names a value in a map.
func TestWritesIntoCollections(t *testing.T) {
	r := startRecorder(t, writeProfile)
	r.put(`{"PK":{"S":"A#x"},"id":{"S":"x"},"team":{"S":"red"}}`)
	item := func() string {
		t.Helper()
		status, text, err := postDynamo(t, http.DefaultClient, r.url, "", "GetItem", strings.NewReader(`{"TableName":"words","Key":{"PK":{"S":"A#x"}}}`))
		if err != nil || status != http.StatusOK {
			t.Fatalf("GetItem failed: %v %d %s", err, status, text)
		}
		return text
	}
	before := item()
	steps := []struct{ args, want string }{
		{"tag id=x tag=a", `"tags":{"SS":["a"]}`},
		{"tag id=x tag=b", `"tags":{"SS":["a","b"]}`},
		{"untag id=x tag=a", `"tags":{"SS":["b"]}`},
		{"untag id=x tag=b", ""},
		{"mark id=x mark=1.50", `"marks":{"NS":["1.5"]}`},
		{"note id=x note=n", `"notes":{"L":[{"S":"n"}]}`},
		{"note id=x note=n", `"notes":{"L":[{"S":"n"},{"S":"n"}]}`},
		{"approve id=x user=kago", `"approved":{"BOOL":true}`},
		{"approve id=x user=neo", `"level":{"N":"3"}`},
	}
	for _, step := range steps {
		r.ok(append(append([]string{"change", r.profile}, strings.Fields(step.args)...), "--yes", "--role", "admin")...)
		if got := item(); !strings.Contains(got, step.want) || step.want == "" && strings.Contains(got, "tags") {
			t.Errorf("%s: got %s", step.args, got)
		}
	}
	for range steps {
		r.ok("undo", r.profile, "--yes", "--role", "admin")
	}
	if got := item(); strings.Contains(got, "kago") || strings.Contains(got, "SS") || strings.Contains(got, "NS") || strings.Contains(got, `"n"`) {
		t.Errorf("after undo: got %s, before: %s", got, before)
	}
	code, _, errs := r.do("change", r.profile, "approve", "id=x", "user=a.b", "--yes", "--role", "admin")
	if code != cli.ExitConflict || !strings.Contains(errs, "cannot be a name") {
		t.Errorf("exit %d, want a conflict about the name: %s", code, errs)
	}
}

// Times keep their format. The explanation of a read from a partial index contains the BatchGetItem.
func TestTimesWithoutZoneAndPartialIndexes(t *testing.T) {
	r := startRecorder(t, writeProfile)
	r.put(
		`{"PK":{"S":"A#x"},"id":{"S":"x"},"team":{"S":"red"},"at":{"S":"2020-06-21T19:20:00"}}`,
		`{"PK":{"S":"A#y"},"id":{"S":"y"},"team":{"S":"red"},"at":{"S":"2020-06-21T19:19:59"}}`,
	)
	for pattern, args := range map[string][]string{"of-team": {"team=red"}, "of-team-since": {"team=red", "at=2020-06-21T19:20:00"}} {
		out, _ := r.ok(append([]string{"run", r.profile, pattern, "--explain"}, args...)...)
		if showsFilter := strings.Contains(out, `"filter": {`); !strings.Contains(out, `"BatchGetItem"`) || showsFilter != (pattern == "of-team-since") {
			t.Errorf("%s: want BatchGetItem, got %s", pattern, out)
		}
		r.received()
		rows, _ := r.ok(append([]string{"run", r.profile, pattern, "-o", "jsonl"}, args...)...)
		if !strings.Contains(rows, `"id":"x"`) || strings.Contains(rows, `"id":"y"`) != (pattern == "of-team") {
			t.Errorf("%s: got rows %s", pattern, rows)
		}
		if got := strings.Join(r.received(), " "); !strings.Contains(got, "BatchGetItem") || strings.Contains(got, "FilterExpression") {
			t.Errorf("%s sent %s", pattern, got)
		}
	}
	r.ok("change", r.profile, "touch", "id=x", "--yes", "--role", "admin")
	out, _ := r.ok("run", r.profile, "game", "id=x", "-o", "json")
	if !regexp.MustCompile(`"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"`).MatchString(out) || !regexp.MustCompile(`"month":"\d{4}-\d\d"`).MatchString(out) {
		t.Errorf("want local times without a zone, got %s", out)
	}
}
