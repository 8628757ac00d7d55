package store

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// shortestEcho is the length in bytes of the shortest value that is removed. Shorter ones
// reveal nothing, and occur in every message.
const shortestEcho = 4

// unsaid removes the sent values in their spellings as text, JSON, URL, hexadecimal and Base64.
func unsaid(text string, sent any) string {
	values := sentValues(nil, reflect.ValueOf(sent))
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, v := range slices.Compact(values) {
		if len(v) < shortestEcho {
			continue
		}
		spellings := []string{v, url.QueryEscape(v), url.PathEscape(v), fmt.Sprintf("%x", v), base64.StdEncoding.EncodeToString([]byte(v))}
		if quoted, err := json.Marshal(v); err == nil {
			spellings = append(spellings, strings.Trim(string(quoted), `"`))
		}
		for _, spelled := range spellings {
			text = strings.ReplaceAll(text, spelled, "…")
		}
	}
	return text
}

func sentValues(list []string, v reflect.Value) []string {
	if !v.IsValid() {
		return list
	}
	if v.CanInterface() {
		switch value := v.Interface().(type) {
		case *types.AttributeValueMemberS:
			return append(list, value.Value)
		case *types.AttributeValueMemberN:
			return append(list, value.Value)
		case *types.AttributeValueMemberB:
			return append(list, string(value.Value))
		case *types.AttributeValueMemberSS:
			return append(list, value.Value...)
		case *types.AttributeValueMemberNS:
			return append(list, value.Value...)
		case *types.AttributeValueMemberBS:
			for _, b := range value.Value {
				list = append(list, string(b))
			}
			return list
		case *types.AttributeValueMemberM:
			for name := range value.Value {
				list = append(list, name) // may be data itself
			}
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return sentValues(list, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				list = sentValues(list, v.Field(i))
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			list = sentValues(list, v.MapIndex(key))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return list
		}
		for i := range v.Len() {
			list = sentValues(list, v.Index(i))
		}
	default:
	}
	return list
}
