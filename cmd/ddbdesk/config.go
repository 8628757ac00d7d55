// This file reads the configuration file: named contexts, each a set of the
// global flags.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
)

type fileConfig struct {
	Contexts map[string]contextConfig `yaml:"contexts"`
}

// contextConfig is one named context. Empty values leave the flag alone.
type contextConfig struct {
	Profile     string            `yaml:"profile"`
	Region      string            `yaml:"region"`
	EndpointURL string            `yaml:"endpoint-url"`
	Embedded    string            `yaml:"embedded"`
	Role        string            `yaml:"role"`
	Actor       string            `yaml:"actor"`
	ReadOnly    bool              `yaml:"read-only"`
	Vars        map[string]string `yaml:"vars"`
}

func configPath() string { return filepath.Join(appdir.Config(), "config.yaml") }

func readConfig() (fileConfig, error) {
	var c fileConfig
	text, err := os.ReadFile(configPath())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, configError("reading the configuration: " + err.Error())
	}
	if err := yaml.Load(text, &c, yaml.WithKnownFields()); err != nil {
		return c, configError(fmt.Sprintf("%s: %v", configPath(), err))
	}
	return c, nil
}

func configError(what string) error {
	return &store.Error{Class: store.Config, What: models.Printable(what)}
}

// useContext fills the flags that were not given from the named context.
// read-only of the context always holds.
func (a *app) useContext(cmd *cobra.Command) error {
	name := a.flags.context
	if name == "" {
		return nil
	}
	c, err := readConfig()
	if err != nil {
		return err
	}
	found, ok := c.Contexts[name]
	if !ok {
		names := make([]string, 0, len(c.Contexts))
		for n := range c.Contexts {
			names = append(names, n)
		}
		return usageErrorf("--context: %s has no context %q%s", configPath(), models.Printable(name), models.DidYouMean(name, names))
	}
	a.context = found
	fill := func(flag string, to *string, value string) {
		if f := cmd.Flag(flag); value != "" && (f == nil || !f.Changed) {
			*to = value
		}
	}
	fill("profile", &a.flags.profile, found.Profile)
	fill("region", &a.flags.region, found.Region)
	fill("endpoint-url", &a.flags.endpoint, found.EndpointURL)
	fill("embedded", &a.flags.embedded, found.Embedded)
	fill("role", &a.flags.role, found.Role)
	fill("actor", &a.flags.actor, found.Actor)
	a.flags.readOnly = a.flags.readOnly || found.ReadOnly
	return nil
}
