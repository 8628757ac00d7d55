package profiles

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// Values contains values of variables. The zero value gives every variable its default.
type Values struct {
	Given  map[string]string // the schema must declare each of these variables
	Shared map[string]string // values for several schemas, which may not declare them
	// Environment is the connection's environment, or "".
	Environment string
}

// environment prefers the variable environment, then the connection's environment, then the variable's default.
func (v Values) environment(p *Profile) string {
	for _, known := range p.Variables {
		if value, _ := v.lookup(known.Name); known.Name == "environment" {
			return cmp.Or(value, v.Environment, known.Default)
		}
	}
	return v.Environment
}

// lookup returns the value of a variable. A given value takes precedence over a shared one.
func (v Values) lookup(name string) (value string, ok bool) {
	if value, ok = v.Given[name]; !ok {
		value, ok = v.Shared[name]
	}
	return value, ok
}

func (v Values) isDeclaredBy(p *Profile) bool {
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

// A Reader opens schemas and caches them: it returns the same Profile until its text or its values change. It is safe
// for concurrent use. A nil Reader builds a schema each time and has no ExtraPaths.
type Reader struct {
	// ExtraPaths returns absolute paths of files and folders with further schemas. If it is nil, there are none
	// besides Folder. The Reader calls it if a name is neither a built-in schema nor a file.
	ExtraPaths func() ([]string, error)

	mu     sync.Mutex
	cached map[string]cachedProfile // opened schemas by name
}

// A cachedProfile is a schema with the digest of its text and values. If the current text has errors, the schema is
// the last valid version.
type cachedProfile struct {
	profile  *Profile
	digest   [sha256.Size]byte
	included []inclusion // files of the last version, even of one with errors
}

// Last returns the schema that Open last returned for a name, or nil. If the file now has a fault, Last returns the
// previous version. The Reader must not be nil.
func (r *Reader) Last(name string) *Profile {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cached[name].profile
}

// Included returns the paths of the files that the opened schemas include, so that the caller can watch them for
// changes. The Reader must not be nil.
func (r *Reader) Included() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var files []string
	for _, k := range r.cached {
		for _, i := range k.included {
			files = append(files, i.file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Open loads the first match for a name among the built-in schemas, files and the user's schemas. If the schema has
// faults, the error is of type Errors and contains all of them, and Last still returns the previous version. Two
// goroutines that open one name at the same time may build it twice.
func (r *Reader) Open(name string, v Values) (*Profile, error) {
	file, body, err := r.Source(name)
	if err != nil {
		return nil, err
	}
	input := profileText{file: file, text: body, read: besideFile(file)}
	if r == nil {
		p, _, err := load(input, v)
		return p, err
	}
	digest := v.digest(body)
	r.mu.Lock()
	k := r.cached[name]
	r.mu.Unlock()
	if k.profile != nil && k.digest == digest && input.isUnchanged(k.included) && v.isDeclaredBy(k.profile) {
		return k.profile, nil
	}
	p, included, err := loadOnce(input, v, digest)
	k.included = included
	if err == nil {
		k.profile, k.digest = p, digest
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cached == nil {
		r.cached = map[string]cachedProfile{}
	}
	r.cached[name] = k
	return p, err
}

// builtins caches the built-in schemas by digest. It is global, because each command and each connection of the
// console has its own Reader.
var builtins sync.Map

func loadOnce(source profileText, v Values, digest [sha256.Size]byte) (*Profile, []inclusion, error) {
	if !strings.HasPrefix(source.file, "builtin:") {
		return load(source, v)
	}
	if p, ok := builtins.Load(digest); ok && v.isDeclaredBy(p.(*Profile)) {
		return p.(*Profile), nil, nil
	}
	p, included, err := load(source, v)
	if err == nil {
		builtins.Store(digest, p)
	}
	return p, included, err
}

func (t profileText) isUnchanged(included []inclusion) bool {
	return !slices.ContainsFunc(included, func(i inclusion) bool {
		body, err := t.read(i.path)
		return err != nil || !bytes.Equal(body, i.text)
	})
}

// Names lists the built-in schemas in alphabetical order; see Reader.UserProfiles for the user's schemas.
func Names() []string {
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic("profiles: the built-in profiles are not in the program: " + err.Error())
	}
	entries = slices.DeleteFunc(entries, fs.DirEntry.IsDir)
	return models.MapSlice(entries, func(e fs.DirEntry) string { return nameOf(e.Name()) })
}

// fileExtension is the file name extension of schemas in a folder.
const fileExtension = ".yaml"

func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), fileExtension) }

// Folder returns the folder of the user's own schemas. Open finds NAME.yaml there as NAME, like a built-in schema.
// The folder need not exist. Its location depends on the environment; see appdir.Config.
func Folder() string { return filepath.Join(appdir.Config(), "profiles") }

// UnknownError is the error of Open for a name that is neither a built-in schema nor a file, or that two of the user's
// schemas share.
type UnknownError struct {
	Name    string
	NoTable bool // whether the connection also has no table with this name

	userProfiles []string // names of the user's schemas
	duplicates   []string // the files that share the name
	err          error    // reason why some of the user's schemas are not listed
}

func (e *UnknownError) Error() string {
	switch name := models.Printable(e.Name); {
	case len(e.duplicates) > 1:
		return fmt.Sprintf("two schemas are named %q: %s and %s; use the path of one of them", name, e.duplicates[0], e.duplicates[1])
	case e.err != nil:
		return fmt.Sprintf("no %s named %q; %v", e.kinds(), name, e.err)
	}
	if e.IsFolder() {
		return fmt.Sprintf("%q is a folder, not a %s; use the path of a YAML file in it", models.Printable(e.Name), e.kinds())
	}
	hint := models.DidYouMean(e.Name, slices.Concat(Names(), e.userProfiles))
	hint = cmp.Or(hint, "; the built-in schemas are "+english.OxfordWordSeries(Names(), "and"))
	return fmt.Sprintf("no %s named %q%s", e.kinds(), models.Printable(e.Name), hint)
}

func (e *UnknownError) kinds() string {
	if e.NoTable {
		return "schema, file or table"
	}
	return "schema or file"
}

// MayBeTable reports whether the name may refer to a table, because it does not look like a file.
func (e *UnknownError) MayBeTable() bool {
	return len(e.duplicates) == 0 && models.IsTableName(e.Name) && !strings.HasSuffix(e.Name, ".yaml") && !strings.HasSuffix(e.Name, ".yml")
}

// IsFolder reports whether the name is that of a folder.
func (e *UnknownError) IsFolder() bool {
	info, err := os.Stat(e.Name)
	return err == nil && info.IsDir()
}

// HasNearName reports whether the name is close to the name of a known schema.
func (e *UnknownError) HasNearName() bool {
	return models.DidYouMean(e.Name, slices.Concat(Names(), e.userProfiles)) != ""
}

// Unwrap returns the error that prevented ddbdesk from listing some of the user's schemas, or nil.
func (e *UnknownError) Unwrap() error { return e.err }

// Open loads a built-in schema, one from the user's folder, or a file; see [Reader.Open]. vars contains values of its
// variables. The error is an *UnknownError, Errors or a file error.
func Open(name string, vars map[string]string) (*Profile, error) {
	return (*Reader)(nil).Open(name, Values{Given: vars})
}

// ReadSource returns the text of a schema, valid or not; see [Reader.Source].
func ReadSource(name string) (file string, text []byte, err error) {
	return (*Reader)(nil).Source(name)
}

// Source returns the text of the first match for a name among the built-in schemas, files and the user's schemas. To
// read a file with the name of a built-in schema, give a path such as ./NAME.yaml. The error is an *UnknownError or a
// file error.
func (r *Reader) Source(name string) (file string, text []byte, err error) {
	if text, err := builtin.ReadFile("builtin/" + name + fileExtension); err == nil && !strings.ContainsAny(name, `/\`) {
		return "builtin:" + name + fileExtension, text, nil
	}
	path := name
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		if path, err = r.find(name); err != nil {
			return "", nil, err
		}
	}
	text, err = appdir.ReadFile(path)
	if err != nil {
		if path, ok := errors.AsType[*fs.PathError](err); ok {
			err = &fs.PathError{Op: "cannot read schema", Path: path.Path, Err: path.Err}
		}
		return "", nil, err
	}
	return path, text, nil
}

func (r *Reader) find(name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return "", &UnknownError{Name: name}
	}
	files, err := r.Files()
	matches := slices.DeleteFunc(slices.Clone(files), func(path string) bool { return nameOf(path) != name })
	if len(matches) == 0 {
		matches = slices.DeleteFunc(slices.Clone(files), func(path string) bool { return !declares(path, name) })
	}
	if len(matches) == 1 {
		return matches[0], nil
	}
	return "", &UnknownError{Name: name, userProfiles: models.MapSlice(files, nameOf), duplicates: matches, err: err}
}

func declares(path, name string) bool {
	text, err := appdir.ReadFile(path)
	if err != nil {
		return false // Opening it reports the reason.
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "name:"); ok {
			value, _, _ = strings.Cut(value, " #")
			return strings.Trim(strings.TrimSpace(value), `"'`) == name
		}
	}
	return false
}

// Files returns the paths of the user's schemas, from the user's folder and the configured places, in alphabetical
// order. The error names a place that cannot be read; Files returns it with the files of the other places.
func (r *Reader) Files() ([]string, error) {
	files := inFolder(Folder())
	if r == nil || r.ExtraPaths == nil {
		return files, nil
	}
	places, err := r.ExtraPaths()
	for _, place := range places {
		info, statErr := os.Stat(place)
		switch {
		case statErr == nil && info.IsDir():
			files = append(files, inFolder(place)...)
		case statErr == nil:
			files = append(files, filepath.Clean(place))
		case err == nil:
			err = fmt.Errorf("config.yaml: profiles: no such file or folder %s", models.Printable(place))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), err
}

func inFolder(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), fileExtension) && !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// UserProfiles lists the names of the user's schemas in alphabetical order, and omits names of built-in schemas. It
// lists two files with the same name once; opening that name returns an *UnknownError.
func (r *Reader) UserProfiles() []string {
	files, _ := r.Files() // A place that cannot be read has no schemas.
	names := slices.DeleteFunc(models.MapSlice(files, nameOf), func(name string) bool { return slices.Contains(Names(), name) })
	slices.Sort(names)
	return slices.Compact(names)
}
