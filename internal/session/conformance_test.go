package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/embedded"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// Conformance of changes: against the embedded store, and against every
// endpoint that DDBDESK_TEST_ENDPOINTS names ("name=url name=url").
func TestConformanceOfChanges(t *testing.T) {
	run := func(t *testing.T, o store.Options) {
		conn, err := store.Connect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Run("one of many approvals wins", func(t *testing.T) { oneApprovalWins(t, ownTables(t, conn, "authbridge")) })
		for _, name := range profiles.Names() {
			t.Run(name, func(t *testing.T) { changesOf(t, ownTables(t, conn, name)) })
		}
	}
	t.Run("embedded", func(t *testing.T) {
		db, err := embedded.Open(embedded.Options{Path: t.TempDir(), NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		run(t, store.Options{Embedded: db})
	})
	for _, endpoint := range strings.Fields(os.Getenv("DDBDESK_TEST_ENDPOINTS")) {
		name, url, ok := strings.Cut(endpoint, "=")
		if !ok {
			t.Fatalf("DDBDESK_TEST_ENDPOINTS: %q is not name=url", endpoint)
		}
		t.Run(name, func(t *testing.T) {
			for _, v := range []string{"AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_SESSION_TOKEN"} {
				t.Setenv(v, "")
			}
			t.Setenv("AWS_CONFIG_FILE", os.DevNull)
			t.Setenv("AWS_SHARED_CREDENTIALS_FILE", os.DevNull)
			run(t, store.Options{EndpointURL: url})
		})
	}
}

// ownTables loads a built-in profile under table names of its own, so that
// tests share a server, and fills them.
func ownTables(t *testing.T, conn *store.Connection, name string) world {
	t.Helper()
	file, text, err := profiles.ReadSource(name)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := profiles.Load(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profiles.Load(file, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	suffix := fmt.Sprintf("-%d", time.Now().UnixNano())
	for i, table := range p.Tables {
		table.Name = plain.Tables[i].Name + suffix
	}
	if _, err := session.CreateTables(t.Context(), p, conn); err != nil {
		t.Fatal(err)
	}
	w := world{profile: p, conn: conn, dir: t.TempDir()}
	w.session = w.as("kagiso")
	return w
}

// as is an admin's session.
func (w world) as(actor string) *session.Session {
	return session.New(session.Options{
		Profile: w.profile, Store: w.conn.Reader(), Writer: w.conn.Writer(), Target: w.conn.Describe(), Role: session.Admin, Actor: actor,
		StateDir: w.dir, JournalPath: filepath.Join(w.dir, "journal.jsonl"), Clock: func() time.Time { return moment },
	})
}

// putCase puts a verification that is in review.
func (w world) putCase(t *testing.T, id string) models.Item {
	t.Helper()
	e := w.profile.Entity("Verification")
	it, err := e.Build(models.Item{
		"verificationId": models.StringValue(id), "clientId": models.StringValue("client_a"), "status": models.StringValue("in_review"),
		"documentType": models.StringValue("passport"), "createdAt": models.StringValue("2026-01-19T10:00:00Z"),
		"updatedAt": models.StringValue("2026-01-19T10:00:00Z"), "expiresAt": models.StringValue("2026-02-18T10:00:00Z"),
		"ttl": number(t, "1771408800"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.conn.Admin().PutItems(t.Context(), e.Table.Name, []models.Item{it}); err != nil {
		t.Fatal(err)
	}
	return it
}

// read returns the item as it is now.
func (w world) read(t *testing.T, it models.Item) models.Item {
	t.Helper()
	table := w.profile.Entity("Verification").Table
	key, _ := table.PrimaryKey(it)
	now, err := w.session.Get(t.Context(), table, key)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// entries returns the audit entries of the case.
func (w world) entries(t *testing.T, id string) []models.Item {
	t.Helper()
	run, err := start(w.session, w.profile.Pattern("list-audit-by-date"), map[string]string{"date": "2026-01-20"}, session.RunOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	page, err := run.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list []models.Item
	for _, it := range page.Items {
		if v, _ := it.Text("verificationId"); v == id {
			list = append(list, it)
		}
	}
	return list
}

// number is a DynamoDB number.
func number(t *testing.T, text string) types.AttributeValue {
	t.Helper()
	v, err := models.ScalarValue(models.TypeN, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Of 32 people who approve the same case, one does, one audit entry exists, and
// everybody else hears that the case was decided.
func oneApprovalWins(t *testing.T, w world) {
	const people = 32
	it := w.putCase(t, "ver_race")
	approve := w.profile.Action("approve")
	errs := make([]error, people)
	var start, end sync.WaitGroup
	start.Add(1)
	for i := range people {
		s := w.as(fmt.Sprintf("reviewer%d", i))
		p, err := s.Plan(t.Context(), approve, map[string]string{"verificationId": "ver_race"}, "")
		if err != nil {
			t.Fatal(err)
		}
		end.Go(func() {
			start.Wait()
			_, errs[i] = s.Commit(t.Context(), p)
		})
	}
	start.Done()
	end.Wait()
	won := 0
	for i, err := range errs {
		var conflict *accesspatterns.Conflict
		switch {
		case err == nil:
			won++
		case !errors.As(err, &conflict):
			t.Errorf("reviewer%d: %v", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d approvals were made", won)
	}
	if status, _ := w.read(t, it).Text("status"); status != "approved" {
		t.Errorf("the case is %s", status)
	}
	if n := len(w.entries(t, "ver_race")); n != 1 {
		t.Errorf("%d audit entries", n)
	}
	list, err := w.session.Changes()
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, c := range list {
		if c.Open() {
			t.Errorf("entry %s of %s has no outcome", c.Intent.ID, c.Intent.Actor)
		}
		if c.Committed() {
			made++
		}
	}
	if made != 1 || len(list) != people {
		t.Errorf("the journal has %d changes, %d of them made", len(list), made)
	}
}
