package journal

import (
	"encoding/json"
	"io/fs"
	"slices"
	"time"

	"github.com/ddbdesk/ddbdesk/internal/appdir"
	"github.com/ddbdesk/ddbdesk/models"
)

// verifiedSegments lists the segments that passed verification. A separate file contains it. ddbdesk verifies a segment
// again if its size, its modification time or the preceding entry differs. The file only saves time: without it,
// ddbdesk verifies all segments.
type verifiedSegments []verifiedSegment

type verifiedSegment struct {
	Number   int      `json:"number"`
	Size     int64    `json:"size"`     // in bytes
	Modified int64    `json:"modified"` // modification time, in nanoseconds since 1970
	After    string   `json:"after"`    // hash of the entry before the segment, "" for the first segment
	End      position `json:"end"`
	// Balance lists the segment's open and closed changes. It is nil if an older version verified the segment.
	Balance *balance `json:"balance"`
}

func verifiedPath(path string) string { return path + ".verified" }

// minSegmentAge is the minimum age of a stored segment's modification time. Two changes within a shorter time could
// have the same modification time.
const minSegmentAge = 2 * time.Second

func readVerified(path string) verifiedSegments {
	text, err := appdir.ReadFile(verifiedPath(path))
	if err != nil {
		return nil
	}
	var list verifiedSegments
	if json.Unmarshal(text, &list) != nil {
		return nil
	}
	return list
}

func (s verifiedSegment) isSame(o verifiedSegment) bool {
	known := (s.Balance == nil) == (o.Balance == nil)
	s.Balance, o.Balance = nil, nil
	return known && s == o
}

func (v verifiedSegments) find(s segment, info fs.FileInfo) (verifiedSegment, bool) {
	return models.Find(v, func(k verifiedSegment) bool {
		return s.isSealed() && k.Number == s.number && k.Balance != nil && k.matches(info)
	})
}

func (v verifiedSegments) add(s segment, info fs.FileInfo, after, end position, b balance) verifiedSegments {
	if time.Since(info.ModTime()) < minSegmentAge {
		return v
	}
	snapshot := balance{slices.Clone(b.Open), slices.Clone(b.Closed)} // The verifier continues to modify its slices.
	return append(v, verifiedSegment{s.number, info.Size(), info.ModTime().UnixNano(), after.Hash, end, &snapshot})
}

func (v verifiedSegments) save(path string) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return appdir.Replace(verifiedPath(path), append(text, '\n'), 0o600)
}
