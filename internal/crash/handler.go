package crash

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Handler reports the first panic of a program, and signals that the program must end. It is safe for concurrent use.
type Handler struct {
	dir         string
	environment func() Environment
	crashed     chan struct{}

	mu      sync.Mutex
	failure *Failure
}

// NewHandler returns a handler that writes reports to dir. It calls setting after a panic, so setting must not block.
func NewHandler(dir string, setting func() Environment) *Handler {
	return &Handler{dir: dir, environment: setting, crashed: make(chan struct{})}
}

// A Failure is the error of a program that crashed.
type Failure struct {
	Report Report
	File   string // path of the report, "" if it could not be written
	Err    error  // the error of writing the report
}

// Error returns one line: the kind of the crash, the path of the report, and the state of changes.
func (f *Failure) Error() string {
	report := "to report it, attach " + f.File + " (no item data)"
	if f.File == "" {
		report = fmt.Sprintf("the crash report could not be written (%v)", f.Err)
	}
	return fmt.Sprintf("internal error (%s); %s. %s", f.Report.Kind, report, changesNote)
}

// changesNote is the part of a crash message about changes.
const changesNote = "Confirmed changes are in the table and the journal; for a pending change, run ddbdesk journal resolve"

// handler is global because a panic in any goroutine ends the process.
var handler atomic.Pointer[Handler]

// Install sets the handler of this process. Without a handler, or after Install(nil), nothing catches panics, so that
// they fail a test.
func Install(h *Handler) { handler.Store(h) }

// Catch passes a panic to the handler. Defer it, so that the deferring function returns after a panic. activity names
// the operation and must not contain item data.
func Catch(activity string) {
	h := handler.Load()
	if h == nil {
		return
	}
	if v := recover(); v != nil {
		h.handle(v, activity)
	}
}

// Go starts a goroutine and passes its panics to the handler. The program must start all its goroutines with Go.
func Go(activity string, f func()) {
	go func() {
		defer Catch(activity)
		f()
	}()
}

// CatchAs is like Catch, but calls activity to describe the operation only after a panic.
func CatchAs(activity func() string) {
	h := handler.Load()
	if h == nil {
		return
	}
	if v := recover(); v != nil {
		h.handle(v, describe(activity))
	}
}

// describe recovers, because activity uses the crashed state and may also panic.
func describe(activity func() string) (text string) {
	defer func() {
		if recover() != nil {
			text = "unknown"
		}
	}()
	return activity()
}

// Crashed returns a channel that closes after a panic, when the program must end. It is nil without a handler.
func Crashed() <-chan struct{} {
	if h := handler.Load(); h != nil {
		return h.crashed
	}
	return nil
}

// Err returns the *Failure after a panic, or nil.
func Err() error {
	h := handler.Load()
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure == nil {
		return nil
	}
	return h.failure
}

// handle reports the first panic. Later panics are usually its consequences.
func (h *Handler) handle(value any, activity string) {
	report := Describe(value, activity)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failure != nil {
		return
	}
	h.failure = &Failure{Report: report}
	h.failure.File, h.failure.Err = Write(h.dir, h.safeEnvironment(), report)
	close(h.crashed)
}

func (h *Handler) safeEnvironment() (s Environment) {
	defer func() { _ = recover() }()
	return h.environment()
}
