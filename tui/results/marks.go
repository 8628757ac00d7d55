package results

// maxKeys is the maximum number of marked items that are marked again after a
// reload. Comparing more keys would block the screen.
const maxKeys = 2000

// awaited are the keys of items that are being read again.
type awaited struct {
	marked map[string]struct{}
	cursor string // key of the item under the cursor, "" for none
	found  int    // one more than the number of that item, 0 when it did not arrive
}

// KeepCursor makes the cursor return to the item in a row after a reload.
func (r *Rows) KeepCursor(row int) {
	r.awaited.cursor = ""
	if row >= 0 && row < r.Len() {
		r.awaited.cursor = r.Pattern.Table.KeyText(r.Items.At(r.At(row)))
	}
}

// Reset removes the filter and the marks of an earlier request.
func (r *Rows) Reset() {
	r.SetFilter("")
	r.Marks.Clear()
	r.awaited = awaited{}
}

// AwaitsKeys reports whether Take needs the keys of the items that arrive.
func (r *Rows) AwaitsKeys() bool { return len(r.awaited.marked) > 0 || r.awaited.cursor != "" }

// dropMarks removes the marks and remembers the keys of the marked items, unless
// they are too many.
func (r *Rows) dropMarks() {
	if r.Marks.Len() > 0 && r.awaited.marked == nil {
		r.awaited.marked = map[string]struct{}{}
	}
	if r.Marks.Len() <= maxKeys {
		for at := range r.Marks.All() {
			r.awaited.marked[r.Pattern.Table.KeyText(r.Items.At(at))] = struct{}{}
		}
	}
	r.Marks.Clear()
}

// arrived marks items that were marked before, and finds the one for the cursor.
// keys are those of the items from a number on.
func (r *Rows) arrived(from int, keys []string) {
	a := &r.awaited
	found := false
	for i, key := range keys {
		if _, was := a.marked[key]; was {
			delete(a.marked, key)
			r.Marks.Set(from+i, true)
		}
		if key == a.cursor && key != "" && !found {
			a.found, found = from+i+1, true
		}
	}
	if from == 0 && len(keys) > 0 {
		a.cursor = "" // It was on the first page, or no longer exists.
	}
}

// CursorFound returns the number of the item for the cursor, when it has just
// arrived.
func (r *Rows) CursorFound() (at int, ok bool) {
	at = r.awaited.found - 1
	r.awaited.found = 0
	return at, at >= 0
}
