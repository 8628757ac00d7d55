package models_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/ddbdesk/ddbdesk/internal/testing/hostile"
	"github.com/ddbdesk/ddbdesk/models"
)

// safeOutput writes text to a SafeWriter in parts of the given length, and returns the output.
func safeOutput(text string, part int) string {
	var out bytes.Buffer
	f := models.NewSafeWriter(&out)
	for at := 0; at < len(text); at += part {
		if _, err := f.Write([]byte(text[at:min(at+part, len(text))])); err != nil {
			return err.Error()
		}
	}
	if err := f.Close(); err != nil {
		return err.Error()
	}
	return out.String()
}

func TestSafeWriter(t *testing.T) {
	for _, s := range hostile.Texts() {
		for _, part := range []int{1, 2, 3, 7, 4096} {
			if acts := hostile.FirstUnsafe(safeOutput(s.Text, part), "\t"); acts != "" {
				t.Errorf("%s in parts of %d: the output contains %s", s.Name, part, acts)
			}
			safe := models.PrintableLines(s.Text)
			if got := safeOutput(safe, part); got != safe {
				t.Errorf("%s: printable text %+q became %+q", s.Name, safe, got)
			}
		}
		quoted := string(models.PrintableJSON(models.Item{"a": models.StringValue(s.Text)}.AppendJSON(nil)))
		if got := safeOutput(quoted, 5); got != quoted {
			t.Errorf("%s: JSON %+q became %+q", s.Name, quoted, got)
		}
	}
	if got, want := safeOutput("a\x1b[2J\r\nb\xc3", 3), "a␛[2J␍\nb⟨xC3⟩"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A SafeWriter keeps its first error, because later writes cannot make the output complete.
func TestSafeWriterKeepsFirstError(t *testing.T) {
	out := &failingWriter{}
	f := models.NewSafeWriter(out)
	if n, err := f.Write([]byte("a")); n != 1 || err != nil || f.Err() != nil {
		t.Fatalf("got %d, %v, %v, want 1 and no error", n, err, f.Err())
	}
	out.err = errors.New("disk full")
	if n, err := f.Write([]byte("b\xc3")); n != 0 || !errors.Is(err, out.err) {
		t.Errorf("the failed write returned %d, %v", n, err)
	}
	first := out.err
	out.err = errors.New("disk gone")
	if _, err := f.Write([]byte("c")); !errors.Is(err, out.err) || !errors.Is(f.Err(), first) {
		t.Errorf("the next write returned %v, and Err() %v", err, f.Err())
	}
	out.err = nil
	if err := f.Close(); err != nil || !errors.Is(f.Err(), first) {
		t.Errorf("Close returned %v, and Err() %v", err, f.Err())
	}
}

// failingWriter fails while err is set.
type failingWriter struct{ err error }

func (w *failingWriter) Write(text []byte) (int, error) { return len(text), w.err }

func TestSafeFrame(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"│ plain │\n╰ 日本 👩‍👩‍👧 ╯":          "│ plain │\n╰ 日本 👩‍👩‍👧 ╯",
		"\x1b[1;38;2;1;2;3mstyled\x1b[m":   "\x1b[1;38;2;1;2;3mstyled\x1b[m",
		"\x1b[4:3mcurly\x1b[m":             "\x1b[4:3mcurly\x1b[m",
		"a\x1b[2Jb":                        "ab",
		"a\x1b]0;owned\ab":                 "ab",
		"a\x1b]8;;http://x\x1b\\b":         "ab",
		"a\x1bP1$r\x1b\\b":                 "ab",
		"a\rb\tc\x00d":                     "abcd",
		"a\u202eb\u2066c\ufeffd":           "abcd",
		"a\u009b31mb":                      "a31mb",
		"a\xffb":                           "ab",
		"cut \x1b[31":                      "cut ",
		"\x1b[31mred\x1b[m and \x1b[>4;1m": "\x1b[31mred\x1b[m and ",
	} {
		if got := models.SafeFrame(in); got != want {
			t.Errorf("%+q becomes %+q, want %+q", in, got, want)
		}
	}
}

