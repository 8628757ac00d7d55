package compare

import (
	"fmt"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// maxUnmatched is the maximum number of items in memory. They take about 1 GB.
const maxUnmatched = 8_000_000

// A record represents one item.
type record struct {
	digest  digest
	entity  uint16 // index in the entities of the side's schema plus one, 0 if unknown
	side    uint8  // the side with the item: 0 is left
	differs bool   // the other side has the item with other values
	equal   bool   // the other side has an equal item
	indexed bool   // read from an index, which can return an item again that changed during the read
}

// unmatched contains the items of a table that have no equal item on the other side so far, by their primary keys as
// DynamoDB JSON. Each entry uses about 120 bytes. Find removes equal items of a table at once, so the map stays small
// while both sides return items in a similar order.
type unmatched map[string]record

func (u unmatched) add(key string, r record, limit int) (equal bool, err error) {
	other, known := u[key]
	switch {
	case !known && len(u) >= limit:
		return false, &session.Refusal{
			Reason: fmt.Sprintf("the comparison reached its limit: %d items of one table have no equal item in the other database", limit),
			Advice: "compare one entity or pattern",
		}
	case !known:
		u[key] = r
	case other.side == r.side || other.differs || other.equal:
		// An index returned the item again.
	case other.digest == r.digest && r.indexed:
		r.equal = true
		u[key] = r
		return true, nil
	case other.digest == r.digest:
		delete(u, key)
		return true, nil
	default:
		if r.side == 1 {
			r = other // The left side describes an item on both sides.
		}
		r.differs = true
		u[key] = r
	}
	return false, nil
}
