package screens

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// A Stage is what somebody has done on a screen, as far as the tour asks for it.
type Stage struct {
	Place    string // "home", "workbench", "item", "decode", "journal"; "" for another
	Rows     int    // that a pattern found
	Keys     bool   // the keys of the item are in view
	Decoded  bool   // something was decoded
	Choosing bool   // the changes of the item are listed
	Planning bool   // a change is being planned: its dialog is open
	Covered  bool   // something lies over the screen
}

// EasyPattern is the title of a pattern that can be run as it stands, for
// somebody who has no value to search for yet; "" when every one asks for some.
func EasyPattern(env *Env) string {
	for _, p := range env.Session.Profile().Patterns {
		if p.Read.Operation == accesspatterns.Query && p.Defect() == nil && runsAsItStands(p) {
			return p.Title
		}
	}
	return ""
}

func runsAsItStands(p *accesspatterns.Pattern) bool {
	for _, q := range p.Params {
		if q.Required && q.Default == "" {
			return false
		}
	}
	return true
}
