package change

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// SubjectID returns the ID that a user confirms. SharesTime is true if the plan writes an audit entry in the same
// second as the item's last change.
func TestPlanReportsSubjectAndSharedTime(t *testing.T) {
	w := newShop()
	p, err := w.plan(t, w.cancel, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := func(p Plan, change func(*Write)) string {
		subject := p.Writes[0]
		change(&subject)
		p.Writes = append([]Write{subject}, p.Writes[1:]...)
		name, value := p.SubjectID()
		return name + " " + value
	}
	for name, tt := range map[string]struct {
		change func(*Write)
		want   string
	}{
		"changed": {func(*Write) {}, "orderId o1"},
		"deleted": {func(w *Write) { w.After = nil }, "orderId o1"},
		"without the attribute": {func(w *Write) {
			w.After = w.After.Clone()
			w.After.Remove("orderId")
		}, "orderId o1"},
		"with a constant key": {func(w *Write) {
			e := &models.Entity{Name: "Counter", Table: w.Table, Keys: map[string]models.Template{
				"PK": models.MustTemplate("COUNTER"), "SK": models.MustTemplate("META"),
			}}
			e.Seal()
			w.Entity, w.Key = e, models.Item{"PK": str("COUNTER"), "SK": str("META")}
			w.After = w.Key
		}, "key COUNTER / META"},
	} {
		if got := id(*p, tt.change); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
	if at, _ := time.Parse(time.RFC3339, placedAt); !p.LastChanged().Equal(at) || p.SharesTime() {
		t.Errorf("LastChanged() = %s, SharesTime() = %t, want %s, false", p.LastChanged(), p.SharesTime(), placedAt)
	}
	w.now = p.LastChanged()
	if p, err = w.plan(t, w.cancel, nil); err != nil || !p.SharesTime() {
		t.Errorf("a plan in the same second: got error %v, want a shared time", err)
	}
	w.cancel.Audits = nil
	if p, err = w.plan(t, w.cancel, nil); err != nil || p.SharesTime() {
		t.Errorf("a plan in the same second without an entry: got error %v, want no shared time", err)
	}
	w.order.Updated = ""
	if p, err = w.plan(t, w.cancel, nil); err != nil || !p.LastChanged().IsZero() || p.SharesTime() {
		t.Errorf("a plan without a time of change: got error %v, want no shared time", err)
	}
}

// A trail finds an item's entries by the values of its formulas. It omits a value that the item lacks.
func TestTrailsIdentifyItems(t *testing.T) {
	w := newShop()
	trail := &Trail{About: []TrailSubject{
		{Entity: w.stock, Names: []Setting{{"id", mustParse("{product}")}}},
		{Entity: w.order, Names: []Setting{{"id", mustParse("ORDER/{orderId}")}, {"note", mustParse("{note}")}, {"kind", mustParse("order")}}},
	}}
	subject, ok := trail.Subject(w.order)
	if !ok || subject.Entity != w.order {
		t.Fatalf("Subject() = %+v, %t, want the order", subject, ok)
	}
	args, err := subject.Args(w.items["ORDER#o1 META"], w.now)
	if diff := cmp.Diff(map[string]string{"id": "ORDER/o1", "kind": "order"}, args); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if first, ok := trail.Subject(w.stock); !ok || first.Entity != w.stock {
		t.Errorf("Subject() = %+v, %t, want the stock", first, ok)
	}
	if unexpected, ok := trail.Subject(w.entry); ok {
		t.Errorf("Subject() = %+v for an entity without entries", unexpected)
	}
}

// An entry belongs to the entity whose constants it contains.
func TestEntriesNameTheirEntity(t *testing.T) {
	w := newShop()
	trail := &Trail{Entity: w.entry, About: []TrailSubject{
		{Entity: w.stock, Names: []Setting{{"kind", mustParse("stock")}, {"id", mustParse("{product}")}}},
		{Entity: w.order, Names: []Setting{{"kind", mustParse("order")}, {"id", mustParse("{orderId}")}}},
	}}
	for kind, want := range map[string]*models.Entity{"stock": w.stock, "order": w.order, "unknown": w.stock} {
		if got := trail.SubjectOf(models.Item{"kind": models.StringValue(kind)}).Entity; got != want {
			t.Errorf("SubjectOf(%s) = %s, want %s", kind, got.Name, want.Name)
		}
	}
}

// CopyTargets lists the attribute paths that the action sets to an input unchanged, including paths in documents.
func TestActionsListCopiedAttributes(t *testing.T) {
	nested, err := ParseFormula("{now}", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	document := Formula{kind: mapFormula, fields: []Setting{{"by", mustParse("{actor}")}, {"at", nested}}}
	a := &Action{
		Set: []Setting{
			{"note", mustParse("{note}")}, {"label", mustParse("{note}!")}, {"other", mustParse("{reason}")}, {"decision", document}, {"decidedAt", mustParse("{now}")},
		},
		OnEnter: map[string][]Setting{
			"closed": {{"closedAt", mustParse("{now}")}, {"expiresAt", mustParse("{now+90d}")}}, "open": {{"openedAt", mustParse("{now}")}},
		},
		Transitions: []*models.Transition{{From: []string{"open"}, To: "closed"}},
	}
	for name, want := range map[string]string{"note": "note", "actor": "decision.by", "none": ""} {
		if got := strings.Join(a.CopyTargets(name), " "); got != want {
			t.Errorf("CopyTargets(%s) = %s, want %s", name, got, want)
		}
	}
	for state, want := range map[string]map[string]time.Duration{
		"closed": {"closedAt": 0, "expiresAt": 90 * 24 * time.Hour, "decision.at": 0, "decidedAt": 0},
		"open":   {"openedAt": 0},
		"gone":   {},
	} {
		if got := a.RelativeTimes(state); !maps.Equal(got, want) {
			t.Errorf("RelativeTimes(%s) = %v, want %v", state, got, want)
		}
	}
	if (&Action{Kind: KindPut}).CanSweep() || !(&Action{Kind: KindUpdate}).CanSweep() {
		t.Error("CanSweep() must be true for updates and false for puts")
	}
	if !mustParse("").IsZero() || mustParse("x").IsZero() || mustParse("{x}").IsZero() || document.IsZero() {
		t.Error("IsZero() must be true only for the empty text")
	}
}

// The sample entry of a past change looks like the entry that the action would write, even for a new item.
func TestPastChangeEntriesMatchAction(t *testing.T) {
	w := newShop()
	after := w.items["ORDER#o1 META"].Clone()
	after["status"], after["note"] = str("canceled"), str("as agreed")
	past := PastAction{UserInput: w.newInput(nil), Before: w.items["ORDER#o1 META"], After: after}
	e := w.cancel.Audits[0]
	e.Set = append(slices.Clone(e.Set), Setting{"who", mustParse("{item.status}")}) // the previous state, if there is one
	document := func(it models.Item, name string) models.Item {
		m, _ := it[name].(*types.AttributeValueMemberM)
		if m == nil {
			return nil
		}
		return m.Value
	}
	entry, err := e.Attributes(w.cancel, past)
	if err != nil {
		t.Fatal(err)
	}
	if subject, _ := entry.Text("what"); subject != "cancel" || !models.EqualValues(entry["who"], str("open")) || !models.EqualItems(document(entry, "before"), models.Item{"status": str("open")}) ||
		!models.EqualItems(document(entry, "after"), models.Item{"status": str("canceled"), "note": str("as agreed")}) {
		t.Errorf("the entry of a change is %v", entry)
	}
	past.Before = nil
	if entry, err = e.Attributes(w.cancel, past); err != nil || entry["before"] != nil || !models.EqualValues(entry["who"], str("canceled")) || document(entry, "after")["orderId"] == nil {
		t.Errorf("the entry of a new item is %v, %v", entry, err)
	}
}

// A queue with parameters needs a value for each parameter.
func TestQueuesNeedAllTheirParameters(t *testing.T) {
	w := newShop()
	product := &accesspatterns.Param{Name: "product", Type: accesspatterns.String, Attribute: w.order.Attribute("product"), Entity: w.order}
	other := &accesspatterns.Param{Name: "note", Type: accesspatterns.String, Attribute: w.order.Attribute("note"), Entity: w.order}
	q := &Queue{
		Pattern: &accesspatterns.Pattern{ID: "open", Table: w.order.Table, Params: []*accesspatterns.Param{product, other}},
		Args:    map[string]string{"status": "open"}, Params: []*accesspatterns.Param{product},
	}
	entities := []*models.Entity{w.order}
	view := accesspatterns.ItemView(w.order, w.items["ORDER#o1 META"])
	inputs, ok := q.Fill(entities, view)
	if diff := cmp.Diff(map[string]string{"product": "pen"}, inputs); diff != "" || !ok {
		t.Errorf("Fill() = %t (-want +got):\n%s", ok, diff)
	}
	args, ok := q.Bind(inputs)
	if diff := cmp.Diff(map[string]string{"status": "open", "product": "pen"}, args); diff != "" || !ok || len(q.Args) != 1 {
		t.Errorf("Bind() = %t (-want +got):\n%s", ok, diff)
	}
	q.Params = append(q.Params, other)
	if _, ok := q.Fill(entities, view); ok {
		t.Error("Fill accepted an item without the second parameter")
	}
	if _, ok := q.Bind(inputs); ok {
		t.Error("Bind accepted inputs without the second parameter")
	}
	q.Params = nil
	if _, ok := q.Fill(entities, view); ok {
		t.Error("Fill accepted a queue without parameters")
	}
	if _, ok := q.Bind(nil); !ok {
		t.Error("Bind rejected a queue without parameters")
	}
}

// An input can name an attribute inside a document. Without the input, the action sets nothing.
func TestNamesInsideDocumentsComeFromInputs(t *testing.T) {
	for note, want := range map[string]string{"ana": "canceled", "": "", "a.b": `"a.b" cannot be a name in approvals: it is empty or contains a dot`} {
		w := newShop()
		w.order.Attributes = append(w.order.Attributes, &models.Attribute{Name: "approvals", Path: "approvals", Type: models.TypeM})
		w.order.Seal()
		w.cancel.Set = []Setting{{"approvals", mustParse("canceled").WithPath([]Formula{mustParse("approvals"), mustParse("{note}")})}}
		inputs := map[string]string{"orderId": "o1"}
		if note != "" {
			inputs["note"] = note
		}
		p, err := w.plan(t, w.cancel, inputs)
		if note == "a.b" {
			wantConflict(t, err, want)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := p.Writes[0].After.Text("approvals." + note); got != want {
			t.Errorf("approvals of %q = %q, want %q", note, got, want)
		}
	}
}

// One of several alternatives must hold. Alternatives without a value do not count.
func TestOneAlternativeRequirementIsEnough(t *testing.T) {
	is := func(name, value string) Requirement {
		return Requirement{Attribute: name, Compare: accesspatterns.Equal, Value: mustParse(value)}
	}
	for name, tt := range map[string]struct {
		any  []Requirement
		want string
	}{
		"one holds":        {[]Requirement{is("product", "ink"), is("product", "pen")}, ""},
		"none holds":       {[]Requirement{is("product", "ink"), is("product", "cap")}, `Order does not meet any of: product = ink or product = cap`},
		"none has a value": {[]Requirement{is("product", "{note}")}, ""},
		"one has a value":  {[]Requirement{is("product", "{note}"), is("product", "ink")}, `Order does not meet any of: product = ink`},
	} {
		w := newShop()
		w.cancel.Require = []Requirement{{Any: tt.any}}
		_, err := w.plan(t, w.cancel, nil)
		if tt.want == "" && err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		} else if tt.want != "" {
			wantConflict(t, err, tt.want)
		}
	}
}

// Audit entries contain changes in documents without the sensitive parts. The journal omits secrets.
func TestSensitiveDocumentPartsAreOmitted(t *testing.T) {
	w := newShop()
	document := func(name string, parts ...*models.Attribute) {
		for _, part := range parts {
			part.Path = name + "." + part.Name
		}
		w.order.Attributes = append(w.order.Attributes, &models.Attribute{Name: name, Path: name, Type: models.TypeM, Attributes: parts})
	}
	part := func(name string, t models.Type, s models.Sensitivity) *models.Attribute {
		return &models.Attribute{Name: name, Type: t, Sensitive: s}
	}
	document("person", part("city", models.TypeS, models.NotSensitive), part("email", models.TypeS, models.PII), part("code", models.TypeS, models.Secret))
	document("contact", part("phone", models.TypeS, models.PII))
	document("parcel", part("depth", models.TypeN, models.NotSensitive), part("street", models.TypeS, models.NotSensitive))
	w.order.Seal()
	fields := func(list ...Setting) Formula { return Formula{kind: mapFormula, fields: list} }
	w.cancel.Set = []Setting{
		{"person", fields(Setting{"city", mustParse("Gaborone")}, Setting{"email", mustParse("ana@example.com")}, Setting{"code", mustParse("canary")})},
		{"contact", fields(Setting{"phone", mustParse("+26771234567")})},
		{"parcel", fields(Setting{"depth", mustParse("7")}, Setting{"street", mustParse("Main Mall")})},
	}
	p, err := w.plan(t, w.cancel, nil)
	if err != nil {
		t.Fatal(err)
	}
	entry := p.Writes[len(p.Writes)-1].After
	for path, want := range map[string]types.AttributeValue{
		"after.person.city": str("Gaborone"), "after.person.email": nil, "after.person.code": nil, "after.contact.phone": nil,
		"after.parcel.depth": num("7"), "after.parcel.street": str("Main Mall"),
	} {
		if v, _ := entry.At(path); (v == nil) != (want == nil) || want != nil && !models.EqualValues(v, want) {
			t.Errorf("%s of the entry = %v, want %v", path, v, want)
		}
	}
	record, err := p.Record()
	if err != nil || strings.Contains(string(record), "canary") || !strings.Contains(string(record), "Main Mall") {
		t.Errorf("want a record with the street and without the canary, got %s, %v", record, err)
	}
	whole := Write{Operation: Put, Table: w.order.Table, Entity: w.order, Key: p.Writes[0].Key, After: p.Writes[0].After}
	stored, secrets := whole.record() // Each document of a new item is kept completely or omitted.
	if !secrets || strings.Contains(string(stored.Item), "Gaborone") || !strings.Contains(string(stored.Item), "Main Mall") {
		t.Errorf("want a record with the street and without the city, got %s, secrets: %t", stored.Item, secrets)
	}
}

// The error of a key names the input that does not match, but never contains a sensitive value.
func TestKeyErrorsHideSensitiveValues(t *testing.T) {
	w := newShop()
	bad := func(name string) error { return &models.ValueError{Name: name, Err: errors.New(`"a#b" contains "#"`)} }
	for _, tt := range []struct {
		action *Action
		err    error
		want   string
	}{
		{w.cancel, bad("status"), `cannot compute PK: status: "a#b" contains "#"`},
		{w.cancel, bad("email"), "cannot compute PK: email: the value does not fit the key"},
		{w.cancel, bad("unknown"), `cannot compute PK: unknown: "a#b" contains "#"`},
		{w.cancel, bad("note"), `parameter note: "a#b" contains "#"; it is part of PK`},
		{w.cancel, bad("pin"), "parameter pin: the value does not fit the key; it is part of PK"},
		{nil, bad("note"), `cannot compute PK: note: "a#b" contains "#"`},
		{w.cancel, errors.New("no value"), "cannot compute PK: no value"},
	} {
		if err := keyValueError(tt.action, w.order, "PK", tt.err); err.Error() != tt.want {
			t.Errorf("got %s, want %s", err, tt.want)
		}
	}
}
