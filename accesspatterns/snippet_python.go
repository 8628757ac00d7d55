// This file writes a request as a Python program with boto3.

package accesspatterns

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// pythonString is text as a literal of Python. What is no UTF-8 becomes U+FFFD,
// as in every answer of DynamoDB.
func pythonString(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// python writes the program.
func (s *script) python() string {
	var b strings.Builder
	b.WriteString(s.remarks("#"))
	first := s.calls[0]
	if s.usesBinary() {
		b.WriteString("import base64\n\n")
	}
	b.WriteString("import boto3\n")
	if !first.counts {
		b.WriteString("from boto3.dynamodb.types import TypeDeserializer\n")
	}
	b.WriteString("\n\ndef main():\n    client = " + s.pythonClient() + "\n")
	if !first.counts {
		b.WriteString("    plain = TypeDeserializer().deserialize  # numbers become Decimal\n")
	}
	switch {
	case first.operation == "GetItem":
		b.WriteString("    answer = client.get_item(\n" + s.pythonInput(first, "        ", "=") + "    )\n" +
			"    if \"Item\" not in answer:\n        raise SystemExit(\"there is no such item\")\n" +
			"    print({name: plain(value) for name, value in answer[\"Item\"].items()})\n")
	case first.counts:
		b.WriteString("    total = 0\n" + s.pythonPages("total += page[\"Count\"]\n") + "    print(total)\n")
	default:
		b.WriteString(s.pythonPages("for item in page[\"Items\"]:\n    print({name: plain(value) for name, value in item.items()})\n"))
	}
	b.WriteString("\n\nif __name__ == \"__main__\":\n    main()\n")
	return b.String()
}

func (s *script) usesBinary() bool {
	for _, c := range s.calls {
		for _, it := range []models.Item{c.key, c.values} {
			for _, v := range it {
				if _, ok := binary(v); ok {
					return true
				}
			}
		}
	}
	return false
}

func (s *script) pythonClient() string {
	session := "boto3"
	if s.place.Profile != "" {
		session = "boto3.Session(profile_name=" + pythonString(s.place.Profile) + ")"
	}
	args := `"dynamodb"`
	if s.place.Region != "" {
		args += ", region_name=" + pythonString(s.place.Region)
	}
	if s.place.Endpoint != "" {
		args += ", endpoint_url=" + pythonString(s.place.Endpoint)
	}
	return session + ".client(" + args + ")"
}

// pythonInput is the arguments of a call, a line each: as keywords with is "=",
// as members of a dict with ":".
func (s *script) pythonInput(c call, indent, is string) string {
	var b strings.Builder
	put := func(name, value string) {
		if is == "=" {
			b.WriteString(indent + name + "=" + value + ",\n")
			return
		}
		b.WriteString(indent + `"` + name + `": ` + value + ",\n")
	}
	text := func(name, value string) {
		if value != "" {
			put(name, pythonString(value))
		}
	}
	text("TableName", c.table)
	text("IndexName", c.index)
	if c.key != nil {
		put("Key", s.pythonValues(c.key, indent))
	}
	if c.on {
		put("ConsistentRead", "True")
	}
	text("KeyConditionExpression", c.condition)
	text("FilterExpression", c.filter)
	if len(c.names) > 0 {
		var names strings.Builder
		for _, alias := range aliases(c.names) {
			names.WriteString(indent + "    " + pythonString(alias) + ": " + pythonString(c.names[alias]) + ",\n")
		}
		put("ExpressionAttributeNames", "{\n"+names.String()+indent+"}")
	}
	if len(c.values) > 0 {
		put("ExpressionAttributeValues", s.pythonValues(c.values, indent))
	}
	if c.descending {
		put("ScanIndexForward", "False")
	}
	if c.counts {
		put("Select", `"COUNT"`)
	}
	return b.String()
}

func (s *script) pythonValues(it models.Item, indent string) string {
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range it.Names() {
		value := pythonValue(it[name])
		if name == s.vary {
			value = eachValue
		}
		fmt.Fprintf(&b, "%s    %s: {\"%s\": %s},\n", indent, pythonString(name), models.ValueType(it[name]), value)
	}
	b.WriteString(indent + "}")
	return b.String()
}

// pythonValue is a scalar; keys and conditions hold nothing else.
func pythonValue(v types.AttributeValue) string {
	if base, ok := binary(v); ok {
		return `base64.b64decode("` + base + `")`
	}
	if b, ok := v.(*types.AttributeValueMemberBOOL); ok {
		return map[bool]string{true: "True", false: "False"}[b.Value]
	}
	text, _ := models.ValueText(v)
	return pythonString(text)
}

// pythonPages reads every page of every call.
func (s *script) pythonPages(each string) string {
	pages := func(indent, input string) string {
		body := strings.ReplaceAll(strings.TrimSuffix(each, "\n"), "\n", "\n"+indent+"    ")
		operation := strings.ToLower(s.calls[0].operation)
		return indent + "pages = client.get_paginator(\"" + operation + "\").paginate(" + input + ")\n" +
			indent + "for page in pages:\n" + indent + "    " + body + "\n"
	}
	keywords := func(indent string) string {
		return "\n" + s.pythonInput(s.calls[0], indent+"    ", "=") + indent
	}
	switch {
	case s.vary != "":
		var list []string
		for _, v := range s.values {
			list = append(list, pythonValue(v))
		}
		return "    for " + eachValue + " in [" + strings.Join(list, ", ") + "]:\n" + pages("        ", keywords("        "))
	case len(s.calls) > 1:
		var b strings.Builder
		b.WriteString("    requests = [\n")
		for _, c := range s.calls {
			b.WriteString("        {\n" + s.pythonInput(c, "            ", ":") + "        },\n")
		}
		return b.String() + "    ]\n    for request in requests:\n" + pages("        ", "**request")
	}
	return pages("    ", keywords("    "))
}
