package embedded

import (
	"fmt"
	"slices"
	"strings"
)

// statementKind is the word that starts a statement.
type statementKind string

const (
	statementSelect statementKind = "SELECT"
	statementInsert statementKind = "INSERT"
	statementUpdate statementKind = "UPDATE"
	statementDelete statementKind = "DELETE"
	statementExists statementKind = "EXISTS" // the condition check of a transaction
)

// parsedStatement is a parsed PartiQL statement. Its trees are those of expressions.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.html
type parsedStatement struct {
	kind    statementKind
	table   string
	index   *string
	columns columns // of SELECT; nil is the whole item
	item    item    // of INSERT
	actions []action
	where   *expr
	order   []ordering
	// returning is the ReturnValues mode of an UPDATE or DELETE, empty without RETURNING.
	returning string
}

// ordering is an element of ORDER BY.
type ordering struct {
	path       path
	descending bool
}

// isRead reports whether the statement writes nothing. EXISTS belongs to the writes, whose
// transaction it is part of.
func (st *parsedStatement) isRead() bool { return st.kind == statementSelect }

// parseStatement reads a statement. parameters are the values of each ?.
func parseStatement(src string, parameters []value) (*parsedStatement, error) {
	p := &parser{src: src, tokens: tokenizeStatement(src), lastOpen: -1, lastClose: -1, sql: &sql{parameters: parameters}}
	p.sql.p = p
	st := (&statementReader{p}).statement()
	err := p.finish()
	if err == nil {
		err = st.check()
	}
	if err != nil {
		return nil, notWellFormed(err)
	}
	if p.sql.used != len(parameters) {
		return nil, invalid("Number of parameters in request and statement don't match.")
	}
	return st, nil
}

// A statementReader parses a statement clause by clause, with the conditions and paths of the parser.
type statementReader struct{ p *parser }

// statement reads a statement of any kind.
func (r *statementReader) statement() *parsedStatement {
	st := &parsedStatement{}
	switch {
	case r.p.take("SELECT"):
		r.selection(st)
	case r.p.take("INSERT"):
		r.insertion(st)
	case r.p.take("UPDATE"):
		r.updating(st)
	case r.p.take("DELETE"):
		r.deletion(st)
	case r.p.take("EXISTS"):
		r.p.expect("(")
		r.p.expect("SELECT")
		r.selection(st)
		r.p.expect(")")
		st.kind = statementExists
	default:
		r.p.unexpected()
	}
	return st
}

// selection reads a SELECT after its first word.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.select.html
func (r *statementReader) selection(st *parsedStatement) {
	st.kind = statementSelect
	if r.p.is("VALUE") {
		r.p.fail(complain("Select projection doesn't support value or pivot keywords"))
	}
	if !r.p.take("*") {
		st.columns = append(st.columns, r.column())
		for r.p.take(",") {
			st.columns = append(st.columns, r.column())
		}
	}
	r.p.expect("FROM")
	st.table = r.p.pathName().name
	if r.p.take(".") {
		st.index = new(r.p.pathName().name)
	}
	if r.p.is("AS") || r.p.peek().kind == tokenQuoted || r.p.peek().kind == tokenName && !r.p.is("WHERE") && !r.p.is("ORDER") {
		r.p.fail(complain("Aliasing is not supported"))
	}
	r.filter(st)
	r.ordering(st)
}

// column is an element of the list of a SELECT.
func (r *statementReader) column() path {
	out := r.p.documentPath()
	if r.p.is("AS") {
		r.p.fail(complain("Aliasing is not supported"))
	}
	return out
}

// filter reads an optional WHERE.
func (r *statementReader) filter(st *parsedStatement) {
	if r.p.take("WHERE") {
		st.where = r.p.condition()
	}
}

// ordering reads an optional ORDER BY.
func (r *statementReader) ordering(st *parsedStatement) {
	if !r.p.take("ORDER") {
		return
	}
	r.p.expect("BY")
	for more := true; more; more = r.p.take(",") {
		o := ordering{path: r.p.documentPath()}
		o.descending = r.p.take("DESC")
		if !o.descending {
			r.p.take("ASC")
		}
		st.order = append(st.order, o)
	}
	if st.where == nil {
		r.p.fail(invalid("Must have WHERE clause in the statement when using ORDER BY clause."))
	}
}

