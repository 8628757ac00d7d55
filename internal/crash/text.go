// This file cleans what the Go runtime writes when it ends a program: it quotes
// the panic's value, which may be of an item.

package crash

import (
	"regexp"
	"strings"
)

// stackBegins matches the first line of a goroutine's stack. What a panic quotes
// cannot look like it: the runtime indents all but its first line.
var stackBegins = regexp.MustCompile(`(?m)^goroutine \d+ `)

// fatal are the words of errors that the runtime cannot recover from, as far as
// they are worth telling. None of them quotes a value. Threads that meet it at
// once write into one another.
var fatal = regexp.MustCompile(`(concurrent map [a-z ]+|all goroutines are asleep - deadlock!|stack overflow|out of memory|` +
	`runtime: [a-z ]+|sync: [A-Za-z ]+|found bad pointer in Go heap|unexpected signal during runtime execution|fault|` +
	`runtime·lock: lock count|schedule: holding locks|too many open files|newosproc|[a-z]+: [a-z ]+ out of range)`)

// signalled matches how the runtime names a signal that ended the program.
var signalled = regexp.MustCompile(`^(SIG[A-Z]+|\[signal SIG[A-Z]+): ?([a-z ]*)`)

// parse reads what the runtime wrote: what kind of end it was, and the stacks
// without arguments.
func parse(text string) (kind, stacks string) {
	head, rest := text, ""
	if at := stackBegins.FindStringIndex(text); at != nil {
		head, rest = text[:at[0]], text[at[0]:]
	}
	for line := range strings.Lines(head) {
		if k := kindOf(strings.TrimRight(line, "\n")); k != "" && kind == "" {
			kind = k
		}
	}
	if kind == "" || kind == unknownFatal {
		kind = kindBelow(text)
	}
	if rest != "" {
		rest = stackOf(stackLines(rest))
	}
	return kind, rest
}

// unknownFatal is an error of the runtime of which no more is known.
const unknownFatal = "an error that the Go runtime cannot recover from"

// below are functions of the runtime by which its fatal errors are known: it does
// not always write their words where the watcher reads.
var below = []struct{ function, kind string }{
	{"internal/runtime/maps.fatal(", "concurrent use of a map"},
	{"sync.fatal(", "misuse of a lock"},
	{"internal/sync.fatal(", "misuse of a lock"},
	{"runtime.newstack(", "stack overflow"},
	{"runtime.checkdead(", "all goroutines are asleep - deadlock!"},
	{"runtime.(*mheap).", "out of memory"},
	{"runtime.sysMap", "out of memory"},
}

// kindBelow reads the first two stacks: that of the runtime, when it has one of its
// own, and that of the goroutine that broke.
func kindBelow(text string) string {
	stacks := strings.SplitN(text, "\n\n", 4)
	for _, stack := range stacks[:min(len(stacks), 3)] {
		for _, b := range below {
			if strings.HasPrefix(stack, b.function) || strings.Contains(stack, "\n"+b.function) {
				return b.kind
			}
		}
	}
	return unknownFatal
}

// kindOf reads a line before the stacks; "" is a line that says nothing.
func kindOf(line string) string {
	if words, ok := strings.CutPrefix(line, "panic: "); ok {
		words, _, _ = strings.Cut(words, " [recovered")
		if words, ok = strings.CutPrefix(words, "runtime error: "); !ok {
			words = strings.TrimSpace(words)
		}
		if kind, known := runtimeWords(words); known {
			return kind
		}
		return "a panic in a part that is not of ddbdesk"
	}
	if strings.HasPrefix(line, "fatal error: ") {
		if words := fatal.FindString(line); words != "" {
			return words
		}
		return unknownFatal
	}
	if m := signalled.FindStringSubmatch(line); m != nil {
		return "the signal " + strings.TrimPrefix(m[1], "[signal ")
	}
	return ""
}

// stackLine matches the lines of which stacks are made: a goroutine, a function,
// where that is, and who began it.
var stackLine = regexp.MustCompile(`^(goroutine \d+ .*\[[^\]]*\].*:|\S.*\(.*\)|\t\S.*:\d+( \+0x[0-9a-f]+)?( .*)?|created by .*|\.\.\..*frames elided.*|)$`)

// stackLines leaves out whatever else is among the stacks, such as registers.
func stackLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if stackLine.MatchString(strings.TrimRight(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
