package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/draft"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui"
)

// listedTables is the maximum number of tables that the dialog lists.
const listedTables = 12

// Draft asks for tables without a schema, reads a sample and drafts a schema. It returns the name of the schema, or
// "" if the user closed the dialog. An unsaved draft exists until the console ends.
func (o *opener) Draft(ctx context.Context, table string) (string, error) {
	a := o.current()
	if o.demo != nil {
		return "", errors.New("every table of the demo has a schema")
	}
	conn, err := a.connectFor(ctx, nil)
	if err != nil {
		return "", err
	}
	undescribed, err := o.tablesWithoutProfile(ctx, conn.Reader())
	if err != nil {
		return "", err
	}
	if i := slices.Index(undescribed, table); i > 0 {
		undescribed = slices.Insert(slices.Delete(undescribed, i, i+1), 0, table)
	}
	if len(undescribed) == 0 {
		return "", fmt.Errorf("%s has no tables without a schema", conn.Describe())
	}
	answers, ok := a.console.ask(ctx, tablesForm(undescribed, conn.Describe().String()))
	if !ok {
		return "", nil
	}
	budget, _ := reading.ParseBudget(a.flags.Budget) // prepare validated it
	names := splitWords(answers[0])
	options := schema.DraftOptions{Name: o.freeName(draft.Kebab(names[0])), Sample: schema.DefaultSample}
	d, err := schema.FromTables(ctx, store.NewPacer(conn.Reader(), budget), names, options)
	if err != nil {
		return "", err
	}
	r := draft.NewReview(d)
	p, err := o.UseDraft(r)
	if err != nil {
		return "", err
	}
	return p.Name, nil
}

func (c *console) ask(ctx context.Context, form tui.Question) ([]string, bool) {
	select {
	case c.questions <- form:
		defer context.AfterFunc(ctx, form.Leave)() // An ended console does not reply.
		return form.Wait()
	case <-ctx.Done():
		return nil, false
	}
}

func (o *opener) tablesWithoutProfile(ctx context.Context, r store.Reader) ([]string, error) {
	names, err := r.Tables(ctx)
	if err != nil {
		return nil, err
	}
	list, _ := o.Profiles() // The first screen shows faults of files.
	for _, p := range list {
		for _, t := range p.Tables {
			names = slices.DeleteFunc(names, func(name string) bool { return name == t.Name })
		}
	}
	return names, nil
}

func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func tablesForm(names []string, place string) tui.Question {
	shown := strings.Join(names[:min(len(names), listedTables)], ", ")
	if more := len(names) - listedTables; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	text := fmt.Sprintf("Tables of %s without a schema: %s. "+
		"ddbdesk reads up to %s items of each table as a sample, which costs RCU, and does not store them.",
		place, shown, humanize.Comma(schema.DefaultSample))
	check := func(answers []string) string {
		for _, name := range splitWords(answers[0]) {
			if !slices.Contains(names, name) {
				return "no table " + models.Printable(name) + models.DidYouMean(name, names)
			}
		}
		if len(splitWords(answers[0])) == 0 {
			return "no table"
		}
		return ""
	}
	return tui.NewForm("New schema", models.Printable(text), check, tui.Field{
		Label: "Tables", Placeholder: "names, separated by commas", Required: true, Width: 44, Value: names[0],
	})
}

func (o *opener) freeName(name string) string {
	list, _ := o.Profiles()
	for free, n := name, 2; ; n++ {
		if !slices.ContainsFunc(list, func(p *profiles.Profile) bool { return p.Name == free }) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// A draftProfile contains an unsaved draft and its schema with the user's answers.
type draftProfile struct {
	review  *draft.Review
	profile *profiles.Profile
}

// Review returns the review of an unsaved draft, or nil for any other schema.
func (o *opener) Review(profile string) *draft.Review {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range o.drafts {
		if d.profile.Name == profile {
			return d.review
		}
	}
	return nil
}

// UseDraft makes the draft's schema, with the answers so far, available in the console.
func (o *opener) UseDraft(r *draft.Review) (*profiles.Profile, error) {
	p, err := r.Profile()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range o.drafts {
		if d.review == r {
			d.profile = p
			return p, nil
		}
	}
	o.drafts = append(o.drafts, &draftProfile{r, p})
	return p, nil
}

// SaveDraft writes a draft to a new file, under a name that no other schema has, and returns the saved schema. If
// path is "", it saves the file in the schemas folder.
func (o *opener) SaveDraft(r *draft.Review, path string) (*profiles.Profile, error) {
	switch {
	case path == "":
		path = filepath.Join(profiles.Folder(), r.Name()+".yaml")
	case !filepath.IsAbs(path):
		path = filepath.Join(appdir.Config(), path)
	}
	for _, p := range o.otherProfiles(r) {
		if p.Name == r.Name() {
			return nil, fmt.Errorf("schema %s already exists", p.Name)
		}
	}
	if err := appdir.Make(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := appdir.Create(path, r.Text()); err != nil {
		return nil, fmt.Errorf("save the draft: %w", err)
	}
	p, err := o.current().readProfiles([]string{path})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.drafts = slices.DeleteFunc(o.drafts, func(d *draftProfile) bool { return d.review == r })
	if filepath.Dir(path) != profiles.Folder() {
		o.file = append(o.file, path)
	}
	return p[0], nil
}

func (o *opener) otherProfiles(r *draft.Review) []*profiles.Profile {
	list, _ := o.Profiles() // The first screen shows faults of files.
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(list, func(p *profiles.Profile) bool {
		return slices.ContainsFunc(o.drafts, func(d *draftProfile) bool { return d.review == r && d.profile == p })
	})
}

func (o *opener) draftProfiles() []*profiles.Profile {
	o.mu.Lock()
	defer o.mu.Unlock()
	return models.MapSlice(o.drafts, func(d *draftProfile) *profiles.Profile { return d.profile })
}
