package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Target identifies a screen and its content as data, so that screens need not import each other's packages.
type Target interface{ target() }

type destination struct{}

func (destination) target() {}

// A Rank is the position of an item in a fully read queue. It is zero for an item outside of a queue.
type Rank struct {
	Queue  *change.Queue
	At, Of int
}

// Each of these targets opens one screen.
type (
	// Patterns opens the workbench.
	Patterns struct {
		destination
		Pattern *accesspatterns.Pattern // nil for the first pattern
		Args    map[string]string       // parameter values; nil for the defaults
		Run     bool                    // run the pattern immediately
		Plan    *change.Action          // action whose planning dialog to open, or nil
		Custom  *CustomQuery            // query whose dialog to open, or nil
	}
	// CustomQuery is a custom query, as far as the user specified it.
	CustomQuery struct {
		Table *models.Table
		Index *models.Index // nil for the table itself
		Query accesspatterns.CustomQuery
	}
	// Item opens an item as a list showed it. The screen then reads the item again.
	Item struct {
		destination
		Table       *models.Table
		Item        models.Item
		CompareWith []models.Item // items of the same table to offer for a comparison
		Tab         string        // first tab, one of link.Sections; "" for the overview
		Rank        Rank
	}
	// Decode opens the decoder.
	Decode struct {
		destination
		Text string
		// KeyText returns the text of an item's key, masked or revealed; nil for typed text.
		KeyText func(*models.Masker) string
	}
	// Map opens the schema map at one of these parts. The zero value opens the whole map.
	Map struct {
		destination
		Pattern *accesspatterns.Pattern
		Entity  *models.Entity
		Table   *models.Table
	}
	// Findings opens the schema issues and selects the one with this ID; "" selects the first one.
	Findings struct {
		destination
		ID string
	}
	// Compare compares an item with another state of the item or with another item.
	Compare struct {
		destination
		Table *models.Table
		Item  models.Item
		As    string        // name of this state of the item
		Row   models.Item   // item as the list showed it, or nil if that is the same state
		Rows  []models.Item // items in the list from which the user opened the item
		With  models.Item   // other side, or nil to let the user choose it
	}
	// Queue opens a review queue.
	Queue struct {
		destination
		ID    string            // "" for the first queue
		Given map[string]string // values of the queue's parameters, or nil to ask for them
	}
	// Requests opens the schema's change requests and selects the one with this ID; "" selects the first one.
	Requests struct {
		destination
		ID string
	}
	// Drift opens the choice of searches for stale derived attributes of an entity; "" offers every table.
	Drift struct {
		destination
		Entity string
	}
	// Defects searches for stale derived attributes of an entity; "" searches every table.
	Defects struct {
		destination
		Entity string
	}
	// Environments lists the contexts to compare the database with.
	Environments struct{ destination }
	// Differences compares the database with another context's database.
	Differences struct {
		destination
		Context string
	}
	// Draft opens the review of a schema drafted from tables.
	Draft struct{ destination }
	// Journal opens the log of this console's operations.
	Journal struct{ destination }
	// Audit lists the sessions of this machine or of all machines.
	Audit struct{ destination }
	// AuditEntries lists the entries of a session.
	AuditEntries struct {
		destination
		Of   *journal.Session
		From journal.Source
	}
	// Bookmarks lists the saved items and requests.
	Bookmarks struct{ destination }
	// CommandLog lists the requests that the console sent.
	CommandLog struct{ destination }
	// Visited lists the items that the user opened and the queries that the user ran.
	Visited struct{ destination }
	// Tail lists changes as they happen.
	Tail struct{ destination }
)

// OpenMsg asks the root to open a screen on top of the current one.
type OpenMsg struct{ To Target }

// Open returns the command that opens a target.
func Open(to Target) tea.Cmd { return Send(OpenMsg{to}) }

// A Stager is a screen that reports the user's progress to the tour.
type Stager interface{ Stage() Stage }

// A Subject is the topic of a screen. The schema map and the schema issues open at this topic.
type Subject struct {
	Pattern  *accesspatterns.Pattern
	Entity   *models.Entity
	Findings []*accesspatterns.Finding
}

// A SubjectProvider is a screen with a subject.
type SubjectProvider interface{ Subject() Subject }

// A RowOffer is a change that the screen offered for the row under the cursor. Plan opens the dialog that plans the
// change for this row, or explains why the change is no longer possible.
type RowOffer struct {
	changes.Offer
	Plan func() tea.Cmd
}

// An Undoer can open a dialog that undoes a journaled change or its whole set.
type Undoer interface {
	Undo(l changes.Latest) tea.Cmd
	// Boxed reports whether a dialog is open. The root must not replace it.
	Boxed() bool
}

// A PatternRunner can run patterns and plan changes.
type PatternRunner interface {
	// Show selects a pattern. If run is true, it also runs the pattern.
	Show(p *accesspatterns.Pattern, args map[string]string, run bool) tea.Cmd
	// Offers returns the possible changes of the row under the cursor.
	Offers() []RowOffer
	// Plan opens the dialog that asks for an item and plans an action for it.
	Plan(a *change.Action) tea.Cmd
	// Boxed reports whether a dialog is open. The root must not replace it.
	Boxed() bool
}
