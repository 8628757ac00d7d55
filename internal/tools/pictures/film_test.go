//go:build linux

package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// filmed returns a film of a program that writes the texts. A key precedes each text except the first.
func filmed(t *testing.T, texts ...string) *film {
	t.Helper()
	term := &terminal{w: 20, h: 3, screen: vt.NewSafeEmulator(20, 3)}
	f := &film{name: filepath.Join(t.TempDir(), "film"), w: 20, h: 3}
	for i, text := range texts {
		if _, err := term.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		key := ""
		if i > 0 {
			key = "enter"
		}
		f.addFrame(term, key, keySeconds)
	}
	return f
}

func TestFilmDrawsLineOnce(t *testing.T) {
	f := filmed(t, "title\r\none", "\r\x1b[Ktwo <&", "\r\x1b[Kone")
	f.extend(2)
	svg := string(f.svg())
	if n := strings.Count(svg, ">title\u00a0"); n != 1 {
		t.Errorf("the film contains the title %d times, want once:\n%s", n, svg)
	}
	if n := strings.Count(svg, "translateY"); n != 4 || !strings.Contains(svg, "animation:m 5.30s steps(1,end) infinite") {
		t.Errorf("got %d positions, want 4:\n%s", n, svg)
	}
	if !strings.Contains(svg, "prefers-reduced-motion") || strings.Contains(svg, "<script") {
		t.Error("the film ignores prefers-reduced-motion or contains a script")
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A wait without a change of the screen adds no frame.
func TestFilmOmitsUnchangedFrames(t *testing.T) {
	f := filmed(t, "still")
	term := &terminal{w: 20, h: 3, screen: vt.NewSafeEmulator(20, 3)}
	_, _ = term.Write([]byte("still"))
	f.addFrame(term, "", keySeconds)
	if len(f.frames) != 1 {
		t.Errorf("got %d frames, want 1", len(f.frames))
	}
	var nilFilm *film
	nilFilm.addFrame(term, "", keySeconds)
	nilFilm.extend(1)
	if err := nilFilm.write(); err != nil {
		t.Error(err)
	}
}

// The documented films are small and contain the steps of their script.
func TestDocumentationFilms(t *testing.T) {
	const dir = "../../../docs/pictures/"
	script, err := os.ReadFile(dir + "films.txt")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := parse("films.txt", string(script))
	if err != nil {
		t.Fatal(err)
	}
	films := 0
	for _, s := range steps {
		if s.verb != "record" {
			continue
		}
		films++
		if info, err := os.Stat(dir + s.rest + ".svg"); err != nil || info.Size() > 300<<10 {
			t.Errorf("%s: %v, or the film is larger than 300 KB", s.rest, err)
		}
	}
	if films < 4 {
		t.Errorf("got %d films, want at least 4", films)
	}
}
