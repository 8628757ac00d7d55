package documents

import (
	"time"

	"github.com/ddbdesk/ddbdesk/internal/requests"
)

// Request is a change that one user requests and another one applies.
type Request struct {
	ID        string         `json:"id"`
	State     requests.State `json:"state"`
	Schema    string         `json:"schema"`
	Action    string         `json:"action"`
	Subject   string         `json:"subject"` // key of the item, with personal data masked
	Requester string         `json:"requester"`
	Via       string         `json:"via"`
	Reason    string         `json:"reason"`
	Created   string         `json:"created"`
	Expires   string         `json:"expires"`
	DecidedBy *string        `json:"decidedBy"`
	Comment   string         `json:"comment"`
	Fault     *string        `json:"fault"` // why the request cannot be trusted
}

// Requests is a list of requests, newest first. More reports that older ones were not read.
type Requests struct {
	Requests []Request `json:"requests"`
	More     bool      `json:"more"`
}

// Review is a request with its history and what it would write now. Change is null if it cannot be applied, and Moved says
// why.
type Review struct {
	Request Request          `json:"request"`
	Events  []requests.Event `json:"events"`
	Change  *Change          `json:"change"`
	Moved   *string          `json:"moved"`
}

// OfRequest describes a request.
func OfRequest(q requests.Request) Request {
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
	return doc
}

// OfRequests describes a list of requests.
func OfRequests(list []requests.Request, more bool) Requests {
	doc := Requests{Requests: []Request{}, More: more}
	for _, q := range list {
		doc.Requests = append(doc.Requests, OfRequest(q))
	}
	return doc
}
