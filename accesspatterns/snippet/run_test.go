// The tests run snippets against stubs of the AWS CLI and the SDKs, which print their input. It must equal the original
// values for any text.

package snippet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// A receivedOperation is an operation that a client's stub received.
type receivedOperation struct {
	Operation string
	Input     map[string]any
}

// difficultTexts returns texts that are hard to quote. A snippet contains all of them, because starting programs takes
// longer than running them.
func difficultTexts() []string {
	list := []string{
		"!!", "a!b", "!echo", "it's !x", "\x01!!", "\x01 100%!", "$(echo owned)", "`echo owned`", "$HOME", `\`, `\\`, `\n`, "'", `"`, `'"'`,
		"%s%d%n%", "\x01%s", "\n", "\n\n", "a\n", "\t", "\r", "#", " # ", "*", "~", "~root", "{a,b}", "=ls", "-n", "--", ";", "&", "|", "<", ">",
		"\u2028", "\u2029", "\u0085", "\ufeff", "\x00", "\x7f", "\U0001f600", "\ufffd", "file:///etc/passwd", "fileb://x", "http://x/",
		"coding: utf-7", `${partition}`, `$partition`, strings.Repeat("é'\"$`\\\n!", 10_000),
	}
	for _, s := range hostile.Valid() {
		list = append(list, s.Text)
	}
	return list
}

// A runnableSnippet is a snippet to run, with the expected arrivals.
type runnableSnippet struct {
	name string
	text func(snippet.Language) string
	want []receivedOperation
}

// attribute returns a text in the form in which clients send it.
func attribute(text string) any { return map[string]any{"S": text} }

// runnableSnippets returns snippets of every form that contain every difficult text.
func runnableSnippets(t *testing.T) []runnableSnippet {
	t.Helper()
	key, wantKey := models.Item{}, map[string]any{}
	for i, text := range difficultTexts() {
		name := fmt.Sprintf("%d %s", i, text[:min(len(text), 200)])
		key[name], wantKey[strings.ToValidUTF8(name, "\ufffd")] = models.StringValue(text), attribute(text)
	}
	for name := range key {
		if strings.ToValidUTF8(name, "") != name {
			delete(key, name)
			delete(wantKey, strings.ToValidUTF8(name, "\ufffd"))
		}
	}
	list := []runnableSnippet{{
		name: "get", want: []receivedOperation{{"GetItem", map[string]any{"TableName": "events", "Key": wantKey, "ConsistentRead": true}}},
		text: func(l snippet.Language) string {
			return snippet.ForKey(&models.Table{Name: "events"}, key, l, snippet.Options{})
		},
	}}
	var keys []any
	for _, text := range difficultTexts() {
		keys = append(keys, map[string]any{"PK": attribute(strings.ToValidUTF8(text, "\ufffd"))})
	}
	list = append(list, batchOf(t, keys))
	values := slices.DeleteFunc(difficultTexts(), func(text string) bool {
		return text == "" || len(text) > 2000 // DynamoDB does not allow such keys.
	})
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	for name, filter := range map[string][]accesspatterns.FilterCondition{
		"loop": nil, "unlike": {where("kind", models.TypeS, accesspatterns.Equal, "{kind}")},
	} {
		p := pattern(accesspatterns.Read{
			Key: []accesspatterns.KeyCondition{matches("PK", "{kind}")}, Filter: filter,
			FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: values},
		})
		p.Title = "+build ignore coding: utf-7 +AAo-import os"
		r, err := p.Bind(nil, noon)
		if err != nil {
			t.Fatal(err)
		}
		one := runnableSnippet{name: name, text: func(l snippet.Language) string { return snippet.ForRequest(r, l, snippet.Options{}) }}
		for _, leg := range r.Legs {
			q := leg.Query
			input := map[string]any{"TableName": *q.TableName, "KeyConditionExpression": *q.KeyConditionExpression}
			if q.FilterExpression != nil {
				input["FilterExpression"] = *q.FilterExpression
			}
			names, args := map[string]any{}, map[string]any{}
			for alias, name := range q.ExpressionAttributeNames {
				names[alias] = name
			}
			for alias, v := range q.ExpressionAttributeValues {
				text, _ := models.ValueText(v)
				args[alias] = attribute(text)
			}
			input["ExpressionAttributeNames"], input["ExpressionAttributeValues"] = names, args
			one.want = append(one.want, receivedOperation{"Query", input})
		}
		list = append(list, one)
	}
	return list
}

