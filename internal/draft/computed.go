package draft

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

func (l keyMatcher) computedPiece(rows []row, rest []string) (piece, []int, bool) {
	parts := make([]string, len(rest))
	lengths := make([]int, len(rest))
	for i, r := range rest {
		end := strings.IndexAny(r, boundaries)
		if end < 0 {
			end = len(r)
		}
		parts[i], lengths[i] = r[:end], end
	}
	if len(textSet(parts)) < 2 {
		return piece{}, nil, false
	}
	formats := shardFormats(parts)
	if len(formats) == 0 {
		for _, digest := range models.Digests() {
			formats = append(formats, models.Format(digest))
		}
	}
	templates := map[models.Format]models.Template{} // parsing takes most of the time
	for _, name := range l.attributesOf(rows) {
		values := make([]string, len(rows))
		for i, r := range rows {
			values[i], _ = r.item.Text(name)
		}
		if slices.Contains(values, "") {
			continue
		}
		reversed, timeFormat := reversedFormat(values[0], parts[0])
		candidates := append(slices.Clip(formats), reversed, quotientFormat(values, parts))
		for _, f := range candidates {
			if f == "" {
				continue
			}
			t, ok := templates[f]
			if !ok {
				t, _ = models.ParseTemplate("{v:"+string(f)+"}", nil)
				templates[f] = t
			}
			if timeFormat != "" {
				t = t.Bind(func(string) *models.Attribute { return &models.Attribute{Format: timeFormat} })
			}
			if producesAll(t, values, parts) && (len(f.Shards()) == 0 || isConvincing(f, values)) {
				return piece{name: name, format: f, of: timeFormat}, lengths, true
			}
		}
	}
	return piece{}, nil, false
}

func reversedFormat(value, part string) (f, valueFormat models.Format) {
	n, err := strconv.ParseUint(part, 10, 64)
	if valueFormat = timeFormat(value); err != nil || valueFormat == "" {
		return "", ""
	}
	at, _ := valueFormat.ReadTime(value)
	for _, unit := range []models.Format{models.EpochSeconds, models.EpochMillis, models.EpochMicros, models.EpochNanos} {
		text, _ := unit.FormatTime(at)
		epochTime, _ := strconv.ParseUint(text, 10, 64)
		f = models.Format(fmt.Sprintf("%d - %s", epochTime+n, unit))
		// The constant is a round number, or the greatest number of a common type.
		isRound := strings.Trim(strconv.FormatUint(epochTime+n, 10), "9") == "" ||
			slices.Contains([]uint64{1<<53 - 1, 1<<63 - 1, 253402300799, 253402300799999}, epochTime+n)
		if f.IsReversed() && isRound {
			return f, valueFormat
		}
	}
	return "", ""
}

// quotientFormat returns the format of parts that are the values divided by a number, or "" if no divisor is likely.
func quotientFormat(values, parts []string) models.Format {
	minimum, maximum, width := uint64(2), uint64(math.MaxUint64), len(parts[0])
	padded := false
	for i, p := range parts {
		v, err := strconv.ParseUint(values[i], 10, 64)
		n, partErr := strconv.ParseUint(p, 10, 32)
		if err != nil || partErr != nil {
			return ""
		}
		if minimum = max(minimum, v/(n+1)+1); n > 0 {
			maximum = min(maximum, v/n)
		}
		if padded = padded || p[0] == '0' && len(p) > 1; len(p) != width {
			width = 0
		}
	}
	if minimum > maximum || maximum-minimum > maximum/5 || len(textSet(parts)) < proofHeads || padded && width == 0 {
		return ""
	}
	divisor := minimum
	if divisor < maximum {
		for _, unit := range []uint64{
			1e15, 1e12, 1e9, 1e8, 1e7, 1e6, 1e5, 86400, 1e4, 3600, 1e3,
			1 << 10, 500, 256, 200, 100, 60, 50, 24, 20, 10, 5,
		} {
			if at := (minimum + unit - 1) / unit * unit; at <= maximum {
				divisor = at
				if at+unit <= maximum {
					return ""
				}
				break
			}
		}
	}
	f := fmt.Sprintf("div %d", divisor)
	if padded {
		f += fmt.Sprintf(" 0%dd", width)
	}
	return models.Format(f)
}

func producesAll(t models.Template, values, parts []string) bool {
	for i, v := range values {
		if formatted, err := t.Format(models.MapValues(map[string]string{"v": v})); err != nil || formatted != parts[i] {
			return false
		}
	}
	return true
}

// shardFormats returns several candidates, because the sample may lack some shards.
func shardFormats(parts []string) []models.Format {
	lo, hi, width, padded := math.MaxInt, 0, len(parts[0]), false
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || p[0] == '+' || n >= maxShards {
			return nil
		}
		lo, hi, padded = min(lo, n), max(hi, n), padded || p[0] == '0' && len(p) > 1
		if len(p) != width {
			width = 0
		}
	}
	if padded && width == 0 {
		return nil
	}
	var list []models.Format
	for first := range min(lo, 1) + 1 {
		minimum := hi - first + 1
		for count := max(minimum, 2); count <= max(2*minimum, minimum+8); count++ {
			suffix := ""
			if first > 0 {
				suffix = fmt.Sprintf(" + %d", first)
			}
			if padded {
				suffix += fmt.Sprintf(" 0%dd", width)
			}
			for _, hash := range []string{"", "crc32 ", "fnv1a ", "java ", "md5 ", "sha256 "} {
				list = append(list, models.Format(fmt.Sprintf("%smod %d%s", hash, count, suffix)))
			}
		}
	}
	return list
}

// isConvincing reports whether the values match a shard format by chance with a probability below one in 2^24.
func isConvincing(f models.Format, values []string) bool {
	return float64(len(textSet(values)))*math.Log2(float64(len(f.Shards()))) >= 24
}

func textSet(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, t := range texts {
		set[t] = true
	}
	return set
}
