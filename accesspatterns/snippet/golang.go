package snippet

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// golang writes programs for aws-sdk-go-v2. gofmt indents them.
var golang = syntax{
	comment: "// ", header: goHeader, footer: goFooter,
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

func goHeader(s source) string {
	imports := []string{"context", "encoding/json", "log", "os", "", sdk + "aws", sdk + "config", sdk + "feature/dynamodb/attributevalue"}
	if s.isCount() {
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

func goFooter(s source) string {
	if s.isCount() {
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

// gofmt formats the programs of this package. It replaces go/format, which would add Go's parser to ddbdesk.
func gofmt(program string) string {
	lines := strings.Split(program, "\n")
	depth, group := 0, []pair{}
	for i, l := range lines {
		l = strings.TrimLeft(l, "\t")
		if strings.HasPrefix(l, "}") || strings.HasPrefix(l, ")") {
			depth--
		}
		margin := strings.Repeat("\t", depth)
		if l == "" {
			margin = ""
		}
		if !strings.HasPrefix(l, "//") && (strings.HasSuffix(l, "{") || strings.HasSuffix(l, "(")) {
			depth++
		}
		lines[i] = margin + l
		p, ok := pairOf(l)
		if !ok || !p.belongsToGroup(group) {
			align(lines[i-len(group):i], group)
			group = nil
		}
		if ok {
			group = append(group, p)
		}
	}
	return strings.Join(lines, "\n")
}

// A pair is a line of a literal: the name of a member and its value.
type pair struct{ name, value string }

func pairOf(line string) (p pair, ok bool) {
	quoted, _ := strconv.QuotedPrefix(line)
	name, value, ok := strings.Cut(line[len(quoted):], ": ")
	return pair{quoted + name, value}, ok && strings.HasSuffix(line, ",") && !strings.ContainsAny(name, "\" /")
}

// belongsToGroup reports whether gofmt aligns a value with those before it. Source: exprList in go/printer/nodes.go.
func (p pair) belongsToGroup(group []pair) bool {
	const small, threshold = 40, 2.5
	if len(group) == 0 || len(p.name) <= small && len(group[len(group)-1].name) <= small {
		return true
	}
	logs := 0.0
	for _, before := range group {
		logs += math.Log(float64(len(before.name)))
	}
	ratio := float64(len(p.name)) / math.Exp(logs/float64(len(group)))
	return threshold*ratio > 1 && ratio < threshold
}

func align(lines []string, group []pair) {
	widest := 0
	for _, p := range group {
		widest = max(widest, utf8.RuneCountInString(p.name))
	}
	for i, p := range group {
		margin := lines[i][:len(lines[i])-len(p.name)-len(": ")-len(p.value)]
		lines[i] = margin + p.name + ":" + strings.Repeat(" ", widest-utf8.RuneCountInString(p.name)+1) + p.value
	}
}
