package widget

import "strings"

// eighths are the heights of a column of a chart, from the lowest to the full one.
var eighths = []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// Sparkline returns numbers as columns, one cell each. An empty column is a blank, so that one that is not zero is always
// visible. It is relative to the largest number. Negative numbers count as 0.
func Sparkline(numbers []int) string {
	largest := 0
	for _, n := range numbers {
		largest = max(largest, n)
	}
	var b strings.Builder
	for _, n := range numbers {
		if n <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(eighths[min((n*len(eighths)-1)/largest, len(eighths)-1)])
	}
	return b.String()
}

// BarOf returns a bar for a part of the largest number, at most w cells wide. Numbers above zero have at least one cell.
// It is lower than its line, so that bars below each other stay apart. A number above the
// largest one has w cells.
func BarOf(n, largest, w int) string {
	if n <= 0 || largest <= 0 || w <= 0 {
		return ""
	}
	return strings.Repeat("▆", min(max(int(float64(n)/float64(largest)*float64(w)+0.5), 1), w))
}
