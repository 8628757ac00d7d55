package home

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// withTables adds a connection that lists tables. It records in described which tables home describes.
func withTables(o *opener, names ...string) (described *[]string) {
	described = new([]string)
	o.connect = func(bool) (*Connection, error) {
		return &Connection{
			Access: Access{Who: "ana", Role: "support", Place: "acme-staging", Account: "123456789012", Region: "eu-west-1"},
			List: func(context.Context, []*profiles.Profile) ([]tables.ListedTable, error) {
				list := make([]tables.ListedTable, len(names))
				for i, name := range names {
					list[i].Name = name
				}
				return list, nil
			},
			Describe: func(_ context.Context, list []tables.ListedTable) {
				for i := range list {
					*described = append(*described, list[i].Name)
					list[i].Info = &store.TableInfo{Name: list[i].Name, ApproximateItems: 1_240_000}
					if strings.HasPrefix(list[i].Name, "empty-") {
						list[i].Info.ApproximateItems = 0
					}
				}
			},
			Schemaless: func(_ context.Context, table string) (*profiles.Profile, error) {
				t := &models.Table{Name: table, PartitionKey: models.Key{Name: "PK", Type: models.TypeS}}
				e := &models.Entity{Name: "Item", Table: t, ByName: func(string) models.Sensitivity { return models.NotSensitive }}
				return &profiles.Profile{Name: table, Entities: []*models.Entity{e}, Tables: []*models.Table{t}}, nil
			},
		}, nil
	}
	return described
}

// The connection's tables come first, with their schemas. Schemas without any of these tables share one row.
func TestHomeListsConnectionsTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		name := o.list[0].Tables[0].Name
		withTables(o, name, "billing")
		h, _ := newLoadedHome(t, o, "")
		wantText(t, h, name, "1.2 M  authbridge", "billing", "no schema", "▸ 1 sample schema", "searches authbridge ─")
		if got := h.Access(); got.Place != "acme-staging 1234…9012" || got.Who != "ana" {
			t.Errorf("got access %+v", got)
		}
		run(h, h.Update(screentest.Pressed("down")))
		if h.Selected() != nil {
			t.Errorf("%s is selected for a table without a schema", h.Selected().Name)
		}
		wantText(t, h, "No schema describes this table")
		run(h, h.Update(screentest.Pressed("down")), h.Update(screentest.Pressed("enter")))
		wantText(t, h, "tazco")
		if strings.Contains(h.View(), "sample schemas") || len(o.opened) > 0 && o.opened[0] != "authbridge" {
			t.Errorf("the samples are folded, or %v was opened:\n%s", o.opened, h.View())
		}
	})
}

// Empty tables come last, and the cursor starts on a table with items.
func TestHomeListsEmptyTablesLast(t *testing.T) {
	o := twoProfiles(t)
	withTables(o, "empty-sessions", "orders")
	h, _ := newLoadedHome(t, o, "")
	view := ansi.Strip(h.View())
	if at := strings.Index(view, "orders"); at < 0 || at > strings.Index(view, "empty-sessions") || h.Status() != "orders" {
		t.Errorf("selected = %s in\n%s", h.Status(), view)
	}
}

// In a database without tables, home does not wait for counts that nothing starts.
func TestHomeExplainsDatabaseWithoutTables(t *testing.T) {
	o := twoProfiles(t)
	withTables(o)
	h, _ := newLoadedHome(t, o, "")
	wantText(t, h, "No tables yet; ddbdesk seed SCHEMA creates them")
	if strings.Contains(h.View(), "Waiting for review") {
		t.Errorf("home lists queues of missing tables:\n%s", h.View())
	}
	run(h, h.Update(tea.PasteMsg{Content: "ver_65de8f85-feb5-49b5-b776-a3c858eec62a"}), h.Update(tea.KeyPressMsg{Code: tea.KeyEnter}))
	wantText(t, h, "this database has no tables")
}

// A table that no schema describes opens with a schema for this table only.
func TestHomeOpensTableWithoutSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		withTables(o, "billing")
		h, _ := newLoadedHome(t, o, "")
		sent := run(h, h.Update(screentest.Pressed("enter")))
		at := slices.IndexFunc(sent, func(msg tea.Msg) bool { _, ok := msg.(screen.SessionMsg); return ok })
		if at < 0 || sent[at].(screen.SessionMsg).Workspace.Session.Profile().Name != "billing" {
			t.Fatalf("opened %v and sent %v, want billing", o.opened, sent)
		}
		if wantText(t, h, "billing", "no schema"); !h.Selected().IsSchemaless() {
			t.Error("the derived schema counts as a profile of the table")
		}
	})
}

// Home lists thousands of tables immediately, and describes a table only when it becomes visible.
func TestHomeDescribesTablesInView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		var names []string
		for i := range 2500 {
			names = append(names, fmt.Sprintf("table-%04d", i))
		}
		described := withTables(o, names...)
		h, _ := newLoadedHome(t, o, "")
		if wantText(t, h, "2,500", "table-0000"); len(*described) == 0 || len(*described) > 100 {
			t.Errorf("described %d tables, want 1 to 100", len(*described))
		}
		run(h, h.Update(screentest.Pressed("end")))
		if !slices.Contains(*described, "table-2499") || len(*described) > 200 {
			t.Errorf("described %d tables, the last table: %v", len(*described), slices.Contains(*described, "table-2499"))
		}
	})
}

