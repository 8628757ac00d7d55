package rows

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"

	"github.com/itchyny/gojq"
)

// The limits of jq values. An item has at most 400 KB. The time limit ends a loop; a
// single operation runs to its end, so it is refused before it starts.
const (
	maxValue    = 4 << 20   // bytes of a value, counted as often as it occurs
	maxElements = 100_000   // elements of an array that an expression collects
	maxIndex    = 100_000   // index at which an array may be extended
	maxSearched = 128 << 10 // bytes of a text in which a regular expression finds all matches
)

// The functions that the bounds add. No expression can name or redefine them, because
// of the space.
const (
	sizedFunc    = "bounded value"
	pairFunc     = "bounded operands"
	joinFunc     = "bounded join"
	tableFunc    = "bounded transpose"
	indexFunc    = "bounded index"
	pathFunc     = "bounded path"
	textFunc     = "bounded text"
	elementsFunc = "bounded elements"
	operand      = "$bounded operand"
)

// expanding are the functions whose result may be larger than their input in memory,
// because they write out what the input only refers to, by the function that checks
// the input.
var expanding = map[string]string{
	"add": sizedFunc, "implode": sizedFunc, "tojson": sizedFunc, "tostring": sizedFunc, "flatten": sizedFunc, "explode": sizedFunc,
	"format": sizedFunc, "fromjson": sizedFunc, "ascii_downcase": sizedFunc, "ascii_upcase": sizedFunc, "sort": sizedFunc,
	"unique": sizedFunc, "contains": sizedFunc, "inside": sizedFunc, "indices": textFunc, "transpose": tableFunc,
	"match": textFunc, "capture": textFunc, "scan": textFunc, "splits": textFunc, "sub": textFunc, "gsub": textFunc, "split": textFunc,
}

func bounds() []gojq.CompilerOption {
	check := func(name string, args int, test func(v any, args []any) error) gojq.CompilerOption {
		return gojq.WithFunction(name, args, args, func(v any, args []any) any {
			if err := test(v, args); err != nil {
				return err
			}
			return v
		})
	}
	return []gojq.CompilerOption{
		check(sizedFunc, 0, func(v any, _ []any) error { return atMost(size(v), maxValue) }),
		check(textFunc, 0, func(v any, _ []any) error { return atMost(size(v), maxSearched) }),
		check(indexFunc, 0, func(v any, _ []any) error { return checkIndex(v) }),
		check(joinFunc, 1, func(v any, args []any) error { return checkJoin(v, args[0]) }),
		check(tableFunc, 0, func(v any, _ []any) error { return checkTable(v) }),
		check(pathFunc, 0, func(v any, _ []any) error {
			list, _ := v.([]any)
			for _, x := range list {
				if err := checkIndex(x); err != nil {
					return err
				}
			}
			return nil
		}),
		gojq.WithFunction(pairFunc, 3, 3, func(_ any, args []any) any {
			times, _ := args[2].(bool)
			if err := checkOperands(args[0], args[1], times); err != nil {
				return err
			}
			return args[:2:2]
		}),
	}
}

func atMost(n, limit int) error {
	if n > limit {
		return fmt.Errorf("value exceeds %d KB", limit>>10)
	}
	return nil
}

// size stops counting above maxValue, because a value can contain another one very often without taking memory for
// it.
func size(v any) int {
	n := 16
	switch v := v.(type) {
	case string:
		n += len(v)
	case json.Number:
		n += len(v)
	case *big.Int:
		n += v.BitLen() / 8
	case []any:
		for _, x := range v {
			if n += size(x); n > maxValue {
				break
			}
		}
	case map[string]any:
		for name, x := range v {
			if n += len(name) + size(x); n > maxValue {
				break
			}
		}
	}
	return n
}

func asNumber(v any) (float64, bool) {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		return f, err == nil
	}
	return gojq.ToFloat64(v)
}

func checkIndex(v any) error {
	if n, ok := asNumber(v); ok && n > maxIndex {
		return fmt.Errorf("index exceeds %d", maxIndex)
	}
	return nil
}

func checkOperands(a, b any, times bool) error {
	n := size(a) + size(b)
	for range 2 {
		if text, ok := a.(string); ok && times {
			if count, ok := asNumber(b); ok && float64(len(text))*count > maxValue {
				return atMost(maxValue+1, maxValue)
			}
		}
		a, b = b, a
	}
	return atMost(n, maxValue)
}

func checkJoin(list, separator any) error {
	elements, _ := list.([]any)
	return atMost(min(size(list), maxValue+1)+len(elements)*min(size(separator), maxValue), maxValue)
}

func checkTable(v any) error {
	rows, _ := v.([]any)
	longest := 0
	for _, row := range rows {
		if list, ok := row.([]any); ok {
			longest = max(longest, len(list))
		}
	}
	return atMost(max(size(v), len(rows)*longest*16), maxValue)
}

// bound rewrites an expression so that every operation that could build a very large value checks its operands first.
func bound(q *gojq.Query) error {
	boundIn(reflect.ValueOf(q))
	prelude, err := gojq.Parse(fmt.Sprintf(
		`def f(g): foreach g as $x (0; . + 1; if . > %d then error("more than %d elements") else $x end); .`, maxElements, maxElements,
	))
	if err != nil {
		return fmt.Errorf("jq: %w", err)
	}
	prelude.FuncDefs[0].Name = elementsFunc
	q.FuncDefs = append(prelude.FuncDefs, q.FuncDefs...)
	return nil
}

func boundIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		boundIn(v.Elem())
		switch x := v.Interface().(type) {
		case *gojq.Query:
			boundQuery(x)
		case *gojq.Term:
			boundTerm(x)
		case *gojq.Index:
			if x.Start != nil && !x.IsSlice {
				x.Start = pipe(x.Start, call(indexFunc))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			boundIn(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			boundIn(v.Index(i))
		}
	default:
	}
}

func boundQuery(q *gojq.Query) {
	scope := gojq.Query{Meta: q.Meta, Imports: q.Imports, FuncDefs: q.FuncDefs}
	old := *q
	old.Meta, old.Imports, old.FuncDefs = nil, nil, nil
	var now *gojq.Query
	switch old.Op {
	case gojq.OpAdd, gojq.OpMul:
		now = operate(old.Left, old.Op, old.Right)
	case gojq.OpUpdateAdd:
		now = update(old.Left, gojq.OpAdd, old.Right)
	case gojq.OpUpdateMul:
		now = update(old.Left, gojq.OpMul, old.Right)
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAlt, gojq.OpUpdateSub, gojq.OpUpdateDiv, gojq.OpUpdateMod:
		now = pipe(&old, call(sizedFunc))
	default:
		return
	}
	*q = *now
	q.Meta, q.Imports, q.FuncDefs = scope.Meta, scope.Imports, scope.FuncDefs
}

func operate(left *gojq.Query, op gojq.Operator, right *gojq.Query) *gojq.Query {
	times := gojq.TermTypeFalse
	if op == gojq.OpMul {
		times = gojq.TermTypeTrue
	}
	at := func(i string) *gojq.Query {
		return term(gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Start: term(gojq.Term{Type: gojq.TermTypeNumber, Number: i})}})
	}
	return pipe(call(pairFunc, left, right, term(gojq.Term{Type: times})), &gojq.Query{Op: op, Left: at("0"), Right: at("1")})
}

func update(left *gojq.Query, op gojq.Operator, right *gojq.Query) *gojq.Query {
	dot := term(gojq.Term{Type: gojq.TermTypeIdentity})
	modify := &gojq.Query{Op: gojq.OpModify, Left: left, Right: operate(dot, op, call(operand))}
	return bind(right, pipe(modify, call(sizedFunc)))
}

func bind(value, body *gojq.Query) *gojq.Query {
	q := pipe(value, body)
	q.Patterns = []*gojq.Pattern{{Name: operand}}
	return q
}

func boundTerm(t *gojq.Term) {
	old := *t
	old.SuffixList = nil
	self := term(old)
	var now *gojq.Query
	switch t.Type {
	case gojq.TermTypeArray:
		if t.Array.Query == nil {
			return
		}
		t.Array.Query = call(elementsFunc, t.Array.Query)
		now = pipe(self, call(sizedFunc))
	case gojq.TermTypeObject:
		now = pipe(self, call(sizedFunc))
	case gojq.TermTypeString, gojq.TermTypeFormat:
		if t.Str == nil || len(t.Str.Queries) == 0 {
			if t.Type == gojq.TermTypeString {
				return
			}
			now = pipe(call(sizedFunc), self)
			break
		}
		for i, q := range t.Str.Queries {
			if q.Term == nil || q.Term.Str == nil {
				t.Str.Queries[i] = term(gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(q, call(sizedFunc))})
			}
		}
		now = pipe(self, call(sizedFunc))
	case gojq.TermTypeFunc:
		now = boundCall(old.Func, self)
	default:
	}
	if now != nil {
		*t = gojq.Term{Type: gojq.TermTypeQuery, Query: now, SuffixList: t.SuffixList}
	}
}

func boundCall(f *gojq.Func, self *gojq.Query) *gojq.Query {
	switch {
	case f.Name == "join" && len(f.Args) == 1:
		return bind(f.Args[0], pipe(call(joinFunc, call(operand)), call("join", call(operand))))
	case f.Name == "add" && len(f.Args) == 1:
		list := term(gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: call(elementsFunc, f.Args[0])}})
		return pipe(list, pipe(call(sizedFunc), call("add")))
	case f.Name == "setpath" && len(f.Args) == 2:
		f.Args[0] = pipe(f.Args[0], call(pathFunc))
		return pipe(self, call(sizedFunc))
	case f.Name == "getpath" && len(f.Args) == 1:
		f.Args[0] = pipe(f.Args[0], call(pathFunc))
	case f.Name == "nth" && len(f.Args) > 0:
		f.Args[0] = pipe(f.Args[0], call(indexFunc))
	case expanding[f.Name] != "":
		return pipe(call(expanding[f.Name]), self)
	}
	return nil
}

func term(t gojq.Term) *gojq.Query { return &gojq.Query{Term: &t} }

func call(name string, args ...*gojq.Query) *gojq.Query {
	return term(gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}})
}

func pipe(left, right *gojq.Query) *gojq.Query {
	return &gojq.Query{Op: gojq.OpPipe, Left: left, Right: right}
}