// checkSafeFrame fails if a frame with this text contains a control sequence other than a style.
func checkSafeFrame(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	safe := "\x1b[1m" + models.Printable(text) + "\x1b[m\n│"
	if got := models.SafeFrame(safe); got != safe {
		t.Fatalf("SafeFrame changed the safe frame %+q to %+q", safe, got)
	}
	got := models.SafeFrame("│\x1b[1m" + text + "\x1b[m│\n")
	if acts := hostile.FirstUnsafe(ansi.Strip(got), ""); acts != "" {
		t.Fatalf("SafeFrame(%+q) = %+q, which contains %s", text, got, acts)
	}
	for i := strings.IndexByte(got, '\x1b'); i >= 0; {
		end := strings.IndexByte(got[i:], 'm')
		if end < 0 || strings.Trim(got[i+2:i+end], "0123456789;:") != "" || got[i+1] != '[' {
			t.Fatalf("SafeFrame(%+q) = %+q, which contains more than styles", text, got)
		}
		next := strings.IndexByte(got[i+1:], '\x1b')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	if second := models.SafeFrame(got); second != got {
		t.Fatalf("SafeFrame(%+q) = %+q, then %+q", text, got, second)
	}
}

func TestSafeFrameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkSafeFrame(t, hostile.Generator().Draw(t, "text")) })
}

func FuzzSafeFrame(f *testing.F) {
	for _, s := range hostile.Texts() {
		f.Add(s.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkSafeFrame(t, text) })
}

func BenchmarkSafeFrame(b *testing.B) {
	line := "\x1b[38;2;100;100;100m│\x1b[m " + strings.Repeat("\x1b[1mCASE#ver_1\x1b[m  ", 10) + strings.Repeat("─", 40) + "\n"
	frame := strings.Repeat(line, 50)
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		models.SafeFrame(frame)
	}
}

func TestIsPastable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "two\nlines\r\nand a tab\t日本 \u202e\u200b\ufffd": true, "a\rb": false, "\x1b[201~": false, "\x03": false,
		"\x7f": false, "\u009b": false, "\x9b": false,
	} {
		if got := models.IsPastable(text); got != want {
			t.Errorf("IsPastable(%+q) = %v, want %v", text, got, want)
		}
		if fenced := models.SafeText(text); !models.IsPastable(fenced) {
			t.Errorf("SafeText(%+q) = %+q, which is not pastable", text, fenced)
		}
	}
}

func TestIsShowable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "two\nlines\twith a tab": true, "日本 👩‍👩‍👧 é": true, "ｶﾞﾊﾟ": true, "น้ำ": true, "a\x1b": false,
		"a\r\n": false, "\u202e": false, "\xff": false, "\u0301": false,
	} {
		if got := models.IsShowable(text); got != want {
			t.Errorf("IsShowable(%+q) = %v, want %v", text, got, want)
		}
	}
}

// SafeFrame keeps styles with any digits. A no-break space is not a control character.
func TestSafeFrameKeepsStylesAndSpaces(t *testing.T) {
	const frame = "\x1b[90;48;2;0;9;10mx\x1b[0m"
	if got := models.SafeFrame(frame); got != frame {
		t.Errorf("SafeFrame changed styles or spaces: %q", got)
	}
	if got := models.SafeFrame("\u200d\x00" + frame); got != frame {
		t.Errorf("SafeFrame kept characters without width: %q", got)
	}
	if !models.IsPastable("a\u00a0b") || models.IsPastable("a\u009fb") {
		t.Error("IsPastable must reject U+009F and accept U+00A0")
	}
}

