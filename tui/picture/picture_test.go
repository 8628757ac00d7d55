package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	const frame = "\x1b[1;31mred\x1b[0m 日本 <&\n\x1b[7minverse\x1b[0m"
	svg := string(SVG(Frame(frame, 20, 3), 20, 3, Dark))
	for _, want := range []string{`font-weight="bold">red<`, ">日<", ">本<", "&lt;&amp;", ">inverse<", `width="188" height="71"`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
	if strings.ContainsRune(svg, 0x1b) {
		t.Error("an escape sequence got into the picture")
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWideCharactersKeepTheirColumns: what stands behind them stays in place.
func TestWideCharactersKeepTheirColumns(t *testing.T) {
	svg := string(SVG(Frame("日x", 4, 1), 4, 1, Light))
	if !strings.Contains(svg, `<text x="26.8"`) { // The margin and two cells.
		t.Errorf("x does not stand in the third column:\n%s", svg)
	}
}
