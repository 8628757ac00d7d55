package profiles_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/lint"
)

// checkLoad loads the text and lints the schema if it is valid. Neither may panic, and every fault needs a message.
func checkLoad(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	p, err := profiles.Load("fuzz.yaml", []byte(text), nil)
	if err == nil {
		if _, err := lint.Run(context.Background(), p); err != nil {
			t.Fatalf("lint: %v", err)
		}
		return
	}
	var list profiles.Errors
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("got %v, want a list of faults", err)
	}
	for _, d := range list {
		if d.Severity != profiles.Error || d.Message == "" {
			t.Fatalf("incomplete fault %+v", d)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, name := range profiles.Names() {
		_, text, err := profiles.ReadSource(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{"", shopProfile, fullProfile, user, "a: &a [*a]\n", "tables: {x: {partition_key: '{'}}\n", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkLoad(t, text) })
}

// mutate breaks a schema like a user who edits it: it removes, moves, cuts and indents lines, and replaces words.
func mutate(t *rapid.T, lines []string) string {
	lines = append([]string{}, lines...)
	for range rapid.IntRange(1, 4).Draw(t, "edits") {
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		j := rapid.IntRange(0, len(lines)-1).Draw(t, "other")
		switch rapid.IntRange(0, 5).Draw(t, "edit") {
		case 0:
			lines = append(lines[:i], lines[i+1:]...)
		case 1:
			lines[i], lines[j] = lines[j], lines[i]
		case 2:
			lines[i] = indent(lines[i]) + strings.TrimSpace(lines[j])
		case 3:
			lines[i] = lines[i][:len(lines[i])/2]
		case 4:
			lines[i] = "  " + lines[i]
		case 5:
			word := rapid.SampledFrom([]string{"{", "}", "[]", "{}", "~", "&x *x", "''", "{a:b}", "begins_with"}).Draw(t, "word")
			if k := strings.LastIndexAny(lines[i], " :"); k >= 0 {
				lines[i] = lines[i][:k+1] + word
			}
		}
	}
	return strings.Join(lines, "\n")
}

func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// fullProfile is a schema that uses every keyword for changes.
const fullProfile = shopProfile + `actions:
  pay:
    transition: "Stage.{to}"
    uses: [user]
    inputs: {note: {default: "{reason}"}, site: {required: false}}
    let: {key: "{orderId}:{site}"}
    reads:
      other: {entity: Order, key: {orderId: "{key}"}, optional: true}
    set: {notes: {by: "{actor}", list: [a, "{note|b}"]}, total: "{total} + 1"}
    remove: [madeAt]
    require:
      - {attribute: endsAt, over: "{now-1h}", or_missing: true}
    also:
      - {update: other, transition: Stage.pay, if: site}
      - {check: user, require: [{attribute: mail, exists: true}]}
    audit: {what: "{action}"}
    undo: {what: back}
  add:
    entity: Order
    kind: put
    inputs: {orderId: {default: "ord_{uuid}"}}
    set: {userId: "{actor}", stage: open}
  mend: {entity: User, kind: repair}
bundles:
  user:
    reads:
      user: {entity: User}
    also: [{update: user, set: {orders: "{user.orders|0} + 1"}}]
trails:
  Entry:
    about: {Order: {orderId: "{orderId}"}}
    put: {entryId: "{uuid7}", what: "{seen}"}
    let: {seen: "{action:upper}"}
    read: {operation: query, key: {PK: "ENTRY#{orderId}"}}
queues:
  open:
    pattern: orders
    args: {stage: open}
    actions: [pay]
  users:
    read: {operation: scan, returns: [User]}
  likewise: {pattern: orders, parameters: [stage], after: [pay], actions: [pay]}
`

func TestMutatedSchemasNeverPanic(t *testing.T) {
	texts := map[string][]string{"busy": strings.Split(fullProfile, "\n")}
	for _, name := range profiles.Names() {
		_, text, err := profiles.ReadSource(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = strings.Split(string(text), "\n")
	}
	names := append(profiles.Names(), "busy")
	rapid.Check(t, func(t *rapid.T) {
		checkLoad(t, mutate(t, texts[rapid.SampledFrom(names).Draw(t, "profile")]))
	})
}
