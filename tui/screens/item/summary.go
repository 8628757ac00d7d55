package item

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// summaryData contains the data for a summary.
type summaryData struct {
	name, id string
	entity   *models.Entity // nil if no entity matches
	item     models.Item    // masked
	expires  time.Time      // zero if the item does not expire
	moves    []changes.Move
	queues   []changes.Membership
	from     screen.Rank
	entries  []timeline.Entry // masked, newest first
	actions  []*change.Action // actions of the entity
	session  *session.Viewer
	label    func(path string) string // returns the label of an attribute
	now      time.Time                // in the screens' time zone
}

// A Summary describes an item: its title, its states and when they started, its pending decisions, and the next steps.
// All values are masked.
type Summary struct {
	Name, ID string
	States   []StateNow
	Queues   []QueueNow // queues that contain the item
	Next     []present.Step
	May      string // hint about the actions that the role can take, or ""
	Events   []Event
	Expires  time.Time // zero if the item does not expire
	Now      time.Time
}

// A StateNow is the current state within a lifecycle.
type StateNow struct {
	Label, Description string
	Kind               models.StateKind // "" if the schema does not describe the state
	Since              time.Time        // zero if unknown
}

// A QueueNow is a queue that contains the item. Reason is "" if the state explains it.
type QueueNow struct{ Title, Because string }

// An Event is a history entry that Sentence describes.
type Event struct {
	When              time.Time // zero if StoredTime is not a valid time
	Moment            string    // time as stored
	Text, Who, Reason string
}

func summarize(k summaryData) Summary {
	s := Summary{Name: k.name, ID: k.id, Expires: k.expires, Now: k.now}
	for _, e := range k.entries {
		s.Events = append(s.Events, eventOf(e, k.entity, k.actions))
	}
	if k.entity == nil {
		return s
	}
	for _, l := range k.entity.Lifecycles {
		if now, ok := k.state(l); ok {
			s.States = append(s.States, now)
		}
	}
	for _, m := range k.queues {
		if len(m.Unmet) == 0 && len(m.Queue.Params) == 0 { // Queues with parameters belong to another item.
			now := QueueNow{m.Queue.Title, k.conditionTime(m)}
			if k.from.Queue == m.Queue {
				now.Because = present.Join(humanize.Ordinal(k.from.At)+" of "+present.Thousands(k.from.Of), now.Because, ", ")
			}
			s.Queues = append(s.Queues, now)
		}
	}
	for _, m := range k.moves {
		s.Next = append(s.Next, present.StepOf(m))
	}
	if len(k.moves) > 0 {
		s.May = k.may()
	}
	return s
}

func eventOf(e timeline.Entry, entity *models.Entity, actions []*change.Action) Event {
	return Event{e.When, e.WhenText, e.Sentence(entity, actions), e.User(), e.Reason}
}

func (k summaryData) state(l *models.Lifecycle) (StateNow, bool) {
	stays := timeline.StatePeriods(l, k.item, k.entries)
	if len(stays) == 0 {
		return StateNow{}, false
	}
	stay := stays[len(stays)-1]
	now := StateNow{Label: stay.State, Since: stay.Since}
	if known := l.State(stay.State); known != nil {
		now.Label, now.Kind, now.Description = cmp.Or(known.Label, known.Name), known.Kind, known.Description
	}
	return now, true
}

// conditionTime describes when the item met a condition, if the item contains that time; otherwise it returns "".
func (k summaryData) conditionTime(m changes.Membership) string {
	for _, c := range m.Met {
		if !c.Compare.IsOrdering() {
			continue
		}
		for _, path := range timesOf(k.entity, c.Attribute) {
			if at, ok := k.time(path); ok {
				return k.timeWords(path, at)
			}
		}
	}
	return ""
}

// timesOf returns the time attributes that a condition on name compares: name itself, or attributes in its key.
func timesOf(e *models.Entity, name string) []string {
	paths := []string{name}
	if t, ok := e.KeyTemplate(name); ok {
		paths = t.Placeholders()
	}
	return slices.DeleteFunc(paths, func(path string) bool {
		a := e.Attribute(path)
		return a == nil || !a.Format.IsTime() || a.Sensitive != models.Open
	})
}

func (k summaryData) time(path string) (time.Time, bool) {
	text, ok := k.item.Text(path)
	if !ok {
		return time.Time{}, false
	}
	return k.entity.Attribute(path).Format.ReadTime(text)
}

