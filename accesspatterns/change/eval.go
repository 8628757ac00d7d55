package change

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

// A scope evaluates the formulas of one plan. If a method returns a nil attribute value, there is no value.
type scope struct {
	action     *Action
	basis      *Basis
	lets       []Setting
	evaluating map[string]bool // names under evaluation, which cannot refer to themselves
	budget     *evalBudget

	verb          string      // the value of {action}
	before, after models.Item // the change of the subject, for audit entries
}

func newScope(a *Action, b *Basis) *scope {
	return &scope{action: a, basis: b, lets: a.Let, verb: a.ID, evaluating: map[string]bool{}, budget: &evalBudget{}}
}

// An evalBudget limits the work for the formulas of a plan, because each name that refers twice to the previous name
// doubles the work. Once the limit is exceeded, the error remains set.
type evalBudget struct {
	steps int
	err   error
}

const (
	maxSteps = 100_000
	// maxText is the maximum length of a computed text. Source: Amazon DynamoDB Developer Guide, "Quotas in Amazon
	// DynamoDB", item size.
	maxText = 400 << 10
)

func (e *evalBudget) spend(bytes int, place string) error {
	if e.steps++; e.err == nil && (e.steps > maxSteps || bytes > maxText) {
		e.err = fmt.Errorf("computing %s: its formulas take more than %d steps or %d KB", place, maxSteps, maxText>>10)
	}
	return e.err
}

// with returns a scope with additional names. The names of s take precedence.
func (s *scope) with(more []Setting) *scope {
	inner := *s
	inner.lets = append(append([]Setting(nil), s.lets...), more...)
	return &inner
}

func (s *scope) value(name string) types.AttributeValue {
	for _, l := range s.lets {
		if l.Name == name {
			return s.evalOnce(name, l.Formula, nil, "let "+name)
		}
	}
	if p := s.action.Input(name); p != nil {
		return s.input(p)
	}
	switch name {
	case "actor":
		return textOrNone(s.basis.Actor)
	case "identity":
		return textOrNone(s.basis.Identity)
	case "reason":
		return textOrNone(string(s.basis.Reason))
	case "action":
		return textOrNone(s.verb)
	case "before":
		return documentOrNone(s.before)
	case "after":
		return documentOrNone(s.after)
	}
	head, rest, nested := strings.Cut(name, ".")
	if it, ok := s.basis.Items[head]; ok && nested {
		v, _ := it.At(rest)
		return v
	}
	subject, ok := s.basis.Items[Subject]
	if !ok {
		return nil
	}
	if v, ok := subject.At(name); ok {
		return v
	}
	if text, ok := s.action.Entity.Values(subject)(name); ok { // only the keys contain it
		return models.StringValue(text)
	}
	return nil
}

func (s *scope) input(p *accesspatterns.Param) types.AttributeValue {
	if v, ok := s.basis.Values[p.Name]; ok {
		return inputValue(p, v.Text)
	}
	if f, ok := s.action.Defaults[p.Name]; ok {
		return s.evalOnce(p.Name, f, p.Attribute, "input "+p.Name)
	}
	return nil
}

func inputValue(p *accesspatterns.Param, text string) types.AttributeValue {
	var t models.Type
	switch {
	case p.Type == accesspatterns.Number || p.Type == accesspatterns.Integer:
		t = models.TypeN
	case p.Type == accesspatterns.Boolean:
		t = models.TypeBOOL
	case p.Attribute != nil:
		t = p.Attribute.Type
	}
	if v, err := models.ScalarValue(t, text); err == nil {
		return v
	}
	return models.StringValue(text)
}

// evalOnce returns nil for a circular name or a failed formula. The attribute that needs the value reports the error.
func (s *scope) evalOnce(name string, f Formula, a *models.Attribute, place string) types.AttributeValue {
	if s.evaluating[name] {
		return nil
	}
	s.evaluating[name] = true
	defer delete(s.evaluating, name)
	v, err := s.eval(f, a, place)
	if err != nil {
		return nil
	}
	return v
}

func (s *scope) hasValue(name string) bool {
	if _, ok := s.basis.Items[name]; ok {
		return true
	}
	v := s.value(name)
	if v == nil {
		return false
	}
	text, scalar := models.ValueText(v)
	return !scalar || text != "" && text != "false"
}

func textOrNone(text string) types.AttributeValue {
	if text == "" {
		return nil
	}
	return models.StringValue(text)
}

