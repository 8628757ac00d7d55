package changes

import (
	"bytes"
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A File is a set of plans in a file: a line that describes the set, a line for each item, and a line that closes and
// signs the file. The file contains sensitive values only masked or encrypted for this machine. ApplyFile plans each
// item again and refuses it if the result differs, so an edited file can only contain another plan that the action
// allows. The digest detects accidental edits. The MAC detects every edit, but only on the machine that wrote the file.
// Only a few items are in memory at a time.
type File struct {
	Head
	Trailer
	parts  *parts // nil if only the head and the closing are known
	sealed bool   // inputs of an item are encrypted
}

// A Head is the first line of a file: the set's description, author, database, schema and action.
type Head struct {
	Format    string            `json:"format"`
	Created   time.Time         `json:"made"`
	Actor     string            `json:"actor"`
	User      string            `json:"user"`               // operating system account
	Identity  string            `json:"identity,omitempty"` // ARN of the credentials
	Machine   string            `json:"machine"`            // identifies the key of the MAC
	Context   string            `json:"context,omitempty"`
	Target    string            `json:"target"`
	Schema    string            `json:"schema"` // built-in name or file
	Variables map[string]string `json:"variables,omitempty"`
	Profile   string            `json:"profileDigest"`
	Action    string            `json:"action"`
	Inputs    map[string]string `json:"inputs"` // shared by all items; sensitive ones are masked
	// SealedInputs contains all inputs, encrypted for this machine, if some are masked. It is "" in a request, because
	// another user applies it.
	SealedInputs string `json:"sealedInputs,omitempty"`
	Reason       string `json:"reason"`
	Undoes       string `json:"undoes,omitempty"` // token of the change to undo
	// Sweep is the ID of the set in the journal. It and the fields below are empty for a single change.
	Sweep      string            `json:"sweep,omitempty"`
	Over       string            `json:"over,omitempty"` // pattern that selected the items
	Parameters map[string]string `json:"parameters,omitempty"`
	Where      string            `json:"where,omitempty"`
}

// A Trailer is the last line of a file.
type Trailer struct {
	Items    int     `json:"items"`
	Capacity float64 `json:"capacity"`   // WCU, estimated
	Parts    string  `json:"itemDigest"` // digest of the items' lines
	Digest   string  `json:"digest"`     // digest of the file without digest and MAC
	MAC      string  `json:"mac"`        // MAC of the digest, with the key of this machine
}

// A Part is an item's line.
type Part struct {
	Key    string            `json:"key"` // masked
	Inputs map[string]string `json:"inputs,omitempty"`
	// SealedInputs contains the inputs of an item whose key contains personal data, encrypted for this machine.
	SealedInputs string          `json:"sealedInputs,omitempty"`
	Token        string          `json:"token"`
	Fingerprint  string          `json:"print"`            // masked, for people; only in the plan of a single change
	Sealed       string          `json:"sealed,omitempty"` // encrypted fingerprint of the plan; "" if nothing is masked
	Writes       json.RawMessage `json:"writes,omitempty"` // masked, for people; only for a single change
}

// These are the purposes of MACs and encrypted texts: a file's MAC, its key's ID, fingerprints and inputs.
const (
	macPurpose         = "ddbdesk plan 4"
	machinePurpose     = "ddbdesk machine 1"
	fingerprintPurpose = "ddbdesk plan print 2"
	inputsPurpose      = "ddbdesk plan inputs 1"
)

// Person returns the author that the file names.
func (h *Head) Person() session.Person { return session.Person{User: h.User, ARN: h.Identity} }

// Many reports whether a pattern selected the file's items.
func (h *Head) Many() bool { return h.Sweep != "" }

// NeedsThisMachine reports whether a file that was just written has inputs that only this machine can decrypt.
func (f *File) NeedsThisMachine() bool { return f.sealed || f.SealedInputs != "" }

// A FileWriter is a file that ddbdesk writes while it plans the items. Call exactly one of Save and Discard. It is not
// safe for concurrent use. A process that ends without either call leaves only a .part file.
type FileWriter struct {
	*File
	pl   *Planner
	out  io.Writer
	disk *items.File // nil in memory
	sum  hash.Hash
}

// NewFile starts the file of a selection. The file exists at path only after Save. schema is the name or file that
// opens the schema again. The error is a *session.Refusal if the file would contain a secret.
func (pl *Planner) NewFile(path string, s Selection, schema string) (*FileWriter, error) {
	d, err := pl.newFileWriter(s.Action, schema, pl.s.Now().UTC(), s.Inputs, s.Reason)
	if err == nil {
		err = d.sealInputs(s.Action)
	}
	if err != nil {
		return nil, err
	}
	d.Sweep, d.Over, d.Where, d.Parameters = newSetID(), s.Pattern.ID, s.Where, map[string]string{}
	for name, text := range s.Args {
		d.Parameters[name] = text
		if q := s.Pattern.Param(name); q != nil && pl.s.Sensitivity(q) != models.NotSensitive {
			d.Parameters[name] = models.MaskedText // Only people read the parameters.
		}
	}
	if d.disk, err = items.Create(path, false); err != nil {
		return nil, err
	}
	d.out = d.disk
	if err := d.line(d.Head, io.Discard); err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}

// WritePlan returns the file of one plan. schema is the name or file that opens the schema again. The error is a
// *session.Refusal if the file would contain a secret.
func (pl *Planner) WritePlan(p *change.Plan, schema string) ([]byte, error) {
	return pl.writePlan(p, schema, true)
}

// WriteRequested returns the plan for a request, with inputs that other machines can read.
func (pl *Planner) WriteRequested(p *change.Plan, schema string) ([]byte, error) {
	return pl.writePlan(p, schema, false)
}

func (pl *Planner) writePlan(p *change.Plan, schema string, sealed bool) ([]byte, error) {
	d, err := pl.newFileWriter(p.Action, schema, p.Basis.Now, p.Basis.Inputs, string(p.Basis.Reason))
	if err == nil && sealed {
		err = d.sealInputs(p.Action)
	}
	if err != nil {
		return nil, err
	}
	if p.Undoes != nil {
		d.Undoes = p.Undoes.Basis.Token
	}
	var out bytes.Buffer
	d.out = &out
	w := p.Writes[0]
	it := p.SubjectBefore()
	if it == nil {
		it = w.After
	}
	if err = d.line(d.Head, io.Discard); err == nil {
		err = d.Add(Item{Table: w.Table, Item: it}, p)
	}
	if err == nil {
		err = d.sign()
	}
	return out.Bytes(), err
}

func (pl *Planner) newFileWriter(
	a *change.Action, schema string, created time.Time, inputs map[string]string, reason string,
) (*FileWriter, error) {
	for name := range inputs {
		if in := a.Input(name); in != nil && in.Sensitive == models.Secret {
			return nil, &session.Refusal{
				Reason: "a plan file would contain the secret " + name,
				Advice: "apply the change directly with --yes",
			}
		}
	}
	machine, err := machineOf(pl.s)
	if err != nil {
		return nil, fmt.Errorf("write the plan: %w", err)
	}
	h := Head{
		Format: fmt.Sprint(fileFormat, fileVersion), Created: created, Actor: pl.s.Actor(), User: pl.s.Person().User,
		Identity: pl.s.Person().ARN,
		Machine:  machine, Context: pl.s.Context(), Target: pl.s.Target().Place(), Schema: schema, Variables: map[string]string{},
		Profile: pl.s.Profile().Digest(), Action: a.ID, Inputs: inputs, Reason: reason,
	}
	for _, v := range pl.s.Profile().Variables {
		h.Variables[v.Name] = v.Value
	}
	return &FileWriter{File: &File{Head: h}, pl: pl, sum: sha256.New()}, nil
}

// sealInputs masks sensitive inputs and the inputs of raw changes, and encrypts all inputs if it masked some.
func (d *FileWriter) sealInputs(a *change.Action) (err error) {
	inputs, masked := d.Inputs, false
	d.Inputs = maps.Clone(inputs)
	for name, text := range inputs {
		if in := a.Input(name); text != "" && (a.IsRaw() || in != nil && d.pl.s.Sensitivity(in) != models.NotSensitive) {
			d.Inputs[name], masked = models.MaskedText, true
		}
	}
	if !masked {
		return nil
	}
	d.SealedInputs, err = sealInputs(d.pl.s, inputs)
	return err
}

func sealInputs(v *session.Viewer, inputs map[string]string) (string, error) {
	text, err := json.Marshal(inputs)
	if err != nil {
		return "", fmt.Errorf("write the plan: %w", err)
	}
	return seal(v, text, inputsPurpose)
}

func (d *FileWriter) line(v any, hashed io.Writer) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	_, err = io.MultiWriter(d.out, hashed).Write(append(models.PrintableJSON(text), '\n'))
	return err
}

