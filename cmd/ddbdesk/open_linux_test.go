package main

import (
	"strings"
	"testing"
	"time"
)

// A link opens its item in the section that it names.
func TestOpenShowsItemOfLink(t *testing.T) {
	t.Parallel()
	const id = "ver_c4936d76-3f1e-4b8a-9122-cf8aa2c8cb02"
	dir := t.TempDir()
	seeded := startOnTerminal(t, nil, "ddbdesk", "seed", "authbridge", "--embedded="+dir)
	seeded.until("items")
	if code := seeded.end(20 * time.Second); code != 0 {
		t.Fatalf("seed ended with exit code %d", code)
	}
	c := startOnTerminal(t, nil, "ddbdesk", "open", "authbridge/Verification?verificationId="+id+"#keys", "--embedded="+dir)
	c.until(id)
	c.until("CASE#" + id)
	if !strings.Contains(c.shown(), "1 Overview") {
		t.Errorf("the item did not appear:\n%s", c.shown())
	}
	c.press("y")
	c.until("link to this item")
	c.press("\x03\x03")
	c.end(20 * time.Second) // Another console needs the folder.
	query := startOnTerminal(t, nil, "ddbdesk", "open", "authbridge/list-verifications-by-date?date=-1d", "--embedded="+dir)
	query.until("Date  -1d")
	query.until("1 page")
}
