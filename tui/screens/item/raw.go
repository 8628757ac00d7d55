package item

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// rawTab shows the item as JSON.
type rawTab struct {
	base
	scroll *widget.Lines
	plain  bool // plain JSON, not DynamoDB's
	w, h   int
	made   int // width that the lines were made for, 0: none
	lines  []rawLine
	needle string // folded text that is highlighted, "" for none
	hits   []rawHit
	at     int // line of the match that is shown
}

// rawHit is a match, or the part of one that is on a line.
type rawHit struct {
	line, from, to int  // bytes of the line's text
	more           bool // it began on the line before
}

func newRawTab(s *itemScreen) *rawTab {
	return &rawTab{base: base{s}, scroll: widget.NewScroll(s.env.Styles)}
}

func (t *rawTab) title() string { return "Raw" }

func (t *rawTab) note() string {
	if t.plain {
		return "plain JSON · enter shows DynamoDB JSON"
	}
	return "DynamoDB JSON · enter shows plain JSON"
}

func (t *rawTab) setStyles(st *widget.Styles) { t.scroll.SetStyles(st) }

func (t *rawTab) view() string { return t.scroll.View() }

func (t *rawTab) mouse() widget.Clickable { return t.scroll }

func (t *rawTab) update(msg tea.Msg) (tea.Cmd, bool) { return nil, t.scroll.Update(msg) }

func (t *rawTab) search() command { return t.s.search.in(t) }

func (t *rawTab) enter() command {
	word := "plain JSON"
	if t.plain {
		word = "DynamoDB JSON"
	}
	return command{word: word, run: t.toggle}
}

func (t *rawTab) remake() { t.made = 0 }

func (t *rawTab) setSize(w, h int) {
	t.w, t.h = w, h
	if w != t.made && w > 1 {
		t.made = w
		t.lines = rawLines(t.s.facts.masked, t.plain, w-2)
		t.s.search.again(t)
		t.scroll.SetSource(t)
	}
	t.scroll.SetSize(w, h)
	if t.s.search.of(t) {
		t.show(t.s.search.at)
	}
}

func (t *rawTab) toggle() tea.Cmd {
	t.plain, t.made, t.at = !t.plain, 0, 0
	t.setSize(t.w, t.h)
	return nil
}

func (t *rawTab) find(needle string) int {
	t.needle, t.hits, t.at = needle, t.hits[:0], 0
	n := 0
	for i := 0; needle != "" && i < len(t.lines); {
		end := i + 1
		for end < len(t.lines) && t.lines[end].joins {
			end++
		}
		n += t.findGroup(i, end)
		i = end
	}
	return n
}

func (t *rawTab) endFind() { t.find("") }

func (t *rawTab) findGroup(from, to int) int {
	var b strings.Builder
	starts := make([]int, 0, to-from+1)
	for i := from; i < to; i++ {
		starts = append(starts, b.Len())
		for _, p := range t.lines[i].parts {
			b.WriteString(p.text)
		}
	}
	starts = append(starts, b.Len())
	n := 0
	for _, s := range widget.Occurrences(b.String(), t.needle) {
		if !s.Match {
			continue
		}
		n++
		for i := 0; i+1 < len(starts); i++ {
			a, z := max(s.Start, starts[i]), min(s.End, starts[i+1])
			if a < z {
				t.hits = append(t.hits, rawHit{from + i, a - starts[i], z - starts[i], a > s.Start})
			}
		}
	}
	return n
}

func (t *rawTab) show(n int) {
	for _, h := range t.hits {
		if h.more {
			continue
		}
		if n == 0 {
			t.at = h.line
			t.scroll.Go(h.line)
			return
		}
		n--
	}
}

// Len is how many lines there are.
func (t *rawTab) Len() int { return len(t.lines) }

// Skip reports no line: the text has no cursor.
func (t *rawTab) Skip(int) bool { return false }

// Line draws a line; the one of the current match looks like one under a cursor.
func (t *rawTab) Line(i int, on widget.Surface, w int) string {
	if t.needle != "" && len(t.hits) > 0 && i == t.at {
		on = widget.SurfaceCursor
	}
	strip := widget.NewStrip(t.s.env.Styles, on, w)
	strip.Cell(widget.RoleText, "", t.lines[i].indent+1, widget.AlignLeft)
	first, _ := slices.BinarySearchFunc(t.hits, i, func(h rawHit, line int) int { return h.line - line })
	hits := t.hits[first:]
	at := 0
	for _, p := range t.lines[i].parts {
		p.draw(strip, at, i, hits)
		at += len(p.text)
	}
	return strip.String()
}

func (p rawPart) draw(t *widget.Strip, at, i int, hits []rawHit) {
	done := 0
	for _, h := range hits {
		if h.line != i {
			break
		}
		from, to := max(h.from-at, done), min(h.to-at, len(p.text))
		if from >= to {
			continue
		}
		t.Put(p.role, p.text[done:from])
		t.Put(widget.RoleMatch, p.text[from:to])
		done = to
	}
	t.Put(p.role, p.text[done:])
}

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
