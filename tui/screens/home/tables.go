package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// An Access describes the user, the role and the database. Empty fields are unknown or do not apply.
type Access struct {
	Who, Role string
	Place     string // AWS profile, endpoint, or the embedded database
	Account   string // AWS account ID
	Region    string

	ReadOnly bool
}

// A Connection is a database without a schema. Callers may call its functions concurrently.
type Connection struct {
	Access
	List     func(ctx context.Context, known []*profiles.Profile) ([]tables.ListedTable, error)
	Describe func(ctx context.Context, list []tables.ListedTable)
	// Schemaless returns a schema that it derives from a table's description.
	Schemaless func(ctx context.Context, table string) (*profiles.Profile, error)
	// Stage classifies the database for the sessions of a schema.
	Stage func(p *profiles.Profile) session.Stage
}

// StageFor classifies the database for a schema's sessions. It returns "" until the database answers.
func (h *Home) StageFor(p *profiles.Profile) session.Stage {
	if c := h.db.conn; c != nil && c.Stage != nil && !tables.IsUnreachable(h.db.err) {
		return c.Stage(p)
	}
	return ""
}

// Access describes the user, the role and the database. Unknown fields are empty.
func (h *Home) Access() Access {
	access := h.source.Access
	if c := h.db.conn; c != nil {
		access = c.Access
	}
	if n := len(access.Account); n == 12 { // These digits are enough to distinguish accounts.
		access.Place = present.Join(access.Place, access.Account[:4]+"…"+access.Account[n-4:], " ")
	}
	if h.db.cannotSignIn() == "" {
		access.Place = present.Join(access.Place, "not signed in", " · ")
	}
	return access
}

// A Connector is an opener that can connect to the database before it opens a schema.
type Connector interface {
	// Connect opens the connection. It asks the user for a code or a reason only if byUser is true. If the connection
	// cannot list its tables, Connection.List returns the error.
	Connect(ctx context.Context, byUser bool) (*Connection, error)
}

// A database contains the connection and its tables, or the reason why there is no connection.
type database struct {
	h *Home

	conn     *Connection // nil until the connection is open
	list     []tables.ListedTable
	isListed bool // home has listed the tables
	err      error
	cancel   context.CancelFunc // cancels reads from the database; nil before the first read
	ctx      context.Context    // context of the reads
}

func (d *database) reset() {
	if d.cancel != nil {
		d.cancel()
	}
	*d = database{h: d.h}
}

// connect opens the connection. Unless byUser is true, it does nothing if home has already tried to connect.
func (d *database) connect(byUser bool) tea.Cmd {
	c, ok := d.h.opener.(Connector)
	if !ok || d.h.source.Missing != "" || d.cancel != nil && !byUser {
		return nil
	}
	d.reset()
	d.ctx, d.cancel = context.WithCancel(d.h.ctx)
	ctx, profiles, mu := d.ctx, d.h.profiles, &d.h.connectMu
	return func() tea.Msg {
		mu.Lock()
		defer mu.Unlock()
		var list []tables.ListedTable
		conn, err := c.Connect(ctx, byUser)
		if err == nil && conn != nil {
			list, err = conn.List(ctx, profiles)
		}
		return d.ifCurrent(ctx, func() tea.Cmd { return d.finishConnect(conn, list, err) })
	}
}

// ifCurrent calls then, unless another connection has replaced the one of the request.
func (d *database) ifCurrent(parent context.Context, then func() tea.Cmd) screen.Answer {
	return func() tea.Cmd {
		if parent != d.ctx {
			return nil
		}
		return then()
	}
}

func (d *database) finishConnect(conn *Connection, list []tables.ListedTable, err error) tea.Cmd {
	d.conn, d.list, d.err, d.isListed = conn, list, err, conn != nil && err == nil
	d.matchSchemas()
	d.h.find.stale = true // The new finder also searches the schemas of these tables.
	d.h.arrange()
	if d.err != nil { // The user must fix the error first.
		d.h.attention.moveToEnd(false)
		d.h.focusSection(d.h.attention)
	}
	if f := &d.h.find; f.text != "" && len(f.result.Hits) == 0 && d.schemalessSource() != nil {
		return tea.Batch(d.h.handleMove(), f.startSearch(f.text)) // The running search does not know these tables.
	}
	return d.h.handleMove()
}

