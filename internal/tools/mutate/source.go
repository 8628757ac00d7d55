package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A mutant is one change of the code, which the program makes when the environment names its ID.
type mutant struct {
	id           int
	file         string // in the folder of its package
	line, column int
	function     string // such as "parse" or "reader.next", "package" outside of functions
	what         string // such as "a < b: <= instead of <"
}

// compare orders mutants by their place.
func (m mutant) compare(other mutant) int {
	return cmp.Or(cmp.Compare(m.file, other.file), cmp.Compare(m.line, other.line), cmp.Compare(m.column, other.column), cmp.Compare(m.id, other.id))
}

// support is the code that mutated files call. A mutated expression evaluates its operands as often, and in the same
// order, as the original. MUTANT turns on a mutant, and MUTANT_TRACE names a file that gets the IDs of those that are evaluated.
const support = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var mutantActive, _ = strconv.Atoi(os.Getenv("MUTANT"))

var mutantTrace = func() *os.File {
	f, _ := os.OpenFile(os.Getenv("MUTANT_TRACE"), os.O_WRONLY|os.O_APPEND, 0)
	return f
}()

var mutantTraced [%d]atomic.Bool // By ID. A test may count allocations, so this has none.

func mutantNote(id int) {
	if !mutantTraced[id].Swap(true) {
		mutantTrace.WriteString(strconv.Itoa(id) + "\n")
	}
}

func mutantOn(id int) bool {
	if mutantTrace != nil {
		mutantNote(id)
	}
	return mutantActive == id
}

type mutantNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

type mutantInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutantOrdered interface{ mutantNumber | ~string }

func mutantLess[T mutantOrdered](id int, a, b T) bool {
	on := mutantOn(id)
	return a < b || on && a == b
}

func mutantAtMost[T mutantOrdered](id int, a, b T) bool {
	on := mutantOn(id)
	return a < b || !on && a == b
}

func mutantMore[T mutantOrdered](id int, a, b T) bool {
	on := mutantOn(id)
	return a > b || on && a == b
}

func mutantAtLeast[T mutantOrdered](id int, a, b T) bool {
	on := mutantOn(id)
	return a > b || !on && a == b
}

func mutantAdd[T mutantNumber](id int, a, b T) T {
	if mutantOn(id) {
		return a - b
	}
	return a + b
}

func mutantSubtract[T mutantNumber](id int, a, b T) T {
	if mutantOn(id) {
		return a + b
	}
	return a - b
}

func mutantMultiply[T mutantNumber](id int, a, b T) T {
	if mutantOn(id) {
		return a / b
	}
	return a * b
}

func mutantDivide[T mutantNumber](id int, a, b T) T {
	if mutantOn(id) {
		return a * b
	}
	return a / b
}

func mutantRemainder[T mutantInteger](id int, a, b T) T {
	if mutantOn(id) {
		return a * b
	}
	return a %% b
}

func mutantIncrement[T mutantNumber](id int, a T) T {
	if mutantOn(id) {
		return a - 1
	}
	return a + 1
}

func mutantDecrement[T mutantNumber](id int, a T) T {
	if mutantOn(id) {
		return a + 1
	}
	return a - 1
}

