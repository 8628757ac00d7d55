package embedded

import (
	"encoding/binary"
	"slices"
	"time"
)

func (t *tx) oldest(st *stream, now time.Time) (uint64, error) {
	records, err := t.records(st.place(), st.Table)
	if err != nil {
		return 0, err
	}
	number, err := t.lastNumber(st.place())
	if err != nil {
		return 0, err
	}
	number++
	err = records.walk(keyRange{}, false, func(key, data []byte) (bool, error) {
		at, err := recordTime(data)
		if err != nil || !at.After(now.Add(-streamRetention)) {
			return err == nil, err
		}
		number = binary.BigEndian.Uint64(key)
		return false, nil
	})
	return number, err
}

func (t *tx) trimStreams(now time.Time) (more bool, err error) {
	streams, err := t.streams()
	if err != nil {
		return false, err
	}
	for _, st := range streams {
		if !st.enabled() && now.Sub(st.Ended) >= streamRetention {
			if err := t.dropStream(st); err != nil {
				return false, err
			}
			continue
		}
		full, err := t.trimRecords(st, now)
		if err != nil {
			return false, err
		}
		more = more || full
		if err := t.renewShards(st, now); err != nil {
			return false, err
		}
	}
	return more, nil
}

func (t *tx) trimRecords(st *stream, now time.Time) (full bool, err error) {
	records, err := t.records(st.place(), st.Table)
	if err != nil {
		return false, err
	}
	var old [][]byte // collected first: a bucket must not change during a walk
	err = records.walk(keyRange{}, false, func(key, data []byte) (bool, error) {
		at, err := recordTime(data)
		if err != nil || at.After(now.Add(-streamRetention)) {
			return false, err
		}
		old = append(old, slices.Clone(key))
		return len(old) < sweepBatch, nil
	})
	if err != nil {
		return false, err
	}
	for _, key := range old {
		t.written = true
		if err := records.delete(key); err != nil {
			return false, err
		}
	}
	return len(old) == sweepBatch, nil
}

// renewShards removes shards that ended before the retention, and begins a new one if the last one is old and has
// records.
func (t *tx) renewShards(st *stream, now time.Time) error {
	changed := false
	for len(st.Shards) > 1 && now.Sub(st.Shards[1].Began) >= streamRetention {
		st.Shards, changed = st.Shards[1:], true
	}
	last, err := t.lastNumber(st.place())
	if err != nil {
		return err
	}
	open := st.Shards[len(st.Shards)-1]
	if st.enabled() && last > open.First && now.Sub(open.Began) >= shardLifetime {
		if err := t.addShard(st, now); err != nil {
			return err
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return t.saveStream(st)
}
