package embedded

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

func TestSegmentsCoverAllKeysOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		total := rapid.IntRange(1, 1000).Draw(rt, "total")
		key := partition(attribute.Item{"k": attribute.String(rapid.String().Draw(rt, "key"))}, []attribute.Key{{Name: "k", Kind: attribute.S}})
		found := 0
		for i := range total {
			r := segmentRange(i, total)
			if inRange(key, r, true) && inRange(key, r, false) {
				found++
			}
		}
		if found != 1 {
			rt.Fatalf("%d of %d segments contain the key", found, total)
		}
	})
}

// Keys of several attributes are ordered by the first attribute that differs.
func TestKeysOfSeveralAttributesSortByTheFirstDifference(t *testing.T) {
	tb := &table{Keys: []attribute.Key{{Name: "id", Kind: attribute.S}}}
	ix := &index{Global: true, Partition: 2, Keys: []attribute.Key{
		{Name: "p", Kind: attribute.S},
		{Name: "q", Kind: attribute.N},
		{Name: "a", Kind: attribute.S},
		{Name: "b", Kind: attribute.N},
		{Name: "c", Kind: attribute.B},
	}}
	text := rapid.StringOfN(rapid.SampledFrom([]rune{0, 1, 'a', 'b'}), 1, 3, -1)
	entry := func(rt *rapid.T, id string) attribute.Item {
		return attribute.Item{
			"id": attribute.String(id), "p": attribute.String("p"), "q": {Kind: attribute.N, Str: "1"},
			"a": attribute.String(text.Draw(rt, "a")),
			"b": {Kind: attribute.N, Str: rapid.SampledFrom([]string{"-1", "0", "2", "10"}).Draw(rt, "b")},
			"c": {Kind: attribute.B, Str: text.Draw(rt, "c")},
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		x, y := entry(rt, "x"), entry(rt, "y")
		want := strings.Compare("x", "y")
		for _, name := range []string{"c", "b", "a"} {
			if order, _ := x[name].Compare(y[name]); order != 0 {
				want = order
			}
		}
		kx, _ := tb.entryKey(ix, x)
		ky, _ := tb.entryKey(ix, y)
		if got := bytes.Compare(kx, ky); got != want {
			rt.Fatalf("%v and %v compare %d as keys, want %d", x, y, got, want)
		}
	})
}
