package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A scope is what the formulas of one plan can name.
type scope struct {
	action *Action
	basis  *Basis
	lets   []Setting
	names  map[string]types.AttributeValue // of lets that were computed
	busy   map[string]bool                 // lets being computed: they cannot name themselves

	verb string // what the formula {action} says
	// before and after are what the subject's change did, for audit entries.
	before, after models.Item
}

func newScope(a *Action, b *Basis) *scope {
	return &scope{action: a, basis: b, lets: a.Let, verb: a.ID, names: map[string]types.AttributeValue{}, busy: map[string]bool{}}
}

// with returns a scope that knows more names; those of s win.
func (s *scope) with(more []Setting) *scope {
	if len(more) == 0 {
		return s
	}
	inner := *s
	inner.lets = append(append([]Setting(nil), s.lets...), more...)
	return &inner
}

// value looks a name up; false when it has no value.
func (s *scope) value(name string) (types.AttributeValue, bool) {
	for _, l := range s.lets {
		if l.Name == name {
			return s.let(l)
		}
	}
	if s.action.Input(name) != nil {
		return s.input(name)
	}
	if v, ok := s.known(name); ok {
		return v, v != nil
	}
	head, rest, nested := strings.Cut(name, ".")
	if it, ok := s.basis.Items[head]; ok && nested {
		return it.At(rest)
	}
	if it, ok := s.basis.Items[Subject]; ok {
		return keyed(s.action.Entity, it, name)
	}
	return nil, false
}

// keyed returns an attribute, or what only the keys of the item hold.
func keyed(e *models.Entity, it models.Item, path string) (types.AttributeValue, bool) {
	if v, ok := it.At(path); ok {
		return v, true
	}
	if text, ok := e.Values(it)(path); ok {
		return models.StringValue(text), true
	}
	return nil, false
}

func (s *scope) let(l Setting) (types.AttributeValue, bool) {
	if v, ok := s.names[l.Name]; ok {
		return v, v != nil
	}
	if s.busy[l.Name] {
		return nil, false
	}
	s.busy[l.Name] = true
	defer delete(s.busy, l.Name)
	v, ok, err := s.eval(l.Formula, nil, "", "let "+l.Name)
	if err != nil || !ok {
		return nil, false // without a value: what needs it says so
	}
	s.names[l.Name] = v
	return v, true
}

// input returns what was given, or what the input's default computes.
func (s *scope) input(name string) (types.AttributeValue, bool) {
	if v, ok := s.basis.Values[name]; ok {
		return models.StringValue(v.Text), true
	}
	f, ok := s.action.Defaults[name]
	if !ok || s.busy[name] {
		return nil, false
	}
	s.busy[name] = true
	defer delete(s.busy, name)
	p := s.action.Input(name)
	v, ok, err := s.eval(f, p.Attribute, "", "input "+name)
	return v, ok && err == nil
}

// known returns what only the console knows; nil is a name without a value.
func (s *scope) known(name string) (types.AttributeValue, bool) {
	text := ""
	switch name {
	case "actor":
		text = s.basis.Actor
	case "reason":
		text = s.basis.Reason
	case "action":
		text = s.verb
	case "before":
		return documentOf(s.before), true
	case "after":
		return documentOf(s.after), true
	default:
		return nil, false
	}
	if text == "" {
		return nil, true
	}
	return models.StringValue(text), true
}

func documentOf(it models.Item) types.AttributeValue {
	if len(it) == 0 {
		return nil
	}
	return &types.AttributeValueMemberM{Value: it}
}

// moment returns the time that a name stands for: now, now+30d, today.
func (s *scope) moment(name string) (time.Time, bool) {
	if !strings.HasPrefix(name, "now") && !strings.HasPrefix(name, "today") || s.action.Input(name) != nil {
		return time.Time{}, false
	}
	t, err := models.ParseTime(name, s.basis.Now)
	return t.Time, err == nil
}

// eval computes a formula for attribute a (nil: nobody documents it) of type t
// ("": whatever comes). place says what it is computed for; made-up ids derive
// from it. It is false when a reference has no value.
func (s *scope) eval(f Formula, a *models.Attribute, t models.Type, place string) (types.AttributeValue, bool, error) {
	switch f.kind {
	case mapFormula:
		return s.evalMap(f, a, place)
	case listFormula:
		list := &types.AttributeValueMemberL{}
		for i, inner := range f.list {
			v, ok, err := s.eval(inner, nil, "", place+"."+strconv.Itoa(i))
			if err != nil {
				return nil, false, err
			}
			if ok {
				list.Value = append(list.Value, v)
			}
		}
		return list, true, nil
	case sumFormula:
		return s.evalSum(f, place)
	case textFormula:
	}
	if len(f.parts) == 1 && f.parts[0].ref.Name != "" && f.parts[0].ref.spelled.IsZero() && !f.parts[0].ref.hash {
		return s.evalReference(f.parts[0].ref, a, t, place)
	}
	var b strings.Builder
	for _, p := range f.parts {
		text, ok, err := s.text(p, a, place)
		if err != nil || !ok {
			return nil, false, err
		}
		b.WriteString(text)
	}
	return typed(models.StringValue(b.String()), t, place)
}

