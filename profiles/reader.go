package profiles

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Values are values of variables. The zero Values give every variable its default.
type Values struct {
	Given  map[string]string // a profile that does not declare one is rejected
	Shared map[string]string // of several profiles: ignored where they are not declared
	// Environment is that of the connection, "" for none.
	Environment string
}

// environment returns the value of the variable of that name if it was set, otherwise the environment of the
// connection, otherwise the default of the variable.
func (v Values) environment(p *Profile) string {
	for _, known := range p.Variables {
		if value, _ := v.of(known.Name); known.Name == "environment" {
			return cmp.Or(value, v.Environment, known.Default)
		}
	}
	return v.Environment
}

// of prefers a given value to a shared one.
func (v Values) of(name string) (value string, ok bool) {
	if value, ok = v.Given[name]; !ok {
		value, ok = v.Shared[name]
	}
	return value, ok
}

func (v Values) declaredBy(p *Profile) bool {
	for name := range v.Given {
		if !slices.ContainsFunc(p.Variables, func(known Variable) bool { return known.Name == name }) {
			return false
		}
	}
	return true
}

func (v Values) digest(text []byte) [sha256.Size]byte {
	all := maps.Clone(v.Shared)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, v.Given)
	h := sha256.New()
	fmt.Fprintf(h, "%q\x00", v.Environment)
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

// known is a profile with the digests of what it was built from. A profile with errors is the last one without.
type known struct {
	profile  *Profile
	digest   [sha256.Size]byte
	included []inclusion // of the last version, also of one with errors
}

// Last returns the profile that Open returned last for a name, nil if it never did. After a
// fault in the file it is the version before. The Reader must not be nil.
func (r *Reader) Last(name string) *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[name].profile
}

// Included returns the paths of the files that the opened profiles include. They are those to
// watch for changes besides the files of the profiles. The Reader must not be nil.
func (r *Reader) Included() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var files []string
	for _, k := range r.known {
		for _, i := range k.included {
			files = append(files, i.file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Open loads a built-in profile, a file, or a profile of the user: the first of these that has the name. A profile with
// faults returns Errors, all of them. A file with faults keeps the version that Last returns.
// Two goroutines that open one name at the same time may build it twice.
func (r *Reader) Open(name string, v Values) (*Profile, error) {
	file, body, err := r.Source(name)
	if err != nil {
		return nil, err
	}
	of := text{file: file, text: body, read: besideFile(file)}
	if r == nil {
		p, _, err := load(of, v)
		return p, err
	}
	digest := v.digest(body)
	r.mu.Lock()
	k := r.known[name]
	r.mu.Unlock()
	if k.profile != nil && k.digest == digest && of.unchanged(k.included) && v.declaredBy(k.profile) {
		return k.profile, nil
	}
	p, included, err := load(of, v)
	k.included = included
	if err == nil {
		k.profile, k.digest = p, digest
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]known{}
	}
	r.known[name] = k
	return p, err
}

func (t text) unchanged(included []inclusion) bool {
	return !slices.ContainsFunc(included, func(i inclusion) bool {
		body, err := t.read(i.path)
		return err != nil || !bytes.Equal(body, i.text)
	})
}
