package item

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/requests"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// An itemData contains the item and data derived from it. The parts of the screen share it.
type itemData struct {
	env         *screen.Env
	table       *models.Table
	listedItem  models.Item   // item as the list showed it
	rank        screen.Rank   // rank in the queue, if the user opened the item from one
	compareWith []models.Item // items in the list from which the user opened the item
	item        models.Item   // item as the screen shows it now
	state       readState
	differences map[string]string // attributes that differ from the list, with a description of the difference
	plain       bool              // show titles instead of attribute names, and local times

	masker      *models.Masker // masker that facts uses
	facts       itemFacts
	transitions []changes.TransitionOffer
	known       *[]requests.Entry // source of requests
	requests    []requests.Entry  // pending change requests of the item, newest first
	notChanged  bool              // the journal of this machine contains no change of the item to undo
	pastEntries []timeline.Entry  // masked, newest first
}

// itemFacts contains data that the screen computes once per item and masker.
type itemFacts struct {
	entity    *models.Entity // nil if no entity matches
	reason    string         // if no entity matches: the mismatch with the nearest entity
	name, id  string
	fileID    string      // ID in file names, masked even while personal data is revealed
	masked    models.Item // source of all displayed values
	keyText   string
	keys      []keyFact
	missing   []string
	trail     *change.Trail // nil unless the item is an audit entry
	expires   time.Time     // documented time, or else the time to live
	deletion  time.Time     // time to live, if it differs from the documented time
	relations []present.Relation
	defects   []change.Defect // masked defects of the item itself
}

func (d *itemData) remake() {
	d.masker = d.env.Session.Masker()
	d.facts = newItemFacts(d.env, d.masker, d.table, d.item)
	d.transitions, d.requests, d.known = nil, nil, d.env.Requests.Known()
	if key, ok := d.table.PrimaryKey(d.item); ok {
		d.requests = d.env.Requests.PendingOf(d.table, key)
	}
	if e := d.facts.entity; e != nil {
		d.transitions = d.env.Planner.TransitionOffers(e, d.item)
	}
}

// isChecked reports whether the screen has read the item. Only then do its defects exist in the table.
func (d *itemData) isChecked() bool { return d.state == readDone }

func (d *itemData) wasRead() bool { return d.state == readDone || d.state == readGone }

func newItemFacts(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) itemFacts {
	f := itemFacts{masked: masker.Item(table, it), name: "Unknown item"}
	f.keyText = table.KeyText(f.masked)
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		f.reason = present.UnknownReason(env, masker, table, it)
		f.id, f.fileID = f.keyText, table.KeyText(present.UnrevealedMasker(env, masker).Item(table, it))
		return f
	}
	e := r.Entity
	f.entity, f.name = e, present.EntityName(e)
	f.id, f.fileID = present.ItemTitle(e, masker, r, it).Text, present.ItemID(e, present.UnrevealedMasker(env, masker), r, it).Text
	for _, t := range env.Session.Profile().Trails {
		if t.Entity == e {
			f.trail = t
			f.id = cmp.Or(present.EntryTitle(env.Session.Profile(), timeline.EntryOf(t, it).Shown(masker), env.Now()), f.id)
		}
	}
	f.keys = keyFacts(e, masker, it)
	f.missing = e.MissingAttributes(it)
	var isDeleted bool
	f.expires, isDeleted = table.Expires(it)
	if a := e.Attribute(table.TTL); isDeleted && a != nil && a.Equals != "" {
		text, _ := f.masked.Text(a.Equals)
		if at, ok := e.FormatOf(a.Equals).ReadTime(text); ok && at.Unix() != f.expires.Unix() {
			f.expires, f.deletion = at, f.expires
		}
	}
	f.relations = present.RelationsOf(env, masker, table, it, f.masked)
	f.defects = env.Drift.DefectsShown(masker, table, it)
	return f
}

func (f *itemFacts) driftedKeyCount() int {
	return len(slices.DeleteFunc(slices.Clone(f.keys), func(k keyFact) bool { return k.problem == "" }))
}

func (d *itemData) label(path string) string {
	return present.Presenter{Titles: d.plain}.Label(d.facts.entity, path)
}

func (d *itemData) newSummaryData() summaryData {
	f := &d.facts
	data := summaryData{
		name: f.name, id: f.id, entity: f.entity, item: f.masked, expires: f.expires, deletion: f.deletion,
		transitions: d.transitions, entries: d.pastEntries, session: d.env.Session.Viewer, label: d.label, now: d.env.Now(), rank: d.rank,
	}
	if f.entity != nil {
		if len(d.requests) > 0 {
			q := d.requests[0]
			data.request = present.RequestTitle(d.env, q) + "; press o to " + strings.ToLower(requestVerb(q)) + " it"
		}
		data.actions, data.queues = d.env.Session.Profile().ActionsOf(f.entity), d.env.Planner.Memberships(f.entity, d.item)
	}
	return data
}

func (d *itemData) problem() string {
	switch f := &d.facts; {
	case f.entity == nil:
		return "? matches no entity: " + f.reason
	case !d.wasRead():
		return ""
	case len(f.missing) > 0:
		text := "! " + present.Plural(len(f.missing), "required attribute") + " missing: " +
			strings.Join(models.MapSlice(f.missing, d.label), ", ")
		if len(f.missing) > 1 {
			text += ". An update to a key that does not exist creates such a partial item."
		}
		return text
	case !d.isChecked():
		return ""
	case f.driftedKeyCount() > 0:
		return "✗ lists may show it in the wrong place: " + present.Plural(f.driftedKeyCount(), "stale key")
	case len(f.defects) > 0:
		defect := f.defects[0]
		if a := f.entity.Attribute(defect.Attribute); a != nil && a.Equals != "" {
			defect.Text = strings.Replace(defect.Text, a.Equals, d.label(a.Equals), 1)
			if !f.deletion.IsZero() && a.Path == d.table.TTL {
				defect.Text = "is " + present.At(f.deletion, d.env.Now()) + ", but must equal " + d.label(a.Equals)
			}
		}
		text := "✗ " + present.Join(d.label(defect.Attribute), defect.Text, " ")
		if n := len(f.defects) - 1; n > 0 {
			text += " +" + present.Thousands(n) + " more"
		}
		return text
	}
	return ""
}
