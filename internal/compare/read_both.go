package compare

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// An Attribute is an attribute of an item in both databases. Each value is masked as in the session of its side, or as
// for support if the comparison is blind. It is nil if the side lacks it.
type Attribute struct {
	Name        string
	Left, Right types.AttributeValue
	Differs     bool // false for volatile attributes, and for values that only differ where a blind comparison masks them
}

// ReadBoth reads the item of a difference in both databases again and returns its attributes by name. It costs a
// strongly consistent read on each side. If a side no longer has the item, its values are nil.
func (c *Comparison) ReadBoth(ctx context.Context, d Difference) ([]Attribute, error) {
	left, err := c.left.Reading.Get(ctx, d.leftTable, d.Key)
	if err != nil {
		return nil, err
	}
	right, err := c.right.Reading.Get(ctx, d.rightTable, d.Key)
	if err != nil {
		return nil, err
	}
	leftMasker, rightMasker := c.maskers()
	shownLeft, shownRight := leftMasker.Item(d.leftTable, left), rightMasker.Item(d.rightTable, right)
	leftEntity, rightEntity := leftMasker.Entity(d.leftTable, left), rightMasker.Entity(d.rightTable, right)
	if c.IgnoresMasked() {
		left, right = shownLeft, shownRight
	}
	comparedLeft, comparedRight := leftEntity.WithoutVolatile(left), rightEntity.WithoutVolatile(right)
	names := slices.AppendSeq(slices.Collect(maps.Keys(shownLeft)), maps.Keys(shownRight))
	slices.Sort(names)
	var list []Attribute
	for _, name := range slices.Compact(names) {
		values := [2]models.Item{{}, {}}
		for i, it := range []models.Item{comparedLeft, comparedRight} {
			if v := it[name]; v != nil {
				values[i][name] = v
			}
		}
		list = append(list, Attribute{name, shownLeft[name], shownRight[name], !models.EqualItems(values[0], values[1])})
	}
	return list, nil
}
