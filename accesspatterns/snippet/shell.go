package snippet

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// shell writes no comments, because some interactive shells do not accept them.
func (p *program) shell() string {
	if p.loop != "" && !p.canLoopInShell() {
		p.calls, p.loop = p.expandedCalls(), ""
	}
	var b strings.Builder
	for _, c := range p.calls {
		if p.loop == "" {
			b.WriteString(strings.Join(p.command(c), " \\\n  ") + "\n")
			continue
		}
		b.WriteString("for " + loopVariable + " in")
		for _, v := range p.loopValues {
			text, _ := models.ValueText(v)
			b.WriteString(" " + ShellQuote(text))
		}
		b.WriteString("; do\n  " + strings.Join(p.command(c), " \\\n    ") + "\ndone\n")
	}
	return b.String()
}

// canLoopInShell reports whether JSON contains the loop's values unescaped, so that a shell variable can replace them.
func (p *program) canLoopInShell() bool {
	escaped := func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || models.IsMisleading(r)
	}
	return !slices.ContainsFunc(p.loopValues, func(v types.AttributeValue) bool {
		text, _ := models.ValueText(v)
		return strings.ContainsFunc(text, escaped)
	})
}

// shellOptions contains the AWS CLI options whose names differ from the member's name in kebab case, by member.
var shellOptions = map[string]string{
	"ConsistentRead": "--consistent-read", "ScanIndexForward": "--no-scan-index-forward", "Select": "--select COUNT",
}

func (p *program) command(c call) []string {
	if c.table != "" {
		c.members = []member{{"RequestItems", c.requestJSON()}}
	}
	words := []string{"aws dynamodb " + kebab(c.operation)}
	add := func(option, value string) {
		if value != "" {
			words = append(words, option+" "+ShellQuote(value))
		}
	}
	for _, m := range c.members {
		option := "--" + kebab(m.name)
		switch v := m.value.(type) {
		case string:
			add(option, v)
		case map[string]string:
			add(option, namesJSON(v))
		case models.Item:
			words = append(words, option+" "+p.shellValues(v))
		default:
			words = append(words, shellOptions[m.name])
		}
	}
	add("--region", p.Region)
	add("--endpoint-url", p.Endpoint)
	add("--profile", p.Profile)
	return words
}

func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func (p *program) shellValues(values models.Item) string {
	if p.loop == "" {
		return ShellQuote(typedJSON(values))
	}
	var list []string
	for _, alias := range values.Names() {
		if alias == p.loop {
			list = append(list, fmt.Sprintf(`"%s":{"%s":"'"$%s"'"}`, alias, models.ValueType(values[alias]), loopVariable))
			continue
		}
		one := typedJSON(models.Item{alias: values[alias]})
		list = append(list, escapeQuotes(one[1:len(one)-1]))
	}
	return "'{" + strings.Join(list, ",") + "}'"
}
