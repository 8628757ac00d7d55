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
	name, id    string
	entity      *models.Entity // nil if no entity matches
	item        models.Item    // masked
	expires     time.Time      // zero if the item does not expire
	deletion    time.Time      // zero unless DynamoDB deletes the item at another time
	transitions []changes.TransitionOffer
	queues      []changes.Membership
	rank        screen.Rank
	entries     []timeline.Entry // masked, newest first
	actions     []*change.Action // actions of the entity
	request     string           // newest pending change request, or ""
	session     *session.Viewer
	label       func(path string) string // returns the label of an attribute
	now         time.Time                // in the screens' time zone
}

// A Summary describes an item: its title, its states and when they started, its pending decisions, and the next steps.
// All values are masked.
type Summary struct {
	Name, ID   string
	States     []CurrentState
	Queues     []CurrentQueue // queues that contain the item
	Next       []present.Step
	ActionHint string // pending change request, or a hint about the actions that the role can take, or ""
	Events     []Event
	Expires    time.Time // zero if the item does not expire
	Deletion   time.Time // zero unless DynamoDB deletes the item at another time
	Now        time.Time
}

// A CurrentState is the current state within a lifecycle. Reason describes why the item entered it, or is "".
type CurrentState struct {
	Label, Description, Reason string
	Kind                       models.StateKind // "" if the schema does not describe the state
	Since                      time.Time        // zero if unknown
}

// A CurrentQueue is a queue that contains the item. Reason is "" if the state explains it.
type CurrentQueue struct{ Title, Reason string }

// An Event is a history entry that Sentence describes.
type Event struct {
	When              time.Time // zero if StoredTime is not a valid time
	StoredTime        string    // time as stored
	Text, Who, Reason string
}

func summarize(data summaryData) Summary {
	s := Summary{Name: data.name, ID: data.id, Expires: data.expires, Deletion: data.deletion, Now: data.now}
	for _, e := range data.entries {
		s.Events = append(s.Events, eventOf(e, data.entity, data.actions, data.label))
	}
	if data.entity == nil {
		return s
	}
	for _, l := range data.entity.Lifecycles {
		if current, ok := data.state(l); ok {
			s.States = append(s.States, current)
		}
	}
	for _, m := range data.queues {
		if len(m.Unmet) == 0 && len(m.Queue.Params) == 0 { // Queues with parameters belong to another item.
			queue := CurrentQueue{m.Queue.Title, data.conditionTime(m)}
			if data.rank.Queue == m.Queue {
				queue.Reason = present.Join(humanize.Ordinal(data.rank.At)+" of "+present.Thousands(data.rank.Of), queue.Reason, ", ")
			}
			s.Queues = append(s.Queues, queue)
		}
	}
	for _, m := range data.transitions {
		s.Next = append(s.Next, present.StepOf(m))
	}
	if s.ActionHint = data.request; s.ActionHint == "" && len(data.transitions) > 0 {
		s.ActionHint = data.actionHint()
	}
	return s
}

func eventOf(e timeline.Entry, entity *models.Entity, actions []*change.Action, label func(path string) string) Event {
	text := e.Sentence(entity, actions)
	if entity != nil && strings.HasPrefix(e.What, change.RawEdit) {
		var names []string
		for _, c := range models.WithoutKeys(entity, e.Changes()) {
			if c.Path != entity.Updated && c.Path != entity.Version {
				names = append(names, label(c.Path))
			}
		}
		text = present.Join(text, present.ShortList(names, 3), " ")
	}
	return Event{e.When, e.WhenText, text, e.User(), e.Reason}
}

func (d summaryData) state(l *models.Lifecycle) (CurrentState, bool) {
	periods := timeline.StatePeriods(l, d.item, d.entries)
	if len(periods) == 0 {
		return CurrentState{}, false
	}
	period := periods[len(periods)-1]
	current := CurrentState{Label: period.State, Since: period.Since}
	if state := l.State(period.State); state != nil {
		current.Label, current.Kind, current.Description = cmp.Or(state.Label, state.Name), state.Kind, state.Description
	}
	hasAction := func(m changes.TransitionOffer) bool { return m.Action != nil }
	e, _ := models.Find(d.entries, func(e timeline.Entry) bool {
		return e.Trail != nil && e.Trail.Reason != "" && !e.When.IsZero() && e.When.Equal(current.Since)
	})
	switch {
	case e.Trail == nil:
	case e.Reason != "":
		current.Reason = "reason: " + e.Reason
	case current.Kind == models.StateBad, current.Kind == models.StateOpen && !slices.ContainsFunc(d.transitions, hasAction):
		current.Reason = "no reason recorded"
	}
	return current, true
}

