package lists

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/tui/listing"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

func linesOf(t *testing.T, p *profiles.Profile) ([]keyRow, *screen.Env, string) {
	t.Helper()
	env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
	rows, err := loadMap(t.Context(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rows.List, env, rows.Status
}

func TestMapLines(t *testing.T) {
	small, err := profiles.Load("small.yaml", []byte(`
name: small
title: Small
tables:
  t:
    name: T
    partition_key: PK
    sort_key: SK
    indexes:
      GSI1: {partition_key: GSI1PK}
      GSI2: {partition_key: GSI2PK}
entities:
  Thing:
    table: t
    keys: {PK: "THING#{id}", SK: "META", GSI1PK: "OWNER#{owner}"}
    attributes:
      id: {type: S, required: true}
      owner: {type: S, required: true}
patterns:
  by-owner:
    title: Things of an owner
    operation: query
    table: t
    index: GSI1
    key: {GSI1PK: "OWNER#{owner}"}
    returns: [Thing]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		p      *profiles.Profile
		status string
		want   []string
	}{
		{small, "1 table · 1 entity · 1 pattern · ⚠ 1 of 2 indexes without a pattern", []string{
			"T|PK|SK|⚠ no pattern: GSI2",
			"T Thing|THING#{id}|META|",
			"T Thing GSI1|OWNER#{owner}||Things of an owner",
		}},
		{schemas.Open(t, "authbridge"), "1 table · 5 entities · 14 patterns", []string{
			"AuthBridgeTable|PK|SK|",
			"AuthBridgeTable Verification|CASE#{verificationId}|META|Verification by ID",
			"AuthBridgeTable Verification get-case-file|CASE#{verificationId}|META|Case with its documents",
			"AuthBridgeTable Verification GSI1|CLIENT#{clientId}|{status}#{createdAt}|⚠ Verifications by client + status A01",
			"AuthBridgeTable Verification GSI1 list-client-verifications|CLIENT#{clientId}|{status}#{createdAt}|All verifications of a client",
			"AuthBridgeTable Verification GSI2|DATE#{createdAt:date}|{createdAt}#{verificationId}|Verifications by date",
			"AuthBridgeTable Document|CASE#{verificationId}|DOC#{documentId}|Documents of a verification",
			"AuthBridgeTable Document get-document|CASE#{verificationId}|DOC#{documentId}|One document",
			"AuthBridgeTable Document get-case-file|CASE#{verificationId}|DOC#{documentId}|Case with its documents",
			"AuthBridgeTable Session|SESSION#{sessionId}|META|⚠ Session by ID A24",
			"AuthBridgeTable APIKey|APIKEY#{keyId}|META|⚠ API key by ID A24",
			"AuthBridgeTable AuditLog|AUDIT#{timestamp:date}|{timestamp}#{eventId}|⚠ Audit entries of a day A07",
			"AuthBridgeTable AuditLog GSI3|USER#{userId}|{timestamp}#{eventId}|⚠ Audit entries of a user A07",
		}},
	} {
		list, env, status := linesOf(t, test.p)
		if status != test.status {
			t.Errorf("Status() = %q, want %q", status, test.status)
		}
		var got []string
		for _, w := range list {
			got = append(got, strings.Join([]string{w.id(), w.templates(false), w.templates(true), readersCell(env, w).Text}, "|"))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got lines\n%s", test.p.Name, strings.Join(got, "\n"))
		}
	}
}

// The map shows every read pattern on the line of its key, and opens there for the pattern.
func TestMapHasEveryPattern(t *testing.T) {
	for _, name := range profiles.Names() {
		list, env, _ := linesOf(t, schemas.Open(t, name))
		p := env.Session.Profile()
		for _, q := range p.Patterns {
			id := keyRowID(screen.Map{Pattern: q})
			i := slices.IndexFunc(list, func(w keyRow) bool { return w.id() == id })
			if i < 0 || q.IsRead() && !slices.Contains(list[i].patterns, q) {
				t.Errorf("%s: %s is missing on line %q", name, q.ID, id)
			}
		}
		for _, e := range p.Entities {
			if id := keyRowID(screen.Map{Entity: e}); !slices.ContainsFunc(list, func(w keyRow) bool { return w.id() == id }) {
				t.Errorf("%s: %s has no line %q", name, e.Name, id)
			}
		}
		for _, table := range p.Tables {
			if id := keyRowID(screen.Map{Table: table}); !slices.ContainsFunc(list, func(w keyRow) bool { return w.id() == id }) {
				t.Errorf("%s: %s has no line %q", name, table.Name, id)
			}
		}
	}
}

// Role support sees the links between entities, without keys.
func TestMapForSupport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := schemas.Open(t, "authbridge")
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Support)
		s := &screentest.Stage{Screen: Map.Open(env, screen.Map{Pattern: p.Pattern("list-client-verifications")})}
		tt := tuitest.New(t, s, tuitest.Size{W: 160, H: 60})
		tt.WaitFor("▌ Verification case  Uploaded document")
		for _, key := range []string{"GSI1", "CASE#", "verificationId", "pending_review"} {
			if tt.Has(key) {
				t.Errorf("role support sees %s:\n%s", key, tt.Screen())
			}
		}
		if got := s.Screen.Status(); !strings.HasPrefix(got, "5 entities · ") {
			t.Errorf("the status counts rows in place of entities: %s", got)
		}
	})
}

func TestMapScreenFindsEntitiesAndOpensPatterns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := schemas.Open(t, "authbridge")
		env := screentest.NewItemEnv(t, p, &screentest.Memory{}, session.Developer)
		s := &screentest.Stage{Screen: Map.Open(env, screen.Map{Entity: p.Entity("Document")})}
		tt := tuitest.New(t, s, tuitest.Size{W: 80, H: 24})
		tt.WaitFor("▌ Document")
		tt.Press("y")
		if text := screentest.Last[screen.CopyMsg](t, s).Text; text != "PK = CASE#{verificationId}\nSK = DOC#{documentId}" {
			t.Errorf("got copied text %q", text)
		}
		tt.Press("/")
		tt.Type("verification gsi1")
		tt.Press("enter")
		tt.Press("down", "enter")
		if to := screentest.TargetOf[screen.Patterns](t, s); to.Pattern.Title != "All verifications of a client" {
			t.Errorf("enter opened %q", to.Pattern.Title)
		}
		tt.Press("tab", "down", "down", "down", "down")
		tt.WaitFor("changed by") // A write must write the index key too.
		tt.WaitFor("Change the status of a verification")
		tt.Press("G") // The issues of the entity are at the end.
		tt.WaitFor("The reviewer and the reason of a decision")
		tt.Press("esc", "esc")
		tt.ClickText("APIKEY#{keyId}")
		tt.WaitFor("▌ APIKey")
	})
}

// The map marks entities that share their keys, and indexes that no pattern uses.
func TestMapMarksSharedKeysAndUnusedIndexes(t *testing.T) {
	list, env, _ := linesOf(t, schemas.Open(t, "form-bridge"))
	i := slices.IndexFunc(list, func(w keyRow) bool { return w.entity != nil && w.entity.Name == "RateLimitSite" })
	if !slices.ContainsFunc(keyFacts(env, list[i]), func(f listing.Fact) bool { return f.Label == "≈" }) {
		t.Error("RateLimitSite is not marked as a shared key")
	}
	if !slices.ContainsFunc(keyFacts(env, list[0]), func(f listing.Fact) bool {
		return f.Label == "GSI2" && strings.Contains(f.Text, "no pattern reads it")
	}) {
		t.Error("the table's details do not list GSI2 as unused")
	}
}
