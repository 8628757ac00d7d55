package sweep

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// manifestFormat is the format of manifests with its version.
const (
	manifestFormat  = "ddbdesk sweep 1"
	manifestVersion = 1
)

// inputsPurpose is the purpose of encrypted inputs; see Part.
const inputsPurpose = "ddbdesk sweep inputs 1"

// A Manifest is a sweep in a file: a plan file with a line for each item, between its opening and its closing. Applying it
// plans each item again and refuses it when the result is another plan. Its signature covers all lines. However many items it
// has, one is in memory at a time. The journal names the sweep in the entries of each item, so that a manifest that was
// applied in part is continued.
type Manifest struct {
	opening
	closing
	file *manifestFile // nil if only the opening and the closing are known
}

// The opening is the first line of a manifest: what the sweep is.
type opening struct {
	changes.Head
	Inputs     map[string]string `json:"inputs"` // in addition to what each item fills
	Reason     string            `json:"reason"`
	Sweep      string            `json:"sweep"` // ID
	Over       string            `json:"over"`  // pattern
	Parameters map[string]string `json:"parameters"`
	Where      string            `json:"where,omitempty"`
}

// The closing is the last line of a manifest: what is known after the last item.
type closing struct {
	Items    int     `json:"items"`
	Capacity float64 `json:"capacity"`   // WCU, estimated
	Parts    string  `json:"itemDigest"` // of the lines of the items
	changes.Signature
}

// A Part is the line of one item in a manifest.
type Part struct {
	Key    string            `json:"key"` // masked
	Inputs map[string]string `json:"inputs,omitempty"`
	// SealedInputs are the inputs of an item whose key contains personal data, encrypted for this machine.
	SealedInputs string `json:"sealedInputs,omitempty"`
	Token        string `json:"token"`
	changes.Fingerprint
	Result *Result `json:"result,omitempty"` // nil if the item does not show that it was changed
}

// A Draft is a manifest that is written while its sweep is planned. Exactly one of Save and
// Discard must be called. It is not safe for concurrent use. A process that ends without either
// leaves a .part file and no manifest.
type Draft struct {
	*Manifest
	r     *Runner
	out   *items.File
	parts hash.Hash
}

// NewManifest begins the manifest of a selection in a new file, which exists after Save only. Schema opens the schema again.
// The error is a *session.Refusal when the file would contain a secret.
func (r *Runner) NewManifest(path string, s Selection, schema string) (*Draft, error) {
	if name := changes.SecretInput(s.Action, s.Inputs); name != "" {
		return nil, &session.Refusal{
			Why: "the file of a sweep would contain the secret " + name, Next: "apply the action to each item with --yes",
		}
	}
	head, err := r.planner.Head(manifestFormat, s.Action, schema, r.s.Now().UTC())
	if err != nil {
		return nil, err
	}
	m := &Manifest{opening: opening{
		Head: head, Inputs: s.Inputs, Reason: strings.TrimSpace(s.Reason),
		Sweep: changes.NewSweep(), Over: s.Pattern.ID, Parameters: map[string]string{}, Where: s.Where,
	}}
	for name, text := range s.Args {
		m.Parameters[name] = text
		if q := s.Pattern.Param(name); q != nil && r.s.Sensitivity(q) != models.Open {
			m.Parameters[name] = models.MaskedText // They are for people: nothing is selected again.
		}
	}
	out, err := items.Create(path, false)
	if err != nil {
		return nil, err
	}
	d := &Draft{Manifest: m, r: r, out: out, parts: sha256.New()}
	if err := d.line(m.opening, io.Discard); err != nil {
		return nil, errors.Join(err, d.Discard())
	}
	return d, nil
}

func (d *Draft) line(v any, hashed io.Writer) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the sweep: %w", err)
	}
	_, err = io.MultiWriter(d.out, hashed).Write(append(models.PrintableJSON(text), '\n'))
	return err
}

// Add adds the plan of an item; see Preview. The order of the items in the file is that of the
// calls, and they are applied in this order.
func (d *Draft) Add(it Item, p *change.Plan) error {
	part, err := d.r.part(d.Manifest, it, p)
	if err != nil {
		return err
	}
	d.Items++
	d.Capacity += p.Capacity()
	return d.line(part, d.parts)
}

