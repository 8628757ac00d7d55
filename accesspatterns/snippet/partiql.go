package snippet

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// partiql writes a statement for each partition. It comments only missing parts, because some editors reject comments.
func (p *program) partiql() string {
	var b strings.Builder
	for _, c := range p.expandedCalls() {
		q := partiqlCall{c: c}
		b.WriteString(q.statement(p.sort) + "\n")
		if len(q.parameters) > 0 {
			fmt.Fprintf(&b, "-- parameters: [%s]\n", strings.Join(q.parameters, ","))
		}
	}
	if p.clientFilter != "" {
		b.WriteString("-- without the filter that ddbdesk applies itself: " + models.Printable(p.clientFilter) + "\n")
	}
	return b.String()
}

func (p *program) expandedCalls() []call {
	if p.loop == "" {
		return p.calls
	}
	return models.MapSlice(p.loopValues, func(v types.AttributeValue) call { return p.calls[0].withValue(p.loop, v) })
}

type partiqlCall struct {
	c          call
	parameters []string // values that have no literal, as DynamoDB JSON
}

func (c *partiqlCall) statement(sort string) string {
	text := map[string]string{"TableName": c.c.table}
	var keys []models.Item
	descending := false
	for _, m := range c.c.members {
		switch v := m.value.(type) {
		case string:
			text[m.name] = v
		case []models.Item:
			keys = v
		case models.Item:
			if m.name == "Key" {
				keys = []models.Item{v}
			}
		case bool:
			descending = descending || m.name == "ScanIndexForward"
		}
	}
	columns := "*"
	if p := text["ProjectionExpression"]; p != "" {
		columns = c.expression(p)
	}
	out := "SELECT " + columns + "\nFROM " + quotePartiql(text["TableName"])
	if x := text["IndexName"]; x != "" {
		out += "." + quotePartiql(x)
	}
	var conditions []string
	for _, e := range []string{text["KeyConditionExpression"], text["FilterExpression"]} {
		if e != "" {
			conditions = append(conditions, c.expression(e))
		}
	}
	if keyCondition := c.keys(keys); keyCondition != "" {
		conditions = append(conditions, keyCondition)
	}
	if len(conditions) > 0 {
		out += "\nWHERE " + strings.Join(conditions, "\n  AND ")
	}
	if descending && sort != "" {
		out += "\nORDER BY " + quotePartiql(sort) + " DESC"
	}
	return out
}

func (c *partiqlCall) keys(keys []models.Item) string {
	list := make([]string, len(keys))
	for i, key := range keys {
		var parts []string
		for _, name := range key.Names() {
			parts = append(parts, quotePartiql(name)+" = "+c.literal(key[name]))
		}
		if list[i] = strings.Join(parts, " AND "); len(keys) > 1 {
			list[i] = "(" + list[i] + ")"
		}
	}
	return strings.Join(list, "\n  OR ")
}

func (c *partiqlCall) expression(e string) string {
	var b strings.Builder
	for e != "" {
		if word, path, rest := parseExistence(e); word != "" {
			b.WriteString(c.expression(path) + " " + word)
			e = rest
			continue
		}
		if e[0] != '#' && e[0] != ':' {
			b.WriteByte(e[0])
			e = e[1:]
			continue
		}
		n := 1 + strings.IndexFunc(e[1:]+" ", func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if e[0] == '#' {
			b.WriteString(quotePartiql(c.c.names[e[:n]]))
		} else {
			b.WriteString(c.literal(c.c.values[e[:n]]))
		}
		e = e[n:]
	}
	return b.String()
}

func parseExistence(e string) (word, path, rest string) {
	for _, f := range [][2]string{{"attribute_exists(", "IS NOT MISSING"}, {"attribute_not_exists(", "IS MISSING"}} {
		if inside, ok := strings.CutPrefix(e, f[0]); ok {
			path, rest, _ = strings.Cut(inside, ")")
			return f[1], path, rest
		}
	}
	return "", "", ""
}

func quotePartiql(name string) string {
	return `"` + strings.ReplaceAll(models.SafeText(name), `"`, `""`) + `"`
}

func (c *partiqlCall) literal(v types.AttributeValue) string {
	text, _ := models.ValueText(v)
	switch v.(type) {
	case *types.AttributeValueMemberN, *types.AttributeValueMemberBOOL:
		return text
	case *types.AttributeValueMemberNULL:
		return "NULL"
	case *types.AttributeValueMemberS:
		if models.SafeText(text) == text && !strings.ContainsAny(text, "\t\n") {
			return "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
	}
	typed := typedJSON(models.Item{"": v})
	c.parameters = append(c.parameters, strings.TrimSuffix(strings.TrimPrefix(typed, `{"":`), "}"))
	return "?"
}
