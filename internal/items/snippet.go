package items

import (
	"maps"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/raw"
	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

func (x *Exporter) connection() snippet.Options {
	t := x.s.Target()
	o := snippet.Options{Region: t.Region, Profile: t.Profile}
	if t.Custom && !t.Embedded {
		o.Endpoint = t.Endpoint
	}
	return o
}

// Snippet returns a request as code or a command. Placeholders replace sensitive parameters and the parameters in
// hidden.
func (x *Exporter) Snippet(r *accesspatterns.Request, lang snippet.Language, hidden ...string) string {
	o := x.connection()
	o.Hidden = x.Placeholders(r, hidden...)
	return snippet.ForRequest(r, lang, o)
}

// Placeholders lists the parameters that Snippet replaces with placeholders: sensitive ones, and those in named.
func (x *Exporter) Placeholders(r *accesspatterns.Request, named ...string) []string {
	return slices.DeleteFunc(x.hiddenParams(r.Pattern, named), func(name string) bool { return r.Values[name].Text == "" })
}

func (x *Exporter) hiddenParams(p *accesspatterns.Pattern, named []string) []string {
	masker := x.s.Masker()
	var list []string
	for _, q := range p.Params {
		if masker.Hides(q.Sensitive) || slices.Contains(named, q.Name) {
			list = append(list, q.Name)
		}
	}
	return list
}

// ItemSnippet returns code or a command that reads an item. Placeholders replace the hidden parts of its key.
func (x *Exporter) ItemSnippet(t *models.Table, it models.Item, lang snippet.Language) string {
	o := x.connection()
	raw, _ := t.PrimaryKey(it)
	shown, _ := t.PrimaryKey(x.s.Masker().Item(t, it))
	r, known := x.s.Recognize(t, it)
	for _, name := range raw.Names() {
		if models.EqualValues(raw[name], shown[name]) {
			continue
		}
		text, hidden := "<"+name+">", []string{name}
		if known {
			text, hidden = x.withPlaceholders(r.Entity, name, raw)
		}
		shown[name] = models.StringValue(text)
		for _, h := range hidden {
			o.Hidden = models.AppendOnce(o.Hidden, h)
		}
	}
	return snippet.ForKey(t, shown, lang, o)
}

// withPlaceholders hides the whole key if the key does not match its template.
func (x *Exporter) withPlaceholders(e *models.Entity, name string, key models.Item) (text string, hidden []string) {
	placeholder := "<" + name + ">"
	template, ok := e.KeyTemplate(name)
	stored, isText := models.ValueText(key[name])
	if !ok || !isText {
		return placeholder, []string{name}
	}
	match, err := template.Parse(stored)
	if err != nil {
		return placeholder, []string{name}
	}
	var b strings.Builder
	for _, span := range match.Spans {
		if a := e.Attribute(span.Segment.Name); a != nil && x.s.Masker().Hides(a.Sensitive) {
			b.WriteString("<" + span.Segment.Name + ">")
			hidden = append(hidden, span.Segment.Name)
			continue
		}
		b.WriteString(stored[span.Start:span.End])
	}
	if len(hidden) == 0 { // No attribute in the template is hidden, so another rule hides the key.
		return placeholder, []string{name}
	}
	return b.String(), hidden
}

// CommandLine returns the request as a ddbdesk command for a POSIX shell. Placeholders replace sensitive parameters and
// the parameters in hidden. Relative times stay as typed, so that the command has the same meaning on another day.
func (x *Exporter) CommandLine(r *accesspatterns.Request, hidden ...string) string {
	p, args := r.Pattern, r.Given
	if p.CustomQuery != nil {
		return x.s.Command(raw.Words(p, func(name string) bool { return slices.Contains(x.hiddenParams(p, hidden), name) })...)
	}
	words := []string{"run", session.SchemaName(x.s.Profile()), p.ID}
	hidden = x.hiddenParams(p, hidden)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value := args[name]
		if slices.Contains(hidden, name) {
			value = "<" + name + ">"
		}
		words = append(words, name+"="+value)
	}
	if p.Read.Operation == accesspatterns.Scan {
		words = append(words, "--allow-scan")
	}
	return x.s.Command(words...)
}
