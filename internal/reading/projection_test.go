package reading_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/reading"
)

const projected = `name: told
tables:
  t:
    name: told
    partition_key: PK
    sort_key: SK
    indexes:
      ByTeam: {partition_key: team, projection: INCLUDE, include: [name, kind]}
      ByMail: {partition_key: mail, projection: KEYS_ONLY}
entities:
  User:
    table: t
    keys: {PK: "USER#{id}", SK: META}
    when: {equals: {kind: user}}
    attributes:
      id: {type: S, required: true}
      kind: {type: S, required: true}
      name: {type: S, required: true}
      team: {type: S, required: true, enum: [red, blue]}
      mail: {type: S, required: true, format: email}
      score: {type: N, required: true}
      address: {type: M, required: true, attributes: {city: {type: S, required: true}, street: {type: S, required: true}}}
    sample: {count: 230}
patterns:
  get: {operation: get, key: {PK: "USER#{id}", SK: META}, returns: [User], projection: [name, address.city], parameters: {id: {list: true}}}
  scan: {operation: scan, returns: [User], projection: [name]}
  team: {operation: query, index: ByTeam, key: {team: "{team}"}, returns: [User], projection: [name], parameters: {team: {list: true}}}
  scores: {operation: query, index: ByTeam, key: {team: "{team}"}, returns: [User], projection: [score]}
  rich: {operation: query, index: ByTeam, key: {team: "{team}"}, returns: [User], projection: [name], filter: [{attribute: score, gt: "{score}"}]}
  mail: {operation: query, index: ByMail, key: {mail: "{mail}"}, returns: [User], projection: [team]}
`

// A projection reads the named attributes, the keys, and the attributes that identify the entity.
func TestProjectionReadsNamedAttributes(t *testing.T) {
	x := newExplanation(t)
	users := x.samples(t, "User")
	id, _ := users[3].Item.Text("id")
	mail, _ := users[3].Item.Text("mail")
	for pattern, c := range map[string]struct {
		args map[string]string
		want string
	}{
		"get":    {map[string]string{"id": id}, "PK SK address kind name"},
		"scan":   {nil, "PK SK kind name"},
		"team":   {map[string]string{"team": "red"}, "PK SK kind name team"},
		"scores": {map[string]string{"team": "red"}, "PK SK kind score team"},
		"rich":   {map[string]string{"team": "red", "score": "0"}, "PK SK kind name score team"},
		"mail":   {map[string]string{"mail": mail}, "PK SK kind mail team"},
	} {
		p, err := x.Workspace.Reading.Pattern(pattern)
		if err != nil {
			t.Fatal(err)
		}
		r, err := x.Workspace.Reading.Start(p, c.args, reading.RunOptions{AllowScan: true, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.Next(t.Context())
		if err != nil || len(page.Items) == 0 {
			t.Fatalf("%s: got %d rows, %v", pattern, len(page.Items), err)
		}
		for _, it := range page.Items {
			if got := strings.Join(it.Names(), " "); got != c.want {
				t.Fatalf("%s: got %s, want %s", pattern, got, c.want)
			}
		}
		if c.args != nil {
			x.run(t, pattern, c.args)
		}
		// If ddbdesk filters the items itself, the explanation names the filter outside the request.
		for _, e := range r.Explain() {
			const filter = `{"FilterExpression":"#score > :score","ExpressionAttributeNames":{"#score":"score"},` +
				`"ExpressionAttributeValues":{":score":{"N":"0"}}}`
			if want := pattern == "rich" && e.Operation == "BatchGetItem"; want != (string(e.Filter) == filter) || !want && e.Filter != nil {
				t.Errorf("%s: unexpected filter of %s: %s", pattern, e.Operation, e.Filter)
			}
		}
	}
	one := x.run(t, "get", map[string]string{"id": id})
	if city, ok := one[0].Text("address.city"); !ok || city == "" {
		t.Errorf("%v lacks address.city", one[0])
	}
	if _, ok := one[0].Text("address.street"); ok {
		t.Errorf("%v contains address.street", one[0])
	}
}

// The reader fetches a list of keys in requests of 100 keys. It keeps the order of the list and returns each item once.
func TestKeyListIsReadTogether(t *testing.T) {
	x := newExplanation(t)
	var ids []string
	for _, u := range x.samples(t, "User") {
		id, _ := u.Item.Text("id")
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	list, err := json.Marshal(append(slices.Clone(ids), ids[0], "nobody, really"))
	if err != nil {
		t.Fatal(err)
	}
	rows := x.run(t, "get", map[string]string{"id": string(list)})
	if len(x.listener.sent) != 3 || x.listener.sent[0].Operation != "BatchGetItem" {
		t.Errorf("got %d requests for 231 keys, want 3", len(x.listener.sent))
	}
	if len(rows) != len(ids) {
		t.Fatalf("got %d items, want %d", len(rows), len(ids))
	}
	for i, it := range rows {
		if key, _ := it.Text("PK"); key != "USER#"+ids[i] {
			t.Fatalf("row %d: got %s, want %s", i, key, ids[i])
		}
	}
	// A page can end within a request of 100 keys.
	p, err := x.Workspace.Reading.Pattern("get")
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]string{"id": strings.Join(ids, ", ")}
	var paged []string
	token := ""
	for {
		r, err := x.Workspace.Reading.Start(p, args, reading.RunOptions{Limit: 33, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			key, _ := it.Text("PK")
			paged = append(paged, strings.TrimPrefix(key, "USER#"))
		}
		if !page.More {
			break
		}
		if token, err = r.Token(); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(paged, ids) {
		t.Errorf("got %d items by page, want %d in the order of the list", len(paged), len(ids))
	}
}

func TestPartitionListIsMerged(t *testing.T) {
	x := newExplanation(t)
	both := x.run(t, "team", map[string]string{"team": "red, blue"})
	if len(both) != 230 || len(x.listener.sent) != 2 {
		t.Errorf("got %d rows with %d requests, want 230 with 2", len(both), len(x.listener.sent))
	}
	if one := x.run(t, "team", map[string]string{"team": "red"}); len(one) == 0 || len(one) == 230 {
		t.Errorf("got %d rows of one partition", len(one))
	}
}

func TestListsAreChecked(t *testing.T) {
	x := newExplanation(t)
	p, err := x.Workspace.Reading.Pattern("get")
	if err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 1001)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	for args, want := range map[string]string{
		" , ":                    "the list is empty; give one value or more",
		`["a", {}]`:              "not a JSON array of strings and numbers",
		`["a"`:                   "not a JSON array of strings and numbers",
		strings.Join(keys, "\n"): "1001 values; the maximum is 1000",
		"a,b\x00":                "contains a control character",
	} {
		if _, err := x.Workspace.Reading.Bind(p, map[string]string{"id": args}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %s", args, err, want)
		}
	}
}
