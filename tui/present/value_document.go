package present

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// Elements returns the number of elements of a list or a set, and the function that
// returns one of them; 0 for every other value.
func Elements(v types.AttributeValue) (n int, at func(i int) types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberL:
		return len(v.Value), func(i int) types.AttributeValue { return v.Value[i] }
	case *types.AttributeValueMemberSS:
		return len(v.Value), func(i int) types.AttributeValue { return models.StringValue(v.Value[i]) }
	case *types.AttributeValueMemberNS:
		return len(v.Value), func(i int) types.AttributeValue { return &types.AttributeValueMemberN{Value: v.Value[i]} }
	case *types.AttributeValueMemberBS:
		return len(v.Value), func(i int) types.AttributeValue { return &types.AttributeValueMemberB{Value: v.Value[i]} }
	}
	return 0, nil
}

// summaryParts is the number of members in a summary.
const summaryParts = 4

// Summary returns the size and the first members of a document, list or set:
// {3} email, phone, sms. Its cost does not depend on the size of the members.
func Summary(v types.AttributeValue) string {
	if m, ok := v.(*types.AttributeValueMemberM); ok {
		return "{" + strconv.Itoa(len(m.Value)) + "}" + nameSome(m.Value)
	}
	n, at := Elements(v)
	sample := sampleOf(n, func(i int) string { return brief(at(i)) })
	switch v.(type) {
	case *types.AttributeValueMemberL:
		return "[" + strconv.Itoa(n) + "]" + sample
	case *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
		return "set of " + strconv.Itoa(n) + sample
	}
	return "?"
}

func nameSome(m map[string]types.AttributeValue) string {
	if len(m) > 4096 {
		return "" // Sorting so many names for one line takes too long.
	}
	names := models.Item(m).Names()
	return sampleOf(len(names), func(i int) string { return models.PrintableCell(names[i], 32) })
}

func brief(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		return "{" + strconv.Itoa(len(v.Value)) + "}"
	case *types.AttributeValueMemberL:
		return "[" + strconv.Itoa(len(v.Value)) + "]"
	case *types.AttributeValueMemberB:
		return Plural(len(v.Value), "byte")
	case *types.AttributeValueMemberNULL:
		return "NULL"
	}
	if text, ok := models.ValueText(v); ok {
		return models.PrintableCell(text, 32)
	}
	return string(models.ValueType(v))
}

func sampleOf(n int, part func(i int) string) string {
	var b strings.Builder
	for i := range min(n, summaryParts) {
		b.WriteString(" ")
		b.WriteString(part(i))
		if i < n-1 {
			b.WriteByte(',')
		}
	}
	if n > summaryParts {
		b.WriteString(" …")
	}
	return b.String()
}
