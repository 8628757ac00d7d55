// The conformance suite reads and writes these files, and expands the short forms in them.
//
// A file has a header and a list of cases. The header may name servers that lack the feature of the file ("# Lacking:
// server server"). A case has a name and a sequence of requests and responses:
//
//	case a put without its sort key
//	docs: The item must have all attributes of the primary key.
//	PutItem {"TableName":"$pairs","Item":{"pk":{"S":"$id"}}}
//	400 ValidationException: One or more parameter values were invalid: Missing the key sk in the item
//	! dynoxide 400 ValidationException: ...
//
// A request is an operation and a body; "unsigned" before it omits the signature. A response is a status and a body, or
// for an error its name without namespace and its message. "200 in any order" ignores the order of lists; "200 with"
// compares only the given members. A line that starts with a space continues the previous line, and # starts a comment.
//
// A line that starts with ! is the known different response of a server. The case then quotes the AWS documentation
// after docs:, and the response above the ! follows it. A line that starts with ~ names the servers that word the same
// error differently, because AWS does not document the wording, which also differs between regions.
//
// A line that starts with = names a value of the previous response by its path: "= shard
// StreamDescription.Shards.0.ShardId". Later requests in the case use it as $got.shard. An operation of DynamoDB
// Streams begins with "Streams.".
//
//	$pairs    the name of a table of setup.txt on this server
//	$arn.pairs its ARN
//	$id       text that no other case uses
//	$x(9)     nine letters x
//	$lists(9) $ends(9)  the start and end of nine nested lists

package embedded

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// conformanceCase is one case of a file.
type conformanceCase struct {
	name  string
	notes []string // comments and quotes from the documentation, verbatim
	steps []*conformanceStep
}

// conformanceStep is one request and its response.
type conformanceStep struct {
	request      string
	answer       string
	known        []string // "server answer" of servers with another response
	kept         []string // "name path" of values for later requests
	otherWording []string // servers with another wording of the error
}

// isDocumented reports whether the case quotes the AWS documentation.
func (c *conformanceCase) isDocumented() bool {
	return slices.ContainsFunc(c.notes, func(s string) bool { return strings.HasPrefix(s, "docs: ") })
}

// knownResponse returns the known different response of a server.
func (st *conformanceStep) knownResponse(server string) (string, bool) {
	for _, line := range st.known {
		if answer, ok := strings.CutPrefix(line, server+" "); ok {
			return answer, true
		}
	}
	return "", false
}

// readCases reads a file; head is the text before the first case.
func readCases(t *testing.T, file string) (head string, cases []*conformanceCase) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "\n\n")
	isAnswer := regexp.MustCompile(`^[0-9]{3}( |$)`)
	for line := range strings.SplitSeq(unwrapped(rest), "\n") {
		name, isName := strings.CutPrefix(line, "case ")
		if !isName && line != "" && len(cases) == 0 {
			t.Fatalf("%s: %q precedes the first case", file, line)
		}
		switch {
		case line == "":
		case isName:
			cases = append(cases, &conformanceCase{name: name})
		default:
			if err := cases[len(cases)-1].add(line, isAnswer.MatchString(line)); err != nil {
				t.Fatalf("%s: %s: %v", file, cases[len(cases)-1].name, err)
			}
		}
	}
	return head, cases
}

// lacks reports whether a file does not apply to a server.
func lacks(head, server string) bool {
	_, names, _ := strings.Cut(head, "\n# Lacking: ")
	names, _, _ = strings.Cut(names, "\n")
	return slices.Contains(strings.Fields(names), server)
}

