package home

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// bareDatabase is an opener whose connection has the table sessions, without a schema.
func bareDatabase(t *testing.T, production bool) *opener {
	t.Helper()
	conn := fixture.Connect(t, fixture.Database(t))
	text := "name: x\ntables: {main: {name: sessions, partition_key: id, sort_key: at}}\n" +
		"entities: {It: {table: main, attributes: {id: {type: S, required: true}, at: {type: S, required: true}}}}\n"
	p, err := profiles.Load("", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	f := fixture.NewOn(t, p, conn)
	f.Create(t)
	f.Put(t, p.Tables[0], models.Item{
		"id": models.StringValue("cus_0003"), "at": models.StringValue("1"), "orderId": models.StringValue("ord_318003"),
		"email": models.StringValue("zoe@example.com"), "password": models.StringValue("swordfish"),
	})
	o := twoProfiles(t)
	o.open = func(_ context.Context, p *profiles.Profile) (*workspace.Workspace, error) {
		so := fixture.NewOn(t, p, conn).Options()
		so.Role, so.Declared = session.Developer, session.Declaration{Production: &production}
		return f.Open(so), nil
	}
	o.connect = func(bool) (*Connection, error) {
		return &Connection{
			List: func(ctx context.Context, known []*profiles.Profile) ([]tables.ListedTable, error) {
				return tables.List(ctx, conn.Reader(), known)
			},
			Describe: func(ctx context.Context, list []tables.ListedTable) { tables.Describe(ctx, conn.Reader(), list) },
			Schemaless: func(ctx context.Context, table string) (*profiles.Profile, error) {
				return schema.Schemaless(ctx, conn.Reader(), table, nil, nil)
			},
		}, nil
	}
	return o
}

// Find searches tables without a schema: by key at once, and in production by a scan that the user accepts.
func TestFindSearchesTablesWithoutSchema(t *testing.T) {
	h, _ := newLoadedHome(t, bareDatabase(t, true), "")
	wantText(t, h, "searches 1 table")
	run(h, h.Update(tea.PasteMsg{Content: "cus_0003"}))
	wantText(t, h, "1 item", "cus_0003 / 1")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "ord_318003"}))
	wantText(t, h, "Search sessions for it: scan about 1 item")
	run(h, h.db.finishConnect(h.db.conn, h.db.list, nil)) // The offer stays valid if the tables arrive after the search.
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyDown}), h.Update(tea.KeyPressMsg{Code: tea.KeyEnter}))
	wantText(t, h, "1 item", "cus_0003 / 1")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "ord_999999"}))
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyDown}), h.Update(tea.KeyPressMsg{Code: tea.KeyEnter}))
	wantText(t, h, "0 items", "Searched about 1 item of sessions: no visible value contains ord_999999.")

	h, _ = newLoadedHome(t, bareDatabase(t, false), "")
	run(h, h.Update(tea.PasteMsg{Content: "ord_318003"}))
	wantText(t, h, "1 item", "cus_0003 / 1")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "ord_999999"}))
	wantText(t, h, "0 items", "No visible value contains ord_999999. Not searched, because masked: email, password.")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "Zoe@example.com"}))
	wantText(t, h, "1 item", "cus_0003 / 1")
}

// A search for which the connection has no table does not report that no item has the text.
func TestFindReportsConnectionWithoutTables(t *testing.T) {
	o := bareDatabase(t, false)
	o.connect = nil
	h, _ := newLoadedHome(t, o, "")
	run(h, h.Update(tea.PasteMsg{Content: "ver_65de8f85-feb5-49b5-b776-a3c858eec62a"}))
	wantText(t, h, "not searched", "Could not search: this connection has no tables of authbridge", "[ Try again ]")
}

// A console that opened a schema at once also lists the tables, and searches those without a schema.
func TestStartSchemaDoesNotHideTables(t *testing.T) {
	h, _ := newLoadedHome(t, bareDatabase(t, true), "authbridge")
	wantText(t, h, "Tables", "sessions", "searches 1 table")
	run(h, h.Update(tea.PasteMsg{Content: "cus_0003"}))
	wantText(t, h, "1 item", "cus_0003 / 1")
}

// A text that the user pastes before the schemas are loaded is searched, although the command line names a schema.
func TestHomeKeepsEarlyText(t *testing.T) {
	h := New(t.Context(), widget.NewStyles(true, true), bareDatabase(t, true), "tazco", nil, find.Options{})
	h.SetSize(100, 30)
	run(h, h.Update(tea.PasteMsg{Content: "cus_0003"}), h.Init())
	wantText(t, h, "1 item", "cus_0003 / 1")
}

// Find and the palette list the queues, patterns and states of home by their titles and names.
func TestFindListsQueuesPatternsAndStates(t *testing.T) {
	o := bareDatabase(t, false)
	o.connect = nil
	h, _ := newLoadedHome(t, o, "")
	for _, text := range []string{"In review", "in_review"} {
		run(h, h.Update(tea.PasteMsg{Content: text}))
		wantText(t, h, "Open state in_review · Verification case · authbridge")
		run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}))
	}
	run(h, h.Update(tea.PasteMsg{Content: "dead letters"}))
	wantText(t, h, "Open queue Dead letters · tazco")
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "list-client-verifications"}))
	wantText(t, h, "Open pattern All verifications of a client · authbridge")
	h.source.Role = string(session.Support)
	run(h, h.Update(tea.KeyPressMsg{Code: tea.KeyEscape}), h.Update(tea.PasteMsg{Content: "In review"}))
	wantText(t, h, "Open state In review · Verification case · authbridge")
}