// batchOf returns a BatchGetItem of all keys.
func batchOf(t *testing.T, keys []any) runnableSnippet {
	t.Helper()
	ids := make([]string, len(keys))
	for i := range keys {
		ids[i] = fmt.Sprint("\"", i, "\"")
	}
	p := pattern(accesspatterns.Read{Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{matches("PK", "{id}")}},
		&accesspatterns.Param{Name: "id", Type: accesspatterns.String, List: true})
	r, err := p.Bind(map[string]string{"id": "[" + strings.Join(ids, ",") + "]"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	batch := runnableSnippet{name: "batch", text: func(l snippet.Language) string { return snippet.ForRequest(r, l, snippet.Options{}) }}
	texts := difficultTexts()
	for n, leg := range r.Legs {
		first := n * accesspatterns.MaxBatch
		_, of := leg.Keys()
		for i := range of.Keys { // Bind would reject some of the texts.
			of.Keys[i] = models.Item{"PK": models.StringValue(texts[first+i])}
		}
		batch.want = append(batch.want, receivedOperation{"BatchGetItem", map[string]any{
			"RequestItems": map[string]any{"events": map[string]any{"Keys": keys[first : first+len(of.Keys)], "ConsistentRead": true}},
		}})
	}
	return batch
}

// checkArrived compares the arrivals that a program printed, one per line, with the expected ones.
func checkArrived(t *testing.T, name string, want []receivedOperation, out []byte) {
	t.Helper()
	var got []receivedOperation
	for line := range bytes.Lines(out) {
		if !bytes.Contains(line, []byte(`"Operation"`)) {
			continue // the response, which the program also prints
		}
		var a receivedOperation
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v in %.300q", name, err, line)
		}
		got = append(got, a)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: (-want +got):\n%.3000s", name, diff)
	}
}

// One of the shells is interactive, because an interactive shell expands ! in pasted text.
func TestCommandsRunInShells(t *testing.T) {
	t.Parallel()
	const stub = "aws() { printf '%s\\000' \"$@\" /end; }\n"
	for name, words := range map[string][]string{
		"sh": {"sh", "-s"}, "dash": {"dash", "-s"}, "bash": {"bash", "--norc", "-s"}, "busybox": {"busybox", "sh", "-s"}, "ksh": {"ksh", "-s"},
		"zsh": {"zsh", "-f", "-s"}, "interactive bash": {"bash", "--norc", "--noprofile", "-i"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(words[0]); err != nil {
				t.Skip("not installed: ", err)
			}
			for _, r := range runnableSnippets(t) {
				cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
				cmd.Env = append(os.Environ(), "HISTFILE=/dev/null", "PS1=", "PS2=")
				cmd.Stdin = strings.NewReader(stub + r.text(snippet.CLI))
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%s: %v", r.name, err)
				}
				var got bytes.Buffer
				for call := range strings.SplitSeq(strings.TrimSuffix(string(out), "/end\x00"), "/end\x00") {
					got.Write(commandArrival(t, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00")))
				}
				checkArrived(t, r.name, r.want, got.Bytes())
			}
		})
	}
}

// commandArrival returns the arrival of a command with these words as a line of JSON.
func commandArrival(t *testing.T, words []string) []byte {
	t.Helper()
	a := receivedOperation{map[string]string{"get-item": "GetItem", "batch-get-item": "BatchGetItem", "query": "Query"}[words[1]], map[string]any{}}
	for i := 2; i < len(words); i += 2 {
		var name strings.Builder
		for part := range strings.SplitSeq(strings.TrimPrefix(words[i], "--"), "-") {
			name.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
		if words[i] == "--consistent-read" {
			a.Input[name.String()] = true
			i--
			continue
		}
		var value any
		if !strings.HasPrefix(words[i+1], "{") || json.Unmarshal([]byte(words[i+1]), &value) != nil {
			value = words[i+1]
		}
		a.Input[name.String()] = value
	}
	line, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return append(line, '\n')
}

// Connection options must also pass unchanged through an interactive shell.
func TestShellPassesOptionsToCommand(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("not installed: ", err)
	}
	var script strings.Builder
	var want []string
	script.WriteString("aws() { while [ \"$1\" != --profile ]; do shift; done; printf '%s\\000' \"$2\"; }\n")
	for _, text := range difficultTexts() {
		if text = strings.ReplaceAll(text, "\x00", ""); text != "" {
			want = append(want, text)
			script.WriteString(snippet.ForKey(&models.Table{Name: "events"}, models.Item{}, snippet.CLI, snippet.Options{Profile: text}))
		}
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile", "-i")
	cmd.Env = append(os.Environ(), "HISTFILE=/dev/null", "PS1=", "PS2=")
	cmd.Stdin = strings.NewReader(script.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")); diff != "" {
		t.Errorf("(-want +got):\n%.3000s", diff)
	}
}

func TestProgramsRun(t *testing.T) {
	t.Parallel()
	if os.Getenv("DDBDESK_TEST_CLIENTS") == "" {
		t.Skip("starts the go command and interpreters; .ci/run clients runs this test")
	}
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		list := runnableSnippets(t)
		dir := stubs(t, "go")
		var main strings.Builder
		main.WriteString("package main\n\nimport (\n")
		for i, r := range list {
			// Each program becomes a package, so that one build compiles all.
			text := strings.Replace(r.text(snippet.Go), "\npackage main\n", fmt.Sprintf("\npackage p%d\n", i), 1)
			writeTo(t, filepath.Join(dir, fmt.Sprintf("p%d", i), "main.go"), strings.Replace(text, "\nfunc main() {", "\nfunc Main() {", 1))
			fmt.Fprintf(&main, "\t\"example/p%d\"\n", i)
		}
		main.WriteString("\t\"fmt\"\n)\n\nfunc main() {\n")
		for i := range list {
			fmt.Fprintf(&main, "\tp%d.Main()\n\tfmt.Println(\"/end\")\n", i)
		}
		writeTo(t, filepath.Join(dir, "main.go"), main.String()+"}\n")
		cmd := exec.CommandContext(t.Context(), "go", "run", ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr(err))
		}
		for i, part := range bytes.Split(bytes.TrimSuffix(out, []byte("/end\n")), []byte("/end\n")) {
			checkArrived(t, list[i].name, list[i].want, part)
		}
	})
	for name, interpreter := range map[snippet.Language][]string{snippet.Python: {"python3"}, snippet.TypeScript: {"node"}} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(interpreter[0]); err != nil {
				t.Skip("not installed: ", err)
			}
			dir := stubs(t, string(name))
			for _, r := range runnableSnippets(t) {
				file, text := r.name+".py", r.text(name)
				if name == snippet.TypeScript {
					file, text = r.name+".mjs", untyped(text)
				}
				writeTo(t, filepath.Join(dir, file), text)
				cmd := exec.CommandContext(t.Context(), interpreter[0], append(slices.Clone(interpreter[1:]), file)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
				out, err := cmd.Output()
				if err != nil {
					t.Errorf("%s: %v\n%s", r.name, err, stderr(err))
					continue
				}
				checkArrived(t, r.name, r.want, out)
			}
		})
	}
}