// If home cannot list the tables, it explains why and keeps the schemas. An expired sign-in is the first row.
func TestHomeExplainsMissingTables(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		shows []string
		finds []string
		opens any
	}{
		"denied": {
			errors.New("no permission for dynamodb:ListTables"),
			[]string{"▲ no permission", "[ Try again ]", "▲ Cannot list the tables: no permission", "Type the name of a table in Find"},
			nil,
			nil,
		},
		"unreachable": {
			&store.Error{Class: store.Unreachable, Problem: "cannot reach it", Advice: "is the server running?"},
			[]string{"▲ cannot reach it   [ Try again ]"},
			[]string{"Could not search: cannot reach it; is the server running?", "› [ Try again ]", "[ Another connection ]", "not searched ─"},
			nil,
		},
		"without credentials": {
			&store.Error{Class: store.NoCredentials, Problem: "no credentials", Advice: "set AWS_PROFILE"},
			[]string{"not connected ─", "▲ no credentials   [ Try again ]", "tables not listed; set AWS_PROFILE"},
			[]string{"Could not search: no credentials; set AWS_PROFILE", "Not searched: ", ": region x is not allowed"},
			nil,
		},
		"expired": {
			&store.Error{Class: store.ExpiredCredentials, Problem: "not signed in", SignIn: []string{"true"}},
			[]string{"▲ acme · not signed in   [ Sign in ]", "authbridge"},
			[]string{"Could not search: not signed in", "› [ Sign in ]", "not searched"},
			screen.ExpiredMsg{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := twoProfiles(t)
				o.source = Source{Access: Access{Place: "acme", Role: "support"}}
				calls := 0
				o.connect = func(second bool) (*Connection, error) {
					if second {
						calls++
					}
					return &Connection{List: func(context.Context, []*profiles.Profile) ([]tables.ListedTable, error) { return nil, c.err }}, nil
				}
				h, _ := newLoadedHome(t, o, "")
				opened := 0
				h.Global = widget.Actions{{Name: "contexts", Run: func() tea.Cmd { opened++; return nil }}}
				h.fillSections()
				wantText(t, h, append(c.shows, "[ Another connection ]")...)
				run(h, h.Update(screentest.Pressed("down")), h.Update(screentest.Pressed("enter")), h.Update(screentest.Pressed("up")))
				if opened != 1 {
					t.Errorf("enter on the second row opened the dialog %d times, want 1", opened)
				}
				sent := run(h, h.Update(screentest.Pressed("enter")))
				if c.opens == nil && calls != 1 || c.opens != nil && len(sent) != 1 || len(o.opened) > 0 {
					t.Errorf("enter sent %d requests and %v, and opened %v", calls, sent, o.opened)
				}
				o.open = func(context.Context, *profiles.Profile) (*workspace.Workspace, error) {
					if name == "without credentials" {
						return nil, errors.New("region x is not allowed")
					}
					return nil, c.err
				}
				if c.finds != nil {
					run(h, h.Find("ord_318032"))
				}
				if wantText(t, h, c.finds...); strings.Contains(h.View(), "also needs") || strings.Contains(h.View(), "0 items") {
					t.Errorf("a failed search is shown as an empty result:\n%s", h.View())
				}
				if run(h, h.Retry()); c.opens != nil && calls != 1 {
					t.Error("the sign-in did not list the tables again")
				}
			})
		})
	}
}

// Home does not count a production database by itself.
func TestHomeCountsSchemasWithTables(t *testing.T) {
	for _, production := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			o := twoProfiles(t)
			withTables(o, o.list[1].Tables[0].Name)
			o.open = func(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
				options := session.Options{Profile: p}
				if production {
					options.Environment = "prod"
				}
				return workspace.New(options), nil
			}
			h, _ := newLoadedHome(t, o, "")
			b := h.counter.boards["tazco"]
			if h.counter.boards["authbridge"] != nil || b == nil || b.sum.Unread != production {
				t.Errorf("production %v: counted %v", production, h.counter.boards)
			}
		})
	}
}

// Every printable key is text, wherever the cursor is.
func TestEveryPrintableKeyIsText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := twoProfiles(t)
		withTables(o, o.list[0].Tables[0].Name, "billing")
		h, _ := newLoadedHome(t, o, "")
		h.counter.hidden = true
		opened := len(o.opened)
		for _, place := range []*section{h.attention, h.recent, h.tables, h.states} {
			h.focusSection(place)
			typed := ""
			for r := '!'; r <= '~'; r++ {
				if key := string(r); h.Passes(key) && key != "?" && key != ":" {
					t.Errorf("home passes %q to the global actions", key)
				}
				if typed += string(r); h.Update(screentest.Pressed(string(r))) == nil && h.find.field.Text() == "" {
					t.Errorf("the search field ignores %q", r)
				}
			}
			if got := h.find.field.Text(); got != typed || len(o.opened) != opened {
				t.Errorf("typed %q, but the field contains %q; opened %v", typed, got, o.opened)
			}
			h.find.clear()
		}
	})
}
