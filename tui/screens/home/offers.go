package home

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/connection"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (f *searcher) offerNearMatches(list []find.NearMatch, text string) {
	for _, n := range list {
		f.addOffer(widget.RoleText,
			fmt.Sprintf("Decode as %s %s: %s (%s)", present.EntityName(n.Entity), n.Attribute, n.Mismatch.Template,
				n.Profile.Name), "decode it",
			func() tea.Cmd {
				return f.h.Enter(n.Profile, func(*screen.Env) screen.Target { return screen.Decode{Text: text} })
			})
		f.addRemark(widget.RoleMuted, "  "+n.Explanation())
	}
}

// offerQueries lists, below the items of each kind that Find lists only in part, the query for all of them.
func (f *searcher) offerQueries() {
	offered := map[hitKind]bool{}
	for i, row := range slices.Backward(f.rows) {
		h := row.hit
		if h == nil || h.Identified || !h.More || offered[kindOf(*h)] {
			continue
		}
		more := hitRow{role: widget.RoleMuted, text: f.result.Part(*h)}
		if q, value := h.Query(); q != nil {
			more.role, more.verb, more.run = widget.RoleAccent, "list all", func() tea.Cmd {
				f.h.selectProfile(h.Workspace.Session.Profile())
				return f.h.openItem(h.Workspace, screen.Patterns{Pattern: q.Pattern, Args: q.Args, Run: true})
			}
			more.text += " · list all: " + q.Pattern.Title + " · " + models.PrintableCell(value, 60)
		}
		offered[kindOf(*h)] = true
		f.rows = slices.Insert(f.rows, i+1, more)
	}
}

// maxMissing is the maximum number of patterns with missing parameters to list.
const maxMissing = 6

// maxListedOffers is the maximum number of offers to list one per row.
const maxListedOffers = 2

// addOffers lists the searches that need consent. Several searches of one kind share a row, which enter expands.
func (f *searcher) addOffers() {
	all := find.Result{Offers: slices.Concat(f.result.Offers, f.pendingOffers)}
	for _, list := range all.OffersByKind() {
		kind, text, isShort := list[0].Kind, f.offerText(f.result, list), len(list) <= maxListedOffers
		if _, isPriced := find.Total(list); !isPriced || !isShort && !f.listedKinds[kind] {
			verb := "search"
			if slices.ContainsFunc(list, inProduction) {
				verb = "list them"
			}
			isOther := func(o find.Offer) bool { return o.Kind != kind }
			if priced := slices.DeleteFunc(slices.Clone(f.prices), isOther); len(priced) == len(list) {
				text = f.offerText(f.result, priced)
			}
			f.addOffer(widget.RoleWarn, text, verb, func() tea.Cmd { return f.startOrList(list) })
			continue
		}
		indent := ""
		if !isShort {
			f.addOffer(widget.RoleWarn, text, costText(list), func() tea.Cmd { return f.accept(list) })
			indent = "  "
		}
		for _, o := range list {
			single := []find.Offer{o}
			f.addOffer(widget.RoleWarn, indent+f.offerText(f.result, single), costText(single), func() tea.Cmd { return f.accept(single) })
		}
	}
}

func (f *searcher) startOrList(list []find.Offer) tea.Cmd {
	return f.requestPrices(list, func(priced []find.Offer) tea.Cmd { return f.setPrices(list[0].Kind, priced) })
}

func (f *searcher) requestPrices(list []find.Offer, then func(priced []find.Offer) tea.Cmd) tea.Cmd {
	s, finder := f.search, f.finder
	return func() tea.Msg {
		pricedOffers := finder.Price(f.h.ctx, list)
		return screen.Answer(func() tea.Cmd {
			if s == f.search {
				return then(pricedOffers)
			}
			return nil
		})
	}
}

// runOnlyOffer starts the only possible search for an early enter, if the search is cheap and outside of production.
func (f *searcher) runOnlyOffer() tea.Cmd {
	kinds, actions := f.result.OffersByKind(), slices.DeleteFunc(slices.Clone(f.rows), func(r hitRow) bool { return !r.isAction() })
	if len(kinds) != 1 || len(actions) != 1 || slices.ContainsFunc(kinds[0], inProduction) {
		return nil
	}
	return f.startOrList(kinds[0])
}

// cheapUnits is the price in RCU below which enter starts all searches of a kind without listing them first.
const cheapUnits = 100

func inProduction(o find.Offer) bool { return o.Workspace.Session.Production() }

