package snippet

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

// typescript writes programs for @aws-sdk/client-dynamodb with top-level await.
var typescript = syntax{
	comment: "// ", header: typescriptHeader, footer: func(source) string { return "" },
	get: `const { Item } = await client.send(new GetItemCommand({
$members}));
if (!Item) throw new Error("item not found");
console.log(unmarshall(Item, exact));
`,
	batch: `const inputs: BatchGetItemCommandInput[] = [
$requests];
for (const input of inputs) {
  let rest = input.RequestItems;
  while (rest && Object.keys(rest).length > 0) {
    const page = await client.send(new BatchGetItemCommand({ RequestItems: rest }));
    for (const item of page.Responses?.[$table] ?? []) console.log(unmarshall(item, exact));
    rest = page.UnprocessedKeys;
    if (rest && Object.keys(rest).length > 0) await new Promise((done) => setTimeout(done, 1000));
  }
}
`,
	request: "  { RequestItems: { $table: {\n$members  } } },\n", list: "[", listEnd: "]", mapOf: "{",
	literal: "{\n$members}", variable: "input",
	read: `for await (const page of paginate$Operation({ client }, $input)) {
  $page
}
`,
	sum: "total += page.Count ?? 0;", show: "for (const item of page.Items ?? []) console.log(unmarshall(item, exact));",
	declare: "let total = 0;\n", print: "console.log(total);\n",
	eachValue: "for (const " + loopVariable + " of [$list]) {\n$statements}\n",
	eachInput: "const inputs: $OperationCommandInput[] = [\n$list];\nfor (const input of inputs) {\n$statements}\n",

	indent: "  ", member: "%s: %s", element: "%s: %s", text: "%s", truth: "%s", count: `"COUNT"`,
	names: "{", values: "{", value: "{ %s: %s }",
	bytes: func(b []byte) string { return `Buffer.from("` + base64.StdEncoding.EncodeToString(b) + `", "base64")` },
	quote: quoteScript, boolean: strconv.FormatBool,
}

func typescriptHeader(s source) string {
	operation := s.operation()
	imports := "paginate" + operation
	switch {
	case operation == "GetItem":
		imports = "GetItemCommand"
	case operation == "BatchGetItem":
		imports = "BatchGetItemCommand, type BatchGetItemCommandInput"
	case len(s.calls) > 1:
		imports += ", type " + operation + "CommandInput"
	}
	options := strings.Join(s.options("region: %s", "endpoint: %s", "profile: %s"), ", ")
	if options != "" {
		options = "{ " + options + " }"
	}
	unmarshall, exact := `import { unmarshall } from "@aws-sdk/util-dynamodb";
`, `// Numbers stay text: a JavaScript number has 15 digits, a DynamoDB number 38.
const exact = { wrapNumbers: true };
`
	if s.isCount() {
		unmarshall, exact = "", ""
	}
	return `import { DynamoDBClient, ` + imports + ` } from "@aws-sdk/client-dynamodb";
` + unmarshall + `
const client = new DynamoDBClient(` + options + `);
` + exact + "\n"
}

func quoteScript(text string) string {
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text))))
}
