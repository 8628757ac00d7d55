package profiles_test

import (
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/profiles"
)

const teams = `name: shop
tables: {t: {name: users, partition_key: PK, sort_key: SK, indexes: {I: {partition_key: team, projection: INCLUDE, include: [name]}}}}
entities:
  User: {table: t, keys: {PK: "U#{id}", SK: META}, attributes: {id: {type: S}, team: {type: S}, name: {type: S}, k: {type: S, key_only: true}, address: {type: M, attributes: {city: {type: S}}}}}
patterns:
  p: `

func TestFaultsOfProjectionsAndLists(t *testing.T) {
	for text, want := range map[string]string{
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], projection: [name, address.city, team]}`:                                          "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: PK}`:                                                              "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [names]}`:                                                         `projection.0: no attribute "names" in User; did you mean "name"?`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [k]}`:                                                             `projection.0: no attribute "k" in User`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: [name, name]}`:                                                    `projection.1: duplicate attribute "name"; remove it`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], projection: []}`:                                                              `projection: projection has no attributes`,
		`{operation: count, index: I, key: {team: "{team}"}, returns: [User], projection: [name]}`:                                                          `projection: count returns no attributes; remove it`,
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`:                                                  "",
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], parameters: {team: {list: true}}}`:                                            "",
		`{operation: query, index: I, key: {team: {lt: "{team}"}}, returns: [User], parameters: {team: {list: true}}}`:                                      `parameters.team.list: a list parameter works only in equality conditions of a key`,
		`{operation: query, index: I, key: {team: a}, filter: [{attribute: name, equals: "{name}"}], returns: [User], parameters: {name: {list: true}}}`:    `parameters.name.list: a list parameter works only in equality conditions of a key`,
		`{operation: query, key: {PK: "U#{id}", SK: "{team}"}, returns: [User], parameters: {id: {list: true}, team: {list: true}}}`:                        `parameters.team.list: id and team both take several values`,
		`{operation: query, index: I, key: {team: "{team}"}, returns: [User], parameters: {x: {list: true}}}`:                                               `parameters.x.list: no key condition uses {x}`,
		`{operation: query, key: {PK: "U#{id}", SK: "{team}"}, fan_out: {placeholder: id, values: [a]}, returns: [User], parameters: {team: {list: true}}}`: `parameters.team.list: fan_out: and a list parameter cannot be combined`,
		"{operation: scan, returns: [User]}\nactions: {a: {entity: User, inputs: {n: {list: true}}, set: {name: \"{n}\"}}}":                                 `actions.a.inputs.n.list: an action's input cannot be a list`,
	} {
		_, err := profiles.Load("shop.yaml", []byte(teams+text+"\n"), nil)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A pattern needs the permission for whole items only if its index lacks something.
func TestPermissionsFollowTheProjection(t *testing.T) {
	for text, want := range map[string]string{
		`{operation: query, index: I, key: {team: a}, returns: [User], projection: [name]}`:                "dynamodb:Query on …/index/I",
		`{operation: query, index: I, key: {team: a}, returns: [User], projection: [address]}`:             "dynamodb:Query on …/index/I dynamodb:BatchGetItem on …/users",
		`{operation: query, index: I, key: {team: a}, returns: [User]}`:                                    "dynamodb:Query on …/index/I dynamodb:BatchGetItem on …/users",
		`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`: "dynamodb:GetItem on …/users dynamodb:BatchGetItem on …/users",
	} {
		p, err := profiles.Load("shop.yaml", []byte(teams+text+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, permission := range p.Patterns[0].Permissions() {
			got = append(got, permission.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// A value of an item stays one value where a list is expected.
func TestValuesOfItemsStayWhole(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(teams+`{operation: get, key: {PK: "U#{id}", SK: META}, returns: [User], parameters: {id: {list: true}}}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Patterns[0].Param("id")
	for _, id := range []string{"7", "a, b", " a", `["a"]`, "[", "a\nb", `say "x", y`, "7,"} {
		v, err := q.Read(q.Argument(id), accesspatterns.Value{}.Time.Time)
		if strings.Contains(id, "\n") {
			continue // No key has a line break.
		}
		if err != nil || len(v.List) != 1 || v.Text != id {
			t.Errorf("%q is read as %+v, %v", id, v.List, err)
		}
	}
}

// Attributes that are not read are no columns of the rows.
func TestPatternKnowsWhatItReads(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(teams+`{operation: query, index: I, key: {team: a}, returns: [User], projection: [address.city]}`+"\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"address.city": true, "address": true, "PK": true, "team": true, "k": true, "name": false, "id": false, "address.street": false,
	} {
		if got := p.Patterns[0].Reads(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
