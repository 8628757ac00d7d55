package session

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Command returns a command of ddbdesk for a POSIX shell that does something with the database of the session, in its role: the
// words, then the flags that lead there. What ddbdesk advises can therefore be pasted.
func (s *settings) Command(words ...string) string { return s.o.command(words...) }

// SchemaCommand returns the command with the schema of the session after the words.
func (s *settings) SchemaCommand(words ...string) string {
	return s.Command(append(words, SchemaName(s.o.Profile))...)
}

func (o Options) command(words ...string) string {
	var b strings.Builder
	b.WriteString("ddbdesk")
	for _, w := range append(words, o.flags()...) {
		b.WriteString(" " + snippet.ShellQuote(w))
	}
	return b.String()
}

// flags returns the flags that lead to the database in the role of the session, and the variables that differ from the profile.
func (o Options) flags() []string {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, flag, value)
		}
	}
	switch t := o.Target; {
	case o.Context != "":
		add("--context", o.Context)
	case t.Embedded && (t.Endpoint == "" || t.Endpoint == realPath(appdir.EmbeddedStore())):
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
	if o.Role != Support {
		add("--role", string(o.Role))
	}
	for _, v := range o.Profile.Variables {
		if v.Value != v.Default {
			add("--var", v.Name+"="+v.Value)
		}
	}
	return out
}

// realPath returns the path without symbolic links, as a target names its folder.
func realPath(dir string) string {
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		return p
	}
	return dir
}

// SchemaName returns the name of a schema in commands: that of a built-in profile, or the file of the profile.
func SchemaName(p *profiles.Profile) string {
	if strings.HasPrefix(p.File, "builtin:") || p.File == "" {
		return p.Name
	}
	return models.Printable(p.File)
}

// NameSchema completes the commands in the advice of a store error with the name of the schema and the flags of the connection,
// which the store does not know. It returns any other error unchanged. Nil stays nil, and e
// itself does not change.
func NameSchema(o Options, err error) error {
	e, ok := errors.AsType[*store.Error](err)
	if !ok || !strings.Contains(e.Advice, "SCHEMA") {
		return err
	}
	named := *e
	words := append([]string{snippet.ShellQuote(SchemaName(o.Profile))}, o.flags()...)
	for i := range words[1:] {
		words[i+1] = snippet.ShellQuote(words[i+1])
	}
	named.Advice = strings.ReplaceAll(e.Advice, "SCHEMA", strings.Join(words, " "))
	return &named
}
