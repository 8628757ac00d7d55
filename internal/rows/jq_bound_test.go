package rows_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// jq returns the result of an expression for an item.
func jq(t *testing.T, text string, it models.Item) (rows.Match, error) {
	t.Helper()
	f, err := rows.Parse(text, fields(), now)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f.Match(t.Context(), tableRow{item: it})
}

func TestJQRefusesHugeValues(t *testing.T) {
	item := models.Item{"x": models.StringValue(strings.Repeat("x", 100)), "n": number("500000000")}
	for _, text := range []string{
		`.x = ("x" * 500000000)`,
		`.x *= 500000000`,
		`.x * .n`,
		`| 500000000 * "x"`,
		`.n as $n | "\("x" * $n)"`,
		`.a[100000000] = 1`,
		`| setpath(["a", 100000000]; 1)`,
		`| getpath(["a", 100000000]) = 1`,
		`.a | nth(100000000) = 1`,
		`[range(100000000)]`,
		`[range(50000) | ""] | join("x" * 100000)`,
		`[limit(10000; repeat([]))] + [[range(10000)]] | transpose`,
		`[range(3000000) | 65] | implode`,
		`| reduce range(60) as $i ("x"; . + .)`,
		`| reduce range(60) as $i ("x"; "\(.)\(.)")`,
		`| reduce range(60) as $i ([]; [., .])`,
		`| reduce range(60) as $i ({}; {a: ., b: .})`,
		`| reduce range(60) as $i ({}; .a = . | .b = .)`,
		`| reduce range(60) as $i (7; . * .)`,
		`| ("x" * 4000000) as $s | add(range(10000) | $s)`,
		`| ("x" * 4000000) as $s | [range(10000)] | map($s) | tojson`,
		`| ("x" * 4000000) as $s | [range(10000)] | map($s)`,
		`| ("x" * 400000) | [match(""; "g")] | length`,
		`| def implode: "x" * 500000000; .x | implode`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := jq(t, text, item)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: %.40s, want an error", text, m.Value)
		}
		if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 200 {
			t.Errorf("%s allocates %d MB", text, grown)
		}
	}
}

func TestJQBoundsKeepResults(t *testing.T) {
	item := models.Item{"x": models.StringValue("ab"), "n": number("3"), "big": number("12345678901234567890123456789012345678")}
	for text, want := range map[string]string{
		`.x * .n`:                                 "ababab",
		`| (1, 2) + (10, 20) | tostring`:          "11 …",
		`| [(1, 2) + (10, 20)]`:                   "[11,12,21,22]",
		`| [(2, 3) * (10, 20)]`:                   "[20,30,40,60]",
		`.n += 1 | .n`:                            "4",
		`.x += ("c", "d") | .x`:                   "abc …",
		`.n *= 2 | .n`:                            "6",
		`| {a: 1} * {a: {b: 2}}`:                  `{"a":{"b":2}}`,
		`.a.b[2] = 1 | .a`:                        `{"b":[null,null,1]}`,
		`| (.x, .n) |= tostring | .n`:             "3",
		`[.x, "y"] | join(",", ";")`:              "ab,y …",
		`| [[1, 2], [3]] | transpose`:             "[[1,3],[2,null]]",
		`| [3, 1] | sort | add`:                   "4",
		`| add(1, 2)`:                             "3",
		`| "\(.x)-\(.n + 1)"`:                     "ab-4",
		`| @base64 "\(.x)"`:                       "YWI=",
		`.x | @base64`:                            "YWI=",
		`.x | [match("."; "g").string]`:           `["a","b"]`,
		`.x | gsub("a"; "c") | explode | implode`: "cb",
		`.big`:                                 "12345678901234567890123456789012345678",
		`.big + 1`:                             "12345678901234567890123456789012345679",
		`| def f(g): g + 1; f(.n) + f(2)`:      "7",
		`| reduce range(5) as $i (0; . + $i)`:  "10",
		`.x[1:]`:                               "b",
		`{x} + {y: [1, 2][1]} | .y`:            "2",
		`[.x, .n][0] + "!"`:                    "ab!",
		`| try error("a" + "b") catch . + "c"`: "abc",
	} {
		if m, err := jq(t, text, item); err != nil || m.Value != want {
			t.Errorf("%s: %q, %v; want %q", text, m.Value, err, want)
		}
	}
}