func (d *database) matchSchemas() {
	for i := range d.list {
		d.list[i].Schemas = slices.DeleteFunc(slices.Clone(d.h.profiles), func(p *profiles.Profile) bool {
			return !slices.ContainsFunc(p.Tables, func(t *models.Table) bool { return t.Name == d.list[i].Name })
		})
	}
}

func (d *database) covers(p *profiles.Profile) bool {
	return slices.ContainsFunc(d.list, func(t tables.ListedTable) bool { return slices.Contains(t.Schemas, p) })
}

func (d *database) cannotSignIn() string {
	switch {
	case d.err == nil:
		return "the connection does not need a sign-in"
	case connection.OfferSignIn(d.err) == nil:
		return d.problem()
	}
	return ""
}

func (d *database) problem() string {
	text, _, _ := strings.Cut(d.err.Error(), "; ")
	return text
}

func (d *database) signIn() tea.Cmd { return connection.OfferSignIn(d.err) }

// describeAhead is the number of tables to describe below the visible ones.
const describeAhead = 20

func (d *database) describe() tea.Cmd {
	if d.conn == nil || !d.isListed {
		return nil
	}
	names := map[string]bool{}
	at, _ := d.h.tables.lines.At()
	distance := d.h.tables.rect.H + describeAhead
	for i := max(at-distance, 0); i < min(at+distance, len(d.h.tables.rows)); i++ {
		if name := d.h.tables.rows[i].table; name != "" {
			names[name] = true
		}
	}
	var list []tables.ListedTable
	for i := range d.list {
		if t := &d.list[i]; t.Info == nil && t.Err == nil && names[t.Name] {
			t.Err = errDescribing
			list = append(list, tables.ListedTable{Name: t.Name})
		}
	}
	if len(list) == 0 {
		return nil
	}
	ctx, describe := d.ctx, d.conn.Describe
	return func() tea.Msg {
		describe(ctx, list)
		return d.ifCurrent(ctx, func() tea.Cmd {
			for _, t := range list {
				if i := d.indexOf(t.Name); i >= 0 {
					d.list[i].Info, d.list[i].Err = t.Info, t.Err
				}
			}
			atFirst := d.h.tables.isAtEdge(true)
			if len(d.list) <= describeAhead { // Home describes these tables at once. Empty ones come last.
				slices.SortStableFunc(d.list, func(a, b tables.ListedTable) int { return compareBool(isEmpty(a), isEmpty(b)) })
			}
			if d.h.fillSections(); atFirst { // An empty table may have been the first one.
				d.h.tables.moveToEnd(false)
				d.h.showSelected()
			}
			return nil
		})
	}
}

// errDescribing marks a table whose description is pending.
var errDescribing = fmt.Errorf("the table is being described")

func (d *database) indexOf(table string) int {
	return slices.IndexFunc(d.list, func(t tables.ListedTable) bool { return t.Name == table })
}

func isEmpty(t tables.ListedTable) bool { return t.Info != nil && t.Info.ApproximateItems == 0 }

// openSchemaless opens a table without a schema, at the target that then returns.
func (d *database) openSchemaless(table string, then func(*screen.Env) screen.Target) tea.Cmd {
	if d.conn == nil {
		return nil
	}
	ctx, schemaless := d.ctx, d.conn.Schemaless
	return func() tea.Msg {
		p, err := schemaless(ctx, table)
		return d.ifCurrent(ctx, func() tea.Cmd {
			if err != nil {
				return errorNotice(err)
			}
			return d.h.Enter(p, then)
		})
	}
}

// schemalessSource returns a function that describes the tables without a schema, or nil if every table has one.
func (d *database) schemalessSource() func(context.Context) find.Schemaless {
	list := slices.DeleteFunc(slices.Clone(d.list), func(t tables.ListedTable) bool {
		return slices.ContainsFunc(t.Schemas, func(p *profiles.Profile) bool { return !p.IsSchemaless() })
	})
	if len(list) == 0 {
		return nil
	}
	conn, connectorFor := d.conn, d.h.connector
	return func(ctx context.Context) (all find.Schemaless) {
		read := min(len(list), find.MaxSchemaless)
		conn.Describe(ctx, list[:read])
		for i, t := range list {
			var p *profiles.Profile
			if i < read && t.Info != nil { // Schemaless would ask the user for the key of a table that may not be described.
				p, _ = conn.Schemaless(ctx, t.Name)
			}
			if p == nil {
				all.Others = append(all.Others, t.Name)
				continue
			}
			all.Sources = append(all.Sources, find.Source{Place: find.Place{Profile: p}, Open: connectorFor(p)})
		}
		return all
	}
}

