//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// These are the durations of a frame in seconds: after a key, after a letter of a text, and before the film repeats.
const (
	keySeconds    = 1.1
	letterSeconds = 0.12
	lastSeconds   = 3.0
)

// A film contains the screen of a program after each key. A nil film records nothing.
type film struct {
	name   string // path without its extension
	w, h   int
	frames []frame
}

// A frame is a screen and the input that led to it.
type frame struct {
	lines   []string // lines of the screen as SVG
	caption string   // key or text, or ""
	seconds float64
}

// addFrame records the terminal's screen at rest. If the screen has not changed, it extends the last frame.
func (f *film) addFrame(t *terminal, caption string, seconds float64) {
	if f == nil {
		return
	}
	t.settle()
	next := frame{svgLines(t.screen, t.w, t.h, dark), caption, seconds}
	if n := len(f.frames); n > 0 && caption == "" && slices.Equal(f.frames[n-1].lines, next.lines) {
		return
	}
	f.frames = append(f.frames, next)
}

// extend extends the last frame.
func (f *film) extend(seconds float64) {
	if f != nil && len(f.frames) > 0 {
		f.frames[len(f.frames)-1].seconds += seconds
	}
}

// write writes the film to an animated SVG file.
func (f *film) write() error {
	if f == nil || len(f.frames) == 0 {
		return nil
	}
	f.extend(lastSeconds)
	return os.WriteFile(f.name+".svg", f.svg(), 0o644)
}

// svg draws the frames below each other, and moves them through the visible area. It draws equal lines only once. The
// film needs no script, so it moves in an image too, and stands still for readers who prefer reduced motion.
func (f *film) svg() []byte {
	width, height := svgWidth(f.w), float64(f.h+1)*cellH+2.5*margin
	var defs, frames, keyframes bytes.Buffer
	ids := map[string]string{}
	writeLine := func(line string, y float64) {
		if line == "" {
			return
		}
		line = strings.ReplaceAll(line, ` lengthAdjust="spacingAndGlyphs"`, "") // saves a third of the file
		id, drawn := ids[line]
		if !drawn {
			id = fmt.Sprintf("l%d", len(ids))
			ids[line] = id
			fmt.Fprintf(&defs, `<g id="%s">%s</g>`+"\n", id, line)
		}
		fmt.Fprintf(&frames, `<use href="#%s" y="%.0f"/>`, id, y)
	}
	total, elapsed := 0.0, 0.0
	for _, fr := range f.frames {
		total += fr.seconds
	}
	for i, fr := range f.frames {
		top := float64(i) * height
		fmt.Fprintf(&keyframes, "%.3f%%{transform:translateY(%.0fpx)}", 100*elapsed/total, -top)
		for y, line := range fr.lines {
			writeLine(line, top+margin+float64(y)*cellH)
		}
		writeLine(caption(fr.caption, f.w), top+1.5*margin+float64(f.h)*cellH)
		frames.WriteByte('\n')
		elapsed += fr.seconds
	}
	fmt.Fprintf(&keyframes, "100%%{transform:translateY(%.0fpx)}", -float64(len(f.frames)-1)*height)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" %s>`+"\n",
		width, height, width, height, svgFont)
	fmt.Fprintf(&b, "<style>@keyframes m{%s}.m{animation:m %.2fs steps(1,end) infinite}"+
		"@media(prefers-reduced-motion:reduce){.m{animation:none}}</style>\n", &keyframes, total)
	r, g, bl, _ := dark.Paper.RGBA()
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="6" fill="#%02x%02x%02x"/>`+"\n", r>>8, g>>8, bl>>8)
	fmt.Fprintf(&b, "<defs>\n%s</defs>\n<svg width=\"%.1f\" height=\"%.1f\"><g class=\"m\">\n%s</g></svg>\n</svg>\n",
		&defs, width, height, &frames)
	return b.Bytes()
}

// caption draws the line with the pressed keys below the screen.
func caption(text string, w int) string {
	if text == "" {
		return ""
	}
	text = "\x1b[7m " + text + " \x1b[0m"
	return svgLines(cellsOf(text, w, 1), w, 1, dark)[0]
}
