// This file writes a request as commands of the AWS CLI, which reads every page
// by itself.

package accesspatterns

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ddbdesk/ddbdesk/models"
)

// plainInShell are the characters that no shell treats in a special way.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="

// ShellQuote makes text one word of a POSIX shell. What a terminal would obey on
// the way there, or an eye not see, is left to printf; a NUL is lost, as in every
// word of a shell.
func ShellQuote(text string) string {
	special := func(r rune) bool { return !strings.ContainsRune(plainInShell, r) }
	switch {
	case models.FenceText(text) != text:
		return printed(text)
	case text != "" && text[0] != '=' && !strings.ContainsFunc(text, special): // zsh looks for a program behind =.
		return text
	}
	return "'" + insideQuotes(text) + "'"
}

// printed is a word that printf spells, each byte beyond ASCII in octal. A shell
// takes the line breaks at the end of what was printed away: they stand behind.
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
		case c >= ' ' && c < 0x7f && (i > 0 || c != '-'): // A dash at the start would be an option.
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

// insideQuotes is text between two single quotes of a shell.
func insideQuotes(text string) string { return strings.ReplaceAll(text, "'", `'\''`) }

// shell writes a command for each call, or a loop over the values that vary. It
// has no remarks: some shells take none from a prompt.
func (s *script) shell() string {
	if s.vary != "" && !loopsInShell(s) {
		s.unfold()
	}
	var b strings.Builder
	for _, c := range s.calls {
		if s.vary == "" {
			b.WriteString(strings.Join(s.command(c), " \\\n  ") + "\n")
			continue
		}
		b.WriteString("for " + eachValue + " in")
		for _, v := range s.values {
			text, _ := models.ValueText(v)
			b.WriteString(" " + ShellQuote(text))
		}
		b.WriteString("; do\n  " + strings.Join(s.command(c), " \\\n    ") + "\ndone\n")
	}
	return b.String()
}

// loopsInShell reports whether the values that vary stand in JSON as they are,
// so that a shell can put them there.
func loopsInShell(s *script) bool {
	for _, v := range s.values {
		text, _ := models.ValueText(v)
		if strings.ContainsAny(text, `"\`) || strings.ContainsFunc(text, func(r rune) bool { return models.Misleading(r) || r == unicode.ReplacementChar }) {
			return false
		}
	}
	return true
}

// unfold makes a call of each value that varies.
func (s *script) unfold() {
	first := s.calls[0]
	s.calls = nil
	for _, v := range s.values {
		c := first
		c.values = make(models.Item, len(first.values))
		for alias, other := range first.values {
			c.values[alias] = other
		}
		c.values[s.vary] = v
		s.calls = append(s.calls, c)
	}
	s.vary, s.values = "", nil
}

// command is the words of one call, options with their values.
func (s *script) command(c call) []string {
	words := []string{"aws dynamodb " + map[string]string{"GetItem": "get-item", "Query": "query", "Scan": "scan"}[c.operation]}
	add := func(option, value string) {
		if value != "" {
			words = append(words, option+" "+ShellQuote(value))
		}
	}
	add("--table-name", c.table)
	add("--index-name", c.index)
	if c.key != nil {
		add("--key", typedJSON(c.key))
	}
	add("--key-condition-expression", c.condition)
	add("--filter-expression", c.filter)
	if len(c.names) > 0 {
		add("--expression-attribute-names", namesJSON(c.names))
	}
	if len(c.values) > 0 {
		words = append(words, "--expression-attribute-values "+s.valuesInShell(c))
	}
	if c.on {
		words = append(words, "--consistent-read")
	}
	if c.descending {
		words = append(words, "--no-scan-index-forward")
	}
	if c.counts {
		words = append(words, "--select COUNT")
	}
	add("--region", s.place.Region)
	add("--endpoint-url", s.place.Endpoint)
	add("--profile", s.place.Profile)
	return words
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

// valuesInShell is the values as JSON in quotes; the one that varies is the
// loop's variable.
func (s *script) valuesInShell(c call) string {
	if s.vary == "" {
		return ShellQuote(typedJSON(c.values))
	}
	var b strings.Builder
	b.WriteString("'{")
	for i, alias := range aliases(c.values) {
		if i > 0 {
			b.WriteByte(',')
		}
		one := typedJSON(models.Item{alias: c.values[alias]})
		if alias == s.vary {
			b.WriteString(`"` + alias + `":{"` + string(models.ValueType(c.values[alias])) + `":"'"$` + eachValue + `"'"}`)
			continue
		}
		b.WriteString(insideQuotes(one[1 : len(one)-1]))
	}
	b.WriteString("}'")
	return b.String()
}
