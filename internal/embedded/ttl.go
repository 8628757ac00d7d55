package embedded

import (
	"context"
	"strconv"
	"time"
)

const (
	sweepEvery = time.Minute
	// sweepDelay is how long an expired item remains at least.
	sweepDelay = time.Minute
	// sweepBatch is how many items one transaction of the sweep deletes at most.
	sweepBatch = 500
	// tooOld is the age from which an expiry is taken for a mistake and ignored.
	tooOld = 5 * 365 * 24 * time.Hour
)

type timeToLiveSpec struct {
	AttributeName string
	Enabled       *bool
}

type updateTimeToLiveInput struct {
	tableInput
	TimeToLiveSpecification *timeToLiveSpec
}

type updateTimeToLiveOutput struct {
	TimeToLiveSpecification *timeToLiveSpec
}

// updateTimeToLive enables or disables TTL. Unlike the service, it allows more than one
// change in an hour.
func (s *Store) updateTimeToLive(_ context.Context, in *updateTimeToLiveInput) (*updateTimeToLiveOutput, error) {
	old, err := s.namedTable(&in.tableInput)
	if err != nil {
		return nil, err
	}
	spec := in.TimeToLiveSpecification
	var c checks
	c.present(spec != nil, "timeToLiveSpecification")
	if spec != nil {
		c.present(spec.Enabled != nil, "timeToLiveSpecification.enabled")
		c.present(spec.AttributeName != "", "timeToLiveSpecification.attributeName")
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	tb := old.copy()
	switch {
	case *spec.Enabled && tb.TTL == spec.AttributeName:
		return nil, invalid("TimeToLive is already enabled")
	case *spec.Enabled && tb.TTL != "":
		return nil, invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", tb.TTL)
	case *spec.Enabled:
		tb.TTL = spec.AttributeName
	case tb.TTL == "":
		return nil, invalid("TimeToLive is already disabled")
	case tb.TTL != spec.AttributeName:
		return nil, invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", tb.TTL)
	default:
		tb.TTL = ""
	}
	err = s.alter(tb.Name, func(t *tx) (*table, error) { return tb, t.saveTable(tb) })
	return &updateTimeToLiveOutput{TimeToLiveSpecification: spec}, err
}

type timeToLiveDescription struct {
	TimeToLiveStatus string
	AttributeName    string `json:",omitempty"`
}

type describeTimeToLiveOutput struct {
	TimeToLiveDescription timeToLiveDescription
}

func (s *Store) describeTimeToLive(_ context.Context, in *tableInput) (*describeTimeToLiveOutput, error) {
	tb, err := s.namedTable(in)
	if err != nil {
		return nil, err
	}
	d := timeToLiveDescription{TimeToLiveStatus: "DISABLED"}
	if tb.TTL != "" {
		d = timeToLiveDescription{TimeToLiveStatus: "ENABLED", AttributeName: tb.TTL}
	}
	return &describeTimeToLiveOutput{TimeToLiveDescription: d}, nil
}

// sweepUntilClosed deletes expired items every minute. Until then they can be read, as in
// the service.
func (s *Store) sweepUntilClosed() {
	defer s.swept.Done()
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			// A failed sweep runs again a minute later; requests report the same error.
			_ = guarded(s.sweep)
		}
	}
}

// sweep deletes expired items and idempotency tokens.
func (s *Store) sweep() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil
	}
	now := s.now()
	for _, tb := range s.tables {
		for tb.TTL != "" {
			n, err := s.sweepSome(tb, now)
			if err != nil {
				return err
			}
			if n < sweepBatch {
				break
			}
		}
	}
	return s.sweepTokens(now)
}

// sweepTokens deletes expired idempotency tokens. It does not write if there are none.
func (s *Store) sweepTokens(now time.Time) error {
	var expired []string
	err := s.storage.view(func(t *tx) (err error) {
		expired, err = t.expiredTokens(now)
		return err
	})
	if err != nil || len(expired) == 0 {
		return err
	}
	return s.storage.update(func(t *tx) error {
		for _, name := range expired {
			if t.token(name, now) != nil {
				continue // used again in the meantime
			}
			if err := t.dropToken(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// sweepSome deletes up to sweepBatch expired items and returns how many.
func (s *Store) sweepSome(tb *table, now time.Time) (int, error) {
	var keys [][]byte
	err := s.storage.view(func(t *tx) error {
		return t.walk(tb, nil, keyRange{}, false, func(row []byte) (bool, error) {
			it, err := decodeItem(row)
			if err != nil {
				return false, err
			}
			if tb.expired(it, now) {
				keys = append(keys, tb.rowKey(it))
			}
			return len(keys) < sweepBatch, nil
		})
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return len(keys), s.storage.update(func(t *tx) error {
		for _, key := range keys {
			it, err := t.item(tb, key)
			if err != nil {
				return err
			}
			if it == nil || !tb.expired(it, now) {
				continue // changed in the meantime
			}
			if err := t.write(tb, key, it, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// expired reports whether the sweep may delete the item.
func (tb *table) expired(it item, now time.Time) bool {
	v := it[tb.TTL]
	if v.kind != kindN {
		return false
	}
	seconds, err := strconv.ParseInt(v.str, 10, 64)
	if err != nil {
		return false // a fraction, or beyond any date
	}
	return seconds < now.Add(-sweepDelay).Unix() && seconds > now.Add(-tooOld).Unix()
}
