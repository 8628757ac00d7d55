package rows_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
)

// tallyRow is a row of unmasked values.
type tallyRow struct {
	rows.Row
	e  *models.Entity
	it models.Item
}

func (r tallyRow) Kind() *models.Entity                        { return r.e }
func (r tallyRow) At(path string) (types.AttributeValue, bool) { return r.it.At(path) }

func tallyOf(e *models.Entity, path string, values ...types.AttributeValue) *rows.Tally {
	t := &rows.Tally{}
	for _, v := range values {
		it := models.Item{}
		if v != nil {
			it[path] = v
		}
		t.Add(tallyRow{e: e, it: it}, path)
	}
	return t
}

func TestTallyCountsTexts(t *testing.T) {
	text := models.StringValue
	c := tallyOf(nil, "state", text("open"), text("done"), nil, text("open"), &types.AttributeValueMemberM{})
	if got := fmt.Sprint(c.Top(), c.Rows, c.Absent); got != "[{open 2} {M 1} {done 1}] 5 1" {
		t.Error(got)
	}
	var values []types.AttributeValue
	for i := range 5_000 {
		values = append(values, text(fmt.Sprint(i)))
	}
	if c := tallyOf(nil, "id", values...); len(c.Top())+c.Others != 5_000 || len(c.Top()) > 2_000 {
		t.Errorf("got %d distinct texts and %d others", len(c.Top()), c.Others)
	}
}

func TestTallyGroupsNumbers(t *testing.T) {
	var list []types.AttributeValue
	for i := range 1_000 {
		list = append(list, &types.AttributeValueMemberN{Value: fmt.Sprint(i - 500)})
	}
	c := tallyOf(nil, "n", append(list, &types.AttributeValueMemberN{Value: "0"})...)
	h, ok := c.Histogram(4)
	if !ok || h.Low != -500 || h.Top != 499 {
		t.Errorf("got %+v, want -500 to 499", h)
	}
	for _, n := range h.Bins {
		if n < 245 || n > 255 {
			t.Errorf("got bins %v", h.Bins)
		}
	}
	huge := tallyOf(nil, "n", &types.AttributeValueMemberN{Value: "9.9E+125"}, &types.AttributeValueMemberN{Value: "1E-130"})
	if h, ok := huge.Histogram(3); !ok || !slices.Equal(h.Bins, []int{1, 0, 1}) {
		t.Errorf("got %+v, want bins 1, 0, 1", h)
	}
}

func TestTallyGroupsTimesByDay(t *testing.T) {
	e := &models.Entity{Attributes: []*models.Attribute{{Name: "at", Path: "at", Type: models.TypeS, Format: models.ISO8601}}}
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	var list []types.AttributeValue
	for day := range 10 {
		for range day + 1 {
			list = append(list, models.StringValue(start.AddDate(0, 0, day).Format(time.RFC3339)))
		}
	}
	h, ok := tallyOf(e, "at", append(list, models.StringValue("never"))...).Histogram(10)
	if !ok || !slices.Equal(h.Bins, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) || int64(h.Low) != start.Unix() {
		t.Errorf("got %+v", h)
	}
	var ages []types.AttributeValue
	for i := range 30_000 {
		ages = append(ages, models.StringValue(start.Add(time.Duration(i)*37*time.Hour).Format(time.RFC3339)))
	}
	h, ok = tallyOf(e, "at", ages...).Histogram(20)
	sum := 0
	for _, n := range h.Bins {
		sum += n
	}
	if !ok || sum != 30_000 {
		t.Errorf("the bins contain %d times, want 30,000", sum)
	}
}