// Add adds the plan of an item; see Preview. ApplyFile applies items in the order of these calls.
func (d *FileWriter) Add(it Item, p *change.Plan) error {
	part, err := d.part(it, p)
	if err != nil {
		return err
	}
	d.Items++
	d.Capacity += p.Capacity()
	return d.line(part, d.sum)
}

func (d *FileWriter) sign() error {
	d.Parts = hex.EncodeToString(d.sum.Sum(nil))
	digest, err := d.digest()
	if err != nil {
		return err
	}
	sum, err := mac(d.pl.s, macPurpose, []byte(digest))
	if err != nil {
		return err
	}
	d.Digest, d.MAC = digest, sum
	return d.line(d.Trailer, io.Discard)
}

// Save signs and completes the file. The error wraps items.ErrExists if another file has taken the path.
func (d *FileWriter) Save() error {
	if err := d.sign(); err != nil {
		return errors.Join(err, d.Discard())
	}
	return d.disk.Commit()
}

// Discard removes the file unless Save has completed it.
func (d *FileWriter) Discard() error { return d.disk.Discard() }

// Summary returns the file without its items. A request for many items stores the summary.
func (f *File) Summary() ([]byte, error) {
	var out bytes.Buffer
	d := FileWriter{out: &out}
	err := errors.Join(d.line(f.Head, io.Discard), d.line(f.Trailer, io.Discard))
	return out.Bytes(), err
}