// pastVerbs maps verbs in the titles of times, such as "Auction ends", to their past tense.
var pastVerbs = map[string]string{"ends": "ended", "expires": "expired", "starts": "started", "begins": "began", "closes": "closed"}

// timeWords describes an attribute's time: "the auction ended 5 h ago", "created 3 d ago", "next retry in 2 min".
func (k summaryData) timeWords(path string, at time.Time) string {
	title := k.entity.Attribute(path).Title
	if title == "" {
		return k.label(path) + " " + present.Age(at, k.now)
	}
	words := strings.Fields(strings.ToLower(title[:1]) + title[1:])
	last := &words[len(words)-1]
	if old := pastVerbs[*last]; old != "" {
		if !at.After(k.now) {
			*last = old
		}
		if len(words) > 1 {
			words = slices.Insert(words, 0, "the")
		}
	}
	return strings.Join(words, " ") + " " + present.Age(at, k.now)
}

// may describes the actions of the session's role. It never suggests switching roles.
func (k summaryData) may() string {
	apply, request := false, false
	var refusal error
	for _, m := range k.moves {
		if m.Action == nil || k.session.CanPlan(m.Action) != nil {
			continue
		}
		switch err := k.session.CanChange(m.Action); {
		case err != nil:
			refusal = err
			request = request || k.session.CanChangeOrRequest(m.Action) == nil
		case m.Why == "":
			apply = true
		}
	}
	switch {
	case apply:
		return "Press o to act"
	case request:
		return "Press o to request a change"
	case refusal == nil:
		return "No action of the schema makes this change"
	case k.session.Role() == session.Admin:
		return refusalWords(refusal)
	}
	return "Only an admin can act · y s copy a summary"
}

func refusalWords(err error) string {
	text, _, _ := strings.Cut(err.Error(), "; ")
	return text
}

