package expression

import (
	"errors"
	"slices"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// sql is the parser state for features that only PartiQL statements have: literals and parameters.
type sql struct {
	parameters []attribute.Value // values of the request for each ?, in order
	used       int               // number of parameters so far, larger than len(parameters) if some are missing
	nested     int               // levels of lists and maps around the current literal
}

func (p *parser) fail(err error) {
	if err == nil {
		return
	}
	if p.err == nil {
		p.err = err
	}
	p.at = len(p.tokens) - 1
}

// literal follows https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.data-types.html.
func (p *parser) literal() (v attribute.Value, ok bool) {
	t := p.peek()
	switch {
	case t.kind == tokenText:
		p.skip()
		return attribute.String(t.text), true
	case t.kind == tokenIndex || t.kind == tokenNumber:
		return p.number(""), true
	case p.is("-") && slices.Contains([]tokenKind{tokenIndex, tokenNumber}, p.tokens[p.at+1].kind):
		p.skip()
		return p.number("-"), true
	case p.is("?"):
		return p.parameter(), true
	case p.accept("["):
		return p.listLiteral(), true
	case p.accept("{"):
		return p.mapLiteral(), true
	case p.accept("<<"):
		return p.setLiteral(), true
	}
	return p.word()
}

func (p *parser) word() (v attribute.Value, ok bool) {
	if next := p.tokens[min(p.at+1, len(p.tokens)-1)]; next.is(".") || next.is("[") || next.is("(") {
		return attribute.Value{}, false
	}
	switch {
	case p.accept("TRUE"):
		return attribute.Value{Kind: attribute.BOOL, Truth: true}, true
	case p.accept("FALSE"):
		return attribute.Value{Kind: attribute.BOOL}, true
	case p.accept("NULL"):
		return attribute.Value{Kind: attribute.NULL}, true
	}
	return attribute.Value{}, false
}

func (p *parser) value() attribute.Value {
	v, ok := p.literal()
	if !ok {
		p.unexpected()
	}
	return v
}

func (p *parser) number(sign string) attribute.Value {
	t := p.peek()
	p.skip()
	n, err := attribute.NormalNumber(sign + t.text)
	if err != nil { // a nil *apierror.Error is not a nil error
		p.fail(err)
	}
	return attribute.Value{Kind: attribute.N, Str: n}
}

func (p *parser) parameter() attribute.Value {
	p.skip()
	p.sql.used++
	if p.sql.used > len(p.sql.parameters) {
		return attribute.Value{Kind: attribute.NULL}
	}
	return p.sql.parameters[p.sql.used-1]
}

func (p *parser) parseList(end string, element func()) {
	if p.accept(end) {
		return
	}
	if p.sql.nested++; p.sql.nested > attribute.MaxNesting {
		p.fail(apierror.TooDeep())
	}
	element()
	for p.accept(",") {
		element()
	}
	p.expect(end)
	p.sql.nested--
}

func (p *parser) listLiteral() attribute.Value {
	v := attribute.Value{Kind: attribute.L, List: []attribute.Value{}}
	p.parseList("]", func() { v.List = append(v.List, p.value()) })
	return v
}

func (p *parser) mapLiteral() attribute.Value {
	v := attribute.Value{Kind: attribute.M, Fields: attribute.Item{}}
	p.parseList("}", func() {
		name := p.peek()
		if name.kind != tokenText {
			p.unexpected()
			return
		}
		p.skip()
		p.expect(":")
		field := p.value()
		if _, duplicate := v.Fields[name.text]; duplicate {
			p.fail(expressionErrorf("Duplicate keys in tuple; key: %s", name.text))
			return
		}
		p.fail(attribute.CheckName(name.text))
		v.Fields[name.text] = field
	})
	return v
}

func (p *parser) setLiteral() attribute.Value {
	var members []attribute.Value
	p.parseList(">>", func() { members = append(members, p.value()) })
	if p.err != nil {
		return attribute.Value{}
	}
	v, err := literalSet(members)
	p.fail(err)
	return v
}

func literalSet(members []attribute.Value) (attribute.Value, error) {
	if len(members) == 0 {
		return attribute.Value{}, expressionErrorf("Empty bags are not supported")
	}
	k := members[0].Kind
	var texts []string
	for _, m := range members {
		if m.Kind != k || !slices.Contains(Scalars, k) {
			return attribute.Value{}, expressionErrorf("Unsupported data type in bag; all members must be strings, numbers or binary values")
		}
		texts = append(texts, m.Str)
	}
	v := attribute.SetOf(k.Set(), texts)
	if len(v.Set) < len(texts) {
		return attribute.Value{}, apierror.Invalid("Input collection contains duplicates")
	}
	return v, nil
}

func (p *parser) listMembers() []*Node {
	v := p.value()
	if p.err == nil && (v.Kind != attribute.L || len(v.List) == 0) {
		p.fail(expressionErrorf("IN operator must have a list with at least one member"))
	}
	var members []*Node
	for _, member := range v.List {
		members = append(members, Literal(member))
	}
	return members
}

func (p *parser) presence(left *Node) *Node {
	negated := p.accept("NOT")
	var e *Node
	switch {
	case p.accept("MISSING"):
		e = &Node{Op: OpCall, Name: "attribute_not_exists", Args: []*Node{left}}
	case p.accept("NULL"):
		e = &Node{Op: OpCall, Name: "attribute_type", Args: []*Node{left, Literal(attribute.String(attribute.NULL.String()))}}
	default:
		p.unexpected()
		return left
	}
	if negated {
		e = &Node{Op: OpNot, Args: []*Node{e}}
	}
	return e
}

func notWellFormedError(err error) error {
	if c, ok := errors.AsType[expressionError](err); ok {
		return apierror.Invalid("Statement wasn't well formed, can't be processed: %s", strings.TrimSuffix(c.Error(), ";"))
	}
	return err
}