// Save signs the manifest and completes its file. The error wraps items.ErrExists if the path was taken meanwhile.
func (d *Draft) Save() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Discard())
		}
	}()
	d.Parts = hex.EncodeToString(d.parts.Sum(nil))
	digest, err := d.digest()
	if err != nil {
		return err
	}
	if d.Signature, err = d.r.planner.Sign(digest); err != nil {
		return err
	}
	if err := d.line(d.closing, io.Discard); err != nil {
		return err
	}
	return d.out.Commit()
}

// Discard removes the file, unless it was saved.
func (d *Draft) Discard() error { return d.out.Discard() }

// digest covers the opening, the closing and, by their digest, the items, but not the signature.
func (m Manifest) digest() (string, error) {
	m.Signature = changes.Signature{}
	return changes.DigestOf(m)
}

// PlanFile returns the manifest as a plan file without an item, which says who planned what.
func (m *Manifest) PlanFile() *changes.PlanFile {
	return &changes.PlanFile{Head: m.Head, Inputs: m.Inputs, Reason: m.Reason, Signature: m.Signature}
}

func (r *Runner) part(m *Manifest, it Item, p *change.Plan) (Part, error) {
	part := Part{Key: r.partKey(it.Table, it.Item), Token: p.Basis.Token}
	inputs := map[string]string{}
	for name, text := range p.Basis.Inputs {
		if _, shared := m.Inputs[name]; !shared {
			inputs[name] = text
		}
	}
	p, err := atTime(p, m.Made)
	if err != nil {
		return part, err
	}
	if part.Fingerprint, err = r.planner.Fingerprint(p); err != nil {
		return part, err
	}
	part.Result = r.resultOf(p)
	if !r.s.HidesKey(it.Table, it.Item) {
		part.Inputs = inputs
		return part, nil
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		return part, fmt.Errorf("writing the sweep: %w", err)
	}
	sealed, err := r.s.Sealer().Seal(text, inputsPurpose)
	part.SealedInputs = base64.StdEncoding.EncodeToString(sealed)
	return part, err
}

func (r *Runner) partKey(t *models.Table, it models.Item) string {
	return models.Printable(t.KeyText(r.s.FullMasker().Item(t, it)))
}

// atTime plans p again as LoadPlan will: all parts have the time of their manifest.
func atTime(p *change.Plan, now time.Time) (*change.Plan, error) {
	b := *p.Basis
	b.Now, b.Values = now, maps.Clone(b.Values)
	for _, in := range p.Action.Inputs {
		text, given := b.Inputs[in.Name]
		if !given {
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

func (r *Runner) planFile(m *Manifest, part Part) (*changes.PlanFile, error) {
	f := &changes.PlanFile{
		Head: m.Head, Inputs: map[string]string{}, Reason: m.Reason, Token: part.Token,
		Fingerprint: part.Fingerprint, Signature: m.Signature,
	}
	inputs := part.Inputs
	if part.SealedInputs != "" {
		sealed, err := base64.StdEncoding.DecodeString(part.SealedInputs)
		if err != nil {
			return nil, changes.Edited()
		}
		text, err := r.s.Sealer().Open(sealed, inputsPurpose)
		switch {
		case errors.Is(err, session.ErrForeign):
			return nil, &session.Refusal{
				Why:  "the key of the item contains personal data, which is encrypted for the machine that planned the sweep",
				Next: "apply the sweep on that machine",
			}
		case err != nil:
			return nil, fmt.Errorf("reading the sweep: %w", err)
		}
		if err := json.Unmarshal(text, &inputs); err != nil {
			return nil, changes.Edited()
		}
	}
	for _, list := range []map[string]string{m.Inputs, inputs} {
		for name, text := range list {
			f.Inputs[name] = text
		}
	}
	return f, nil
}

func (r *Runner) checkManifest(ctx context.Context, m *Manifest) (*change.Action, error) {
	a, err := r.planner.Action(m.Action)
	if err != nil {
		return nil, err
	}
	if err := r.planner.CheckFile(&m.Head, m.Signature); err != nil {
		return nil, err
	}
	err = r.s.CanChange(a)
	if err == nil {
		err = session.NeedsReason(a, m.Reason)
	}
	if err == nil {
		err = r.planner.NeedsAnother(m.PlanFile(), a)
	}
	if err == nil {
		err = r.needsBackup(ctx, a.Tables())
	}
	if err != nil && errors.Is(err, session.ErrRefused) {
		return nil, r.committer.Refuse(ctx, a, nil, m.Reason, err)
	}
	return a, err
}
