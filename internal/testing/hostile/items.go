package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// MaxItem is the maximum size of an item in DynamoDB, in bytes. Source: Amazon DynamoDB Developer Guide, "Service
// quotas".
const MaxItem = 400 << 10

// A Shape contains the attributes of an item that is hard to display. The test adds the keys of its table.
type Shape struct {
	Name       string
	Attributes models.Item
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

func document(m models.Item) types.AttributeValue { return &types.AttributeValueMemberM{Value: m} }

func list(l ...types.AttributeValue) types.AttributeValue {
	return &types.AttributeValueMemberL{Value: l}
}

func binary(b string) types.AttributeValue { return &types.AttributeValueMemberB{Value: []byte(b)} }

// Shapes returns valid DynamoDB items, each with another difficulty. They leave room for keys.
func Shapes() []Shape {
	return append(small(),
		Shape{"one string of 350 KB", Huge(350 << 10)},
		Shape{"one string of 350 KB in wide letters", models.Item{"wide": text(strings.Repeat("日本語 👩‍👩‍👧 ", 350<<10/28))}},
		Shape{"300 attributes", Attributes(300)},
		Shape{"a list of 1500 documents", Documents(1500)},
		Shape{"binary of 300 KB", models.Item{"blob": binary(strings.Repeat("\x00\xff\x1b", 100<<10))}},
		Shape{"a set of 5000", models.Item{"tags": &types.AttributeValueMemberSS{Value: numbered("tag-", 5000)}}},
		Shape{"a document in 32 levels", models.Item{"deep": Deep(32)}},
		Shape{"a string of 300 KB of line breaks", models.Item{"lines": text(strings.Repeat("x\n", 150<<10))}},
		Shape{"300 KB of combining marks", models.Item{"marks": text("e" + strings.Repeat("\u0301", 150<<10))}},
		Shape{"300 KB of escapes", models.Item{"escapes": text(strings.Repeat("\x1b[31m", 60<<10))}},
	)
}

// small returns shapes of at most a few kilobytes.
func small() []Shape {
	all := models.Item{}
	for _, s := range Valid() {
		if s.Text != "" {
			all["s: "+s.Name] = text(s.Text)
		}
	}
	names := models.Item{}
	for _, n := range Names() {
		names[n] = text("named " + n)
	}
	return []Shape{
		{"only the key", models.Item{}},
		{"hostile texts", all},
		{"hostile names", names},
		{"numbers", models.Item{
			"numbers": list(numberValues()...), "n": number("-1E-130"),
			"ns": &types.AttributeValueMemberNS{Value: Numbers()},
		}},
		{"binaries", models.Item{
			"empty": binary(""), "control": binary("\x00\x01\x1b[2J\xff"), "text": binary("plain"),
			"invalid": binary("\xff\xfe\xc3("), "gzip": binary(Gzip(Text)),
			"bs": &types.AttributeValueMemberBS{Value: [][]byte{{}, {0}, []byte("\x1b[2J"), []byte(Gzip("x"))}},
		}},
		{"sets", models.Item{
			"ss": &types.AttributeValueMemberSS{Value: []string{"", Text, "=1+1", "a,b"}},
			"ns": &types.AttributeValueMemberNS{Value: []string{"1", "-0.5"}},
		}},
		{"empties", models.Item{
			"s": text(""), "l": list(), "m": document(models.Item{}), "b": binary(""), "null": &types.AttributeValueMemberNULL{Value: true},
			"nested": list(list(list()), document(models.Item{"in": document(models.Item{})}), text("")),
		}},
		{"types", Mixed("mixed")},
	}
}

// Huge returns an item with a string of about size bytes.
func Huge(size int) models.Item {
	return models.Item{"huge": text(strings.Repeat("0123456789 abcde", size/16))}
}

// Attributes returns an item of n attributes.
func Attributes(n int) models.Item {
	it := models.Item{}
	for i := range n {
		it[fmt.Sprintf("attribute%04d", i)] = text(fmt.Sprintf("value of %d %s", i, Text[:i%30]))
		if i%3 == 0 {
			it[fmt.Sprintf("attribute%04d", i)] = number(fmt.Sprint(i))
		}
	}
	return it
}

// Documents returns an item with a list of n documents.
func Documents(n int) models.Item {
	all := make([]types.AttributeValue, n)
	for i := range all {
		all[i] = document(models.Item{
			"id": text(fmt.Sprintf("id-%d", i)), "at": number(fmt.Sprint(1700000000 + i)),
			"on":     &types.AttributeValueMemberBOOL{Value: i%2 == 0},
			"inside": list(text("a"), text("b\x1b[2J"), document(models.Item{"k": text("v")})),
		})
	}
	return models.Item{"documents": list(all...)}
}

// Deep returns a document with n levels of maps and lists. DynamoDB stores at most 32.
func Deep(n int) types.AttributeValue {
	v := text("the bottom \x1b[2J")
	for i := range n - 1 {
		if i%2 == 0 {
			v = document(models.Item{fmt.Sprintf("level %d", i): v, "beside": number("1")})
		} else {
			v = list(v, text("beside"))
		}
	}
	return v
}

// Numbers returns numbers in DynamoDB's notation, with 38 digits and at the limits of the range.
func Numbers() []string {
	return []string{
		"0", "-1", "99999999999999999999999999999999999999", "-12345678901234567890123456789012345678",
		"0.1234567890123456789012345678901234567",
		"9.9999999999999999999999999999999999999E+125", "-9.9999999999999999999999999999999999999E+125", "1E-130", "-1E-130", "1E+125",
		"9007199254740993", "0.1", "1795416466", "1795416466123",
	}
}

func numberValues() []types.AttributeValue {
	var values []types.AttributeValue
	for _, n := range Numbers() {
		values = append(values, number(n))
	}
	return values
}

// Names returns valid attribute names whose characters have a meaning in paths, programs and terminals.
func Names() []string {
	return []string{
		"a.b", "a b", "a[0]", "#a", ":a", "a,b", "a\tb", "a\nb", "=cmd", "'quoted'", `"double"`, `back\slash`, "`tick`",
		"$HOME", "${x}", "$(x)",
		"toString", "__proto__", "constructor", "hasOwnProperty", "class", "def", "func", "None", "null", "true", "0", "-1", "1e5",
		"日本語", "👩‍👩‍👧", "e\u0301", "\u202egpj", "\x1b[2J", "a\u200bb", "\ufeff", "مرحبا", " lead", "trail ",
		strings.Repeat("n", 255), strings.Repeat("名", 85),
	}
}

// Mixed returns an item with an attribute of every type. The names of the attributes begin with name.
func Mixed(name string) models.Item {
	it := models.Item{}
	for i, v := range EveryType() {
		it[fmt.Sprintf("%s%d", name, i)] = v
	}
	return it
}

// EveryType returns values of every type, some of which look alike.
func EveryType() []types.AttributeValue {
	return []types.AttributeValue{
		text("1"), number("1"), binary("1"), &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberBOOL{Value: false},
		&types.AttributeValueMemberNULL{Value: true}, text("true"), text("null"), text(""), list(), list(number("1")),
		document(models.Item{}),
		document(models.Item{"1": number("1")}), &types.AttributeValueMemberSS{Value: []string{"1"}},
		&types.AttributeValueMemberNS{Value: []string{"1"}},
		&types.AttributeValueMemberBS{Value: [][]byte{{1}}}, text(Text), number(Numbers()[3]), binary("\x1b[2J"),
	}
}

// Gzip compresses a text, as many programs do before they store it.
func Gzip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// Writing to a buffer does not fail.
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(prefix, i)
	}
	return names
}
