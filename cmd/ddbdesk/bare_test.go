package main

import (
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/config"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// The console can change its context. What a table without a schema shows on one connection is not shown on production.
func TestBareTableIsNotTakenToProduction(t *testing.T) {
	t.Setenv("DDBDESK_STATE_DIR", t.TempDir())
	conn, declared := withTables(t, openStore(t, t.TempDir()), "authbridge")
	yes := true
	calm, live := appWith(globalFlags{}), appWith(globalFlags{Context: config.Context{Production: &yes}})
	p, err := calm.bareOf(t.Context(), conn, declared.Tables[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := calm.checkBare(p, conn); err != nil {
		t.Errorf("where it was opened: %v", err)
	}
	if err := live.checkBare(p, conn); !errors.As(err, new(*session.Refusal)) {
		t.Errorf("on production: %v", err)
	}
	if p, err = live.bareOf(t.Context(), conn, p.Name); err != nil || live.checkBare(p, conn) != nil {
		t.Errorf("opened on production: %v", err)
	}
	if err := live.checkBare(declared, conn); err != nil {
		t.Errorf("a declared schema: %v", err)
	}
}
