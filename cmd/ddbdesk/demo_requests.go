package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/workspace"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// demoRequests is the table of change requests in the demo.
const demoRequests = "ddbdesk-demo-requests"

// rejecter is the user who rejects a change request in the demo.
const rejecter = "naledi"

func fileRequests(ctx context.Context, a *app, p *profiles.Profile, conn *store.Connection) error {
	at, err := requests.NewProfile(requests.Place{Table: demoRequests, PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		return err
	}
	if _, err := tables.Create(ctx, at, conn); err != nil {
		return err
	}
	user, colleague := a.newSession(p, conn, a.localActor()), a.colleague(p, conn, conflictingUser)
	from := []*workspace.Workspace{colleague, user, colleague}
	if user.Session.CanRequest() != nil {
		from = from[:1] // a read-only session files no change requests
	}
	plans, err := samplePlans(ctx, conn.Reader(), from)
	if err != nil {
		return err
	}
	for i, plan := range plans {
		q, _, err := from[i].Requests.File(ctx, plan, p.Name, "")
		if err != nil {
			return err
		}
		if i < 2 {
			continue
		}
		r, err := a.colleague(p, conn, rejecter).Requests.Register()
		if err != nil {
			return err
		}
		if _, err := r.Reject(ctx, q, "Already agreed in another request"); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) colleague(p *profiles.Profile, conn *store.Connection, name string) *workspace.Workspace {
	o := a.sessionOptions(p, conn, name)
	o.Role, o.ReadOnly, o.Person.User = session.Admin, false, name
	o.Purpose, _ = session.NewPurpose("customer calls", "OPS-17", false) // the values are valid
	return workspace.NewWriting(o, conn.Writer())
}

func samplePlans(ctx context.Context, r store.Reader, users []*workspace.Workspace) (plans []*change.Plan, err error) {
	actions := slices.Clone(users[0].Session.Profile().Actions)
	slices.SortStableFunc(actions, func(a, b *change.Action) int { return cmp.Compare(b.Reason, a.Reason) })
	read := map[*models.Table][]models.Item{}
	for _, a := range actions {
		t := a.Entity.Table
		if len(plans) == len(users) {
			break
		}
		if _, done := read[t]; !done {
			page, err := r.Fetch(ctx, accesspatterns.ScanLeg(t), nil, 0)
			if err != nil {
				return nil, err
			}
			read[t] = page.Items
		}
		if p := samplePlan(ctx, users[len(plans)], a, read[t]); p != nil {
			plans = append(plans, p)
			read[t] = slices.DeleteFunc(read[t], func(it models.Item) bool { return t.KeyText(it) == t.KeyText(p.Writes[0].Key) })
		}
	}
	return plans, nil
}

func samplePlan(ctx context.Context, w *workspace.Workspace, a *change.Action, items []models.Item) *change.Plan {
	if len(a.Transitions) == 0 {
		return nil
	}
	for _, it := range items {
		known, ok := w.Session.Recognize(a.Entity.Table, it)
		if !ok || known.Entity != a.Entity {
			continue
		}
		for _, offer := range w.Planner.Offers(a.Entity, it) {
			if offer.Action != a || offer.Reason != "" {
				continue
			}
			if p, err := w.Planner.Plan(ctx, a, offer.Args, "Agreed with the customer by phone"); err == nil {
				return p
			}
		}
	}
	return nil
}
