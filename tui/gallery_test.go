package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
)

// variableText matches text that differs in every run: generated IDs, and times in the journal, which uses the system
// clock.
var variableText = regexp.MustCompile(`\d{8}-\d{4}-[a-z2-7]{6}|[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(Z#[0-9a-f-]{8,36})|\d{8}-\d{6}|\d+(\.\d+)? ms`)

func TestGallery(t *testing.T) { //nolint:tparallel // The places share a database.
	t.Parallel()
	if testing.Short() {
		t.Skip("-short skips tests that draw one frame after another")
	}
	cases := newHostileCases(t) // The places change nothing, so one database is enough.
	for _, sc := range scenes() {
		if sc.name == "journal" || sc.name == "command-log" || strings.HasPrefix(sc.name, "audit") || strings.HasPrefix(sc.name, "environments") {
			continue // Their times come from the system clock; other tests have golden files for them.
		}
		t.Run(sc.name, func(t *testing.T) {
			s := newStage(t, cases)
			sc.open(s)
			for _, size := range gallerySizes(sc.name) {
				s.m.update(tea.WindowSizeMsg{Width: size.W, Height: size.H})
				s.m.View() // The first frame builds content for the width.
				lines := strings.Split(ansi.Strip(s.m.View().Content), "\n")
				for i, line := range lines {
					line = variableText.ReplaceAllStringFunc(line, func(id string) string { return strings.Repeat("0", len(id)) })
					lines[i] = strings.TrimRight(line, " ")
				}
				// The last line contains a duration.
				tuitest.Golden(t, fmt.Sprintf("%dx%d", size.W, size.H), strings.Join(lines[:len(lines)-1], "\n")+"\n")
			}
		})
	}
}

// gallerySizes returns the sizes of a scene's golden files: three if its layout differs on a wide terminal, otherwise
// only the smallest.
func gallerySizes(scene string) []tuitest.Size {
	sizes := []tuitest.Size{{W: 80, H: 24}}
	switch scene {
	case "home", "rows", "item/overview":
		return append(sizes, wideSize, tuitest.Size{W: 200, H: 60})
	}
	return sizes
}
