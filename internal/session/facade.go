package session

import (
	"context"

	core "github.com/ddbdesk/ddbdesk/internal/core"
	"github.com/ddbdesk/ddbdesk/internal/reading"
	"github.com/ddbdesk/ddbdesk/internal/tables"
)

// What a session is made of, and what it decides.
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
)

// The roles, and limits of reading.
const (
	Support   = core.Support
	Developer = core.Developer
	Admin     = core.Admin

	Unlimited       = reading.Unlimited
	GlanceLimit     = reading.GlanceLimit
	DefaultPageSize = reading.DefaultPageSize
)

// See the packages.
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
)

// Live compares the live tables with the profile.
func (s *Session) Live(ctx context.Context) *Live { return s.Compare(ctx) }

// CheckTables compares every table of the profile with the live one.
func (s *Session) CheckTables(ctx context.Context) ([]TableCheck, error) { return s.Check(ctx) }

// Known is a number that changes whenever an Obstacle may have come or gone.
func (s *Session) Known() uint64 { return s.Version() }
