package results

import (
	"github.com/ddbdesk/ddbdesk/internal/rows"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// Marked returns the marked items: those on the screen in its order, then those
// that the filter hides.
func (r *Rows) Marked() rows.Selection { return rows.SelectMarked(r.Items, r.Show, &r.Marks) }

// OnScreen returns the filtered items in the order of the screen.
func (r *Rows) OnScreen() rows.Selection { return rows.SelectShown(r.Items, r.Show) }

// Loaded returns all items in the order of the store.
func (r *Rows) Loaded() rows.Selection { return rows.SelectShown(r.Items, nil) }

// Among returns the items to offer for a comparison: the marked ones, then those on
// the screen.
func Among(r *Rows) []models.Item {
	list := r.Marked().First(CompareRows).Items()
	for i := range min(r.Len(), CompareRows) {
		list = append(list, r.Items.At(r.At(i)))
	}
	return list
}

// CompareRows is the number of rows of a list that are offered for a comparison.
const CompareRows = 200

// RowName returns the name of a file with a row, without its extension. It holds no
// masked data, whatever is revealed.
func RowName(env *screen.Env, t *models.Table, r *Row, raw models.Item) string {
	key := t.KeyText(present.Unrevealed(env, env.Session.Masker()).Item(t, raw))
	if r.Entity == nil {
		return key
	}
	return r.Entity.Name + "-" + key
}
