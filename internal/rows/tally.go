package rows

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// The bounds of a Tally, which is made of any number of rows.
const (
	maxDistinct  = 2_000  // texts that are counted one by one; the rows with others are counted together
	maxMoments   = 20_000 // hours that are counted one by one, before days are
	maxTallyText = 120    // runes of a text
)

// A Tally counts the values of one column: texts and states one by one, times by moment, numbers by size. It reads masked
// rows, so that it tells no more than they show. The zero value is empty and ready to use.
// Counts are exact, except that numbers are grouped by three digits and that only 2,000
// different texts are kept apart. It is not safe for concurrent use.
type Tally struct {
	Rows   int // rows that were counted
	Absent int // of them, those without a value
	Others int // of them, those whose text is none of the first distinct ones

	texts   map[string]int
	moments map[int64]int   // by the unit, since 1970
	unit    time.Duration   // of moments
	numbers map[float64]int // by their first three digits
	low     float64         // of the numbers, exactly
	top     float64
}

// A Count is a value and the number of rows that have it.
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
		t.addText(string(models.ValueType(v)))
		return
	}
	f := formatOf(r.Kind(), path)
	if f.IsTime() {
		if at, ok := f.ReadTime(text); ok {
			t.addTime(at)
			return
		}
	}
	if models.ValueType(v) == models.TypeN {
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) {
			t.addNumber(n)
			return
		}
	}
	t.addText(models.PrintableCell(text, maxTallyText))
}

func (t *Tally) addText(text string) {
	if t.texts == nil {
		t.texts = map[string]int{}
	}
	if _, known := t.texts[text]; !known && len(t.texts) >= maxDistinct {
		t.Others++
		return
	}
	t.texts[text]++
}

// addNumber counts a number by its first three digits, which is exact enough to draw it and bounds the memory.
func (t *Tally) addNumber(n float64) {
	if t.numbers == nil {
		t.numbers, t.low, t.top = map[float64]int{}, n, n
	}
	t.low, t.top = min(t.low, n), max(t.top, n)
	if n != 0 {
		scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(n))))
		if r := math.Round(n*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
			n = r
		}
	}
	t.numbers[n]++
}

// addTime counts by the hour, and by the day when those are too many.
func (t *Tally) addTime(at time.Time) {
	if t.moments == nil {
		t.moments, t.unit = map[int64]int{}, time.Hour
	}
	t.moments[floor(at.Unix(), t.unit)]++
	if len(t.moments) > maxMoments && t.unit < 24*time.Hour*1000 {
		was, old := t.moments, t.unit
		t.moments, t.unit = map[int64]int{}, 24*old
		for k, n := range was {
			t.moments[floor(k*int64(old/time.Second), t.unit)] += n
		}
	}
}

func floor(seconds int64, unit time.Duration) int64 {
	n := int64(unit / time.Second)
	if seconds < 0 {
		return (seconds - n + 1) / n
	}
	return seconds / n
}

// Distinct returns the number of different texts, at most those that are counted one by one.
func (t *Tally) Distinct() int { return len(t.texts) }

// Top returns the most frequent texts, at most n. Texts with the same number of rows are in
// byte order.
func (t *Tally) Top(n int) []Count {
	list := make([]Count, 0, len(t.texts))
	for _, text := range slices.Sorted(maps.Keys(t.texts)) {
		list = append(list, Count{text, t.texts[text]})
	}
	slices.SortStableFunc(list, func(a, b Count) int { return cmp.Compare(b.N, a.N) })
	return list[:min(n, len(list))]
}

// N returns the number of rows with a text.
func (t *Tally) N(text string) int { return t.texts[text] }

// A Histogram is the number of rows in parts of the same size.
type Histogram struct {
	Bins     []int
	Low, Top float64 // of all values: seconds since 1970 for times
}

// Largest returns the number of rows in the fullest part.
func (h Histogram) Largest() int { return slices.Max(append([]int{0}, h.Bins...)) }

// Times returns the moments in at most n parts, false without moments. The bounds are in
// seconds since 1970, UTC.
func (t *Tally) Times(n int) (Histogram, bool) {
	if len(t.moments) == 0 || n < 1 {
		return Histogram{}, false
	}
	keys := slices.Sorted(maps.Keys(t.moments))
	seconds := float64(t.unit / time.Second)
	h := Histogram{Low: float64(keys[0]) * seconds, Top: float64(keys[len(keys)-1]) * seconds}
	h.Bins = make([]int, min(n, int(keys[len(keys)-1]-keys[0])+1))
	for _, k := range keys {
		h.Bins[bin(float64(k), float64(keys[0]), float64(keys[len(keys)-1]), len(h.Bins))] += t.moments[k]
	}
	return h, true
}

// Numbers returns the numbers in at most n parts, false without numbers.
func (t *Tally) Numbers(n int) (Histogram, bool) {
	if len(t.numbers) == 0 || n < 1 {
		return Histogram{}, false
	}
	h := Histogram{Low: t.low, Top: t.top, Bins: make([]int, n)}
	for v, count := range t.numbers {
		h.Bins[bin(v, t.low, t.top, n)] += count
	}
	return h, true
}

// Middle returns the median of the numbers to three digits, 0 without numbers.
func (t *Tally) Middle() float64 {
	total, seen := 0, 0
	for _, n := range t.numbers {
		total += n
	}
	for _, v := range slices.Sorted(maps.Keys(t.numbers)) {
		if seen += t.numbers[v]; 2*seen > total {
			return v
		}
	}
	return 0
}

func bin(v, low, top float64, n int) int {
	if top <= low {
		return 0
	}
	return min(max(int((v-low)/(top-low)*float64(n)), 0), n-1)
}

// Clone returns a copy that can be added to while the other one is shown.
func (t *Tally) Clone() *Tally {
	c := *t
	c.texts, c.moments, c.numbers = maps.Clone(t.texts), maps.Clone(t.moments), maps.Clone(t.numbers)
	return &c
}
