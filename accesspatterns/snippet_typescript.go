// This file writes a request as a TypeScript program with version 3 of the AWS
// SDK.

package accesspatterns

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// scriptString is text as a literal of JavaScript: one of JSON, with everything
// spelled that an eye cannot see.
func scriptString(text string) string {
	return string(models.PrintableJSON(models.AppendValueJSON(nil, models.StringValue(text))))
}

// typescript writes the program.
func (s *script) typescript() string {
	var b strings.Builder
	b.WriteString(s.remarks("//"))
	first := s.calls[0]
	get := first.operation == "GetItem"
	imported := "paginate" + first.operation
	if get {
		imported = "GetItemCommand"
	}
	if len(s.calls) > 1 {
		imported += ", type " + first.operation + "CommandInput"
	}
	b.WriteString("import { DynamoDBClient, " + imported + " } from \"@aws-sdk/client-dynamodb\";\n")
	if !first.counts {
		b.WriteString("import { unmarshall } from \"@aws-sdk/util-dynamodb\";\n")
	}
	b.WriteString("\n" + s.scriptClient())
	if !first.counts {
		b.WriteString("// Numbers are wrapped as text: one of JavaScript has 15 digits, DynamoDB's have 38.\nconst exact = { wrapNumbers: true };\n")
	}
	b.WriteString("\n")
	switch {
	case get:
		b.WriteString("const { Item } = await client.send(new GetItemCommand({\n" + s.scriptInput(first, "  ") + "}));\n" +
			"if (!Item) throw new Error(\"there is no such item\");\nconsole.log(unmarshall(Item, exact));\n")
	case first.counts:
		b.WriteString("let total = 0;\n" + s.scriptPages("total += page.Count ?? 0;\n") + "console.log(total);\n")
	default:
		b.WriteString(s.scriptPages("for (const item of page.Items ?? []) console.log(unmarshall(item, exact));\n"))
	}
	return b.String()
}

func (s *script) scriptClient() string {
	var options []string
	if s.place.Region != "" {
		options = append(options, "region: "+scriptString(s.place.Region))
	}
	if s.place.Endpoint != "" {
		options = append(options, "endpoint: "+scriptString(s.place.Endpoint))
	}
	if s.place.Profile != "" {
		options = append(options, "profile: "+scriptString(s.place.Profile))
	}
	if len(options) == 0 {
		return "const client = new DynamoDBClient();\n"
	}
	return "const client = new DynamoDBClient({ " + strings.Join(options, ", ") + " });\n"
}

// scriptInput is the members of a call's input, a line each.
func (s *script) scriptInput(c call, indent string) string {
	var b strings.Builder
	put := func(name, value string) { b.WriteString(indent + name + ": " + value + ",\n") }
	text := func(name, value string) {
		if value != "" {
			put(name, scriptString(value))
		}
	}
	text("TableName", c.table)
	text("IndexName", c.index)
	if c.key != nil {
		put("Key", s.scriptValues(c.key, indent))
	}
	if c.on {
		put("ConsistentRead", "true")
	}
	text("KeyConditionExpression", c.condition)
	text("FilterExpression", c.filter)
	if len(c.names) > 0 {
		var names strings.Builder
		for _, alias := range aliases(c.names) {
			names.WriteString(indent + "  " + scriptString(alias) + ": " + scriptString(c.names[alias]) + ",\n")
		}
		put("ExpressionAttributeNames", "{\n"+names.String()+indent+"}")
	}
	if len(c.values) > 0 {
		put("ExpressionAttributeValues", s.scriptValues(c.values, indent))
	}
	if c.descending {
		put("ScanIndexForward", "false")
	}
	if c.counts {
		put("Select", `"COUNT"`)
	}
	return b.String()
}

func (s *script) scriptValues(it models.Item, indent string) string {
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range it.Names() {
		value := scriptValue(it[name])
		if name == s.vary {
			value = eachValue
		}
		fmt.Fprintf(&b, "%s  %s: { %s: %s },\n", indent, scriptString(name), models.ValueType(it[name]), value)
	}
	b.WriteString(indent + "}")
	return b.String()
}

// scriptValue is a scalar; keys and conditions hold nothing else.
func scriptValue(v types.AttributeValue) string {
	if base, ok := binary(v); ok {
		return `Buffer.from("` + base + `", "base64")`
	}
	if b, ok := v.(*types.AttributeValueMemberBOOL); ok {
		return strconv.FormatBool(b.Value)
	}
	text, _ := models.ValueText(v)
	return scriptString(text)
}

// scriptPages reads every page of every call.
func (s *script) scriptPages(each string) string {
	pages := func(indent, input string) string {
		return indent + "for await (const page of paginate" + s.calls[0].operation + "({ client }, " + input + ")) {\n" +
			indent + "  " + each + indent + "}\n"
	}
	literal := func(indent string) string { return "{\n" + s.scriptInput(s.calls[0], indent+"  ") + indent + "}" }
	switch {
	case s.vary != "":
		var list []string
		for _, v := range s.values {
			list = append(list, scriptValue(v))
		}
		return "for (const " + eachValue + " of [" + strings.Join(list, ", ") + "]) {\n" + pages("  ", literal("  ")) + "}\n"
	case len(s.calls) > 1:
		var b strings.Builder
		b.WriteString("const inputs: " + s.calls[0].operation + "CommandInput[] = [\n")
		for _, c := range s.calls {
			b.WriteString("  {\n" + s.scriptInput(c, "    ") + "  },\n")
		}
		return b.String() + "];\nfor (const input of inputs) {\n" + pages("  ", "input") + "}\n"
	}
	return pages("", literal(""))
}
