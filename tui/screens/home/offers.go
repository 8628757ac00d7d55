package home

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (d *hits) near(list []find.Near, text string) {
	for _, n := range list {
		d.offer(widget.RoleText,
			fmt.Sprintf("Decode as %s %s: %s (%s)", present.EntityName(n.Entity), n.Attribute, n.Mismatch.Template, n.Profile.Name),
			func() tea.Cmd {
				return d.h.Enter(n.Profile, func(*screen.Env) screen.Target { return screen.Decode{Text: text} })
			})
		d.remark(widget.RoleMuted, "  "+n.Why())
	}
}

// mostMissing is how many patterns with missing parameters are listed.
const mostMissing = 6

// offers lists the searches that need consent, with their price. Those for a word are one row for each schema.
func (d *hits) offers(f *searcher) {
	words := map[*workspace.Workspace][]find.Offer{}
	var order []*workspace.Workspace
	for _, o := range slices.Concat(f.result.Offers, f.rest) {
		if !o.Words {
			d.offer(widget.RoleWarn, d.offerText(f.result, o), func() tea.Cmd { return f.accept([]find.Offer{o}) })
			continue
		}
		if words[o.Workspace] == nil {
			order = append(order, o.Workspace)
		}
		words[o.Workspace] = append(words[o.Workspace], o)
	}
	for _, w := range order {
		list, sum := words[w], words[w][0].Estimate
		for _, o := range list[1:] {
			sum = sum.Plus(o.Estimate)
		}
		text := fmt.Sprintf("Search texts and IDs of %s for it: scan %s · %s",
			find.Place{Profile: w.Session.Profile(), Context: list[0].Context}.In(), price(sum, w.Session.Role()),
			present.Plural(len(list), "table"))
		d.offer(widget.RoleWarn, text, func() tea.Cmd { return f.accept(list) })
	}
}

func (d *hits) offerText(r find.Result, o find.Offer) string {
	what, cost := "Search for IDs that start with it", price(o.Estimate, o.Workspace.Session.Role())
	if o.Queries == nil {
		what, cost = "Search for this ID or one that starts with it", "scan "+cost
		i := slices.IndexFunc(r.Missing, func(m find.Missing) bool { return m.Pattern.Table == o.Table && len(m.Pattern.Returns) > 0 })
		if i >= 0 {
			what = present.EntityName(r.Missing[i].Pattern.Returns[0]) + " also needs " + strings.Join(r.Missing[i].Parameters, " and ")
		}
	}
	return present.Join(fmt.Sprintf("%s: %s · %s", what, cost, o.Table.Name), o.Context, " · ")
}

// missed says as what the text was understood, and that there is no such item.
func (d *hits) missed(r find.Result) string {
	here := "here"
	if name := d.h.contextName(); name != "" {
		here = "in " + name
	}
	if meant := r.Meant(); meant != "" {
		return meant + "; no such item " + here + "."
	}
	return "No item found. Check that the ID or key is complete."
}

// mostContexts is how many other contexts are offered.
const mostContexts = 4

// otherContexts offers to search where nothing was asked, in the same way as the console changes to another context.
func (d *hits) otherContexts(f *searcher) {
	s, ok := d.h.opener.(connection.Switcher)
	if !ok || len(f.result.Hits)+len(f.result.Failures) > 0 || len(f.result.Understood) == 0 {
		return
	}
	all, current := s.Contexts()
	for _, c := range all {
		asked := c.Name == current || f.finder.Asks(c.Name)
		if c.Name == "" || c.Kind != "" || asked || len(d.rows) > 4*mostContexts {
			continue
		}
		text := f.text
		d.offer(widget.RoleAccent, "Search in "+c.Name+"?", func() tea.Cmd { return screen.Send(screen.UseMsg{Name: c.Name, Find: text}) })
	}
}

func (d *hits) missing(f *searcher) {
	r := f.result
	for i, m := range r.Missing {
		if i == mostMissing {
			d.remark(widget.RoleFaint, fmt.Sprintf("and %d more patterns", len(r.Missing)-i))
			return
		}
		text := fmt.Sprintf("%s: %s also needs %s", m.Profile.Name, m.Pattern.Title, strings.Join(m.Parameters, " and "))
		if p := lookup.SourceOf(m.Profile.Patterns, m.Missing); p != nil {
			text += "; find it with " + p.Title
		}
		if m.Context != "" {
			continue // Its form is in another context.
		}
		value := f.text
		d.offer(widget.RoleText, text, func() tea.Cmd {
			return d.h.Enter(m.Profile, func(env *screen.Env) screen.Target {
				return screen.Patterns{Pattern: env.Session.Profile().Pattern(m.Pattern.ID), Args: map[string]string{m.Param: value}}
			})
		})
	}
}

// price says how many items are read, what that costs and how long it takes. Role support hears of no read units.
func price(e reading.Estimate, role session.Role) string {
	text := "about " + present.Plural(int(e.Items), "item")
	if role != session.Support {
		text += fmt.Sprintf(", %g RCU", e.ReadUnits)
	}
	if d := e.Duration(); d > 0 {
		text += ", " + present.Short(d.Round(time.Second))
	}
	return text
}
