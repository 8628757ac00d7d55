package draft

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

func (l layer) byComputation(rows []row, rest []string) (piece, []int, bool) {
	parts := make([]string, len(rest))
	lengths := make([]int, len(rest))
	for i, r := range rest {
		end := strings.IndexAny(r, boundaries)
		if end < 0 {
			end = len(r)
		}
		parts[i], lengths[i] = r[:end], end
	}
	if len(distinct(parts)) < 2 {
		return piece{}, nil, false
	}
	formats := shardFormats(parts)
	shards := len(formats) > 0
	if !shards {
		for _, digest := range models.Digests() {
			formats = append(formats, models.Format(digest))
		}
	}
	for _, name := range l.attributesOf(rows) {
		values := make([]string, len(rows))
		for i, r := range rows {
			values[i], _ = r.item.Text(name)
		}
		for _, f := range formats {
			if shards && !convincing(f, values) {
				continue
			}
			t, err := models.ParseTemplate("{v:"+string(f)+"}", nil)
			if err == nil && !slices.ContainsFunc(indexes(rows), func(i int) bool { return !makes(t, values[i], parts[i]) }) {
				return piece{name: name, format: f}, lengths, true
			}
		}
	}
	return piece{}, nil, false
}

func makes(t models.Template, v, part string) bool {
	if v == "" {
		return false
	}
	made, err := t.Format(models.MapValues(map[string]string{"v": v}))
	return err == nil && made == part
}

// shardFormats returns several formats, because the sample may lack some shards.
func shardFormats(parts []string) []models.Format {
	lo, hi, width, padded := math.MaxInt, 0, len(parts[0]), false
	for _, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || p[0] == '+' || n >= mostShards {
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
		least := hi - first + 1
		for count := max(least, 2); count <= max(2*least, least+8); count++ {
			tail := ""
			if first > 0 {
				tail = fmt.Sprintf(" + %d", first)
			}
			if padded {
				tail += fmt.Sprintf(" 0%dd", width)
			}
			for _, hash := range []string{"", "crc32 ", "fnv1a ", "java ", "md5 ", "sha256 "} {
				list = append(list, models.Format(fmt.Sprintf("%smod %d%s", hash, count, tail)))
			}
		}
	}
	return list
}

// mostShards limits what is taken for the number of a shard.
const mostShards = 1000

// convincing reports whether the chance that so many values agree with a shard is less than one in 2^24.
func convincing(f models.Format, values []string) bool {
	return float64(len(distinct(values)))*math.Log2(float64(len(f.Shards()))) >= 24
}

func distinct(texts []string) map[string]bool {
	set := map[string]bool{}
	for _, t := range texts {
		set[t] = true
	}
	return set
}
