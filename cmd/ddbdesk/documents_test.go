package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/cli"
)

// A documented command is a line of a document that starts ddbdesk.
type documentedCommand struct {
	file string
	args []string
}

// codeBlocks matches the code blocks of a document.
var codeBlocks = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")

// documentedCommands returns the commands in the code blocks of documents, in order.
func documentedCommands(t *testing.T, files ...string) []documentedCommand {
	t.Helper()
	var list []documentedCommand
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range codeBlocks.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				for command := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSpace(line), "$ "), " && ") {
					if words := shellWords(command); len(words) > 0 && words[0] == "ddbdesk" {
						list = append(list, documentedCommand{file, words[1:]})
					}
				}
			}
		}
	}
	return list
}

// inlineCommand matches a command in the text of a document.
var inlineCommand = regexp.MustCompile("`(ddbdesk [^`]*)`")

// optionalParts matches a command with optional parts, alternatives or placeholders.
var optionalParts = regexp.MustCompile(`[\[|…]|\.\.\.|COMMAND|--help`)

// inlineCommands returns the commands in the text of documents, except those with optional parts or alternatives.
func inlineCommands(t *testing.T, files ...string) []documentedCommand {
	t.Helper()
	var list []documentedCommand
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range inlineCommand.FindAllStringSubmatch(codeBlocks.ReplaceAllString(string(text), ""), -1) {
			if words := shellWords(command[1]); !optionalParts.MatchString(command[1]) {
				list = append(list, documentedCommand{file, words[1:]})
			}
		}
	}
	return list
}

// shellWords splits a command as a shell does, up to a comment, a pipe or a redirection.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range command + " " {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' && begun:
			words, begun = append(words, word.String()), false
			word.Reset()
		case r == ' ':
		case !begun && strings.ContainsRune("#|><&", r):
			return words
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	return words
}

