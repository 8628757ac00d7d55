package pages

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// inMemory returns how many KB of the program's file are in memory.
func inMemory(t *testing.T) (kb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "RssFile:")
	if kb, err = strconv.Atoi(strings.Fields(rest)[0]); err != nil {
		t.Fatal(err)
	}
	return kb
}

// A program goes on without its pages, and few of them come back.
func TestReleaseReturnsThePagesOfTheProgram(t *testing.T) {
	_ = regexp.MustCompile(`^a+[b-d]*(e|f)$`).MatchString("abe") // It maps further parts of the file.
	before := inMemory(t)
	Release()
	after := inMemory(t)
	if after > before*3/4 {
		t.Errorf("%d KB of %d stay in memory", after, before)
	}
	if !regexp.MustCompile(`^a+[b-d]*(e|f)$`).MatchString("abcf") {
		t.Error("the program is not what it was")
	}
}

// A mapping that is written, or of which a page was, is kept.
func TestWrittenPagesAreKept(t *testing.T) {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	rights := map[mapping]string{}
	for line := range strings.Lines(string(maps)) {
		if f := strings.Fields(line); strings.HasSuffix(strings.TrimSpace(line), " "+program) {
			rights[rangeOf(f[0])] = f[1]
		}
	}
	list := unwritten(program)
	if len(list) == 0 {
		t.Fatal("no mapping is read-only")
	}
	for _, m := range list {
		if r := rights[m]; !strings.HasPrefix(r, "r-") || !strings.HasSuffix(r, "p") || m.start >= m.end {
			t.Errorf("%x-%x with the rights %q would be returned", m.start, m.end, r)
		}
	}
	if rangeOf("x-y") != (mapping{}) {
		t.Error("an address that cannot be read is one")
	}
}
