package lookup_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/accesspatterns/lookup"
	"github.com/ddbdesk/ddbdesk/models"
)

const (
	pastedUser  = "3f2b8c1e-5d4a-4e6f-9a7b-0c1d2e3f4a5b"
	pastedOrder = "01K9ZQ4B6M7N8P9Q0R1S2T3V4W"
)

// These reads return the items of shop.
const (
	order   = "get Order ORDER#" + pastedOrder + " / META"
	user    = "get User USER#" + pastedUser + " / PROFILE"
	mail    = "query User.X ana@example.com"
	phone   = "get Caller +491701234567"
	invoice = "get Invoice inv_7Hk2"
)

func checkReads(t *testing.T, want string, texts []string) {
	t.Helper()
	for _, text := range texts {
		r, err := lookup.Find(shop(), text)
		var got []string
		for _, read := range r.Reads {
			_, line, _ := strings.Cut(readText(read), " ")
			got = append(got, line)
		}
		if err != nil || !slices.Contains(got, want) {
			t.Errorf("%q: %s is missing in %q, error %v", text, want, got, err)
		}
	}
}

// shop returns a schema of users, callers, orders, invoices, notes and pages. Their IDs have different formats.
func shop() lookup.Schema {
	customer := entity("User", []string{"PK=USER#{userId}", "SK=PROFILE", "XPK={email:lower}"},
		models.Attribute{Name: "userId", Format: models.UUID}, models.Attribute{Name: "email", Format: models.Email})
	caller := entity("Caller", []string{"PK={phone}"}, models.Attribute{Name: "phone", Format: models.E164})
	purchase := entity("Order", []string{"PK=ORDER#{orderId}", "SK=META"},
		models.Attribute{Name: "orderId", Format: models.ULID}, models.Attribute{Name: "at", Format: models.ISO8601})
	bill := entity("Invoice", []string{"PK={invoiceId}"}, models.Attribute{Name: "invoiceId", Prefix: "inv_"})
	plain := entity("Note", []string{"PK={noteId}"}, models.Attribute{Name: "noteId"})
	page := entity("Page", []string{"PK=PAGE#{number:05d}"}, models.Attribute{Name: "number"})
	return schema(customer, caller, purchase, bill, plain, page)
}

// sites returns a schema of websites with their domain as key.
func sites() lookup.Schema {
	return schema(entity("Site", []string{"PK=SITE#{domain:lower}"}, models.Attribute{Name: "domain", Format: models.Domain}))
}

// Two keys without a space between them are a pair, although the first template matches any text.
func TestJoinedKeysArePair(t *testing.T) {
	s := schema(entity("Film", []string{"PK=ORG#{orgId}", "SK=FILM#{filmId}"}, models.Attribute{Name: "orgId"}, models.Attribute{Name: "filmId"}))
	for _, text := range []string{
		"ORG#a1|FILM#b2", "ORG#a1,FILM#b2", "ORG#a1;FILM#b2", "ORG#a1 | FILM#b2", `"ORG#a1","FILM#b2"`,
		"ORG#a1\tFILM#b2\topen\t12.5", "ERROR item ORG#a1 / FILM#b2 failed", `7,"ORG#a1","FILM#b2",open`,
	} {
		r, err := lookup.Find(s, text)
		if err != nil || len(r.Reads) == 0 || !r.Reads[0].IsItem || r.Reads[0].Keys["SK"] != "FILM#b2" {
			t.Errorf("%s: got reads %+v, error %v", text, r.Reads, err)
		}
	}
}

// An item is read by its own key, even if an attribute has another value or the item matches no entity.
func TestItemIsReadByItsKey(t *testing.T) {
	s := schema(entity("Org", []string{"PK=ORG#{name}", "SK=META"}, models.Attribute{Name: "name"}))
	for text, want := range map[string]string{
		`{"PK": "ORG#A", "SK": "META", "name": "B"}`: "ORG#A", `{"PK": "OLD-7", "SK": "META", "name": "B"}`: "OLD-7",
	} {
		if r := lookUp(t, s, text); len(r.Reads) == 0 || !r.Reads[0].IsItem || r.Reads[0].Keys["PK"] != want {
			t.Errorf("%s: got reads %+v", text, r.Reads)
		}
	}
}

