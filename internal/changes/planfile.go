package changes

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
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

// printPurpose is the purpose of encrypted fingerprints; see sealPrint.
const printPurpose = "ddbdesk plan print 2"

// A PlanFile is a plan in a file. Its writes are for people to read, with sensitive values masked. Applying it
// plans again from the action, the inputs and the items, and refuses when the result is another plan. An edited
// file can therefore at most be another plan that the action allows. Its digest detects that an edit was not meant to
// deceive, and its MAC any edit on the machine that wrote it.
type PlanFile struct {
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
	Inputs    map[string]string `json:"inputs"`
	Reason    string            `json:"reason"`
	Token     string            `json:"token"`
	Shown     json.RawMessage   `json:"writes"`
	Print     string            `json:"print"`            // fingerprint of the masked plan
	Sealed    string            `json:"sealed,omitempty"` // see sealPrint
	Digest    string            `json:"digest"`           // of this file without the digest and the MAC
	MAC       string            `json:"mac"`              // of the digest, with the key of this machine
}

// macPurpose and machinePurpose separate the MAC of a plan from the text that identifies its key.
const (
	macPurpose     = "ddbdesk plan 3"
	machinePurpose = "ddbdesk machine 1"
)

// person returns who made the plan, as the file says.
func (f *PlanFile) person() session.Person { return session.Person{User: f.User, ARN: f.Identity} }

// sign sets the digest and the MAC.
func (pl *Planner) sign(f *PlanFile) error {
	machine, err := mac(pl.s, machinePurpose, nil)
	if err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	f.Machine = machine[:2*aes.BlockSize]
	if f.Digest, err = f.digest(); err != nil {
		return err
	}
	f.MAC, err = mac(pl.s, macPurpose, []byte(f.Digest))
	return err
}

// mac returns a MAC with the key of this machine, in hexadecimal.
func mac(v *session.Viewer, purpose string, text []byte) (string, error) {
	sum, err := v.Sealer().MAC(text, purpose)
	return hex.EncodeToString(sum), err
}

// signed reports whether this machine wrote the file. The error is a *session.Refusal for a file of this machine that was
// edited. The MAC of another machine cannot be checked.
func (pl *Planner) signed(f *PlanFile) (bool, error) {
	machine, err := mac(pl.s, machinePurpose, nil)
	if err != nil {
		return false, fmt.Errorf("reading the plan: %w", err)
	}
	if f.Machine != machine[:2*aes.BlockSize] {
		return false, nil
	}
	want, err := mac(pl.s, macPurpose, []byte(f.Digest))
	switch {
	case err != nil:
		return false, fmt.Errorf("reading the plan: %w", err)
	case !hmac.Equal([]byte(want), []byte(f.MAC)):
		return false, edited()
	}
	return true, nil
}

// WritePlan returns the plan as a file. schema opens its schema again. The error is a *session.Refusal when the
// file would contain a secret.
func (pl *Planner) WritePlan(p *change.Plan, schema string) ([]byte, error) {
	if p.Undoes != nil {
		return nil, session.InputErrorf("an undo is applied directly and cannot be written to a plan file")
	}
	for name := range p.Basis.Inputs {
		if in := p.Action.Input(name); in != nil && in.Sensitive == models.Secret {
			return nil, &session.Refusal{Why: "a plan file would contain the secret " + name, Next: "apply the change directly with --yes"}
		}
	}
	masker := pl.s.FullMasker()
	shown, err := json.Marshal(p.Shown(masker).Writes)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	sealed, err := pl.sealPrint(p)
	if err != nil {
		return nil, err
	}
	shown = models.PrintableJSON(shown) // The digest is of this text.
	f := PlanFile{
		Format: planFormat, Made: p.Basis.Now, Actor: pl.s.Actor(), User: pl.s.Person().User, Identity: pl.s.Person().ARN,
		Context: pl.s.Context(), Target: pl.s.Target().Place(), Schema: schema,
		Variables: map[string]string{}, Profile: pl.s.Profile().Digest(), Action: p.Action.ID, Inputs: p.Basis.Inputs,
		Reason: p.Basis.Reason, Token: p.Basis.Token, Shown: shown, Print: fingerprint(pl.s, p), Sealed: sealed,
	}
	for _, v := range pl.s.Profile().Variables {
		f.Variables[v.Name] = v.Value
	}
	if err := pl.sign(&f); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	return append(models.PrintableJSON(text), '\n'), nil
}