func (s *scope) evalMap(f Formula, a *models.Attribute, place string) (types.AttributeValue, bool, error) {
	m := map[string]types.AttributeValue{}
	for _, field := range f.fields {
		var inner *models.Attribute
		var t models.Type
		if a != nil {
			for _, n := range a.Attributes {
				if n.Name == field.Name {
					inner, t = n, n.Type
				}
			}
		}
		v, ok, err := s.eval(field.Formula, inner, t, place+"."+field.Name)
		if err != nil {
			return nil, false, err
		}
		if ok {
			m[field.Name] = v
		}
	}
	return &types.AttributeValueMemberM{Value: m}, len(m) > 0, nil
}

// evalSum adds numbers exactly.
func (s *scope) evalSum(f Formula, place string) (types.AttributeValue, bool, error) {
	total := "0"
	for i, p := range f.parts {
		text, ok, err := s.text(p, nil, place)
		if err != nil || !ok {
			return nil, false, err
		}
		if total, err = models.AddNumbers(total, text, f.minus[i]); err != nil {
			return nil, false, fmt.Errorf("computing %s = %s: %w", place, f.source, err)
		}
	}
	return &types.AttributeValueMemberN{Value: total}, true, nil
}

// evalReference copies one value with its type.
func (s *scope) evalReference(r Reference, a *models.Attribute, t models.Type, place string) (types.AttributeValue, bool, error) {
	if at, ok := s.moment(r.Name); ok {
		return typed(models.StringValue(s.spell(at, a)), t, place)
	}
	if id, ok := s.id(r.Name, place); ok {
		return models.StringValue(id), true, nil
	}
	v, ok := s.value(r.Name)
	if !ok && r.HasDefault {
		v, ok = models.StringValue(r.Default), true
	}
	if !ok {
		return nil, false, nil
	}
	if given, isInput := s.basis.Values[r.Name]; isInput && given.IsTime && a != nil && a.Format.IsTime() {
		v = models.StringValue(s.spell(given.Time.Time, a))
	}
	return typed(v, t, place)
}

// spell writes a moment as the attribute stores it. Where the document leaves
// the precision open, the value that is there decides.
func (s *scope) spell(at time.Time, a *models.Attribute) string {
	format := models.ISO8601
	if a != nil && a.Format.IsTime() {
		format = a.Format
	}
	if format == models.ISO8601Any {
		format = models.ISO8601
		if old, ok := s.basis.Items[Subject].Text(a.Path); ok && strings.Contains(old, ".") {
			format = models.ISO8601Millis
		}
	}
	text, _ := format.FormatTime(at)
	return text
}

// text returns what a part contributes to a text.
func (s *scope) text(p formulaPart, a *models.Attribute, place string) (string, bool, error) {
	r := p.ref
	if r.Name == "" {
		return p.literal, true, nil
	}
	var text string
	if at, ok := s.moment(r.Name); ok {
		text, _ = models.ISO8601Millis.FormatTime(at)
		if r.spelled.IsZero() {
			text = s.spell(at, a)
		}
	} else if id, ok := s.id(r.Name, place); ok {
		text = id
	} else {
		v, ok := s.value(r.Name)
		if ok {
			if text, ok = models.ValueText(v); !ok {
				text, ok = string(models.AppendValueJSON(nil, v)), true
			}
		}
		if !ok {
			if !r.HasDefault {
				return "", false, nil
			}
			text = r.Default
		}
	}
	switch {
	case r.hash:
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:]), true, nil
	case !r.spelled.IsZero():
		spelled, err := r.spelled.Format(models.MapValues(map[string]string{"value": text}))
		if err != nil {
			return "", false, fmt.Errorf("computing %s: {%s}: %w", place, r.Name, err)
		}
		return spelled, true, nil
	}
	return text, true, nil
}

// typed makes v a value of type t, when it has another one.
func typed(v types.AttributeValue, t models.Type, place string) (types.AttributeValue, bool, error) {
	if t == "" || models.ValueType(v) == t {
		return v, true, nil
	}
	text, ok := models.ValueText(v)
	if !ok {
		if t == models.TypeS {
			return models.StringValue(string(models.AppendValueJSON(nil, v))), true, nil
		}
		return nil, false, fmt.Errorf("computing %s: a value of type %s is no %s", place, models.ValueType(v), t)
	}
	out, err := models.ScalarValue(t, text)
	if err != nil {
		return nil, false, fmt.Errorf("computing %s: %w", place, err)
	}
	return out, true, nil
}

// id makes up an id: the same one for the same token and place, so that a plan
// made again from its basis is the same plan.
func (s *scope) id(name, place string) (string, bool) {
	if name != "uuid" && name != "uuid7" || s.action.Input(name) != nil {
		return "", false
	}
	sum := sha256.Sum256([]byte(s.basis.Token + "\x00" + place))
	b := sum[:16]
	version := byte(4)
	if name == "uuid7" {
		// RFC 9562, section 5.7: 48 bits of milliseconds since 1970 come first.
		version = 7
		ms := s.basis.Now.UnixMilli()
		for i := range 6 {
			b[i] = byte(ms >> (40 - 8*i))
		}
	}
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:], true
}
