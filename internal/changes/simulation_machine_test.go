package changes_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing/synctest"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/internal/testing/faults"
	"github.com/ddbdesk/ddbdesk/models"
)

// A simulatedDisk is the disk of the journal. Its faults affect every console.
type simulatedDisk struct {
	mu    sync.Mutex
	fault *diskFault // nil for a disk that works
}

// A diskFault fails some steps of a journal write.
type diskFault struct {
	name  string
	err   error
	steps []string // steps of journal.Journal.Intercept
	lasts bool     // until space is freed, not only for a moment
}

var diskFaults = []*diskFault{
	{name: "short write", err: io.ErrShortWrite, steps: []string{"write"}},
	{name: "failed fsync", err: syscall.EIO, steps: []string{"sync"}},
	{name: "failed rename", err: syscall.EIO, steps: []string{"head"}},
	{name: "failed fsync of the folder", err: syscall.EIO, steps: []string{"head folder"}},
	{name: "disk full", err: syscall.ENOSPC, steps: []string{"write", "head"}, lasts: true},
	{name: "disk lost in a write", err: syscall.EIO, steps: []string{"write", "remove"}},
	{name: "disk lost in an fsync", err: syscall.EIO, steps: []string{"sync", "remove"}},
	{name: "disk lost in a rename", err: syscall.EIO, steps: []string{"head", "remove"}},
}

// fail is the argument of journal.Journal.Intercept.
func (d *simulatedDisk) fail(step string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault == nil || !slices.Contains(d.fault.steps, step) {
		return nil
	}
	return fmt.Errorf("%s: %w", step, d.fault.err)
}

func (d *simulatedDisk) set(f *diskFault) {
	d.mu.Lock()
	d.fault = f
	d.mu.Unlock()
}

// toggleDisk starts or ends a fault of the journal file before a step.
func (s *simulation) toggleDisk() {
	switch f := s.journalDisk.fault; {
	case f != nil && f.lasts && s.rng.IntN(4) > 0:
	case f != nil:
		s.journalDisk.set(nil)
		s.logf("the disk works")
	case s.rng.IntN(8) == 0:
		f = diskFaults[s.rng.IntN(len(diskFaults))]
		s.journalDisk.set(f)
		s.logf("%s", f.name)
	}
}

// A simulatedSkew is the difference of a clock from the time of the simulation.
type simulatedSkew struct {
	mu     sync.Mutex
	offset time.Duration
}

func (c *simulatedSkew) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *simulatedSkew) set(offset time.Duration) {
	c.mu.Lock()
	c.offset = offset
	c.mu.Unlock()
}

// skew sets the clock of an actor. In most runs clocks differ by less than a minute, which keeps audit entries in
// order. In the other runs they also jump by hours.
func (s *simulation) skew(a *simulatedActor) {
	offset := time.Duration(s.rng.Int64N(int64(50*time.Second))) - 25*time.Second
	if s.jumps && s.rng.IntN(2) == 0 {
		offset *= 120
	}
	a.clock.set(offset)
	s.logf("the clock of %s is off by %s", a.name, offset)
}

// kill ends a console in the middle of an operation: the rest of the operation is lost, and the line being written may
// be torn.
func (s *simulation) kill(a *simulatedActor) {
	s.logf("%s is killed", a.name)
	time.Sleep(time.Second) // so that a waiting change of another console writes its intent
	synctest.Wait()
	dir := s.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(s.f.Dir)); err != nil {
		s.t.Fatal(err)
	}
	arrives := s.rng.IntN(2) == 0 // whether the pending request still arrives
	for first := true; ; first = false {
		synctest.Wait()
		select {
		case err := <-a.done:
			a.busy = false
			_ = err // Nobody reads it.
		case <-a.pending:
			fault := faults.Named("access denied")
			if first && arrives {
				fault = faults.Named("reset after")
				s.logf("its request arrives")
			}
			a.line.Set(faults.Always(fault))
			a.pass <- struct{}{}
			continue
		default:
			time.Sleep(simulatedPause)
			continue
		}
		break
	}
	for _, file := range s.files(s.f.Dir) {
		if _, err := os.Stat(dir + strings.TrimPrefix(file, s.f.Dir)); err == nil {
			continue // Other consoles lock the file, so write it in place.
		}
		if err := os.Remove(file); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, file := range s.files(dir) {
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.f.Dir, strings.TrimPrefix(file, dir)), text, 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	if s.rng.IntN(3) == 0 {
		s.tear()
	}
	a.start()
}

// tear appends the beginning of a line to the journal, if the journal ends with a complete line: the next writer
// removes it before it writes.
func (s *simulation) tear() {
	report, err := journal.Verify(s.f.Workspace.Session.JournalPath())
	text, missing := os.ReadFile(s.f.Workspace.Session.JournalPath())
	if err != nil || missing != nil || !bytes.HasSuffix(text, []byte("\n")) {
		return
	}
	s.logf("a line of the journal is torn")
	f, err := os.OpenFile(s.f.Workspace.Session.JournalPath(), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, `{"seq":%d,"ti`, report.Entries+1)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *simulation) files(dir string) []string {
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// restart closes and reopens the database.
func (s *simulation) restart() {
	s.logf("the database is restarted")
	if err := s.db.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// drift simulates another program that leaves a stale index key.
func (s *simulation) drift(i int) {
	table := s.f.Profile.Entity("Verification").Table
	it := s.current(i)
	s.logf("another program damages the index key of %s", s.id(i))
	it["GSI1SK"] = models.StringValue("stale#2026-01-01T00:00:00Z")
	s.f.Put(s.t, table, it)
}

// current returns the stored item of a case.
func (s *simulation) current(i int) models.Item {
	e := s.f.Profile.Entity("Verification")
	it, err := s.f.Workspace.Reading.Get(s.t.Context(), e.Table, models.Item{
		"PK": models.StringValue("CASE#" + s.id(i)), "SK": models.StringValue("META"),
	})
	if err != nil || it == nil {
		s.fail("%s is %v, %v", s.id(i), it, err)
	}
	return it
}
