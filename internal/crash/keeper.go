// This file catches panics of the program's own goroutines and ends the program in
// good order.

package crash

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Keeper takes the first panic of a program, writes its file, and lets everybody
// know that the program is to end. It is safe for concurrent use.
type Keeper struct {
	dir     string
	setting func() Setting
	broken  chan struct{}

	mu      sync.Mutex
	failure *Failure
}

// NewKeeper returns a keeper that writes to a folder. The setting is asked for when
// something breaks; it must not wait.
func NewKeeper(dir string, setting func() Setting) *Keeper {
	return &Keeper{dir: dir, setting: setting, broken: make(chan struct{})}
}

// A Failure is the error of a program that broke.
type Failure struct {
	Report Report
	File   string // the crash file, "" when it could not be written
	Err    error  // why it could not
}

// Error says in one line what happened, where the details are, that nothing
// confirmed is lost, and what to do.
func (f *Failure) Error() string {
	where := "details without item data are in " + f.File
	if f.File == "" {
		where = fmt.Sprintf("its crash file could not be written (%v)", f.Err)
	}
	return fmt.Sprintf("a part of the program broke (%s), so it ended; %s: please report it. %s", f.Report.Kind, where, settled)
}

// settled is what a program that broke says about changes.
const settled = "Every change that was confirmed is in the table and the journal; `ddbdesk journal resolve` settles one that was still under way"

// keeper is the process's own: a panic in any goroutine ends all of it.
var keeper atomic.Pointer[Keeper]

// Install makes k the keeper of this process until it is called again, or with nil.
// Without a keeper panics are not caught: in tests they fail the test.
func Install(k *Keeper) { keeper.Store(k) }

// Catch is deferred where something may break. It takes a panic to the keeper; the
// function that defers it then returns. What it says is being done is constant
// text.
func Catch(doing string) {
	k := keeper.Load()
	if k == nil {
		return
	}
	if v := recover(); v != nil {
		k.take(v, doing)
	}
}

// Go starts a goroutine of the program: a panic in it is caught. All of them are
// started this way.
func Go(doing string, f func()) {
	go func() {
		defer Catch(doing)
		f()
	}()
}

// CatchAs is Catch where what is done is known only afterwards.
func CatchAs(doing func() string) {
	k := keeper.Load()
	if k == nil {
		return
	}
	if v := recover(); v != nil {
		k.take(v, said(doing))
	}
}

// said asks what is done. The answer comes from what just broke, and may break too.
func said(doing func() string) (text string) {
	defer func() {
		if recover() != nil {
			text = "unknown: what broke cannot say"
		}
	}()
	return doing()
}

// Broken is closed when something has broken and the program is to end; nil
// without a keeper.
func Broken() <-chan struct{} {
	if k := keeper.Load(); k != nil {
		return k.broken
	}
	return nil
}

// Err is the *Failure of a program that broke, nil otherwise.
func Err() error {
	k := keeper.Load()
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure == nil {
		return nil
	}
	return k.failure
}

// take keeps the first panic; others follow from it more often than not.
func (k *Keeper) take(value any, doing string) {
	report := Describe(value, doing)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure != nil {
		return
	}
	k.failure = &Failure{Report: report}
	k.failure.File, k.failure.Err = Write(k.dir, k.asked(), report)
	close(k.broken)
}

// asked is the setting, as far as it can be told.
func (k *Keeper) asked() (s Setting) {
	defer func() { _ = recover() }()
	return k.setting()
}
