package crash

import (
	"regexp"
	"strings"
)

// stackStart matches the first line of a goroutine's stack. A quoted panic value cannot
// match, because the runtime indents all its lines but the first.
var stackStart = regexp.MustCompile(`(?m)^goroutine \d+ `)

// fatalErrors matches fatal errors of the runtime, none of which quotes a value. It
// matches anywhere in a line because threads that fail together mix their output.
var fatalErrors = regexp.MustCompile(`(concurrent map [a-z ]+|all goroutines are asleep - deadlock!|stack overflow|out of memory|` +
	`runtime: [a-z ]+|sync: [A-Za-z ]+|found bad pointer in Go heap|unexpected signal during runtime execution|fault|` +
	`runtime·lock: lock count|schedule: holding locks|too many open files|newosproc|[a-z]+: [a-z ]+ out of range)`)

// signalName matches the signal that ended the program in the output of the runtime.
var signalName = regexp.MustCompile(`^(SIG[A-Z]+|\[signal SIG[A-Z]+): ?([a-z ]*)`)

// parse returns the kind of a crash and the stacks without arguments from the output of
// the runtime, which quotes the panic value.
func parse(text string) (kind, stacks string) {
	head, rest := text, ""
	if at := stackStart.FindStringIndex(text); at != nil {
		head, rest = text[:at[0]], text[at[0]:]
	}
	for line := range strings.Lines(head) {
		if k := kindFromLine(strings.TrimRight(line, "\n")); k != "" && kind == "" {
			kind = k
		}
	}
	if kind == "" || kind == unknownFatal {
		kind = kindFromStacks(text)
	}
	if rest != "" {
		rest = withoutArguments(stackLines(rest))
	}
	return kind, rest
}

// unknownFatal is the kind of a fatal error that is not recognized.
const unknownFatal = "fatal error of the Go runtime"

// fatalFunctions recognizes fatal errors by the functions on the stack, because the
// runtime does not always write their text where the watcher reads it.
var fatalFunctions = []struct{ function, kind string }{
	{"internal/runtime/maps.fatal(", "concurrent use of a map"},
	{"sync.fatal(", "misuse of a lock"},
	{"internal/sync.fatal(", "misuse of a lock"},
	{"runtime.newstack(", "stack overflow"},
	{"runtime.checkdead(", "all goroutines are asleep - deadlock!"},
	{"runtime.(*mheap).", "out of memory"},
	{"runtime.sysMap", "out of memory"},
}

// kindFromStacks returns the kind by the first stacks: that of the runtime, if it has
// its own, and that of the crashed goroutine.
func kindFromStacks(text string) string {
	stacks := strings.SplitN(text, "\n\n", 4)
	for _, stack := range stacks[:min(len(stacks), 3)] {
		for _, b := range fatalFunctions {
			if strings.HasPrefix(stack, b.function) || strings.Contains(stack, "\n"+b.function) {
				return b.kind
			}
		}
	}
	return unknownFatal
}

// kindFromLine returns the kind by a line before the stacks, "" for any other line.
func kindFromLine(line string) string {
	if text, ok := strings.CutPrefix(line, "panic: "); ok {
		text, _, _ = strings.Cut(text, " [recovered")
		if text, ok = strings.CutPrefix(text, "runtime error: "); !ok {
			text = strings.TrimSpace(text)
		}
		if kind, known := runtimeText(text); known {
			return kind
		}
		return "panic in a library goroutine"
	}
	if strings.HasPrefix(line, "fatal error: ") {
		if text := fatalErrors.FindString(line); text != "" {
			return text
		}
		return unknownFatal
	}
	if m := signalName.FindStringSubmatch(line); m != nil {
		return "signal " + strings.TrimPrefix(m[1], "[signal ")
	}
	return ""
}

// stackLine matches the lines of a stack: a goroutine, a function, its position, and
// the function that started the goroutine.
var stackLine = regexp.MustCompile(`^(goroutine \d+ .*\[[^\]]*\].*:|` +
	`\S.*\(.*\)|\t\S.*:\d+( \+0x[0-9a-f]+)?( .*)?|created by .*|\.\.\..*frames elided.*|)$`)

// stackLines removes everything else from the stacks, such as registers.
func stackLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if stackLine.MatchString(strings.TrimRight(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
