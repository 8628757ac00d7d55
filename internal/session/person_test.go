package session_test

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// On one machine, the account ID identifies a user, because the account name may come from the environment.
func TestAccountsWithSameIDAreOnePerson(t *testing.T) {
	for _, tt := range []struct {
		a, b       string
		oneMachine bool
		want       bool
	}{
		{"4242 (ana)", "4242 (bob)", true, true},
		{"4242 (ana)", "4243 (ana)", true, false},
		{"4242 (ana)", "4242 (bob)", false, false},
		{"4242 (ana)", "4242 (Ana)", false, true},
		{"", "", true, false},
		{"S-1-5-21 (ana)", "s-1-5-21 (ANA)", true, true},
	} {
		a, b := session.Person{User: tt.a}, session.Person{User: tt.b}
		if a.SameAs(b, tt.oneMachine) != tt.want || b.SameAs(a, tt.oneMachine) != tt.want {
			t.Errorf("SameAs of %q and %q, one machine %t: want %t", tt.a, tt.b, tt.oneMachine, tt.want)
		}
	}
}
