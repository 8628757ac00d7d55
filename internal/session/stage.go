package session

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A Stage reports whether a session works on production.
type Stage string

// The stages.
const (
	NotProduction Stage = "not production"
	Production    Stage = "production"
	// Unclassified is a database that nothing classifies, and that may be one of AWS. It is treated as production.
	Unclassified Stage = "unclassified"
)

// A Declaration is what a context declares about production. The zero value declares nothing,
// and names decide.
type Declaration struct {
	Production *bool    // nil for nothing
	Accounts   []string // numbers of the AWS accounts that are production, none for nothing
	// Redirected means that flags, or a variable of the environment, name another database than the context. The context
	// then cannot declare that the database is not production.
	Redirected bool
}

// Stage decides whether the database is production. What the context declares comes first, then the names: the context,
// its environment, the AWS profile, the account, the values of variables and the names of tables; see
// profiles.Profile.IsProduction. Without any of them, a database of this machine is not production, and neither is one
// whose context names an environment or production accounts; any other one is unclassified. It
// is computed from names alone and sends nothing, so it can be asked before there is a
// connection.
func (o Options) Stage() Stage {
	d, t := o.Declared, o.Target
	trusted := !d.Redirected
	switch {
	case d.Production != nil && *d.Production:
		return Production
	case d.Production != nil && trusted:
		return NotProduction
	case slices.Contains(d.Accounts, t.Account), o.Profile.IsProduction(o.Context, o.Environment, t.Profile, t.Account):
		return Production
	case t == (store.Target{}), t.Own(): // without a connection there is nothing to protect
		return NotProduction
	case t.Account == "" && len(o.ProductionAccounts()) > 0:
		return Unclassified
	case trusted && (o.Environment != "" || len(d.Accounts) > 0):
		return NotProduction
	}
	return Unclassified
}

// ProductionAccounts returns the numbers of the accounts that the context and the profile declare as production. If there
// are any, Stage needs the account of the target.
func (o Options) ProductionAccounts() []string {
	return slices.Concat(o.Declared.Accounts, o.Profile.ProductionAccounts())
}

// Production reports whether the rules of production apply: the stage is Production or Unclassified.
func (o Options) Production() bool { return o.Stage() != NotProduction }

// Stage returns whether the session works on production.
func (s *settings) Stage() Stage { return s.o.Stage() }

// Production reports whether the rules of production apply to the session; see Options.
func (s *settings) Production() bool { return s.o.Production() }
