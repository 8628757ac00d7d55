package tui

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/session"
	"github.com/ddbdesk/ddbdesk/internal/store"
	"github.com/ddbdesk/ddbdesk/internal/testing/screentest"
	"github.com/ddbdesk/ddbdesk/internal/testing/tuitest"
	"github.com/ddbdesk/ddbdesk/tui/dialogs/planner"
	"github.com/ddbdesk/ddbdesk/tui/overlay"
	"github.com/ddbdesk/ddbdesk/tui/widget"
)

// interleaveCases is the number of cases in the queue.
const interleaveCases = 5

// An interleaving is a console without a program: the test runs its commands one at a time, and delivers their answers
// in any order.
type interleaving struct {
	w    *queueFixture
	spy  *spy
	rng  *rand.Rand
	m    *Model
	seed uint64
	// queued counts the states that were checked on queues.
	queued *atomic.Int64

	width, height int
	frame         string // the last view without styles
	styled        string
	trace         []string

	commands []*command
	last     int

	marked       []int                     // cases that were marked in the last view without a box
	markedOnOpen map[overlay.Overlay][]int // marked cases when each box was opened
	allowed      map[int]map[string]bool   // by case: the states that a list may show; nil for any
	possible     map[int][]string          // states of cases since this console last sent a change
}

// A command is a command of the console with its answer.
type command struct {
	id      int
	run     tea.Cmd
	started bool
	after   []tea.Cmd // commands that follow in a sequence

	mu     sync.Mutex
	done   bool
	answer tea.Msg
	panics any
}

// A spy records the requests of the console.
type spy struct {
	next   *storeConn
	mu     sync.Mutex
	writes []string // bodies of the writes
	done   int      // number of successful writes
}

// Do implements store.Doer.
func (s *spy) Do(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if op == "UpdateItem" || op == "TransactWriteItems" || op == "DeleteItem" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mu.Lock()
		s.writes = append(s.writes, string(body))
		s.mu.Unlock()
		response, err := s.next.Do(r)
		if err == nil && response.StatusCode == http.StatusOK {
			s.mu.Lock()
			s.done++
			s.mu.Unlock()
		}
		return response, err
	}
	return s.next.Do(r)
}

// takeWrites returns the writes since its last call.
func (s *spy) takeWrites() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.writes
	s.writes = nil
	return list
}

// newInterleaving opens a store with cases. Call it outside of bubbles.
func newInterleaving(t *testing.T, seed uint64) *interleaving {
	t.Helper()
	w := newQueueFixture(t, interleaveCases)
	w.role = []session.Role{session.Admin, session.Support, session.Admin, session.Developer}[seed%4]
	d := &interleaving{
		w: w, seed: seed, rng: rand.New(rand.NewPCG(seed, 13)), width: 120, height: 40,
		allowed: map[int]map[string]bool{}, possible: map[int][]string{}, markedOnOpen: map[overlay.Overlay][]int{},
	}
	d.spy = &spy{next: w.transport}
	var err error
	if w.conn, err = store.Connect(t.Context(), store.Options{Embedded: d.spy}); err != nil {
		t.Fatal(err)
	}
	return d
}

// start opens the schema and the first screen of the run.
func (d *interleaving) start() {
	d.m = New(Options{Opener: queueOpener{&openerFixture{profile: d.w.p}, d.w.session()}, Start: d.w.p.Name, Clipboard: d.w.clip.write})
	d.enqueue(d.m.Init())
	d.update(tea.ColorProfileMsg{Profile: 4})
	d.update(tea.WindowSizeMsg{Width: d.width, Height: d.height})
	d.settle()
	for _, k := range startKeys[d.rng.IntN(len(startKeys))] {
		d.press(k)
		if d.rng.IntN(3) > 0 {
			d.settle()
		}
	}
}

// Helper and Fatalf let checks of a frame use the run as a test. Fatalf ends the run.
func (d *interleaving) Helper() {}

func (d *interleaving) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// press presses a key.
func (d *interleaving) press(name string) { d.do(name, keyPress(name)) }

// keyPress returns the message for a named key.
func keyPress(name string) tea.KeyPressMsg {
	codes := map[string]tea.KeyPressMsg{
		"space": {Code: ' ', Text: " "}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "backspace": {Code: tea.KeyBackspace},
		"pgup": {Code: tea.KeyPgUp}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl}, "ctrl+p": {Code: 'p', Mod: tea.ModCtrl},
		"alt+home": {Code: tea.KeyHome, Mod: tea.ModAlt},
	}
	if k, ok := codes[name]; ok {
		return k
	}
	return screentest.Pressed(name)
}

// do sends an input to the console.
func (d *interleaving) do(subject string, msg tea.Msg) {
	if d.m.exit.quitting {
		return
	}
	d.trace = append(d.trace, subject)
	d.update(msg)
}

func (d *interleaving) resize(to tuitest.Size) {
	d.width, d.height = to.W, to.H
	d.do(fmt.Sprintf("resize %dx%d", to.W, to.H), tea.WindowSizeMsg{Width: to.W, Height: to.H})
}

