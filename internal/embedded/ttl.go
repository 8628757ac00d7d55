package embedded

import (
	"context"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

const (
	// sweepInterval is the time between two sweeps.
	sweepInterval = time.Minute
	// sweepDelay is the minimum time that an expired item remains.
	sweepDelay = time.Minute
	// sweepBatch is the maximum number of items that one transaction of the sweep deletes.
	sweepBatch = 500
	// maxExpiryAge is the age from which the sweep treats an expiry as a mistake and ignores it.
	// Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html
	maxExpiryAge = 5 * 365 * 24 * time.Hour
)

// timeToLiveSpec is the TTL attribute in a request. Enabled is required.
type timeToLiveSpec struct {
	AttributeName string
	Enabled       *bool
}

// updateTimeToLiveInput is the request to enable or disable TTL. The store allows several changes in an hour.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
type updateTimeToLiveInput struct {
	tableInput
	TimeToLiveSpecification *timeToLiveSpec
}

type updateTimeToLiveOutput struct {
	TimeToLiveSpecification *timeToLiveSpec
}

func (in *updateTimeToLiveInput) check(c *checks) {
	in.tableInput.check(c)
	spec := in.TimeToLiveSpecification
	c.present(spec != nil, "timeToLiveSpecification")
	if spec != nil {
		c.present(spec.Enabled != nil, "timeToLiveSpecification.enabled")
		c.present(spec.AttributeName != "", "timeToLiveSpecification.attributeName")
	}
}

func (in *updateTimeToLiveInput) run(_ context.Context, s *Store) (any, error) {
	old, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	spec := in.TimeToLiveSpecification
	tb := old.copy()
	switch {
	case tb.TTL != "" && tb.TTL != spec.AttributeName:
		return nil, apierror.Invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", tb.TTL)
	case *spec.Enabled && tb.TTL != "":
		return nil, apierror.Invalid("TimeToLive is already enabled")
	case *spec.Enabled:
		tb.TTL = spec.AttributeName
	case tb.TTL == "":
		return nil, apierror.Invalid("TimeToLive is already disabled")
	default:
		tb.TTL = ""
	}
	return &updateTimeToLiveOutput{TimeToLiveSpecification: spec}, s.saveTable(tb)
}

type describeTimeToLiveInput struct{ tableInput }

// timeToLiveDescription is the state of TTL. It omits the attribute while TTL is disabled.
type timeToLiveDescription struct {
	TimeToLiveStatus string
	AttributeName    string `json:",omitempty"`
}

type describeTimeToLiveOutput struct {
	TimeToLiveDescription timeToLiveDescription
}

func (in *describeTimeToLiveInput) run(_ context.Context, s *Store) (any, error) {
	tb, err := s.namedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	d := timeToLiveDescription{TimeToLiveStatus: "DISABLED"}
	if tb.TTL != "" {
		d = timeToLiveDescription{TimeToLiveStatus: "ENABLED", AttributeName: tb.TTL}
	}
	return &describeTimeToLiveOutput{TimeToLiveDescription: d}, nil
}

// sweepUntilClosed deletes expired items every minute. As in DynamoDB, clients can read them until then.
func (s *Store) sweepUntilClosed() {
	defer s.sweeper.Done()
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
			// A failed sweep runs again a minute later; requests report the same error.
			_ = recoverFaults(s.sweep)
		}
	}
}

func (s *Store) sweep() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil
	}
	now := s.now()
	for _, tb := range s.tables {
		for tb.TTL != "" {
			n, err := s.sweepTable(tb, now)
			if err != nil {
				return err
			}
			if n < sweepBatch {
				break
			}
		}
	}
	// A transaction that deletes nothing does not write to the disk.
	for more := true; more; {
		err := s.storage.update(func(t *tx) (err error) {
			more, err = t.trimStreams(now)
			return err
		})
		if err != nil {
			return err
		}
	}
	return s.storage.update(func(t *tx) error { return t.dropTokens(now) })
}

func (s *Store) sweepTable(tb *table, now time.Time) (int, error) {
	var keys [][]byte
	err := s.storage.view(func(t *tx) error {
		return t.walk(tb, nil, keyRange{}, false, func(row []byte) (bool, error) {
			expiry, err := attribute.Lookup(row, tb.TTL)
			if err != nil || !isExpired(expiry, now) {
				return err == nil, err
			}
			it, err := attribute.DecodeItem(row)
			if err != nil {
				return false, err
			}
			keys = append(keys, tb.rowKey(it))
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
			if it == nil || !isExpired(it[tb.TTL], now) {
				continue // changed in the meantime
			}
			if err := t.expireItem(tb, key, it); err != nil {
				return err
			}
		}
		return nil
	})
}

func isExpired(v attribute.Value, now time.Time) bool {
	if v.Kind != attribute.N {
		return false
	}
	seconds, err := strconv.ParseInt(v.Str, 10, 64)
	if err != nil {
		return false // a fraction, or beyond any date
	}
	return seconds < now.Add(-sweepDelay).Unix() && seconds > now.Add(-maxExpiryAge).Unix()
}