func TestCSVCellAfterBlanksAndSeparators(t *testing.T) {
	for in, want := range map[string]string{
		" =1+1":         "' =1+1",
		"\"=1+1":        "'\"=1+1",
		"\u00a0@SUM(1)": "'\u00a0@SUM(1)",
		"a;=1+1":        "a;'=1+1",
		"a; \"=1+1;b":   "a;' \"=1+1;b",
		"a\n-1+1":       "a\n'-1+1",
		"a;-5;+2.5e3":   "a;-5;+2.5e3",
		" -5":           " -5",
		"\t=1":          "'\t'=1",
		"a=b;c=d":       "a=b;c=d",
		"’=1":           "’=1",
		";;=":           ";;'=",
	} {
		if got := models.CSVCell(in); got != want {
			t.Errorf("CSVCell(%q) = %q, want %q", in, got, want)
		}
	}
}

// checkCSVCell fails if a spreadsheet could read a formula in the cell, or if the cell loses text.
func checkCSVCell(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	cell := models.CSVCell(text)
	if second := models.CSVCell(cell); second != cell {
		t.Fatalf("CSVCell(%q) = %q, then %q", text, cell, second)
	}
	if strings.ReplaceAll(cell, "'", "") != strings.ReplaceAll(text, "'", "") {
		t.Fatalf("CSVCell(%q) lost text: %q", text, cell)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.Write([]string{"x", cell, "y"}); err != nil {
		t.Fatalf("%v", err)
	}
	w.Flush()
	if strings.ContainsRune(text, '\r') {
		return // CSV readers change CRLF line breaks.
	}
	records, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil || len(records) != 1 || len(records[0]) != 3 || records[0][1] != cell {
		t.Fatalf("%q was read back as %q, %v", cell, records, err)
	}
	// A spreadsheet that splits at semicolons ignores the quotes.
	for _, part := range strings.FieldsFunc(cell, func(r rune) bool { return strings.ContainsRune(";\t\n\r", r) }) {
		part = strings.Trim(part, " \"\u00a0\u3000")
		if part != "" && strings.ContainsRune("=@", rune(part[0])) {
			t.Fatalf("CSVCell(%q) = %q, which has a formula in %q", text, cell, part)
		}
		if part != "" && strings.ContainsRune("+-", rune(part[0])) && strings.Trim(part[1:], "0123456789.eE+-") != "" {
			t.Fatalf("CSVCell(%q) = %q, which has a formula in %q", text, cell, part)
		}
	}
}

func TestCSVCellProperties(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"=", "+", "-", "@", ";", "\t", "\n", "\"", "'", " ", ",", "1", "e5", "cmd|' /C calc'!A0", "＝", "\u00a0", "a",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			hostile.Generator(), rapid.Map(rapid.SliceOfN(pieces, 0, 8), func(p []string) string { return strings.Join(p, "") }),
		).Draw(t, "text")
		checkCSVCell(t, text)
	})
}

func FuzzCSVCell(f *testing.F) {
	for _, s := range hostile.Texts() {
		f.Add(s.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkCSVCell(t, text) })
}

// checkPrintableJSON fails if the JSON decodes to other text or contains anything that controls a terminal.
func checkPrintableJSON(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	raw := models.Item{text: models.StringValue(text)}.AppendJSON(nil)
	safe := models.PrintableJSON(raw)
	if acts := hostile.FirstUnsafe(string(safe), ""); acts != "" {
		t.Fatalf("the JSON of %+q contains %s", text, acts)
	}
	var a, b map[string]string
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("%+q: %v", raw, err)
	}
	if err := json.Unmarshal(safe, &b); err != nil || len(a) != len(b) {
		t.Fatalf("PrintableJSON %+q lost members: %v", safe, err)
	}
	for name, value := range a {
		if b[name] != value {
			t.Fatalf("the JSON of %+q is %+q", text, safe)
		}
	}
	if second := string(models.PrintableJSON(safe)); second != string(safe) {
		t.Fatalf("PrintableJSON(%+q) = %+q, then %+q", text, safe, second)
	}
}

func TestPrintableJSONProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkPrintableJSON(t, hostile.Generator().Draw(t, "text")) })
}

func FuzzPrintableJSON(f *testing.F) {
	for _, s := range hostile.Texts() {
		f.Add(s.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkPrintableJSON(t, text) })
}