func (d *FileWriter) part(it Item, p *change.Plan) (part Part, err error) {
	v := d.pl.s
	part = Part{Key: partKey(v, it.Table, it.Item), Token: p.Basis.Token}
	inputs := map[string]string{}
	for name, text := range p.Basis.Inputs {
		if _, shared := d.Inputs[name]; !shared {
			inputs[name] = text
		}
	}
	if d.Many() {
		if p, err = atTime(p, d.Created); err != nil {
			return part, err
		}
	} else if part.Writes, err = json.Marshal(p.Shown(v.FullMasker()).Writes); err != nil {
		return part, fmt.Errorf("write the plan: %w", err)
	}
	whole := fingerprintOf(p)
	if part.Fingerprint = fingerprintOf(p.Shown(v.FullMasker())); part.Fingerprint != whole {
		if part.Sealed, err = seal(v, []byte(whole), fingerprintPurpose); err != nil {
			return part, err
		}
	}
	if !v.HidesKey(it.Table, it.Item) {
		part.Inputs = inputs
		return part, nil
	}
	if len(inputs) > 0 {
		part.SealedInputs, err = sealInputs(v, inputs)
		d.sealed = true
	}
	return part, err
}

// atTime plans p again for LoadPlan, because all parts have the time of their file.
func atTime(p *change.Plan, now time.Time) (*change.Plan, error) {
	b := *p.Basis
	b.Now, b.Values = now, maps.Clone(b.Values)
	for _, in := range p.Action.Inputs {
		text, isSet := b.Inputs[in.Name]
		if !isSet {
			text = in.Default
		}
		if _, read := b.Values[in.Name]; !read {
			continue
		}
		v, err := p.Action.ReadInput(in, text, now)
		if err != nil {
			return nil, err
		}
		b.Values[in.Name] = v
	}
	return p.At(b)
}