func documentOrNone(it models.Item) types.AttributeValue {
	if len(it) == 0 {
		return nil
	}
	return &types.AttributeValueMemberM{Value: it}
}

// eval computes a formula in the type and time format of the attribute a, or without conversion if a is nil. The result
// is nil if a reference has no value. place names the formula in errors and is the source of generated IDs.
func (s *scope) eval(f Formula, a *models.Attribute, place string) (types.AttributeValue, error) {
	if err := s.budget.spend(0, place); err != nil {
		return nil, err
	}
	v, err := s.evalKind(f, a, place)
	if err != nil && s.isMasked(f) {
		err = fmt.Errorf("computing %s: a masked value does not fit", place)
	}
	return v, cmp.Or(err, s.budget.err) // A name whose formula fails has no value, but one that exceeds the limit ends the plan.
}

// isMasked reports whether a formula contains masked values, so that no message may contain its result.
func (s *scope) isMasked(f Formula) bool {
	c := copySensitivity{a: s.action, lets: s.lets, reads: s.action.Reads}
	for _, e := range s.action.Audits {
		c.reads = slices.Concat(c.reads, e.Trail.Reads)
	}
	return c.formulaSensitivity(f, len(c.lets), false) != models.NotSensitive
}

func (s *scope) evalKind(f Formula, a *models.Attribute, place string) (types.AttributeValue, error) {
	switch f.kind {
	case mapFormula:
		return s.evalMap(f, a, place)
	case listFormula:
		list := &types.AttributeValueMemberL{}
		for i, inner := range f.list {
			v, err := s.eval(inner, a.Element(), place+"."+strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			if v != nil {
				list.Value = append(list.Value, v)
			}
		}
		return list, nil
	case sumFormula:
		return s.evalSum(f, place)
	case collectionFormula:
		return s.evalCollection(f, a, place)
	case literalFormula:
		return convertType(f.value, a, place)
	case textFormula:
	}
	if len(f.parts) == 1 && f.parts[0].ref.isUnchanged() {
		return s.evalReference(f.parts[0].ref, a, place)
	}
	var b strings.Builder
	for _, p := range f.parts {
		text, ok, err := s.text(p, a, place)
		if err != nil || !ok {
			return nil, err
		}
		b.WriteString(text)
		if err := s.budget.spend(b.Len(), place); err != nil {
			return nil, err
		}
	}
	return convertType(models.StringValue(b.String()), a, place)
}

func (s *scope) evalMap(f Formula, a *models.Attribute, place string) (types.AttributeValue, error) {
	document := models.Item{}
	for _, field := range f.fields {
		var inner *models.Attribute
		if a != nil {
			for _, n := range a.Attributes {
				if n.Name == field.Name {
					inner = n
				}
			}
		}
		v, err := s.eval(field.Formula, inner, place+"."+field.Name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			document[field.Name] = v
		}
	}
	return documentOrNone(document), nil
}

func (s *scope) evalSum(f Formula, place string) (types.AttributeValue, error) {
	total := "0"
	for i, p := range f.parts {
		text, ok, err := s.text(p, nil, place)
		if err != nil || !ok {
			return nil, err
		}
		if total, err = models.AddNumbers(total, text, f.minus[i]); err != nil {
			return nil, fmt.Errorf("computing %s = %s: %w", place, f.source, err)
		}
	}
	return &types.AttributeValueMemberN{Value: total}, nil
}

func (s *scope) evalReference(r Reference, a *models.Attribute, place string) (types.AttributeValue, error) {
	if at, ok := s.moment(r.Name); ok {
		return convertType(models.StringValue(s.formatTime(at, a, nil)), a, place)
	}
	if id := s.id(r.Name, place); id != "" {
		return models.StringValue(id), nil
	}
	v := s.value(r.Name)
	if v == nil && r.HasDefault {
		v = models.StringValue(r.Default)
	}
	if v == nil {
		return nil, nil //nolint:nilnil // No value is not an error.
	}
	if given, ok := s.basis.Values[r.Name]; ok && given.IsTime && a != nil && a.Format.IsTime() {
		v = models.StringValue(s.formatTime(given.Time.Time, a, nil))
	}
	return convertType(v, a, place)
}

func (s *scope) text(p formulaPart, a *models.Attribute, place string) (string, bool, error) {
	r := p.ref
	if r.Name == "" {
		return p.literal, true, nil
	}
	text := r.Default
	if at, ok := s.moment(r.Name); ok {
		text = s.formatTime(at, a, nil)
		if !r.template.IsZero() {
			text, _ = models.ISO8601Millis.FormatTime(at)
		}
	} else if id := s.id(r.Name, place); id != "" {
		text = id
	} else if v := s.value(r.Name); v != nil {
		text = plainText(v)
	} else if !r.HasDefault {
		return "", false, nil
	}
	if !r.template.IsZero() {
		template := r.template.Bind(func(string) *models.Attribute { return s.referencedAttribute(r.Name) })
		formatted, err := template.Format(models.MapValues(map[string]string{"value": text}))
		if err != nil {
			return "", false, fmt.Errorf("computing %s: {%s}: %w", place, r.Name, err)
		}
		return formatted, true, nil
	}
	return text, true, nil
}

func (s *scope) referencedAttribute(name string) *models.Attribute {
	if p := s.action.Input(name); p != nil {
		return p.Attribute
	}
	head, rest, _ := strings.Cut(name, ".")
	for _, r := range s.action.Reads {
		if r.Alias == head {
			return r.Entity.Attribute(rest)
		}
	}
	return s.action.Entity.Attribute(strings.TrimPrefix(name, Subject+"."))
}

func (s *scope) moment(name string) (time.Time, bool) {
	if !strings.HasPrefix(name, "now") && !strings.HasPrefix(name, "today") || s.action.Input(name) != nil {
		return time.Time{}, false
	}
	t, err := models.ParseTime(name, s.basis.Now)
	return t.Time, err == nil
}

// formatTime uses the precision of the stored value if the schema does not define one.
func (s *scope) formatTime(at time.Time, a *models.Attribute, old models.Item) string {
	format := models.ISO8601
	if a != nil && a.Format.IsTime() {
		format = a.Format
	}
	if format == models.ISO8601Any {
		format = models.ISO8601
		for _, it := range []models.Item{old, s.basis.Items[Subject]} {
			if stored, ok := it.Text(a.Path); ok && strings.Contains(stored, ".") {
				format = models.ISO8601Millis
			}
		}
	}
	text, _ := format.FormatTime(at)
	return text
}

// id derives a UUID from the token and the place, so that planning again generates the same IDs.
func (s *scope) id(name, place string) string {
	if name != "uuid" && name != "uuid7" || s.action.Input(name) != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(s.basis.Token + "\x00" + place))
	b := sum[:16]
	version := byte(4)
	if name == "uuid7" {
		// RFC 9562, section 5.7: 48 bits of milliseconds since 1970 come first. The next 12 bits are the fraction of
		// the millisecond, so that IDs from the same millisecond are ordered; see section 6.2, method 3.
		version = 7
		ms := s.basis.Now.UnixMilli()
		for i := range 6 {
			b[i] = byte(ms >> (40 - 8*i))
		}
		fraction := s.basis.Now.Nanosecond() % 1e6 << 12 / 1e6
		b[6], b[7] = byte(fraction>>8), byte(fraction)
	}
	return formatUUID(b, version)
}