func errorNotice(err error) tea.Cmd {
	notice := screen.Send(screen.NoticeMsg{Text: models.Printable(err.Error()), Bad: true})
	return tea.Batch(notice, connection.OfferSignIn(err))
}

func scanTarget(env *screen.Env) screen.Target {
	return screen.Patterns{Pattern: env.Session.Profile().Pattern("scan")}
}

func consoleLinkTarget(l lookup.ConsoleLink) func(*screen.Env) screen.Target {
	return func(env *screen.Env) screen.Target {
		t := env.Session.Profile().Tables[0]
		key := models.Item{t.PartitionKey.Name: models.StringValue(l.Partition)}
		if t.SortKey.Name != "" {
			key[t.SortKey.Name] = models.StringValue(l.Sort)
		}
		return screen.Item{Table: t, Item: t.TypeKeys(key)}
	}
}

func (h *Home) noTable() string {
	r := h.focused.current()
	switch {
	case r == nil || r.table == "" && (r.p == nil || len(r.p.Tables) == 0):
		return "select a table or a schema first"
	case h.opening != nil:
		return "a schema is being opened"
	}
	return ""
}

func (h *Home) queryTable() tea.Cmd {
	r := h.focused.current()
	name := r.table
	then := func(env *screen.Env) screen.Target {
		p := env.Session.Profile()
		t := p.Tables[0]
		if i := slices.IndexFunc(p.Tables, func(t *models.Table) bool { return t.Name == name }); i >= 0 {
			t = p.Tables[i]
		}
		return screen.Patterns{Custom: &screen.CustomQuery{Table: t}}
	}
	if r.p == nil || r.p.IsSchemaless() {
		return h.db.openSchemaless(name, then)
	}
	return h.connect(r.p, then)
}

func isSample(p *profiles.Profile) bool { return strings.HasPrefix(p.File, "builtin:") }

// These are the column widths of the tables in cells.
const (
	itemsWidth  = 9
	schemaWidth = 22
)

// tableRows lists the tables with a schema, the other tables, and the schemas without a table. Samples come last.
func (h *Home) tableRows(w int) []row {
	schemas := slices.SortedStableFunc(slices.Values(h.profiles), func(a, b *profiles.Profile) int {
		return compareBool(isSample(a), isSample(b))
	})
	h.tables.title, h.tables.empty = "Schemas", "loading the schemas…"
	h.tables.note = ""
	rows := textRows(h.problems(w))
	if d := &h.db; d.isListed {
		h.tables.title, h.tables.empty = "Tables", "The connection has no tables."
		h.tables.note = humanize.Comma(int64(len(d.list)))
		nameWidth := min(max(w-itemsWidth-schemaWidth-2, 12), 60)
		for _, p := range schemas {
			for i, t := range d.list {
				if !p.IsSchemaless() && slices.Contains(t.Schemas, p) {
					rows = append(rows, h.tableRow(&d.list[i], p, nameWidth))
				}
			}
		}
		for i, t := range d.list {
			if !slices.ContainsFunc(t.Schemas, func(p *profiles.Profile) bool { return !p.IsSchemaless() }) {
				rows = append(rows, h.tableRow(&d.list[i], nil, nameWidth))
			}
		}
	} else if d.err != nil && d.cannotSignIn() != "" {
		rows = append(rows, h.listErrorRows(w)...)
	}
	var samples []row
	for _, p := range schemas {
		target := &rows
		if isSample(p) {
			target = &samples
		}
		if h.db.isListed && (h.db.covers(p) || p.IsSchemaless()) {
			continue
		}
		if *target = append(*target, h.schemaRow(p)); h.isTall() {
			*target = append(*target, h.aboutRow(p.Description, w))
		}
	}
	hasOthers := slices.ContainsFunc(rows, func(r row) bool { return r.id != "" })
	if len(samples) > 0 && !h.unfolded && (h.db.isListed || hasOthers || h.db.err != nil && h.db.cannotSignIn() != "") {
		return append(rows, h.foldRow(len(slices.DeleteFunc(samples, func(r row) bool { return r.id == "" }))))
	}
	return append(rows, samples...)
}

