package changes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/ddbdesk/ddbdesk/internal/items"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/models"
)

// A SetDocument describes a planned set in JSON. Samples contains some of its plans, masked for the user. Price is a
// rough estimate in USD at the on-demand rate of us-east-1, or null if the table has provisioned capacity.
type SetDocument struct {
	Action string `json:"action"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	Reason string `json:"reason"`
	Over   string `json:"over"`
	Where  string `json:"where"`
	// Read is the number of items that the pattern returned, Selected the number that match the filter, and Items the
	// number that the action would change.
	Read     int      `json:"read"`
	Selected int      `json:"selected"`
	Items    int      `json:"items"`
	Capacity float64  `json:"capacity"` // WCU, estimated
	Price    *float64 `json:"price"`
	// Refusals explains the difference between Selected and Items, most frequent reasons first.
	Refusals  []Obstacle `json:"refusals"`
	Samples   []Document `json:"samples"`
	Notes     []string   `json:"notes"`
	ReadUnits float64    `json:"consumedCapacity"` // RCU
	Undoes    *string    `json:"undoes,omitempty"` // ID of the sweep to undo
}

// Document returns the document of a preview, with masked samples.
func (p Preview) Document(m *models.Masker) SetDocument {
	doc := p.SetDocument
	for _, plan := range p.Plans {
		sample := DocumentOf(plan.Action, Planned, string(plan.Basis.Reason), plan.Shown(m), p.Undoes != nil)
		capacity := plan.Capacity()
		sample.Capacity = &capacity
		doc.Samples = append(doc.Samples, sample)
	}
	return doc
}

// Totals returns the JSON members after the outcomes in the document of an applied sweep. The result is text, because
// ddbdesk writes the outcomes before it while the sweep runs.
func (s Summary) Totals() string {
	text, _ := json.Marshal(s.counts()) // A map of numbers always encodes.
	return fmt.Sprintf(`"sweep":%q,"counts":%s,"consumedCapacity":%g`, s.ID, text, reading.Round(s.Capacity))
}

// Lines describes a preview for people. Plain is the wording for role support. If item is not nil, the lines are for a
// terminal: they contain a shared reason only once, and items as item returns them.
func (p Preview) Lines(m *models.Masker, plain bool, item func(key string) string) []string {
	var lines []string
	n, pattern := english.Plural(p.Items, "item", ""), p.Over
	read, written := fmt.Sprintf(", %g RCU", p.ReadUnits), fmt.Sprintf(", about %s WCU", humanize.Commaf(p.Capacity))
	if plain {
		read, written = "", ""
	}
	if p.Undoes != nil {
		lines = []string{"Undo sweep " + journal.ShortID(*p.Undoes) + ": " + n + written}
	} else {
		if plain {
			pattern = p.Selection.Pattern.Title
		}
		lines = append([]string{
			p.Selection.Action.Title + ", over " + pattern,
			fmt.Sprintf("%s selected of %s read%s", english.Plural(p.Selected, "item", ""), humanize.Comma(int64(p.Read)), read),
			n + " to change" + written + p.priceText(plain),
		}, p.Notes...)
	}
	refusals := slices.Clone(p.Refusals)
	for i, o := range refusals {
		if plain {
			refusals[i].Reason = o.plain
		}
	}
	if item != nil {
		lines, refusals = append(lines, drawnRefusals(refusals, item)...), nil
	} else if excluded := p.Selected - p.Items; excluded > 0 {
		lines = append(lines, "", english.Plural(excluded, "item", "")+" excluded:")
	}
	for _, o := range refusals {
		lines = append(lines, fmt.Sprintf("%7s  %s: %s (such as %s)", humanize.Comma(int64(o.Count)), o.Status, o.Reason, o.Example))
	}
	samples := make([][]string, len(p.Plans))
	for i, plan := range p.Plans {
		samples[i] = strings.Split(strings.Join(WriteLines(plan.Shown(m), plain, item != nil), "\n"), "\n")
	}
	isShared := func(line string) bool {
		lacks := func(sample []string) bool { return !slices.Contains(sample, line) }
		isNote := strings.HasPrefix(line, "note: ") || strings.HasPrefix(line, "not shown: ")
		return item != nil && len(samples) > 1 && isNote && !slices.ContainsFunc(samples, lacks)
	}
	for i, sample := range samples {
		lines = append(lines, "", fmt.Sprintf("Sample %d of %d", i+1, len(p.Plans)))
		lines = append(lines, slices.DeleteFunc(slices.Clone(sample), isShared)...)
	}
	if len(samples) > 0 {
		if shared := models.Filter(samples[0], isShared); len(shared) > 0 {
			lines = append(append(lines, ""), shared...)
		}
	}
	return lines
}

func drawnRefusals(list []Obstacle, item func(key string) string) (lines []string) {
	var reasons []string
	shared := map[string][]Obstacle{}
	for _, o := range list {
		_, reason, _ := strings.Cut(o.Reason, ": ")
		reason = cmp.Or(reason, o.Reason)
		if shared[reason] == nil {
			reasons = append(reasons, reason)
		}
		shared[reason] = append(shared[reason], o)
	}
	for _, reason := range reasons {
		count, causes := 0, []string(nil)
		for _, o := range shared[reason] {
			cause := strings.TrimSuffix(o.Reason, ": "+reason)
			count += o.Count
			causes = append(causes, fmt.Sprintf("%7s  %s (such as %s)", humanize.Comma(int64(o.Count)), cause, item(o.Example)))
		}
		excluded := english.Plural(count, "item", "") + " excluded"
		if len(causes) == 1 {
			o := shared[reason][0]
			lines = append(lines, "", fmt.Sprintf("%s: %s (such as %s)", excluded, o.Reason, item(o.Example)))
		} else {
			lines = append(append(lines, "", excluded+", because "+reason+":"), causes...)
		}
	}
	return lines
}

func (p Preview) priceText(plain bool) string {
	switch cent := 0.01; {
	case p.free || p.Price == nil && plain:
		return ""
	case p.Price == nil:
		return " of the provisioned capacity"
	case *p.Price < cent:
		return ", less than $0.01 on demand in us-east-1"
	}
	return fmt.Sprintf(", about $%.2f on demand in us-east-1", *p.Price)
}

// WriteCSV writes a line for each outcome, which is safe to open in a spreadsheet. It masks keys.
func WriteCSV(w io.Writer, outcomes []Outcome) error {
	rows := [][]string{{"table", "key", "status", "why", "journal"}}
	for _, o := range outcomes {
		rows = append(rows, []string{o.Table, o.Key, string(o.Status), o.Reason, o.Journal})
	}
	if err := items.WriteRecords(w, rows); err != nil {
		return fmt.Errorf("write the outcomes: %w", err)
	}
	return nil
}

func (s Summary) counts() map[Status]int {
	counts := map[Status]int{}
	for _, status := range Statuses() {
		counts[status] = s.Counts[status]
	}
	return counts
}
