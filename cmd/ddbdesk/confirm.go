// This file asks a person at the terminal whether a change is meant.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/models"
)

// ask shows the plan and waits for a yes; anything else writes nothing and ends
// the command.
func (r *report) ask(ctx context.Context) error {
	plan := r.app.stderr
	if out, ok := fileOf(r.app.stdout); ok && r.output == "text" && term.IsTerminal(out.Fd()) {
		plan, r.printed = r.app.stdout, true
	}
	if err := r.text(plan); err != nil {
		return err
	}
	question := "Carry it out? (y/N) "
	agrees := func(text string) bool { return strings.EqualFold(text, "y") || strings.EqualFold(text, "yes") }
	if r.session.Production() || r.production {
		name, id := itemID(r.plan)
		question = fmt.Sprintf("This is production. Type the %s of the item to carry it out: ", models.Printable(name))
		agrees = func(text string) bool { return text == id }
	}
	fmt.Fprint(r.app.stderr, question)
	answer, err := answer(ctx, r.app.stdin)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(r.app.stderr)
	case err != nil:
		return err
	case agrees(strings.TrimSpace(answer)):
		return nil
	}
	r.app.note("nothing was written")
	return &codeError{exitInterrupted}
}

// answer reads a line; the end of the input is an empty one.
func answer(ctx context.Context, in io.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	crash.Go("read the answer", func() {
		text, err := bufio.NewReader(in).ReadString('\n')
		got <- line{text, err}
	})
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-got:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", fmt.Errorf("reading the answer: %w", l.err)
		}
		return l.text, nil
	}
}

// itemID returns what people call the item that a plan changes: the last
// placeholder of its primary key, and its value.
func itemID(p *accesspatterns.Plan) (name, value string) {
	w := p.Writes[0]
	it := w.After
	if it == nil {
		it = w.Before
	}
	values := w.Entity.Values(it)
	for _, k := range []models.Key{w.Table.PartitionKey, w.Table.SortKey} {
		t, _ := w.Entity.KeyTemplate(k.Name)
		for _, n := range t.Placeholders() {
			if v, ok := values(n); ok && v != "" {
				name, value = n, v
			}
		}
	}
	if value == "" { // an item whose key is a constant
		return "key", w.Table.KeyText(w.Key)
	}
	return name, value
}
