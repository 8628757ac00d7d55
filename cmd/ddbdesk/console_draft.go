package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/drafting"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

const (
	listedTables  = 12 // that the dialog names
	namedEntities = 6  // that the dialog lets the user rename; the others are renamed in the file
)

// Draft drafts a profile of tables that no profile describes: it asks for the tables, reads a sample, and asks how to name
// the parts and where to save them. It returns the name of the profile, "" if the user left a dialog. A draft that is not
// saved lasts as long as the console.
func (o *opener) Draft(ctx context.Context) (string, error) {
	a := o.current()
	if o.demo != nil {
		return "", errors.New("every table of the demo has a profile")
	}
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return "", err
	}
	others, err := o.undescribed(ctx, conn.Reader())
	if err != nil {
		return "", err
	}
	if len(others) == 0 {
		return "", fmt.Errorf("every table of %s has a profile", conn.Describe())
	}
	answers, ok := a.ask(ctx, tablesForm(others, conn.Describe().String()))
	if !ok {
		return "", nil
	}
	budget, _ := reading.ParseBudget(a.flags.Budget) // prepare checked it
	d, err := drafting.FromTables(ctx, store.NewPacer(conn.Reader(), budget), words(answers[0]), drafting.Options{Sample: defaultSample})
	if err != nil {
		return "", err
	}
	p, err := profiles.LoadFile(d.Profile.Name+".yaml", d.Profile.Text())
	if err != nil {
		return "", fmt.Errorf("the draft has errors: %w", err)
	}
	if answers, ok = a.ask(ctx, o.namesForm(d, p)); !ok {
		return "", nil
	}
	return o.keep(d, answers)
}

// ask shows a dialog and waits for its answers; false if the user left it.
func (a *app) ask(ctx context.Context, form tui.Question) ([]string, bool) {
	select {
	case a.console.questions <- form:
		return form.WaitAll()
	case <-ctx.Done():
		return nil, false
	}
}

// undescribed lists the tables that no profile describes.
func (o *opener) undescribed(ctx context.Context, r store.Reader) ([]string, error) {
	names, err := r.Tables(ctx)
	if err != nil {
		return nil, err
	}
	list, _ := o.Profiles() // Faults of files are shown on the first screen.
	for _, p := range list {
		for _, t := range p.Tables {
			names = slices.DeleteFunc(names, func(name string) bool { return name == t.Name })
		}
	}
	return names, nil
}

// words divides the names that a user typed.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// tablesForm asks for the tables of a draft.
func tablesForm(names []string, where string) tui.Question {
	shown := strings.Join(names[:min(len(names), listedTables)], ", ")
	if more := len(names) - listedTables; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	text := fmt.Sprintf("Tables of %s without a profile: %s. ddbdesk reads a sample of up to 1,024 items of each table, which costs read units, "+
		"and stores none of them.", where, shown)
	check := func(answers []string) string {
		for _, name := range words(answers[0]) {
			if !slices.Contains(names, name) {
				return "no table " + models.Printable(name) + models.DidYouMean(name, names)
			}
		}
		if len(words(answers[0])) == 0 {
			return "no table"
		}
		return ""
	}
	return tui.NewForm("New profile", models.Printable(text), check, tui.Field{
		Label: "Tables", Placeholder: "names, separated by commas", Required: true, Width: 44, Value: names[0],
	})
}

// namesForm asks for the names of a draft, and for its file.
func (o *opener) namesForm(d *drafting.Draft, p *profiles.Profile) tui.Question {
	known, total := d.Recognized(p)
	text := fmt.Sprintf("The draft has %s and %s, and recognizes %d of %d items. ", english.Plural(len(p.Entities), "entity", "entities"),
		english.Plural(len(p.Patterns), "pattern", ""), known, total)
	if n := draft.Checks(d.Profile.Text()); n > 0 {
		text += fmt.Sprintf("Confirm its %s in the file. ", english.Plural(n, "line marked CHECK", "lines marked CHECK"))
	}
	text += "The console reloads the file when you edit it. Without a file, the profile lasts until you quit."
	fields := []tui.Field{
		{Label: "Profile", Required: true, Width: 44, Value: o.freeName(d.Profile.Name)},
		{Label: "File", Placeholder: "not saved", Width: 44, Value: "profiles/" + o.freeName(d.Profile.Name) + ".yaml"},
	}
	entities := d.Profile.Entities[:min(len(d.Profile.Entities), namedEntities)]
	for _, e := range entities {
		fields = append(fields, tui.Field{Label: "Entity " + e.Name, Required: true, Width: 44, Value: e.Name})
	}
	return tui.NewForm("Save draft", text, func(answers []string) string { return o.misnamed(d, answers) }, fields...)
}

// freeName returns a name that no profile has.
func (o *opener) freeName(name string) string {
	list, _ := o.Profiles()
	for free, n := name, 2; ; n++ {
		if !slices.ContainsFunc(list, func(p *profiles.Profile) bool { return p.Name == free }) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// misnamed says what is wrong with the names of a draft, "" for nothing.
func (o *opener) misnamed(d *drafting.Draft, answers []string) string {
	if o.freeName(answers[0]) != answers[0] {
		return "there is a profile " + answers[0]
	}
	named, err := d.Named(answers[0], answers[2:])
	if err != nil {
		return err.Error()
	}
	if _, err := profiles.LoadFile(answers[0]+".yaml", named.Text()); err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		return why
	}
	return ""
}

// keep saves a draft under its names, or keeps it until the console ends.
func (o *opener) keep(d *drafting.Draft, answers []string) (string, error) {
	named, err := d.Named(answers[0], answers[2:])
	if err != nil {
		return "", err
	}
	text, path := named.Text(), answers[1]
	if path != "" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(appdir.Config(), path)
		}
		if err := appdir.Make(filepath.Dir(path)); err != nil {
			return "", err
		}
		if err := appdir.Create(path, text); err != nil {
			return "", fmt.Errorf("the draft was not saved: %w", err)
		}
		if filepath.Dir(path) == profiles.Folder() {
			return answers[0], nil
		}
	}
	p, err := profiles.LoadFile(answers[0]+".yaml", text)
	if err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if path != "" {
		o.file = append(o.file, path)
	} else {
		o.drafts = append(o.drafts, p)
	}
	return answers[0], nil
}

// drafted returns the drafts that were not saved.
func (o *opener) drafted() []*profiles.Profile {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.drafts)
}