func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../../docs/*.md", "../../docs/internals/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	return append(files, "../../README.md", "../../SECURITY.md", "../../CONTRIBUTING.md")
}

func allDocumentedCommands(t *testing.T) []documentedCommand {
	t.Helper()
	return documentedCommands(t, documents(t)...)
}

// rejection returns the error with which the program rejects a call before it runs, if any.
func rejection(args []string) error {
	root := rootCommand(&app{}) // A new root, because flags keep their values.
	cmd, args, err := root.Find(args)
	if err == nil {
		err = cmd.ParseFlags(args)
	}
	if err == nil && cmd.Args != nil && cmd != root {
		err = cmd.Args(cmd, cmd.Flags().Args())
	}
	return err
}

// Every command in the documents uses an existing command, existing flags and the right number of arguments.
func TestDocumentedCommandsExist(t *testing.T) {
	list := allDocumentedCommands(t)
	whole := len(list)
	list = append(list, inlineCommands(t, documents(t)...)...)
	for i, c := range list {
		err := rejection(c.args)
		if err != nil && (i < whole || !strings.Contains(err.Error(), "missing ")) { // Text may omit arguments.
			t.Errorf("%s: ddbdesk %s: %v", filepath.Base(c.file), strings.Join(c.args, " "), err)
		}
	}
	t.Logf("the documents contain %d commands", len(list))
	if len(list) < 200 {
		t.Errorf("got %d commands, want at least 200", len(list))
	}
}

// missingPrerequisite matches errors about files, tables, journal entries and requests, which a document assumes to exist.
var missingPrerequisite = regexp.MustCompile(`no (such )?file|no schema(, file or table| or file) named "\S+\.yaml"|no bookmark "|does not set journal\.sink|the journal has no|` +
	`requests table is configured|missing SCHEMA|` +
	`cannot ask for|session "\S+" not found|table \S+ does not exist|already exists|yaml exists; use --force|costs RCU`)

// Every documented command that ends on its own runs, and fails only because something does not exist here. This checks
// the names of patterns, actions and parameters, and the values of flags. Commands that name a server or an AWS profile
// do not run.
func TestDocumentedCommandsRun(t *testing.T) {
	list := allDocumentedCommands(t)
	profile, err := os.ReadFile("../../docs/schema-language.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	dir, config := t.TempDir(), t.TempDir()
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", config)
	t.Chdir(dir)
	contexts := "contexts:\n"
	for _, name := range []string{"staging", "prod", "production"} {
		contexts += "  " + name + ": {embedded: " + filepath.Join(dir, "db") + "}\n"
	}
	for name, text := range map[string]string{
		filepath.Join(config, "config.yaml"): contexts,
		"shop.yaml":                          codeBlocks.FindStringSubmatch(string(profile))[1],
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join("docs", "examples"), os.DirFS(examples)); err != nil {
		t.Fatal(err)
	}
	for _, schema := range []string{"authbridge", "tazco"} {
		expect(t, cli.ExitOK, "", "seed", schema, "--embedded=db")
	}
	other := regexp.MustCompile(`--(endpoint-url|profile)\b`)
	ran := map[string]bool{}
	for _, c := range list {
		line := strings.Join(c.args, " ")
		cmd, _, err := rootCommand(&app{}).Find(c.args)
		endless := slices.Contains([]string{"ddbdesk", "demo", "serve", "mcp", "tail", "open", "bash", "fish", "zsh"}, cmd.Name())
		if err != nil || endless || ran[line] || other.MatchString(line) {
			continue
		}
		ran[line] = true
		if strings.HasPrefix(line, "schema init online-shop-dev") { // The tutorial begins without a schema.
			if err := os.Remove("shop.yaml"); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(line, "--embedded") && !strings.Contains(line, "--context") {
			c.args = append(c.args, "--embedded=db")
		}
		if code, _, errs := ddbdesk(t, c.args...); code > cli.ExitRefused && !missingPrerequisite.MatchString(errs) {
			t.Errorf("%s: ddbdesk %s: exit code %d\n%s", filepath.Base(c.file), line, code, errs)
		}
	}
	t.Logf("%d documented commands ran", len(ran))
}

// The recipes run in order, on the sample data that the first recipe creates.
func TestRecipesRun(t *testing.T) {
	file, err := filepath.Abs("../../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	t.Setenv("DDBDESK_CONFIG_DIR", t.TempDir())
	shop, err := os.ReadFile("../../docs/examples/online-shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("online-shop.yaml", shop, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range documentedCommands(t, file) {
		line := strings.Join(c.args, " ")
		if c.args[0] == "serve" || c.args[0] == "mcp" || c.args[0] == "authbridge" {
			continue // They run until a user ends them, and have their own tests.
		}
		if code, out, errs := ddbdesk(t, c.args...); code != cli.ExitOK {
			t.Errorf("ddbdesk %s: exit code %d\n%s%s", line, code, out, errs)
		}
	}
}

// The troubleshooting page quotes the messages that the program prints.
func TestTroubleshootingQuotesPrintedErrors(t *testing.T) {
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"DDBDESK_STATE_DIR", "DDBDESK_CONFIG_DIR", "HOME"} {
		t.Setenv(name, t.TempDir())
	}
	for _, name := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(dir, "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(dir, "none"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Chdir(dir)
	expect(t, cli.ExitOK, "", "seed", "authbridge", "--embedded=db", "--items", "5")
	for message, line := range map[string]string{
		"no AWS credentials found; set AWS_PROFILE or pass --profile": "table list --region eu-west-1",
		`AWS profile "NAME" does not exist`:                           "table list --profile NAME",
		"no AWS region is configured":                                 "table list",
		"role support cannot change items":                            "change authbridge approve verificationId=ver_1 --embedded=db --yes",
		"cannot ask for confirmation without a terminal":              "change authbridge approve verificationId=ver_1 --embedded=db --role admin",
		"reads the whole table":                                       "run authbridge scan-verification --embedded=db",
	} {
		if _, _, errs := ddbdesk(t, strings.Fields(line)...); !strings.Contains(errs, message) {
			t.Errorf("ddbdesk %s prints %s, but the page quotes %s", line, errs, message)
		}
		if !strings.Contains(string(page), "`"+message) {
			t.Errorf("the page does not quote %s", message)
		}
	}
}
