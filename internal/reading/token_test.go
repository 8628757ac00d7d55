package reading_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// endlessReader returns the same item in every page, and always has another page.
type endlessReader struct{ store.Reader }

func (endlessReader) Fetch(context.Context, accesspatterns.Leg, models.Item, int) (accesspatterns.Page, error) {
	it := models.Item{"PK": models.StringValue("A"), "SK": models.StringValue("1"), "GPK": models.StringValue("G")}
	return accesspatterns.Page{Items: []models.Item{it, it}, Count: 2, Scanned: 2, LastKey: it}, nil
}

func (endlessReader) DescribeTable(context.Context, string) (store.TableInfo, error) {
	return store.TableInfo{}, &store.Error{Class: store.AccessDenied}
}

func TestTokenIsRejectedByAnotherRequest(t *testing.T) {
	const profile = `name: shop
variables: {stage: {default: one}}
tables: {t: {name: "shop-{stage}", partition_key: PK, sort_key: SK, indexes: {G: {partition_key: GPK, sort_key: SK, projection: ALL}}}}
patterns: {p: {operation: query, table: t, key: {PK: A}, order: ascending}}
`
	state := t.TempDir()
	open := func(text, endpoint string) *workspace.Workspace {
		p, err := profiles.Load("shop.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return workspace.New(session.Options{
			Profile: p, Store: endlessReader{}, StateDir: state, JournalPath: state + "/journal.jsonl", Target: store.Target{Endpoint: endpoint, Region: "eu-west-1"},
		})
	}
	start := func(w *workspace.Workspace, token string) (*reading.Run, error) {
		return w.Reading.Start(w.Session.Profile().Pattern("p"), nil, reading.RunOptions{Limit: 1, Token: token})
	}
	first, err := start(open(profile, "http://a"), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	token, err := first.Token()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, endpoint string }{
		{"another table", "default: one", "default: two", "http://a"},
		{"another order", "ascending", "descending", "http://a"},
		{"another index", "key: {PK: A}", "index: G, key: {GPK: A}", "http://a"},
		{"another condition", "key: {PK: A}", `key: {PK: A, SK: {begins_with: "1"}}`, "http://a"},
		{"a filter", "key: {PK: A}", "key: {PK: A}, filter: [{attribute: GPK, equals: G}]", "http://a"},
		{"another endpoint", "", "", "http://b"},
	} {
		if _, err := start(open(strings.Replace(profile, c.old, c.new, 1), c.endpoint), token); !errors.Is(err, session.ErrInput) {
			t.Errorf("%s: got %v, want an error about the token", c.name, err)
		}
	}
	second, err := start(open(profile, "http://a"), token)
	if err != nil {
		t.Fatalf("the same request rejected the token: %v", err)
	}
	if token, err = second.Token(); err != nil {
		t.Fatal(err)
	}
	if _, err := start(open(profile, "http://a"), token); err != nil {
		t.Errorf("the resumed run's token was rejected: %v", err)
	}
}

// A user who writes a token can give an item any key. If the index also contains items of an entity that masks its key,
// such a token would reveal their order, so ddbdesk also encrypts a token of the entity with visible keys.
func TestTokenOfSharedIndexIsSealed(t *testing.T) {
	const plain = `name: shop
tables: {t: {name: shop, partition_key: PK, sort_key: SK}}
entities:
  Order: {table: t, keys: {PK: A, SK: "MAIL#{mail}"}, attributes: {mail: {type: S, required: true}}}
  Memo: {table: t, keys: {PK: A, SK: "1"}, undeclared: show, attributes: {note: {type: S}}}
patterns: {p: {operation: query, table: t, key: {PK: A}, returns: [Order, Memo]}}
`
	state := t.TempDir()
	open := func(text, token string) (*reading.Run, error) {
		p, err := profiles.Load("shop.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		w := workspace.New(session.Options{Profile: p, Store: endlessReader{}, StateDir: state, JournalPath: state + "/journal.jsonl"})
		return w.Reading.Start(p.Pattern("p"), nil, reading.RunOptions{Limit: 1, Token: token})
	}
	token := func(text string) string {
		r, err := open(text, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		token, err := r.Token()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	masked := strings.Replace(plain, "required: true", "required: true, sensitive: pii", 1)
	if text := decodeToken(t, token(plain)); !strings.Contains(text, `"SK"`) {
		t.Fatalf("the token is encrypted: %q", text)
	}
	if _, err := open(masked, token(plain)); !errors.Is(err, session.ErrInput) {
		t.Errorf("a token in clear text: got %v, want an input error", err)
	}
	if sealed := decodeToken(t, token(masked)); strings.Contains(sealed, `"SK"`) {
		t.Errorf("the token is in clear text: %q", sealed)
	}
	if _, err := open(masked, token(masked)); err != nil {
		t.Errorf("the encrypted token was rejected: %v", err)
	}
}
