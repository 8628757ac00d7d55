package item

import (
	"strconv"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
)

// itemOffers are the changes of the item's entity, with the keys that plan them.
type itemOffers struct {
	s       *itemScreen
	list    []changes.Offer // the entries of the menu
	letters map[*change.Action]string
	digits  map[*change.Action]string // in the menu, of those without a letter
}

func (o *itemOffers) remake() {
	o.list = nil
	if e := o.s.facts.entity; e != nil {
		o.list = append(o.s.env.Planner.Offers(e, o.s.item), o.repair(e)...)
	}
	o.letters = present.ActionKeys(o.s.env.Keys, o.s.env.Session.Profile())
	o.digits = map[*change.Action]string{}
	for _, of := range o.list { // Each keeps its digit in every state.
		if n := len(o.digits) + 1; o.letters[of.Action] == "" && of.Action.Off == "" && n <= 9 {
			o.digits[of.Action] = strconv.Itoa(n)
		}
	}
}

func (o *itemOffers) menuKey() string {
	a, _ := o.s.env.Keys.Rebind("item", o.s.makeActions()).Named("change")
	return a.Keys()
}

func (o *itemOffers) keys(a *change.Action) string {
	if digit := o.digits[a]; digit != "" {
		return o.menuKey() + " " + digit
	}
	return o.letters[a]
}

func (o *itemOffers) repair(e *models.Entity) []changes.Offer {
	a := o.s.env.Session.Profile().RepairOf(e)
	if a == nil || o.s.facts.drifted() == 0 || o.s.env.Session.Profile().Action(a.ID) == a {
		return nil
	}
	of := changes.Offer{Action: a, Args: changes.ActionArgs(a, e, o.s.item)}
	if err := o.s.env.Session.CanChange(a); err != nil {
		of.Why = err.Error()
	}
	return []changes.Offer{of}
}

func (o *itemOffers) repairHint() string {
	for _, of := range o.list {
		if of.Action.Kind == change.Repairs && of.Why == "" {
			return "; press " + o.menuKey() + " to repair"
		}
	}
	return ""
}
