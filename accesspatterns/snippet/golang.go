package snippet

import (
	"slices"
	"strconv"
	"strings"
)

// golang writes programs for aws-sdk-go-v2. gofmt indents them.
var golang = syntax{
	comment: "// ", head: goHead, tail: goTail,
	get: `out, err := client.GetItem(ctx, &dynamodb.GetItemInput{
$members})
if err != nil {
	log.Fatal(err)
}
if out.Item == nil {
	log.Fatal("item not found")
}
show([]map[string]types.AttributeValue{out.Item})
`,
	batch: `for _, rest := range []map[string]types.KeysAndAttributes{
$requests} {
	for len(rest) > 0 {
		out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: rest})
		if err != nil {
			log.Fatal(err)
		}
		show(out.Responses[$table])
		if rest = out.UnprocessedKeys; len(rest) > 0 {
			time.Sleep(time.Second)
		}
	}
}
`,
	request: "{$table: {\n$members}},\n", list: "[]map[string]types.AttributeValue{", listEnd: "}", mapOf: "{",
	literal:  "&dynamodb.$OperationInput{\n$members}",
	variable: "input",
	read: `pages := dynamodb.New$OperationPaginator(client, $input)
for pages.HasMorePages() {
	page, err := pages.NextPage(ctx)
	if err != nil {
		log.Fatal(err)
	}
	$page
}
`,
	sum: "total += int(page.Count)", show: "show(page.Items)",
	declare: "total := 0\n", print: "fmt.Println(total)\n",
	eachValue: "for _, " + loopVariable + " := range []string{$list} {\n$statements}\n",
	eachInput: "inputs := []*dynamodb.$OperationInput{\n$list}\nfor _, input := range inputs {\n$statements}\n",

	member: "%s: %s", element: "%s: %s", text: "aws.String(%s)", truth: "aws.Bool(%s)", count: "types.SelectCount",
	names: "map[string]string{", values: "map[string]types.AttributeValue{", value: "&types.AttributeValueMember%s{Value: %s}",
	bytes: func(b []byte) string { return "[]byte(" + strconv.Quote(string(b)) + ")" },
	quote: strconv.Quote, boolean: strconv.FormatBool,
}

func goHead(s source) string {
	imports := []string{"context", "encoding/json", "log", "os", "", sdk + "aws", sdk + "config", sdk + "feature/dynamodb/attributevalue"}
	if s.counts() {
		imports = []string{"context", "fmt", "log", "", sdk + "aws", sdk + "config"}
	}
	if s.operation() == "BatchGetItem" {
		imports = slices.Insert(imports, 4, "time")
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range append(imports, sdk+"service/dynamodb", sdk+"service/dynamodb/types") {
		if path != "" {
			path = strconv.Quote(path)
		}
		b.WriteString(path + "\n")
	}
	b.WriteString(`)

func main() {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx`)
	b.WriteString(strings.Join(s.options(", config.WithRegion(%s)", "", ", config.WithSharedConfigProfile(%s)"), ""))
	b.WriteString(`)
	if err != nil {
		log.Fatal(err)
	}
	client := dynamodb.NewFromConfig(cfg`)
	b.WriteString(strings.Join(s.options("", `, func(o *dynamodb.Options) {
		o.BaseEndpoint = aws.String(%s)
	}`, ""), ""))
	b.WriteString(")\n")
	return b.String()
}

// sdk starts the import paths of the AWS SDK.
const sdk = "github.com/aws/aws-sdk-go-v2/"

func goTail(s source) string {
	if s.counts() {
		return "}\n"
	}
	return `}

// show prints each item as a line of JSON. Numbers stay text and keep every digit.
func show(items []map[string]types.AttributeValue) {
	out := json.NewEncoder(os.Stdout)
	for _, item := range items {
		var row map[string]any
		err := attributevalue.UnmarshalMapWithOptions(item, &row, func(o *attributevalue.DecoderOptions) { o.UseNumber = true })
		if err == nil {
			err = out.Encode(row)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
`
}
