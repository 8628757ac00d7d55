package sweep

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/seal"
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

// A Manifest is a sweep in a file: a plan file with a part for each item. Applying it plans each item again and refuses it
// when the result is another plan. Its digest covers all parts. The journal names the sweep in the entries of each item, so
// that a manifest that was applied in part is continued.
type Manifest struct {
	changes.Head
	Inputs     map[string]string `json:"inputs"` // in addition to what each item fills
	Reason     string            `json:"reason"`
	Sweep      string            `json:"sweep"` // ID
	Over       string            `json:"over"`  // pattern
	Parameters map[string]string `json:"parameters"`
	Where      string            `json:"where,omitempty"`
	Capacity   float64           `json:"capacity"` // WCU, estimated
	Parts      []Part            `json:"items"`
	changes.Signature
}

// A Part is the plan of one item in a manifest.
type Part struct {
	Key    string            `json:"key"` // masked
	Inputs map[string]string `json:"inputs,omitempty"`
	// SealedInputs are the inputs of an item whose key contains personal data, encrypted for this machine.
	SealedInputs string `json:"sealedInputs,omitempty"`
	Token        string `json:"token"`
	changes.Fingerprint
}

// NewManifest returns the manifest of a selection, without its signature, and the function that adds the plan of an item;
// see Preview. Schema opens the schema again. The error is a *session.Refusal when the file would contain a secret.
func (r *Runner) NewManifest(s Selection, schema string) (*Manifest, func(Item, *change.Plan) error, error) {
	if name := changes.SecretInput(s.Action, s.Inputs); name != "" {
		return nil, nil, &session.Refusal{
			Why: "the file of a sweep would contain the secret " + name, Next: "apply the action to each item with --yes",
		}
	}
	m := &Manifest{
		Head: r.planner.Head(manifestFormat, s.Action, schema, r.s.Now().UTC()), Inputs: s.Inputs, Reason: strings.TrimSpace(s.Reason),
		Sweep: newID(), Over: s.Pattern.ID, Parameters: map[string]string{}, Where: s.Where, Parts: []Part{},
	}
	for name, text := range s.Args {
		m.Parameters[name] = text
		if q := s.Pattern.Param(name); q != nil && r.s.Sensitivity(q) != models.Open {
			m.Parameters[name] = models.MaskedText // They are for people: nothing is selected again.
		}
	}
	return m, func(it Item, p *change.Plan) error {
		part, err := r.part(m, it, p)
		m.Parts = append(m.Parts, part)
		m.Capacity += p.Capacity()
		return err
	}, nil
}

// part returns the part of an item.
func (r *Runner) part(m *Manifest, it Item, p *change.Plan) (Part, error) {
	part := Part{Key: models.Printable(it.Table.KeyText(r.s.FullMasker().Item(it.Table, it.Item))), Token: p.Basis.Token}
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

// atTime plans p again at another time, as LoadPlan will: all parts have the time of their manifest.
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

// Encode signs a manifest and returns it as a file.
func (r *Runner) Encode(m *Manifest) ([]byte, error) {
	if err := r.planner.Sign(&m.Head, &m.Signature, func() (string, error) { return m.digest() }); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the sweep: %w", err)
	}
	return append(models.PrintableJSON(text), '\n'), nil
}

// digest hashes the manifest without its signature.
func (m Manifest) digest() (string, error) {
	m.Signature = changes.Signature{}
	return changes.DigestOf(m)
}

// IsManifest reports whether a file claims to be a manifest, of any version.
func IsManifest(text []byte) bool {
	var in struct {
		Format string `json:"format"`
	}
	return json.NewDecoder(bytes.NewReader(text)).Decode(&in) == nil && strings.HasPrefix(in.Format, "ddbdesk sweep ")
}

// ReadManifest reads a manifest, without a connection. The error is a *session.Refusal for an edited file.
func ReadManifest(text []byte) (*Manifest, error) {
	var in struct {
		Format string `json:"format"`
	}
	version := 0
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&in); err == nil && in.Format != manifestFormat {
		if _, err := fmt.Sscanf(in.Format, "ddbdesk sweep %d", &version); err != nil {
			return nil, session.InputErrorf("not the file of a sweep; create one with ddbdesk change .. --over PATTERN --plan FILE")
		}
		if err := appdir.CheckFormat(version, manifestVersion); err != nil {
			return nil, session.InputErrorf("the file of the sweep was %v", err)
		}
	}
	var m Manifest
	if err := changes.DecodeSigned(text, &m); err != nil {
		return nil, err
	}
	if digest, err := m.digest(); err != nil || digest != m.Digest || m.MAC == "" || m.Machine == "" || m.Sweep == "" {
		return nil, changes.Edited()
	}
	return &m, nil
}

// planFile returns the plan file of a part. It has the signature of the manifest, which covers it.
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
		case errors.Is(err, seal.ErrForeign):
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

// checkManifest returns why nothing of a manifest can be applied by this session; see changes.Planner.CheckFile and NeedsAnother. The
// journal records a refusal.
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
		err = r.planner.NeedsAnother(&changes.PlanFile{Head: m.Head, Signature: m.Signature}, a)
	}
	if err == nil {
		err = r.needsBackup(ctx, a)
	}
	if err != nil && errors.Is(err, session.ErrRefused) {
		return nil, r.committer.Refuse(ctx, a, nil, m.Reason, err)
	}
	return a, err
}
