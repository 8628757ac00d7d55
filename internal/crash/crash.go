// Package crash handles panics. A [Handler] catches the panics of all goroutines that [Go] starts, writes a crash
// report without item data, and lets the program stop in an orderly way.
//
// A Handler cannot catch a panic in a library's goroutine, a fatal error of the Go runtime, or a kill. These crashes
// leave the terminal in the state that the console set.
package crash

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// A Report describes a crash. It contains no item data: a panic value may quote an item, so the report keeps only text
// of the Go runtime.
type Report struct {
	At       time.Time
	Kind     string // for example "index out of range [5] with length 3", or the type of the panic value
	Activity string // the operation, for example "*workbench.Workbench takes tea.KeyPressMsg"
	Stacks   string // stacks of all goroutines without arguments, beginning with the goroutine that panicked
}

// Describe returns the report of a panic. Call it in a deferred function, so that the stack shows the location of the
// panic.
func Describe(value any, activity string) Report {
	// Read the stack of this goroutine separately, because the list of all stacks may be truncated before it.
	current := withoutArguments(string(debug.Stack()))
	if c, ok := value.(interface{ Panic() (any, []byte) }); ok { // the panic began in another goroutine
		var stack []byte
		value, stack = c.Panic()
		current = withoutArguments(string(stack)) + "\n" + current
	}
	all := make([]byte, maxStacks)
	all = all[:runtime.Stack(all, true)]
	if _, others, ok := strings.Cut(string(all), "\n\n"); ok {
		current += "\n" + withoutArguments(others)
	}
	return Report{At: time.Now().UTC(), Kind: Kind(value), Activity: activity, Stacks: current}
}

// maxStacks is the maximum size of the stacks in bytes, enough for hundreds of goroutines.
const maxStacks = 1 << 20

// Kind describes a panic value without its data. For an error of the Go runtime, it returns the text, which quotes only
// numbers and types. For any other value, it returns the type.
func Kind(value any) string {
	if err, ok := value.(runtime.Error); ok && isRuntimeDefined(value) {
		if kind, known := runtimeText(strings.TrimPrefix(err.Error(), "runtime error: ")); known {
			return kind
		}
	}
	return fmt.Sprintf("panic with a %T", value)
}

// isRuntimeDefined checks the type, because any type may implement runtime.Error.
func isRuntimeDefined(value any) bool {
	t := reflect.TypeOf(value)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	path := t.PkgPath()
	return path == "runtime" || strings.HasPrefix(path, "internal/runtime/")
}

// knownErrors matches runtime errors that quote only numbers. Other errors quote types or values, so the report keeps
// only their prefix in knownPrefixes.
var (
	knownErrors = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(index out of range \[-?\d+\]( with length \d+)?` +
			`|slice bounds out of range \[[-\d:]*\]( with (length|capacity) \d+)?` +
			`|invalid memory address or nil pointer dereference` +
			`|integer divide by zero|integer overflow|floating point error|negative shift amount` +
			`|assignment to entry in nil map` +
			`|makeslice: (len|cap) out of range|makechan: size out of range|growslice: len out of range` +
			`|cannot convert slice with length \d+ to array or pointer to array with length \d+` +
			`|close of (nil|closed) channel|send on closed channel` +
			`|slice length too short to convert to array or pointer to array|unsafe\.\w+: .*out of range` +
			`|all goroutines are asleep - deadlock!)$`)
	})
	knownPrefixes = []string{
		"interface conversion", "hash of unhashable type", "comparing uncomparable type",
		"panic called with nil argument",
	}
)

// runtimeText returns the part of a runtime error that contains no data.
func runtimeText(text string) (kind string, known bool) {
	if knownErrors().MatchString(text) {
		return text, true
	}
	for _, prefix := range knownPrefixes {
		if strings.HasPrefix(text, prefix) {
			return prefix, true
		}
	}
	return "", false
}

// arguments matches the argument list at the end of a stack line, for example "main.f(0xc000012345, 0x5)", because
// arguments may contain item data.
var arguments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)\([^()\n]*\)$`) })

// withoutArguments keeps lines with a file name, which do not end with a parenthesis.
func withoutArguments(text string) string {
	return arguments().ReplaceAllString(strings.TrimRight(text, "\n"), "()") + "\n"
}
