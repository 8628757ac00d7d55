package attribute

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// MaxNesting is the maximum depth of lists and maps, including the attribute itself.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const MaxNesting = 32

// maxName is the maximum length of an attribute name in bytes.
const maxName = 65535

// ignored accepts any JSON for a member and drops it.
type ignored struct{}

func (ignored) UnmarshalJSON([]byte) error { return nil }

// otherCases drops type descriptors in the wrong case, which DynamoDB ignores as unknown members. encoding/json assigns
// such a member to the first field whose name matches without regard to case, so these fields come first.
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

// WireValue is an AttributeValue in a request. Exactly one member must be set. encoding/json decodes it before any
// validation, because DynamoDB checks the form of a whole request first.
type WireValue struct {
	otherCases
	S    *string
	N    *string
	B    []byte
	BOOL *bool
	NULL *bool
	SS   []*string // decoding rejects a null member
	NS   []*string
	BS   [][]byte
	L    []WireValue
	M    map[string]WireValue
}

// WireItem is a map of attributes in a request.
type WireItem map[string]WireValue

// Item validates every attribute and returns the item. If several attributes are invalid, it returns the error of a
// random one.
func (w WireItem) Item() (Item, error) {
	out := make(Item, len(w))
	for name, v := range w {
		if err := CheckName(name); err != nil {
			return nil, err
		}
		decoded, err := v.Value()
		if err != nil {
			return nil, err
		}
		out[name] = decoded
	}
	return out, nil
}

// CheckName validates the name of an attribute or of a map member.
func CheckName(name string) error {
	switch {
	case name == "":
		return apierror.Invalid("Empty attribute name")
	case len(name) > maxName:
		return apierror.Invalid("Attribute name is too large, must be less than 65536 bytes")
	}
	return nil
}

func (w *WireValue) kinds() []Kind {
	var found [10]Kind
	out := found[:0]
	add := func(set bool, k Kind) {
		if set {
			out = append(out, k)
		}
	}
	add(w.S != nil, S)
	add(w.N != nil, N)
	add(w.B != nil, B)
	add(w.BOOL != nil, BOOL)
	add(w.NULL != nil, NULL)
	add(w.SS != nil, SS)
	add(w.NS != nil, NS)
	add(w.BS != nil, BS)
	add(w.L != nil, L)
	add(w.M != nil, M)
	return out
}

// Value validates and returns the value of an attribute.
func (w *WireValue) Value() (Value, error) { return w.decode(1) }

func (w *WireValue) decode(depth int) (Value, error) {
	if depth > MaxNesting {
		return Value{}, apierror.TooDeep()
	}
	kinds := w.kinds()
	switch len(kinds) {
	case 0:
		return Value{}, apierror.Invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	case 1:
	default:
		return Value{}, apierror.SeveralTypes()
	}
	v := Value{Kind: kinds[0]}
	switch v.Kind {
	case S:
		v.Str = *w.S
	case N:
		n, err := NormalNumber(*w.N)
		if err != nil {
			return Value{}, err
		}
		v.Str = n
	case B:
		v.Str = string(w.B)
	case BOOL:
		v.Truth = *w.BOOL
	case NULL:
		if !*w.NULL {
			return Value{}, apierror.InvalidParameter("Null attribute value types must have the value of true")
		}
	case L:
		return w.decodeList(depth)
	case M:
		return w.decodeMap(depth)
	default:
		return w.decodeSet(v.Kind)
	}
	return v, nil
}

func (w *WireValue) decodeList(depth int) (Value, error) {
	v := Value{Kind: L, List: make([]Value, len(w.L))}
	for i := range w.L {
		element, err := w.L[i].decode(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.List[i] = element
	}
	return v, nil
}

func (w *WireValue) decodeMap(depth int) (Value, error) {
	v := Value{Kind: M, Fields: make(Item, len(w.M))}
	for name, field := range w.M {
		if err := CheckName(name); err != nil {
			return Value{}, err
		}
		element, err := field.decode(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Fields[name] = element
	}
	return v, nil
}

// setErrors contains the errors for a set with a null member and for an empty set, with DynamoDB's exact wording.
var setErrors = map[Kind]struct{ null, empty *apierror.Error }{
	SS: {
		apierror.InvalidParameter("An string set may not have a null string as a member"),
		apierror.InvalidParameter("An string set  may not be empty"),
	},
	NS: {notANumberError(""), apierror.InvalidParameter("An number set  may not be empty")},
	BS: {
		apierror.InvalidParameter("Binary sets may not contain null or empty values"),
		apierror.InvalidParameter("Binary sets should not be empty"),
	},
}

func (w *WireValue) decodeSet(k Kind) (Value, error) {
	given := slices.Concat(w.SS, w.NS) // only one of SS, NS and BS has members
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
			return Value{}, setErrors[k].null
		}
		member := *s
		if k == NS {
			n, err := NormalNumber(member)
			if err != nil {
				return Value{}, err
			}
			member = n
		}
		members = append(members, member)
	}
	if len(members) == 0 {
		return Value{}, setErrors[k].empty
	}
	if v := SetOf(k, members); len(v.Set) == len(members) {
		return v, nil
	}
	switch k {
	case SS:
		return Value{}, apierror.InvalidParameter("Input collection [%s] contains duplicates.", strings.Join(members, ", "))
	case NS:
		return Value{}, apierror.Invalid("Input collection contains duplicates")
	default:
		for i, b := range w.BS {
			members[i] = base64.StdEncoding.EncodeToString(b)
		}
		return Value{}, apierror.InvalidParameter("Input collection [%s]of type BS contains duplicates.", strings.Join(members, ", "))
	}
}

