package profiles

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Values are values of variables.
type Values struct {
	Given  map[string]string // a profile that does not declare one is rejected
	Shared map[string]string // of several profiles: ignored where they are not declared
}

// of returns the value of a variable. A given one comes before a shared one.
func (v Values) of(name string) (value string, ok bool) {
	if value, ok = v.Given[name]; !ok {
		value, ok = v.Shared[name]
	}
	return value, ok
}

// declaredBy reports whether a profile declares all given variables.
func (v Values) declaredBy(p *Profile) bool {
	for name := range v.Given {
		if !slices.ContainsFunc(p.Variables, func(known Variable) bool { return known.Name == name }) {
			return false
		}
	}
	return true
}

// digest returns a digest of a profile's text and the values.
func (v Values) digest(text []byte) [sha256.Size]byte {
	all := maps.Clone(v.Shared)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, v.Given)
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(h, "%q=%q\x00", name, all[name])
	}
	h.Write(text)
	return [sha256.Size]byte(h.Sum(nil))
}

// A Reader opens profiles and builds each once: it returns the same Profile until its
// text or its values change. It is safe for concurrent use. A nil Reader builds a
// profile each time, and knows no places.
type Reader struct {
	// Places returns the files and folders of further profiles, as absolute paths; nil for none besides Folder. It is
	// called when a name is neither a built-in profile nor a file.
	Places func() ([]string, error)

	mu    sync.Mutex
	known map[string]known // by name
}

// known is a profile with the digest of what it was built from.
type known struct {
	profile *Profile
	digest  [sha256.Size]byte
}

// Last returns the profile that Open returned last for a name, nil if it never did.
func (r *Reader) Last(name string) *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[name].profile
}

// Open loads a built-in profile, a file, or a profile of the user: the first of these that has the name. A profile with
// faults returns Errors, all of them.
func (r *Reader) Open(name string, v Values) (*Profile, error) {
	file, text, err := r.Source(name)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return load(file, text, v)
	}
	digest := v.digest(text)
	r.mu.Lock()
	k := r.known[name]
	r.mu.Unlock()
	if k.profile != nil && k.digest == digest && v.declaredBy(k.profile) {
		return k.profile, nil
	}
	p, err := load(file, text, v)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]known{}
	}
	r.known[name] = known{p, digest}
	return p, nil
}
