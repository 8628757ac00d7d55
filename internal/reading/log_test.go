package reading

import (
	"errors"
	"testing"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

// A log keeps the newest requests and counts all of them.
func TestLogIsBounded(t *testing.T) {
	var l Log
	for range logged + 10 {
		l.add(store.Call{Operation: "Query", Table: "orders", Index: "byDay", Capacity: 0.5})
	}
	l.add(store.Call{Operation: "PutItem", Err: errors.New("denied")})
	list := l.Newest()
	if n, units := l.Total(); len(list) != logged || n != logged+11 || units != (logged+10)*0.5 {
		t.Errorf("%d entries of %d, %g units", len(list), n, units)
	}
	if list[0].Operation != "PutItem" || list[0].Err == nil || list[1].Index != "byDay" || list[0].ID != logged+11 {
		t.Errorf("the newest are %+v", list[:2])
	}
}
