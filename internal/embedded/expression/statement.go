package expression

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// StatementKind is the first word of a statement.
type StatementKind string

// These are the kinds of statements.
const (
	StatementSelect StatementKind = "SELECT"
	StatementInsert StatementKind = "INSERT"
	StatementUpdate StatementKind = "UPDATE"
	StatementDelete StatementKind = "DELETE"
	StatementExists StatementKind = "EXISTS" // condition check of a transaction
)

// Statement is a parsed PartiQL statement. It uses the trees of expressions.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.html
type Statement struct {
	Kind    StatementKind
	Table   string
	Index   *string
	Columns Columns        // SELECT only; nil means the whole item
	Item    attribute.Item // INSERT only
	Actions []Action
	Where   *Node
	Order   []Ordering
	// Returning is the ReturnValues mode of an UPDATE or DELETE. It is empty without RETURNING.
	Returning string
}

// Ordering is an element of ORDER BY.
type Ordering struct {
	Path       Path
	Descending bool
}

// IsRead reports whether the statement is a read. EXISTS counts as a write, because it is part of a write transaction.
func (st *Statement) IsRead() bool { return st.Kind == StatementSelect }

// ParseStatement parses a statement. parameters contains the value for each ?.
func ParseStatement(src string, parameters []attribute.Value) (*Statement, error) {
	p := &parser{src: src, tokens: tokenizeStatement(src), lastOpen: -1, lastClose: -1, sql: &sql{parameters: parameters}}
	st := (&statementReader{p}).statement()
	err := p.finish()
	if err == nil {
		err = st.check()
	}
	if err != nil {
		return nil, notWellFormedError(err)
	}
	if p.sql.used != len(parameters) {
		return nil, apierror.Invalid("Number of parameters in request and statement don't match.")
	}
	return st, nil
}

// A statementReader parses a statement clause by clause, using the parser's conditions and paths.
type statementReader struct{ p *parser }

func (r *statementReader) statement() *Statement {
	st := &Statement{}
	switch {
	case r.p.accept("SELECT"):
		r.selection(st)
	case r.p.accept("INSERT"):
		r.insertion(st)
	case r.p.accept("UPDATE"):
		r.update(st)
	case r.p.accept("DELETE"):
		r.deletion(st)
	case r.p.accept("EXISTS"):
		r.p.expect("(")
		r.p.expect("SELECT")
		r.selection(st)
		r.p.expect(")")
		st.Kind = StatementExists
	default:
		r.p.unexpected()
	}
	return st
}

// selection follows https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.select.html.
func (r *statementReader) selection(st *Statement) {
	st.Kind = StatementSelect
	if r.p.is("VALUE") {
		r.p.fail(expressionErrorf("Select projection doesn't support value or pivot keywords"))
	}
	if !r.p.accept("*") {
		st.Columns = append(st.Columns, r.column())
		for r.p.accept(",") {
			st.Columns = append(st.Columns, r.column())
		}
	}
	r.p.expect("FROM")
	st.Table = r.p.pathName().Name
	if r.p.accept(".") {
		st.Index = new(r.p.pathName().Name)
	}
	if r.p.is("AS") || r.p.peek().kind == tokenQuoted || r.p.peek().kind == tokenName && !r.p.is("WHERE") && !r.p.is("ORDER") {
		r.p.fail(expressionErrorf("Aliasing is not supported"))
	}
	r.filter(st)
	r.ordering(st)
}

func (r *statementReader) column() Path {
	out := r.p.documentPath()
	if r.p.is("AS") {
		r.p.fail(expressionErrorf("Aliasing is not supported"))
	}
	return out
}

func (r *statementReader) filter(st *Statement) {
	if r.p.accept("WHERE") {
		st.Where = r.p.condition()
	}
}

func (r *statementReader) ordering(st *Statement) {
	if !r.p.accept("ORDER") {
		return
	}
	r.p.expect("BY")
	for more := true; more; more = r.p.accept(",") {
		o := Ordering{Path: r.p.documentPath()}
		o.Descending = r.p.accept("DESC")
		if !o.Descending {
			r.p.accept("ASC")
		}
		st.Order = append(st.Order, o)
	}
	if st.Where == nil {
		r.p.fail(apierror.Invalid("Must have WHERE clause in the statement when using ORDER BY clause."))
	}
}

// insertion follows https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.insert.html.
func (r *statementReader) insertion(st *Statement) {
	st.Kind = StatementInsert
	r.p.expect("INTO")
	st.Table = r.p.pathName().Name
	r.p.expect("VALUE")
	if !r.p.is("{") {
		r.p.fail(expressionErrorf("Unsupported format in item expression; use {...} for the item of an insert statement"))
	}
	st.Item = r.p.value().Fields
	if r.p.is("RETURNING") {
		r.p.fail(apierror.Invalid("RETURNING is not supported in INSERT"))
	}
}

