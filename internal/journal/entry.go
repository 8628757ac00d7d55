package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Kind is the kind of an entry. The journal stores its text, so the constants must never change.
type Kind string

// These are the kinds of entries.
const (
	// Intent precedes a change. If no outcome follows, the result of the change is unknown.
	Intent Kind = "intent"
	// Outcome follows a change and has the ID of its intent.
	Outcome Kind = "outcome"
	// Refusal records that a guard refused a change. ddbdesk sent nothing.
	Refusal Kind = "refusal"
	// Setup precedes the writing of sample data. An Outcome with the same ID follows.
	Setup Kind = "setup"
	// Reveal records that the screen showed personal data unmasked. Detail contains the reason.
	Reveal Kind = "reveal"
	// Lookup records a read. Detail contains a keyed digest of the arguments, but no values.
	Lookup Kind = "lookup"
	// Copy records that the user copied data, and Export that the user wrote it to a file. Detail contains the amount.
	Copy   Kind = "copy"
	Export Kind = "export"
	// Review records the review of a session. The subject is the session's ID, and the reason is the reviewer's note.
	Review Kind = "review"
)

// maxLine is the maximum length of a line in bytes, including the newline. An entry contains the items of one
// transaction before and after it, as encrypted JSON in base64. An item of 400 KB can need 2 MB.
const maxLine = 4 << 20

// An Entry is one line of the journal. The journal does not mask it, so the caller must mask personal data and omit
// secrets.
type Entry struct {
	Seq  uint64    `json:"seq"`  // number of the entry, from 1; set by Append
	Time time.Time `json:"time"` // UTC, in milliseconds; set by Append
	// ID is 128 random bits in hexadecimal, the same for an intent and its outcome. If it is "", Append generates it.
	ID       string `json:"id"`
	Kind     Kind   `json:"kind"`
	Actor    string `json:"actor"`              // typed name, or else the AWS identity or the local user
	User     string `json:"user,omitempty"`     // operating system account: ID and name
	Identity string `json:"identity,omitempty"` // ARN of the credentials, "" if AWS is not used or did not return it
	Role     string `json:"role"`
	Context  string `json:"context,omitempty"`  // name of the context
	Endpoint string `json:"endpoint,omitempty"` // "" for the AWS endpoint of the region
	Region   string `json:"region,omitempty"`
	Account  string `json:"account,omitempty"` // AWS account number, "" if unknown or without AWS
	Profile  string `json:"profile,omitempty"` // name of the schema
	Subject  string `json:"subject"`           // ID of the action or pattern
	// Session is the same in all entries of a session. Purpose is the purpose that the user gave, and Ticket the
	// ticket.
	Session    string `json:"session,omitempty"`
	Purpose    string `json:"why,omitempty"`
	Ticket     string `json:"ticket,omitempty"`
	BreakGlass bool   `json:"breakGlass,omitempty"` // access in an emergency, without the required ticket
	Detail     Detail `json:"detail,omitzero"`
	Outcome    string `json:"outcome,omitempty"` // the result; only in Outcome entries
	Prev       string `json:"prev"`              // hash of the previous entry, "" for the first; set by Append
	Hash       string `json:"hash,omitempty"`    // SHA-256 of this line without this member, in hexadecimal; set by Append
}

// Detail contains the fields that depend on the kind of entry. Fields that do not apply are empty. The file uses this
// order.
type Detail struct {
	Arguments  string        `json:"arguments,omitempty"`  // keyed digest of the arguments of a lookup, in hexadecimal
	Capacity   string        `json:"capacity,omitempty"`   // consumed units, as a decimal number: write units for a change
	Changed    string        `json:"changed,omitempty"`    // paths that an edit sets or that caused a conflict, comma-separated
	Client     string        `json:"client,omitempty"`     // name and version according to the reading program
	Duration   string        `json:"duration,omitempty"`   // duration of a lookup
	Entities   string        `json:"entities,omitempty"`   // number of items read, by entity
	Entity     string        `json:"entity,omitempty"`     // entity of the subject
	Format     string        `json:"format,omitempty"`     // format of an exported file
	From       string        `json:"from,omitempty"`       // state before the change
	Items      string        `json:"items,omitempty"`      // number of exported or returned items
	Key        string        `json:"key,omitempty"`        // primary key of the item, with personal data masked
	Notes      string        `json:"notes,omitempty"`      // additional information, separated by semicolons
	Part       string        `json:"part,omitempty"`       // number of the item within the sweep
	PlannedBy  string        `json:"plannedBy,omitempty"`  // author of the plan file
	Planner    string        `json:"planner,omitempty"`    // author's AWS identity and account, as in the file
	Reason     change.Reason `json:"reason,omitempty"`     // reason that the user entered
	Record     string        `json:"record,omitempty"`     // encrypted record of the writes, in base64; never shown
	Resolved   string        `json:"resolved,omitempty"`   // how ddbdesk resolved a change without an outcome
	ResolvedBy string        `json:"resolvedBy,omitempty"` // who resolved it
	Shown      string        `json:"shown,omitempty"`      // masked or revealed, for a lookup, copy or export
	Sweep      string        `json:"sweep,omitempty"`      // ID of the sweep with the change
	Table      string        `json:"table,omitempty"`      // name of the table
	To         string        `json:"to,omitempty"`         // state after the change
	Token      string        `json:"token,omitempty"`      // client request token
	Undoes     string        `json:"undoes,omitempty"`     // token of the change that this one undoes
	Why        string        `json:"why,omitempty"`        // error of a refused or failed change
	Writes     string        `json:"writes,omitempty"`     // number of writes
}

