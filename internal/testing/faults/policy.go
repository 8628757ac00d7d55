package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

// A Policy is an IAM policy document.
type Policy struct {
	Version   string
	Statement []Statement
}

// A Statement allows or denies actions on resources. Both can contain wildcards.
type Statement struct {
	Sid       string
	Effect    string // Allow or Deny
	Action    []string
	Resource  []string
	Condition map[string]map[string][]string // only ForAllValues:StringLike with dynamodb:LeadingKeys
}

// AllowAll returns a policy that allows all actions on all resources.
func AllowAll() Policy {
	return Policy{Version: "2012-10-17", Statement: []Statement{{Effect: "Allow", Action: []string{"*"}, Resource: []string{"*"}}}}
}

// Except returns the policy with a denial of an action. The denial applies to resources with one of the suffixes, or to
// all resources without suffixes.
func (p Policy) Except(action string, ends ...string) Policy {
	deny := Statement{Effect: "Deny", Action: []string{action}}
	for _, end := range ends {
		deny.Resource = append(deny.Resource, "*"+end)
	}
	if len(ends) == 0 {
		deny.Resource = []string{"*"}
	}
	p.Statement = append(append([]Statement(nil), p.Statement...), deny)
	return p
}

// Without returns the policy without one action of a statement.
func (p Policy) Without(statement int, action string) Policy {
	p.Statement = append([]Statement(nil), p.Statement...)
	s := &p.Statement[statement]
	var actions []string
	for _, a := range s.Action {
		if a != action {
			actions = append(actions, a)
		}
	}
	s.Action = actions
	return p
}

// A Guard checks every request against a policy. It is safe for concurrent use.
type Guard struct {
	// Keys maps tables to their partition keys, for conditions. Set it before the first request.
	Keys map[string]string

	next Doer

	mu       sync.Mutex
	policy   Policy
	requests []PermissionRequest
	refused  []PermissionRequest
}

// PermissionRequest is a permission that a request needs: an action on a resource, and the partition keys of the
// request's items.
type PermissionRequest struct {
	Action, Resource string
	keys             []string
}

// NewGuard returns a server that checks requests against a policy.
func NewGuard(next Doer, p Policy) *Guard { return &Guard{next: next, policy: p} }

// Set replaces the policy and clears the recorded permissions.
func (g *Guard) Set(p Policy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.policy, g.requests, g.refused = p, nil, nil
}

// Needed returns the permissions that requests needed since the policy was set.
func (g *Guard) Needed() []PermissionRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]PermissionRequest(nil), g.requests...)
}

// Refused returns the permissions that the policy denied since it was set.
func (g *Guard) Refused() []PermissionRequest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]PermissionRequest(nil), g.refused...)
}

// Do implements Doer.
func (g *Guard) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	g.mu.Lock()
	for _, a := range g.neededPermissions(operation, body) {
		g.requests = append(g.requests, a)
		if reason := g.policy.denialReason(a); reason != "" {
			g.refused = append(g.refused, a)
			g.mu.Unlock()
			return errorResponse(400, "AccessDeniedException",
				fmt.Sprintf("User: arn:aws:iam::123456789012:user/x is not authorized to perform: %s on resource: %s %s", a.Action,
					a.Resource, reason)), nil
		}
	}
	g.mu.Unlock()
	return g.next.Do(r)
}

// Allows reports whether the policy grants the permission.
func (p Policy) Allows(a PermissionRequest) bool { return p.denialReason(a) == "" }

// Needs reports whether the action and resource of a statement match the permission.
func (a PermissionRequest) Needs(action, resource string) bool {
	return matchesPattern(action, a.Action) && matchesPattern(resource, a.Resource)
}

// denialReason returns the reason why the policy does not grant the permission, or "".
func (p Policy) denialReason(a PermissionRequest) string {
	allowed := false
	for _, s := range p.Statement {
		if !s.appliesTo(a) {
			continue
		}
		if s.Effect == "Deny" {
			return "with an explicit deny in an identity-based policy"
		}
		allowed = true
	}
	if !allowed {
		return "because no identity-based policy allows the " + a.Action + " action"
	}
	return ""
}

func (s Statement) appliesTo(a PermissionRequest) bool {
	if !matchesAny(s.Action, a.Action) || !matchesAny(s.Resource, a.Resource) {
		return false
	}
	for _, key := range a.keys {
		if patterns, ok := s.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]; ok && !matchesAny(patterns, key) {
			return false
		}
	}
	return true
}