// setPrices starts the searches if they are cheap and outside of production. Otherwise it lists them.
func (f *searcher) setPrices(kind find.OfferKind, list []find.Offer) tea.Cmd {
	sum, isKnown := find.Total(list)
	if isKnown && len(list) > 0 && sum.ReadUnits < cheapUnits && !slices.ContainsFunc(list, inProduction) {
		return f.accept(list)
	}
	isSameKind := func(o find.Offer) bool { return o.Kind == kind }
	f.pendingOffers = slices.DeleteFunc(f.pendingOffers, isSameKind)
	f.result.Offers = append(slices.DeleteFunc(f.result.Offers, isSameKind), list...)
	f.listedKinds[kind] = true
	f.refresh()
	return nil
}

func (f *searcher) offerText(r find.Result, list []find.Offer) string {
	first := list[0]
	text, place := "Search for this ID or one that starts with it", first.Table.Name
	if i := slices.IndexFunc(r.Understood, func(m find.Meaning) bool { return m.Address != "" }); i >= 0 {
		text = "Search for this value"
		if f.h.plain() {
			text = "Search " + find.Schemas(list) + " for this " + r.Understood[i].Address + ", in any spelling"
		}
	}
	switch first.Kind {
	case find.PrefixOffer:
		text = "Search for IDs that start with this text"
	case find.SimilarOffer:
		text = "Search for a similar ID"
	case find.SchemalessOffer:
		text = "Search tables without a schema"
		if len(list) == 1 {
			text, place = "Search "+place+" for it", ""
		}
	case find.RemainingOffer:
		text = "Continue the search beyond its limit"
		if !f.h.plain() {
			text = "Send " + present.Plural(find.Count(list), "more read") + " beyond the limit of a search"
		}
	case find.UnsureOffer:
		text = "Search indexed attributes"
		if f.h.plain() {
			names := find.Schemas(list)
			if n := strings.Count(names, ", ") + 1; n > 2 {
				names = strconv.Itoa(n) + " schemas"
			}
			text = "Search " + names + " for items with exactly this ID or value"
		}
	case find.WordOffer:
		text = "Search all items"
	case find.ScanOffer:
		i := slices.IndexFunc(r.Missing, func(m find.Missing) bool { return m.Pattern.Table == first.Table && len(m.Pattern.Returns) > 0 })
		if i >= 0 && len(list) == 1 {
			text = present.EntityName(r.Missing[i].Pattern.Returns[0]) + " also needs " + f.missingLabels(r.Missing[i])
		}
	}
	if _, isKnown := find.Total(list); isKnown {
		cost := strings.TrimPrefix(costText(list), "read ")
		if f.h.plain() {
			cost, place = strings.TrimPrefix(cost, "scan "), ""
		}
		text += ": " + cost
	}
	if len(list) > 1 {
		return present.Join(text, map[bool]string{false: present.Plural(len(list), "table")}[f.h.plain()], " · ")
	}
	return present.Join(present.Join(text, place, " · "), first.Context, " · ")
}

func costText(list []find.Offer) string {
	sum, _ := find.Total(list)
	verb := "scan "
	if list[0].Queries != nil {
		verb = "read "
	}
	return verb + priceText(sum, list[0].Workspace.Session.Role())
}

// noMatchText describes how home interpreted the text, and that no item here matches.
func (f *searcher) noMatchText(r find.Result) string {
	text, isUnfinished := models.Truncate(models.Printable(f.text), 48), f.isUnfinished()
	if scanText := f.scanText(r); scanText != "" && !isUnfinished {
		return scanText
	}
	if len(r.Masked) > 0 && !isUnfinished {
		if !slices.ContainsFunc(r.Absent, func(p find.Place) bool { return p.Profile.IsSchemaless() }) {
			return "No item found so far for " + text + "."
		}
		return "No visible value contains " + text + "."
	}
	place := "here"
	if name := f.h.contextName(); name != "" {
		place = "in " + name
	}
	if meaning := r.OnlyMeaning(); meaning != "" && isUnfinished {
		return "No item " + place + " with this " + meaning + " found so far."
	} else if meaning != "" {
		return "No item " + place + " has this " + meaning + "."
	}
	if r.LacksCountryCode {
		return "No item found. It looks like " + find.NationalNumber + "."
	}
	if isUnfinished {
		return "No item found so far for " + text + "."
	}
	return "No item has the ID, key or email " + text + "."
}

