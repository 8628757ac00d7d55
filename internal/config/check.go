package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/placed"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Vocabulary contains the names that a configuration may use.
type Vocabulary struct {
	Roles       []string
	Themes      []string
	Backgrounds []string // kinds of terminals that a theme can be fixed to
	Colors      []string // meanings of a theme's colors
	Marks       []string // colors of a context
	Scopes      []Scope

	// Budget returns the error in a context's budget. A nil Budget accepts any text.
	Budget func(text string) error

	// Conflicts returns the bindings whose key already has an action. Parse calls it only if each binding is valid. A
	// nil Conflicts reports no conflicts.
	Conflicts func(Bindings) []Conflict
}

// A Scope is the area in which key bindings apply: a screen, or all screens.
type Scope struct {
	Name    string
	Actions []string
}

// A Conflict is a key that a user cannot bind to an action, because another action already uses it.
type Conflict struct {
	Scope, Action, Key string
	Reason             string // for example `it is "copy" here`
}

func (r *reader) reportUnknown(path, kind, word string, known []string) {
	r.Errorf(path, placed.Suggest(word, known), "unknown %s %q", kind, models.Printable(word))
}

func (r *reader) checkOneOf(path, kind, word string, known []string) {
	if word != "" && !slices.Contains(known, word) {
		r.reportUnknown(path, kind, word, known)
	}
}

func (r *reader) file(d fileDecl, vocabulary Vocabulary) *File {
	f := &File{Options: d.Options.Options}
	f.Options.Zone = r.zone("options.time-zone", d.Options.TimeZone)
	for _, c := range d.Contexts {
		f.Contexts = append(f.Contexts, r.context(c, vocabulary))
	}
	f.Theme = r.theme(d.Theme, vocabulary)
	f.Keys = r.bindings(d.Keys, vocabulary)
	for i, name := range d.Find {
		if _, ok := f.Context(name); !ok {
			r.reportUnknown(placed.Join("find", strconv.Itoa(i)), "context", name, f.Names())
		}
	}
	f.Find = d.Find
	for i, place := range d.Profiles {
		if strings.TrimSpace(place) == "" {
			r.Errorf(placed.Join("profiles", strconv.Itoa(i)), "use a schema file or a folder of schemas", "the path is empty")
		}
	}
	return f
}

func (r *reader) zone(path, name string) *time.Location {
	if name == "" || name == "local" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		r.Errorf(path, "use local, UTC or a name such as Africa/Gaborone", "unknown time zone %q", models.Printable(name))
	}
	return zone
}

func (r *reader) context(p placed.Entry[contextDecl], vocabulary Vocabulary) Context {
	d, path := p.Value, placed.Join("contexts", p.Key)
	c := d.Context
	c.Name, c.Reads, c.Session = p.Key, d.Journal.Reads, d.Session.SessionRules
	c.Session.Reason, c.RawEdits = d.Session.Reason == "required", strings.TrimPrefix(d.RawEdits, "false")
	r.accounts(path+".production-accounts", d.Accounts)
	c.Requests = r.requests(path+".requests", d)
	r.checkOneOf(path+".session.reason", "value", d.Session.Reason, []string{"required", "optional"})
	r.Regexp(path+".session.ticket", d.Session.Ticket, "OPS-[0-9]+")
	if strings.TrimSpace(p.Key) == "" || models.Printable(p.Key) != p.Key {
		r.Errorf(path, "use letters, digits and -", "invalid context name %q", models.Printable(p.Key))
	}
	r.checkOneOf(path+".role", "role", d.Role, vocabulary.Roles)
	r.checkOneOf(path+".color", "color", c.Color, vocabulary.Marks)
	r.checkOneOf(path+".raw-edits", "value", d.RawEdits, []string{"false", "true", "override"})
	if vocabulary.Budget != nil && r.Has(path+".budget") {
		if err := vocabulary.Budget(d.Budget); err != nil {
			r.Errorf(path+".budget", "", "%v", err)
		}
	}
	r.database(path, d)
	if r.Has(path+".actor") && strings.TrimSpace(d.Actor) == "" {
		r.Errorf(path+".actor", "remove the key or set an ID", "the actor is empty")
	}
	if len(d.Vars) > 0 {
		c.Vars = map[string]string{}
	}
	for _, v := range d.Vars {
		if !models.IsTableName(v.Value) {
			r.Errorf(placed.Join(path+".vars", v.Key),
				"use up to 255 letters, digits, '_', '.' and '-'", "%q cannot be part of a table name", models.Printable(v.Value))
		}
		c.Vars[v.Key] = v.Value
	}
	return c
}

