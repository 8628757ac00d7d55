package session_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A command that ddbdesk suggests opens the same database with the same role.
func TestCommandRepeatsConnection(t *testing.T) {
	t.Setenv(appdir.StateEnv, t.TempDir())
	shop := &profiles.Profile{Name: "shop", File: "my shop.yaml", Variables: []profiles.Variable{
		{Name: "stage", Value: "test", Default: "dev"}, {Name: "team", Value: "a", Default: "a"},
	}}
	builtIn := &profiles.Profile{Name: "tazco", File: "builtin:tazco.yaml"}
	for want, o := range map[string]session.Options{
		"ddbdesk journal resolve tazco --region eu-west-1": {
			Profile: builtIn, Role: session.Support, Target: store.Target{Region: "eu-west-1", Endpoint: "https://dynamodb.eu-west-1.amazonaws.com"},
		},
		"ddbdesk journal resolve tazco --profile ops --region eu-west-1 --role admin": {
			Profile: builtIn, Role: session.Admin, Target: store.Target{Region: "eu-west-1", Profile: "ops"},
		},
		"ddbdesk journal resolve tazco --region x --endpoint-url http://127.0.0.1:8000": {
			Profile: builtIn, Role: session.Support, Target: store.Target{Region: "x", Custom: true, Endpoint: "http://127.0.0.1:8000"},
		},
		"ddbdesk journal resolve tazco --embedded": {
			Profile: builtIn, Role: session.Support, Target: store.Target{Embedded: true, Endpoint: appdir.EmbeddedStore()},
		},
		"ddbdesk journal resolve tazco '--embedded=/my data' --role developer": {
			Profile: builtIn, Role: session.Developer, Target: store.Target{Embedded: true, Endpoint: "/my data"},
		},
		"ddbdesk journal resolve tazco --embedded=/db --role admin --ticket 'OPS 7'": {
			Profile: builtIn, Role: session.Admin, Target: store.Target{Embedded: true, Endpoint: "/db"}, Purpose: session.Purpose{Ticket: "OPS 7"},
		},
		"ddbdesk journal resolve 'my shop.yaml' --context staging --var stage=test": {
			Profile: shop, Role: session.Support, Context: "staging", Target: store.Target{Region: "eu-west-1", Profile: "ops"},
		},
		"ddbdesk journal resolve tazco --context staging --embedded=/db": {
			Profile: builtIn, Role: session.Support, Context: "staging", Declared: session.Declaration{Redirected: true},
			Target: store.Target{Embedded: true, Endpoint: "/db"},
		},
	} {
		if got := session.NewViewer(o).SchemaCommand("journal", "resolve"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// A suggested command replaces earlier values of its flag and omits sensitive arguments.
func TestCommandIncludesTypedKeys(t *testing.T) {
	shop := &profiles.Profile{
		Name: "shop", File: "builtin:shop.yaml", Actions: []*change.Action{{
			Inputs: []*accesspatterns.Param{{Name: "email", Sensitive: models.PII}, {Name: "id"}},
		}},
	}
	typed := strings.Fields
	for _, tt := range []struct {
		typed             []string
		flag, value, want string
	}{
		{nil, "--role", "admin", "ddbdesk shop --context staging --role admin"},
		{typed("demo"), "--role", "admin", "ddbdesk demo --role admin"},
		{typed("change shop pay id=1 --role support --yes"), "--role", "admin", "ddbdesk change shop pay id=1 --yes --role admin"},
		{typed("change shop pay --role=support id=1"), "--role", "admin", "ddbdesk change shop pay id=1 --role admin"},
		{typed("change shop pay id=1 email=ana@example.com"), "--role", "admin", "ddbdesk change shop pay id=1 'email=<email>' --role admin"},
		{typed("run shop all --next t1 -o csv"), "--next", "t2", "ddbdesk run shop all -o csv --next t2"},
		{typed("run shop all cursor=t1 -o csv"), "cursor", "t2", "ddbdesk run shop all -o csv cursor=t2"},
		{typed("run shop all --allow-scan"), "--allow-scan", "", "ddbdesk run shop all --allow-scan"},
		{typed("run shop all -- id=-1"), "--next", "t2", "ddbdesk run shop all --next t2 -- id=-1"},
		{typed("requests apply shop q --var a=1 --var=b=2"), "--var", "a=3", "ddbdesk requests apply shop q --var=b=2 --var a=3"},
	} {
		o := session.Options{Profile: shop, Role: session.Developer, Context: "staging", CommandLine: tt.typed}
		if got := o.Again(tt.flag, tt.value); got != tt.want {
			t.Errorf("%v with %s %s:\ngot  %s\nwant %s", tt.typed, tt.flag, tt.value, got, tt.want)
		}
	}
}

// The store's advice contains SCHEMA as a placeholder. The session replaces it and adds the flags of the connection.
func TestStoreAdviceNamesSchemaAndConnection(t *testing.T) {
	p := &profiles.Profile{Name: "shop", File: "my shop.yaml"}
	o := session.Options{Profile: p, Role: session.Admin, Target: store.Target{Embedded: true, Endpoint: "/db"}}
	err := session.NameSchema(o, &store.Error{Class: store.TableMissing, Problem: "no table", Advice: "create it with ddbdesk table create SCHEMA"})
	if want := "no table; create it with ddbdesk table create 'my shop.yaml' --embedded=/db --role admin"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