// NewToken returns a client request token, which is a random UUID, version 4, of 36 characters. DynamoDB accepts 1 to
// 36 characters. Each change needs a new token: for 10 minutes, DynamoDB rejects a different request with the same
// token with IdempotentParameterMismatchException. Source: Amazon DynamoDB API Reference, "TransactWriteItems",
// ClientRequestToken.
func NewToken() string {
	var b [16]byte
	rand.Read(b[:]) // It never returns an error: it ends the program instead.
	return formatUUID(b[:], 4)
}

// formatUUID returns 16 bytes as a UUID. Source: RFC 9562, section 4.
func formatUUID(b []byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func convertType(v types.AttributeValue, a *models.Attribute, place string) (types.AttributeValue, error) {
	if a == nil || a.Type == "" || models.ValueType(v) == a.Type {
		return v, nil
	}
	text, scalar := models.ValueText(v)
	switch {
	case scalar:
	case a.Type == models.TypeS:
		return models.StringValue(plainText(v)), nil
	default:
		return nil, fmt.Errorf("computing %s: a value of type %s is not of type %s", place, models.ValueType(v), a.Type)
	}
	out, err := models.ScalarValue(a.Type, text)
	if err != nil {
		return nil, fmt.Errorf("computing %s: %w", place, err)
	}
	return out, nil
}

func plainText(v types.AttributeValue) string {
	if text, ok := models.ValueText(v); ok {
		return text
	}
	return string(models.AppendValueJSON(nil, v))
}