func mutantNegate[T mutantNumber](id int, a T) T {
	if mutantOn(id) {
		return a
	}
	return -a
}
`

// boundary names the function that evaluates a comparison, and the comparison that a mutant makes of it.
var boundary = map[token.Token][2]string{
	token.LSS: {"mutantLess", "<="}, token.LEQ: {"mutantAtMost", "<"}, token.GTR: {"mutantMore", ">="}, token.GEQ: {"mutantAtLeast", ">"},
}

// arithmetic names the function that evaluates an operator, and the operator that a mutant makes of it.
var arithmetic = map[token.Token][2]string{
	token.ADD: {"mutantAdd", "-"}, token.SUB: {"mutantSubtract", "+"}, token.MUL: {"mutantMultiply", "/"},
	token.QUO: {"mutantDivide", "*"}, token.REM: {"mutantRemainder", "*"},
}

// An edit replaces the bytes from an offset to another one.
type edit struct {
	from, to int
	text     string
}

// A rewriter makes the mutants of a file as edits of its text. Lines keep their numbers.
type rewriter struct {
	fset  *token.FileSet
	info  *types.Info
	name  string
	src   []byte
	next  *int // the last ID
	found []mutant
	edits []edit

	function string // the one that is being rewritten
}

// rewrite returns the text of a file with all its mutants.
func (r *rewriter) rewrite(f *ast.File) []byte {
	for _, d := range f.Decls {
		r.function = nameOf(d)
		ast.Inspect(d, r.mutate)
	}
	// An expression can end or begin where an operator is replaced: what is inserted there comes first.
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out strings.Builder
	done := 0
	for _, e := range r.edits {
		out.Write(r.src[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.Write(r.src[done:])
	return []byte(out.String())
}

// mutate makes the mutants of one node, and reports whether to continue with what the node contains.
func (r *rewriter) mutate(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.CONST
	case *ast.BinaryExpr:
		r.binary(n)
	case *ast.UnaryExpr:
		r.unary(n)
	case *ast.IncDecStmt:
		r.step(n)
	}
	return true
}

// nameOf returns the name of a function, with the type of its receiver, and "package" for another declaration.
func nameOf(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return "package"
	}
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.IndexListExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// add notes a mutant and returns its ID.
func (r *rewriter) add(at token.Pos, what string) int {
	*r.next++
	p := r.fset.Position(at)
	r.found = append(r.found, mutant{id: *r.next, file: r.name, line: p.Line, column: p.Column, function: r.function, what: what})
	return *r.next
}

func (r *rewriter) offset(p token.Pos) int { return r.fset.Position(p).Offset }

// insert adds text before a position. Closing text must be given as an insertion before the end of a node.
func (r *rewriter) insert(p token.Pos, text string) {
	at := r.offset(p)
	r.edits = append(r.edits, edit{at, at, text})
}

// end adds text behind a node, before what encloses the node and ends at the same place.
func (r *rewriter) end(p token.Pos, text string) {
	at := r.offset(p)
	i := slices.IndexFunc(r.edits, func(e edit) bool { return e.from == at && e.from == e.to && strings.HasPrefix(e.text, ")") })
	if i < 0 {
		r.edits = append(r.edits, edit{at, at, text})
		return
	}
	r.edits = slices.Insert(r.edits, i, edit{at, at, text})
}

func (r *rewriter) replace(p token.Pos, length int, text string) {
	at := r.offset(p)
	r.edits = append(r.edits, edit{at, at + length, text})
}

// text is the source of a node on one line.
func (r *rewriter) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(r.src[r.offset(n.Pos()):r.offset(n.End())])), " ")
}

// constant reports whether the compiler knows the value of an expression, or its type is one that mutants do not know.
func (r *rewriter) constant(e ast.Expr) bool {
	tv, ok := r.info.Types[e]
	return !ok || tv.Value != nil
}

func (r *rewriter) binary(e *ast.BinaryExpr) {
	if r.constant(e) {
		return
	}
	t := r.info.Types[e].Type
	if calc, ok := arithmetic[e.Op]; ok {
		if basic, ok := t.Underlying().(*types.Basic); !ok || basic.Info()&types.IsNumeric == 0 || r.mixed(e) {
			return
		}
		id := r.add(e.OpPos, r.text(e)+": "+calc[1]+" instead of "+e.Op.String())
		r.insert(e.Pos(), fmt.Sprintf("%s(%d, ", calc[0], id))
		r.replace(e.OpPos, len(e.Op.String()), ",")
		r.end(e.End(), ")")
		return
	}
	basic, ok := t.(*types.Basic)
	if !ok || basic.Kind() != types.Bool && basic.Kind() != types.UntypedBool {
		return
	}
	switch e.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		negated := r.add(e.OpPos, r.text(e)+": negated")
		if r.mixed(e) {
			r.insert(e.Pos(), fmt.Sprintf("(mutantOn(%d) != (", negated))
			r.end(e.End(), "))")
			return
		}
		call := boundary[e.Op]
		id := r.add(e.OpPos, r.text(e)+": "+call[1]+" instead of "+e.Op.String())
		r.insert(e.Pos(), fmt.Sprintf("(mutantOn(%d) != %s(%d, ", negated, call[0], id))
		r.replace(e.OpPos, len(e.Op.String()), ",")
		r.end(e.End(), "))")
	case token.EQL, token.NEQ:
		id := r.add(e.OpPos, r.text(e)+": negated")
		r.insert(e.Pos(), fmt.Sprintf("(mutantOn(%d) != (", id))
		r.end(e.End(), "))")
	default: // && and || have no mutants: those of their operands show as much.
	}
}

// mixed reports whether the operands have types that one type parameter cannot stand for, or types that are parameters.
func (r *rewriter) mixed(e *ast.BinaryExpr) bool {
	for _, operand := range []ast.Expr{e.X, e.Y} {
		if _, ok := r.info.Types[operand].Type.Underlying().(*types.Basic); !ok {
			return true
		}
		if _, ok := r.info.Types[operand].Type.(*types.TypeParam); ok {
			return true
		}
	}
	return false
}

func (r *rewriter) unary(e *ast.UnaryExpr) {
	if e.Op != token.SUB || r.constant(e) {
		return
	}
	id := r.add(e.OpPos, r.text(e)+": without the sign")
	r.replace(e.OpPos, 1, fmt.Sprintf("mutantNegate(%d, ", id))
	r.end(e.End(), ")")
}

// step mutates i++ and i--. The operand is evaluated twice, so one that calls a function is left as it is.
func (r *rewriter) step(s *ast.IncDecStmt) {
	calls := false
	ast.Inspect(s.X, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		calls = calls || call
		return true
	})
	if calls {
		return
	}
	name, other := "mutantIncrement", "--"
	if s.Tok == token.DEC {
		name, other = "mutantDecrement", "++"
	}
	id := r.add(s.TokPos, r.text(s)+": "+other+" instead")
	r.replace(s.TokPos, 2, fmt.Sprintf(" = %s(%d, %s)", name, id, r.text(s.X)))
}
