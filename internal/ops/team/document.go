package team

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Request is a change that one user requests and another user applies.
type Request struct {
	ID string `json:"id" col:"ID"`
	// State is the current state. An open request past its expiry is expired.
	State   requests.State `json:"state" col:"STATE"`
	Schema  string         `json:"schema" col:"SCHEMA"`
	Action  string         `json:"action" col:"ACTION"`
	Subject string         `json:"subject" col:"ITEM,key"` // key of the item, with personal data masked
	// Requester is the actor that the requester typed or configured. Via is the program that filed the request, or ""
	// for a user.
	Requester string `json:"requester" col:"REQUESTER"`
	Via       string `json:"via"`
	Reason    string `json:"reason" col:"REASON"`
	// Created and Expires use RFC 3339 in UTC.
	Created string `json:"created"`
	Expires string `json:"expires" col:"EXPIRES"`
	// DecidedBy is the actor of the decision, or null before the decision. Comment is that user's comment.
	DecidedBy *string       `json:"decidedBy"`
	Comment   string        `json:"comment"`
	Fault     *string       `json:"fault"` // why the request cannot be trusted
	Sweep     *RequestSweep `json:"sweep,omitempty"`
}

// A RequestSweep describes a request for a sweep. The items are in a file with this digest.
type RequestSweep struct {
	Sweep      string            `json:"sweep"` // ID
	Over       string            `json:"over"`
	Parameters map[string]string `json:"parameters"`
	Where      string            `json:"where"`
	Items      int               `json:"items"`
	Capacity   float64           `json:"capacity"` // WCU, estimated
	Digest     string            `json:"digest"`
}

// Requests is a list of requests, newest first. More reports whether ddbdesk did not read older requests.
type Requests struct {
	Requests []Request `json:"requests"`
	More     bool      `json:"more"`
}

// NewRequest returns the document of a request. It does not mask values, because a request contains masked values only.
func NewRequest(q requests.Request) Request {
	doc := Request{
		ID: q.ID, State: q.State, Schema: q.Schema, Action: q.Action, Subject: q.Subject, Requester: q.Requester, Via: q.Via,
		Reason: q.Reason, Created: q.Created.Format(time.RFC3339), Expires: q.Expires.Format(time.RFC3339), Comment: q.Comment,
	}
	if q.DecidedBy != "" {
		doc.DecidedBy = &q.DecidedBy
	}
	if q.Fault != nil {
		text := q.Fault.Error()
		doc.Fault = &text
	}
	if f := q.File; f != nil && f.Many() {
		doc.Sweep = &RequestSweep{f.Sweep, f.Over, f.Parameters, f.Where, f.Items, f.Capacity, f.Digest}
	}
	return doc
}

func sweepLines(f *changes.File, plain bool) []string {
	pattern := f.Over
	for _, name := range slices.Sorted(maps.Keys(f.Parameters)) {
		pattern += " " + name + "=" + f.Parameters[name]
	}
	size := english.Plural(f.Items, "item", "")
	if !plain {
		size += fmt.Sprintf(", about %s WCU", humanize.Commaf(f.Capacity))
	}
	lines := []string{fmt.Sprintf("sweep %s: %s", journal.ShortID(f.Sweep), size), "over " + models.Printable(pattern)}
	if f.Where != "" {
		lines = append(lines, "where "+models.Printable(f.Where))
	}
	return append(lines, "the items are in the file with digest "+f.Digest)
}
