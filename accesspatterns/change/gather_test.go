package change

import (
	"testing"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
)

// Text outside of keys may contain line breaks. It may be empty if it is optional and no state depends on it.
func TestTextOutsideKeysMayHaveLineBreaks(t *testing.T) {
	w := newShop()
	edit := &Action{ID: "edit", Kind: KindUpdate, Entity: w.order}
	for _, test := range []struct {
		action           *Action
		name, text, want string
		fails            bool
	}{
		{edit, "note", "", "", false},
		{edit, "note", "two\nlines\tand a tab", "two\nlines\tand a tab", false},
		{edit, "note", "escape \x1b[31m", "", true},
		{edit, "note", "\xff", "", true},
		{edit, "orderId", "", "", true},
		{edit, "orderId", "two\nlines", "", true},
		{edit, "status", "", "", true}, // part of an index key
		{w.cancel, "note", "", "", true},
		{w.cancel, "note", "two\nlines", "two\nlines", false},
	} {
		p := &accesspatterns.Param{Name: test.name, Type: accesspatterns.String, Entity: w.order, Attribute: w.order.Attribute(test.name)}
		v, err := test.action.ReadInput(p, test.text, w.now)
		if (err != nil) != test.fails || v.Text != test.want {
			t.Errorf("%s %s %q: got %q, %v, want %q", test.action.ID, test.name, test.text, v.Text, err, test.want)
		}
	}
}
