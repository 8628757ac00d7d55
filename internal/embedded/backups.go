package embedded

import (
	"context"
)

// The store keeps whether point-in-time recovery is on, and nothing to recover from: programs that look at the setting can be
// tested with it.

// recoveryDays is how far back a table can be recovered by default.
const recoveryDays = 35

// pointInTimeRecoverySpec is the setting in a request. Enabled is required.
type pointInTimeRecoverySpec struct {
	PointInTimeRecoveryEnabled *bool
	RecoveryPeriodInDays       *int64
}

// updateContinuousBackupsInput switches point-in-time recovery on or off.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateContinuousBackups.html
type updateContinuousBackupsInput struct {
	tableInput
	PointInTimeRecoverySpecification *pointInTimeRecoverySpec
}

// describeContinuousBackupsInput reads the setting.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeContinuousBackups.html
type describeContinuousBackupsInput struct{ tableInput }

type continuousBackupsOutput struct {
	ContinuousBackupsDescription continuousBackups
}

type continuousBackups struct {
	ContinuousBackupsStatus        string
	PointInTimeRecoveryDescription pointInTimeRecovery
}

// pointInTimeRecovery is the state of the setting, without a period while it is off.
type pointInTimeRecovery struct {
	PointInTimeRecoveryStatus string
	RecoveryPeriodInDays      int64 `json:",omitempty"`
}

func (in *updateContinuousBackupsInput) check(c *checks) {
	in.tableInput.check(c)
	spec := in.PointInTimeRecoverySpecification
	c.present(spec != nil, "pointInTimeRecoverySpecification")
	if spec == nil {
		return
	}
	c.present(spec.PointInTimeRecoveryEnabled != nil, "pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled")
	if spec.RecoveryPeriodInDays != nil {
		c.number(*spec.RecoveryPeriodInDays, "pointInTimeRecoverySpecification.recoveryPeriodInDays", 1, recoveryDays)
	}
}

func (in *updateContinuousBackupsInput) run(_ context.Context, s *Store) (any, error) {
	old, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	tb, days := old.copy(), int64(0)
	if *in.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled {
		days = recoveryDays
		if given := in.PointInTimeRecoverySpecification.RecoveryPeriodInDays; given != nil {
			days = *given
		}
	}
	tb.RecoveryDays = days
	return describeBackups(tb), s.save(tb)
}

func (in *describeContinuousBackupsInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	return describeBackups(tb), nil
}

func describeBackups(tb *table) *continuousBackupsOutput {
	d := pointInTimeRecovery{PointInTimeRecoveryStatus: "DISABLED"}
	if tb.RecoveryDays > 0 {
		d = pointInTimeRecovery{PointInTimeRecoveryStatus: "ENABLED", RecoveryPeriodInDays: tb.RecoveryDays}
	}
	return &continuousBackupsOutput{continuousBackups{"ENABLED", d}}
}
