package embedded

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxNesting is the maximum depth of lists and maps, including the attribute itself.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const maxNesting = 32

// maxName is the maximum length of an attribute name in bytes.
const maxName = 65535

// ignored accepts any JSON for a member and drops it.
type ignored struct{}

func (ignored) UnmarshalJSON([]byte) error { return nil }

// otherCases drops type descriptors in the wrong case, which are unknown members to the
// service. encoding/json assigns a member without a field of its own to the first field
// whose name differs in case only, and these fields come first.
type otherCases struct {
	OtherS    ignored `json:"s,omitzero"`
	OtherN    ignored `json:"n,omitzero"`
	OtherB    ignored `json:"b,omitzero"`
	OtherBOOL ignored `json:"bool,omitzero"`
	OtherNULL ignored `json:"null,omitzero"`
	OtherSS   ignored `json:"ss,omitzero"`
	OtherNS   ignored `json:"ns,omitzero"`
	OtherBS   ignored `json:"bs,omitzero"`
	OtherL    ignored `json:"l,omitzero"`
	OtherM    ignored `json:"m,omitzero"`
}

// wireValue is an AttributeValue in a request. Exactly one member must be set.
type wireValue struct {
	otherCases
	S    *string
	N    *string
	B    []byte
	BOOL *bool
	NULL *bool
	SS   []*string // a null member is rejected
	NS   []*string
	BS   [][]byte
	L    []wireValue
	M    map[string]wireValue
}

// wireItem is a map of attributes in a request.
type wireItem map[string]wireValue

// values validates every attribute and returns the item.
func (w wireItem) values() (item, error) {
	out := make(item, len(w))
	for name, v := range w {
		if err := checkName(name); err != nil {
			return nil, err
		}
		decoded, err := v.value()
		if err != nil {
			return nil, err
		}
		out[name] = decoded
	}
	return out, nil
}

// checkName checks the name of an attribute or of a member of a map.
func checkName(name string) error {
	switch {
	case name == "":
		return invalid("Empty attribute name")
	case len(name) > maxName:
		return invalid("Attribute name is too large, must be less than 65536 bytes")
	}
	return nil
}

// kinds lists the members that are set.
func (w *wireValue) kinds() []kind {
	var found [10]kind
	out := found[:0]
	add := func(set bool, k kind) {
		if set {
			out = append(out, k)
		}
	}
	add(w.S != nil, kindS)
	add(w.N != nil, kindN)
	add(w.B != nil, kindB)
	add(w.BOOL != nil, kindBOOL)
	add(w.NULL != nil, kindNULL)
	add(w.SS != nil, kindSS)
	add(w.NS != nil, kindNS)
	add(w.BS != nil, kindBS)
	add(w.L != nil, kindL)
	add(w.M != nil, kindM)
	return out
}

// value validates the value of an attribute.
func (w *wireValue) value() (value, error) { return w.decode(1) }

// decode validates one value at a nesting depth.
func (w *wireValue) decode(depth int) (value, error) {
	if depth > maxNesting {
		return value{}, tooDeep()
	}
	kinds := w.kinds()
	switch len(kinds) {
	case 0:
		return value{}, invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	case 1:
	default:
		return value{}, severalTypes()
	}
	v := value{kind: kinds[0]}
	switch v.kind {
	case kindS:
		v.str = *w.S
	case kindN:
		n, err := normalNumber(*w.N)
		if err != nil {
			return value{}, err
		}
		v.str = n
	case kindB:
		v.str = string(w.B)
	case kindBOOL:
		v.truth = *w.BOOL
	case kindNULL:
		if !*w.NULL {
			return value{}, invalidParameter("Null attribute value types must have the value of true")
		}
	case kindL:
		return w.decodeList(depth)
	case kindM:
		return w.decodeMap(depth)
	default:
		return w.decodeSet(v.kind)
	}
	return v, nil
}

// decodeList decodes the elements of a list, which is one level deeper.
func (w *wireValue) decodeList(depth int) (value, error) {
	v := value{kind: kindL, list: make([]value, len(w.L))}
	for i := range w.L {
		element, err := w.L[i].decode(depth + 1)
		if err != nil {
			return value{}, err
		}
		v.list[i] = element
	}
	return v, nil
}

