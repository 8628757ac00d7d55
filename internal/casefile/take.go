package casefile

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/link"
	"github.com/ddbdesk/ddbdesk/internal/pseudonym"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// keyPurpose separates the key of pseudonyms from the other uses of the key of this machine.
const keyPurpose = "ddbdesk pseudonym key 1"

// A Purpose says what a case is for, and which attributes that the profile does not know it keeps.
type Purpose struct {
	Reason, Ticket string
	Keep           []string // names of attributes, or Entity.attribute
}

// Check returns why nothing can be taken for the purpose: a reason is needed on production.
func (t *Taker) Check(o Purpose) error {
	if t.s.Production() && strings.TrimSpace(o.Reason) == "" {
		return &session.Refusal{Why: "production requires a reason to save a case", Next: "add --reason TEXT"}
	}
	for _, text := range []string{o.Reason, o.Ticket} {
		if err := session.CheckReason(text); err != nil {
			return err
		}
	}
	return nil
}

// CheckReal returns why a session cannot take a case with personal data for the purpose. It
// sends nothing, so a dialog can ask before it reads.
func (t *Taker) CheckReal(s *session.Session, o Purpose) error {
	if err := s.CanReveal(); err != nil {
		return err
	}
	if strings.TrimSpace(o.Reason) == "" {
		return session.InputErrorf("a case with personal data needs a reason; add --reason TEXT")
	}
	return t.Check(o)
}

// Take reads the items of a tree again, with strong consistency, and returns them with pseudonyms for personal data. The
// journal records it first. The same value has the same pseudonym in every case of this
// machine. Items that were deleted since Explore, or that match no entity, are left out and
// counted in the report.
func (t *Taker) Take(ctx context.Context, tree *Tree, o Purpose) (*Case, *Report, error) {
	if err := t.Check(o); err != nil {
		return nil, nil, err
	}
	return t.take(ctx, tree, o, journal.Export, t.s.FullMasker())
}

// TakeReal is Take with personal data as stored, for a file that Seal makes. The session may reveal, and the journal records
// the case as a reveal. Secrets are left out.
func (t *Taker) TakeReal(ctx context.Context, s *session.Session, tree *Tree, o Purpose) (*Case, *Report, error) {
	if err := t.CheckReal(s, o); err != nil {
		return nil, nil, err
	}
	c, report, err := t.take(ctx, tree, o, journal.Reveal, models.NewMasker(s.Profile().Entities, true))
	if err != nil {
		return nil, nil, err
	}
	c.Real = true
	return c, report, nil
}

// take records a case in the journal, reads its items, and replaces the values that the masker hides.
func (t *Taker) take(ctx context.Context, tree *Tree, o Purpose, kind journal.Kind, m *models.Masker) (*Case, *Report, error) {
	key, err := t.s.Sealer().MAC(nil, keyPurpose)
	if err != nil {
		return nil, nil, fmt.Errorf("save the case: %w", err)
	}
	list := tree.taken()
	detail := detailOf(tree.Entities(), strings.TrimSpace(o.Ticket+" "+o.Reason))
	if detail.Shown = "masked"; kind == journal.Reveal {
		detail.Shown = "revealed"
	}
	if err := t.s.Record(ctx, kind, "take "+nameOf(tree.Start), detail); err != nil {
		return nil, nil, fmt.Errorf("record the case in the journal: %w", err)
	}
	r := newReplacer(t.s, m, pseudonym.New(key, prefixes(t.s.Profile().Entities)), o.Keep)
	c := &Case{Header: t.header(tree, o, r)}
	items, err := t.again(ctx, list)
	if err != nil {
		return nil, nil, err
	}
	r.report.Gone = len(list) - len(items)
	taken := map[string]bool{}
	for _, f := range items {
		known, ok := t.s.Recognize(f.table, f.item)
		if !ok {
			r.report.Strangers++
			continue
		}
		it, err := r.item(known.Entity, f.item)
		if err != nil {
			return nil, nil, fmt.Errorf("save an item of %s: %w", known.Entity.Name, err)
		}
		id := f.table.ID + " " + f.table.KeyID(it)
		if taken[id] {
			return nil, nil, fmt.Errorf("save an item of %s: two items would have the same key", known.Entity.Name)
		}
		taken[id] = true
		c.Records = append(c.Records, Record{f.table, it})
	}
	return c, &r.report, nil
}

// detailOf returns what the journal records about the items of a case.
func detailOf(entities map[string]int, reason string) journal.Detail {
	return journal.Detail{Reason: reason, Items: strconv.Itoa(Total(entities)), Entities: journal.Counts(entities), Format: Extension[1:]}
}

// nameOf returns the pattern or entity of a start.
func nameOf(s link.Place) string {
	if s.Pattern != nil {
		return s.Pattern.FullID()
	}
	return s.Entity.Name
}

// schema returns what opens the profile again on another machine: the name of a built-in one, or of a file.
func (t *Taker) schema() string {
	p := t.s.Profile()
	if strings.HasPrefix(p.File, "builtin:") {
		return p.Name
	}
	return filepath.Base(p.File)
}

// header returns the header of a case.
func (t *Taker) header(tree *Tree, o Purpose, r *replacer) Header {
	source := t.s.Target().Place()
	if t.s.Target().Embedded {
		source = t.s.Target().String() // without a folder of this machine
	}
	h := Header{
		Version: Version, Schema: t.schema(), Profile: t.s.Profile().Digest(), Variables: map[string]string{}, Source: source,
		Production: t.s.Production(), Taken: t.s.Now().UTC(), Reason: strings.TrimSpace(o.Reason), Ticket: strings.TrimSpace(o.Ticket),
	}
	for _, v := range t.s.Profile().Variables {
		h.Variables[v.Name] = v.Value
	}
	if p := tree.Start.Pattern; p != nil {
		h.Start = Origin{Pattern: p.ID, Parameters: map[string]string{}}
		for name, v := range tree.Start.Args {
			h.Start.Parameters[name] = r.parameter(p.Param(name), v)
		}
		return h
	}
	h.Start.Entity = tree.Start.Entity.Name
	return h
}

// again reads the items with strong consistency. Those that are gone are missing. Reading takes
// minutes with a large tree, and a case must not mix states of that time.
func (t *Taker) again(ctx context.Context, list []*found) ([]*found, error) {
	now := map[string]models.Item{}
	for _, table := range t.s.Profile().Tables {
		var keys []models.Item
		for _, f := range list {
			if f.table == table {
				keys = append(keys, f.key)
			}
		}
		for part := range slices.Chunk(keys, accesspatterns.MaxBatch) {
			page, err := t.s.Store().Fetch(ctx, accesspatterns.BatchLeg(table, part), nil, 0)
			if err != nil {
				return nil, err
			}
			for _, it := range page.Items {
				now[table.ID+" "+table.KeyID(it)] = it
			}
		}
	}
	var out []*found
	for _, f := range list {
		if it, ok := now[f.table.ID+" "+f.table.KeyID(f.key)]; ok {
			out = append(out, &found{table: f.table, key: f.key, item: it})
		}
	}
	return out, nil
}

// prefixes returns the documented prefixes of IDs.
func prefixes(entities []*models.Entity) []string {
	var list []string
	for _, e := range entities {
		for _, a := range e.Attributes {
			list = append(list, a.Prefix)
		}
	}
	return list
}
