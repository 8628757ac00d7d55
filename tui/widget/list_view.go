// This file draws a list.

package widget

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// View draws the filter line and the entries on the screen.
func (l *List) View() string {
	if l.w <= 0 || l.h <= 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(l.filterLine())
	if len(l.lines) == 0 {
		for _, line := range emptyLines(l.styles, l.empty, "", l.w, l.win.height) {
			b.WriteString("\n" + line)
		}
		return b.String()
	}
	from, to := l.win.thumb()
	for y := range l.win.height {
		b.WriteByte('\n')
		if i := l.win.top + y; i < len(l.lines) {
			l.writeLine(&b, i)
		} else {
			writeBlanks(&b, l.w-1)
		}
		writeThumb(&b, l.styles, y >= from && y < to)
	}
	return b.String()
}

func (l *List) filterLine() string {
	sign := RoleFaint
	if l.typing {
		sign = RoleAccent
	}
	text, _ := l.filter.render(l.styles, SurfacePlain, l.hint, "", l.w-4)
	return fitStyled(l.styles.Paint(sign, " / ")+text, l.w)
}

func (l *List) writeLine(b *strings.Builder, i int) {
	line := l.lines[i]
	room := l.w - 1
	if line.item < 0 {
		l.styles.writeCell(b, RoleStrong, SurfacePlain, " "+line.heading, room, AlignLeft)
		return
	}
	it := l.items[line.item]
	on := rowSurface(i == l.win.cursor, l.focused)
	put := func(role Role, text string, w int) {
		w = max(min(w, room), 0)
		l.styles.writeCell(b, role, on, text, w, AlignLeft)
		room -= w
	}
	bar := " "
	if i == l.win.cursor {
		bar = "▌"
	}
	put(RoleAccent, bar, 2)
	if l.lead > 0 {
		put(RoleMuted, it.Lead, l.lead+1)
	}
	if l.count > 0 {
		w := min(l.count, max(room, 0))
		l.styles.writeCell(b, RoleInfo, on, it.Count, w, AlignRight)
		room -= w
		put(RoleText, "", 2)
	}
	badge := textWidth(it.Badge, max(room/2, 0))
	if badge > 0 {
		badge++
	}
	titleRoom := room - badge
	if it.Faint {
		l.styles.writeCell(b, RoleFaint, on, it.Title, max(titleRoom, 0), AlignLeft)
	} else {
		l.writeTitle(b, it.Title, line.matched, on, titleRoom)
	}
	room -= max(titleRoom, 0)
	if badge > 0 {
		put(RoleText, "", 1)
		put(it.BadgeRole, it.Badge, badge-1)
	}
	put(RoleText, "", room)
}

// writeTitle writes a title in w cells with the letters that matched marked.
// matched are byte positions in the title; those beyond it belong to words that
// are not shown.
func (l *List) writeTitle(b *strings.Builder, title string, matched []int, on Surface, w int) {
	if w <= 0 {
		return
	}
	if len(matched) == 0 || !isPlain(title) {
		l.styles.writeCell(b, RoleText, on, title, w, AlignLeft)
		return
	}
	title, used := cellText(title, w)
	for i, r := range title {
		role := RoleText
		if r < utf8.RuneSelf && slices.Contains(matched, i) {
			role = RoleMatch
		}
		b.WriteString(l.styles.PaintOn(role, on, string(r)))
	}
	l.styles.writeCell(b, RoleText, on, "", w-used, AlignLeft)
}
