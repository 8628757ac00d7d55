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
	ID       string            `json:"id"`
	Kind     Kind              `json:"kind"`
	Actor    string            `json:"actor"` // Who: the AWS identity, or the local user.
	Role     string            `json:"role"`
	Context  string            `json:"context,omitempty"`  // Name of the connection's context.
	Endpoint string            `json:"endpoint,omitempty"` // Empty for AWS's own endpoint.
	Region   string            `json:"region,omitempty"`
	Account  string            `json:"account,omitempty"` // Number of the AWS account; empty on this machine, or when it is not known.
	Profile  string            `json:"profile,omitempty"` // Name of the schema profile.
	Subject  string            `json:"subject"`           // ID of the action or pattern.
	Detail   map[string]string `json:"detail,omitempty"`
	Outcome  string            `json:"outcome,omitempty"` // What came of it; required for Outcome entries.
	Prev     string            `json:"prev"`              // Hash of the line before, empty on the first. Set by Append.
	Hash     string            `json:"hash,omitempty"`    // SHA-256 of this line without its hash, in hex. Set by Append.
}

// Result returns the outcome entry that closes the intent e: same ID, actor, connection and subject.
func (e Entry) Result(outcome string, detail map[string]string) Entry {
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
	for _, s := range []*string{&e.ID, &e.Actor, &e.Role, &e.Context, &e.Endpoint, &e.Region, &e.Account, &e.Profile, &e.Subject, &e.Outcome} {
		*s = valid(*s)
	}
	var detail map[string]string
	if len(e.Detail) > 0 {
		detail = make(map[string]string, len(e.Detail))
	}
	for name, value := range e.Detail {
		detail[valid(name)] = valid(value)
	}
	e.Detail = detail
	return e, nil
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

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