func (f *searcher) maskedText(r find.Result) string {
	masked, next := r.Masked, "To search them, list a table, press o R to reveal personal data, then / to filter."
	if f.h.plain() {
		next = "Ask for an ID or the whole email address."
		if titles := f.maskedTitles(); len(titles) > 0 {
			masked = titles
		}
	}
	if len(masked) == 0 {
		return ""
	}
	return "Not searched, because masked: " + models.PrintableCell(strings.Join(models.Limited(masked, 4), ", "), 200) + ". " + next
}

func (f *searcher) maskedTitles() (titles []string) {
	for _, o := range slices.Concat(f.result.Offers, f.pendingOffers, f.accepted) {
		s, isForWords := o.Workspace.Session, o.Kind == find.WordOffer && lookup.MayBeTitle(f.text)
		for _, e := range s.Profile().Entities {
			for _, a := range e.Attributes {
				if isForWords && e.Table == o.Table && a.Title != "" && s.Masker().Hides(a.Sensitive) {
					titles = models.AppendOnce(titles, a.Title)
				}
			}
		}
	}
	slices.Sort(titles)
	return titles
}

// scanText describes the accepted scans, or returns "" if there are none or they did not end.
func (f *searcher) scanText(r find.Result) string {
	sum, priced := find.Total(f.accepted)
	if len(f.accepted) == 0 || !priced || r.Incomplete || f.accepted[0].Queries != nil {
		return ""
	}
	place := ""
	if len(f.accepted) == 1 && !f.h.plain() {
		place = " of " + f.accepted[0].Table.Name
	}
	text, subject := models.Truncate(models.Printable(f.text), 48), "no ID starts with "
	switch kind := f.accepted[0].Kind; {
	case r.HasOtherText:
		text, subject = "", "no item has this ID"
	case kind == find.SimilarOffer:
		subject = "no item has the ID "
	case len(r.Masked) > 0:
		subject = "no visible value contains "
	case kind == find.SchemalessOffer || kind == find.WordOffer:
		subject = "no item contains "
	}
	return fmt.Sprintf("Searched about %s%s: %s%s.", present.Plural(int(sum.Items), "item"), place, subject, text)
}

// maxContexts is the maximum number of other contexts to offer.
const maxContexts = 4

// addOtherContexts offers to search in the other contexts. Accepting an offer switches the console to that context.
func (f *searcher) addOtherContexts() {
	s, ok := f.h.opener.(connection.Switcher)
	if !ok || len(f.result.Hits)+len(f.result.Failures) > 0 || len(f.result.Understood) == 0 {
		return
	}
	all, current := s.Contexts()
	for _, c := range all {
		byUser := c.Name == current || f.finder.Searches(c.Name)
		if c.Name == "" || c.Kind != "" || byUser || len(f.rows) > 4*maxContexts {
			continue
		}
		text := f.text
		f.addOffer(widget.RoleAccent, "Search in "+c.Name+"?", "search there",
			func() tea.Cmd { return screen.Send(screen.SwitchContextMsg{Name: c.Name, Find: text}) })
	}
}

func (f *searcher) addMissing() {
	r := f.result
	for i, m := range r.Missing {
		if i == maxMissing {
			f.addRemark(widget.RoleFaint, fmt.Sprintf("and %d more patterns", len(r.Missing)-i))
			return
		}
		text := fmt.Sprintf("%s: %s also needs %s", m.Profile.Name, m.Pattern.Title, f.missingLabels(m))
		if p := lookup.SourceOf(m.Profile.Patterns, m.Missing); p != nil {
			text += "; find it with " + p.Title
		}
		if m.Context != "" {
			continue // The pattern's form belongs to another context.
		}
		value := f.text
		f.addOffer(widget.RoleText, text, "enter them", func() tea.Cmd {
			return f.h.Enter(m.Profile, func(env *screen.Env) screen.Target {
				return screen.Patterns{Pattern: env.Session.Profile().Pattern(m.Pattern.ID), Args: map[string]string{m.Param: value}}
			})
		})
	}
}

func (f *searcher) missingLabels(m find.Missing) string {
	return strings.Join(models.MapSlice(m.Parameters, func(name string) string {
		return present.ParamLabel(f.h.plain(), m.Pattern.Param(name))
	}), " and ")
}

// priceText describes the number of items to read, the cost and the duration. It omits RCU for role support.
func priceText(e reading.Estimate, role session.Role) string {
	text := "about " + present.Plural(int(e.Items), "item")
	if !role.Plain() {
		text += fmt.Sprintf(", %g RCU", e.ReadUnits)
	}
	if d := e.Duration(); d > 0 {
		text += ", " + present.ShortDuration(d.Round(time.Second))
	}
	return text
}