func seal(v *session.Viewer, text []byte, purpose string) (string, error) {
	sealed, err := v.Sealer().Seal(text, purpose)
	if err != nil {
		return "", fmt.Errorf("write the plan: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

func partKey(v *session.Viewer, t *models.Table, it models.Item) string {
	return models.Printable(t.KeyText(v.FullMasker().Item(t, it)))
}

func (f *File) inputs(v *session.Viewer, part Part) (map[string]string, error) {
	inputs := maps.Clone(part.Inputs)
	if inputs == nil {
		inputs = map[string]string{}
	}
	shared, err := f.OpenInputs(v)
	if err == nil {
		maps.Copy(inputs, shared)
		err = decryptInputs(v, part.SealedInputs, inputs)
	}
	return inputs, err
}

// OpenInputs returns the decrypted inputs that apply to every item. The error is a *session.Refusal if another machine
// wrote the file.
func (h *Head) OpenInputs(v *session.Viewer) (map[string]string, error) {
	inputs := map[string]string{}
	maps.Copy(inputs, h.Inputs)
	return inputs, decryptInputs(v, h.SealedInputs, inputs)
}

func decryptInputs(v *session.Viewer, sealed string, into map[string]string) error {
	if sealed == "" {
		return nil
	}
	ciphertext, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		return editedRefusal()
	}
	text, err := v.Sealer().Open(ciphertext, inputsPurpose)
	switch {
	case errors.Is(err, session.ErrForeign):
		return &session.Refusal{
			Reason: "the plan contains personal data, which is encrypted for the machine that created it",
			Advice: "apply it on that machine, or file the change as a request; see ddbdesk requests",
		}
	case err != nil:
		return fmt.Errorf("read the plan: %w", err)
	case json.Unmarshal(text, &into) != nil:
		return editedRefusal()
	}
	return nil
}

// matches cannot detect an edit of a masked value on another machine, but the writes check the values that were read.
func (p Part) matches(v *session.Viewer, plan *change.Plan) bool {
	// Hash only the masked plan, because a hash of the real values would let a reader of the file try all phone
	// numbers.
	if fingerprintOf(plan.Shown(v.FullMasker())) != p.Fingerprint {
		return false
	}
	ciphertext, err := base64.StdEncoding.DecodeString(p.Sealed)
	if err != nil {
		return false
	}
	fingerprint, err := v.Sealer().Open(ciphertext, fingerprintPurpose)
	return err != nil || string(fingerprint) == fingerprintOf(plan)
}

func fingerprintOf(p *change.Plan) string {
	e := p.Batch().Explain()
	sum := sha256.Sum256(append([]byte(e.Operation+" "), e.Input...))
	return hex.EncodeToString(sum[:])
}

// digest covers the head, the trailer and, through Trailer.Parts, the items.
func (f File) digest() (string, error) {
	f.Digest, f.MAC = "", ""
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("read the plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func mac(v *session.Viewer, purpose string, text []byte) (string, error) {
	sum, err := v.Sealer().MAC(text, purpose)
	return hex.EncodeToString(sum), err
}

func machineOf(v *session.Viewer) (string, error) {
	machine, err := mac(v, machinePurpose, nil)
	if err != nil {
		return "", err
	}
	return machine[:2*aes.BlockSize], nil
}

// isSignedHere reports whether this machine wrote the file. The error is a *session.Refusal if a user edited the file.
func (f *File) isSignedHere(v *session.Viewer) (bool, error) {
	machine, err := machineOf(v)
	if err != nil {
		return false, fmt.Errorf("read the plan: %w", err)
	}
	if f.Machine != machine {
		return false, nil
	}
	expected, err := mac(v, macPurpose, []byte(f.Digest))
	switch {
	case err != nil:
		return false, fmt.Errorf("read the plan: %w", err)
	case !hmac.Equal([]byte(expected), []byte(f.MAC)):
		return false, editedRefusal()
	}
	return true, nil
}

func (f *File) check(v *session.Viewer) error {
	switch {
	case f.Profile != v.Profile().Digest():
		return &session.Refusal{Reason: "schema " + v.Profile().Name + " changed after the plan was created", Advice: "create a new plan"}
	case f.Target != v.Target().Place():
		return &session.Refusal{
			Reason: fmt.Sprintf("the plan was created for %s, but this session uses %s", models.Printable(f.Target), v.Target().Place()),
			Advice: "connect to the target of the plan",
		}
	}
	_, err := f.isSignedHere(v)
	return err
}

func editedRefusal() error {
	return &session.Refusal{Reason: "the plan file was edited after it was written", Advice: "create a new plan"}
}
