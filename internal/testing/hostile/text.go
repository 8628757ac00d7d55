// Package hostile contains difficult test data: text that terminals, spreadsheets and shells execute or measure
// wrongly, and items of every size and shape that DynamoDB allows. Only tests import it.
package hostile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A Sample is a difficult text with a name.
type Sample struct{ Name, Text string }

// Text is one valid string with everything that a terminal executes or measures wrongly.
const Text = "日本語 👩‍👩‍👧🇧🇼 e\u0301\u0301 مرحبا \u202etxt.exe\u202c \u2066x\u2069 " +
	"\x1b[2J\x1b]0;owned\a\x1b]52;c;eA==\a\x1b]8;;http://x\x1b\\" +
	"\u009b31m\u009d0;t\u009c\x1bP1$r\x1b\\\u200b\ufeff\u2028\U000e0041\r\n\t\x00\x7f end"

// Texts returns samples of everything with a special meaning in terminals, spreadsheets, shells, SVG and programs.
func Texts() []Sample {
	return []Sample{
		{"empty", ""},
		{"blank", " "},
		{"everything", Text},
		{"clear screen", "\x1b[2J\x1b[H"},
		{"leave the screen", "\x1b[?1049l"},
		{"colors", "\x1b[31;47mred\x1b[8mhidden"},
		{"C1 colors", "\u009b31mred"},
		{"raw C1", "\x9b31mred"},
		{"title", "\x1b]0;owned\a"},
		{"C1 title", "\u009d0;owned\u009c"},
		{"clipboard", "\x1b]52;c;ZWNobyBvd25lZAo=\a"},
		{"link", "\x1b]8;;http://evil.example\x1b\\safe.example\x1b]8;;\x1b\\"},
		{"device control", "\x1bP$q\"p\x1b\\"},
		{"application command", "\x1b_G\x1b\\\x1b^x\x1b\\\x1bXy\x1b\\"},
		{"end of a paste", "\x1b[201~rm -rf x\n\x1b[200~"},
		{"lone escape", "\x1b"},
		{"truncated sequence", "\x1b[38;2;1"},
		{"bell and backspace", "a\a\b\b\bX"},
		{"carriage return", "harmless\rOWNED"},
		{"lines", "one\ntwo\r\nthree\n"},
		{"other line separators", "a\u0085b\u2028c\u2029d\ve\ff"},
		{"tabs", "a\tb\t\tc"},
		{"nul", "a\x00b"},
		{"delete", "a\x7fb"},
		{"override", "invoice\u202egpj.exe"},
		{"embedding", "\u202aa\u202bb\u202c\u202dc"},
		{"isolates", "\u2066a\u2067b\u2068c\u2069"},
		{"directional marks", "\u200ea\u200fb\u061cc"},
		{"zero width", "pay\u200bpal\u200c\u200d\u2060\ufeff"},
		{"soft hyphen", "pay\u00adpal"},
		{"fillers", "\u3164\u115f\u1160\uffa0\u2800\u180e"},
		{"tags", "\U000e0001\U000e0061\U000e007f"},
		{"flag of tags", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"},
		{"selectors", "a\ufe0fb\ufe00c\U000e0100"},
		{"combining flood", "Z" + strings.Repeat("\u0310\u0489\u0363", 200)},
		{"lone mark", "\u0301"},
		{"enclosing marks", "a\u20ddb\u20e3"},
		{"spacing marks", "कि को"},
		{"families", "👨‍👩‍👧‍👦👩🏽‍🚀🏳️‍🌈👍🏽"},
		{"long joined sequence", strings.Repeat("👩\u200d", 50)},
		{"half a flag", "🇧🇼🇧"},
		{"keycaps", "1️⃣#️⃣9\ufe0f"},
		{"text and emoji presentation", "❤ ❤️ ☎︎ ☺️"},
		{"wide", "日本語한국어全角"},
		{"half-width", "ｶﾞﾊﾟ"},
		{"ambiguous", "§°±×÷αЖ─■●★"},
		{"right to left", "مرحبا שלום"},
		{"wide ligature", "﷽ﷺ"},
		{"conjoining", "각각"},
		{"thai", "น้ำ กำ ກຳ"},
		{"indic", "क्षि ස්\u200dරී"},
		{"private use", "\ue0b0\U000f0000\U0010fffd"},
		{"noncharacters", "\ufffe\uffff\U0001ffff"},
		{"replacement", "\ufffd"},
		{"invalid", "a\xff\xfe\xc3(\xe2\x80"},
		{"surrogates", "\xed\xa0\xbd\xed\xb8\x80"},
		{"overlong", "\xc0\x9b[31m\xe0\x80\x9b"},
		{"characters that ddbdesk inserts", "⟨U+001B⟩ ␛ … ••• ›"},
		{"formula", "=HYPERLINK(\"http://x\",\"y\")"},
		{"formulas", "+1+1|cmd'!A0"},
		{"minus", "-2+3"},
		{"at", "@SUM(A1)"},
		{"formula after a space", " =1+1"},
		{"formula after a tab", "\t=1+1"},
		{"formula after a carriage return", "\r=1+1"},
		{"formula after a newline", "\n=1+1"},
		{"formula after a quote", "\"=1+1"},
		{"formula after a byte order mark", "\ufeff=1+1"},
		{"full-width formula", "＝1+1"},
		{"quotes", `a "b" 'c' ` + "`d`"},
		{"commas", "a,b;c|d"},
		{"shell", "'; echo owned; $(echo owned) `echo owned` ${HOME} !! \\"},
		{"option", "--endpoint-url=http://evil"},
		{"script", "</script><script>alert(1)</script>]]>&amp;<!--"},
		{"template", "${alert(1)} {{x}} %s %d %n {id} {0}"},
		{"backslashes", `\ \\ \n \x1b \u001b \`},
		{"prototype", "__proto__"},
		{"path", "../../etc/passwd"},
		{"home", "~/.bashrc"},
		{"long word", strings.Repeat("x", 5000)},
		{"long text", strings.Repeat("word ", 1000)},
	}
}

// Valid returns the samples in valid UTF-8. DynamoDB returns no other strings.
func Valid() []Sample {
	var list []Sample
	for _, s := range Texts() {
		if utf8.ValidString(s.Text) {
			list = append(list, s)
		}
	}
	return list
}

// Generator generates texts of samples, with random bytes between them.
func Generator() *rapid.Generator[string] {
	var samples []string
	for _, s := range Texts() {
		if len(s.Text) < 200 {
			samples = append(samples, s.Text)
		}
	}
	pieces := rapid.OneOf(
		rapid.SampledFrom(samples),
		rapid.String(),
		rapid.Custom(func(t *rapid.T) string { return string(rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "bytes")) }),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(pieces, 0, 6).Draw(t, "pieces"), "")
	})
}

// FirstUnsafe returns the first character that a terminal would execute or not show, with the text around it, or "". It
// accepts line breaks and the characters in allowed. It does not use the program's own escaping, which it tests.
func FirstUnsafe(text, allowed string) string {
	for i, r := range text {
		bad := r < 0x20 || r >= 0x7f && r < 0xa0 || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(text[i:])
			bad = size == 1
		}
		// A joiner combines emoji.
		if !bad || r == '\n' || r == '\u200d' || strings.ContainsRune(allowed, r) {
			continue
		}
		return fmt.Sprintf("%U in %+q", r, text[max(i-40, 0):min(i+40, len(text))])
	}
	return ""
}
