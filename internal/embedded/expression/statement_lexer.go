package expression

import (
	"strings"
	"unicode/utf8"
)

// tokenizeStatement cannot fail: invalid text becomes a symbol, which the parser rejects.
func tokenizeStatement(src string) []token {
	var tokens []token
	for i := 0; i < len(src); {
		switch {
		case strings.IndexByte(" \t\r\n", src[i]) >= 0:
			i++
			continue
		case strings.HasPrefix(src[i:], "--"): // a comment to the end of the line
			if end := strings.IndexByte(src[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(src)
			}
			continue
		}
		t := scanStatementToken(src[i:])
		t.start, t.end = i, i+t.end
		tokens = append(tokens, t)
		i = t.end
	}
	return append(tokens, token{kind: tokenEnd, text: "<EOF>", start: len(src), end: len(src)})
}

func scanStatementToken(s string) token {
	switch c := s[0]; {
	case c == '\'' || c == '"':
		if text, width := quoted(s); width > 0 {
			kind := tokenText
			if c == '"' {
				kind = tokenQuoted
			}
			return token{kind: kind, text: text, end: width}
		}
	case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
		return scanNumber(s)
	case isWordByte(c) || c == '$':
		end := 1
		for end < len(s) && (isWordByte(s[end]) || s[end] == '$') {
			end++
		}
		return token{kind: tokenName, text: s[:end], end: end}
	}
	for _, symbol := range []string{"<>", "<=", ">=", "<<", ">>"} {
		if strings.HasPrefix(s, symbol) {
			return token{kind: tokenSymbol, text: symbol, end: 2}
		}
	}
	if strings.HasPrefix(s, "!=") {
		return token{kind: tokenSymbol, text: string(OpNotEqual), end: 2}
	}
	_, width := utf8.DecodeRuneInString(s)
	return token{kind: tokenSymbol, text: s[:width], end: width}
}

func quoted(s string) (text string, width int) {
	quote := s[:1]
	var b strings.Builder
	for at := 1; ; {
		end := strings.Index(s[at:], quote)
		if end < 0 {
			return "", 0
		}
		b.WriteString(s[at : at+end])
		at += end + 1
		if !strings.HasPrefix(s[at:], quote) {
			return b.String(), at
		}
		b.WriteString(quote)
		at++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func scanNumber(s string) token {
	end := 0
	digits := func() {
		for end < len(s) && isDigit(s[end]) {
			end++
		}
	}
	digits()
	kind := tokenIndex
	if end < len(s) && s[end] == '.' {
		kind = tokenNumber
		end++
		digits()
	}
	if rest := strings.TrimLeft(s[end:], "eE"); len(s)-end-len(rest) == 1 {
		power := strings.TrimPrefix(rest, "+")
		if power == rest {
			power = strings.TrimPrefix(rest, "-")
		}
		if power != "" && isDigit(power[0]) {
			kind = tokenNumber
			end = len(s) - len(power)
			digits()
		}
	}
	return token{kind: kind, text: s[:end], end: end}
}
