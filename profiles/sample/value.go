package sample

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ddbdesk/ddbdesk/models"
)

func (m *maker) invent(a *part) string {
	if i := slices.IndexFunc(m.plan.e.Is, func(q models.Equality) bool { return q.Path == a.Path }); i >= 0 {
		return m.invents.one(m.plan.e.Is[i].Values)
	}
	if values := m.line[a.Path]; len(values) > 0 {
		return m.invents.one(values)
	}
	ownWords := !m.fresh || len(a.Enum) > 0 || a.Type == models.TypeBOOL
	switch {
	case len(a.deck) > 0 && ownWords:
		return a.draw(m.rng)
	case len(a.Enum) > 0:
		return m.invents.one(a.Enum)
	}
	switch a.Type {
	case models.TypeBOOL:
		return strconv.FormatBool(m.rng.IntN(4) > 0)
	case models.TypeN:
		return m.number(a)
	default:
		return m.fitted(a, a.Prefix+m.invents.string(a))
	}
}

// fitted returns a text that the keys can contain: of the width of their templates and, in the primary key, without
// the literal after its placeholder.
func (m *maker) fitted(a *part, text string) string {
	if a.isTime() {
		return text
	}
	primary := m.plan.e.Table.PrimaryKeys()
	for _, k := range m.plan.e.Table.KeyAttributes() {
		t, _ := m.plan.e.KeyTemplate(k.Name)
		for i, s := range t.Segments() {
			if s.Name != a.Path {
				continue
			}
			if width, ok := s.Format.Width(); ok {
				return m.invents.letters(width)
			}
			if (a.KeyOnly || slices.Contains(primary, k)) && t.Unsplit(i) {
				text = strings.ReplaceAll(text, t.After(i), m.invents.letters(1))
			}
		}
	}
	return text
}

// number gives identifiers of fresh items a range of their own, so that they do not collide.
func (m *maker) number(a *part) string {
	pick := func(lo, hi int) string { return strconv.Itoa(lo + m.rng.IntN(hi-lo+1)) }
	switch {
	case a.isTime():
		return timeText(a, m.clock.moment(a))
	case a.Format == models.Cents:
		return pick(5, 2000) + m.invents.one([]string{"00", "50", "95", "99"})
	case a.Format == models.Bytes:
		return pick(18_000, 9_400_000)
	case a.Format == models.Seconds:
		return pick(20, 7200)
	case a.Format == models.Score && strings.Contains(a.Description, "0 to 1"):
		return strings.TrimRight("0."+pick(52, 99), "0")
	case a.Format == models.Score || a.hasWord("percent", "percentage"):
		return pick(35, 100)
	case a.hasWord("score"):
		return pick(310, 840)
	case a.hasWord("delta", "impact", "change"):
		return pick(-40, 45)
	case a.hasWord("amount", "price", "balance", "limit", "total", "credit", "payment") && !a.hasWord("count", "rate"):
		return pick(20, 4800)
	case a.hasWord("retry", "attempts", "retries"):
		return m.retries()
	case a.hasWord("version", "days"):
		return pick(1, 9)
	case a.hasWord("count", "remaining", "requests"):
		return pick(3, 900)
	case m.fresh:
		return pick(61, 999_999_999)
	default:
		return pick(1, 60)
	}
}

func (m *maker) retries() string {
	switch {
	case m.failed():
		return strconv.Itoa(1 + m.rng.IntN(4))
	case m.plan.life != nil && len(m.r.path) == 1:
		return "0"
	default:
		return strconv.Itoa(m.rng.IntN(6) / 4)
	}
}
