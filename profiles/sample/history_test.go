package sample_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/schemas"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
	"github.com/ddbdesk/ddbdesk/profiles/sample"
)

// entriesOf returns the entries of a trail for an item, oldest first.
func entriesOf(t *testing.T, trail *change.Trail, e *models.Entity, it models.Item, all []sample.Item) []sample.Item {
	t.Helper()
	subject, _ := trail.Subject(e)
	names, err := subject.Args(it, schemas.Now)
	if err != nil {
		t.Fatal(err)
	}
	var list []sample.Item
	for _, s := range all {
		about := s.Entity == trail.Entity
		for name, want := range names {
			got, _ := s.Item.Text(name)
			about = about && got == want
		}
		if about {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b sample.Item) int { return when(trail, a).Compare(when(trail, b)) })
	return list
}

func when(trail *change.Trail, s sample.Item) time.Time {
	text, _ := s.Item.Text(trail.When)
	at, _ := s.Entity.Attribute(trail.When).Format.ReadTime(text)
	return at
}

// stateIn returns the state in the document of an entry, or "".
func stateIn(s sample.Item, document, attribute string) string {
	doc, ok := s.Item[document].(*types.AttributeValueMemberM)
	if !ok {
		return ""
	}
	text, _ := models.ValueText(doc.Value[attribute])
	return text
}

// If an action writes audit entries, the sample data contains an entry for each transition of an item, in the order of
// the lifecycle, from the item's creation to its last change.
func TestTrailsContainHistoryOfEachItem(t *testing.T) {
	checked := 0
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		all := schemas.Samples(t, p, sample.Options{})
		for _, s := range all {
			for _, trail := range p.TrailsOf(s.Entity) {
				if writes(p, trail, s.Entity) && len(s.Entity.Lifecycles) > 0 {
					checked++
					checkHistory(t, p, trail, s, entriesOf(t, trail, s.Entity, s.Item, all))
				}
			}
		}
	})
	if checked < 200 {
		t.Errorf("checked the history of only %d items", checked)
	}
}

// writes reports whether an action changes the entity's state and writes entries of the trail.
func writes(p *profiles.Profile, trail *change.Trail, e *models.Entity) bool {
	return slices.ContainsFunc(p.Actions, func(a *change.Action) bool {
		return a.Entity == e && a.To() != "" && slices.ContainsFunc(a.Audits, func(entry change.Entry) bool { return entry.Trail == trail })
	})
}

func checkHistory(t *testing.T, p *profiles.Profile, trail *change.Trail, s sample.Item, entries []sample.Item) {
	t.Helper()
	life := s.Entity.Lifecycles[0]
	state, _ := s.Item.Text(life.Attribute)
	times := timesOf(s)
	latest, state0 := time.Time{}, ""
	for _, entry := range entries {
		at := when(trail, entry)
		if created := times["createdAt"]; at.Before(created) {
			t.Errorf("%s: entry at %v before its creation at %v: %s", s.Entity.Name, at, created, entry.Item.AppendJSON(nil))
		}
		if last, ok := times[s.Entity.Updated]; ok && at.After(last) {
			t.Errorf("%s: entry at %v after the last change at %v: %s", s.Entity.Name, at, last, entry.Item.AppendJSON(nil))
		}
		before, after := stateIn(entry, trail.Before, life.Attribute), stateIn(entry, trail.After, life.Attribute)
		if state0 != "" && before != state0 || before != "" && after == before {
			t.Errorf("%s: entry from %q to %q follows state %q", s.Entity.Name, before, after, state0)
		}
		latest, state0 = at, after
	}
	if trail.After != "" && len(entries) > 0 && state0 != state {
		t.Errorf("%s is %s, but its last entry has state %s", s.Entity.Name, state, state0)
	}
	if life.State(state).Initial {
		return
	}
	if moved := slices.ContainsFunc(p.Actions, func(a *change.Action) bool {
		return a.Entity == s.Entity && a.To() == state && !slices.ContainsFunc(a.Transitions, func(m *models.Transition) bool {
			return m.Actor == "service" // The trail contains no entries of programs.
		})
	}); moved && len(entries) == 0 {
		t.Errorf("%s is %s, but no entry has the transition: %s", s.Entity.Name, state, s.Item.AppendJSON(nil))
	}
	derived := len(p.SampleHintsOf(s.Entity).Computed) > 0 // Computed values change with other items, without an entry.
	if last, ok := times[s.Entity.Updated]; ok && len(entries) > 0 && !latest.Equal(last) && trail.After != "" && !derived {
		t.Errorf("%s last changed at %v, but its last entry is at %v", s.Entity.Name, last, latest)
	}
}

