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

// rejectingUser is the user who rejects a change request in the demo.
const rejectingUser = "naledi"

func fileRequests(ctx context.Context, a *app, p *profiles.Profile, conn *store.Connection) error {
	requestsProfile, err := requests.NewProfile(requests.Place{Table: demoRequests, PartitionKey: "PK", SortKey: "SK"})
	if err != nil {
		return err
	}
	if _, err := tables.Create(ctx, requestsProfile, conn); err != nil {
		return err
	}
	user, colleague := a.newSession(p, conn, a.localActor()), a.colleague(p, conn, conflictingUser)
	users := []*workspace.Workspace{colleague, user, colleague}
	if user.Session.CanRequest() != nil {
		users = users[:1] // a read-only session files no change requests
	}
	plans, err := samplePlans(ctx, conn.Reader(), users)
	if err != nil {
		return err
	}
	for i, plan := range plans {
		q, _, err := users[i].Requests.File(ctx, plan, p.Name, "")
		if err != nil {
			return err
		}
		if i < 2 {
			continue
		}
		r, err := a.colleague(p, conn, rejectingUser).Requests.Register()
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
	o.Purpose.Reason, o.Purpose.Ticket = "customer calls", "OPS-17"
	o.Purpose.Session += "-" + name // one session for all schemas
	return workspace.NewWriting(o, conn.Writer())
}

func samplePlans(ctx context.Context, r store.Reader, users []*workspace.Workspace) (plans []*change.Plan, err error) {
	actions := slices.Clone(users[0].Session.Profile().Actions)
	slices.SortStableFunc(actions, func(a, b *change.Action) int { return cmp.Compare(b.Reason, a.Reason) })
	itemsByTable := map[*models.Table][]models.Item{}
	for _, a := range actions {
		t := a.Entity.Table
		if len(plans) == len(users) {
			break
		}
		if _, isRead := itemsByTable[t]; !isRead {
			page, err := r.Fetch(ctx, accesspatterns.ScanLeg(t), nil, 0)
			if err != nil {
				return nil, err
			}
			itemsByTable[t] = page.Items
		}
		if p := samplePlan(ctx, users[len(plans)], a, itemsByTable[t]); p != nil {
			plans = append(plans, p)
			itemsByTable[t] = slices.DeleteFunc(itemsByTable[t],
				func(it models.Item) bool { return t.KeyText(it) == t.KeyText(p.Writes[0].Key) })
		}
	}
	return plans, nil
}

func samplePlan(ctx context.Context, w *workspace.Workspace, a *change.Action, items []models.Item) *change.Plan {
	if len(a.Transitions) == 0 {
		return nil
	}
	for _, it := range items {
		found, ok := w.Session.Recognize(a.Entity.Table, it)
		if !ok || found.Entity != a.Entity {
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