func (h *Home) tableRow(t *tables.ListedTable, p *profiles.Profile, nameWidth int) row {
	r := row{id: "table " + t.Name, table: t.Name, p: p, title: t.Name}
	schema, role := "no schema", widget.RoleFaint
	r.open, r.verb = func() tea.Cmd { return h.db.openSchemaless(t.Name, scanTarget) }, "browse"
	if p != nil {
		r.verb = ""
		r.id += " " + p.Name
		schema, role = h.schemaName(p), widget.RoleMuted
		r.open = func() tea.Cmd { return h.connect(p, nil) }
	} else if at := slices.IndexFunc(t.Schemas, (*profiles.Profile).IsSchemaless); at >= 0 {
		r.p = t.Schemas[at]
	}
	items := ""
	if t.Info != nil {
		items = shortCount(t.Info.ApproximateItems)
	}
	r.draw = func(l *widget.Strip) {
		l.Cell(widget.RoleText, models.PrintableCell(t.Name, nameWidth), nameWidth, widget.AlignLeft)
		l.Cell(widget.RoleInfo, items, itemsWidth, widget.AlignRight)
		l.Put(widget.RoleText, "  ")
		l.Put(role, models.PrintableCell(schema, l.Room()))
	}
	return r
}

// shortCount formats an approximate count: 312, 40 k, 1.2 M.
func shortCount(n int64) string {
	if n < 10_000 {
		return humanize.Comma(n)
	}
	value, unit := humanize.ComputeSI(float64(n))
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + unit
}

// schemaName distinguishes a draft, which the console uses until it ends, from a saved schema.
func (h *Home) schemaName(p *profiles.Profile) string {
	if drafts, ok := h.opener.(screen.Drafts); ok {
		if r := drafts.Review(p.Name); r != nil && r.Name() == p.Name {
			return p.Name + " (draft, not saved)"
		}
	}
	return p.Name
}

func (h *Home) schemaRow(p *profiles.Profile) row {
	waiting := ""
	if b := h.counter.boardOf(p); b != nil {
		if n, known := b.sum.Waiting(); known && n.N > 0 {
			waiting = "● " + n.String()
		}
	}
	note := p.Title
	if h.db.isListed {
		note = "no tables on this connection"
	}
	return row{
		id: "schema " + p.Name, p: p, title: p.Name, open: func() tea.Cmd { return h.connect(p, nil) },
		draw: func(t *widget.Strip) {
			nameWidth := 16
			name := h.schemaName(p)
			t.Cell(widget.RoleText, models.PrintableCell(name, max(t.Room()/2, nameWidth)), max(nameWidth, models.Width(name)+2),
				widget.AlignLeft)
			t.Cell(widget.RoleInfo, waiting, 6, widget.AlignLeft)
			t.Put(widget.RoleMuted, models.PrintableCell(note, t.Room()))
		},
	}
}

func (h *Home) foldRow(n int) row {
	return row{id: "samples", title: "sample schemas", verb: "list them", open: func() tea.Cmd {
		h.unfolded = true
		h.fillSections()
		return h.handleMove()
	}, draw: func(t *widget.Strip) {
		t.Put(widget.RoleMuted, "▸ "+present.Plural(n, "sample schema"))
		t.Put(widget.RoleFaint, models.PrintableCell("  (data: ddbdesk demo)", t.Room()))
	}}
}

func (h *Home) listErrorRows(w int) []row {
	if tables.CannotConnect(h.db.err) { // The attention list shows the problem.
		text := "tables not listed" + strings.TrimPrefix(h.db.err.Error(), h.db.problem())
		return append(textRows(widget.Wrap(h.styles, widget.RoleMuted, text, w)), row{})
	}
	rows := textRows(widget.Wrap(h.styles, widget.RoleWarn, "▲ Cannot list the tables: "+h.db.err.Error(), w))
	if h.db.conn != nil {
		advice := "Type the name of a table in Find to open it."
		rows = append(rows, textRows(widget.Wrap(h.styles, widget.RoleMuted, advice, w))...)
	}
	return append(rows, row{})
}
