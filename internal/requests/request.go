package requests

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A State is the state of a change request.
type State string

// These are the states. A table never contains Expired: it is an open or approved request past its expiry.
const (
	Open      State = "open"
	Approved  State = "approved"
	Applied   State = "applied"
	Rejected  State = "rejected"
	Withdrawn State = "withdrawn"
	Expired   State = "expired"
)

// Pending reports whether a request in this state can still be applied. An expired request is not pending, although its
// stored state is open or approved.
func (s State) Pending() bool { return s == Open || s == Approved }

// Ended reports whether a request in this state was applied, rejected or withdrawn, or has the state of a newer version.
// An expired request has not ended, because users can still reject or withdraw it.
func (s State) Ended() bool { return !s.Pending() && s != Expired }

// A Request is a change that one user planned and another user applies. It is a snapshot: operations read the request
// again by its ID.
type Request struct {
	ID        string
	State     State
	Schema    string // name of the schema
	Action    string // ID of the action
	Subject   string // key of the item, with personal data masked
	Target    string // database of the item
	Requester string
	Identity  string // user according to AWS or the operating system at the time of the plan
	Via       string // program that filed the request, "" for a user
	Reason    string
	Created   time.Time
	Expires   time.Time
	DecidedBy string // user who made the last decision, or ""
	DecidedAt time.Time
	Comment   string
	// File is the plan. It is nil if the plan cannot be trusted; Fault then contains the reason. A sweep's File has no
	// items, which are in the requester's file.
	File  *changes.File
	Fault error

	item models.Item // item as read
}

// An Event is an entry in the history of a request. Comment is the user's original text, so print it with
// models.Printable.
type Event struct {
	At      time.Time `json:"at"`
	Who     string    `json:"who"`
	Action  string    `json:"action"`
	Comment string    `json:"comment"`
}

// PastTense returns the past tense of the action for the history, such as "filed".
func (e Event) PastTense() string {
	switch {
	case e.Action == "withdraw":
		return "withdrawn"
	case e.Action == "apply":
		return "applied"
	case strings.HasSuffix(e.Action, "e"):
		return e.Action + "d"
	}
	return e.Action + "ed"
}

// requestOf converts an item. It sets Fault if someone edited the plan or the plan contradicts the item.
func requestOf(it models.Item, now time.Time) Request {
	text := func(name string) string { v, _ := it.Text(name); return v }
	r := Request{
		ID: text("requestId"), State: State(text("state")), Schema: text("schema"), Action: text("action"), Subject: text("subject"),
		Target: text("target"), Requester: text("requester"), Identity: text("identity"), Via: text("via"), Reason: text("reason"),
		DecidedBy: text("decidedBy"), Comment: text("comment"), item: it,
	}
	r.Created, r.Expires, r.DecidedAt = parseTime(text("createdAt")), parseTime(text("expiresAt")), parseTime(text("decidedAt"))
	r.File, r.Fault = readPlan(r, text("plan"), text("digest"))
	if r.File != nil {
		r.Reason = r.File.Reason // with its line breaks
		r.Identity = r.File.Person().Identity()
		if last := r.File.Created.Add(MaxValid); r.Expires.After(last) {
			r.Expires = last
		}
	}
	if r.State.Pending() && !now.Before(r.Expires) {
		r.State = Expired
	}
	return r
}

// parseTime parses a time. For a missing or damaged time it returns the zero time, which is always in the past.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

func readPlan(r Request, text, digest string) (*changes.File, error) {
	f, err := changes.ReadFile(splitLines(text))
	switch {
	case err != nil:
		return nil, fmt.Errorf("request %s: %w", models.Printable(r.ID), err)
	case f.Digest != digest || f.Action != r.Action || f.Actor != r.Requester || f.Target != r.Target ||
		r.Reason != f.Reason && r.Reason != models.Printable(f.Reason), f.Many() && r.Subject != sweepSubject(f):
		return nil, r.editedRefusal()
	}
	return f, nil
}

// splitLines splits a plan into lines. A request stores it on one line, because an input cannot contain line breaks.
func splitLines(text string) (plan []byte) {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var line json.RawMessage
		switch err := d.Decode(&line); {
		case errors.Is(err, io.EOF):
			return plan
		case err != nil:
			return nil
		}
		plan = append(append(plan, line...), '\n')
	}
}

func sweepSubject(f *changes.File) string {
	return fmt.Sprintf("%s of %s", english.Plural(f.Items, "item", ""), f.Over)
}

func (r Request) editedRefusal() error {
	return &session.Refusal{
		Reason: fmt.Sprintf("request %s was edited: it does not match its plan", models.Printable(r.ID)),
		Advice: "reject it and ask the requester to file it again",
	}
}

// idTime is the layout of the time at the beginning of an ID. IDs therefore sort by time.
const idTime = "20060102-1504"

// newID returns an ID such as 20261123-0845-k3xw9q. Two requests in the same minute have equal IDs with a probability
// of one in a billion; the table then rejects the second one.
func newID(now time.Time) string {
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails; see crypto/rand
	return now.UTC().Format(idTime) + "-" + strings.ToLower(base32.StdEncoding.EncodeToString(random[:]))[:6]
}
