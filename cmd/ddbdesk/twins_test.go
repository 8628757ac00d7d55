package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/testing/canary"
	"github.com/ddbdesk/ddbdesk/models"
)

// unordered lists operations whose order may depend on masked values, with the reason.
var unordered = map[string]string{
	" table scan ":    "DynamoDB scans items by the hash of their partition key",
	" find ":          "DynamoDB returns the items of an index in the order of their keys",
	" requests list ": "requests that were made at the same time are in the order of their random IDs",
}

// An answer is the result of an operation or a tool.
type answer struct{ call, text string }

// checkTwins compares two databases that differ only in masked values and their order. Support and agents must get the
// same answers from both, even if they guess a value from one of them. They also get the same answers from one database
// for a right and a wrong guess.
func checkTwins(t *testing.T) {
	names := []string{canary.Awkward}
	if os.Getenv("DDBDESK_TEST_CANARY") != "" {
		names = canary.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			at := time.Now().Add(-time.Second).UTC()
			p, err := canary.Open(name, false)
			if err != nil {
				t.Fatal(err)
			}
			one, err := canary.PlantUndeclared(p, 2, at)
			if err != nil {
				t.Fatal(err)
			}
			other, err := canary.PlantTwin(p, 2, at)
			if err != nil {
				t.Fatal(err)
			}
			var pairs []string
			for i, m := range other.Watch.Markers() {
				old, value := textAndBinary(m), textAndBinary(one.Watch.Markers()[i])
				pairs = append(pairs, old[0], value[0], old[1], value[1])
			}
			same := strings.NewReplacer(pairs...)
			both := [2]*canary.MarkedData{one, other}
			var lists, guessed [2][]answer
			for i := range both {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					right, wrong := 0, 0
					lists[i], right, wrong = answersOf(t, both, i, same, at)
					if i == 0 {
						guessed = [2][]answer{lists[i][right:wrong], lists[i][wrong:]}
						lists[i] = lists[i][:wrong]
					}
				})
			}
			compareTwins(t, lists[0], lists[1])
			compareTwins(t, guessed[0], guessed[1])
		})
	}
}

func compareTwins(t *testing.T, one, other []answer) {
	if len(one) != len(other) {
		t.Fatalf("the two databases answered %d and %d calls", len(one), len(other))
	}
	for i := range one {
		if one[i].call != other[i].call {
			t.Fatalf("the calls differ:\n%s\n%s", one[i].call, other[i].call)
		}
		a, b := one[i].text, other[i].text
		for path := range unordered {
			if strings.Contains(one[i].call, path) {
				a, b = sortedText(a), sortedText(b)
				if strings.Contains(one[i].call, "--limit") {
					b = a
				}
			}
		}
		if a != b {
			t.Errorf("%s depends on a masked value:\n%s\n--- or\n%s", one[i].call, one[i].text, other[i].text)
		}
	}
}

// textAndBinary returns the value of a marker as text and as the argument for a binary attribute.
func textAndBinary(m canary.Marker) [2]string {
	return [2]string{m.Value, base64.StdEncoding.EncodeToString([]byte(m.Value))}
}

func sortedText(text string) string {
	letters := strings.Split(text, "")
	slices.Sort(letters)
	return strings.Join(letters, "")
}

// variableParts matches output that differs between runs: IDs, hashes, durations, table sizes and numbers of reads.
var variableParts = regexp.MustCompile(`20\d{6}-\d{4}-[a-z0-9]{6}|[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{8}([0-9a-f]{8})*\b|` +
	`\d+ ?m?s\b|"bytes": \d+|\d+ KiB|no file \S+|"requests": ?\d+,\s*"consumedCapacity": ?[\d.]+|` +
	`"offers":\[[^\]]*\],?`)

