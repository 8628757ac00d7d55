package embedded

import (
	"context"
	"math"

	"github.com/ddbdesk/ddbdesk/internal/embedded/apierror"
)

// maxSegments is the service's limit on the parallel scans of one table. Source:
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
const maxSegments = 1000000

// scanInput reads all items, or one segment of them, in the order of the hashed partition
// keys.
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
type scanInput struct {
	readParameters
	ScanFilter    map[string]legacyCondition
	Segment       *int32
	TotalSegments *int32
}

func (in *scanInput) check(c *checks) {
	if in.TotalSegments != nil {
		c.number(int64(*in.TotalSegments), "totalSegments", 1, maxSegments)
	}
	if in.Segment != nil {
		c.number(int64(*in.Segment), "segment", 0, math.MaxInt32)
	}
	in.readParameters.check(c)
	if in.Limit != nil {
		c.number(int64(*in.Limit), "limit", 1, math.MaxInt32)
	}
	c.refuse(in.checkSegments())
}

func (in *scanInput) checkSegments() error {
	switch {
	case in.Segment == nil && in.TotalSegments == nil:
		return nil
	case in.TotalSegments == nil:
		return apierror.Invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case in.Segment == nil:
		return apierror.Invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case *in.Segment >= *in.TotalSegments:
		return apierror.Invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: "+
			"Segment: %d is not less than TotalSegments: %d", *in.Segment, *in.TotalSegments)
	}
	return nil
}

func (in *scanInput) run(ctx context.Context, s *Store) (any, error) {
	p, err := in.plan(legacyFilter{"ScanFilter", in.ScanFilter}, nil)
	if err != nil {
		return nil, err
	}
	if err := p.resolve(s); err != nil {
		return nil, err
	}
	if in.Segment != nil {
		p.keys = segmentRange(int(*in.Segment), int(*in.TotalSegments))
	}
	if err := p.checkScanStart(); err != nil {
		return nil, err
	}
	return p.run(ctx, s)
}

func (p *page) checkScanStart() error {
	if p.start == nil {
		return nil
	}
	if err := p.checkStart(); err != nil {
		return err
	}
	key := p.table.storedKey(p.index, p.start)
	if !inRange(key, p.keys, true) || !inRange(key, p.keys, false) {
		return apierror.Invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. " +
			"Please use ExclusiveStartKey with correct Segment. TotalSegments and Segment must match the request that returned it")
	}
	return nil
}
