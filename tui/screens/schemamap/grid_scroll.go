package schemamap

func (g *mapGrid) hidden() (left, right bool) {
	b := g.here()
	return g.shift[b] > 0, g.plan.blocks[b].reach(g.shift[b]) > g.room()
}

func (g *mapGrid) here() int {
	if g.lit != nil {
		return g.plan.blockOf(g.lit.Table)
	}
	return g.at.block
}

func (g *mapGrid) nameWidth() int { return g.plan.name + 4 }

func (g *mapGrid) room() int { return max(g.area.W-g.nameWidth(), 1) }

func (b *mapBlock) reach(from int) int {
	w := 0
	for i := from; i < len(b.columns); i++ {
		w += b.gap(i) + b.widths[i]
	}
	return w
}

func (b *mapBlock) gap(i int) int {
	if b.columns[i].first {
		return 3
	}
	return 2
}

func (g *mapGrid) startOf(block int) int {
	at := 0
	for _, b := range g.plan.blocks[:block] {
		at += blockHead + len(b.entities) + 1
	}
	return at
}

func (g *mapGrid) height() int { return g.startOf(len(g.plan.blocks)) - 1 }

func (g *mapGrid) reveal() {
	block := g.here()
	b := g.plan.blocks[block]
	from, to, row := g.at.column, g.at.column, g.at.row
	if g.lit != nil {
		from, to, row = g.litColumns(b)
	}
	if from >= 0 {
		g.showColumns(block, from, to)
	} else {
		g.shift[block] = 0
	}
	first, last := g.startOf(block), g.startOf(block)+blockHead-1+row
	if row == 0 {
		last = first + blockHead - 2
	}
	h := g.area.H
	if last >= g.top+h {
		g.top = last - h + 1
	}
	if first < g.top && (last-first < h || g.lit != nil) {
		g.top = first
	} else if last < g.top {
		g.top = last
	}
	g.scroll(0)
}

func (g *mapGrid) scroll(by int) {
	g.top = min(max(g.top+by, 0), max(g.height()-g.area.H, 0))
}

func (g *mapGrid) litColumns(b *mapBlock) (from, to, row int) {
	from, to = -1, -1
	for i, c := range b.columns {
		if c.read(g.lit.Read) || g.rewritten(b, c) {
			to = i
			if from < 0 {
				from = i
			}
		}
	}
	for i, e := range b.entities {
		if g.returns(e) {
			row = i + 1
		}
	}
	return from, to, row
}

func (g *mapGrid) showColumns(block, from, to int) {
	b := g.plan.blocks[block]
	shift := min(g.shift[block], from)
	for shift < from && b.reach(shift)-b.reach(to+1) > g.room() {
		shift++
	}
	if b.reach(0) <= g.room() {
		shift = 0
	}
	g.shift[block] = shift
}

func (g *mapGrid) hit(x, y int) (mapSpot, bool) {
	line := g.top + y
	for i, b := range g.plan.blocks {
		row := line - g.startOf(i) - blockHead + 1
		if row < -blockHead+1 || row > len(b.entities) {
			continue
		}
		at := mapSpot{block: i, row: max(row, 0), column: -1}
		edge := g.nameWidth()
		for c := g.shift[i]; c < len(b.columns) && x >= edge; c++ {
			at.column = c
			edge += b.gap(c) + b.widths[c]
		}
		return at, true
	}
	return mapSpot{}, false
}
