package screens

import (
	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// EasyPattern is the title of a pattern that can be run as it stands, for
// somebody who has no value to search for yet; "" when every one asks for some.
func EasyPattern(env *screen.Env) string {
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
