//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A step is one line of a script.
type step struct {
	line int
	verb string
	rest string
}

// maxWait is the timeout of a wait step.
const maxWait = 20 * time.Second

// parse parses a script and checks its steps before any program starts.
func parse(name, text string) ([]step, error) {
	var steps []step
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		s := step{line: i + 1, verb: verb, rest: strings.TrimSpace(rest)}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, s.line, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func (s step) check() error {
	var err error
	switch s.verb {
	case "run":
		_, err = s.command()
	case "wait":
		_, err = regexp.Compile(s.rest)
	case "press":
		for key := range strings.FieldsSeq(s.rest) {
			if _, known := keyBytes(key); !known {
				err = errors.Join(err, fmt.Errorf("unknown key %q", key))
			}
		}
	case "pause":
		_, err = strconv.ParseFloat(s.rest, 64)
	case "type", "paste", "shot", "record":
	default:
		return fmt.Errorf("unknown step %q; use run, wait, press, type, paste, shot, record or pause", s.verb)
	}
	if err == nil && s.rest == "" {
		err = fmt.Errorf("%s needs a value", s.verb)
	}
	return err
}

// A command is a program and its terminal, from a run step.
type command struct {
	w, h   int
	colors colors
	args   []string
}

// command parses the value of a run step.
func (s step) command() (command, error) {
	c := command{colors: dark}
	size, rest, _ := strings.Cut(s.rest, " ")
	c.args = strings.Fields(rest)
	if len(c.args) > 0 && c.args[0] == "light" {
		c.args, c.colors = c.args[1:], light
	}
	if _, err := fmt.Sscanf(size, "%dx%d", &c.w, &c.h); err != nil || c.w < 1 || c.h < 1 || len(c.args) == 0 {
		return command{}, fmt.Errorf("invalid run step %q; use WIDTHxHEIGHT PROGRAM", s.rest)
	}
	return c, nil
}

// A player runs the steps. At most one program runs at a time.
type player struct {
	ctx  context.Context // the context of recordScript
	out  string
	term *terminal
	film *film // nil if the program is not filmed
}

func (p *player) play(s step) error {
	if s.verb != "run" && p.term == nil {
		return errors.New("no program is running yet")
	}
	switch s.verb {
	case "run":
		if err := p.end(); err != nil {
			return err
		}
		c, err := s.command()
		if err != nil {
			return err
		}
		p.term, err = start(p.ctx, c)
		return err
	case "wait":
		err := p.wait(regexp.MustCompile(s.rest))
		p.film.addFrame(p.term, "", keySeconds)
		return err
	case "press":
		return p.press(strings.Fields(s.rest))
	case "type":
		return p.write(s.rest)
	case "paste":
		err := p.term.send("\x1b[200~" + s.rest + "\x1b[201~")
		p.film.addFrame(p.term, "paste", keySeconds)
		return err
	case "record":
		p.film = &film{name: filepath.Join(p.out, s.rest), w: p.term.w, h: p.term.h}
		return nil
	case "pause":
		seconds, err := strconv.ParseFloat(s.rest, 64)
		p.film.extend(seconds)
		return err
	default:
		p.term.settle()
		return os.WriteFile(filepath.Join(p.out, s.rest+".svg"), p.term.svg(), 0o644)
	}
}

// press sends keys one after the other.
func (p *player) press(keys []string) error {
	for _, key := range keys {
		bytes, _ := keyBytes(key)
		if err := p.term.send(bytes); err != nil {
			return err
		}
		p.film.addFrame(p.term, key, keySeconds)
	}
	return nil
}

// write sends a text; in a film, one character at a time.
func (p *player) write(text string) error {
	if p.film == nil {
		return p.term.send(text)
	}
	for i, r := range text {
		if err := p.term.send(string(r)); err != nil {
			return err
		}
		p.film.addFrame(p.term, text[:i]+string(r), letterSeconds)
	}
	return nil
}

// wait waits until the screen matches pattern and stops changing.
func (p *player) wait(pattern *regexp.Regexp) error {
	deadline := time.Now().Add(maxWait)
	for {
		p.term.settle()
		screen := p.term.text()
		switch {
		case pattern.MatchString(screen):
			return nil
		case p.ctx.Err() != nil:
			return p.ctx.Err()
		case time.Now().After(deadline):
			return fmt.Errorf("the screen does not match %q after %v:\n%s", pattern, maxWait, screen)
		}
	}
}

// end ends the running program, if any.
func (p *player) end() error {
	if p.term == nil {
		return nil
	}
	term, film := p.term, p.film
	p.term, p.film = nil, nil
	return errors.Join(film.write(), term.close())
}

// namedKeys contains the bytes that a terminal sends for named keys.
var namedKeys = map[string]string{
	"enter": "\r", "esc": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
	"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
	"home": "\x1b[H", "end": "\x1b[F", "pgup": "\x1b[5~", "pgdown": "\x1b[6~", "delete": "\x1b[3~",
}

// keyBytes returns the bytes that a terminal sends for a named key, ctrl+letter or a character.
func keyBytes(key string) (string, bool) {
	if bytes, ok := namedKeys[key]; ok {
		return bytes, true
	}
	if letter, ok := strings.CutPrefix(key, "ctrl+"); ok && len(letter) == 1 && letter[0] >= 'a' && letter[0] <= 'z' {
		return string(letter[0] & 0x1f), true
	}
	return key, len([]rune(key)) == 1
}
