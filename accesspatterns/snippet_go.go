// This file writes a request as a Go program with aws-sdk-go-v2.

package accesspatterns

import (
	"encoding/base64"
	"fmt"
	"go/format"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// golang writes the program, formatted as gofmt does.
func (s *script) golang() string {
	first := s.calls[0]
	imports := []string{"context", "encoding/json", "log", "os", "", "aws", "config", "feature/dynamodb/attributevalue", "service/dynamodb", "service/dynamodb/types"}
	if first.counts {
		imports = []string{"context", "fmt", "log", "", "aws", "config", "service/dynamodb", "service/dynamodb/types"}
	}
	var list strings.Builder
	module := ""
	for _, path := range imports {
		if path == "" {
			module = "github.com/aws/aws-sdk-go-v2/"
			list.WriteString("\n")
			continue
		}
		list.WriteString(strconv.Quote(module+path) + "\n")
	}
	program := s.remarks("//") + "package main\n\nimport (\n" + list.String() + ")\n\n" +
		"func main() {\nctx := context.Background()\n" + s.goClient()
	switch {
	case first.operation == "GetItem":
		program += s.goGet()
	case first.counts:
		program += "total := 0\n" + s.goPages("total += int(page.Count)\n") + "fmt.Println(total)\n"
	default:
		program += s.goPages("show(page.Items)\n")
	}
	program += "}\n"
	if !first.counts {
		program += goShow
	}
	return gofmt(program)
}

// goShow writes items as JSON lines. Numbers stay text: float64 would lose
// digits.
const goShow = `
// show writes items as lines of JSON. Numbers are text and keep every digit.
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

func gofmt(program string) string {
	out, err := format.Source([]byte(program))
	if err != nil {
		// It is made of quoted text in fixed places, so it always parses. Badly
		// formatted is better than not at all.
		return program
	}
	return string(out)
}

// goClient makes the client.
func (s *script) goClient() string {
	load := "cfg, err := config.LoadDefaultConfig(ctx"
	if s.place.Region != "" {
		load += ", config.WithRegion(" + strconv.Quote(s.place.Region) + ")"
	}
	if s.place.Profile != "" {
		load += ", config.WithSharedConfigProfile(" + strconv.Quote(s.place.Profile) + ")"
	}
	load += ")\nif err != nil {\nlog.Fatal(err)\n}\n"
	if s.place.Endpoint == "" {
		return load + "client := dynamodb.NewFromConfig(cfg)\n"
	}
	return load + "client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {\no.BaseEndpoint = aws.String(" + strconv.Quote(s.place.Endpoint) + ")\n})\n"
}

// goInput is the input of a call without its type's name.
func (s *script) goInput(c call) string {
	var b strings.Builder
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: aws.String(%s),\n", name, strconv.Quote(text))
		}
	}
	b.WriteString("{\n")
	field("TableName", c.table)
	field("IndexName", c.index)
	if c.key != nil {
		b.WriteString("Key: " + s.goValues(c.key))
	}
	if c.on {
		b.WriteString("ConsistentRead: aws.Bool(true),\n")
	}
	field("KeyConditionExpression", c.condition)
	field("FilterExpression", c.filter)
	if len(c.names) > 0 {
		b.WriteString("ExpressionAttributeNames: map[string]string{\n")
		for _, alias := range aliases(c.names) {
			fmt.Fprintf(&b, "%q: %s,\n", alias, strconv.Quote(c.names[alias]))
		}
		b.WriteString("},\n")
	}
	if len(c.values) > 0 {
		b.WriteString("ExpressionAttributeValues: " + s.goValues(c.values))
	}
	if c.descending {
		b.WriteString("ScanIndexForward: aws.Bool(false), // the last one first\n")
	}
	if c.counts {
		b.WriteString("Select: types.SelectCount,\n")
	}
	b.WriteString("}")
	return b.String()
}

func (s *script) goValues(it models.Item) string {
	var b strings.Builder
	b.WriteString("map[string]types.AttributeValue{\n")
	for _, name := range it.Names() {
		value := goValue(it[name])
		if name == s.vary {
			value = "&types.AttributeValueMember" + string(models.ValueType(it[name])) + "{Value: " + eachValue + "}"
		}
		fmt.Fprintf(&b, "%s: %s,\n", strconv.Quote(name), value)
	}
	b.WriteString("},\n")
	return b.String()
}

// goValue is a scalar; keys and conditions hold nothing else.
func goValue(v types.AttributeValue) string {
	member := "&types.AttributeValueMember" + string(models.ValueType(v)) + "{Value: "
	switch v := v.(type) {
	case *types.AttributeValueMemberB:
		return member + "[]byte(" + strconv.Quote(string(v.Value)) + ")}"
	case *types.AttributeValueMemberBOOL:
		return member + strconv.FormatBool(v.Value) + "}"
	default:
		text, _ := models.ValueText(v)
		return member + strconv.Quote(text) + "}"
	}
}

func (s *script) goGet() string {
	return "out, err := client.GetItem(ctx, &dynamodb.GetItemInput" + s.goInput(s.calls[0]) + ")\n" +
		"if err != nil {\nlog.Fatal(err)\n}\nif out.Item == nil {\nlog.Fatal(\"there is no such item\")\n}\n" +
		"show([]map[string]types.AttributeValue{out.Item})\n"
}

// goPages reads every page of every call.
func (s *script) goPages(each string) string {
	op := s.calls[0].operation
	loop := func(input string) string {
		return "pages := dynamodb.New" + op + "Paginator(client, " + input + ")\n" +
			"for pages.HasMorePages() {\npage, err := pages.NextPage(ctx)\nif err != nil {\nlog.Fatal(err)\n}\n" + each + "}\n"
	}
	typed := "&dynamodb." + op + "Input"
	switch {
	case s.vary != "":
		var list []string
		for _, v := range s.values {
			text, _ := models.ValueText(v)
			list = append(list, strconv.Quote(text))
		}
		return "for _, " + eachValue + " := range []string{" + strings.Join(list, ", ") + "} {\n" + loop(typed+s.goInput(s.calls[0])) + "}\n"
	case len(s.calls) > 1:
		out := "inputs := []*dynamodb." + op + "Input{\n"
		for _, c := range s.calls {
			out += s.goInput(c) + ",\n"
		}
		return out + "}\nfor _, input := range inputs {\n" + loop("input") + "}\n"
	}
	return loop(typed + s.goInput(s.calls[0]))
}

// binary is bytes as the other languages write them.
func binary(v types.AttributeValue) (base string, ok bool) {
	b, ok := v.(*types.AttributeValueMemberB)
	if !ok {
		return "", false
	}
	return base64.StdEncoding.EncodeToString(b.Value), true
}