// decodeMap decodes the members of a map, which is one level deeper.
func (w *wireValue) decodeMap(depth int) (value, error) {
	v := value{kind: kindM, fields: make(item, len(w.M))}
	for name, field := range w.M {
		if err := checkName(name); err != nil {
			return value{}, err
		}
		element, err := field.decode(depth + 1)
		if err != nil {
			return value{}, err
		}
		v.fields[name] = element
	}
	return v, nil
}

// setErrors are the errors of a set with a null member and of an empty set. Their wording,
// mistakes included, is the service's.
var setErrors = map[kind]struct{ null, empty *apiError }{
	kindSS: {
		invalidParameter("An string set may not have a null string as a member"),
		invalidParameter("An string set  may not be empty"),
	},
	kindNS: {notANumber(""), invalidParameter("An number set  may not be empty")},
	kindBS: {
		invalidParameter("Binary sets may not contain null or empty values"),
		invalidParameter("Binary sets should not be empty"),
	},
}

// decodeSet rejects duplicates.
func (w *wireValue) decodeSet(k kind) (value, error) {
	given := slices.Concat(w.SS, w.NS) // one of them, or w.BS, has the members
	for _, b := range w.BS {
		var member *string
		if b != nil {
			member = new(string(b))
		}
		given = append(given, member)
	}
	var members []string
	for _, s := range given {
		if s == nil {
			return value{}, setErrors[k].null
		}
		member := *s
		if k == kindNS {
			n, err := normalNumber(member)
			if err != nil {
				return value{}, err
			}
			member = n
		}
		members = append(members, member)
	}
	if len(members) == 0 {
		return value{}, setErrors[k].empty
	}
	if v := setOf(k, members); len(v.set) == len(members) {
		return v, nil
	}
	switch k {
	case kindSS:
		return value{}, invalidParameter("Input collection [%s] contains duplicates.", strings.Join(members, ", "))
	case kindNS:
		return value{}, invalid("Input collection contains duplicates")
	default:
		for i, b := range w.BS {
			members[i] = base64.StdEncoding.EncodeToString(b)
		}
		return value{}, invalidParameter("Input collection [%s]of type BS contains duplicates.", strings.Join(members, ", "))
	}
}

// MarshalJSON writes the item in the service's format: {"name":{"S":"value"}}.
func (it item) MarshalJSON() ([]byte, error) {
	return appendItem(make([]byte, 0, 64+32*len(it)), it), nil
}

// appendItem appends an item, or the content of a map. The order of its members is random, as in
// every JSON object of the service.
func appendItem(dst []byte, it item) []byte {
	dst = append(dst, '{')
	first := true
	for name, v := range it {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = appendQuoted(dst, name)
		dst = append(dst, ':')
		dst = appendValue(dst, v)
	}
	return append(dst, '}')
}

// appendValue appends a value with its type descriptor: {"N":"1"}.
func appendValue(dst []byte, v value) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, v.kind.String()...)
	dst = append(dst, '"', ':')
	switch v.kind {
	case kindS, kindN, kindB:
		dst = appendElement(dst, v.kind, v.str)
	case kindBOOL:
		dst = append(dst, boolJSON(v.truth)...)
	case kindNULL:
		dst = append(dst, "true"...)
	case kindL:
		dst = append(dst, '[')
		for i := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.list[i])
		}
		dst = append(dst, ']')
	case kindM:
		dst = appendItem(dst, v.fields)
	default:
		dst = append(dst, '[')
		for i, s := range v.set {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendElement(dst, v.kind.element(), s)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

func boolJSON(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// appendElement writes the content of a scalar.
func appendElement(dst []byte, k kind, s string) []byte {
	switch k {
	case kindB:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, '"')
	case kindN:
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	default:
		return appendQuoted(dst, s)
	}
}

// appendQuoted writes a JSON string. It escapes only what JSON requires, so that ordinary
// text is copied as it is.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			if r, width := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || width > 1 {
				i += width
				continue
			}
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, `\ufffd`...)
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
