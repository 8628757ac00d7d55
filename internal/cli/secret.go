package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"github.com/ddbdesk/ddbdesk/internal/crash"
)

// ReadSecret reads a line from the terminal without showing it, or returns when ctx is done, with the terminal as it was.
func (s Streams) ReadSecret(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(s.Stdin.Fd()) // before the prompt, so that nothing typed after it is shown
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	fmt.Fprint(s.Stderr, prompt)
	crash.Go("read a passphrase", func() {
		text, err := readHidden(s.Stdin)
		read <- answer{text, err}
	})
	var got answer
	select {
	case <-ctx.Done():
		got.err = ctx.Err()
	case got = <-read:
	}
	err = errors.Join(got.err, term.Restore(s.Stdin.Fd(), before))
	fmt.Fprintln(s.Stderr)
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	return string(got.text), nil
}

// The keys that edit a line of a raw terminal.
const (
	keyInterrupt = 0x03
	keyEnd       = 0x04
	keyBackspace = 0x08
	keyClear     = 0x15
	keyDelete    = 0x7f
)

// readHidden reads a line from a terminal in raw mode, which shows nothing. ctrl+c is the error of a canceled context.
func readHidden(in io.Reader) ([]byte, error) {
	var text []byte
	for one := make([]byte, 1); ; {
		if _, err := in.Read(one); err != nil {
			return nil, err
		}
		switch one[0] {
		case '\r', '\n', keyEnd:
			return text, nil
		case keyInterrupt:
			return nil, context.Canceled
		case keyBackspace, keyDelete:
			_, size := utf8.DecodeLastRune(text)
			text = text[:len(text)-size]
		case keyClear:
			text = nil
		default:
			text = append(text, one[0])
		}
	}
}
