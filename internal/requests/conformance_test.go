package requests_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestRequestConformance(t *testing.T) { fixture.Servers(t, checkDecisions) }

// newFixtureOn returns a requestsFixture on a server, with table names that no other test uses.
func newFixtureOn(t *testing.T, o store.Options) *requestsFixture {
	t.Helper()
	conn, err := store.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	suffix := fmt.Sprintf("-%d", time.Now().UnixNano())
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range p.Tables {
		table.Name += suffix
	}
	d := &requestsFixture{Fixture: fixture.NewOn(t, p, conn), now: fixture.Now, table: tableName + suffix}
	d.Create(t)
	profile, err := requests.NewProfile(requests.Place{Table: d.table, PartitionKey: "PK", SortKey: "SK"})
	if err == nil {
		_, err = tables.Create(t.Context(), profile, conn)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkDecisions files requests and makes every kind of decision about them.
func checkDecisions(t *testing.T, o store.Options) {
	d := newFixtureOn(t, o)
	t.Run("two concurrent reviewers", func(t *testing.T) { onlyOneApplies(t, d, 5) })
	for name, c := range map[string]struct {
		by      string
		do      func(t *testing.T, d *requestsFixture, q requests.Request) error
		becomes requests.State
	}{
		"approve": {"ben", func(t *testing.T, d *requestsFixture, q requests.Request) error {
			return approve(t, d.user("ben", session.Admin), q)
		}, requests.Approved},
		"reject": {"ben", func(t *testing.T, d *requestsFixture, q requests.Request) error {
			return reject(t, d.user("ben", session.Admin), q)
		}, requests.Rejected},
		"withdraw": {"ana", func(t *testing.T, d *requestsFixture, q requests.Request) error {
			return withdraw(t, d.user("ana", session.Support), q)
		}, requests.Withdrawn},
		"apply": {"ben", func(t *testing.T, d *requestsFixture, q requests.Request) error {
			return apply(t, d.user("ben", session.Admin), q)
		}, requests.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			it := d.PutCase(t, "ver_"+name)
			q := file(t, d.user("ana", session.Support), "ver_"+name)
			if err := c.do(t, d, q); err != nil {
				t.Fatal(err)
			}
			now := read(t, d.user("ana", session.Support), q.ID)
			if now.State != c.becomes || now.DecidedBy != c.by || now.Fault != nil {
				t.Errorf("got state %s by %s, fault %v", now.State, now.DecidedBy, now.Fault)
			}
			want := map[bool]string{true: "approved", false: "in_review"}[c.becomes == requests.Applied]
			if got := d.status(t, it); got != want {
				t.Errorf("status = %s, want %s", got, want)
			}
			if !c.becomes.Ended() {
				return
			}
			var conflict *change.Conflict
			if err := apply(t, d.user("cleo", session.Admin), now); !errors.As(err, &conflict) {
				t.Errorf("applying a closed request: got %v, want a conflict", err)
			}
		})
	}
	list, more, err := d.user("ben", session.Admin).Requests.List(t.Context())
	if err != nil || more || len(list) != 9 {
		t.Errorf("got %d requests, more: %v, %v, want 9", len(list), more, err)
	}
}
