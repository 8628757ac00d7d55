package rows

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/ddbdesk/ddbdesk/models"
)

// A Tally counts any number of rows, but has these limits.
const (
	maxDistinct  = 2_000  // maximum number of texts to count
	maxPoints    = 40_000 // maximum number of days or numbers to count
	maxTallyText = 120    // in runes
)

const secondsPerDay = 24 * 60 * 60

// A Tally counts the values of one column: texts and states separately, times by day, and numbers by size. It reads
// masked rows, so it does not reveal hidden values. Counts are exact, except that it groups numbers by their first
// three digits. The zero value is ready to use. It is not safe for concurrent use.
type Tally struct {
	Rows   int // rows counted
	Absent int // rows without a value
	Others int // rows whose values exceed the limits

	texts  map[string]int
	points map[float64]int // by the seconds since 1970 of a UTC day, or by the first three digits of a number
	byDay  bool            // points are days
}

// A Count is a value with its number of rows.
type Count struct {
	Text string
	N    int
}

// Add counts the value of a row at a path.
func (t *Tally) Add(r Row, path string) {
	t.Rows++
	v, ok := r.At(path)
	if !ok {
		t.Absent++
		return
	}
	text, ok := models.ValueText(v)
	if !ok {
		text = string(models.ValueType(v))
	}
	if f := formatOf(r.Kind(), path); ok && f.IsTime() {
		if at, ok := f.ReadTime(text); ok {
			t.byDay = true
			t.points = t.addPoint(t.points, math.Floor(float64(at.Unix())/secondsPerDay)*secondsPerDay)
			return
		}
	}
	if n, err := strconv.ParseFloat(text, 64); ok && err == nil && models.ValueType(v) == models.TypeN {
		n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'e', 2, 64), 64)
		t.points = t.addPoint(t.points, n)
		return
	}
	text = models.PrintableCell(text, maxTallyText)
	if _, known := t.texts[text]; !known && len(t.texts) >= maxDistinct {
		t.Others++
		return
	}
	if t.texts == nil {
		t.texts = map[string]int{}
	}
	t.texts[text]++
}

func (t *Tally) addPoint(points map[float64]int, at float64) map[float64]int {
	if _, known := points[at]; !known && len(points) >= maxPoints {
		t.Others++
		return points
	}
	if points == nil {
		points = map[float64]int{}
	}
	points[at]++
	return points
}

// Top returns the texts, most frequent first. Texts with equal counts are in byte order.
func (t *Tally) Top() []Count {
	list := models.MapSlice(slices.Sorted(maps.Keys(t.texts)), func(text string) Count { return Count{text, t.texts[text]} })
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.N, a.N) })
	return list
}

// A Histogram contains the number of rows in each of several equal intervals.
type Histogram struct {
	Bins     []int
	Low, Top float64 // bounds of all values; times are in seconds since 1970
	Times    bool
}

// Histogram groups the times or numbers into at most n intervals. It returns false if there are none.
func (t *Tally) Histogram(n int) (Histogram, bool) {
	if len(t.points) == 0 || n < 1 {
		return Histogram{}, false
	}
	keys := slices.Sorted(maps.Keys(t.points))
	h := Histogram{Low: keys[0], Top: keys[len(keys)-1], Times: t.byDay}
	if t.byDay {
		n = min(n, int((h.Top-h.Low)/secondsPerDay)+1)
	}
	h.Bins = make([]int, n)
	for v, count := range t.points {
		at := 0
		if h.Top > h.Low {
			at = min(int((v-h.Low)/(h.Top-h.Low)*float64(n)), n-1)
		}
		h.Bins[at] += count
	}
	return h, true
}

// Clone returns a copy, so that the original can grow while the copy is shown.
func (t *Tally) Clone() *Tally {
	c := *t
	c.texts, c.points = maps.Clone(t.texts), maps.Clone(t.points)
	return &c
}
