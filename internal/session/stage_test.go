package session_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestStageRecognizesProduction(t *testing.T) {
	yes, no := true, false
	account := profiles.Guardrails{Production: []string{"111122223333"}}
	aws := store.Target{Region: "eu-west-1", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"}
	targetWith := func(change func(*store.Target)) store.Target {
		other := aws
		change(&other)
		return other
	}
	inAccount := targetWith(func(t *store.Target) { t.Account = "111122223333" })
	other := targetWith(func(t *store.Target) { t.Account = "444455556666" })
	tunnel := store.Target{Region: "eu-west-1", Endpoint: "http://127.0.0.1:8000", Loopback: true, Custom: true}
	local := tunnel
	local.Server = "DynamoDB Local"
	for _, c := range []struct {
		name string
		o    session.Options
		p    profiles.Guardrails
		want session.Stage
	}{
		{"no declaration", session.Options{Target: aws}, profiles.Guardrails{}, session.Unclassified},
		{"tunnel", session.Options{Target: tunnel}, profiles.Guardrails{}, session.Unclassified},
		{"local server", session.Options{Target: local}, profiles.Guardrails{}, session.NotProduction},
		{"embedded", session.Options{Target: store.Target{Embedded: true}}, profiles.Guardrails{}, session.NotProduction},
		{"no connection", session.Options{}, profiles.Guardrails{}, session.NotProduction},
		{"environment", session.Options{Target: aws, Environment: "staging"}, profiles.Guardrails{}, session.NotProduction},
		{"name of the context", session.Options{Target: aws, Context: "staging"}, profiles.Guardrails{}, session.Unclassified},
		{
			"embedded in production",
			session.Options{Target: store.Target{Embedded: true}, Context: "prod", Environment: "prod"},
			profiles.Guardrails{},
			session.Production,
		},
		{
			"AWS profile",
			session.Options{Target: targetWith(func(t *store.Target) { t.Profile = "acme-prod" }), Environment: "eu"},
			profiles.Guardrails{},
			session.Production,
		},
		{"declared", session.Options{Target: aws, Declared: session.Declaration{Production: &yes}}, profiles.Guardrails{}, session.Production},
		{
			"declared against the names",
			session.Options{Target: aws, Context: "live-demo", Declared: session.Declaration{Production: &no}},
			profiles.Guardrails{},
			session.NotProduction,
		},
		{
			"declared for another database",
			session.Options{Target: aws, Environment: "dev", Declared: session.Declaration{Production: &no, Redirected: true}},
			profiles.Guardrails{},
			session.Unclassified,
		},
		{"account of the profile", session.Options{Target: inAccount, Environment: "eu"}, account, session.Production},
		{"another account", session.Options{Target: other, Environment: "eu"}, account, session.NotProduction},
		{"unknown account", session.Options{Target: aws, Environment: "eu"}, account, session.Unclassified},
		{
			"account of the context",
			session.Options{Target: inAccount, Declared: session.Declaration{Accounts: account.Production}},
			profiles.Guardrails{},
			session.Production,
		},
		{
			"not the account of the context",
			session.Options{Target: other, Declared: session.Declaration{Accounts: account.Production}},
			profiles.Guardrails{},
			session.NotProduction,
		},
	} {
		c.o.Profile = &profiles.Profile{Guardrails: c.p}
		if got := c.o.Stage(); got != c.want || c.o.Production() != (c.want != session.NotProduction) {
			t.Errorf("%s: Stage() = %s, Production() = %v, want %s", c.name, got, c.o.Production(), c.want)
		}
	}
}

// The name of a table makes it production, except that of a table without a schema on this machine.
func TestTableNamesWithoutSchemaAreNotProductionOnThisMachine(t *testing.T) {
	declared := &profiles.Profile{Tables: []*models.Table{{Name: "shop-prod-main"}}}
	p := &profiles.Profile{Tables: declared.Tables, Entities: []*models.Entity{{ByName: func(string) models.Sensitivity { return models.NotSensitive }}}}
	tunnel := store.Target{Region: "eu-west-1", Endpoint: "http://127.0.0.1:8000", Loopback: true, Custom: true}
	local := tunnel
	local.Server = "DynamoDB Local"
	for _, c := range []struct {
		target store.Target
		want   session.Stage
	}{
		{store.Target{Region: "eu-west-1"}, session.Production},
		{tunnel, session.Production},
		{local, session.NotProduction},
		{store.Target{Embedded: true}, session.NotProduction},
	} {
		if got := (session.Options{Profile: p, Target: c.target}).Stage(); got != c.want {
			t.Errorf("%v: Stage() = %s, want %s", c.target, got, c.want)
		}
		if got := (session.Options{Profile: declared, Target: c.target}).Stage(); got != session.Production {
			t.Errorf("%v with a schema: Stage() = %s, want production", c.target, got)
		}
		if got := (session.Options{Profile: p, Target: c.target, Environment: "prod"}).Stage(); got != session.Production {
			t.Errorf("%v in prod: Stage() = %s, want production", c.target, got)
		}
	}
}
