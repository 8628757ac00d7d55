package session

import (
	"context"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/bookmarks"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/drift"
	"github.com/ddbdesk/ddbdesk/internal/export"
	"github.com/ddbdesk/ddbdesk/internal/exporter"
	"github.com/ddbdesk/ddbdesk/internal/history"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
)

// The Options of the packages below, for callers that do not name them yet.
type (
	Options = core.Options
	Role    = core.Role
	Refusal = core.Refusal
	Denial  = core.Denial

	Live       = tables.Comparison
	Obstacle   = tables.Obstacle
	TableCheck = tables.Check

	Run        = reading.Run
	RunOptions = reading.RunOptions
	Page       = reading.Page
	Estimate   = reading.Estimate
	Glance     = reading.Glance
	Progress   = reading.Progress
	Figures    = reading.Figures

	Timeline      = timeline.Timeline
	TimelineEntry = timeline.Entry

	DriftOptions = drift.Options
	DriftItem    = drift.Item
	DriftSummary = drift.Summary

	Commitment   = changes.Commitment
	Move         = changes.Move
	Offer        = changes.Offer
	PlanFile     = changes.PlanFile
	PastChange   = changes.PastChange
	JournalEntry = changes.JournalEntry
	Bulk         = changes.Bulk
	BulkItem     = changes.BulkItem
	BulkStatus   = changes.BulkStatus
	BulkOutcome  = changes.BulkOutcome
	BulkSummary  = changes.BulkSummary

	Visit    = history.Visit
	Query    = history.Query
	Bookmark = bookmarks.Bookmark

	Export   = exporter.Export
	Exported = exporter.Exported
)

// The same for constants.
const (
	Support   = core.Support
	Developer = core.Developer
	Admin     = core.Admin

	Unlimited       = reading.Unlimited
	GlanceLimit     = reading.GlanceLimit
	DefaultPageSize = reading.DefaultPageSize

	BulkCommitted = changes.BulkCommitted
	BulkConflict  = changes.BulkConflict
	BulkRefused   = changes.BulkRefused
	BulkFailed    = changes.BulkFailed
	BulkUnknown   = changes.BulkUnknown
	BulkSkipped   = changes.BulkSkipped
)

// The same for errors and functions.
var (
	ErrRefused  = core.ErrRefused
	ErrInput    = core.ErrInput
	Roles       = core.Roles
	SignIn      = core.SignIn
	NeedsReason = core.NeedsReason

	TableMissing = tables.Missing
	CreateTables = tables.Create
	Seed         = tables.Seed

	ParseBudget = reading.ParseBudget
	ByteSize    = reading.ByteSize

	ErrUnknown   = changes.ErrUnknown
	ActionArgs   = changes.ActionArgs
	ReadPlanFile = changes.ReadPlanFile
	BulkStatuses = changes.BulkStatuses
	IsReveal     = changes.IsReveal

	ErrBookmark       = bookmarks.ErrBookmark
	BookmarkPath      = bookmarks.BookmarkPath
	CheckBookmarkName = bookmarks.CheckBookmarkName

	ErrFileExists = export.ErrExists
	ExportPath    = exporter.ExportPath
	SaveText      = exporter.SaveText
)

// Live compares the live tables with the profile.
func (s *Session) Live(ctx context.Context) *Live { return s.Compare(ctx) }

// CheckTables compares every table of the profile with the live one.
func (s *Session) CheckTables(ctx context.Context) ([]TableCheck, error) { return s.Check(ctx) }

// Known is a number that changes whenever an Obstacle may have come or gone.
func (s *Session) Known() uint64 { return s.Version() }

// Denied lists what the store refused to the session's credentials and did not
// allow since, oldest first.
func (s *Session) Denied() []Denial { return s.Denials().List() }

// Queues lists the queues of the profile.
func (s *Session) Queues() []*change.Queue { return s.Profile().Queues }

// RunQueue starts to read a queue.
func (s *Session) RunQueue(q *change.Queue, o RunOptions) (*Run, error) {
	request, err := s.Bind(q.Pattern, q.Args)
	if err != nil {
		return nil, err
	}
	return s.Run(request, o)
}

// Timeline starts reading what happened to an item of e.
func (s *Session) Timeline(e *models.Entity, it models.Item) *Timeline {
	return timeline.New(s.Session, s.Reader, e, it)
}

// Drift looks for items that something is wrong with.
func (s *Session) Drift(ctx context.Context, o DriftOptions, each func(DriftItem) error) (DriftSummary, error) {
	return s.finder.Find(ctx, o, each)
}

// CheckDrift returns what is wrong with the options.
func (s *Session) CheckDrift(o DriftOptions) error { return s.finder.Check(o) }

// DriftCost says what the search would read.
func (s *Session) DriftCost(ctx context.Context, o DriftOptions) string {
	return s.finder.Cost(ctx, o)
}

// RefuseDrift is the refusal of a search on production.
func (s *Session) RefuseDrift(ctx context.Context, o DriftOptions) error {
	return s.finder.Refuse(ctx, o)
}

// ShownDrift returns the item's key and its defects, as they may be shown.
func (s *Session) ShownDrift(d DriftItem) (key string, defects []change.Defect) {
	return s.finder.Shown(d)
}

// Defects returns what is wrong with one item.
func (s *Session) Defects(ctx context.Context, t *models.Table, it models.Item) ([]change.Defect, error) {
	return s.finder.Defects(ctx, t, it)
}

// Refuse journals that a change was refused before it was planned, and returns why.
func (s *Session) Refuse(ctx context.Context, a *change.Action, inputs map[string]string, reason string, why error) error {
	return s.Committer.Refuse(ctx, a, inputs, reason, why)
}