// State describes the item's states and when they started.
func (s Summary) State() string {
	var parts []string
	for _, now := range s.States {
		text := now.Label
		if !now.Since.IsZero() {
			text += " since " + present.Stamp(now.Since, s.Now) + ", " + present.Span(max(s.Now.Sub(now.Since), 0))
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// Where names the queues that contain the item and the reasons, or returns "" if there are none.
func (s Summary) Where() string {
	var parts []string
	for _, q := range s.Queues {
		text := strconv.Quote(q.Title)
		if q.Because != "" {
			text += ": " + q.Because
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "In queue " + strings.Join(parts, ", ")
}

// Expiry describes when the item expires or expired. It returns "" if the item does not expire. DynamoDB deletes an
// item only within days after its time to live, so reads can return expired items.
func (s Summary) Expiry() string {
	switch {
	case s.Expires.IsZero():
		return ""
	case s.Expires.After(s.Now):
		day, _, _ := strings.Cut(present.At(s.Expires, s.Now), ":")
		return "expires " + day[:strings.LastIndexByte(day, ' ')] + ", " + present.Age(s.Expires, s.Now)
	}
	return "expired " + present.Age(s.Expires, s.Now) + "; DynamoDB removes it within days"
}

// Steps describes the next steps, grouped by actor, as far as they fit into w cells.
func (s Summary) Steps(w int) string {
	if len(s.Next) == 0 {
		return s.final()
	}
	for n := len(s.Next); ; n-- {
		text := present.StepWords(s.Next[:n])
		if rest := len(s.Next) - n; rest > 0 {
			text += " +" + strconv.Itoa(rest)
		}
		if n == 1 || len([]rune(text)) <= w {
			return text
		}
	}
}

// final describes states without a next step, or returns "" if the schema does not describe one of them.
func (s Summary) final() string {
	is := func(kind models.StateKind) bool {
		return slices.ContainsFunc(s.States, func(now StateNow) bool { return now.Kind == kind })
	}
	switch text := strings.Join(models.NamesOf(s.States, func(now StateNow) string { return now.Label }), " and "); {
	case text == "" || is(""):
		return ""
	case is(models.StateOpen):
		return "The schema documents no step after " + text
	case len(s.States) > 1:
		return text + " are final states, so nothing follows"
	default:
		return text + " is a final state, so nothing follows"
	}
}

// Words returns the event as a sentence: "Queued for review by the system, 24 Nov 10:59".
func (e Event) Words(now time.Time) string {
	text := e.Text
	if e.Who != "" {
		text += " by " + e.Who
	}
	return text + ", " + e.moment(now)
}

func (e Event) moment(now time.Time) string {
	if e.When.IsZero() {
		return e.Moment
	}
	return present.At(e.When, now)
}

// ticketEvents is the maximum number of recent events in a ticket.
const ticketEvents = 3

// Ticket returns the summary as text for a ticket. place names the schema and the environment. link opens the item, and
// may be "".
func (s Summary) Ticket(place, link string) string {
	lines := []string{strings.TrimSpace(s.Name+" "+s.ID) + " (" + place + ")"}
	put := func(label, text string) {
		if text != "" {
			lines = append(lines, label+strings.TrimSuffix(models.Printable(text), ".")+".")
		}
	}
	put("", present.Join(s.State(), upper(s.Expiry()), ". "))
	put("", s.Where())
	var last []string
	for _, e := range s.Events[:min(len(s.Events), ticketEvents)] {
		words := e.Words(s.Now)
		if e.Reason != "" {
			words += " (" + e.Reason + ")"
		}
		last = append(last, words)
	}
	put("Last: ", strings.Join(last, "; "))
	if len(s.Next) > 0 {
		put("Next: ", present.StepWords(s.Next))
	}
	if link != "" {
		lines = append(lines, link)
	}
	return strings.Join(lines, "\n") + "\n"
}

func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// metReasons explains why an item is in a queue: by a time, else by the values that the queue looks for.
func (k summaryData) metReasons(m changes.Membership) []string {
	if text := k.conditionTime(m); text != "" {
		return []string{upper(text) + "."}
	}
	var lines []string
	for _, c := range m.Met {
		a := k.entity.Attribute(c.Attribute)
		text, ok := k.item.Text(c.Attribute)
		if ok && a != nil && a.Sensitive == models.Open && len(c.Values) > 0 {
			lines = append(lines, k.label(c.Attribute)+" is "+k.value(c.Attribute, text)+".")
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "It meets every condition of the queue.")
	}
	return lines
}

func (k summaryData) unmetReasons(m changes.Membership) []string {
	var lines []string
	for _, c := range m.Unmet {
		if text := k.unmet(c); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	return lines
}

func (k summaryData) unmet(c accesspatterns.Condition) string {
	if len(c.Any) > 0 || c.Size {
		return "It does not meet a condition on " + strings.Join(models.NamesOf(c.Attributes(), k.label), " or ") + "."
	}
	a := k.entity.Attribute(c.Attribute)
	times := timesOf(k.entity, c.Attribute)
	switch {
	case c.Compare == accesspatterns.Exists:
		return "It has no " + k.keyWords(c.Attribute) + ", by which the queue finds items."
	case len(times) > 0:
		if at, ok := k.time(times[0]); ok {
			return k.label(times[0]) + " is " + present.When(at, k.now) + ", outside of the time that the queue covers."
		}
		return "It has no " + k.label(times[0]) + "."
	case a == nil || a.Sensitive != models.Open:
		return upper(k.keyWords(c.Attribute)) + " does not match the queue's condition."
	}
	operator := strings.ToLower(strings.ReplaceAll(string(c.Compare), "_", " ")) + " "
	if c.Compare == accesspatterns.Equal || c.Compare == accesspatterns.In {
		operator = ""
	}
	has := "nothing"
	if text, ok := k.item.Text(c.Attribute); ok {
		has = k.value(c.Attribute, text)
	}
	var needed []string
	for _, v := range c.Values {
		text, _ := models.ValueText(v)
		needed = append(needed, k.value(c.Attribute, text))
	}
	return k.label(c.Attribute) + " is " + has + "; the queue has " + operator + strings.Join(needed, " or ") + "."
}

func (k summaryData) keyWords(name string) string {
	t, ok := k.entity.KeyTemplate(name)
	if !ok || len(t.Placeholders()) == 0 {
		return k.label(name)
	}
	return strings.Join(models.NamesOf(t.Placeholders(), k.label), " and ")
}

func (k summaryData) value(path, text string) string {
	if l := k.entity.Lifecycle(path); l != nil {
		if s := l.State(text); s != nil {
			return cmp.Or(s.Label, s.Name)
		}
	}
	return k.entity.Attribute(path).Labeled(text)
}
