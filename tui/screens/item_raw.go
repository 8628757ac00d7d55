// This file is the tab with the item as DynamoDB JSON, coloured by type while
// it is printed.

package screens

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (s *itemScreen) rawLines(w int) []string {
	p := rawPrinter{st: s.env.Styles, w: w}
	p.members(s.facts.masked, 0, "")
	return p.lines
}

// rawPrinter prints DynamoDB JSON as styled lines. Long strings are broken
// into lines of the width, so that no line costs more than what is seen.
type rawPrinter struct {
	st    *widget.Styles
	w     int
	lines []string
}

// rawDepth is the deepest indent; the braces still show the nesting.
const rawDepth = 24

func (p *rawPrinter) put(depth int, parts ...string) {
	p.lines = append(p.lines, strings.Repeat("  ", min(depth, rawDepth))+strings.Join(parts, ""))
}

func (p *rawPrinter) faint(text string) string { return p.st.Paint(widget.RoleFaint, text) }

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// members prints a map between braces; after follows the closing one.
func (p *rawPrinter) members(m map[string]types.AttributeValue, depth int, after string) {
	if len(p.lines) == 0 {
		p.put(depth, p.faint("{"))
	}
	names := models.Item(m).Names()
	for i, n := range names {
		p.value(p.st.Paint(widget.RoleKey, quoted(models.PrintableCell(n, max(p.w, 20))))+p.faint(": "), m[n], depth+1, comma(i, len(names)))
	}
	p.put(depth, p.faint("}"+after))
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

// value prints a typed value behind its name.
func (p *rawPrinter) value(name string, v types.AttributeValue, depth int, after string) {
	kind := string(models.ValueType(v))
	open := name + p.faint("{"+strconv.Quote(kind)+": ")
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		p.long(open, quoted(v.Value), stringRole(v.Value), depth, "}"+after)
	case *types.AttributeValueMemberN:
		p.long(open, quoted(v.Value), widget.RoleInfo, depth, "}"+after)
	case *types.AttributeValueMemberB:
		p.long(open, quoted(base64.StdEncoding.EncodeToString(v.Value)), widget.RoleMuted, depth, "}"+after)
	case *types.AttributeValueMemberBOOL:
		p.put(depth, open, p.st.Paint(widget.RoleWarn, strconv.FormatBool(v.Value)), p.faint("}"+after))
	case *types.AttributeValueMemberNULL:
		p.put(depth, open, p.st.Paint(widget.RoleWarn, "true"), p.faint("}"+after))
	case *types.AttributeValueMemberM:
		if len(v.Value) == 0 {
			p.put(depth, open, p.faint("{}}"+after))
			return
		}
		p.put(depth, open, p.faint("{"))
		p.members(v.Value, depth, "}"+after)
	case *types.AttributeValueMemberL:
		p.sequence(open, len(v.Value), depth, after, func(i int, c string) { p.value("", v.Value[i], depth+1, c) })
	case *types.AttributeValueMemberSS:
		p.sequence(open, len(v.Value), depth, after, func(i int, c string) {
			p.long("", quoted(v.Value[i]), widget.RoleGood, depth+1, c)
		})
	case *types.AttributeValueMemberNS:
		p.sequence(open, len(v.Value), depth, after, func(i int, c string) {
			p.long("", quoted(v.Value[i]), widget.RoleInfo, depth+1, c)
		})
	case *types.AttributeValueMemberBS:
		p.sequence(open, len(v.Value), depth, after, func(i int, c string) {
			p.long("", quoted(base64.StdEncoding.EncodeToString(v.Value[i])), widget.RoleMuted, depth+1, c)
		})
	default:
		p.put(depth, name, p.faint("null"+after))
	}
}

func stringRole(text string) widget.Role {
	if isMasked(text) {
		return widget.RoleFaint
	}
	return widget.RoleGood
}

func (p *rawPrinter) sequence(open string, n, depth int, after string, element func(i int, comma string)) {
	if n == 0 {
		p.put(depth, open, p.faint("[]}"+after))
		return
	}
	p.put(depth, open, p.faint("["))
	for i := range n {
		element(i, comma(i, n))
	}
	p.put(depth, p.faint("]}"+after))
}

// long prints a scalar, in several lines when it does not fit one.
func (p *rawPrinter) long(open, text string, role widget.Role, depth int, after string) {
	indent := 2 * min(depth, rawDepth)
	room := max(p.w-indent-ansi.StringWidth(open)-len(after), 16)
	first, rest := cutCells(text, room)
	if rest == "" {
		p.put(depth, open, p.st.Paint(role, first), p.faint(after))
		return
	}
	p.put(depth, open, p.st.Paint(role, first))
	room = max(p.w-indent-4-len(after), 16)
	for rest != "" {
		first, rest = cutCells(rest, room)
		end := ""
		if rest == "" {
			end = p.faint(after)
		}
		p.put(depth+1, p.st.Paint(role, first), end)
	}
}

// cutCells cuts text after at most cells cells, as it will be printed.
func cutCells(text string, cells int) (first, rest string) {
	used := 0
	for i, r := range text {
		w := 1
		if r < ' ' || r > '~' {
			w = max(ansi.StringWidth(models.Printable(string(r))), 1)
		}
		if used+w > cells && i > 0 {
			return text[:i], text[i:]
		}
		used += w
	}
	return text, ""
}