var timestamps = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\b1[789]\d{8}(\d{3})?\b`)

// answersOf returns the answers of database i. The answers to guesses from database 0 come last and begin at right. For
// database 0, the answers to guesses from the other database follow and begin at wrong.
func answersOf(t *testing.T, both [2]*canary.MarkedData, i int, same *strings.Replacer, at time.Time) (list []answer, right, wrong int) {
	g := both[i]
	source, err := canary.Source(g.Profile.Name)
	if err != nil {
		t.Fatal(err)
	}
	w := newOperationFixture(t, g.Profile, source, g.Items)
	w.words["SESSION"] = []string{"none"} // No ID begins like this.
	normal := func(text string) string {
		text = strings.NewReplacer(w.home, "HOME", filepath.Dir(w.home), "HOME", w.url, "URL").Replace(text)
		text = variableParts.ReplaceAllString(text, "ID")
		return timestamps.ReplaceAllStringFunc(text, func(m string) string {
			if when, err := models.ParseTime(m, at); err == nil && when.After(at.Add(-time.Second)) {
				return "NOW"
			}
			return m
		})
	}
	give := func(call string, text string) {
		text = normal(text)
		for _, m := range slices.Concat(g.Watch.Markers(), both[1].Watch.Markers()) {
			for _, v := range textAndBinary(m) {
				if strings.Contains(call, v) {
					text = strings.ReplaceAll(text, v, same.Replace(v))
				}
			}
		}
		list = append(list, answer{same.Replace(normal(call)), text})
	}
	ask := func(args []string) {
		code, out, errs := ddbdesk(t, args...)
		give(strings.Join(args, " "), fmt.Sprintf("exit %d\n%s%s", code, out, errs))
	}
	for _, o := range operations {
		w.each(t, o, "support", ask)
	}
	agent := w.agent(t)
	tools := w.toolCalls(t, agent)
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		for _, args := range tools[name] {
			give(fmt.Sprint("tool ", name, " ", args), callTool(t, agent, name, args))
		}
	}
	guess := func(from *canary.MarkedData) int {
		begin := len(list)
		for _, call := range w.guesses(from.Items) {
			ask(append([]string{"--role", "support", "--context", "a"}, call...))
		}
		return begin
	}
	right, wrong = guess(both[0]), len(list)
	if i == 0 {
		wrong = guess(both[1])
	}
	return list, right, wrong
}

func (w *operationFixture) keyHas(e *models.Entity, name string) bool {
	return slices.ContainsFunc(e.Table.PrimaryKeys(), func(k models.Key) bool { t, _ := e.KeyTemplate(k.Name); return t.Has(name) })
}

// guesses returns calls that test whether masked attributes have the values from one of the databases.
func (w *operationFixture) guesses(guesses []canary.MarkedItem) [][]string {
	var list [][]string
	for _, a := range w.p.Actions {
		at := slices.IndexFunc(guesses, func(it canary.MarkedItem) bool { return it.Entity == a.Entity })
		if at < 0 || w.itemOf(a.Entity) == nil {
			continue
		}
		args := inputs(a, w.itemOf(a.Entity))
		for _, in := range a.Inputs {
			if in.Attribute == nil || in.Attribute.Sensitive == models.NotSensitive || w.keyHas(a.Entity, in.Name) {
				continue
			}
			if text, ok := guesses[at].Item.Text(in.Attribute.Name); ok {
				args[in.Name] = text
			}
		}
		for _, field := range a.Entity.Attributes {
			text, ok := guesses[at].Item.Text(field.Name)
			if !ok || field.Sensitive == models.NotSensitive {
				continue
			}
			for _, place := range []string{field.Name + ":" + text, field.Name + ">" + text} {
				for _, q := range w.p.Patterns {
					if len(q.Returns) == 1 && q.Returns[0] == a.Entity && q.IsRead() {
						sweep := append([]string{"change", w.schema, a.ID, "--over", q.ID, "--where", place, "--reason", "x", "--dry-run", "--allow-scan"},
							w.pairs([]string{q.ID})...)
						list = append(list, sweep)
						break
					}
				}
			}
		}
		for _, format := range []string{"table", "json"} { // A table shows the cost of the masked plan.
			list = append(list, append([]string{"change", w.schema, a.ID, "--reason", "x", "--dry-run", "-o", format}, argFlags(args)...))
		}
	}
	for _, it := range guesses {
		for _, q := range w.p.Patterns {
			for _, param := range q.Params {
				if text, ok := it.Item.Text(param.Name); ok && q.Read.PartlyComparedSensitivity(param, q.Returns) != models.NotSensitive {
					others := slices.DeleteFunc(w.pairs([]string{q.ID}), func(p string) bool { return strings.HasPrefix(p, param.Name+"=") })
					list = append(list, append([]string{"run", w.schema, q.ID, "--allow-scan", param.Name + "=" + text}, others...))
				}
			}
		}
		for _, name := range it.Item.Names() {
			if text, ok := it.Item.Text(name); ok && it.Entity != nil && it.Entity.Stricter(models.NotSensitive, []string{name}) != models.NotSensitive {
				for _, o := range []string{" = ", " > ", " begins-with "} {
					list = append(list, []string{"table", "scan", it.Table.Name, "--allow-scan", "--where", name + o + text})
				}
			}
		}
	}
	return list
}