// A value in a key can contain the text between two keys.
func TestKeyContainsSeparator(t *testing.T) {
	s := schema(entity("Org", []string{"PK=ORG#{name}", "SK=META"}, models.Attribute{Name: "name"}))
	for text, want := range map[string]string{
		"ORG#A / B / META": "ORG#A / B", "ORG#A | B / META": "ORG#A | B", "ORG#A / B": "ORG#A / B", "ORG#A / META": "ORG#A",
		"ORG#A / MTEA": "ORG#A / MTEA",
	} {
		if r := lookUp(t, s, text); len(r.Reads) == 0 || r.Reads[0].Keys["PK"] != want {
			t.Errorf("%s: got reads %+v instead of %s", text, r.Reads, want)
		}
	}
	if r := lookUp(t, s, "ORG#A / MTEA"); r.Reads[1].Keys["PK"] != "ORG#A" {
		t.Errorf("a mistyped sort key: got reads %+v", r.Reads)
	}
}

// A label makes a short value an ID. Together, labels select one item, also next to other text and in another spelling.
func TestLabeledValuesSelectItem(t *testing.T) {
	line := entity("Line", []string{"PK=T#{tenantId}", "SK=LINE#{lineNo:04d}"},
		models.Attribute{Name: "tenantId"}, models.Attribute{Name: "lineNo", Type: models.TypeN}, models.Attribute{Name: "kind"})
	line.Is = []models.Equality{{Path: "kind", Values: []string{"LINE"}}}
	head := entity("Head", []string{"PK=T#{tenantId}", "SK=HEAD"}, models.Attribute{Name: "tenantId"})
	for _, text := range []string{
		"tenantId=blue lineNo=7", "ERROR no stock, tenant_id: blue, line.no: 7 (retry 3)", "Tenant-Id: blue\nline_no => 7",
		`{"level": "error", "context": {"tenant_id": "blue", "lineNo": 7, "attempt": 3}}`, "retry { tenantId: 'blue', lineNo: 7 }",
		`{"PK": "T#blue", "SK": "LINE#0007"}`, "{ PK: 'T#blue', SK: 'LINE#0007' }", "Key={'PK': {'S': 'T#blue'}, 'SK': {'S': 'LINE#0007'}}",
		"PK=T#blue SK=LINE#0007", `PK = "T#blue" AND SK = "LINE#0007"`, "not found (pk: T#blue, sk: LINE#0007)",
	} {
		r, err := lookup.Find(schema(head, line), text)
		if err != nil || len(r.Reads) == 0 || !r.Reads[0].IsItem || r.Reads[0].Keys["SK"] != "LINE#0007" {
			t.Errorf("%s: got reads %+v, error %v", text, r.Reads, err)
		}
	}
}

// An index key can contain an ID next to a status. A time in it is not an ID.
func TestJoinedIDsAreSplit(t *testing.T) {
	s := schema(entity("Card", []string{"PK={owner}", "SK={cardId}"}, models.Attribute{Name: "owner"}, models.Attribute{Name: "cardId"}),
		entity("Event", []string{"PK={at}"}, models.Attribute{Name: "at", Format: models.ISO8601}))
	for text, want := range map[string]bool{"active#card_7h2k": true, "error in active#card_7h2k.": true, "active#2026-11-20T11:58:00Z": false} {
		r, err := lookup.Find(s, text)
		found := slices.ContainsFunc(r.Targets, func(t lookup.Target) bool { return t.Text == "card_7h2k" && t.Distinctive })
		event := slices.ContainsFunc(r.Targets, func(t lookup.Target) bool { return t.Entity.Name == "Event" })
		if err != nil || found != want || event {
			t.Errorf("%s: got targets %+v, error %v", text, r.Targets, err)
		}
	}
}

