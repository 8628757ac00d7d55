package changes

import (
	"bytes"
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Head begins the files of plans: what they are, who made them, and for which database, schema and action.
type Head struct {
	Format    string            `json:"format"`
	Made      time.Time         `json:"made"`
	Actor     string            `json:"actor"`
	User      string            `json:"user"`               // account of the operating system
	Identity  string            `json:"identity,omitempty"` // ARN of the credentials
	Machine   string            `json:"machine"`            // identifies the key of the MAC
	Context   string            `json:"context,omitempty"`
	Target    string            `json:"target"`
	Schema    string            `json:"schema"` // built-in name or file
	Variables map[string]string `json:"variables,omitempty"`
	Profile   string            `json:"profileDigest"`
	Action    string            `json:"action"`
}

// A Signature ends the files of plans.
type Signature struct {
	Digest string `json:"digest"` // of the file without its signature
	MAC    string `json:"mac"`    // of the digest, with the key of this machine
}

// A Fingerprint identifies what a plan writes, without a value of it.
type Fingerprint struct {
	Print  string `json:"print"`            // of the masked plan
	Sealed string `json:"sealed,omitempty"` // see sealPrint
}

// Purposes of MACs and of encrypted texts: that of a file, of the text that identifies the key of a MAC, and of a fingerprint.
const (
	macPurpose     = "ddbdesk plan 3"
	machinePurpose = "ddbdesk machine 1"
	printPurpose   = "ddbdesk plan print 2"
)

// Person returns who made the file, as it says.
func (h *Head) Person() session.Person { return session.Person{User: h.User, ARN: h.Identity} }

// Head returns the head of a file of the session's user. Schema opens the schema again.
func (pl *Planner) Head(format string, a *change.Action, schema string, made time.Time) (Head, error) {
	h := Head{
		Format: format, Made: made, Actor: pl.s.Actor(), User: pl.s.Person().User, Identity: pl.s.Person().ARN,
		Context: pl.s.Context(), Target: pl.s.Target().Place(), Schema: schema,
		Variables: map[string]string{}, Profile: pl.s.Profile().Digest(), Action: a.ID,
	}
	for _, v := range pl.s.Profile().Variables {
		h.Variables[v.Name] = v.Value
	}
	machine, err := mac(pl.s, machinePurpose, nil)
	if err != nil {
		return h, fmt.Errorf("writing the plan: %w", err)
	}
	h.Machine = machine[:2*aes.BlockSize]
	return h, nil
}

// Sign returns the signature of a file with a digest.
func (pl *Planner) Sign(digest string) (Signature, error) {
	sum, err := mac(pl.s, macPurpose, []byte(digest))
	return Signature{Digest: digest, MAC: sum}, err
}

// DigestOf returns the digest of a file whose signature is empty.
func DigestOf(file any) (string, error) {
	text, err := json.Marshal(file)
	if err != nil {
		return "", fmt.Errorf("reading the plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func mac(v *session.Viewer, purpose string, text []byte) (string, error) {
	sum, err := v.Sealer().MAC(text, purpose)
	return hex.EncodeToString(sum), err
}

// signed reports whether this machine wrote the file. The error is a *session.Refusal for a file that was edited. The
// MAC of another machine cannot be checked.
func signed(v *session.Viewer, h *Head, s Signature) (bool, error) {
	machine, err := mac(v, machinePurpose, nil)
	if err != nil {
		return false, fmt.Errorf("reading the plan: %w", err)
	}
	if h.Machine != machine[:2*aes.BlockSize] {
		return false, nil
	}
	want, err := mac(v, macPurpose, []byte(s.Digest))
	switch {
	case err != nil:
		return false, fmt.Errorf("reading the plan: %w", err)
	case !hmac.Equal([]byte(want), []byte(s.MAC)):
		return false, Edited()
	}
	return true, nil
}

// CheckFile returns the *session.Refusal of a file that is of another schema or target, or that was edited.
func (pl *Planner) CheckFile(h *Head, s Signature) error {
	switch {
	case h.Profile != pl.s.Profile().Digest():
		return &session.Refusal{
			Why: "schema " + pl.s.Profile().Name + " changed since the plan was created", Next: "create a new plan",
		}
	case h.Target != pl.s.Target().Place():
		return &session.Refusal{
			Why:  fmt.Sprintf("the plan was created for %s, this session uses %s", models.Printable(h.Target), pl.s.Target().Place()),
			Next: "connect to the target of the plan",
		}
	}
	_, err := signed(pl.s, h, s)
	return err
}

// SecretInput returns the name of an input that is a secret, which no file may contain; "" if there is none.
func SecretInput(a *change.Action, inputs map[string]string) string {
	for name := range inputs {
		if in := a.Input(name); in != nil && in.Sensitive == models.Secret {
			return name
		}
	}
	return ""
}

// Edited returns the refusal of a file that is not as it was written.
func Edited() error {
	return &session.Refusal{Why: "the plan file was edited after it was written", Next: "create a new plan"}
}

// DecodeSigned decodes the JSON of a file of a known format. The error wraps session.ErrInput for a file that has other
// members, and is that of Edited for one that a person may read otherwise.
func DecodeSigned(text []byte, into any) error {
	d, names := json.NewDecoder(bytes.NewReader(text)), json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	names.UseNumber()
	if err := d.Decode(into); err != nil {
		return session.InputErrorf("not a plan file; create one with ddbdesk change .. --plan FILE")
	}
	if d.More() || !namedOnce(names, strings.ToLower) {
		return Edited()
	}
	return nil
}

// namedOnce rejects repeated members: the decoder ignores case and takes the last one, while a person reads the
// first.
func namedOnce(d *json.Decoder, fold func(string) string) bool {
	open, err := d.Token()
	if _, nests := open.(json.Delim); err != nil || !nests {
		return err == nil
	}
	seen := map[string]bool{}
	for d.More() {
		if open == json.Delim('{') {
			t, err := d.Token()
			text, _ := t.(string)
			name := fold(text)
			if err != nil || seen[name] {
				return false
			}
			seen[name] = true
		}
		if !namedOnce(d, strings.Clone) {
			return false
		}
	}
	_, err = d.Token()
	return err == nil
}

// fingerprint masks sensitive values: a hash of the real ones would let a reader of the file try all telephone
// numbers.
func fingerprint(v *session.Viewer, p *change.Plan) string {
	return printOf(p.Shown(v.FullMasker()))
}

func printOf(p *change.Plan) string {
	e := p.Batch().Explain()
	sum := sha256.Sum256(append([]byte(e.Operation+" "), e.Input...))
	return hex.EncodeToString(sum[:])
}

// Fingerprint returns the fingerprint of a plan.
func (pl *Planner) Fingerprint(p *change.Plan) (Fingerprint, error) {
	sealed, err := sealPrint(pl.s, p)
	return Fingerprint{fingerprint(pl.s, p), sealed}, err
}

// sealPrint is "" when nothing is masked. Another machine cannot detect a change of a masked value, but the writes
// are conditional on the items that it reads.
func sealPrint(v *session.Viewer, p *change.Plan) (string, error) {
	whole := printOf(p)
	if whole == fingerprint(v, p) {
		return "", nil
	}
	sealed, err := v.Sealer().Seal([]byte(whole), printPurpose)
	if err != nil {
		return "", fmt.Errorf("writing the plan: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

func (f Fingerprint) has(v *session.Viewer, p *change.Plan) bool {
	if fingerprint(v, p) != f.Print {
		return false
	}
	sealed, err := base64.StdEncoding.DecodeString(f.Sealed)
	if err != nil {
		return false
	}
	whole, err := v.Sealer().Open(sealed, printPurpose)
	return err != nil || string(whole) == printOf(p) // An error means that another machine created it, or that nothing is masked.
}
