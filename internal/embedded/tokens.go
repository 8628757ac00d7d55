package embedded

import (
	"encoding/binary"
	"slices"
	"time"
)

func (t *tx) token(name string, now time.Time) ([]byte, error) {
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return nil, err
	}
	data, err := tokens.get([]byte(name))
	if err != nil || expiredToken(data, now) {
		return nil, err
	}
	return slices.Clone(data[8:]), nil
}

func expiredToken(data []byte, now time.Time) bool {
	return len(data) < 8 || int64(binary.BigEndian.Uint64(data)) <= now.UnixNano()
}

func (t *tx) saveToken(name string, expires time.Time, digest []byte) error {
	t.written = true
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return err
	}
	data := binary.BigEndian.AppendUint64(nil, uint64(expires.UnixNano()))
	return tokens.put([]byte(name), append(data, digest...))
}

func (t *tx) dropTokens(now time.Time) error {
	tokens, err := t.system(bucketTokens)
	if err != nil {
		return err
	}
	var expired [][]byte // collected first: a bucket must not change during a walk
	err = tokens.walk(keyRange{}, false, func(name, data []byte) (bool, error) {
		if expiredToken(data, now) {
			expired = append(expired, slices.Clone(name))
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, name := range expired {
		t.written = true
		if err := tokens.delete(name); err != nil {
			return err
		}
	}
	return nil
}
