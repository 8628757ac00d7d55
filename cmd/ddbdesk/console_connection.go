package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/op"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/tui"
)

// These names identify connections that are not contexts, as contexts cannot contain a colon. An endpoint has its URL.
const (
	profileChoice  = "profile:" // an AWS profile, followed by its name
	regionChoice   = "region:"  // another region of the current connection, followed by its name
	embeddedChoice = "embedded:"
)

// Contexts returns the available connections and the name of the current one: first the connection without a context,
// then contexts, AWS profiles and the embedded database. In the demo, it returns none.
func (o *opener) Contexts() (list []tui.Context, current string) {
	a := o.current()
	if o.demo != nil || a.file == nil {
		return nil, ""
	}
	for _, c := range append([]config.Context{{}}, a.file.Contexts...) {
		list = append(list, a.withContext(c).summary())
	}
	for _, name := range store.AWSProfiles() {
		list = append(list, a.summaryOf(profileChoice+name, "AWS profile", name))
	}
	list = append(list, a.summaryOf(embeddedChoice, "embedded database", ""))
	o.mu.Lock()
	defer o.mu.Unlock()
	return list, cmp.Or(o.lastChoice, a.flags.Name)
}

func (a *app) summaryOf(choice, kind, name string) tui.Context {
	next, _ := a.connectedTo(choice) // Only a context can be missing.
	s := next.summary()
	s.Name, s.Kind, s.Label = choice, kind, name
	return s
}

// connectedTo returns the app for one of the connections that Contexts lists, an endpoint or a region. Unlike a
// context, these replace the flags that name a database.
func (a *app) connectedTo(name string) (*app, error) {
	c, err := a.connectionChoice(name)
	if err != nil {
		return nil, err
	}
	current := *a
	if strings.HasPrefix(name, regionChoice) {
		current.typed.Region = c.Region
	}
	if name != "" && c.Name == "" {
		current.changed = maps.Clone(a.changed)
		for _, flag := range databaseFlags {
			delete(current.changed, flag)
		}
	}
	next := current.withContext(c)
	next.changed = a.changed
	return next, nil
}

func (a *app) connectionChoice(name string) (config.Context, error) {
	if profile, ok := strings.CutPrefix(name, profileChoice); ok {
		return config.Context{Profile: profile}, nil
	}
	if region, ok := strings.CutPrefix(name, regionChoice); ok {
		c := a.flags.Context
		c.Name, c.Region = "", region
		return c, nil
	}
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		return config.Context{EndpointURL: name, Region: a.flags.Region}, nil
	}
	switch name {
	case "":
		return config.Context{}, nil
	case embeddedChoice:
		return config.Context{Embedded: appdir.EmbeddedStore()}, nil
	}
	if c, ok := a.file.Context(name); ok {
		return c, nil
	}
	return config.Context{}, fmt.Errorf("%s has no context %q", a.file.Path, op.Short(name))
}

// connectionFact is the local store's key for the last chosen connection.
const connectionFact = "connection"

// Use makes a connection current for new sessions and remembers it for the next start.
func (o *opener) Use(name string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	next, err := o.app.connectedTo(name)
	if err != nil {
		return err
	}
	o.app, o.lastChoice = next, name
	if text, err := json.Marshal(name); err == nil && o.app.console != nil {
		o.app.console.localStore.SetFact(connectionFact, text)
	}
	return nil
}

// useLastConnection makes the connection of the last run current, unless the command line or the environment names one.
func (o *opener) useLastConnection() {
	a := o.current()
	var name string
	_ = json.Unmarshal(a.console.localStore.Fact(connectionFact), &name)
	isChosen := a.namesDatabase() || a.changed["region"] || a.flags.Name != "" || os.Getenv("AWS_PROFILE") != "" ||
		store.HasEndpointVariable()
	if name != "" && !isChosen && o.table == nil && o.demo == nil && a.file != nil {
		_ = o.Use(name) // If its context is missing, ddbdesk uses the connection of the environment.
	}
}

// Save writes a connection to the configuration file as a context, and returns the name of the context.
func (o *opener) Save(name string) (string, error) {
	a := o.current()
	c, err := a.connectionChoice(name)
	if err != nil || c.Name != "" {
		return "", cmp.Or(err, errors.New("context "+c.Name+" already exists"))
	}
	fields := [][2]string{{"profile", c.Profile}, {"region", c.Region}, {"endpoint-url", c.EndpointURL}, {"embedded", c.Embedded}}
	contextName := cmp.Or(c.Profile, c.Region)
	switch u, err := url.Parse(c.EndpointURL); {
	case c.Profile != "":
	case err == nil && u.Host != "":
		contextName = "endpoint-" + u.Host
	case c.Embedded != "":
		contextName = "embedded"
	}
	if contextName == "" {
		return "", errors.New("nothing to save: the connection comes from the environment")
	}
	contextName = draft.Kebab(strings.NewReplacer(":", "-", ".", "-").Replace(contextName))
	block := "  " + contextName + ":\n"
	for _, f := range fields {
		if f[1] != "" {
			block += fmt.Sprintf("    %s: %q\n", f[0], f[1])
		}
	}
	text, err := appdir.ReadFile(a.file.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	const head = "contexts:\n"
	at := strings.Index("\n"+string(text), "\n"+head)
	newText := strings.TrimRight(string(text), "\n") + "\n" + head + block
	if at >= 0 {
		newText = string(text[:at+len(head)]) + block + string(text[at+len(head):])
	}
	f, err := config.Parse(a.file.Path, []byte(strings.TrimLeft(newText, "\n")), vocabulary())
	if err != nil {
		return "", fmt.Errorf("cannot add the context to %s; add it yourself:\n%s", a.file.Path, head+block)
	}
	if err := appdir.Make(filepath.Dir(a.file.Path)); err != nil {
		return "", err
	}
	if err := appdir.Replace(a.file.Path, []byte(strings.TrimLeft(newText, "\n")), 0o600); err != nil {
		return "", fmt.Errorf("save the context: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	updated := *o.app
	updated.file, o.app = f, &updated
	return contextName, nil
}
