package expression

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// tokenKind is the kind of a token. Keywords and functions are names; only the parser knows
// them.
type tokenKind byte

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNameRef  // #name
	tokenValueRef // :value
	tokenIndex    // digits
	tokenSymbol

	tokenQuoted // "name", in statements only
	tokenText   // 'text', in statements only
	tokenNumber // a number with a fraction or an exponent, in statements only
)

// token is a part of an expression. start and end are byte offsets in the source.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

func (t token) is(text string) bool {
	return (t.kind == tokenName || t.kind == tokenSymbol) && strings.EqualFold(t.text, text)
}

// tokenize cannot fail: an invalid character becomes a token, which the parser rejects. The last token is always
// tokenEnd. Offsets are in bytes, because messages quote a part of the source.
func tokenize(src string) []token {
	var tokens []token
	for i := 0; i < len(src); {
		if strings.IndexByte(" \t\r\n", src[i]) >= 0 {
			i++
			continue
		}
		kind, width := scanToken(src[i:])
		tokens = append(tokens, token{kind: kind, text: src[i : i+width], start: i, end: i + width})
		i += width
	}
	return append(tokens, token{kind: tokenEnd, text: "<EOF>", start: len(src), end: len(src)})
}

func scanToken(s string) (tokenKind, int) {
	wordEnd := func(from int) int {
		for from < len(s) && isWordByte(s[from]) {
			from++
		}
		return from
	}
	switch c := s[0]; {
	case c == '#' || c == ':':
		end := wordEnd(1)
		switch {
		case end == 1:
			return tokenSymbol, 1
		case c == '#':
			return tokenNameRef, end
		}
		return tokenValueRef, end
	case c >= '0' && c <= '9':
		end := 1
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		return tokenIndex, end
	case isWordByte(c) && c != '_': // A name cannot start with _.
		return tokenName, wordEnd(1)
	case strings.HasPrefix(s, "<>") || strings.HasPrefix(s, "<=") || strings.HasPrefix(s, ">="):
		return tokenSymbol, 2
	}
	_, width := utf8.DecodeRuneInString(s)
	return tokenSymbol, width
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func syntaxError(src string, tokens []token, i int) error {
	from, to := tokens[i].start, tokens[i].end
	if i > 0 {
		from = tokens[i-1].start
	} else if tokens[i].kind == tokenEnd {
		from = 0
	}
	if i+1 < len(tokens) && tokens[i+1].kind != tokenEnd {
		to = tokens[i+1].end
	}
	return complain("Syntax error; token: \"%s\", near: \"%s\"", tokens[i].text, src[from:to])
}

// complaint is an error in an expression. The caller adds which expression it is, such as
// "Invalid FilterExpression: ".
type complaint string

func (c complaint) Error() string { return string(c) }

func complain(format string, args ...any) error { return complaint(fmt.Sprintf(format, args...)) }