// conditionTime describes when the item met a condition, if the item contains that time; otherwise it returns "".
func (d summaryData) conditionTime(m changes.Membership) string {
	for _, c := range m.Met {
		if !c.Compare.IsOrdering() {
			continue
		}
		for _, path := range timesOf(d.entity, c.Attribute) {
			if at, ok := d.time(path); ok {
				return d.timeWords(path, at)
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
		return a == nil || !a.Format.IsTime() || a.Sensitive != models.NotSensitive
	})
}

func (d summaryData) time(path string) (time.Time, bool) {
	text, ok := d.item.Text(path)
	if !ok {
		return time.Time{}, false
	}
	return d.entity.Attribute(path).Format.ReadTime(text)
}

// pastVerbs maps verbs in the titles of times, such as "Auction ends", to their past tense.
var pastVerbs = map[string]string{"ends": "ended", "expires": "expired", "starts": "started", "begins": "began", "closes": "closed"}

// timeWords describes an attribute's time: "the auction ended 5 h ago", "created 3 d ago", "next retry in 2 min".
func (d summaryData) timeWords(path string, at time.Time) string {
	title := d.entity.Attribute(path).Title
	if title == "" {
		return d.label(path) + " " + present.Age(at, d.now)
	}
	words := strings.Fields(strings.ToLower(title[:1]) + title[1:])
	last := &words[len(words)-1]
	if past := pastVerbs[*last]; past != "" {
		if !at.After(d.now) {
			*last = past
		}
		if len(words) > 1 {
			words = slices.Insert(words, 0, "the")
		}
	}
	return strings.Join(words, " ") + " " + present.Age(at, d.now)
}

// actionHint describes the actions of the session's role. It never suggests switching roles.
func (d summaryData) actionHint() string {
	canApply, canRequest := false, false
	var refusal error
	for _, m := range d.transitions {
		if m.Action == nil || d.session.CanPlan(m.Action) != nil {
			continue
		}
		switch err := d.session.CanChange(m.Action); {
		case err != nil:
			refusal = err
			canRequest = canRequest || d.session.CanChangeOrRequest(m.Action) == nil
		case m.Reason == "":
			canApply = true
		}
	}
	switch {
	case canApply:
		return "Press o to act"
	case canRequest:
		return "Press o to request a change"
	case refusal == nil:
		return "No action possible"
	case d.session.Role() == session.Admin:
		return refusalProblem(refusal)
	}
	return "Only an admin can act · y s copy a summary"
}

func refusalProblem(err error) string {
	text, _, _ := strings.Cut(err.Error(), "; ")
	return text
}

// StateText describes the item's states and when they started.
func (s Summary) StateText() string {
	var parts []string
	for _, now := range s.States {
		text := now.Label
		if !now.Since.IsZero() {
			text += " since " + present.Stamp(now.Since, s.Now) + ", " + strings.TrimSuffix(present.Age(now.Since, s.Now), " ago")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// QueueText names the queues that contain the item and the reasons, or returns "" if there are none.
func (s Summary) QueueText() string {
	var parts []string
	for _, q := range s.Queues {
		text := strconv.Quote(q.Title)
		if q.Reason != "" {
			text += ": " + q.Reason
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
	day := func(at time.Time) string {
		text := present.At(at, s.Now)
		return text[:strings.LastIndexByte(text, ' ')]
	}
	text := "item expired " + present.Age(s.Expires, s.Now)
	switch {
	case s.Expires.IsZero():
		return ""
	case s.Expires.Sub(s.Now) > 24*time.Hour:
		text = "expires " + day(s.Expires) + ", " + present.Age(s.Expires, s.Now)
	case s.Expires.After(s.Now):
		text = "expires " + present.Stamp(s.Expires, s.Now) + ", " + present.Age(s.Expires, s.Now)
	}
	switch {
	case s.Deletion.After(s.Now):
		return text + "; its deletion is set to " + day(s.Deletion)
	case !s.Deletion.IsZero() || !s.Expires.After(s.Now):
		return text + "; DynamoDB deletes it within days"
	}
	return text
}

// Steps describes the next steps, grouped by actor, as far as they fit into w cells.
func (s Summary) Steps(w int) string {
	if len(s.Next) == 0 {
		return s.finalText()
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

// finalText describes states without a next step, or returns "" if the schema does not describe one of them.
func (s Summary) finalText() string {
	hasKind := func(kind models.StateKind) bool {
		return slices.ContainsFunc(s.States, func(now CurrentState) bool { return now.Kind == kind })
	}
	switch text := strings.Join(models.MapSlice(s.States, func(now CurrentState) string { return now.Label }), " and "); {
	case text == "" || hasKind(""):
		return ""
	case hasKind(models.StateOpen):
		return "The schema documents no step after " + text
	case len(s.States) > 1:
		return text + " are final states"
	default:
		return text + " is a final state"
	}
}

// Sentence returns the event as a sentence: "Queued for review by the system, 24 Nov 10:59".
func (e Event) Sentence(now time.Time) string {
	text := e.Text
	if e.Who != "" {
		text += " by " + e.Who
	}
	return text + ", " + e.moment(now)
}

func (e Event) moment(now time.Time) string {
	if e.When.IsZero() {
		return e.StoredTime
	}
	return present.At(e.When, now)
}

// ticketEvents is the maximum number of recent events in a ticket.
const ticketEvents = 3

// Ticket returns the summary as text for a ticket. place names the schema and the environment. link opens the item, and
// may be "".
func (s Summary) Ticket(place, link string) string {
	lines := []string{strings.TrimSpace(s.Name+" "+s.ID) + " (" + place + ")"}
	addLine := func(label, text string) {
		if text != "" {
			lines = append(lines, label+strings.TrimSuffix(models.Printable(text), ".")+".")
		}
	}
	addLine("", present.Join(s.StateText(), upperFirst(s.Expiry()), ". "))
	addLine("", s.QueueText())
	var last []string
	for _, e := range s.Events[:min(len(s.Events), ticketEvents)] {
		words := e.Sentence(s.Now)
		if e.Reason != "" {
			words += " (" + e.Reason + ")"
		}
		last = append(last, words)
	}
	addLine("Last: ", strings.Join(last, "; "))
	if len(s.Next) > 0 {
		addLine("Next: ", present.StepWords(s.Next))
	}
	if link != "" {
		lines = append(lines, link)
	}
	return strings.Join(lines, "\n") + "\n"
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// metReasons explains why an item is in a queue: by a time, else by the values that the queue looks for.
func (d summaryData) metReasons(m changes.Membership) []string {
	if text := d.conditionTime(m); text != "" {
		return []string{upperFirst(text) + "."}
	}
	var lines []string
	for _, c := range m.Met {
		a := d.entity.Attribute(c.Attribute)
		text, ok := d.item.Text(c.Attribute)
		if ok && a != nil && a.Sensitive == models.NotSensitive && len(c.Values) > 0 {
			lines = append(lines, d.label(c.Attribute)+" is "+d.value(c.Attribute, text)+".")
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "It meets every condition of the queue.")
	}
	return lines
}

func (d summaryData) unmetReasons(m changes.Membership) []string {
	var lines []string
	for _, c := range m.Unmet {
		if text := d.unmetReason(c); !slices.Contains(lines, text) {
			lines = append(lines, text)
		}
	}
	return lines
}

func (d summaryData) unmetReason(c accesspatterns.Condition) string {
	if len(c.Any) > 0 || c.Size {
		return "It does not meet a condition on " + strings.Join(models.MapSlice(c.Attributes(), d.label), " or ") + "."
	}
	a := d.entity.Attribute(c.Attribute)
	times := timesOf(d.entity, c.Attribute)
	switch {
	case c.Compare == accesspatterns.Exists:
		return "It has no " + d.keyLabel(c.Attribute) + ", which the queue requires."
	case len(times) > 0:
		if at, ok := d.time(times[0]); ok {
			return d.label(times[0]) + " is " + present.When(at, d.now) + ", outside the queue's time range."
		}
		return "It has no " + d.label(times[0]) + "."
	case a == nil || a.Sensitive != models.NotSensitive:
		return upperFirst(d.keyLabel(c.Attribute)) + " does not match the queue's condition."
	}
	operator := strings.ToLower(strings.ReplaceAll(string(c.Compare), "_", " ")) + " "
	if c.Compare == accesspatterns.Equal || c.Compare == accesspatterns.In {
		operator = ""
	}
	stored := "nothing"
	if text, ok := d.item.Text(c.Attribute); ok {
		stored = d.value(c.Attribute, text)
	}
	var needed []string
	for _, v := range c.Values {
		text, _ := models.ValueText(v)
		needed = append(needed, d.value(c.Attribute, text))
	}
	return d.label(c.Attribute) + " is " + stored + "; the queue requires " + operator + strings.Join(needed, " or ") + "."
}

func (d summaryData) keyLabel(name string) string {
	t, ok := d.entity.KeyTemplate(name)
	if !ok || len(t.Placeholders()) == 0 {
		return d.label(name)
	}
	return strings.Join(models.MapSlice(t.Placeholders(), d.label), " and ")
}

func (d summaryData) value(path, text string) string {
	if l := d.entity.Lifecycle(path); l != nil {
		if s := l.State(text); s != nil {
			return cmp.Or(s.Label, s.Name)
		}
	}
	return d.entity.Attribute(path).Labeled(text)
}