// Pasted text can contain the ID, the key or the email address anywhere.
func TestPastedTextsAreFound(t *testing.T) {
	key := `{"PK":{"S":"ORDER#` + pastedOrder + `"},"SK":{"S":"META"}}`
	for want, texts := range map[string][]string{
		order: {
			"https://eu-west-1.console.aws.amazon.com/dynamodbv2/home?region=eu-west-1#edit-item?itemMode=2&pk=ORDER%23" + pastedOrder + "&sk=META&table=shop",
			"https://shop.example.com/orders/" + pastedOrder + "?x=1",
			"https://shop.example.com/orders/" + pastedOrder + "/lines#top",
			"ORDER%23" + pastedOrder,
			`{"Items":[` + key + `],"Count":1,"ScannedCount":1}`,
			`{"Item":` + key + `}`,
			`{"Records":[{"dynamodb":{"NewImage":{"x":{"S":"y"}},"Keys":` + key + `}}]}`,
			`aws dynamodb get-item --table-name shop --key '` + key + `'`,
			strings.ReplaceAll(key, `"`, `\"`),
			"{'PK': 'ORDER#" + pastedOrder + "', 'SK': 'META', 'paid': True, 'n': Decimal('5')}",
			"{ PK: 'ORDER#" + pastedOrder + "', SK: 'META', }",
			"('ORDER#" + pastedOrder + "', 'META')",
			"ORDER#" + pastedOrder + " META",
			"2026-11-28T10:11:12.345Z INFO [worker-3] order " + pastedOrder + " paid in 231 ms",
			"level=info orderId=" + pastedOrder + " status=paid",
			`{"level":"info","msg":"order ` + pastedOrder + ` paid","took":231}`,
			"order#" + strings.ToLower(pastedOrder),
			strings.ToLower(pastedOrder),
			"*" + pastedOrder + "*",
			"order " + pastedOrder + ".",
			"\u00a0" + pastedOrder + " ,",
			"#" + pastedOrder,
		},
		user: {
			strings.ToUpper(pastedUser),
			strings.ReplaceAll(pastedUser, "-", ""),
			"{" + strings.ToUpper(pastedUser) + "}",
			"urn:uuid:" + pastedUser,
			"USER%23" + pastedUser + "%2FPROFILE",
		},
		mail: {
			"mailto:ana@example.com",
			"Ana B <ana@example.com>",
			`"Ana, B." <Ana@Example.com>;`,
		},
		phone: {
			"+49 170 1234567",
			"+49 (170) 123-4567",
			"tel:+491701234567",
			"0049 170 / 123 45 67",
		},
		invoice: {
			"Please look at inv_7Hk2, thank you",
			"INV_7Hk2",
			"[inv_7Hk2](https://shop.example.com/i/inv_7Hk2)",
		},
	} {
		checkReads(t, want, texts)
	}
}

