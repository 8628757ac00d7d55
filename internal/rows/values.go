package rows

import "strings"

const (
	// valueBytes is the length of a jq result that is kept: what a cell shows.
	valueBytes = 160
	// manyValues is the total length of results from which fewBytes are kept of each.
	manyValues = 32 << 20
	fewBytes   = 40
)

// values are the jq results of rows. They only grow; a copy keeps what it has.
type values struct {
	from []uint32 // by row: one more than the start of its result in text, 0 for none
	text []byte
}

func (v *values) set(at int, value string) {
	for len(v.from) <= at {
		v.from = append(v.from, 0)
	}
	most := valueBytes
	if len(v.text) > manyValues {
		most = fewBytes
	}
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most-len("…")], "") + "…"
	}
	v.text = append(v.text, byte(len(value)))
	v.from[at] = uint32(len(v.text))
	v.text = append(v.text, value...)
}

func (v *values) at(at int) string {
	if at >= len(v.from) || v.from[at] == 0 {
		return ""
	}
	from := v.from[at]
	return string(v.text[from : from+uint32(v.text[from-1])])
}
