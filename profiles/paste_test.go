package profiles_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
)

func TestPasted(t *testing.T) {
	for _, c := range []struct {
		about, pattern, text string
		want                 map[string]string
		entity               string
	}{
		{"a partition key", "get-verification", "CASE#ver_1", map[string]string{"verificationId": "ver_1"}, "Verification"},
		{"a quoted pair", "get-verification", `"CASE#ver_1" / "META"`, map[string]string{"verificationId": "ver_1"}, "Verification"},
		{
			"a pair of an index", "list-client-verifications-by-status", "CLIENT#client_9 / pending_review#2026-11-21T08:01:00Z",
			map[string]string{"clientId": "client_9", "status": "pending_review"},
			"Verification",
		},
		{
			"half of what is asked for", "list-client-verifications-by-status", "CLIENT#client_9",
			map[string]string{"clientId": "client_9"},
			"Verification",
		},
		{
			"a key of a neighbour", "list-verification-documents", "CASE#ver_1 / DOC#doc_7",
			map[string]string{"verificationId": "ver_1"},
			"Document",
		},
		{
			"an item", "list-client-verifications-by-status",
			`{"PK":"CASE#ver_1","SK":"META","verificationId":"ver_1","clientId":"client_9","status":"approved"}`,
			map[string]string{"clientId": "client_9", "status": "approved"},
			"Verification",
		},
		{"a bare id", "get-verification", "ver_1", nil, ""},
		{"a key that says nothing here", "get-verification", "APIKEY#key_1", map[string]string{}, "APIKey"},
		{"no key at all", "get-verification", "hello there", nil, ""},
		{"broken JSON", "get-verification", `{"PK":`, nil, ""},
	} {
		p, err := profiles.Open("authbridge", nil)
		if err != nil {
			t.Fatal(err)
		}
		pattern := p.Pattern(c.pattern)
		if pattern == nil {
			t.Fatalf("%s: no pattern %s", c.about, c.pattern)
		}
		args, e := accesspatterns.Pasted(pattern, p.Patterns, p.Entities, c.text)
		name := ""
		if e != nil {
			name = e.Name
		}
		if diff := cmp.Diff(c.want, args); diff != "" || name != c.entity {
			t.Errorf("%s: entity %q, want %q\n%s", c.about, name, c.entity, diff)
		}
	}
}
