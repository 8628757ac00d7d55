package change

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// inOtherTables returns the plan with its writes in other tables, so that it can join the original plan.
func inOtherTables(p *Plan) *Plan {
	out := *p
	out.Writes = nil
	for _, w := range p.Writes {
		table := *w.Table
		table.Name += "-other"
		w.Table = &table
		out.Writes = append(out.Writes, w)
	}
	return &out
}

func TestJoinedPlansAreOneTransaction(t *testing.T) {
	p := newShop().cancelPlan(t)
	joined, err := p.Join(inOtherTables(p))
	if err != nil {
		t.Fatal(err)
	}
	sent := joined.Batch()
	if n := len(p.Writes); len(sent.Writes) != 2*n || len(joined.AllWrites()) != 2*n || len(joined.Writes) != n {
		t.Fatalf("%d writes are sent, want %d; the plans have %d each", len(sent.Writes), 2*n, n)
	}
	if sent.Token != p.Basis.Token {
		t.Errorf("token %s, want that of the first plan", sent.Token)
	}
	if got := joined.Capacity(); got != 2*p.Capacity() {
		t.Errorf("Capacity() = %g, want %g", got, 2*p.Capacity())
	}
	tables := map[string]int{}
	for table := range joined.Batch().Items() {
		tables[table]++
	}
	for _, w := range p.Writes {
		if tables[w.Table.Name] != tables[w.Table.Name+"-other"] {
			t.Errorf("items by table = %v, want equal numbers", tables)
		}
	}
	if _, err := joined.Join(inOtherTables(p)); err == nil {
		t.Error("Join accepted a third plan")
	}
}

// Plan.At renews both plans, so that both have the time of the commit.
func TestJoinedPlansAreReplannedTogether(t *testing.T) {
	p, other := newShop().cancelPlan(t), newShop().cancelPlan(t)
	joined := *p
	joined.Joined = inOtherTables(other)
	b := *p.Basis
	b.Now = b.Now.Add(time.Hour)
	_, err := joined.At(b) // The renewed plan writes to the tables of p again.
	var conflict *Conflict
	if !errors.As(err, &conflict) || !strings.Contains(err.Error(), "twice in one transaction") {
		t.Errorf("got %v, want an error of the joined plan", err)
	}
}

func TestJoinRejectsOverlapsAndExcess(t *testing.T) {
	p := newShop().cancelPlan(t)
	var conflict *Conflict
	if _, err := p.Join(p); !errors.As(err, &conflict) {
		t.Errorf("joining a plan with itself: got %v, want a conflict", err)
	}
	large := inOtherTables(p)
	for len(large.Writes)+len(p.Writes) <= MaxWrites {
		w := large.Writes[0]
		w.Key = models.Item{"PK": str(fmt.Sprint(len(large.Writes)))}
		large.Writes = append(large.Writes, w)
	}
	if _, err := p.Join(large); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("needs %d writes", MaxWrites+1)) {
		t.Errorf("%d writes: got %v, want an error", MaxWrites+1, err)
	}
	large.Writes = large.Writes[1:]
	if _, err := p.Join(large); err != nil {
		t.Errorf("%d writes: %v", MaxWrites, err)
	}
}

// If the joined write is missing, the change was not applied as planned.
func TestOutcomeIncludesJoinedWrites(t *testing.T) {
	p := newShop().cancelPlan(t)
	joined, err := p.Join(inOtherTables(p))
	if err != nil {
		t.Fatal(err)
	}
	var after, before []models.Item
	for _, w := range joined.AllWrites() {
		after, before = append(after, w.After), append(before, w.Before)
	}
	if got := joined.Outcome(after); got != Written {
		t.Error(got)
	}
	if got := joined.Outcome(before); got != NotWritten {
		t.Error(got)
	}
	after[len(p.Writes)] = joined.Joined.Writes[0].Before
	if got := joined.Outcome(after); got == Written {
		t.Error("Outcome() = Written although the joined write is missing")
	}
}
