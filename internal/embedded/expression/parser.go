package expression

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// These are DynamoDB's limits on expressions.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxExpression = 4096 // bytes
	maxOperators  = 300  // operators and functions
	MaxInOperands = 100
	maxIndex      = 1<<31 - 1
)

// parser is a recursive descent parser for conditions, key conditions, filters, projections, updates and PartiQL
// statements. It builds trees, which check.go then checks. An error moves the parser to the end of the source, so that
// every method returns; finish reports the error. Expressions have at most 4 KB, which limits the recursion.
type parser struct {
	src    string
	tokens []token
	at     int
	err    error // the first syntax error
	update bool  // parsing an update expression
	sql    *sql  // parsing a PartiQL statement; nil in expressions

	redundant           bool   // doubled parentheses occurred
	lastOpen, lastClose int    // tokens of the last closed parentheses
	repeated            clause // section that occurs twice in an update expression
}

// newParser rejects expressions that are empty or longer than DynamoDB's limit of 4 KB.
func newParser(src string) (*parser, error) {
	if src == "" {
		return nil, expressionErrorf("The expression can not be empty;")
	}
	if len(src) > maxExpression {
		return nil, expressionErrorf("Expression size has exceeded the maximum allowed size; expression size: %d", len(src))
	}
	return &parser{src: src, tokens: tokenize(src), lastOpen: -1, lastClose: -1}, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) skip() {
	if p.peek().kind != tokenEnd {
		p.at++
	}
}

// unexpected records a syntax error and skips to the end, which stops every loop of the parser.
func (p *parser) unexpected() {
	if p.err == nil {
		p.err = syntaxError(p.src, p.tokens, p.at)
	}
	p.at = len(p.tokens) - 1
}

func (p *parser) is(text string) bool { return p.peek().is(text) }

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(symbol string) {
	if !p.accept(symbol) {
		p.unexpected()
	}
}

func (p *parser) finish() error {
	if p.err == nil && p.peek().kind != tokenEnd {
		p.unexpected()
	}
	switch {
	case p.err != nil:
		return p.err
	case p.redundant && p.sql == nil:
		return expressionErrorf("The expression has redundant parentheses;")
	case p.repeated != "":
		return expressionErrorf("The \"%s\" section can only be used once in an update expression;", p.repeated)
	}
	return nil
}

func (p *parser) condition() *Node { return p.mustBeCondition(p.or()) }

func (p *parser) mustBeCondition(e *Node) *Node {
	if p.err == nil && !e.isCondition() {
		p.unexpected()
	}
	return e
}

func (p *parser) or() *Node {
	left := p.and()
	for p.is("OR") {
		p.mustBeCondition(left)
		p.skip()
		left = &Node{Op: OpOr, Args: []*Node{left, p.mustBeCondition(p.and())}}
	}
	return left
}

func (p *parser) and() *Node {
	left := p.not()
	for p.is("AND") {
		p.mustBeCondition(left)
		p.skip()
		left = &Node{Op: OpAnd, Args: []*Node{left, p.mustBeCondition(p.not())}}
	}
	return left
}

// not negates the following comparison, not a whole AND.
func (p *parser) not() *Node {
	if p.accept("NOT") {
		return &Node{Op: OpNot, Args: []*Node{p.mustBeCondition(p.not())}}
	}
	return p.comparison()
}

func (p *parser) comparison() *Node {
	left := p.primary()
	if p.err != nil || !left.isOperand() {
		return left
	}
	if op := Operator(p.peek().text); p.peek().kind == tokenSymbol && op.isComparison() {
		p.skip()
		return &Node{Op: op, Args: []*Node{left, p.operand()}}
	}
	switch {
	case p.accept("BETWEEN"):
		low := p.operand()
		if !p.accept("AND") {
			p.unexpected()
		}
		return &Node{Op: OpBetween, Args: []*Node{left, low, p.operand()}}
	case p.accept("IN"):
		return &Node{Op: OpIn, Args: append([]*Node{left}, p.members()...)}
	case p.sql != nil && p.accept("IS"):
		return p.presence(left)
	}
	return left
}

func (p *parser) members() []*Node {
	if p.sql != nil && !p.is("(") {
		return p.listMembers()
	}
	p.expect("(")
	return p.list()
}

func (p *parser) primary() *Node {
	open := p.at
	if !p.accept("(") {
		return p.bareOperand()
	}
	e := p.inner()
	if p.lastOpen == open+1 && p.lastClose == p.at-1 && p.is(")") {
		p.redundant = true
	}
	p.lastOpen, p.lastClose = open, p.at
	p.expect(")")
	return e
}

func (p *parser) inner() *Node {
	if p.update {
		return p.sum()
	}
	return p.or()
}

func (p *parser) operand() *Node {
	e := p.primary()
	if p.err == nil && (!e.isOperand() || e.Op == opPlus || e.Op == opMinus) {
		p.unexpected()
	}
	return e
}