// Other programs transform IDs, keys and email addresses in many ways.
func TestTransformedTextsAreFound(t *testing.T) {
	key := `{"PK":{"S":"ORDER#` + pastedOrder + `"},"SK":{"S":"META"}}`
	base64Key := base64.StdEncoding.EncodeToString([]byte("ORDER#" + pastedOrder))
	for want, texts := range map[string][]string{
		order: {
			`{"id":"3727","timestamp":1764324671000,"message":"{\"level\":\"error\",\"order\":\"` + pastedOrder + `\"}\n"}`,
			`{"logGroup":"/aws/lambda/pay","logEvents":[{"message":"START RequestId: 5a1 order=` + pastedOrder + ` failed"}]}`,
			`2026-11-28T10:11:12Z host=web-1 source=/var/log/pay.log sourcetype=json orderId="` + pastedOrder + `" status=500`,
			"[2026-11-28 10:11:12.345] [error] [dd.trace_id=123 dd.span_id=456] pay(order:" + pastedOrder + "): declined",
			"{\n    \"Items\": [\n        {\n            \"SK\": {\"S\": \"META\"},\n            \"PK\": {\"S\": \"ORDER#" + pastedOrder + "\"}\n        }\n    ],\n    \"Count\": 1\n}",
			`{"eventID":"c4","eventName":"MODIFY","eventSource":"aws:dynamodb","dynamodb":{"Keys":` + key + `,"StreamViewType":"KEYS_ONLY"}}`,
			`{"version":"0","detail-type":"Order paid","source":"shop","detail":{"orderId":"` + pastedOrder + `","total":12}}`,
			`{"Type":"Notification","Message":"{\"detail\":{\"order\":\"` + pastedOrder + `\"}}"}`,
			"s3://shop-exports/orders/2026/11/28/" + pastedOrder + ".json",
			"arn:aws:s3:::shop-exports/orders/" + pastedOrder + "/invoice.pdf",
			"shop://order/" + pastedOrder, "shop://open?order=" + pastedOrder + "&from=push",
			"https://shop.example.com/#/orders/" + pastedOrder + "/edit",
			"https://shop.example.com/o?id=ORDER%2523" + pastedOrder,
			"https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fshop.example.com%2Forders%2F" + pastedOrder + "&data=05%7C02%7Cana%40corp.example%7C1&sdata=abc%3D&reserved=0",
			"https://urldefense.com/v3/__https://shop.example.com/orders/" + pastedOrder + "__;!!abc!def$",
			"<https://shop.example.com/orders/" + pastedOrder + "|Order>", "h3. [Order|https://shop.example.com/orders/" + pastedOrder + "]",
			"{{" + pastedOrder + "}}", "{code}" + pastedOrder + "{code}", "`" + pastedOrder + "`", "[Order](https://shop.example.com/orders/" + pastedOrder + ")",
			"'" + pastedOrder, "=\"" + pastedOrder + "\"", pastedOrder + "\t12.00\tpaid",
			"\u200b" + pastedOrder + "\u200b", "\ufeff" + pastedOrder, pastedOrder[:10] + "\u00ad" + pastedOrder[10:], "\u2068" + pastedOrder + "\u2069",
			"\u201c" + pastedOrder + "\u201d", "\u00ab" + pastedOrder + "\u00bb", "order\u00a0" + pastedOrder, "Order: " + pastedOrder + "!",
			"(" + pastedOrder + ").", pastedOrder + "?", "\u2018" + pastedOrder + "\u2019,", "\u2022 " + pastedOrder, "- [ ] " + pastedOrder,
			"curl -s -X POST 'https://api.example.com/v1/orders/" + pastedOrder + "/refund' -H 'authorization: Bearer abc' -d '{\"reason\":\"late\"}'",
			"GET /v1/orders/" + pastedOrder + " HTTP/1.1", "com.example.OrderNotFound: no order " + pastedOrder + "\n\tat com.example.Pay.run(Pay.java:12)",
			"  File \"pay.py\", line 3, in pay\n    raise KeyError('ORDER#" + pastedOrder + "')", "-  \"orderId\": \"" + pastedOrder + "\",", "+order = get('ORDER#" + pastedOrder + "')",
			"id;ref;total\n" + pastedOrder + ";A-1;12,00", "\"" + pastedOrder + "\",\"A-1\",12", "| " + pastedOrder + " | paid |", base64Key, "key=" + base64Key,
			"select * from orders where id = '" + pastedOrder + "';", "<order id=\"" + pastedOrder + "\" />", "&lt;" + pastedOrder + "&gt;",
			"orderId: !!str " + pastedOrder, "Order\n" + pastedOrder + "\nPaid", pastedOrder[:13] + "\n" + pastedOrder[13:], "PK=ORDER#" + pastedOrder + ", SK=META",
		},
		user: {
			"https://shop.example.com/users/" + strings.ToUpper(pastedUser), "user_id=" + strings.ReplaceAll(pastedUser, "-", "") + ";",
			"{'userId': UUID('" + pastedUser + "')}", "ObjectId:" + pastedUser + "...", pastedUser + "\u2026", "USER#" + pastedUser + "#PROFILE",
			strings.ReplaceAll(pastedUser, "-", "\u2011"), strings.ReplaceAll(pastedUser, "-", "\u2013"), "(" + pastedUser + "):",
		},
		mail: {
			"[ana@example.com](mailto:ana@example.com)", "<mailto:ana@example.com|ana@example.com>", "ana@example.com<mailto:ana@example.com>",
			"'ana@example.com'", "From: Ana <ana@example.com>\nTo: shop@corp.example", "mailto:ana%40example.com?subject=Order", "ana\u200b@example.com",
			"ana@example.com.", "ANA@EXAMPLE.COM", "ana (at) example.com", "ana [at] example [dot] com", "ana\uff20example.com", "https://shop.example.com/login?email=ana%40example.com",
		},
		phone: {
			"Tel. +49 170 1234567", "+49-170-123 45 67", "+49.170.1234567", "(+49) 170 1234567", "+49 (0)170 1234567", "whatsapp:+491701234567",
			"https://wa.me/491701234567", "+49\u00a0170\u202f1234567", "\u202a+49 170 1234567\u202c", "\uff0b491701234567", "00491701234567", "'+491701234567",
		},
		invoice: {
			"inv_7Hk2.", "inv_7Hk2\u2026", "*inv_7Hk2*", "~inv_7Hk2~", "#inv_7Hk2", "[inv_7Hk2]", "\"inv_7Hk2\",", "invoice=inv_7Hk2&x=1", "/invoices/inv_7Hk2/pdf", "inv_7\nHk2", "> inv_7H\n> k2",
			"https://shop.example.com/?id=inv_7Hk2#top", "inv_7Hk2/lines/3", "inv_7Hk2-", `{"headers":{` + headers(50) + `},"path":"/c/inv_7Hk2"}`,
		},
	} {
		checkReads(t, want, texts)
	}
}

