package schema_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

var writing = regexp.MustCompile(`(Put|Update|Delete|Write|Check|Create)`)

// TestPoliciesAllowNoMoreThanTheirOptions checks all schemas: statement IDs are valid
// and unique, only Writes allows writes, and only Drift allows Scan of every table.
func TestPoliciesAllowNoMoreThanTheirOptions(t *testing.T) {
	sid := regexp.MustCompile(`^[A-Za-z0-9]+$`)
	for _, name := range profiles.Names() {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []schema.PolicyOptions{
			{},
			{Writes: true},
			{Drift: true},
			{Writes: true, Drift: true, Partition: "aws-cn", Account: "123456789012", Regions: []string{"cn-north-1", "cn-northwest-1"}},
		} {
			scans := 0
			var sids []string
			for _, s := range schema.PolicyOf(p, o).Statement {
				if !sid.MatchString(s.Sid) || slices.Contains(sids, s.Sid) {
					t.Errorf("%s: statement ID %q is invalid or occurs in %v", name, s.Sid, sids)
				}
				sids = append(sids, s.Sid)
				if s.Effect != "Allow" || len(s.Action) == 0 || len(s.Resource) == 0 {
					t.Errorf("%s: got statement %+v", name, s)
				}
				for _, a := range s.Action {
					if !o.Writes && writing.MatchString(a) {
						t.Errorf("%s: a read policy allows %s", name, a)
					}
					if a == "dynamodb:Scan" {
						scans = len(s.Resource)
					}
				}
				for _, r := range s.Resource {
					if o.Account != "" && !strings.HasPrefix(r, "arn:aws-cn:dynamodb:cn-north") || o.Account == "" &&
						!strings.HasPrefix(r, "arn:aws:dynamodb:*:*:table/") {
						t.Errorf("%s: got resource %s", name, r)
					}
				}
			}
			want := len(p.Tables) * max(len(o.Regions), 1)
			if o.Drift && scans != want || !o.Drift && scans >= want && len(p.Tables) > 1 {
				t.Errorf("%s: the policy allows %d table scans, drift %v", name, scans, o.Drift)
			}
		}
	}
}

// A write statement allows only the common prefixes of the partition keys, if all keys have one.
func TestWritesAreLimitedToPartitionKeys(t *testing.T) {
	for name, want := range map[string]string{"authbridge": "AUDIT#* CASE#*", "ebay-sniper": ""} {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := schema.PolicyOf(p, schema.PolicyOptions{Writes: true}).Statement
		last := list[len(list)-1]
		if got := strings.Join(last.Condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"], " "); got != want ||
			!strings.HasPrefix(last.Sid, "Change") {
			t.Errorf("%s: got %s of %s, want %s", name, got, last.Sid, want)
		}
	}
}

// The policy allows reading a stream if the schema declares it. With Streams, it allows the streams of all tables.
func TestPolicyAllowsRequiredStreams(t *testing.T) {
	p, err := profiles.Open("authbridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	granted := func(o schema.PolicyOptions) string {
		var list []string
		for _, s := range schema.PolicyOf(p, o).Statement {
			if strings.HasSuffix(s.Resource[0], "/stream/*") {
				list = append(list, strings.Join(s.Action, " ")+" on "+s.Resource[0])
			}
		}
		return strings.Join(list, "; ")
	}
	want := "dynamodb:DescribeStream dynamodb:GetShardIterator dynamodb:GetRecords on arn:aws:dynamodb:*:*:table/AuthBridgeTable/stream/*"
	if got := granted(schema.PolicyOptions{}); got != "" {
		t.Errorf("without a stream: got %s, want nothing", got)
	}
	if got := granted(schema.PolicyOptions{Streams: true}); got != want {
		t.Errorf("with the option: got %s", got)
	}
	p.Tables[0].Stream = models.StreamBoth
	if got := granted(schema.PolicyOptions{}); got != want {
		t.Errorf("with a declared stream: got %s", got)
	}
}

// The policy covers a queue's own read and a fan-out of reads of single items, and IDs that differ only in a separator
// give different statements.
func TestPolicyAllowsQueuesAndFanOuts(t *testing.T) {
	p, err := profiles.Load("shop.yaml", []byte(`name: shop
tables:
  my-orders: {name: shop-one, partition_key: PK, indexes: {ByState: {partition_key: G, projection: ALL}}}
  my_orders: {name: shop-two, partition_key: PK}
entities:
  Order: {table: my-orders, keys: {PK: "O#{id}", G: "S#{state}"}, attributes: {id: {type: S}, state: {type: S}}}
  Note: {table: my_orders, keys: {PK: "N#{id}"}, attributes: {id: {type: S}, text: {type: S}}}
patterns: {both: {operation: get, key: {PK: "O#{id}"}, returns: [Order], fan_out: {placeholder: id, values: [a, b]}}}
queues: {open: {read: {operation: query, index: ByState, key: {G: "S#open"}, returns: [Order]}}}
actions: {pay: {entity: Order, set: {state: paid}}, note: {entity: Note, set: {text: x}}}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, s := range schema.PolicyOf(p, schema.PolicyOptions{Writes: true}).Statement {
		found[s.Sid] = strings.Join(s.Action, " ") + " " + strings.Join(s.Resource, " ")
	}
	const arn = "arn:aws:dynamodb:*:*:table/"
	for sid, want := range map[string]string{
		"Query": "dynamodb:Query " + arn + "shop-one/index/ByState", "GetBehindIndexes": "dynamodb:BatchGetItem " + arn + "shop-one",
		"ChangeMyOrders": "dynamodb:UpdateItem " + arn + "shop-one", "ChangeMyOrders2": "dynamodb:UpdateItem " + arn + "shop-two",
	} {
		if found[sid] != want {
			t.Errorf("%s: got %q, want %q", sid, found[sid], want)
		}
	}
}
