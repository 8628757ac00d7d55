package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	// Intent is written before a change is sent. Without its outcome nobody knows whether the change happened.
	Intent Kind = "intent"
	// Outcome is written after the change and carries the ID of its intent.
	Outcome Kind = "outcome"
	// Refusal records a change that a guard stopped; nothing was sent.
	Refusal Kind = "refusal"
	// Reveal records that personal data was shown unmasked, with the reason in Detail.
	Reveal Kind = "reveal"
)

// maxLine is the longest line in bytes, newline included. An entry names keys and attributes of one
// transaction, so a longer one is a mistake of the caller.
const maxLine = 1 << 20

// Entry is one line of the journal. The caller masks personal data before it gets here and never passes secrets:
// the journal writes what it is given.
type Entry struct {
	Seq  uint64    `json:"seq"`  // Position in the journal, from 1. Set by Append.
	Time time.Time `json:"time"` // UTC, to the millisecond. Set by Append.
	// ID is 128 random bits in hex. An intent and its outcome share it. Append draws one when it is empty.
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Actor    string `json:"actor"` // Who: the AWS identity, or the local user.
	Role     string `json:"role"`
	Context  string `json:"context,omitempty"`  // Name of the connection's context.
	Endpoint string `json:"endpoint,omitempty"` // Empty for AWS's own endpoint.
	Region   string `json:"region,omitempty"`
	Account  string `json:"account,omitempty"` // Number of the AWS account; empty on this machine, or when it is not known.
	Profile  string `json:"profile,omitempty"` // Name of the schema profile.
	Subject  string `json:"subject"`           // ID of the action or pattern.
	Detail   Detail `json:"detail,omitzero"`
	Outcome  string `json:"outcome,omitempty"` // What came of it; required for Outcome entries.
	Prev     string `json:"prev"`              // Hash of the line before, empty on the first. Set by Append.
	Hash     string `json:"hash,omitempty"`    // SHA-256 of this line without its hash, in hex. Set by Append.
}

// Detail is what an entry records besides its subject. Every member is text, empty when it does not apply. The
// order of the members is that of the lines on disk.
type Detail struct {
	Capacity   string `json:"capacity,omitempty"`   // write capacity units consumed, as a decimal number
	Changed    string `json:"changed,omitempty"`    // comma-separated paths that a conflict found changed
	Entity     string `json:"entity,omitempty"`     // name of the entity that the action changes
	Format     string `json:"format,omitempty"`     // of an exported file
	From       string `json:"from,omitempty"`       // state before the change
	Items      string `json:"items,omitempty"`      // number of items in an exported file
	Key        string `json:"key,omitempty"`        // primary key of the item, personal data masked
	Notes      string `json:"notes,omitempty"`      // what a user should know besides, separated by semicolons
	PlannedBy  string `json:"plannedBy,omitempty"`  // who made the plan file
	Reason     string `json:"reason,omitempty"`     // why, as the user gave it
	Record     string `json:"record,omitempty"`     // base64 of the sealed record of what was written; never shown
	Resolved   string `json:"resolved,omitempty"`   // how an open change was resolved
	ResolvedBy string `json:"resolvedBy,omitempty"` // who resolved it
	Table      string `json:"table,omitempty"`      // name of the table
	To         string `json:"to,omitempty"`         // state after the change
	Token      string `json:"token,omitempty"`      // client request token
	Undoes     string `json:"undoes,omitempty"`     // token of the change that this one undoes
	Why        string `json:"why,omitempty"`        // the error: why it was refused or failed
	Writes     string `json:"writes,omitempty"`     // number of writes
}

// texts returns the members, for code that treats all of them alike.
func (d *Detail) texts() []*string {
	return []*string{
		&d.Capacity, &d.Changed, &d.Entity, &d.Format, &d.From, &d.Items, &d.Key, &d.Notes,
		&d.PlannedBy, &d.Reason, &d.Record, &d.Resolved, &d.ResolvedBy, &d.Table, &d.To,
		&d.Token, &d.Undoes, &d.Why, &d.Writes,
	}
}

// Result returns the outcome entry that closes the intent e: same ID, actor, connection and subject.
func (e Entry) Result(outcome string, detail Detail) Entry {
	e.Kind, e.Outcome, e.Detail = Outcome, outcome, detail
	return e
}

// prepare returns e as it will be written after the line with number seq-1 and hash prev.
func (e Entry) prepare(seq uint64, prev string, now time.Time) (Entry, error) {
	switch e.Kind {
	case Intent, Refusal, Reveal:
	case Outcome:
		if e.ID == "" || e.Outcome == "" {
			return Entry{}, errors.New("an outcome needs the ID of its intent and a result")
		}
	default:
		return Entry{}, fmt.Errorf("unknown kind %q of journal entry", e.Kind)
	}
	if e.ID == "" {
		e.ID = newID()
	}
	e.Seq, e.Prev, e.Hash = seq, prev, ""
	e.Time = now.UTC().Truncate(time.Millisecond)
	// JSON replaces invalid UTF-8. Doing it here keeps the returned entry equal to the one read back.
	texts := []*string{&e.ID, &e.Actor, &e.Role, &e.Context, &e.Endpoint, &e.Region, &e.Account, &e.Profile, &e.Subject, &e.Outcome}
	for _, s := range append(texts, e.Detail.texts()...) {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
	}
	return e, nil
}

// newID returns 128 random bits in hex.
func newID() string {
	var id [16]byte
	// crypto/rand.Read never returns an error: it ends the program when the system has no randomness.
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// A line is the entry's JSON object with the hash as its last member. The hash covers the bytes of the object as
// they would stand without that member. Hashing bytes rather than values means that no change of a line goes
// unseen, not even one that JSON readers ignore, and that a later version may add members.
const (
	hashOpen  = `,"hash":"`
	hashClose = `"}`
	hashLen   = 2 * sha256.Size
	hashTail  = len(hashOpen) + hashLen + len(hashClose)
)

// seal sets the hash of e and returns the line to write, newline included.
func seal(e Entry) (Entry, []byte, error) {
	e.Hash = ""
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false) // Conditions and ARNs stay readable.
	if err := encoder.Encode(e); err != nil {
		return Entry{}, nil, fmt.Errorf("encode journal entry: %w", err)
	}
	// People read the file with what is at hand: nothing in it acts on a terminal.
	object := models.PrintableJSON(bytes.TrimSuffix(payload.Bytes(), []byte("\n")))
	e.Hash = hashOf(object)
	line := append(bytes.TrimSuffix(object, []byte("}")), hashOpen+e.Hash+hashClose+"\n"...)
	if len(line) > maxLine {
		return Entry{}, nil, fmt.Errorf("journal entry has %d bytes, at most %d are possible", len(line), maxLine)
	}
	return e, line, nil
}

// parse reads a line without its newline. The second result tells whether the line still has its own hash.
func parse(line []byte) (Entry, bool, error) {
	cut := len(line) - hashTail
	if cut < 0 || !bytes.HasPrefix(line[cut:], []byte(hashOpen)) || !bytes.HasSuffix(line, []byte(hashClose)) {
		return Entry{}, false, errors.New("line does not end with a hash")
	}
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, false, fmt.Errorf("line is not a JSON entry: %w", err)
	}
	object := append(bytes.Clone(line[:cut]), '}')
	return e, hashOf(object) == e.Hash, nil
}

func hashOf(object []byte) string {
	sum := sha256.Sum256(object)
	return hex.EncodeToString(sum[:])
}
