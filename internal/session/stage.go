package session

import (
	"slices"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A Stage classifies the database of a session as production or not.
type Stage string

// These are the stages.
const (
	NotProduction Stage = "not production"
	Production    Stage = "production"
	// Unclassified is a database without a classification that may be on AWS. Production rules apply to it.
	Unclassified Stage = "unclassified"
)

// A Declaration is a context's declaration about production. With the zero value, names determine the stage.
type Declaration struct {
	Production *bool    // nil if not declared
	Accounts   []string // AWS account IDs of production; nil if not declared
	// Redirected means that flags or an environment variable select a database other than the context's. The context's
	// declaration that its database is not production then has no effect.
	Redirected bool
}

// Stage classifies the database. The context's declaration takes precedence. Next come the names: the context, its
// environment, the AWS profile, the account, the values of variables, and the table names; see
// profiles.Profile.IsProduction. On this machine, the name of a table without a schema does not count. Otherwise, a
// database on this machine is not production, and neither is one whose context names an environment or production
// accounts. Any other database is unclassified. Stage uses only names and sends no requests, so it works without a
// connection.
func (o Options) Stage() Stage {
	d, t := o.Declared, o.Target
	trusted := !d.Redirected
	switch {
	case d.Production != nil && *d.Production:
		return Production
	case d.Production != nil && trusted:
		return NotProduction
	case slices.Contains(d.Accounts, t.Account), o.Profile.DeclaresProduction(o.Context, o.Environment, t.Profile, t.Account):
		return Production
	case (!t.IsLocal() || !o.Profile.IsSchemaless()) && o.Profile.IsProduction():
		return Production
	case t == (store.Target{}), t.IsLocal(): // without a connection there is nothing to protect
		return NotProduction
	case t.Account == "" && len(o.ProductionAccounts()) > 0:
		return Unclassified
	case trusted && (o.Environment != "" || len(d.Accounts) > 0):
		return NotProduction
	}
	return Unclassified
}

// ProductionAccounts returns the account IDs that the context and the schema declare as production. If there are any,
// Stage needs the account of the target.
func (o Options) ProductionAccounts() []string {
	return slices.Concat(o.Declared.Accounts, o.Profile.ProductionAccounts())
}

// Production reports whether production rules apply, because the stage is Production or Unclassified.
func (o Options) Production() bool { return o.Stage() != NotProduction }

// Stage returns the classification of the session's database.
func (s *settings) Stage() Stage { return s.o.Stage() }

// Production reports whether production rules apply to the session; see Options.
func (s *settings) Production() bool { return s.o.Production() }
