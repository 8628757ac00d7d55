package audit_test

import (
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/internal/audit"
	"github.com/ddbdesk/ddbdesk/internal/journal"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// some are the entries of two users, one of them twice, and of a version without sessions.
func some() iter.Seq2[journal.Entry, error] {
	at := func(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }
	list := []journal.Entry{
		{Hash: "1", Time: at(0), Kind: journal.Refusal, Actor: "old", Profile: "shop", Subject: "refund"},
		{
			Hash: "2", Time: at(1), Kind: journal.Lookup, Actor: "ana", User: "1 (ana)", Session: "aa1", Why: "call", Ticket: "OPS-1",
			Context: "prod", Profile: "shop", Subject: "shop.get", Detail: journal.Detail{Items: "3", Client: "agent 1"},
		},
		{Hash: "3", Time: at(2), Kind: journal.Intent, Actor: "ana", Session: "aa1", Profile: "shop", Subject: "refund"},
		{Hash: "4", Time: at(3), Kind: journal.Outcome, Actor: "ana", Session: "aa1", Profile: "shop", Subject: "refund"},
		{Hash: "5", Time: at(4), Kind: journal.Reveal, Actor: "ben", Identity: "arn:ben", Session: "ab2", Why: "down", BreakGlass: true, Profile: "shop"},
		{Hash: "6", Time: at(5), Kind: journal.Export, Actor: "ben", Session: "ab2", Profile: "site", Subject: "x"},
		{Hash: "6", Time: at(5), Kind: journal.Export, Actor: "ben", Session: "ab2", Profile: "site", Subject: "x"}, // in two sinks
		{Hash: "7", Time: at(9), Kind: journal.Review, Actor: "eve", Subject: "ab2", Detail: journal.Detail{Reason: "agreed by phone"}},
	}
	return func(yield func(journal.Entry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
		yield(journal.Entry{}, errors.New("a damaged line"))
	}
}

func TestEntriesAreGroupedIntoSessions(t *testing.T) {
	list, err := audit.Sessions(some(), audit.Filter{})
	if err == nil || len(list) != 3 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	want := []*audit.Session{
		{
			ID: "ab2", Person: "ben", Identity: "arn:ben", Schemas: []string{"shop", "site"}, Clients: []string{}, Reason: "down", BreakGlass: true,
			Begun: noon.Add(4 * time.Minute), Ended: noon.Add(5 * time.Minute), Reveals: 1, Copies: 1,
			Subjects: []string{"export x", "reveal "}, Reviews: []audit.Review{{noon.Add(9 * time.Minute), "eve", "agreed by phone"}},
		},
		{
			ID: "aa1", Person: "ana", Identity: "1 (ana)", Context: "prod", Schemas: []string{"shop"}, Clients: []string{"agent 1"}, Reason: "call",
			Ticket: "OPS-1", Begun: noon.Add(time.Minute), Ended: noon.Add(3 * time.Minute), Reads: 1, Items: 3, Changes: 1,
			Subjects: []string{"intent refund", "lookup shop.get"}, Reviews: []audit.Review{},
		},
	}
	if diff := cmp.Diff(want, list[:2]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if s := list[2]; s.Person != "old" || s.Refusals != 1 || s.ID != "2026-11-23 old" {
		t.Errorf("%+v", s)
	}
}

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		filter audit.Filter
		want   []string
	}{
		{audit.Filter{Person: "ARN:"}, []string{"ab2"}},
		{audit.Filter{Person: "an"}, []string{"aa1"}},
		{audit.Filter{Ticket: "ops-1"}, []string{"aa1"}},
		{audit.Filter{Since: noon.Add(5 * time.Minute)}, []string{"ab2"}},
		{audit.Filter{BreakGlass: true}, []string{"ab2"}},
		{audit.Filter{Unreviewed: true}, []string{"aa1", "2026-11-23 old"}},
	} {
		list, _ := audit.Sessions(some(), c.filter)
		var got []string
		for _, s := range list {
			got = append(got, s.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
	list, _ := audit.Sessions(some(), audit.Filter{})
	for id, ok := range map[string]bool{"aa": true, "a": false, "ab2": true, "": false, "zz": false} {
		if _, found := audit.Find(list, id); found != ok {
			t.Errorf("%q: %v", id, found)
		}
	}
}