// insertion reads an INSERT after its first word.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.insert.html
func (r *statementReader) insertion(st *parsedStatement) {
	st.kind = statementInsert
	r.p.expect("INTO")
	st.table = r.p.pathName().name
	r.p.expect("VALUE")
	if !r.p.is("{") {
		r.p.fail(complain("Unsupported format in item expression; use {...} for the item of an insert statement"))
	}
	st.item = r.p.sql.value().fields
	if r.p.is("RETURNING") {
		r.p.fail(invalid("RETURNING is not supported in INSERT"))
	}
}

// updating reads an UPDATE after its first word.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html
func (r *statementReader) updating(st *parsedStatement) {
	st.kind = statementUpdate
	st.table = r.p.pathName().name
	r.p.update = true
	for r.p.err == nil && !r.p.is("WHERE") && r.p.peek().kind != tokenEnd {
		c := clauseSet
		if !r.p.take(string(clauseSet)) {
			r.p.expect(string(clauseRemove))
			c = clauseRemove
		}
		for more := true; more; more = r.p.take(",") {
			st.actions = append(st.actions, r.assignment(c))
		}
	}
	if len(st.actions) == 0 {
		r.p.unexpected()
	}
	r.p.update = false
	r.filter(st)
	r.returning(st, "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
}

// assignment is change, with the functions that add to a set and delete from one.
func (r *statementReader) assignment(c clause) action {
	a := r.p.change(c)
	if a.value == nil || a.value.op != opCall || a.value.name != "set_add" && a.value.name != "set_delete" {
		return a
	}
	args, name := a.value.args, strings.ToUpper(a.value.name)
	if len(args) != 2 || args[0].op != opPath || !slices.Equal(args[0].path, a.path) || args[1].op != opValue || !args[1].value.kind.isSet() {
		r.p.fail(complain("%s must have the assigned attribute and a set as its arguments", name))
		return a
	}
	a.clause, a.value = clauseAdd, args[1]
	if name == "SET_DELETE" {
		a.clause = clauseDelete
	}
	return a
}

// deletion reads a DELETE after its first word.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.delete.html
func (r *statementReader) deletion(st *parsedStatement) {
	st.kind = statementDelete
	r.p.expect("FROM")
	st.table = r.p.pathName().name
	r.filter(st)
	r.returning(st, "ALL_OLD")
}

// returning reads an optional RETURNING with one of the allowed modes.
func (r *statementReader) returning(st *parsedStatement, allowed ...string) {
	if !r.p.take("RETURNING") {
		return
	}
	what := "ALL"
	if !r.p.take(what) {
		r.p.expect("MODIFIED")
		what = "UPDATED"
	}
	when := "OLD"
	if !r.p.take(when) {
		r.p.expect("NEW")
		when = "NEW"
	}
	r.p.expect("*")
	if st.returning = what + "_" + when; !slices.Contains(allowed, st.returning) {
		r.p.fail(invalid("Invalid returning clause. Only RETURNING ALL OLD * is allowed in DELETE statements."))
	}
}

// check checks the trees of a statement like those of expressions.
func (st *parsedStatement) check() error {
	if err := st.columns.check(); err != nil {
		return err
	}
	if err := checkTree(st.where, language{anyName: true}); err != nil {
		return err
	}
	paths := make([]path, len(st.actions))
	for i, a := range st.actions {
		paths[i] = a.path
		if a.value == nil {
			continue
		}
		if err := checkTree(a.value, language{update: true, anyName: true}); err != nil {
			return err
		}
	}
	return checkOverlap(paths)
}

// checkTree checks a tree whose names and values are known.
func checkTree(e *expr, l language) error {
	if err := checkOperators(e); err != nil {
		return err
	}
	if err := checkWords(e, l, false); err != nil {
		return err
	}
	return each(e, checkOperands)
}

// columns are the paths in the list of a SELECT. Each becomes an attribute of its own.
type columns []path

// name returns the name of a column in the result: the last name of its path, with the
// indexes after it.
func (columns) name(p path) string {
	at := len(p) - 1
	for at > 0 && p[at].isIndex {
		at--
	}
	var b strings.Builder
	b.WriteString(p[at].name)
	for _, s := range p[at+1:] {
		fmt.Fprintf(&b, "[%d]", s.index)
	}
	return b.String()
}

// check rejects two columns with one name.
func (cs columns) check() error {
	seen := map[string]bool{}
	for _, p := range cs {
		name := cs.name(p)
		if seen[name] {
			return invalid("Duplicate identifiers in select clause: %s", name)
		}
		seen[name] = true
	}
	return nil
}

// of returns the columns of an item. Those that it does not have are left out.
func (cs columns) of(it item) item {
	out := make(item, len(cs))
	for _, p := range cs {
		if v, ok := p.of(it); ok {
			out[cs.name(p)] = v
		}
	}
	return out
}
