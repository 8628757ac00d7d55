package changes

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/models"
)

// planFormat is the format of plan files with its version.
const (
	planFormat  = "ddbdesk plan 3"
	planVersion = 3
)

// A PlanFile is a plan in a file. Its writes are for people to read, with sensitive values masked. Applying it
// plans again from the action, the inputs and the items, and refuses when the result is another plan. An edited
// file can therefore at most be another plan that the action allows. Its digest detects that an edit was not meant to
// deceive, and its MAC any edit on the machine that wrote it.
type PlanFile struct {
	Head
	Inputs map[string]string `json:"inputs"`
	Reason string            `json:"reason"`
	Token  string            `json:"token"`
	Undoes string            `json:"undoes,omitempty"` // token of the change that the plan undoes
	Shown  json.RawMessage   `json:"writes"`
	Fingerprint
	Signature
}

// WritePlan returns the plan as a file. schema opens its schema again. The error is a *session.Refusal when the
// file would contain a secret.
func (pl *Planner) WritePlan(p *change.Plan, schema string) ([]byte, error) {
	if name := SecretInput(p.Action, p.Basis.Inputs); name != "" {
		return nil, &session.Refusal{Why: "a plan file would contain the secret " + name, Next: "apply the change directly with --yes"}
	}
	masker := pl.s.FullMasker()
	shown, err := json.Marshal(p.Shown(masker).Writes)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	prints, err := pl.Fingerprint(p)
	if err != nil {
		return nil, err
	}
	head, err := pl.Head(planFormat, p.Action, schema, p.Basis.Now)
	if err != nil {
		return nil, err
	}
	f := PlanFile{
		Head: head, Inputs: p.Basis.Inputs, Reason: p.Basis.Reason, Token: p.Basis.Token,
		Shown: models.PrintableJSON(shown), Fingerprint: prints, // The digest is of this text.
	}
	if p.Undoes != nil {
		f.Undoes = p.Undoes.Basis.Token
	}
	digest, err := f.digest()
	if err == nil {
		f.Signature, err = pl.Sign(digest)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	return append(models.PrintableJSON(text), '\n'), nil
}

// digest is independent of the layout of the file.
func (f PlanFile) digest() (string, error) {
	f.Signature = Signature{}
	var compact bytes.Buffer
	if err := json.Compact(&compact, f.Shown); err != nil {
		return "", fmt.Errorf("reading the plan: %w", err)
	}
	f.Shown = compact.Bytes()
	return DigestOf(f)
}

func checkPlanFormat(text []byte) error {
	var in struct {
		Format string `json:"format"`
	}
	version := 0
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&in); err != nil || in.Format == planFormat {
		return nil //nolint:nilerr // The caller reports it.
	}
	if _, err := fmt.Sscanf(in.Format, "ddbdesk plan %d", &version); err != nil {
		return session.InputErrorf("not a plan file; create one with ddbdesk change .. --plan FILE")
	}
	if err := appdir.CheckFormat(version, planVersion); err != nil {
		return session.InputErrorf("the plan file was %v", err)
	}
	return session.InputErrorf("the plan file has format %d, which this version cannot read; create the plan again", version)
}

// ReadPlanFile reads a plan file, without a connection. The error is a *session.Refusal for an edited file.
func ReadPlanFile(text []byte) (*PlanFile, error) {
	if err := checkPlanFormat(text); err != nil {
		return nil, err
	}
	var f PlanFile
	if err := DecodeSigned(text, &f); err != nil {
		return nil, err
	}
	if f.Format == "" {
		return nil, session.InputErrorf("not a plan file; create one with ddbdesk change .. --plan FILE")
	}
	if digest, err := f.digest(); err != nil || digest != f.Digest || f.MAC == "" || f.Machine == "" {
		return nil, Edited()
	}
	return &f, nil
}

// LoadPlan plans the change of a file again from the current items. The error is an *change.Conflict when
// the data changed, and a *session.Refusal when the schema or the target is another one.
func (pl *Planner) LoadPlan(ctx context.Context, f *PlanFile) (*change.Plan, error) {
	if err := pl.CheckFile(&f.Head, f.Signature); err != nil {
		return nil, err
	}
	p, err := pl.planAgain(ctx, f)
	if err == nil && f.has(pl.s, p) {
		return p, nil
	}
	var conflict *change.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return nil, err
	}
	return nil, pl.dataChanged(f, p, conflict)
}

// planAgain plans the change of a file as it was planned, with the current items.
func (pl *Planner) planAgain(ctx context.Context, f *PlanFile) (*change.Plan, error) {
	as := func(g *change.Given) {
		g.Actor, g.Identity, g.Token, g.Now = f.Actor, f.Person().Identity(), f.Token, f.Made
	}
	if f.Undoes != "" {
		done, err := pl.undone(f)
		if err != nil {
			return nil, err
		}
		return pl.planUndo(ctx, done, f.Reason, as)
	}
	a, err := pl.Action(f.Action)
	if err != nil {
		return nil, err
	}
	if err := pl.s.CanPlan(a); err != nil {
		return nil, err
	}
	g, err := pl.given(ctx, a, f.Inputs, f.Reason)
	if err != nil {
		return nil, err
	}
	as(&g)
	b, err := pl.gather(ctx, a, g)
	if err != nil {
		return nil, err
	}
	return pl.guarded(a.Plan(b))
}

