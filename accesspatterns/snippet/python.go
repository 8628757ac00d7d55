package snippet

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// python writes programs for boto3.
var python = syntax{
	comment: "# ", header: pythonHeader, margin: "    ",
	footer: func(source) string { return "\n\nif __name__ == \"__main__\":\n    main()\n" },
	get: `response = client.get_item(
$members)
if "Item" not in response:
    raise SystemExit("item not found")
print({name: plain(value) for name, value in response["Item"].items()})
`,
	batch: `for rest in [
$requests]:
    while rest:
        response = client.batch_get_item(RequestItems=rest)
        for item in response["Responses"][$table]:
            print({name: plain(value) for name, value in item.items()})
        rest = response["UnprocessedKeys"]
        if rest:
            time.sleep(1)
`,
	request: "    {$table: {\n$members    }},\n", list: "[", listEnd: "]", mapOf: "{",
	literal: "\n$members", variable: "**request",
	read: `pages = client.get_paginator("$operation").paginate($input)
for page in pages:
    $page
`,
	sum: `total += page["Count"]`,
	show: `for item in page["Items"]:
        print({name: plain(value) for name, value in item.items()})`,
	declare: "total = 0\n", print: "print(total)\n",
	eachValue: "for " + loopVariable + " in [$list]:\n$statements",
	eachInput: "requests = [\n$list]\nfor request in requests:\n$statements",

	indent: "    ", member: "%s=%s", element: `"%s": %s`, text: "%s", truth: "%s", count: `"COUNT"`,
	names: "{", values: "{", value: `{"%s": %s}`,
	bytes:   func(b []byte) string { return `base64.b64decode("` + base64.StdEncoding.EncodeToString(b) + `")` },
	quote:   quotePython,
	boolean: func(b bool) string { return map[bool]string{true: "True", false: "False"}[b] },
}

func pythonHeader(s source) string {
	var b strings.Builder
	if slices.ContainsFunc(s.calls, call.hasBinary) {
		b.WriteString("import base64\n\n")
	}
	if s.operation() == "BatchGetItem" {
		b.WriteString("import time\n\n")
	}
	b.WriteString("import boto3\n")
	if !s.isCount() {
		b.WriteString("from boto3.dynamodb.types import TypeDeserializer\n")
	}
	session := strings.Join(s.options("", "", ".Session(profile_name=%s)"), "")
	arguments := append([]string{`"dynamodb"`}, s.options("region_name=%s", "endpoint_url=%s", "")...)
	fmt.Fprintf(&b, "\n\ndef main():\n    client = boto3%s.client(%s)\n", session, strings.Join(arguments, ", "))
	if !s.isCount() {
		b.WriteString("    plain = TypeDeserializer().deserialize  # numbers become Decimal\n")
	}
	return b.String()
}

func (c call) hasBinary() bool {
	isBinary := func(v types.AttributeValue) bool { return models.ValueType(v) == models.TypeB }
	return slices.ContainsFunc(c.members, func(m member) bool {
		keys, _ := m.value.([]models.Item)
		return slices.ContainsFunc(append(keys, c.values), func(it models.Item) bool {
			return slices.ContainsFunc(slices.Collect(maps.Values(it)), isBinary)
		})
	})
}

// quotePython uses Go's escapes, also valid in Python. Invalid UTF-8 becomes U+FFFD, as in DynamoDB's responses.
func quotePython(text string) string { return strconv.Quote(string([]rune(text))) }