// add parses one line of a case.
func (c *conformanceCase) add(line string, isAnswer bool) error {
	known, isKnown := strings.CutPrefix(line, "! ")
	reword, isReword := strings.CutPrefix(line, "~ ")
	capture, isKept := strings.CutPrefix(line, "= ")
	switch {
	case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "docs: "):
		c.notes = append(c.notes, line)
	case !isAnswer && !isKnown && !isReword && !isKept:
		c.steps = append(c.steps, &conformanceStep{request: line})
	case len(c.steps) == 0:
		return fmt.Errorf("response without a request: %s", line)
	case isKnown:
		last := c.steps[len(c.steps)-1]
		last.known = append(last.known, known)
	case isKept:
		last := c.steps[len(c.steps)-1]
		last.kept = append(last.kept, capture)
	case isReword:
		c.steps[len(c.steps)-1].otherWording = strings.Fields(reword)
	default:
		c.steps[len(c.steps)-1].answer = line
	}
	return nil
}

// writeCases writes a file in the format of readCases.
func writeCases(file, head string, cases []*conformanceCase) error {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "\ncase %s\n", c.name)
		for _, note := range c.notes {
			b.WriteString(note + "\n")
		}
		for _, st := range c.steps {
			b.WriteString(wrapped(st.request) + "\n" + wrapped(st.answer) + "\n")
			if len(st.otherWording) > 0 {
				b.WriteString("~ " + strings.Join(st.otherWording, " ") + "\n")
			}
			for _, capture := range st.kept {
				b.WriteString("= " + capture + "\n")
			}
			for _, known := range st.known {
				b.WriteString(wrapped("! "+known) + "\n")
			}
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// wrapped breaks a long line after a comma between members, or at a space. unwrapped joins the lines again.
func wrapped(line string) string {
	const width = 140
	var b strings.Builder
	for len(line) > width {
		at := strings.LastIndex(line[:width], `,"`)
		if at < width/3 {
			at = strings.LastIndex(line[:width], " ")
		}
		if at < width/3 {
			break
		}
		b.WriteString(strings.TrimRight(line[:at+1], " ") + "\n  ")
		line = line[at+1:]
	}
	return b.String() + line
}

func unwrapped(text string) string {
	text = regexp.MustCompile(`,\n[ \t]+(["{])`).ReplaceAllString(text, ",$1")
	return regexp.MustCompile(`\n[ \t]+`).ReplaceAllString(text, " ")
}

// shorthand expands the short forms for one case on one server.
type shorthand struct {
	prefix string            // prefix of table names
	arns   map[string]string // by name without the prefix
	id     string
	got    map[string]string // values from responses of the case
}

var (
	shortForm = regexp.MustCompile(`\$(x|lists|ends)\(([0-9]+)\)|\$arn\.([a-z]+)|\$got\.([a-z]+)|\$([a-z]+)`)
	repeated  = map[string]string{"x": "x", "lists": `{"L":[`, "ends": `]}`}
)

func (s *shorthand) expand(text string) string {
	return shortForm.ReplaceAllStringFunc(text, func(form string) string {
		m := shortForm.FindStringSubmatch(form)
		switch {
		case m[1] != "":
			n, err := strconv.Atoi(m[2])
			if err != nil {
				return form
			}
			return strings.Repeat(repeated[m[1]], n)
		case m[3] != "":
			return s.arns[m[3]]
		case m[4] != "":
			return s.got[m[4]]
		case m[5] == "id":
			return s.id
		}
		return s.prefix + m[5]
	})
}

// keep stores the values of a response for later requests.
func (s *shorthand) keep(st *conformanceStep, answer string) error {
	for _, line := range st.kept {
		name, path, _ := strings.Cut(line, " ")
		var at any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(answer, "200 ")), &at); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		for part := range strings.SplitSeq(path, ".") {
			switch v := at.(type) {
			case map[string]any:
				at = v[part]
			case []any:
				i, err := strconv.Atoi(part)
				if err != nil || i >= len(v) {
					return fmt.Errorf("%s: got %d elements", line, len(v))
				}
				at = v[i]
			}
		}
		text, ok := at.(string)
		if !ok {
			return fmt.Errorf("%s: the response contains %v", line, at)
		}
		s.got[name] = text
	}
	return nil
}
