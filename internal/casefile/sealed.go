package casefile

import (
	"context"
	"errors"
	"strings"

	"github.com/ddbdesk/ddbdesk/internal/agefile"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// Seal returns the case as a sealed file: what Encode writes, encrypted with its header and its
// digest. The error wraps session.ErrRefused for a file over appdir.MaxFile bytes.
func (c *Case) Seal(l agefile.Lock) ([]byte, error) {
	text, err := c.encode()
	if err != nil {
		return nil, err
	}
	sealed, err := l.Seal(text)
	if err != nil {
		return nil, err
	}
	return sealed, fits(sealed)
}

// Read parses a file. It asks for a key only if the file is sealed. In addition to those of Parse, the error wraps
// agefile.ErrKey for a key that does not open the file.
func Read(text []byte, key func() (agefile.Key, error)) (*File, error) {
	if !agefile.IsSealed(text) {
		f, err := Parse(text)
		if err == nil && f.Real {
			return nil, &session.Refusal{
				Why:  "the case file has personal data and is not sealed",
				Next: "use the sealed file that ddbdesk take saved",
			}
		}
		return f, err
	}
	k, err := key()
	if err != nil {
		return nil, err
	}
	opened, err := k.Open(text)
	switch {
	case errors.Is(err, agefile.ErrMalformed):
		return nil, session.InputErrorf("the sealed case file is truncated or is not a case file; copy it again")
	case errors.Is(err, agefile.ErrDamaged):
		return nil, &session.Refusal{Why: "the sealed case file is truncated or was edited", Next: "copy it again"}
	case err != nil:
		return nil, err
	}
	return Parse(opened)
}

// Reveal records in the journal that a case with personal data is opened, for a command. The session may reveal, and there is
// a reason. A case without personal data needs neither. It only records: the masker of the
// session stays as it is.
func (c *Case) Reveal(ctx context.Context, s *session.Session, command, reason string) error {
	if !c.Real {
		return nil
	}
	if err := s.CanReveal(); err != nil {
		return err
	}
	if strings.TrimSpace(reason) == "" {
		return session.InputErrorf("the case has personal data, and opening it needs a reason; add --reason TEXT")
	}
	detail := detailOf(Entities(s.Profile(), c.Records), reason)
	detail.Shown = "revealed"
	return s.Record(ctx, journal.Reveal, command, detail)
}
