package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ddbdesk/ddbdesk/internal/agefile"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/casefile"
	"github.com/ddbdesk/ddbdesk/internal/cli"
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
			return l, cli.UsageErrorf("--recipient: %v", err)
		}
		return l, nil
	}
	if !a.Interactive() {
		return agefile.Lock{}, cli.UsageErrorf("cannot ask for a passphrase without a terminal; use --recipient KEY")
	}
	first, err := a.ReadSecret(ctx, "Passphrase to seal the case: ")
	if err != nil {
		return agefile.Lock{}, err
	}
	l, err := agefile.ForPassphrase(first)
	if err != nil {
		return l, cli.UsageErrorf("%v", err)
	}
	second, err := a.ReadSecret(ctx, "Repeat the passphrase: ")
	if err == nil && first != second {
		err = cli.UsageErrorf("the passphrases differ; nothing was saved")
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
			return agefile.Key{}, cli.UsageErrorf("--identity: %v", err)
		}
		k, err := agefile.ReadIdentities(text)
		if err != nil {
			return k, cli.UsageErrorf("--identity: %s: %v", models.Printable(identity), err)
		}
		return k, nil
	case !passphrase:
		return agefile.Key{}, cli.UsageErrorf("the case file is sealed for recipients; add --identity FILE")
	case !a.Interactive():
		return agefile.Key{}, cli.UsageErrorf("the case file is sealed with a passphrase, and there is no terminal to ask for it")
	}
	text, err := a.ReadSecret(ctx, "Passphrase of the case: ")
	if err != nil {
		return agefile.Key{}, err
	}
	k, err := agefile.PassphraseKey(text)
	if err != nil {
		return k, cli.UsageErrorf("%v", err)
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
		return nil, cli.UsageErrorf("--identity: the case file is not sealed; omit the flag")
	}
	return f, err
}

// revealCase records that a command opens a case with personal data.
func (a *app) revealCase(ctx context.Context, c *casefile.Case, p *profiles.Profile, t store.Target, command string) error {
	o, err := a.recording(p, t, a.localActor())
	if err != nil {
		return err
	}
	return c.Reveal(ctx, session.New(o), command, a.flags.purpose.Reason)
}