// update sends a message to the console and draws it.
func (d *interleaving) update(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.enqueue(cmd)
	view := d.m.View()
	tuitest.Fits(d, view.Content, d.m.w, d.m.h)
	d.styled = view.Content
	d.frame = ansi.Strip(view.Content)
	if box := d.box(); box != nil {
		if _, known := d.markedOnOpen[box]; !known {
			d.markedOnOpen[box] = d.marked
		}
	} else if d.m.topBox() == nil {
		if !strings.Contains(d.frame, "│ / ") { // A filter hides rows but keeps their marks.
			d.marked = nil
		}
		for line := range strings.SplitSeq(d.frame, "\n") {
			if strings.Contains(line, "●") {
				d.marked = append(d.marked, casesIn(line)...)
			}
		}
	}
}

func (d *interleaving) enqueue(cmd tea.Cmd, after ...tea.Cmd) {
	if cmd == nil {
		return
	}
	d.last++
	d.commands = append(d.commands, &command{id: d.last, run: cmd, after: after})
}

// answer starts a random command or delivers a random answer, which may be outdated by now.
func (d *interleaving) answer() bool {
	var ready []*command
	for _, c := range d.commands {
		if !c.started || c.hasEnded() {
			ready = append(ready, c)
		}
	}
	if len(ready) == 0 {
		return false
	}
	c := ready[d.rng.IntN(len(ready))]
	if !c.started {
		d.launch(c)
		return true
	}
	d.commands = slices.DeleteFunc(d.commands, func(other *command) bool { return other == c })
	d.deliver(c)
	return true
}

func (c *command) hasEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

// launch runs a command until it waits or ends, and checks its writes.
func (d *interleaving) launch(c *command) {
	named := d.named()
	c.started = true
	go func() {
		defer func() {
			p := recover()
			c.mu.Lock()
			c.done, c.panics = true, p
			c.mu.Unlock()
		}()
		answer := c.run()
		c.mu.Lock()
		c.answer = answer
		c.mu.Unlock()
	}()
	synctest.Wait()
	d.checkWrites(named)
}

// checkWrites fails if a write concerns a case that the open dialog does not name.
func (d *interleaving) checkWrites(named []int) {
	for _, body := range d.spy.takeWrites() {
		for _, n := range casesIn(strings.ReplaceAll(body, interleavePastes[0], "")) { // A reason can contain the paste.
			d.trace = append(d.trace, fmt.Sprintf("(case %d is written; the dialog names %v)", n, named))
			if d.w.role != session.Admin {
				panic(fmt.Sprintf("case %d is written by role %s", n, d.w.role))
			}
			if !slices.Contains(named, n) {
				panic(fmt.Sprintf("case %d is written, and the dialog names %v", n, named))
			}
			status := d.w.text(n, "status")
			d.possible[n] = []string{status}
			if d.allowed[n] != nil {
				d.allowed[n][status] = true
			}
		}
	}
}

// deliver sends the answer of a command to the console.
func (d *interleaving) deliver(c *command) {
	if c.panics != nil {
		panic(c.panics)
	}
	for i, next := range c.after {
		d.enqueue(next, c.after[i+1:]...)
		break
	}
	switch msg := c.answer.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			d.enqueue(cmd)
		}
	default:
		if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() { // a sequence
			list := make([]tea.Cmd, v.Len())
			for i := range list {
				list[i] = v.Index(i).Interface().(tea.Cmd)
			}
			d.enqueue(list[0], list[1:]...)
			return
		}
		if isBubbleTeaMsg(msg) {
			return
		}
		d.trace = append(d.trace, fmt.Sprintf("(answer %s)", nameOf(msg)))
		d.update(msg)
	}
}

// nameOf returns the type of a message.
func nameOf(msg tea.Msg) string {
	if a, ok := msg.(placeMsg); ok {
		msg = a.msg
	}
	return fmt.Sprintf("%T", msg)
}

// advance advances the time, so that expired timers have an answer.
func (d *interleaving) advance(by time.Duration) {
	d.trace = append(d.trace, "wait "+by.String())
	named := d.named()
	time.Sleep(by)
	synctest.Wait()
	d.checkWrites(named)
}

// settle delivers all pending answers.
func (d *interleaving) settle() {
	for range 40 {
		for n := 0; n < 200 && d.answer(); n++ {
			d.check()
		}
		if !slices.ContainsFunc(d.commands, func(c *command) bool { return c.hasEnded() || !c.started }) {
			return
		}
	}
}

// leave presses esc until the console shows no box and no text input.
func (d *interleaving) leave() {
	for range 6 { // A change that was already sent has its outcome now.
		d.settle()
		d.advance(2 * time.Second)
	}
	if d.m.exit.quitting {
		return
	}
	d.resize(tuitest.Size{W: 120, H: 40})
	isIdle := func() bool {
		return d.m.topBox() == nil && d.box() == nil && !readsKeyAsText(d.m.top().screen, "?")
	}
	for presses := 0; presses == 0 || !isIdle(); presses++ { // More presses would leave the screen.
		if presses == 5 {
			panic(fmt.Sprintf("after five times esc something is open on %T", d.m.top().screen))
		}
		d.press("esc")
		d.settle()
		d.advance(500 * time.Millisecond)
	}
	d.press("?")
	if d.m.layers.palette == nil {
		panic(fmt.Sprintf("after five times esc ? opens no help on %T", d.m.top().screen))
	}
}

