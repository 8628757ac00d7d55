package crash

import (
	"regexp"
	"strings"
	"sync"
)

// stackStart matches the first line of a goroutine's stack. A quoted panic value cannot
// match, because the runtime indents all its lines but the first.
var stackStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^goroutine \d+ `) })

// signalName matches the signal that ended the program in the output of the runtime.
var signalName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\[signal )?(SIG[A-Z]+):?`) })

// parse returns the kind of a crash and the stacks without arguments from the output of
// the runtime, which quotes the panic value.
func parse(text string) (kind, stacks string) {
	head := text
	if at := stackStart().FindStringIndex(text); at != nil {
		head, stacks = text[:at[0]], withoutArguments(stackLines(text[at[0]:]))
	}
	for line := range strings.Lines(head) {
		if kind := kindFromLine(strings.TrimRight(line, "\n")); kind != "" {
			return kind, stacks
		}
	}
	return kindFromStacks(text), stacks
}

// kindFromLine returns the kind by a line before the stacks, "" for any other line.
func kindFromLine(line string) string {
	if text, ok := strings.CutPrefix(line, "panic: "); ok {
		text, _, _ = strings.Cut(text, " [recovered")
		if kind, known := runtimeText(strings.TrimSpace(strings.TrimPrefix(text, "runtime error: "))); known {
			return kind
		}
		return "panic in a library goroutine"
	}
	if m := signalName().FindStringSubmatch(line); m != nil {
		return "signal " + m[1]
	}
	return ""
}

// fatalFunctions recognizes fatal errors by the functions on the stack. The runtime writes
// their text to stderr before it starts to copy its output to the watcher.
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
		for _, f := range fatalFunctions {
			if strings.HasPrefix(stack, f.function) || strings.Contains(stack, "\n"+f.function) {
				return f.kind
			}
		}
	}
	return "fatal error of the Go runtime"
}

// stackLine matches the lines of a stack: a goroutine, a function, its position, and
// the function that started the goroutine.
var stackLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(goroutine \d+ .*\[[^\]]*\].*:|` +
		`\S.*\(.*\)|\t\S.*:\d+( \+0x[0-9a-f]+)?( .*)?|created by .*|\.\.\..*frames elided.*|)$`)
})

// stackLines removes everything else from the stacks, such as registers.
func stackLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if stackLine().MatchString(strings.TrimRight(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}
