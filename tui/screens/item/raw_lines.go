package item

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rawPart is a piece of a line in one colour.
type rawPart struct {
	role widget.Role
	text string
}

// rawLine is a line of JSON.
type rawLine struct {
	indent int
	parts  []rawPart
	joins  bool // it goes on with the text of the line before, which was too long
}

// rawPrinter prints JSON as lines. Long strings are broken into lines of the
// width, so that no line costs more than what is seen.
type rawPrinter struct {
	w     int
	plain bool // plain JSON, without the types
	lines []rawLine
}

// rawDepth is the deepest indent; the braces still show the nesting.
const rawDepth = 24

func rawLines(it models.Item, plain bool, w int) []rawLine {
	p := rawPrinter{w: w, plain: plain}
	p.put(0, faintPart("{"))
	p.members(it, 0, "")
	return p.lines
}

func faintPart(text string) rawPart { return rawPart{widget.RoleFaint, text} }

func (p *rawPrinter) put(depth int, parts ...rawPart) {
	p.lines = append(p.lines, rawLine{indent: 2 * min(depth, rawDepth), parts: parts})
}

func quoted(s string) string {
	plain := len(s) < 256 && strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) < 0
	if plain {
		return `"` + s + `"`
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *rawPrinter) members(m map[string]types.AttributeValue, depth int, after string) {
	names := models.Item(m).Names()
	for i, n := range names {
		head := []rawPart{{widget.RoleKey, quoted(models.PrintableCell(n, max(p.w, 20)))}, faintPart(": ")}
		p.value(head, m[n], depth+1, comma(i, len(names)))
	}
	p.put(depth, faintPart("}"+after))
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

func (p *rawPrinter) scalar(v types.AttributeValue) (text string, role widget.Role, ok bool) {
	switch v := v.(type) {
	case *models.Masked:
		return quoted(v.Value), widget.RoleFaint, true
	case *types.AttributeValueMemberS:
		return quoted(v.Value), widget.RoleGood, true
	case *types.AttributeValueMemberN:
		if p.plain {
			return v.Value, widget.RoleInfo, true
		}
		return quoted(v.Value), widget.RoleInfo, true
	case *types.AttributeValueMemberB:
		return quoted(base64.StdEncoding.EncodeToString(v.Value)), widget.RoleMuted, true
	case *types.AttributeValueMemberBOOL:
		return strconv.FormatBool(v.Value), widget.RoleWarn, true
	case *types.AttributeValueMemberNULL:
		return map[bool]string{true: "null", false: "true"}[p.plain], widget.RoleWarn, true
	}
	return "", 0, false
}

func (p *rawPrinter) value(name []rawPart, v types.AttributeValue, depth int, after string) {
	if !p.plain {
		name = append(slices.Clip(name), faintPart("{"+strconv.Quote(string(models.ValueType(v)))+": "))
		after = "}" + after
	}
	if text, role, ok := p.scalar(v); ok {
		p.long(name, text, role, depth, after)
		return
	}
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		if len(v.Value) == 0 {
			p.put(depth, append(name, faintPart("{}"+after))...)
			return
		}
		p.put(depth, append(name, faintPart("{"))...)
		p.members(v.Value, depth, after)
	case *types.AttributeValueMemberL:
		p.sequence(name, v, depth, after, func(element types.AttributeValue, comma string) { p.value(nil, element, depth+1, comma) })
	default: // The elements of a set have no types of their own.
		p.sequence(name, v, depth, after, func(element types.AttributeValue, comma string) {
			text, role, _ := p.scalar(element)
			p.long(nil, text, role, depth+1, comma)
		})
	}
}

func (p *rawPrinter) sequence(
	name []rawPart, v types.AttributeValue, depth int, after string, element func(v types.AttributeValue, comma string),
) {
	n, at := present.Elements(v)
	if n == 0 {
		p.put(depth, append(name, faintPart("[]"+after))...)
		return
	}
	p.put(depth, append(name, faintPart("["))...)
	for i := range n {
		element(at(i), comma(i, n))
	}
	p.put(depth, faintPart("]"+after))
}

func (p *rawPrinter) long(name []rawPart, text string, role widget.Role, depth int, after string) {
	indent := 2 * min(depth, rawDepth)
	used := 0
	for _, part := range name {
		used += ansi.StringWidth(part.text)
	}
	first, rest := present.CutCells(text, max(p.w-indent-used-len(after), 16))
	if rest == "" {
		p.put(depth, append(name, rawPart{role, first}, faintPart(after))...)
		return
	}
	p.put(depth, append(name, rawPart{role, first})...)
	room := max(p.w-indent-4-len(after), 16)
	for rest != "" {
		first, rest = present.CutCells(rest, room)
		line := rawLine{indent: indent + 2, parts: []rawPart{{role, first}}, joins: true}
		if rest == "" {
			line.parts = append(line.parts, faintPart(after))
		}
		p.lines = append(p.lines, line)
	}
}