func matchesAny(patterns []string, text string) bool {
	for _, p := range patterns {
		if matchesPattern(p, text) {
			return true
		}
	}
	return false
}

// matchesPattern matches wildcards as IAM does, where * also matches slashes.
func matchesPattern(pattern, text string) bool {
	escaper := strings.NewReplacer("/", "\x00", "[", "\\[", "\\", "\\\\")
	ok, err := path.Match(escaper.Replace(pattern), strings.ReplaceAll(text, "/", "\x00"))
	return ok && err == nil
}

type attributes map[string]map[string]json.RawMessage

// A requestPart is one operation of a request.
type requestPart struct {
	TableName string
	Key, Item attributes
}

// neededPermissions returns the permissions for a request. IAM has no permission for transactions, so each of their
// actions needs its own.
func (g *Guard) neededPermissions(operation string, body []byte) []PermissionRequest {
	var in struct {
		requestPart
		IndexName     string
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]requestPart
	}
	_ = json.Unmarshal(body, &in) // the server rejects invalid JSON
	newPermission := func(operation, resource string, m requestPart) PermissionRequest {
		return PermissionRequest{
			"dynamodb:" + operation, "arn:aws:dynamodb:eu-central-1:123456789012:table/" + resource,
			leadingKeys(g.Keys[m.TableName], m),
		}
	}
	var list []PermissionRequest
	switch operation {
	case "ListTables":
		list = append(list, newPermission(operation, "*", requestPart{}))
	case "BatchGetItem", "BatchWriteItem":
		for table := range in.RequestItems {
			list = append(list, newPermission(operation, table, requestPart{}))
		}
	case "TransactWriteItems", "TransactGetItems":
		for _, item := range in.TransactItems {
			for name, m := range item {
				list = append(list, newPermission(strings.TrimSuffix(name, "Item")+"Item", m.TableName, m))
			}
		}
	default:
		resource := in.TableName
		if in.IndexName != "" {
			resource += "/index/" + in.IndexName
		}
		list = append(list, newPermission(operation, resource, in.requestPart))
	}
	return list
}

// leadingKeys returns the value of the partition key in a key or item, or nil if the table's partition key is unknown.
func leadingKeys(partitionKey string, m requestPart) []string {
	for _, attributes := range []attributes{m.Key, m.Item} {
		var text string
		if raw, ok := attributes[partitionKey]["S"]; ok && json.Unmarshal(raw, &text) == nil {
			return []string{text}
		}
	}
	return nil
}

// Always applies the fault to every request.
func Always(f *Fault) Script {
	return func(Request) *Fault { return f }
}

// First applies the fault to the first n requests.
func First(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number > n {
			return nil
		}
		return f
	}
}

// After applies the fault to all requests after the first n.
func After(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number <= n {
			return nil
		}
		return f
	}
}

// Nth applies the fault to the nth request.
func Nth(n int, f *Fault) Script {
	return func(r Request) *Fault {
		if r.Number != n {
			return nil
		}
		return f
	}
}

// Only restricts a script to some operations, by their API names.
func Only(s Script, operations ...string) Script {
	return func(r Request) *Fault {
		if !slices.Contains(operations, r.Operation) {
			return nil
		}
		return s(r)
	}
}

// Writes restricts a script to requests that change items, and counts no others.
func Writes(s Script) Script { return countMatching(s, func(r Request) bool { return r.Writes }) }

// Reads restricts a script to requests that change nothing, and counts no others.
func Reads(s Script) Script { return countMatching(s, func(r Request) bool { return !r.Writes }) }

func countMatching(s Script, applies func(Request) bool) Script {
	var mu sync.Mutex
	n := 0
	return func(r Request) *Fault {
		if !applies(r) {
			return nil
		}
		mu.Lock()
		n++
		r.Number = n
		mu.Unlock()
		return s(r)
	}
}

// Random applies random faults to a share of the requests. The same seed produces the same faults for the same
// requests.
func Random(seed uint64, share float64, list []*Fault) Script {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 1))
	return func(Request) *Fault {
		mu.Lock()
		defer mu.Unlock()
		hit, index := random.Float64() < share, random.IntN(len(list))
		if !hit {
			return nil
		}
		return list[index]
	}
}
