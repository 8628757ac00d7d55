package screen

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/journal"
	"github.com/ddbdesk/ddbdesk/models"
)

// A Target names a screen and what it shows, as data: a screen that leads to
// another one needs neither its type nor its package.
type Target interface{ target() }

type destination struct{}

func (destination) target() {}

// A Rank is where an item is in a queue that was read to its end; zero for an item of no queue.
type Rank struct {
	Queue  *change.Queue
	At, Of int
}

// The targets, one for each screen that can be opened.
type (
	// Patterns is the workbench.
	Patterns struct {
		destination
		Pattern *accesspatterns.Pattern // nil for the first
		Args    map[string]string       // parameter values, nil for the defaults
		Run     bool                    // run the pattern at once
		Plan    *change.Action          // open the dialog that plans this action, nil for none
		Own     *Own                    // open the dialog for a query of one's own, nil for none
	}
	// Own is a query of one's own as far as it is known.
	Own struct {
		Table *models.Table
		Index *models.Index // nil for the table itself
		Query accesspatterns.OwnQuery
	}
	// Item is one item as a list showed it; its screen reads it again.
	Item struct {
		destination
		Table *models.Table
		Item  models.Item
		Among []models.Item // items of the same table to compare it with
		Tab   string        // to show first, one of link.Sections; "" for the overview
		Rank  Rank
	}
	// Decode is the decoder.
	Decode struct {
		destination
		Text string
		// Spell makes the text of an item's key, masked or revealed; nil for typed text.
		Spell func(*models.Masker) string
	}
	// Map is the schema map, on one of these; the zero value is the whole map.
	Map struct {
		destination
		Pattern *accesspatterns.Pattern
		Entity  *models.Entity
		Table   *models.Table
	}
	// Findings are the schema issues, on the one of this ID; "" for the first.
	Findings struct {
		destination
		ID string
	}
	// Compare compares an item with another state of it or with another item.
	Compare struct {
		destination
		Table *models.Table
		Item  models.Item
		As    string        // what this state of the item is called
		Row   models.Item   // as a list showed it, nil when that is no other state
		Rows  []models.Item // items of the list that the item was opened from
		With  models.Item   // the other side, nil to ask for it
	}
	// Queue is a review queue.
	Queue struct {
		destination
		ID    string            // "" for the first
		Given map[string]string // values of its parameters, nil to ask for them
	}
	// Requests are the requested changes of the schema.
	Requests struct{ destination }
	// Drift is the choice of what to search for stale derived attributes, on an entity; "" for every table.
	Drift struct {
		destination
		Entity string
	}
	// Defects searches for stale derived attributes of an entity; "" for every table.
	Defects struct {
		destination
		Entity string
	}
	// Environments lists the contexts that the database can be compared with.
	Environments struct{ destination }
	// Differences compares the database with that of another context.
	Differences struct {
		destination
		Context string
	}
	// Draft is the review of a profile that was drafted of tables.
	Draft struct{ destination }
	// Journal is the log of what this console did.
	Journal struct{ destination }
	// Audit lists sessions, of this machine or of all.
	Audit struct{ destination }
	// AuditEntries are the entries of a session.
	AuditEntries struct {
		destination
		Of   *journal.Session
		From journal.Source
	}
	// Bookmarks are the saved items and requests.
	Bookmarks struct{ destination }
	// CommandLog is the list of the requests that were sent.
	CommandLog struct{ destination }
	// Visited is the list of items that were opened and queries that were run.
	Visited struct{ destination }
	// Tail is the list of changes as they happen.
	Tail struct{ destination }
)

// OpenMsg asks the root to open a screen on top of the one in view.
type OpenMsg struct{ To Target }

// Open returns the command that opens a target.
func Open(to Target) tea.Cmd { return Send(OpenMsg{to}) }

// A Staged screen tells the tour how far a person has come on it.
type Staged interface{ Stage() Stage }

// A Subject is what a screen is about; the schema map and the findings open on it.
type Subject struct {
	Pattern  *accesspatterns.Pattern
	Entity   *models.Entity
	Findings []*accesspatterns.Finding
}

// An Explained screen has a subject.
type Explained interface{ Subject() Subject }

// A RowOffer is a change of the row that was under the cursor when it was offered. Plan opens
// the dialog that plans it for this row, or explains why it is not possible by now.
type RowOffer struct {
	changes.Offer
	Plan func() tea.Cmd
}

// An Undoer opens the dialog that undoes a change of the journal, or its set, over itself.
type Undoer interface {
	Undo(l changes.Latest) tea.Cmd
	// Boxed reports whether a dialog is open, which nothing may replace.
	Boxed() bool
}

// A Bench runs patterns and plans changes on itself.
type Bench interface {
	// Show goes to a pattern, and runs it when run is true.
	Show(p *accesspatterns.Pattern, args map[string]string, run bool) tea.Cmd
	// Offers are the changes of the row under the cursor.
	Offers() []RowOffer
	// Plan opens the dialog that plans an action for an item that it asks for.
	Plan(a *change.Action) tea.Cmd
	// Boxed reports whether a dialog is open, which nothing may replace.
	Boxed() bool
}
