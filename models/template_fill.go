package models

import (
	"errors"
	"slices"
	"unicode/utf8"
)

// A filling is a template with the values that its key is made of.
type filling struct {
	Template
	values Values
}

func (f filling) render(i int) (string, error) {
	s := f.segs[i]
	v, spelled, ok := s.value(f.values)
	if !ok {
		return "", &ValueError{s.Name, ErrMissing}
	}
	text, err := v, error(nil)
	if spelled {
		_, err = s.read(v)
	} else {
		text, err = s.Render(v)
	}
	if err != nil {
		return "", &ValueError{s.Name, err}
	}
	if text == "" {
		return "", &ValueError{s.Name, errors.New("value is empty; a key cannot hold an empty part")}
	}
	if !utf8.ValidString(text) {
		return "", &ValueError{s.Name, errors.New("value is not valid UTF-8")}
	}
	return text, nil
}

func (f filling) tailFilled() bool {
	for _, s := range f.segs {
		if !s.Optional || s.Name == "" {
			continue
		}
		if v, _, ok := s.value(f.values); !ok || v == "" {
			return false
		}
	}
	return true
}

// firstSeparated returns the *ValueError for the first value that contains the literal after its placeholder,
// or nil.
func (f filling) firstSeparated() error {
	for i, s := range f.segs {
		if s.Name == "" {
			continue
		}
		text, err := f.render(i)
		if err != nil {
			return nil //nolint:nilerr // Format and Prefix report it.
		}
		if err := f.separated(i, text); err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether the key can be split into the values: with stored, by their formats and the
// attributes that items store, otherwise by their formats alone.
func (f filling) settled(key string, stored bool) bool {
	var known Values
	if stored && slices.ContainsFunc(f.segs, Segment.stored) {
		known = func(name string) (string, bool) {
			if !slices.ContainsFunc(f.segs, func(s Segment) bool { return s.Name == name && s.stored() }) {
				return "", false
			}
			return f.values(name)
		}
	}
	m, err := f.ParseItem(key, known)
	if err != nil || m.Ambiguous {
		return false
	}
	for i, s := range m.Spans {
		if s.Segment.Name == "" {
			continue
		}
		if text, err := f.render(i); err != nil || text != key[s.Start:s.End] {
			return false
		}
	}
	return true
}