// The queues of the demo need new and old items.
func TestOpenStatesHaveNewAndOldItems(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		ages := map[string][]time.Duration{}
		for _, s := range schemas.Samples(t, p, sample.Options{}) {
			for _, l := range s.Entity.Lifecycles[:min(1, len(s.Entity.Lifecycles))] {
				state, _ := s.Item.Text(l.Attribute)
				times := timesOf(s)
				at, ok := times[s.Entity.Updated]
				if at0, has := times["createdAt"]; !ok && has && l.State(state).Initial {
					at, ok = at0, true
				}
				if ok && l.State(state).Kind == models.StateOpen {
					ages[l.Name+" "+state] = append(ages[l.Name+" "+state], schemas.Now.Sub(at))
				}
			}
		}
		for state, list := range ages {
			slices.Sort(list)
			if len(list) < 2 || list[0] > 6*time.Hour || list[len(list)-1] < 6*list[0] {
				t.Errorf("%s: got ages %v, want new and old items", state, list)
			}
		}
	})
}

// A document stays uploaded until processing of its case starts, and is processed only while its case is.
func TestChildrenFollowTheirParents(t *testing.T) {
	p := schemas.Open(t, "authbridge")
	cases := map[string]models.Item{}
	documents := 0
	for _, s := range schemas.Samples(t, p, sample.Options{}) {
		id, _ := s.Item.Text("verificationId")
		switch s.Entity.Name {
		case "Verification":
			cases[id] = s.Item
		case "Document":
			documents++
			owner, _ := cases[id].Text("status")
			status, _ := s.Item.Text("status")
			started := !slices.Contains([]string{"created", "documents_uploading", "documents_complete", "submitted"}, owner)
			switch {
			case owner == "created":
				t.Error("a case without uploads has a document")
			case started != (status != "uploaded"), owner != "processing" && status == "processing":
				t.Errorf("the document is %s, but its case %s", status, owner)
			}
		}
	}
	if documents < 80 {
		t.Errorf("got %d documents, want at least 80", documents)
	}
	requests := map[string]string{}
	for _, s := range schemas.Samples(t, schemas.Open(t, "tazco"), sample.Options{}) {
		id, _ := s.Item.Text("requestId")
		switch s.Entity.Name {
		case "CardRequest":
			requests[id], _ = s.Item.Text("status")
		case "PendingApproval":
			if status, _ := s.Item.Text("approvalStatus"); status != requests[id] && status != "expired" {
				t.Errorf("the approval is %s, but its request %s", status, requests[id])
			}
		}
	}
}

// An item is newer than the items that it refers to: a message is newer than its request. Only an attribute for a
// result refers to a newer item.
func TestItemsAreNewerThanTheirReferences(t *testing.T) {
	schemas.Each(t, func(t *testing.T, p *profiles.Profile) {
		checked := 0
		for _, o := range []sample.Options{{}, {Items: 1}, {Items: 3, Seed: 7}, {Items: 40, Seed: 1}, {Items: 200, Seed: 2}} {
			created := map[string]time.Time{} // earliest time, by attribute and referenced value
			for _, s := range schemas.Samples(t, p, o) {
				at, ok := creation(s)
				if !ok {
					continue
				}
				eachAttribute(s.Entity.Attributes, func(a *models.Attribute) {
					text, ok := s.Entity.Values(s.Item)(a.Path)
					before, known := created[a.Refers+"="+text]
					if ok && known && !strings.Contains(a.Name, "resulting") {
						if checked++; at.Before(before) {
							t.Errorf("%+v: %s of %v refers by %s to an item of %v", o, s.Entity.Name, at, a.Path, before)
						}
					}
					key := s.Entity.Name + "." + a.Path + "=" + text
					if first, has := created[key]; ok && (!has || at.Before(first)) {
						created[key] = at
					}
				})
			}
		}
		if checked == 0 {
			t.Log("no reference leads to an item with a creation time")
		}
	})
}

