package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
)

// Masker returns the current masker. It always masks secrets, and masks personal data until Reveal. Call it again for
// each frame or output, because an old masker still reveals data after Hide.
func (v *Viewer) Masker() *models.Masker {
	masker, _ := v.Revealed()
	return masker
}

// Revealed returns the current masker, and the reason why it shows personal data, or "" if it does not.
func (v *Viewer) Revealed() (masker *models.Masker, reason change.Reason) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.masker, v.reason
}

// FullMasker returns a masker for the journal and files, which always masks personal data and undeclared attributes.
func (v *Viewer) FullMasker() *models.Masker { return v.fullMasker }

// RoleMasker returns the role's masker, regardless of Reveal.
func (v *Viewer) RoleMasker() *models.Masker { return v.roleMasker }

// Reveal shows personal data, after it has recorded the subject and the reason in the journal. Secrets stay masked.
// Reveal fails closed: if it cannot write the journal entry, it reveals nothing. The error is a *Refusal for the role,
// wraps ErrInput for the reason, or comes from the journal.
func (s *Session) Reveal(ctx context.Context, subject, reason string) error {
	if err := s.CanReveal(); err != nil {
		return err
	}
	given, err := ReasonFor(nil, reason)
	switch {
	case err != nil:
		return err
	case given == "":
		return InputErrorf("revealing personal data requires a reason; add --reason TEXT")
	}
	detail := journal.Detail{Reason: given}
	if err := s.Record(ctx, journal.Reveal, subject, detail); err != nil {
		err = fmt.Errorf("revealing personal data needs the journal: %w", err)
		if errors.Is(err, journal.ErrUnshipped) { // The journal already records the reveal.
			return s.Refuse(ctx, subject, detail, err)
		}
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.masker, s.reason = models.NewMasker(s.o.Profile.Entities, true), given
	return nil
}

// Hide masks personal data again. It cannot recall data in other programs, such as a copied value.
func (s *Session) Hide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.masker, s.reason = s.roleMasker, ""
}

// Sensitivity returns the highest sensitivity of a parameter: its own, that of attributes that can fill it, and that of
// attributes with its name in any entity. In doubt it hides the value, because parameter values appear in commands,
// links and the journal.
func (v *Viewer) Sensitivity(q *accesspatterns.Param) models.Sensitivity { return v.o.sensitivity(q) }

func (o Options) sensitivity(q *accesspatterns.Param) models.Sensitivity {
	highest := q.Sensitive
	add := func(a *models.Attribute) {
		switch {
		case a == nil || highest == models.Secret:
		case a.Sensitive != models.NotSensitive:
			highest = a.Sensitive
		case a.Undocumented:
			highest = models.PII
		}
	}
	add(q.Attribute)
	for _, e := range o.Profile.Entities {
		if a := e.Attribute(q.Name); a != nil && q.Attribute == nil {
			add(a)
		}
		for _, from := range q.From {
			add(e.Attribute(from))
		}
	}
	return highest
}

// HiddenParams returns the parameters that a form masks, with their sensitivity: secrets always, and prefilled personal
// data until Reveal. Personal data that the user types stays visible.
func (v *Viewer) HiddenParams(p *accesspatterns.Pattern, prefilled map[string]bool) map[string]models.Sensitivity {
	masker, hidden := v.Masker(), map[string]models.Sensitivity{}
	for _, q := range p.Params {
		if q.Sensitive == models.Secret || prefilled[q.Name] && masker.Hides(q.Sensitive) {
			hidden[q.Name] = q.Sensitive
		}
	}
	return hidden
}

// HidesKey reports whether the primary key of an item contains personal data or secrets. It returns true for an item
// without a complete key.
func (v *Viewer) HidesKey(t *models.Table, it models.Item) bool {
	key, _ := t.PrimaryKey(it)
	shown, ok := t.PrimaryKey(v.FullMasker().Item(t, it))
	return !ok || !bytes.Equal(shown.AppendDynamoDBJSON(nil), key.AppendDynamoDBJSON(nil))
}
