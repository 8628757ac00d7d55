package body

import (
	"reflect"
	"strings"
	"testing"
)

// Invalid text is rejected, because the store would otherwise keep another name or value than the client sent.
func TestNonUTF8TextIsRefused(t *testing.T) {
	type input struct{ TableName string }
	names := NamesOf(reflect.TypeFor[input]())
	for text, want := range map[string]string{
		"n\xff": "", `n\ud800`: "", `\udc00n`: "", `\ud800\u0041`: "", `\ud83d\\ude00`: "", `\ud83d\ud83d\ude00`: "", "\xed\xa0\x80": "",
		"é😀\ufffd": "é😀\ufffd", `\ud83d\ude00\n\u00e9`: "😀\né", `\\ud800`: `\ud800`, `\ufffd\\`: "\ufffd\\",
	} {
		var in input
		err := Decode([]byte(`{"TableName":"`+text+`"}`), &in, names)
		if refused := err != nil && strings.Contains(err.Error(), "not valid UTF-8"); refused != (want == "") || in.TableName != want {
			t.Errorf("%q: got TableName %q, error %v", text, in.TableName, err)
		}
	}
}