// untyped removes the types of a program, because older interpreters do not accept them.
func untyped(text string) string {
	for _, types := range []string{", type QueryCommandInput", ": QueryCommandInput[]", ", type BatchGetItemCommandInput", ": BatchGetItemCommandInput[]"} {
		text = strings.Replace(text, types, "", 1)
	}
	return text
}

func stderr(err error) []byte {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.Stderr[:min(len(e.Stderr), 3000)]
	}
	return nil
}

func writeTo(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// stubs writes the stub of an SDK into a new folder.
func stubs(t *testing.T, lang string) string {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "stubs", lang+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		writeTo(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	return dir
}

// Users paste snippets and read them in pagers, so snippets escape control sequences as their language requires.
func TestHostileSnippetsAreHarmless(t *testing.T) {
	index := &models.Index{Name: "GSI1", PartitionKeys: models.KeyList(key("PK"))}
	for name, read := range map[string]accesspatterns.Read{
		"get": {Operation: accesspatterns.Get, Key: []accesspatterns.KeyCondition{matches("PK", "CASE#{id}"), matches("SK", "META")}},
		"loop": {
			Index: index, Key: []accesspatterns.KeyCondition{matches("PK", "KIND#{kind}")},
			FanOut: &accesspatterns.FanOut{Placeholder: "kind", Values: []string{"a", hostile.Text}},
		},
	} {
		p := pattern(read, &accesspatterns.Param{Name: "id", Type: accesspatterns.String})
		for _, s := range hostile.Valid() {
			if s.Text == "" || len(s.Text) > 1000 {
				continue
			}
			p.Title = s.Text
			args := map[string]string{}
			if name == "get" {
				args["id"] = s.Text
			}
			r, err := p.Bind(args, noon)
			if err != nil {
				continue // Bind rejects the text.
			}
			for _, lang := range snippet.Languages() {
				text := snippet.ForRequest(r, lang, snippet.Options{Region: s.Text, Endpoint: s.Text, Profile: s.Text})
				if unsafeText := hostile.FirstUnsafe(text, "\t"); unsafeText != "" {
					t.Errorf("%s, %s in %s contains %s", s.Name, name, lang, unsafeText)
				}
			}
		}
	}
}

// ShellQuote writes unprintable characters as escapes of printf. It then also escapes the exclamation mark, which
// recalls commands in an interactive shell.
func TestShellQuoteEscapesOnlySpecialCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"a b":           `'a b'`,
		"a b\x1b":       `"$(printf 'a b\033')"`,
		"wow!\x1b":      `"$(printf 'wow\041\033')"`,
		"-n\x1b-":       `"$(printf '\055n\033-')"`,
		"50%\\'s\x7f\n": `"$(printf '50%%\\'\''s\177')"'` + "\n'",
	} {
		if got := snippet.ShellQuote(text); got != want {
			t.Errorf("ShellQuote(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestShellQuoteRoundTrips(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("requires sh")
	}
	var command strings.Builder
	var want []string
	command.WriteString(`for word in`)
	for _, s := range append(
		hostile.Texts(), hostile.Sample{Text: "=ls"}, hostile.Sample{Text: "-n\x1b"},
		hostile.Sample{Text: "\x1b ends in lines\n\n"},
	) {
		text := strings.ReplaceAll(s.Text, "\x00", "")
		word := snippet.ShellQuote(text)
		if unsafeText := hostile.FirstUnsafe(word, "\t"); unsafeText != "" {
			t.Errorf("the quoted text of %s contains %s", s.Name, unsafeText)
		}
		command.WriteString(" " + word)
		want = append(want, text)
	}
	command.WriteString("; do printf '%s\\000' \"$word\"; done")
	out, err := exec.CommandContext(t.Context(), shell, "-c", command.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