// checkJournal fails unless the journal contains the writes.
func (d *interleaving) checkJournal() {
	if r, err := journal.Verify(d.w.journal); err != nil || !r.OK() {
		panic(fmt.Sprint(err, r.Problems))
	}
	committed := 0
	for e, err := range journal.Read(d.w.journal) {
		if err != nil {
			panic(err)
		}
		if e.Kind == journal.Outcome && e.Outcome == string(changes.Committed) {
			committed++
		}
	}
	if d.spy.done != committed {
		panic(fmt.Sprintf("%d writes succeeded, and %d are in the journal", d.spy.done, committed))
	}
}

// end closes the screens and lets all timers expire, because a bubble waits for them.
func (d *interleaving) end() {
	d.m.close()
	for range 3 {
		time.Sleep(time.Hour)
		synctest.Wait()
	}
}

// visibleCell returns the position of a visible character.
func (d *interleaving) visibleCell() (x, y int) {
	lines := strings.Split(d.frame, "\n")
	for range 20 {
		y = d.rng.IntN(len(lines))
		if r := []rune(lines[y]); len(r) > 0 {
			x = d.rng.IntN(len(r))
			if r[x] != ' ' && r[x] != '─' && r[x] != '│' {
				return x, y
			}
		}
	}
	return x, y
}

// box returns the box over the top screen, or nil.
func (d *interleaving) box() overlay.Overlay {
	v := reflect.ValueOf(d.m.top().screen).Elem().FieldByName("Host")
	if !v.IsValid() {
		return nil
	}
	box, _ := reflect.TypeAssert[overlay.Overlay](v.FieldByName("Box"))
	return box
}

// namedCase matches the ID of a case. In a row with a short ID, the minute of its creation is the number of the case.
var namedCase = regexp.MustCompile(`ver_0000000([1-9])|ver_0+….* 08:0([1-9]) `)

// casesIn returns the cases that a text names.
func casesIn(text string) []int {
	var list []int
	for _, m := range namedCase.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// named returns the cases that the open dialog of a change names.
func (d *interleaving) named() []int {
	switch box := d.box().(type) {
	case *planner.Change: // It names one item by its ID, or the rows that were marked when it opened.
		title, _ := box.Title(200)
		if named := casesIn(title); len(named) > 0 {
			return named
		}
	case nil:
		return nil
	}
	return d.markedOnOpen[d.box()]
}

// states matches the states in lists.
var states = regexp.MustCompile(`approved|rejected|pending_review|in_review`)

// check fails if the frame violates a rule.
func (d *interleaving) check() {
	if d.m.exit.quitting || d.m.w < 60 || d.m.h < 16 { // too small to show anything
		return
	}
	top := d.m.top().screen
	kind := fmt.Sprintf("%T", top)
	d.noteDone()
	if d.m.topBox() != nil || d.box() != nil {
		return
	}
	// The suggestions of a field are a panel without a cursor.
	choosing := strings.Contains(d.frame, "╭ suggestions ")
	if hinting, ok := top.(interface{ Hints() widget.Actions }); ok && !choosing {
		_, choosing = hinting.Hints().Named("choose")
	}
	if n := d.focusedPanels(); n > 1 && !choosing {
		panic(fmt.Sprintf("%d panes of %s have the focus", n, kind))
	}
	listening, ok := top.(interface{ Listening() bool })
	if isTyping(top) && !choosing && d.m.View().Cursor == nil && (!ok || !listening.Listening()) && kind != "*decode.decodeScreen" {
		panic("text is typed on " + kind + " where no cursor is")
	}
	if kind != "*lists.queue" && kind != "*workbench.Workbench" {
		return
	}
	for line := range strings.SplitSeq(d.frame, "\n") {
		for _, n := range casesIn(line) {
			state := states.FindString(line)
			if d.allowed[n] == nil || state == "" {
				continue
			}
			if kind == "*lists.queue" {
				d.queued.Add(1)
			}
			if !d.allowed[n][state] {
				panic(fmt.Sprintf("case %d is shown as %s after a change: %v", n, state, d.allowed[n]))
			}
		}
	}
}

// focusedPanels returns how many panels have the focus.
func (d *interleaving) focusedPanels() int {
	corner := d.m.styles.Paint(widget.RoleAccent, "╭")
	return strings.Count(d.styled, corner[:strings.Index(corner, "╭")+len("╭")])
}

// noteDone records which states lists may show after the screen has shown a change as done.
func (d *interleaving) noteDone() {
	if _, ok := d.box().(*planner.Change); !ok || !strings.Contains(d.frame, "✓ Done") {
		return
	}
	for _, n := range d.named() {
		if d.allowed[n] != nil || len(d.possible[n]) == 0 {
			continue
		}
		d.allowed[n] = map[string]bool{}
		for _, state := range d.possible[n] {
			d.allowed[n][state] = true
		}
	}
}
