package find_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/find"
	"github.com/ddbdesk/ddbdesk/internal/ops/schema"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// foreignTexts contains texts that no built-in schema can interpret.
var foreignTexts = []string{
	// IDs of other systems
	"i-0abcd1234ef567890", "vol-049df61146c4d7901", "subnet-0a1b2c3d", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "bdbeeba0", "ORD-99817", "INC0012345",
	"JIRA-4711", "ch_3MmlLrLkdIwHu7ix0snN0B15", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "req_8fJ2kLq0", "order_10023", "1-5759e988-bd862e3fe1be46a994272793",
	"AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "sha256:9f86d081884c7d659a2feaa0c55ad015", "DE89370400440532013000", "978-3-16-148410-0", "dQw4w9WgXcQ",
	"arn:aws:iam::123456789012:role/Admin", "arn:aws:lambda:eu-west-1:123456789012:function:pay", "pod/web-7d4b9c6f5-x2x9k", "web-7d4b9c6f5-x2x9k", "PR#1234", "#1234",
	"4111 1111 1111 1111", "TLS_AES_256_GCM_SHA384", "ERR_CONNECTION_REFUSED", "0x7ffee4c0a8b0", "com.example.shop.OrderService", "node_modules", "us-east-1a",
	"4bf92f3577b34da6a3ce929d0e0e4736", "9b2f5c1e-7a34-4c58-8d1f-2f6f0f0c9a11", "01HZX3V8C4Q2N7R5T9W0Y6B1K3", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"START RequestId: 8f5078b0-2f3c-4d5e-9a1b-7c6d5e4f3a2b Version: $LATEST", "PAY-9B2F5C1E", "cs_test_a1B2c3", "evt_1NG8Du2eZvKYlo2CUI79vXWy", "prod/eu/4711", "4711",
	// words
	"reject", "approve", "hello", "timeout", "Meyer", "status", "null", "true", "42", "-1", "3.14159", "v1.2.3", "12:30", "10 %", "???", "日本語", "Straße", "O'Brien",
	"order", "rejected payment", "late order", "Ana Meyer", "META", "PROFILE",
	// addresses and links
	"127.0.0.1:8080", "10.0.0.0/8", "C:\\Users\\ana\\order.txt", "/var/log/syslog", "file:///etc/passwd", "https://github.com/ddbdesk/ddbdesk/issues/123", "s3://logs/2026/11/28/x.gz",
	"git@github.com:ddbdesk/ddbdesk.git", "C02XK1ZZJG5H", "00:1a:2b:3c:4d:5e",
	// prose, traces, logs and code
	"The customer says that the payment did not arrive yet and asks for a call tomorrow.", "Hello, can you help me?",
	"Dear team, please find attached the report of 2026-11-28, see page 12.", "Please reject it, the photo is blurred.",
	"goroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:12 +0x1d", "panic: runtime error: index out of range [3] with length 3",
	"Traceback (most recent call last):\n  File \"app.py\", line 42, in <module>\n    main()\nKeyError: 'orderId'",
	"java.lang.NullPointerException\n\tat com.example.Shop.pay(Shop.java:231)", "TypeError: Cannot read properties of undefined (reading 'id')\n    at pay (/app/pay.js:10:5)",
	"ERROR 2026-11-28 10:11:12,345 timeout after 30000 ms", "HTTP/1.1 404 Not Found\r\nContent-Length: 0", "select * from orders where id = 1",
	"git commit -m 'fix'", "192.168.1.20 - - [28/Nov/2026:10:11:12 +0000] \"GET / HTTP/1.1\" 200 612", "[]", "{}", "[1,2,3]", `{"a":1}`, "{'a': 1}", "<html><body></body></html>",
	"a,b,c\n1,2,3", "key: value\nlist:\n  - a\n  - b", "${variable}", "lorem ipsum dolor sit amet consectetur adipiscing elit", strings.Repeat("a ", 2000), strings.Repeat("{", 5000),
}

// A search for a text that no schema can interpret sends few requests, because they go to the database of a company.
func TestForeignTextsSendFewRequests(t *testing.T) {
	w := newTestDatabase(t, profiles.Names()...)
	bare := w.schemalessTables(t)
	maximum, sum := 0, 0
	for _, text := range foreignTexts {
		w.Reset()
		s, err := w.finder(find.Options{Offers: true, Schemaless: bare}, nil).Search(t.Context(), text)
		if err != nil {
			continue // the error explains the reason
		}
		r := wait(s)
		n := len(reads(w))
		if maximum, sum = max(maximum, n), sum+n; n > 5 || len(r.Hits) > 0 || r.HasUniqueHit() || len(r.OffersByKind()) > 3 {
			t.Errorf("%.60q finds %d items with %v and %d kinds of offers", text, len(r.Hits), w.Operations(), len(r.OffersByKind()))
		}
	}
	t.Logf("%d texts: at most %d reads, %.1f on average", len(foreignTexts), maximum, float64(sum)/float64(len(foreignTexts)))
}

// reads returns the recorded requests, except those that list or describe tables.
func reads(w *testDatabase) []string {
	return slices.DeleteFunc(w.Operations(), func(op string) bool { return op == "DescribeTable" || op == "ListTables" })
}

// schemalessTables creates tables without a schema.
func (d *testDatabase) schemalessTables(t *testing.T) func(context.Context) find.Schemaless {
	conn := fixture.Connect(t, d.Recorder)
	var list find.Schemaless
	for sort, keys := range map[string]string{"": "id: {type: S, required: true}", ", sort_key: sk": "id: {type: S, required: true}, sk: {type: S, required: true}"} {
		name := fmt.Sprintf("bare%d", len(list.Sources))
		text := "name: x\ntables: {main: {name: " + name + ", partition_key: id" + sort + "}}\nentities: {It: {table: main, attributes: {" + keys + "}}}\n"
		p, err := profiles.Load("", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		fixture.NewOn(t, p, conn).Create(t)
		if p, err = schema.Schemaless(t.Context(), conn.Reader(), name, nil, nil); err != nil {
			t.Fatal(err)
		}
		f := fixture.NewOn(t, p, conn)
		list.Sources = append(list.Sources, find.Source{
			Place: find.Place{Profile: p}, Open: func(context.Context) (*workspace.Workspace, error) { return f.Open(f.Options()), nil },
		})
	}
	return func(context.Context) find.Schemaless { return list }
}