// digest hashes the file without its digest and its MAC, independent of its layout.
func (f PlanFile) digest() (string, error) {
	f.Digest, f.MAC = "", ""
	var compact bytes.Buffer
	if err := json.Compact(&compact, f.Shown); err != nil {
		return "", fmt.Errorf("reading the plan: %w", err)
	}
	f.Shown = compact.Bytes()
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("reading the plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// fingerprint hashes the plan with sensitive values masked. A hash of the real values would let a reader of the
// file try all telephone numbers.
func fingerprint(v *session.Viewer, p *change.Plan) string {
	return printOf(p.Shown(v.FullMasker()))
}

func printOf(p *change.Plan) string {
	e := p.Batch().Explain()
	sum := sha256.Sum256(append([]byte(e.Operation+" "), e.Input...))
	return hex.EncodeToString(sum[:])
}

// sealPrint hashes what the plan really sends, encrypted for this machine; "" when nothing is masked. Another
// machine cannot detect a change of a masked value, but the writes are conditional on the items that it reads.
func (pl *Planner) sealPrint(p *change.Plan) (string, error) {
	whole := printOf(p)
	if whole == fingerprint(pl.s, p) {
		return "", nil
	}
	sealed, err := pl.s.Sealer().Seal([]byte(whole), printPurpose)
	if err != nil {
		return "", fmt.Errorf("writing the plan: %w", err)
	}
	return base64.StdEncoding.EncodeToString(sealed), nil
}

// sameAs reports whether the plan is that of a file, as far as this machine can tell.
func (pl *Planner) sameAs(p *change.Plan, f *PlanFile) bool {
	if fingerprint(pl.s, p) != f.Print {
		return false
	}
	sealed, err := base64.StdEncoding.DecodeString(f.Sealed)
	if err != nil {
		return false
	}
	whole, err := pl.s.Sealer().Open(sealed, printPurpose)
	return err != nil || string(whole) == printOf(p) // An error means that another machine created it, or that nothing is masked.
}

// checkPlanFormat rejects plans of other versions, which may have other members.
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
	d, names := json.NewDecoder(bytes.NewReader(text)), json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	names.UseNumber()
	var f PlanFile
	if err := d.Decode(&f); err != nil || f.Format == "" {
		return nil, session.InputErrorf("not a plan file; create one with ddbdesk change .. --plan FILE")
	}
	if d.More() || !namedOnce(names, strings.ToLower) {
		return nil, edited()
	}
	if digest, err := f.digest(); err != nil || digest != f.Digest || f.MAC == "" || f.Machine == "" {
		return nil, edited()
	}
	return &f, nil
}

// namedOnce reports whether no object of the next value repeats a member, with the names of the outermost object
// compared as fold returns them. The decoder ignores case and takes the last member, while a person reads the
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

func edited() error {
	return &session.Refusal{Why: "the plan file was edited after it was written", Next: "create a new plan"}
}

// LoadPlan plans the change of a file again from the current items. The error is an *change.Conflict when
// the data changed, and a *session.Refusal when the schema or the target is another one.
func (pl *Planner) LoadPlan(ctx context.Context, f *PlanFile) (*change.Plan, error) {
	switch {
	case f.Profile != pl.s.Profile().Digest():
		return nil, &session.Refusal{
			Why: "schema " + pl.s.Profile().Name + " changed since the plan was created", Next: "create a new plan",
		}
	case f.Target != pl.s.Target().Place():
		return nil, &session.Refusal{
			Why:  fmt.Sprintf("the plan was created for %s, this session uses %s", models.Printable(f.Target), pl.s.Target().Place()),
			Next: "connect to the target of the plan",
		}
	}
	if _, err := pl.signed(f); err != nil {
		return nil, err
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
	g.Actor, g.Identity, g.Token, g.Now = f.Actor, f.person().Identity(), f.Token, f.Made
	b, err := pl.gather(ctx, a, g)
	if err != nil {
		return nil, err
	}
	p, err := a.Plan(b)
	if err == nil && pl.sameAs(p, f) {
		return p, nil
	}
	var conflict *change.Conflict
	if err != nil && !errors.As(err, &conflict) {
		return nil, err
	}
	return nil, pl.dataChanged(f, p, conflict)
}

// dataChanged describes what changed since the plan was created.
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

// madeBy reports whether the user of the session created the plan: as a person, or by the typed name. Letter case and
// surrounding blanks do not make another person, because names of IAM are unique regardless of case. Source: AWS IAM
// User Guide, "IAM and AWS STS quotas", IAM name requirements.
func (f *PlanFile) madeBy(s *session.Viewer, oneMachine bool) bool {
	return sameName(f.Actor, s.Actor()) || f.person().SameAs(s.Person(), oneMachine)
}

// Own reports whether the user of the session created the plan.
func (pl *Planner) Own(f *PlanFile) bool {
	here, err := pl.signed(f)
	return f.madeBy(pl.s, err == nil && here)
}

func sameName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// NeedsAnother returns the refusal to let the user of the session apply a plan of an action that needs a second person, nil
// if the user may. It is also that of a file of this machine that was edited.
func (pl *Planner) NeedsAnother(f *PlanFile, a *change.Action) error {
	here, err := pl.signed(f)
	if err != nil || !a.FourEyes {
		return err
	}
	if err := TypedActor(pl.s, a); err != nil {
		return err
	}
	if !f.madeBy(pl.s, here) {
		return nil
	}
	who := models.Printable(f.Actor)
	if !sameName(f.Actor, pl.s.Actor()) {
		who += ", who is the same person as " + models.Printable(pl.s.Actor()) + ","
	}
	return &session.Refusal{
		Why:  fmt.Sprintf("%s needs a second person, and %s created the plan", a.FullID(), who),
		Next: "have someone else apply it",
	}
}

// TypedActor returns the refusal of a typed actor for an action that needs a second person where AWS says who the user is,
// nil elsewhere.
func TypedActor(s *session.Viewer, a *change.Action) error {
	arn := s.Person().ARN
	if !a.FourEyes || arn == "" || sameName(arn, s.Actor()) {
		return nil
	}
	return &session.Refusal{
		Why:  fmt.Sprintf("--actor is refused: %s needs a second person, and AWS identifies you as %s", a.FullID(), models.Printable(arn)),
		Next: "omit --actor",
	}
}

// needsSecondPerson refuses to let one person undo their own change of an action that needs a second person. The error is
// a *session.Refusal.
func needsSecondPerson(s *session.Viewer, made *change.Plan) error {
	if !made.Action.FourEyes {
		return nil
	}
	if err := TypedActor(s, made.Action); err != nil {
		return err
	}
	if !sameName(made.Basis.Actor, s.Actor()) && !personOf(s, made.Basis.Token).SameAs(s.Person(), true) {
		return nil
	}
	return &session.Refusal{
		Why:  fmt.Sprintf("%s needs a second person, and %s applied this change", made.Action.FullID(), models.Printable(made.Basis.Actor)),
		Next: "have someone else undo it",
	}
}

// personOf returns who applied the change with a token, as the journal says; the zero Person, who is nobody, if the journal
// does not.
func personOf(s *session.Viewer, token string) session.Person {
	for e, err := range journal.Backward(s.JournalPath()) {
		if err == nil && e.Kind == journal.Intent && e.Detail.Token == token {
			return session.Person{User: e.User, ARN: e.Identity}
		}
	}
	return session.Person{}
}

// Apply applies the plan of a file. It refuses the person who created the plan of an action that needs a second
// person. A plan that was joined to p is applied in the same transaction.
func (c *Committer) Apply(ctx context.Context, f *PlanFile, p *change.Plan) (*Commitment, error) {
	if err := c.planner.NeedsAnother(f, p.Action); err != nil {
		return nil, c.refuse(ctx, p, err)
	}
	b := *p.Basis
	b.Actor, b.Identity = c.s.Actor(), c.s.Person().Identity()
	if f.Actor != c.s.Actor() {
		b.Reason = strings.TrimSpace(b.Reason + " (planned by " + f.Actor + ")")
	}
	if p.Joined != nil {
		// DynamoDB applies a transaction once for its token and tells everyone who sends it that it was applied. Of several
		// users who apply one request, only the one whose decision is stored may hear so.
		b.Token = change.NewToken()
	}
	again, err := p.At(b)
	if err != nil {
		return nil, err
	}
	here, err := c.planner.signed(f)
	if err != nil {
		return nil, err
	}
	return c.commit(ctx, again, origin{file: f, here: here})
}

// An origin says where a change comes from.
type origin struct {
	file *PlanFile // nil without one
	here bool      // this machine wrote the file, so that its MAC was checked
	part Part
}

// notes returns what a reader of the change must know about its file.
func (o origin) notes() []string {
	if o.file == nil || o.here {
		return nil
	}
	return []string{"the plan was made on another machine; who made it cannot be verified here"}
}

// record adds to the detail of the intent which sweep the change is part of, and who made the plan.
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
