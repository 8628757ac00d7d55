package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/agefile"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// identityFlag adds --identity to a command that opens case files.
func identityFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "identity", "", "open a sealed case with the age identities of `FILE`, instead of a passphrase")
}

// lock returns what a case is sealed for: recipients, or else a passphrase that is entered twice at the terminal.
func (a *app) lock(ctx context.Context, recipients []string) (agefile.Lock, error) {
	if len(recipients) > 0 {
		l, err := agefile.ForRecipients(recipients)
		if err != nil {
			return l, usageErrorf("--recipient: %v", err)
		}
		return l, nil
	}
	if !a.interactive() {
		return agefile.Lock{}, usageErrorf("cannot ask for a passphrase without a terminal; use --recipient KEY")
	}
	first, err := a.readSecret(ctx, "Passphrase to seal the case: ")
	if err != nil {
		return agefile.Lock{}, err
	}
	l, err := agefile.ForPassphrase(first)
	if err != nil {
		return l, usageErrorf("%v", err)
	}
	second, err := a.readSecret(ctx, "Repeat the passphrase: ")
	if err == nil && first != second {
		err = usageErrorf("the passphrases differ; nothing was saved")
	}
	return l, err
}

// key returns what opens a sealed file: the identities of --identity, or a passphrase that is entered at the terminal.
func (a *app) key(ctx context.Context, sealed []byte, identity string) (agefile.Key, error) {
	passphrase := agefile.NeedsPassphrase(sealed)
	switch {
	case identity != "":
		text, err := appdir.ReadFile(identity)
		if err != nil {
			return agefile.Key{}, usageErrorf("--identity: %v", err)
		}
		k, err := agefile.ReadIdentities(text)
		if err != nil {
			return k, usageErrorf("--identity: %s: %v", models.Printable(identity), err)
		}
		return k, nil
	case !passphrase:
		return agefile.Key{}, usageErrorf("the case file is sealed for recipients; add --identity FILE")
	case !a.interactive():
		return agefile.Key{}, usageErrorf("the case file is sealed with a passphrase, and there is no terminal to ask for it")
	}
	text, err := a.readSecret(ctx, "Passphrase of the case: ")
	if err != nil {
		return agefile.Key{}, err
	}
	k, err := agefile.PassphraseKey(text)
	if err != nil {
		return k, usageErrorf("%v", err)
	}
	return k, nil
}

// readCase parses a case file, which is sealed or not.
func (a *app) readCase(ctx context.Context, path, identity string) (*casefile.File, error) {
	text, err := readArgument(path)
	if err != nil {
		return nil, err
	}
	f, err := casefile.Read(text, func() (agefile.Key, error) { return a.key(ctx, text, identity) })
	switch {
	case errors.Is(err, agefile.ErrKey) && identity != "":
		return nil, &store.Error{
			Class: store.Config, What: "no identity of " + models.Printable(identity) + " opens the sealed case file",
			Advice: "use the identity of a recipient that it was sealed for",
		}
	case errors.Is(err, agefile.ErrKey):
		return nil, &store.Error{
			Class: store.Config, What: "the passphrase does not open the sealed case file",
			Advice: "there is no other way to open it; if the passphrase is lost, take the case again",
		}
	case err == nil && identity != "" && !f.Real:
		return nil, usageErrorf("--identity: the case file is not sealed; omit the flag")
	}
	return f, err
}

// revealCase records that a command opens a case with personal data.
func (a *app) revealCase(ctx context.Context, c *casefile.Case, p *profiles.Profile, t store.Target, command string) error {
	o := a.access(p, t)
	o.Actor = a.localActor()
	return c.Reveal(ctx, session.New(o), command, a.flags.purpose.Reason)
}

// readSecret reads a line from the terminal without showing it, or returns when ctx is done, with the terminal as it was.
func (s streams) readSecret(ctx context.Context, prompt string) (string, error) {
	before, err := term.MakeRaw(s.stdin.Fd()) // before the prompt, so that nothing typed after it is shown
	if err != nil {
		return "", fmt.Errorf("read the passphrase: %w", err)
	}
	type answer struct {
		text []byte
		err  error
	}
	read := make(chan answer, 1)
	fmt.Fprint(s.stderr, prompt)
	crash.Go("read a passphrase", func() {
		text, err := readHidden(s.stdin)
		read <- answer{text, err}
	})
	var got answer
	select {
	case <-ctx.Done():
		got.err = ctx.Err()
	case got = <-read:
	}
	err = errors.Join(got.err, term.Restore(s.stdin.Fd(), before))
	fmt.Fprintln(s.stderr)
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