// A JSON object that contains the name of a key is not an item unless it shares more attributes with the entity.
func TestLogLineWithRequestIDIsNotItem(t *testing.T) {
	checkReads(t, order, []string{
		`{"level":"ERROR","message":"failed id=ORDER#` + pastedOrder + ` code=E42","noteId":"8f5078b0-2f3c-4d5e-9a1b-7c6d5e4f3a2b"}`,
		`{"at":"2026-11-28T10:00:00Z","msg":"no ORDER#` + pastedOrder + `"}`,
	})
	checkReads(t, "get Note n-1", []string{`{"noteId":"n-1"}`, `{"noteId":"n-1","level":"ERROR","message":"late"}`})
}

func TestEscapedTextsAreFound(t *testing.T) {
	for want, texts := range map[string][]string{
		order: {
			`ORDER\u0023` + pastedOrder, `"pk":"ORDER\u0023` + pastedOrder + `"`, `ORDER=23` + pastedOrder, "Order no. =\r\n" + pastedOrder, "https://shop.example.com/orders/" + pastedOrder[:12] + "=\r\n" + pastedOrder[12:],
			"ORDER&#35;" + pastedOrder, "ORDER&#x23;" + pastedOrder, `ORDER\x23` + pastedOrder, `"ORDER\#` + pastedOrder + `"`,
			`{"Records":[{"body":"{\"Message\":\"{\\\"detail\\\":{\\\"orderId\\\":\\\"` + pastedOrder + `\\\"}}\"}"}]}`,
			`map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "ORDER#` + pastedOrder + `"}, "SK": &types.AttributeValueMemberS{Value: "META"}}`,
			`map[PK:ORDER#` + pastedOrder + ` SK:META]`, `{PK:{S:ORDER#` + pastedOrder + `} SK:{S:META}}`, `PK='ORDER#` + pastedOrder + `' SK='META'`,
			`aws dynamodb query --table-name shop --key-condition-expression 'PK = :p' --expression-attribute-values '{":p":{"S":"ORDER#` + pastedOrder + `"}}'`,
			`aws dynamodb get-item --table-name shop --key PK={S=ORDER#` + pastedOrder + `},SK={S=META}`,
			`curl https://api.example.com/v1/orders/` + strings.ToLower(pastedOrder) + `?expand=lines -H "Authorization: Bearer x"`,
			`https://console.amazonaws.cn/dynamodbv2/home?region=cn-north-1#edit-item?itemMode=2&pk=ORDER%23` + pastedOrder + `&sk=META&table=shop`,
			`https://us-gov-west-1.console.amazonaws-us-gov.com/dynamodbv2/home?region=us-gov-west-1#edit-item?itemMode=2&pk=ORDER%23` + pastedOrder + `&sk=META&table=shop`,
			`https://eu-west-1.console.aws.amazon.com/dynamodbv2/home?region=eu-west-1#item-explorer?table=shop&pk=ORDER%2523` + pastedOrder,
			`<https://cn-north-1.console.amazonaws.cn/dynamodbv2/home?region=cn-north-1#edit-item?itemMode=2&pk=ORDER%23` + pastedOrder + `&sk=META&table=shop>`,
			`please see https://eu-west-1.console.aws.amazon.com/dynamodbv2/home#edit-item?pk=ORDER%23` + pastedOrder + `&sk=META&table=shop and answer`,
			`time="2026-11-28T10:11:12Z" level=error msg="paying order ` + pastedOrder + ` failed" attempt=3`,
			`{"timestamp":"2026-11-28T10:11:12Z","level":"ERROR","fields":{"order":{"id":"` + pastedOrder + `"}}}`,
			`2026-11-28T10:11:12.000Z	5a1b2c3d-1111-4222-8333-444455556666	ERROR	order ` + pastedOrder + ` failed`,
			`"ORDER#` + pastedOrder + `","META"`, `ORDER#` + pastedOrder + `|META`, `ORDER#` + pastedOrder + ` → META`, `PK: ORDER#` + pastedOrder + `\nSK: META`,
			"> On Mon, Ana wrote:\n>> my order " + pastedOrder + "\n>> is late", "Order-ID: " + pastedOrder + "\nDate: today", "order:" + pastedOrder, "order/" + pastedOrder, "Bestellung " + pastedOrder + ";", "№" + pastedOrder,
			"…" + pastedOrder + "…", "\u200e" + pastedOrder, pastedOrder + "\u00a0", "`ORDER#" + pastedOrder + "`,", "ORDER# " + pastedOrder, "ORDER #" + pastedOrder,
			"new Order({ id: '" + pastedOrder + "', lines: [] })", "Order(id='" + pastedOrder + "', total=Decimal('12.00'))", "Order{ID:" + pastedOrder + ", Total:12}", "id=>\"" + pastedOrder + "\"",
			"<OrderId>" + pastedOrder + "</OrderId>", "- orderId: " + pastedOrder + "\n  total: 12", "orderId=" + pastedOrder + "&total=12", "{orderId=" + pastedOrder + "}", "order%3D" + pastedOrder, "T123/" + pastedOrder + "#c4",
		},
		user: {
			"urn:uuid:" + strings.ToUpper(pastedUser), "USER#{" + pastedUser + "}", `\"userId\":\"` + pastedUser + `\"`, "user/" + pastedUser + "/profile?x=1", "@" + pastedUser, pastedUser + "@shop",
			`UUID("` + pastedUser + `")`, "uid:" + pastedUser + ")", "/users/" + pastedUser + ":disable",
		},
		mail: {
			"To: \"Ana\" <ANA@EXAMPLE.COM>", "ana=40example.com", "email%3Aana%40example.com", `"email":"ana\u0040example.com"`, "<a href=\"mailto:ana@example.com?subject=x\">ana</a>", "ana@example.com wrote:", "Ana (ana@example.com)", "ana@example.com;bob@example.com",
		},
		phone: {
			"+49&nbsp;170&nbsp;1234567", "phone=%2B491701234567", "tel:%2B49-170-1234567", "+49 170 12 34 567.", "Call +49 170 1234567, please", "+49\u2009170\u20091234567",
		},
		invoice: {"inv\\_7Hk2", "INV_7HK2 or inv_7Hk2", "inv_7Hk2</b>", "invoice:inv_7Hk2;", "“inv_7Hk2”", "inv_7Hk2's", "inv_7Hk2=", "?invoice=inv_7Hk2"},
	} {
		checkReads(t, want, texts)
	}
}

