package snippet

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// plainInShell are the characters that need no quotes in any POSIX shell.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="

// ShellQuote returns text as one word of a POSIX shell. Text with control or
// invisible characters becomes a printf command, so that the result is safe to
// print and to paste: a shell completes words at a tab that is pasted. A NUL is
// lost, as in every shell word. The empty text becomes two quotes. Shells other than POSIX
// ones, such as fish or PowerShell, have other rules.
func ShellQuote(text string) string {
	special := func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }
	switch {
	case models.SafeText(text) != text || strings.Contains(text, "\t"):
		return printed(text)
	case text != "" && text[0] != '=' && !strings.ContainsFunc(text, special): // zsh expands =name to the path of a program.
		return text
	}
	return "'" + insideQuotes(text) + "'"
}

// printed returns a word that printf writes, with each byte outside of ASCII in octal. Command substitution strips
// trailing line breaks; they are appended.
func printed(text string) string {
	whole := strings.TrimRight(text, "\n")
	var b strings.Builder
	for i := range len(whole) {
		switch c := whole[i]; {
		case c == '%' || c == '\\':
			b.WriteByte(c)
			b.WriteByte(c)
		case c == '\'':
			b.WriteString(`'\''`)
		case c >= ' ' && c < 0x7f && c != '!' && (i > 0 || c != '-'): // ! recalls commands, and a leading dash would be an option.
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\%03o`, c)
		}
	}
	word := `"$(printf '` + b.String() + `')"`
	if ends := text[len(whole):]; ends != "" {
		word += "'" + ends + "'"
	}
	return word
}

func insideQuotes(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }

// shell writes no comments: some interactive shells do not accept them.
func (s *program) shell() string {
	if s.loop != "" && !s.loopsInShell() {
		s.unfold()
	}
	var b strings.Builder
	for _, c := range s.calls {
		if s.loop == "" {
			b.WriteString(strings.Join(s.command(c), " \\\n  ") + "\n")
			continue
		}
		b.WriteString("for " + loopVariable + " in")
		for _, v := range s.loopValues {
			text, _ := models.ValueText(v)
			b.WriteString(" " + ShellQuote(text))
		}
		b.WriteString("; do\n  " + strings.Join(s.command(c), " \\\n    ") + "\ndone\n")
	}
	return b.String()
}

// loopsInShell reports whether JSON contains the values of the loop unescaped, so that a shell variable can be
// inserted.
func (s *program) loopsInShell() bool {
	escaped := func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || models.Misleading(r)
	}
	return !slices.ContainsFunc(s.loopValues, func(v types.AttributeValue) bool {
		text, _ := models.ValueText(v)
		return strings.ContainsFunc(text, escaped)
	})
}

func (s *program) unfold() {
	first := s.calls[0]
	s.calls = nil
	for _, v := range s.loopValues {
		s.calls = append(s.calls, first.withValue(s.loop, v))
	}
	s.loop, s.loopValues = "", nil
}

// shellOptions are the options of the AWS CLI by member, where the name is not
// the member's in kebab case.
var shellOptions = map[string]string{
	"ConsistentRead": "--consistent-read", "ScanIndexForward": "--no-scan-index-forward", "Select": "--select COUNT",
}

func (s *program) command(c call) []string {
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
			words = append(words, option+" "+s.shellValues(v))
		default:
			words = append(words, shellOptions[m.name])
		}
	}
	add("--region", s.Region)
	add("--endpoint-url", s.Endpoint)
	add("--profile", s.Profile)
	return words
}

func (c call) requestJSON() string {
	parts := make([]string, len(c.members))
	for i, m := range c.members {
		switch v := m.value.(type) {
		case []models.Item:
			parts[i] = "[" + strings.Join(models.NamesOf(v, typedJSON), ",") + "]"
		case map[string]string:
			parts[i] = namesJSON(v)
		case string:
			parts[i] = quoteScript(v)
		default:
			parts[i] = fmt.Sprint(v)
		}
		parts[i] = quoteScript(m.name) + ":" + parts[i]
	}
	return "{" + quoteScript(c.table) + ":{" + strings.Join(parts, ",") + "}}"
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

func typedJSON(it models.Item) string {
	return string(models.PrintableJSON(it.AppendDynamoDBJSON(nil)))
}

func namesJSON(names map[string]string) string {
	it := models.Item{}
	for alias, n := range names {
		it[alias] = models.StringValue(n)
	}
	return string(models.PrintableJSON(it.AppendJSON(nil)))
}

func (s *program) shellValues(values models.Item) string {
	if s.loop == "" {
		return ShellQuote(typedJSON(values))
	}
	var list []string
	for _, alias := range values.Names() {
		if alias == s.loop {
			list = append(list, fmt.Sprintf(`"%s":{"%s":"'"$%s"'"}`, alias, models.ValueType(values[alias]), loopVariable))
			continue
		}
		one := typedJSON(models.Item{alias: values[alias]})
		list = append(list, insideQuotes(one[1:len(one)-1]))
	}
	return "'{" + strings.Join(list, ",") + "}'"
}
