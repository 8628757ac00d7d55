package reading

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ddbdesk/ddbdesk/accesspatterns"
	"github.com/ddbdesk/ddbdesk/models"
)

func (r *Run) applyProjection(x models.Index) {
	isMissing := func(path string) bool { return !x.Holds(r.request.Pattern.Table, path) }
	projected := r.request.Pattern.Projected(r.request.Read)
	filtered := slices.ContainsFunc(r.filteredAttributes(), isMissing)
	r.hydrate = x.Projection != models.ProjectionAll && (projected == nil || filtered || slices.ContainsFunc(projected, isMissing))
	r.filtersLocally = r.hydrate && filtered
	if r.filtersLocally {
		r.hydrate = false // The run completes the rows before it filters them.
	}
}

// declaredIndex treats an unknown projection as ALL.
func declaredIndex(x models.Index) models.Index {
	x.Projection = cmp.Or(x.Projection, models.ProjectionAll)
	return x
}

func (r *Run) filteredAttributes() []string {
	var names []string
	for _, l := range r.request.Legs {
		names = append(names, l.FilterAttributes()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// fetchAndFilter filters full items. It keeps the keys of the index, because they determine where the run continues.
func (r *Run) fetchAndFilter(ctx context.Context, leg accesspatterns.Leg, start models.Item, limit int) (accesspatterns.Page, error) {
	page, err := r.reader.Fetch(ctx, leg.WithoutFilter(), start, limit)
	if err != nil {
		return page, err
	}
	keys := models.MapSlice(page.Items, models.Item.Clone)
	whole, err := r.fullItems(ctx, page.Items)
	if err != nil {
		return accesspatterns.Page{}, err
	}
	remaining := make([]models.Item, 0, len(whole))
	for i, it := range whole {
		if !leg.PassesFilter(it) {
			continue
		}
		it = it.Clone()
		maps.Copy(it, keys[i])
		remaining = append(remaining, it)
	}
	page.Items, page.Count = remaining, len(remaining)
	return page, nil
}
