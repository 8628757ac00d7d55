package palette

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// Items and questions full of personal data are named without it, here and among
// the bookmarks.
func TestVisitsHidePersonalData(t *testing.T) {
	hidden := 0
	for _, name := range []string{"authbridge", "ebay-sniper", "form-bridge", "tazco", "zentriqvision"} {
		p := schemas.Open(t, name)
		samples, err := sample.Items(p, screentest.SampleOptions(2))
		if err != nil {
			t.Fatal(err)
		}
		for _, role := range []session.Role{session.Support, session.Developer} {
			env := screentest.NewItemEnv(t, p, &screentest.Memory{}, role)
			for n, sample := range samples {
				e := sample.Entity
				it, extra := models.Item{}, map[string]string{}
				values := e.Values(sample.Item)
				for name, v := range sample.Item {
					if tmpl, key := e.Keys[name]; !key || tmpl.Has(name) {
						it[name] = v
					}
				}
				for _, a := range e.Attributes {
					text, has := values(a.Path)
					if has && a.Sensitive != models.Open {
						text = fmt.Sprintf("canary%dx@example.com", n)
						it.With(a.Path, models.StringValue(text))
					}
					if has && a.KeyOnly {
						delete(it, a.Name)
						extra[a.Name] = text
					}
				}
				built, err := e.Build(it, extra)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				env.History.Visit(sample.Table, built)
				for _, r := range env.Reading.Related(sample.Table, built) {
					env.History.Remember(r.Pattern, r.Args)
					if strings.Contains(fmt.Sprint(r.Args), "canary") {
						hidden++
					}
				}
			}
			for _, c := range append(VisitCommands(env, "", 0), QueryCommands(env, "")...) {
				if text := c.Title + c.Note + c.Words + c.ID; strings.Contains(text, "canary") {
					t.Errorf("%s as %s: %s", name, role, text)
				}
			}
		}
	}
	if hidden < 10 {
		t.Errorf("only %d questions held personal data: the test proves nothing", hidden)
	}
}