// headers returns irrelevant members of an object.
func headers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"x-header-%d":"gzip %d"`, i, i)
	}
	return strings.Join(list, ",")
}

// A file name can spell an ID in several ways, but only one of them is in the database.
func TestFileNamesAreParsed(t *testing.T) {
	checkReads(t, invoice, []string{"inv_7Hk2.json", "export-inv_7Hk2.csv", "s3://exports/2026/inv_7Hk2.pdf"})
	checkReads(t, "get Invoice inv_"+pastedUser, []string{"inv_" + pastedUser + ".json", "export_inv_" + pastedUser + "_2026-11-28.csv"})
}

func TestIDsInOtherSpellingsAreFound(t *testing.T) {
	for _, test := range []struct {
		schema lookup.Schema
		text   string
		want   []string
	}{
		{shop(), "PAGE#42", []string{"get Page PAGE#00042"}},
		{shop(), "see page#42.", []string{"get Page PAGE#00042"}},
		{shop(), "page 42", []string{"get Page PAGE#00042"}},
		{shop(), "#42", []string{"get Page PAGE#00042"}},
		{shop(), "Zoe\u0308", []string{"get Note Zo\u00eb"}},
		{shop(), "ana@b\u00fccher.example", []string{"query User.X ana@b\u00fccher.example", "query User.X ana@xn--bcher-kva.example"}},
		{sites(), "https://B\u00fccher.example/x", []string{"get Site SITE#b\u00fccher.example", "get Site SITE#xn--bcher-kva.example"}},
		{sites(), "xn--bcher-kva.example", []string{"get Site SITE#b\u00fccher.example", "get Site SITE#xn--bcher-kva.example"}},
	} {
		var got []string
		for _, read := range lookUp(t, test.schema, test.text).Reads {
			_, line, _ := strings.Cut(readText(read), " ")
			got = append(got, line)
		}
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %s", test.text, strings.Join(got, "\n"), want)
			}
		}
	}
}

// Text that the schema cannot interpret costs almost nothing, and no part of it counts as an ID.
func TestUnrelatedTextsSendFewReads(t *testing.T) {
	for _, text := range []string{
		"The customer says that the payment did not arrive yet and asks for a call tomorrow.",
		"Hello, can you help me?", "Dear team, please find attached the report of 2026-11-28, see page 12.",
		"goroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:12 +0x1d", "panic: runtime error: index out of range [3] with length 3",
		"Traceback (most recent call last):\n  File \"app.py\", line 42, in <module>\n    main()\nKeyError: 'orderId'",
		"java.lang.NullPointerException\n\tat com.example.Shop.pay(Shop.java:231)",
		"ERROR 2026-11-28 10:11:12,345 timeout after 30000 ms", "HTTP/1.1 404 Not Found\r\nContent-Length: 0",
		"select * from orders where id = 1", "SELECT 1;", "git commit -m 'fix'", "ls -la /var/log", "127.0.0.1:8080", "10.0.0.0/8",
		"192.168.1.20 - - [28/Nov/2026:10:11:12 +0000] \"GET / HTTP/1.1\" 200 612", "arn:aws:iam::123456789012:role/Admin",
		"arn:aws:dynamodb:eu-west-1:123456789012:table/shop", "AKIAIOSFODNN7EXAMPLE", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln",
		"data:image/png;base64,iVBORw0KGgo=", "https://github.com/ddbdesk/ddbdesk/issues/123", "https://example.com/", "www.example.com",
		"file:///etc/passwd", "C:\\Users\\ana\\order.txt", "/home/ana/order-2026.txt", "v1.2.3", "1.0.0-rc.1+build.5", "#ff00aa", "12:30",
		"2026-11-28", "2026-11-28T10:11:12Z", "28.11.2026", "10 %", "3.14159", "1,234.56 EUR", "42", "-1", "1e9", "0x1f", "true", "null",
		"[]", "{}", "[1,2,3]", `{"a":1}`, `{"a":{"b":{"c":[1,2,{"d":"e"}]}}}`, "{'a': 1}", "{{template}}", "${variable}", "<html><body></body></html>",
		"<script>alert(1)</script>", "key: value\nlist:\n  - a\n  - b", "a,b,c\n1,2,3", "PK", "ORDER#", "USER", "ORDER", "inv_", "META / PROFILE",
		"???", "…", "😀 😀", "日本語のテキスト", "Straße 12, 12345 Berlin", "O'Brien & Sons", "lorem ipsum dolor sit amet consectetur adipiscing elit",
		"ORDERS ARE LATE", "order of 3 books", strings.Repeat("a ", 2000), strings.Repeat("{", 5000), strings.Repeat(`{"a":`, 3000),
	} {
		r, err := lookup.Find(shop(), text)
		if err != nil {
			continue
		}
		if len(r.Reads) > 5 {
			t.Errorf("%.60q sends %d reads, want at most 5", text, len(r.Reads))
		}
		for _, read := range r.Reads {
			if read.Quality < lookup.Example {
				t.Errorf("%.60q is recognized as %s", text, readText(read))
			}
		}
	}
}

// ddbdesk offers an ID within other text instead of opening it. A link or an event with one item counts as a key.
func TestHasOtherTextReportsTextAroundID(t *testing.T) {
	for text, hasOtherText := range map[string]bool{
		pastedOrder: false, "*" + pastedOrder + "*": false, "https://shop.example.com/orders/" + pastedOrder: false,
		`{"Keys":{"PK":{"S":"ORDER#` + pastedOrder + `"},"SK":{"S":"META"}}}`:                                                                                    false,
		`{"detail": {"orderId": "` + pastedOrder + `", "total": 12}}`:                                                                                            false,
		`{"level": "info", "msg": "order ` + pastedOrder + ` paid"}`:                                                                                             true,
		`{"detail":{"orderId":"` + pastedOrder + `","userId":"` + pastedUser + `"}}`:                                                                             true,
		`{"Records":[{"Keys":{"PK":{"S":"ORDER#` + pastedOrder + `"},"SK":{"S":"META"}}},{"Keys":{"PK":{"S":"USER#` + pastedUser + `"},"SK":{"S":"PROFILE"}}}]}`: true,
		"https://shop.example.com/users/" + pastedUser + "/orders/" + pastedOrder:                                                                                true,
		"the order " + pastedOrder + " is late":                                                                                                                  true, "mail to ana@example.com": true,
	} {
		if r := lookUp(t, shop(), text); r.HasOtherText != hasOtherText {
			t.Errorf("%s: HasOtherText = %v, want %v", text, r.HasOtherText, hasOtherText)
		}
	}
}

// A search finds an ID between any delimiters, and limits its reads for any text.
func TestIDsAreFoundBetweenAnyDelimiters(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		around := rapid.StringMatching(`[ \n"'<>(){}\[\],;|=?&]{1,8}`)
		text := around.Draw(rt, "before") + pastedOrder + around.Draw(rt, "after")
		r, err := lookup.Find(shop(), text)
		if err != nil || !slices.ContainsFunc(r.Reads, func(r lookup.Read) bool { return strings.HasSuffix(readText(r), pastedOrder+" / META") }) {
			rt.Errorf("%q is not found: %v", text, err)
		}
		r, _ = lookup.Find(shop(), rapid.String().Draw(rt, "any")+around.Draw(rt, "between")+rapid.String().Draw(rt, "other"))
		if len(r.Reads) > 40 {
			rt.Errorf("got %d reads, want at most 40", len(r.Reads))
		}
	})
}

