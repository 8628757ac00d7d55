package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/crash"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// everyProfile returns the profiles of some names or files, then the built-in ones, then those of the user. A name belongs
// to one profile, the first that has it. The error says which profiles of the user cannot be used and why; the list has the
// others. Of a profile that was read before and now has errors, the list has the version without.
func (s *settings) everyProfile(first ...string) ([]*profiles.Profile, error) {
	files, placeErr := s.reader.Files()
	names := slices.Concat(first, slices.DeleteFunc(profiles.Names(), func(name string) bool { return slices.Contains(first, name) }))
	list, err := s.readProfiles(slices.Concat(names, files))
	if list == nil {
		return nil, err
	}
	faults := []error{placeErr, err}
	seen := map[string]string{} // files by the names of profiles
	var unique []*profiles.Profile
	for _, p := range list {
		file, taken := seen[p.Name]
		switch {
		case !taken:
			seen[p.Name] = p.File
			unique = append(unique, p)
		case file != p.File && slices.Contains(files, p.File):
			faults = append(faults, fmt.Errorf("%s is ignored; %s has the same name: %s", p.File, file, p.Name))
		}
	}
	return unique, errors.Join(faults...)
}

// readProfiles opens several profiles, in parallel because the user waits for all of them. They need not declare the
// variables of --var: that is checked for the one that it names. The list has those without errors, or the last version
// without errors, in the order of the names; it is nil if the variables are wrong.
func (s *settings) readProfiles(names []string) ([]*profiles.Profile, error) {
	vars, err := s.variables()
	if err != nil {
		return nil, err
	}
	shared := maps.Clone(vars.Shared)
	if shared == nil {
		shared = map[string]string{}
	}
	maps.Copy(shared, vars.Given)
	list, errs := make([]*profiles.Profile, len(names)), make([]error, len(names))
	var reading sync.WaitGroup
	for i, n := range names {
		reading.Add(1)
		crash.Go("read a profile", func() {
			defer reading.Done()
			if list[i], errs[i] = s.reader.Open(n, profiles.Values{Shared: shared, Environment: vars.Environment}); errs[i] != nil {
				list[i] = s.reader.Last(n)
			}
		})
	}
	reading.Wait()
	list = slices.DeleteFunc(list, func(p *profiles.Profile) bool { return p == nil })
	return slices.Clip(list), errors.Join(errs...)
}

// lookEvery is how often a console looks whether files of profiles changed.
const lookEvery = 5 * time.Second

// watchProfiles returns a channel with a value whenever files of profiles changed, appeared or disappeared since it last
// looked, until ended is closed. It looks at each tick.
func (o *opener) watchProfiles(ended <-chan struct{}, tick <-chan time.Time) <-chan struct{} {
	edits := make(chan struct{})
	before := o.profileStamp()
	crash.Go("watch the profiles", func() {
		for {
			select {
			case <-ended:
				return
			case <-tick:
			}
			now := o.profileStamp()
			if now == before {
				continue
			}
			before = now
			select {
			case edits <- struct{}{}:
			case <-ended:
				return
			}
		}
	})
	return edits
}

// profileStamp returns a text that differs when a file of a profile changed.
func (o *opener) profileStamp() string {
	reader := o.current().reader
	files, err := reader.Files()
	var stamp strings.Builder
	fmt.Fprintln(&stamp, err)
	for _, path := range slices.Concat(o.file, files, reader.Included()) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(&stamp, path, info.Size(), info.ModTime().UnixNano())
		}
	}
	return stamp.String()
}
