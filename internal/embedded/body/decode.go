package body

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

// maxNested is how deep the JSON of a valid request can be: a level of a document is two or three levels of JSON.
const maxNested = 4 * attribute.MaxNesting

// Decode reads the parameters of a request. Type errors have the wording of the service's
// parser. It may change body. The error is an *apierror.Error, a SerializationException unless
// the JSON is nested too deeply. Parameters that the operation does not know are ignored.
func Decode(body []byte, into any, names Names) error {
	if err := names.prepare(body); err != nil {
		return err
	}
	if string(bytes.TrimSpace(body)) == "null" { // which json.Unmarshal accepts for anything
		return apierror.Unreadable("Unexpected field type")
	}
	err := json.Unmarshal(body, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return apierror.Unreadable(wrongJSONType(wrong))
	}
	return apierror.Unreadable("The request is not valid JSON: " + err.Error())
}

// Names are the names of an operation's parameters. It is only read after NamesOf, so all
// requests of an operation share one.
type Names struct{ exact, folded map[string]bool } // as declared, and in lower case

// NamesOf returns the names of the parameters that a struct declares. Names of embedded structs
// are among them; input must be a struct.
func NamesOf(input reflect.Type) Names {
	names := Names{map[string]bool{}, map[string]bool{}}
	for _, field := range reflect.VisibleFields(input) {
		if field.IsExported() && !field.Anonymous {
			names.exact[field.Name] = true
			names.folded[strings.ToLower(field.Name)] = true
		}
	}
	return names
}

// prepare rejects documents that are nested too deeply before any memory is allocated for them. It also invalidates
// parameter names in the wrong case, which encoding/json would accept.
func (names Names) prepare(body []byte) error {
	depth, isName := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '"':
			end := stringEnd(body, i)
			if name := body[i+1 : end]; depth == 1 && isName && !names.exact[string(name)] && names.folded[strings.ToLower(string(name))] {
				name[0] = '_'
			}
			i, isName = end, false
		case '{', '[':
			if depth++; depth > maxNested {
				return apierror.TooDeep()
			}
			isName = depth == 1
		case '}', ']':
			depth--
		case ',':
			isName = true
		}
	}
	return nil
}

func stringEnd(body []byte, start int) int {
	for i := start + 1; i < len(body); i++ {
		switch body[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return max(start+1, len(body)-1)
}

func wrongJSONType(e *json.UnmarshalTypeError) string {
	kind := e.Type.Kind()
	target := map[reflect.Kind]string{
		reflect.String: "String", reflect.Bool: "Boolean", reflect.Int64: "Long", reflect.Int32: "Integer",
	}[kind]
	found, _, _ := strings.Cut(e.Value, " ")
	switch {
	case found == "object":
		return "Start of structure or map found where not expected"
	case found == "array" && kind == reflect.Map:
		return "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>"
	case kind == reflect.Struct && e.Field != "":
		return "Unexpected value type in payload"
	case target == "":
		return "Unexpected field type"
	case found == "array":
		return "Unrecognized collection type class java.lang." + target
	case found == "bool":
		return "TRUE_VALUE cannot be converted to " + target
	}
	return strings.ToUpper(found) + "_VALUE cannot be converted to " + target
}
