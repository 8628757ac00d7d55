package session

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Command returns a ddbdesk command for a POSIX shell with the session's database, role and ticket: the words, then the
// necessary flags. Users can paste such commands from advice.
func (s *settings) Command(words ...string) string { return s.o.command(words...) }

// AdminCommand works like Command, for a user with role admin.
func (s *settings) AdminCommand(words ...string) string {
	o := s.o
	o.Role = Admin
	return o.command(words...)
}

// InConsole reports whether the session belongs to the console, not to a command.
func (s *settings) InConsole() bool { return s.o.Console }

// SchemaCommand works like Command, and adds the session's schema after the words.
func (s *settings) SchemaCommand(words ...string) string {
	return s.Command(append(words, SchemaName(s.o.Profile))...)
}

func (o Options) command(words ...string) string { return quoteWords(append(words, o.flags()...)) }

func quoteWords(words []string) string {
	var b strings.Builder
	b.WriteString("ddbdesk")
	for _, w := range words {
		b.WriteString(" " + snippet.ShellQuote(w))
	}
	return b.String()
}

// Again returns the command that repeats the current one with an added flag, whose value may be "", or with an added
// parameter. In the console, it returns the command that opens the console at the schema. Placeholders replace the
// values of sensitive parameters.
func (o Options) Again(flag, value string) string {
	words := o.typedWords()
	if len(words) == 0 {
		words = append([]string{SchemaName(o.Profile)}, o.flags()...)
	}
	name, _, repeatable := strings.Cut(value, "=")
	same := func(value string) bool { return !repeatable || strings.HasPrefix(value, name+"=") }
	var out []string
	for i := 0; i < len(words); i++ {
		text, joined := strings.CutPrefix(words[i], flag+"=")
		switch separate := words[i] == flag; {
		case joined && same(text), separate && value == "":
		case separate && i+1 < len(words) && same(words[i+1]):
			i++
		default:
			out = append(out, words[i])
		}
	}
	added, at := []string{flag, value}, slices.Index(out, "--") // a flag after -- would be an argument
	switch {
	case !strings.HasPrefix(flag, "-"):
		added, at = []string{flag + "=" + value}, -1
	case value == "":
		added = added[:1]
	}
	if at < 0 {
		at = len(out)
	}
	return quoteWords(slices.Insert(out, at, added...))
}

func (o Options) typedWords() []string {
	if o.Profile == nil {
		return o.CommandLine
	}
	hidden := map[string]bool{}
	addParams := func(params []*accesspatterns.Param) {
		for _, q := range params {
			hidden[q.Name] = hidden[q.Name] || o.sensitivity(q) != models.NotSensitive
		}
	}
	for _, p := range o.Profile.Patterns {
		addParams(p.Params)
	}
	for _, a := range o.Profile.Actions {
		addParams(a.Inputs)
	}
	words := slices.Clone(o.CommandLine)
	for i, w := range words {
		if name, _, ok := strings.Cut(w, "="); ok && hidden[name] {
			words[i] = name + "=<" + name + ">"
		}
	}
	if at := slices.Index(words, "table"); at >= 0 {
		o.hideAttributes(words[at:])
	}
	return words
}

// flagsWithoutAttribute lists the flags whose values may contain an equals sign but do not refer to an attribute.
var flagsWithoutAttribute = []string{"--reason", "--ticket", "--var", "--endpoint-url", "--next"}

// hideAttributes replaces the values of attributes that some roles cannot see, in NAME=VALUE and NAME OP VALUE.
func (o Options) hideAttributes(words []string) {
	for i := 1; i < len(words); i++ {
		flag, text := words[i-1], words[i]
		if f, value, joined := strings.Cut(text, "="); joined && (f == "--set" || f == "--where") {
			flag, text = f, value
		}
		shown := text
		if flag == "--where" {
			c, err := raw.ParseComparison(text)
			switch {
			case err != nil:
				shown = "<NAME OP VALUE>"
			case len(c.Values) > 0 && !o.showsAttribute(c.Path[0]):
				for i := range c.Values {
					c.Values[i] = "<" + c.WithoutType() + ">"
				}
				shown = c.String()
			}
		} else if strings.Contains(text, "=") && !strings.HasPrefix(text, "-") && !slices.Contains(flagsWithoutAttribute, flag) {
			a, err := raw.ParseAssignment(text)
			switch {
			case err != nil:
				shown = "<NAME=VALUE>"
			case !o.showsAttribute(a.Path[0]):
				a.Value = "<" + a.WithoutType() + ">"
				shown = a.String()
			}
		}
		words[i] = strings.TrimSuffix(words[i], text) + shown
	}
}

func (o Options) showsAttribute(name string) bool {
	known := false
	for _, e := range o.Profile.Entities {
		if e.Stricter(models.NotSensitive, []string{name}) != models.NotSensitive {
			return false
		}
		_, key := e.Keys[name]
		known = known || key || e.Attribute(name) != nil || e.ByName != nil
	}
	return known
}

// Again calls [Options.Again] with the session's options.
func (s *settings) Again(flag, value string) string { return s.o.Again(flag, value) }

func (o Options) flags() []string {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, flag, value)
		}
	}
	add("--context", o.Context)
	switch t := o.Target; {
	case o.Context != "" && !o.Declared.Redirected: // the context selects the database
	case t.Embedded && (t.Endpoint == "" || t.Endpoint == appdir.RealPath(appdir.EmbeddedStore())):
		out = append(out, "--embedded")
	case t.Embedded:
		out = append(out, "--embedded="+t.Endpoint)
	default:
		add("--profile", t.Profile)
		add("--region", t.Region)
		if t.Custom {
			add("--endpoint-url", t.Endpoint)
		}
	}
	if o.Profile.KeyEntered {
		add("--key", strings.Join(models.MapSlice(o.Profile.Tables[0].PrimaryKeys(), func(k models.Key) string {
			return raw.Name{Path: []string{k.Name}, Type: k.Type}.String()
		}), ","))
	}
	if o.Role != Support {
		add("--role", string(o.Role))
	}
	add("--ticket", o.Purpose.Ticket)
	for _, v := range o.Profile.Variables {
		if v.Value != v.Default {
			add("--var", v.Name+"="+v.Value)
		}
	}
	return out
}

// SchemaName returns the name of a schema for commands: the name of a built-in schema, or else the file.
func SchemaName(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") || p.File == "" {
		return p.Name
	}
	return models.Printable(p.File)
}

// ResolveCommand returns the command that determines the outcomes of a schema's changes. schema is the name in the
// journal.
func ResolveCommand(schema string) string {
	if slices.Contains(profiles.Names(), schema) {
		return "ddbdesk journal resolve " + schema
	}
	return "ddbdesk journal resolve FILE, where FILE is the schema of " + models.Printable(schema)
}

// NameSchema adds the schema's name and the connection flags to the commands in a store error's advice, because the
// store does not know them. It returns any other error, including nil, unchanged. It does not modify e itself.
func NameSchema(o Options, err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !strings.Contains(e.Advice, "SCHEMA") {
		return err
	}
	withSchema := *e
	words := append([]string{snippet.ShellQuote(SchemaName(o.Profile))}, o.flags()...)
	for i := range words[1:] {
		words[i+1] = snippet.ShellQuote(words[i+1])
	}
	withSchema.Advice = strings.ReplaceAll(e.Advice, "SCHEMA", strings.Join(words, " "))
	return &withSchema
}