// update follows https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html.
func (r *statementReader) update(st *Statement) {
	st.Kind = StatementUpdate
	st.Table = r.p.pathName().Name
	r.p.update = true
	for r.p.err == nil && !r.p.is("WHERE") && r.p.peek().kind != tokenEnd {
		c := ClauseSet
		if !r.p.accept(string(ClauseSet)) {
			r.p.expect(string(ClauseRemove))
			c = ClauseRemove
		}
		for more := true; more; more = r.p.accept(",") {
			st.Actions = append(st.Actions, r.assignment(c))
		}
	}
	if len(st.Actions) == 0 {
		r.p.unexpected()
	}
	r.p.update = false
	r.filter(st)
	r.returning(st, "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
}

func (r *statementReader) assignment(c clause) Action {
	a := r.p.change(c)
	if a.Value == nil || a.Value.Op != OpCall || a.Value.Name != "set_add" && a.Value.Name != "set_delete" {
		return a
	}
	args, name := a.Value.Args, strings.ToUpper(a.Value.Name)
	if len(args) != 2 || args[0].Op != OpPath || !slices.Equal(args[0].Path, a.Path) || args[1].Op != OpValue ||
		!args[1].Value.Kind.IsSet() {
		r.p.fail(expressionErrorf("%s must have the assigned attribute and a set as its arguments", name))
		return a
	}
	a.Clause, a.Value = ClauseAdd, args[1]
	if name == "SET_DELETE" {
		a.Clause = ClauseDelete
	}
	return a
}

// deletion follows https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.delete.html.
func (r *statementReader) deletion(st *Statement) {
	st.Kind = StatementDelete
	r.p.expect("FROM")
	st.Table = r.p.pathName().Name
	r.filter(st)
	r.returning(st, "ALL_OLD")
}

func (r *statementReader) returning(st *Statement, allowed ...string) {
	if !r.p.accept("RETURNING") {
		return
	}
	scope := "ALL"
	if !r.p.accept(scope) {
		r.p.expect("MODIFIED")
		scope = "UPDATED"
	}
	label := "OLD"
	if !r.p.accept(label) {
		r.p.expect("NEW")
		label = "NEW"
	}
	r.p.expect("*")
	if st.Returning = scope + "_" + label; !slices.Contains(allowed, st.Returning) {
		r.p.fail(apierror.Invalid("Invalid returning clause. Only RETURNING ALL OLD * is allowed in DELETE statements."))
	}
}

func (st *Statement) check() error {
	if err := st.Columns.check(); err != nil {
		return err
	}
	if err := checkTree(st.Where, language{anyName: true}); err != nil {
		return err
	}
	paths := make([]Path, len(st.Actions))
	for i, a := range st.Actions {
		paths[i] = a.Path
		if a.Value == nil {
			continue
		}
		if err := checkTree(a.Value, language{update: true, anyName: true}); err != nil {
			return err
		}
	}
	return checkOverlap(paths)
}

func checkTree(e *Node, l language) error {
	if err := checkOperators(e); err != nil {
		return err
	}
	if err := checkWords(e, l, false); err != nil {
		return err
	}
	return visitNodes(e, checkOperands)
}

// Columns contains the paths in the list of a SELECT. Each path becomes a separate attribute.
type Columns []Path

func (Columns) name(p Path) string {
	at := len(p) - 1
	for at > 0 && p[at].isIndex {
		at--
	}
	var b strings.Builder
	b.WriteString(p[at].Name)
	for _, s := range p[at+1:] {
		fmt.Fprintf(&b, "[%d]", s.index)
	}
	return b.String()
}

func (cs Columns) check() error {
	previous := map[string]bool{}
	for _, p := range cs {
		name := cs.name(p)
		if previous[name] {
			return apierror.Invalid("Duplicate identifiers in select clause: %s", name)
		}
		previous[name] = true
	}
	return nil
}

// Project returns the columns of an item. It omits columns that the item lacks.
func (cs Columns) Project(it attribute.Item) attribute.Item {
	out := make(attribute.Item, len(cs))
	for _, p := range cs {
		if v, ok := p.valueIn(it); ok {
			out[cs.name(p)] = v
		}
	}
	return out
}

// tokenizeStatement cannot fail, because invalid text becomes a symbol that the parser rejects.
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
		if text, width := scanQuoted(s); width > 0 {
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

func scanQuoted(s string) (text string, width int) {
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
	skipDigits := func() {
		for end < len(s) && isDigit(s[end]) {
			end++
		}
	}
	skipDigits()
	kind := tokenIndex
	if end < len(s) && s[end] == '.' {
		kind = tokenNumber
		end++
		skipDigits()
	}
	if rest := strings.TrimLeft(s[end:], "eE"); len(s)-end-len(rest) == 1 {
		power := strings.TrimPrefix(rest, "+")
		if power == rest {
			power = strings.TrimPrefix(rest, "-")
		}
		if power != "" && isDigit(power[0]) {
			kind = tokenNumber
			end = len(s) - len(power)
			skipDigits()
		}
	}
	return token{kind: kind, text: s[:end], end: end}
}