// Counts formats counts by name for Detail.Entities, such as "Case 1, Document 12". It sorts the names, so that equal
// counts have equal texts. It returns "" if there are no counts.
func Counts(counts map[string]int) string {
	return strings.Join(models.MapSlice(slices.Sorted(maps.Keys(counts)), func(name string) string {
		return fmt.Sprintf("%s %d", name, counts[name])
	}), ", ")
}

// Result returns the outcome of the intent e, with the same ID, actor, connection and subject. It keeps the fields that
// identify the session, so that an outcome is complete without its intent.
func (e Entry) Result(outcome string, detail Detail) Entry {
	e.Kind, e.Outcome, e.Detail = Outcome, outcome, detail
	return e
}

func (e Entry) prepare(seq uint64, prev string, now time.Time) (Entry, error) {
	switch e.Kind {
	case Intent, Refusal, Reveal, Setup, Lookup, Copy, Export, Review:
	case Outcome:
		if e.ID == "" || e.Outcome == "" {
			return Entry{}, errors.New("an outcome entry needs the ID of its intent and a result")
		}
	default:
		return Entry{}, fmt.Errorf("journal entry has unknown kind %q", e.Kind)
	}
	if e.ID == "" {
		e.ID = newEntryID()
	}
	e.Seq, e.Prev, e.Hash = seq, prev, ""
	e.Time = now.UTC().Truncate(time.Millisecond)
	// JSON replaces invalid UTF-8. Doing so here makes the returned entry equal to the one that Read returns.
	text, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, err
}

// shortIDLength is the number of characters in a short ID.
const shortIDLength = 8

// ShortID shortens the ID of a change for display. Commands accept any unambiguous prefix.
func ShortID(id string) string { return id[:min(shortIDLength, len(id))] }

func newEntryID() string {
	var id [16]byte
	rand.Read(id[:]) // Read never returns an error; it ends the program instead.
	return hex.EncodeToString(id[:])
}

// A line is the entry's JSON object with the hash as its last member. The hash covers the bytes of the object without
// this member. Because it covers bytes instead of values, it detects changes that JSON parsers ignore, and later
// versions can add members.
const (
	hashOpen  = `,"hash":"`
	hashClose = `"}`
	hashLen   = 2 * sha256.Size
	hashTail  = len(hashOpen) + hashLen + len(hashClose)
)

func encodeEntry(e Entry) (Entry, []byte, error) {
	e.Hash = ""
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false) // keep conditions and ARNs readable
	if err := encoder.Encode(e); err != nil {
		return Entry{}, nil, fmt.Errorf("encode a journal entry: %w", err)
	}
	// Escape control characters, because users may print the file to a terminal.
	object := models.PrintableJSON(bytes.TrimSuffix(payload.Bytes(), []byte("\n")))
	e.Hash = hashOf(object)
	line := append(bytes.TrimSuffix(object, []byte("}")), hashOpen+e.Hash+hashClose+"\n"...)
	if len(line) > maxLine {
		return Entry{}, nil, fmt.Errorf("journal entry has %d bytes; the maximum is %d", len(line), maxLine)
	}
	return e, line, nil
}

func parse(line []byte) (e Entry, intact bool, err error) {
	hash, intact := lineHash(line)
	if hash == "" {
		return Entry{}, false, errors.New("line does not end with a hash")
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return Entry{}, false, fmt.Errorf("line is not a journal entry: %w", err)
	}
	return e, intact && e.Hash == hash, nil
}

// lineHash returns the hash at the end of a line, or "". intact reports whether the hash matches the line.
func lineHash(line []byte) (hash string, intact bool) {
	hashStart := len(line) - hashTail
	if hashStart < 0 || !bytes.HasPrefix(line[hashStart:], []byte(hashOpen)) || !bytes.HasSuffix(line, []byte(hashClose)) {
		return "", false
	}
	hash = string(line[hashStart+len(hashOpen) : hashStart+len(hashOpen)+hashLen])
	sum := sha256.New()
	sum.Write(line[:hashStart])
	sum.Write([]byte("}"))
	return hash, hex.EncodeToString(sum.Sum(nil)) == hash
}

func hashOf(object []byte) string {
	sum := sha256.Sum256(object)
	return hex.EncodeToString(sum[:])
}
