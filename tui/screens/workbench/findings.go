package workbench

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

func (ou *outputs) noFindings() string {
	if ou.b.job == nil || len(ou.b.job.pattern.Findings) == 0 {
		return "no known issues"
	}
	return ""
}

func (ou *outputs) showFindings() tea.Cmd {
	p := ou.b.job.pattern
	sheet := overlay.NewSheet(ou.b.env.Styles, p.Title, func(s *widget.Styles, w int) []string {
		return findingLines(s, p, w)
	})
	sheet.Note, sheet.Key = present.Plural(len(p.Findings), "finding"), "f"
	ou.b.Box = sheet
	return nil
}

// findingLines tell what the document says, what is wrong, and what runs.
func findingLines(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	lines := []string{present.Heading(s, "The document asks", w)}
	for _, src := range p.Source {
		lines = append(lines, widget.Wrap(s, widget.RoleMuted, src, w)...)
	}
	if p.AsDocumented != nil {
		lines = append(lines, s.Paint(widget.RoleFaint, "that is: ")+present.ReadLine(s, p.AsDocumented.Read))
	}
	lines = append(lines, "", present.Heading(s, "What is wrong with it", w))
	lines = append(lines, findingBlocks(s, p, w)[1:]...)
	if p.IsRead() {
		lines = append(lines, "", present.Heading(s, "ddbdesk runs", w), present.ReadLine(s, p.Read))
		lines = append(lines, widget.Wrap(s, widget.RoleText, p.Safe, w)...)
	}
	return lines
}

// findingBlocks tell each finding in plain words.
func findingBlocks(s *widget.Styles, p *accesspatterns.Pattern, w int) []string {
	var lines []string
	for _, f := range p.Findings {
		lines = append(lines, "")
		lines = append(lines, present.FindingBlock(s, f, w)...)
	}
	return lines
}

// explain shows the requests as they are sent.
func (ou *outputs) explain() tea.Cmd {
	text, title, err := ou.requestJSON()
	if err != nil {
		return screen.Send(screen.NoticeMsg{Text: err.Error()})
	}
	sheet := overlay.NewSheet(ou.b.env.Styles, title, func(s *widget.Styles, w int) []string { return jsonLines(s, text, w) })
	sheet.Note, sheet.Key = ou.b.job.pattern.FullID(), "x"
	sheet.Copy, sheet.What = text, "the request"
	ou.b.Box = sheet
	return nil
}

// requestJSON is the request of the form as it stands, indented.
func (ou *outputs) requestJSON() (text, title string, err error) {
	j := ou.b.job
	request, err := j.request()
	if err != nil {
		return "", "", err
	}
	limit := 0
	if j.run != nil {
		limit = j.run.Limit()
	}
	if request.IsCount() {
		limit = 0
	}
	list := request.Explain(limit, request.Redactor(j.hidden))
	var out bytes.Buffer
	title = "Request"
	for i, e := range list {
		if i > 0 {
			out.WriteString("\n")
		}
		title = e.Operation
		if err := json.Indent(&out, e.Input, "", "  "); err != nil {
			return "", "", err
		}
	}
	if len(list) > 1 {
		title = present.Plural(len(list), title+" request")
	}
	return out.String(), title, nil
}

var jsonMember = regexp.MustCompile(`^(\s*)("[^"]*")(: )(.*)$`)

// jsonLines paints indented JSON: names apart from values.
func jsonLines(s *widget.Styles, text string, w int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		m := jsonMember.FindStringSubmatch(line)
		if m == nil || len(line) > w {
			lines = append(lines, widget.Wrap(s, widget.RoleText, line, w)...)
			continue
		}
		lines = append(lines, m[1]+s.Paint(widget.RoleKey, m[2])+s.Paint(widget.RoleMuted, m[3])+s.Paint(widget.RoleText, m[4]))
	}
	return lines
}