// undone returns the plan that the plan of a file undoes.
func (pl *Planner) undone(f *PlanFile) (*change.Plan, error) {
	j := &Journal{s: pl.s, rd: pl.rd}
	for c, err := range j.Past() {
		if err == nil && c.Intent.Detail.Token == f.Undoes {
			return j.Undoable(c)
		}
	}
	return nil, &session.Refusal{
		Why: "the journal of this machine does not have the change that the plan undoes", Next: "apply it on the machine that applied the change",
	}
}

// ActionOf returns the action of a file, that of the change which it undoes included.
func (pl *Planner) ActionOf(f *PlanFile) (*change.Action, error) {
	if f.Undoes == "" {
		return pl.Action(f.Action)
	}
	done, err := pl.undone(f)
	if done == nil {
		return nil, err
	}
	return done.Action, nil
}

func (pl *Planner) dataChanged(f *PlanFile, p *change.Plan, why *change.Conflict) error {
	out := &change.Conflict{What: "the data changed since the plan was created at " + f.Made.UTC().Format(time.RFC3339)}
	if why != nil {
		out.What += ": " + why.What
		out.Differences = why.Differences
		return out
	}
	var was []struct {
		Before map[string]any `json:"before"`
	}
	if json.Unmarshal(f.Shown, &was) != nil || p == nil || len(was) != len(p.Writes) {
		out.What += ": the plan would now write something else"
		return out
	}
	var paths []string
	for i, w := range p.Shown(pl.s.FullMasker()).Writes {
		var now map[string]any
		if w.Before == nil || json.Unmarshal(w.Before.AppendJSON(nil), &now) != nil {
			continue
		}
		for _, name := range w.Before.Names() {
			if fmt.Sprint(now[name]) != fmt.Sprint(was[i].Before[name]) {
				paths = append(paths, fmt.Sprintf("%s was %s, is now %s", name, short(was[i].Before[name]), short(now[name])))
			}
		}
	}
	if len(paths) == 0 {
		paths = append(paths, "the plan would now write something else")
	}
	out.What += ": " + strings.Join(paths, "; ")
	return out
}

func short(v any) string {
	const cells = 60
	if v == nil {
		return "not set"
	}
	return models.PrintableCell(fmt.Sprint(v), cells)
}

// Apply applies the plan of a file. It refuses the person who created the plan of an action that needs a second
// person. A plan that was joined to p is applied in the same transaction.
func (c *Committer) Apply(ctx context.Context, f *PlanFile, p *change.Plan) (*Commitment, error) {
	return c.ApplyPart(ctx, f, p, Part{})
}

// ApplyPart is Apply for one item of a sweep.
func (c *Committer) ApplyPart(ctx context.Context, f *PlanFile, p *change.Plan, part Part) (*Commitment, error) {
	if err := c.planner.NeedsAnother(f, p.Action); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	b := *p.Basis
	b.Actor, b.Identity = c.s.Actor(), c.s.Person().Identity()
	if f.Actor != c.s.Actor() {
		b.Reason = strings.TrimSpace(b.Reason + " (planned by " + f.Actor + ")")
	}
	if p.Joined != nil || part.Sweep != "" {
		// DynamoDB applies a transaction once for its token and tells everyone who sends it that it was applied. Of several
		// users who apply one request, only the one whose decision is stored may hear so. An item of a sweep that was interrupted
		// may be sent again with a later time, which is another request.
		b.Token = change.NewToken()
	}
	again, err := p.At(b)
	if err != nil {
		return nil, err
	}
	here, err := signed(c.s.Viewer, &f.Head, f.Signature)
	if err != nil {
		return nil, err
	}
	return c.commit(ctx, again, origin{file: f, here: here, part: part})
}

// An origin says where a change comes from.
type origin struct {
	file *PlanFile // nil without one
	here bool      // this machine wrote the file, so that its MAC was checked
	part Part
}

func (o origin) notes() []string {
	if o.file == nil || o.here {
		return nil
	}
	return []string{"the plan was made on another machine; who made it cannot be verified here"}
}

func (o origin) record(d *journal.Detail) {
	if o.part.Sweep != "" {
		d.Sweep, d.Part = o.part.Sweep, strconv.Itoa(o.part.Number)
	}
	if o.file == nil {
		return
	}
	d.PlannedBy, d.Planner = o.file.Actor, strings.TrimPrefix(o.file.Identity+"; "+o.file.User, "; ")
	d.Notes = strings.Join(o.notes(), "; ")
}