func (p *parser) bareOperand() *Node {
	if p.sql != nil {
		if v, ok := p.literal(); ok {
			return Literal(v)
		}
	}
	t := p.peek()
	switch {
	case t.kind == tokenValueRef:
		p.skip()
		return &Node{Op: OpValue, Name: t.text}
	case t.kind == tokenName && !isConnective(t.text) && p.tokens[p.at+1].is("("):
		p.at += 2
		name := t.text
		if p.sql != nil { // statements ignore the case of function names
			name = strings.ToLower(name)
		}
		return &Node{Op: OpCall, Name: name, Args: p.list()}
	}
	return &Node{Op: OpPath, Path: p.documentPath()}
}

func (p *parser) list() []*Node {
	args := []*Node{p.operand()}
	for p.accept(",") {
		args = append(args, p.operand())
	}
	p.expect(")")
	return args
}

func (p *parser) documentPath() Path {
	out := Path{p.pathName()}
	for p.err == nil {
		switch {
		case p.accept("."):
			out = append(out, p.pathName())
		case p.accept("["):
			out = append(out, p.pathIndex())
			p.expect("]")
		default:
			if len(out) > attribute.MaxNesting {
				p.err = expressionErrorf("The document path has too many nesting levels; nesting levels: %d", len(out))
			}
			return out
		}
	}
	return out
}

func (p *parser) pathName() Step {
	t := p.peek()
	switch {
	case p.sql != nil && t.kind == tokenName && keywords()[strings.ToUpper(t.text)]:
		p.fail(expressionErrorf("Unexpected keyword; put a name in double quotes; keyword: %s", t.text))
		return Step{}
	case t.kind == tokenQuoted || t.kind == tokenName && !isConnective(t.text):
		p.skip()
		return Step{Name: t.text}
	}
	if t.kind == tokenNameRef {
		p.skip()
		return Step{Name: t.text, isRef: true}
	}
	p.unexpected()
	return Step{}
}

// pathIndex accepts quoted attribute names in the brackets of a statement.
func (p *parser) pathIndex() Step {
	t := p.peek()
	if t.kind == tokenText {
		p.skip()
		return Step{Name: t.text}
	}
	if t.kind != tokenIndex {
		p.unexpected()
		return Step{}
	}
	p.skip()
	n, err := strconv.Atoi(t.text)
	if err != nil || n > maxIndex {
		p.err = expressionErrorf("List index is not within the allowable range; index: [%s]", t.text)
		return Step{}
	}
	return Step{index: n, isIndex: true}
}

func isConnective(word string) bool {
	return slices.Contains([]Operator{OpAnd, OpOr, OpNot, OpBetween, OpIn}, Operator(strings.ToUpper(word)))
}

func (p *parser) projection() []Path {
	paths := []Path{p.documentPath()}
	for p.accept(",") {
		paths = append(paths, p.documentPath())
	}
	return paths
}

func (p *parser) actions() []Action {
	p.update = true
	var actions []Action
	seen := map[clause]bool{}
	for p.err == nil && (len(seen) == 0 || p.peek().kind != tokenEnd) {
		c, ok := p.clause()
		if !ok {
			p.unexpected()
			break
		}
		if seen[c] {
			p.repeated = c
		}
		seen[c] = true
		actions = append(actions, p.change(c))
		for p.accept(",") {
			actions = append(actions, p.change(c))
		}
	}
	return actions
}

func (p *parser) clause() (clause, bool) {
	for _, c := range []clause{ClauseSet, ClauseRemove, ClauseAdd, ClauseDelete} {
		if p.accept(string(c)) {
			return c, true
		}
	}
	return "", false
}

func (p *parser) change(c clause) Action {
	a := Action{Clause: c, Path: p.documentPath()}
	switch c {
	case ClauseSet:
		p.expect("=")
		a.Value = p.sum()
	case ClauseRemove:
	case ClauseAdd, ClauseDelete:
		if a.Value = p.bareOperand(); p.err == nil && a.Value.Op != OpValue {
			p.at--
			p.unexpected()
		}
	}
	return a
}

func (p *parser) sum() *Node {
	left := p.primary()
	for p.err == nil && (p.sql != nil || left.Op != opPlus && left.Op != opMinus) {
		op := Operator(p.peek().text)
		if op != opPlus && op != opMinus || !p.accept(string(op)) {
			break
		}
		left = &Node{Op: op, Args: []*Node{left, p.operand()}}
	}
	return left
}

// tokenKind is the kind of a token. Keywords and functions have the kind tokenName; only the parser distinguishes them.
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
	tokenNumber // number with a fraction or an exponent, in statements only
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

// tokenize cannot fail, because an invalid character becomes a token that the parser rejects. The last token is always
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
	case isWordByte(c) && c != '_': // a name cannot start with _
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
	return expressionErrorf("Syntax error; token: \"%s\", near: \"%s\"", tokens[i].text, src[from:to])
}

// expressionError is an error in an expression. The caller adds the name of the expression, such as "Invalid
// FilterExpression: ".
type expressionError string

func (c expressionError) Error() string { return string(c) }

func expressionErrorf(format string, args ...any) error {
	return expressionError(fmt.Sprintf(format, args...))
}