// creation returns the item's creation time.
func creation(s sample.Item) (time.Time, bool) {
	m := timesOf(s)
	for _, name := range []string{"createdAt", "created_at", "timestamp", "receivedAt", "requestedAt"} {
		if at, ok := m[name]; ok {
			return at, true
		}
	}
	return time.Time{}, false
}

// eachAttribute visits attributes and their nested attributes.
func eachAttribute(list []*models.Attribute, visit func(*models.Attribute)) {
	for _, a := range list {
		visit(a)
		eachAttribute(a.Attributes, visit)
	}
}

// The transitions of an item determine its change counter and the attributes that its state sets.
func TestAttributesFollowFromTransitions(t *testing.T) {
	p, err := profiles.Load("parcels.yaml", []byte(`
name: parcels
tables: {parcels: {partition_key: pk, ttl: expires}}
entities:
  Parcel:
    table: parcels
    version: rev
    keys: {pk: "PARCEL#{parcelId}"}
    attributes:
      parcelId: {type: S, required: true}
      status: {type: S, required: true, enum: [booked, loaded, lost]}
      rev: {type: N, required: true}
      lostAt: {type: S, format: iso8601}
      expires: {type: N, format: epoch-seconds}
    sample: {count: 60}
lifecycles:
  ParcelStatus:
    entity: Parcel
    attribute: status
    states: {booked: {initial: true}, loaded: {}, lost: {kind: bad, set: {lostAt: "{now}", expires: "{now+90d}"}}}
    transitions: [{name: load, from: [booked], to: loaded}, {name: lose, from: [loaded], to: lost}]
actions:
  lose: {transition: lose}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, s := range schemas.Samples(t, p, sample.Options{}) {
		state, rev := text(t, s, "status"), text(t, s, "rev")
		count[state]++
		if want := map[string]string{"booked": "1", "loaded": "2", "lost": "3"}[state]; rev != want {
			t.Errorf("%s has version %s, want %s", state, rev, want)
		}
		at := timesOf(s)
		if _, expires := at["expires"]; expires != (state == "lost") {
			t.Errorf("%s has an expiry: %v", state, expires)
		}
		if got := at["expires"].Sub(at["lostAt"]); state == "lost" && got != 90*24*time.Hour {
			t.Errorf("the expiry is %v after the loss, want 90 days", got)
		}
	}
	if len(count) != 3 {
		t.Errorf("got states %v, want 3", count)
	}
}

// A set of values with an action and a reason determines the reason of the action's entries.
func TestReasonsFitActions(t *testing.T) {
	found := map[string]int{}
	for _, s := range schemas.Samples(t, schemas.Open(t, "authbridge"), sample.Options{}) {
		if s.Entity.Name != "AuditLog" {
			continue
		}
		action := text(t, s, "action")
		reason, _ := s.Item.Text("reason")
		found[action]++
		isRejection := action == "reject" || action == "request-resubmission"
		if isRejection && reason == "" || (action == "approve") != slices.Contains(
			[]string{"photos and data agree with the rules", "checked twice", "decided by the rules, see the checks"}, reason) {
			t.Errorf("%s has the reason %q", action, reason)
		}
	}
	if found["approve"] == 0 || found["reject"] == 0 || found["request-resubmission"] == 0 {
		t.Errorf("got actions %v", found)
	}
}