// ddbdesk tries a phone number without a country code with the country codes of the examples.
func TestNationalPhoneNumbersGetCountryCodes(t *testing.T) {
	s := shop()
	for _, text := range []string{"0170 1234567", "0170/123-4567", "Tel: 0170 1234567", "(0170) 1234567"} {
		if r := lookUp(t, s, text); !r.LacksCountryCode {
			t.Errorf("LacksCountryCode is false for %s", text)
		}
	}
	for _, text := range []string{"+49 170 1234567", "2026-11-28", pastedOrder, "order 0012345678 of the customer is late", "1.2.3"} {
		if r := lookUp(t, s, text); r.LacksCountryCode {
			t.Errorf("LacksCountryCode is true for %s", text)
		}
	}
	s.Examples = func(_ *models.Entity, path string) []string {
		if path == "phone" {
			return []string{"+4915112345678", "+13125550152", "+353861234567", "+4930123456"}
		}
		return nil
	}
	for text, want := range map[string]string{
		"0170 1234567": "get Caller +491701234567", "(312) 555-0199": "get Caller +13125550199", "call 086 123 4567": "get Caller +353861234567",
	} {
		var got []string
		for _, read := range lookUp(t, s, text).Reads {
			_, line, _ := strings.Cut(readText(read), " ")
			got = append(got, line)
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// A hit in a long text contains the position of the ID.
func TestHitsContainPositionOfID(t *testing.T) {
	for text, want := range map[string]string{
		pastedOrder: "", "order " + pastedOrder: "", "Hi,\nmy order\nis " + pastedOrder + ".": "line 3",
		`{"detail":{"orderId":"` + pastedOrder + `"}}`:                                                   "detail.orderId",
		`{"Records":[{"body":"{\"order\":{\"id\":\"` + pastedOrder + `\"}}"}]}`:                          "Records.body.order.id",
		`{"Records":[{"dynamodb":{"Keys":{"PK":{"S":"ORDER#` + pastedOrder + `"},"SK":{"S":"META"}}}}]}`: "Records.dynamodb.Keys",
	} {
		if r := lookUp(t, shop(), text); r.Reads[0].From != want {
			t.Errorf("%s: From = %q, want %q", text, r.Reads[0].From, want)
		}
	}
}

// A long number is a valid beginning of a ULID, but no real ULID begins with one.
func TestNumberIsNotIDPrefix(t *testing.T) {
	for text, want := range map[string]lookup.Quality{"354928817406": lookup.Bare, "01K9ZQ4B": lookup.Exact, "ORDER#01": lookup.Literal, "12345678": lookup.Exact} {
		begins := lookup.FindByPrefix(shop(), text)
		if len(begins) == 0 || begins[0].Quality != want {
			t.Errorf("%s: prefixes %v, want quality %d", text, begins, want)
		}
	}
}