func (r *reader) database(path string, d contextDecl) {
	if d.EndpointURL != "" && !isHTTP(d.EndpointURL) {
		r.Errorf(path+".endpoint-url", "use a URL such as http://127.0.0.1:8000", "invalid HTTP URL %q", models.Printable(d.EndpointURL))
	}
	if d.Embedded != "" && (d.EndpointURL != "" || d.Profile != "") {
		r.Errorf(path+".embedded", "remove one of the two", "embedded cannot be used with profile or endpoint-url")
	}
	if d.FromExport != "" && (d.Embedded != "" || d.EndpointURL != "" || d.Profile != "") {
		r.Errorf(path+".from-export", "remove one of the two", "from-export cannot be used with embedded, profile or endpoint-url")
	}
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// maxValid is the maximum time for which users can apply a request.
const maxValid = 30 * 24 * time.Hour

func (r *reader) requests(path string, d contextDecl) Requests {
	out := d.Requests.Requests
	if r.Has(path+".table") && !models.IsTableName(out.Table) {
		r.Errorf(path+".table", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q", models.Printable(out.Table))
	}
	if expires := d.Requests.Expires; r.Has(path + ".expires") {
		var err error
		if out.Valid, err = time.ParseDuration(expires); err != nil || out.Valid < time.Minute || out.Valid > maxValid {
			r.Errorf(path+".expires", "use a duration from 1m to 720h, such as 72h", "invalid duration %q", models.Printable(expires))
		}
	}
	if out.URL = d.Requests.Notify.URL; r.Has(path+".notify.url") && !isHTTP(out.URL) {
		r.Errorf(path+".notify.url", "use a URL such as https://hooks.example.com/T1", "invalid HTTP URL")
	}
	return out
}

func (r *reader) accounts(path string, numbers []string) {
	for i, account := range numbers {
		if !models.IsAccount(account) {
			r.Errorf(placed.Join(path, strconv.Itoa(i)),
				`use a number of twelve digits such as "111122223333"`, "invalid AWS account %q", models.Printable(account))
		}
	}
}

func (r *reader) theme(d themeDecl, vocabulary Vocabulary) Theme {
	if d.Background == "" && slices.Contains(vocabulary.Backgrounds, d.Base) {
		d.Base, d.Background = "", d.Base
	}
	r.checkOneOf("theme.base", "theme", d.Base, vocabulary.Themes)
	r.checkOneOf("theme.background", "background", d.Background, vocabulary.Backgrounds)
	return Theme{
		Name: d.Base, Background: d.Background, Colors: r.colors(d.Colors, "theme", vocabulary, "base", "background", "dark", "light"),
		Dark: r.colors(d.Dark, "theme.dark", vocabulary), Light: r.colors(d.Light, "theme.light", vocabulary),
	}
}

// hexColor matches a CSS hex color.
var hexColor = models.LazyRegexp(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)

func (r *reader) colors(list placed.Ordered[string], path string, vocabulary Vocabulary, also ...string) map[string]string {
	if len(list) == 0 {
		return nil
	}
	found := map[string]string{}
	for _, p := range list {
		at := placed.Join(path, p.Key)
		if !slices.Contains(vocabulary.Colors, p.Key) {
			r.reportUnknown(at, "theme color", p.Key, append(slices.Clone(vocabulary.Colors), also...))
			continue
		}
		if n, err := strconv.Atoi(p.Value); !hexColor().MatchString(p.Value) &&
			(err != nil || n < 0 || n > 255 || strconv.Itoa(n) != p.Value) {
			r.Errorf(at,
				`use a value such as "#3b50c8", or 0 to 255 for a color of the terminal's palette`, "invalid color %q",
				models.Printable(p.Value))
			continue
		}
		found[p.Key] = p.Value
	}
	return found
}

func (r *reader) bindings(scopes placed.Ordered[placed.Ordered[[]string]], vocabulary Vocabulary) Bindings {
	if len(scopes) == 0 {
		return nil
	}
	before := len(r.faults)
	names := make([]string, len(vocabulary.Scopes))
	actions := map[string][]string{}
	for i, scope := range vocabulary.Scopes {
		names[i] = scope.Name
		actions[scope.Name] = scope.Actions
	}
	found := Bindings{}
	for _, scope := range scopes {
		path := placed.Join("keys", scope.Key)
		if _, ok := actions[scope.Key]; !ok {
			r.reportUnknown(path, "scope", scope.Key, names)
			continue
		}
		found[scope.Key] = map[string][]string{}
		for _, action := range scope.Value {
			at := placed.Join(path, action.Key)
			if !slices.Contains(actions[scope.Key], action.Key) {
				r.reportUnknown(at, "action", action.Key, actions[scope.Key])
				continue
			}
			for i, key := range action.Value {
				if reason, instead := CheckKey(key); reason != "" {
					r.Errorf(placed.Join(at, strconv.Itoa(i)), instead, "%s", reason)
				}
			}
			found[scope.Key][action.Key] = action.Value
		}
	}
	if vocabulary.Conflicts == nil || len(r.faults) > before {
		return found
	}
	for _, c := range mergeConflicts(vocabulary.Conflicts(found)) {
		at := placed.Join(placed.Join("keys", c.Scope), c.Action)
		for i, key := range found[c.Scope][c.Action] {
			if key == c.Key && r.Has(placed.Join(at, strconv.Itoa(i))) {
				at = placed.Join(at, strconv.Itoa(i))
				break
			}
		}
		r.Errorf(at, "", "key %q is in use: %s", c.Key, c.Reason)
	}
	return found
}

// maxReasons limits the reasons in a message, because a key for moving in lists has an action on every screen.
const maxReasons = 3

func mergeConflicts(conflicts []Conflict) []Conflict {
	type place struct{ scope, action, key string }
	reasons := map[place][]string{}
	var list []Conflict
	for _, c := range conflicts {
		at := place{c.Scope, c.Action, c.Key}
		if reasons[at] == nil {
			list = append(list, c)
		}
		reasons[at] = append(reasons[at], c.Reason)
	}
	for i, c := range list {
		reason := reasons[place{c.Scope, c.Action, c.Key}]
		list[i].Reason = strings.Join(models.Limited(reason, maxReasons), "; ")
	}
	return list
}
