// Package crash is what the program does when a part of it breaks: the panic is
// caught where that can be done, a crash file says where it happened without a
// word of what the program was working on, and who runs the program learns of
// both. What cannot be caught (a panic in a goroutine of a library, an error that
// the runtime cannot recover from, a kill) is seen by a watcher, a process of its
// own that puts the terminal right; see Watch.
package crash

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// A Report says where the program broke. It holds no item data: a panic value may
// quote what was worked on, so only the runtime's own words are kept.
type Report struct {
	At     time.Time
	Kind   string // "index out of range [5] with length 3", or the type of the panic value
	Doing  string // the part of the program: "*screens.Workbench takes tea.KeyPressMsg"
	Stacks string // of all goroutines, the one that broke first, without arguments
}

// Describe makes a report of a panic's value. It is called while the goroutine
// still panics, so that its stack shows where.
func Describe(value any, doing string) Report {
	// The stack that broke is taken by itself: among a thousand others it may be
	// beyond the end.
	own := stackOf(string(debug.Stack()))
	if c, ok := value.(interface{ Panic() (any, []byte) }); ok { // It began in another goroutine.
		var stack []byte
		value, stack = c.Panic()
		own = stackOf(string(stack)) + "\n" + own
	}
	all := make([]byte, maxStacks)
	all = all[:runtime.Stack(all, true)]
	_, others, _ := strings.Cut(string(all), "\n\n")
	stacks := own
	if others != "" {
		stacks += "\n" + stackOf(others)
	}
	return Report{At: time.Now().UTC(), Kind: Kind(value), Doing: doing, Stacks: stacks}
}

// maxStacks is the most bytes of other goroutines' stacks that are kept: enough
// for hundreds.
const maxStacks = 1 << 20

// Kind says what kind of panic a value is, without its data. Errors of the Go
// runtime keep their words, which are about numbers and types; of all others only
// the type is told.
func Kind(value any) string {
	err, ok := value.(runtime.Error)
	if !ok || !ofRuntime(value) {
		return fmt.Sprintf("a panic with a %T", value)
	}
	words := strings.TrimPrefix(err.Error(), "runtime error: ")
	if kind, known := runtimeWords(words); known {
		return kind
	}
	return fmt.Sprintf("a panic with a %T", value)
}

// ofRuntime reports whether a value's type is the runtime's own: anybody may
// implement its interface.
func ofRuntime(value any) bool {
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	path := t.PkgPath()
	return path == "runtime" || strings.HasPrefix(path, "internal/runtime/")
}

// known are the words of the runtime that hold nothing but numbers. Of the others
// that begin in a known way, the beginning is kept.
var (
	known = regexp.MustCompile(`^(index out of range \[-?\d+\]( with length \d+)?` +
		`|slice bounds out of range \[[-\d:]*\]( with (length|capacity) \d+)?` +
		`|invalid memory address or nil pointer dereference` +
		`|integer divide by zero|integer overflow|floating point error|negative shift amount` +
		`|assignment to entry in nil map` +
		`|makeslice: (len|cap) out of range|makechan: size out of range|growslice: len out of range` +
		`|cannot convert slice with length \d+ to array or pointer to array with length \d+` +
		`|close of (nil|closed) channel|send on closed channel` +
		`|slice length too short to convert to array or pointer to array|unsafe\.\w+: .*out of range` +
		`|all goroutines are asleep - deadlock!)$`)
	begins = []string{
		"interface conversion", "hash of unhashable type", "comparing uncomparable type",
		"panic called with nil argument",
	}
)

// runtimeWords returns the words of an error of the runtime that hold no data,
// and whether they are known as such.
func runtimeWords(words string) (string, bool) {
	if known.MatchString(words) {
		return words, true
	}
	for _, b := range begins {
		if strings.HasPrefix(words, b) {
			return b, true
		}
	}
	return "", false
}

// argument lists end a line of a stack: "main.f(0xc000012345, 0x5)". A word may be
// a rune or a number of an item.
var arguments = regexp.MustCompile(`(?m)\([^()\n]*\)$`)

// stackOf is a stack without arguments. Lines with a file and its line end
// otherwise, so that every list at the end of a line is one of arguments.
func stackOf(text string) string {
	return arguments.ReplaceAllString(strings.TrimRight(text, "\n"), "()") + "\n"
}
