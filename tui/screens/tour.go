// This file tells the tour how far somebody has come on a screen.

package screens

import "github.com/ddbdesk/ddbdesk/accesspatterns"

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

// StageOf tells how far somebody has come on a screen.
func StageOf(s Screen) Stage {
	switch s := s.(type) {
	case *Home:
		return Stage{Place: "home"}
	case *Workbench:
		st := Stage{Place: "workbench", Covered: s.box != nil}
		if s.job != nil {
			st.Rows = s.job.rows.Len()
		}
		return st
	case *itemScreen:
		_, choosing := s.box.(*actionMenu)
		_, planning := s.box.(*change)
		return Stage{Place: "item", Keys: s.tabs.Active == tabKeys, Choosing: choosing, Planning: planning, Covered: s.box != nil}
	case *decodeScreen:
		return Stage{Place: "decode", Decoded: s.read != ""}
	case *journalScreen:
		return Stage{Place: "journal", Covered: s.box != nil}
	}
	return Stage{}
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
