package requests

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/sweep"
	"github.com/ddbdesk/ddbdesk/models"
)

// FileSweep stores a sweep as a request: what it is, without its items. The user who applies it needs the file of the manifest, which
// the request identifies by its digest. The note is that of File. An item of DynamoDB has at
// most 400 KB, which the items of a sweep would exceed.
func (in *Inbox) FileSweep(ctx context.Context, m *sweep.Manifest) (Request, Note, error) {
	if err := in.s.CanRequest(); err != nil {
		return Request{}, nil, err
	}
	a, err := in.planner.Action(m.Action)
	if err == nil {
		err = changes.TypedActor(in.s.Viewer, a)
	}
	if err != nil {
		return Request{}, nil, err
	}
	r, err := in.Register()
	if err != nil {
		return Request{}, nil, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return Request{}, nil, fmt.Errorf("file the request: %w", err)
	}
	return r.store(ctx, m.PlanFile(), string(models.PrintableJSON(text)), in.s.Profile().Name, sweepSubject(m), "")
}

func sweepSubject(m *sweep.Manifest) string {
	return fmt.Sprintf("%s of %s", english.Plural(m.Items, "item", ""), m.Over)
}

func (in *Inbox) needsManifest(q Request) error {
	command := in.s.Command("requests", "apply", session.SchemaName(in.s.Profile()), q.ID, "--file", "FILE")
	return &session.Refusal{
		Why:  fmt.Sprintf("request %s is a sweep of %s", q.ID, q.Subject),
		Next: fmt.Sprintf("run %s with the file that %s saved", command, models.Printable(q.Requester)),
	}
}

// CanApplySweep returns the refusal to apply a manifest as that of a request, nil if the user
// may. The digest binds the file to the request: a file with one item more or less is refused.
func (in *Inbox) CanApplySweep(q Request, m *sweep.Manifest) error {
	if err := in.CanApply(q); err != nil {
		return err
	}
	switch {
	case q.Sweep == nil:
		return &session.Refusal{Why: fmt.Sprintf("request %s changes one item, and needs no file", q.ID), Next: "omit --file"}
	case q.Sweep.Digest != m.Digest:
		return &session.Refusal{Why: "the file is not that of request " + q.ID, Next: "ask " + models.Printable(q.Requester) + " for the file"}
	}
	return nil
}

// EndSweep marks the request of a sweep as applied. Each item has its own transaction, so this
// one comes after all of them. Any failure is a *change.Conflict, because the sweep was applied
// nevertheless and must not be repeated.
func (in *Inbox) EndSweep(ctx context.Context, q Request) (Note, error) {
	r, err := in.Register()
	if err != nil {
		return nil, err
	}
	note, err := r.act(ctx, q, "apply", Applied, "")
	if err != nil {
		return note, &change.Conflict{What: fmt.Sprintf("the sweep was applied, but request %s was not marked as applied: %v", q.ID, err)}
	}
	return note, nil
}