// MarshalJSON writes the item in DynamoDB's format: {"name":{"S":"value"}}.
func (it Item) MarshalJSON() ([]byte, error) {
	return AppendItem(make([]byte, 0, 64+32*len(it)), it), nil
}

// AppendItem appends an item, or the content of a map, with its members in random order, as in every JSON object of
// DynamoDB. The result is valid JSON even for invalid UTF-8, because each invalid byte becomes U+FFFD.
func AppendItem(dst []byte, it Item) []byte {
	dst = append(dst, '{')
	first := true
	for name, v := range it {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = AppendQuoted(dst, name)
		dst = append(dst, ':')
		dst = appendValue(dst, v)
	}
	return append(dst, '}')
}

func appendValue(dst []byte, v Value) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, v.Kind.String()...)
	dst = append(dst, '"', ':')
	switch v.Kind {
	case S, N, B:
		dst = appendElement(dst, v.Kind, v.Str)
	case BOOL:
		dst = append(dst, boolJSON(v.Truth)...)
	case NULL:
		dst = append(dst, "true"...)
	case L:
		dst = append(dst, '[')
		for i := range v.List {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, v.List[i])
		}
		dst = append(dst, ']')
	case M:
		dst = AppendItem(dst, v.Fields)
	default:
		dst = append(dst, '[')
		for i, s := range v.Set {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendElement(dst, v.Kind.element(), s)
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

func appendElement(dst []byte, k Kind, s string) []byte {
	switch k {
	case B:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(s))
		return append(dst, '"')
	case N:
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	default:
		return AppendQuoted(dst, s)
	}
}

// AppendQuoted appends a JSON string. It escapes only the characters that JSON requires, so that it can copy ordinary
// text unchanged.
func AppendQuoted(dst []byte, s string) []byte {
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

// AppendRow appends a row as JSON and returns the size of its item as in Item.Size, which determines where a page of 1
// MB ends. On error, it returns dst unchanged. It converts the row in one pass, because most pages return whole rows,
// and decoding them into items would cost more than the rest of a query.
func AppendRow(dst, row []byte) (out []byte, size int, err error) {
	r := rowReader{rest: string(row)}
	out, size = r.fieldsJSON(dst, 0)
	if r.err != nil || r.rest != "" {
		return dst, 0, fmt.Errorf("read %d bytes: %w", len(row), errCorrupt)
	}
	return out, size, nil
}

func (r *rowReader) fieldsJSON(dst []byte, depth int) ([]byte, int) {
	dst = append(dst, '{')
	size := 0
	n := r.count()
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := r.text()
		dst = append(AppendQuoted(dst, name), ':')
		var bytes int
		dst, bytes = r.valueJSON(dst, depth+1)
		size += len(name) + bytes
		if depth > 0 {
			size++ // an element of a map has one byte of overhead
		}
	}
	return append(dst, '}'), size
}

func (r *rowReader) valueJSON(dst []byte, depth int) ([]byte, int) {
	k := r.kind(depth)
	if r.err != nil {
		return dst, 0
	}
	dst = append(append(append(dst, `{"`...), k.String()...), `":`...)
	size := 0
	switch k {
	case S, N, B:
		dst, size = r.scalarJSON(dst, k)
	case BOOL:
		dst, size = append(dst, boolJSON(r.flag())...), 1
	case NULL:
		dst, size = append(dst, "true"...), 1
	case M:
		dst, size = r.fieldsJSON(dst, depth)
		size += 3
	default:
		dst, size = r.elementsJSON(dst, k, depth)
	}
	return append(dst, '}'), size
}

func (r *rowReader) scalarJSON(dst []byte, k Kind) ([]byte, int) {
	s := r.text()
	size := len(s)
	if k == N {
		size = numberSize(s)
	}
	return appendElement(dst, k, s), size
}

func (r *rowReader) elementsJSON(dst []byte, k Kind, depth int) ([]byte, int) {
	size := 0
	if k == L {
		size = 3
	}
	dst = append(dst, '[')
	n := r.count()
	for i := 0; i < n && r.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		var bytes int
		if k == L {
			dst, bytes = r.valueJSON(dst, depth+1)
			bytes++
		} else {
			dst, bytes = r.scalarJSON(dst, k.element())
		}
		size += bytes
	}
	return append(dst, ']'), size
}
