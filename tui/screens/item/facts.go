package item

import (
	"slices"
	"strings"
	"time"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/changes"
	"github.com/ddbdesk/ddbdesk/internal/timeline"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/tui/present"
	"github.com/ddbdesk/ddbdesk/tui/screen"
)

// An itemData contains the item and data derived from it. The parts of the screen share it.
type itemData struct {
	env         *screen.Env
	table       *models.Table
	row         models.Item   // item as the list showed it
	rank        screen.Rank   // rank in the queue, if the user opened the item from one
	compareWith []models.Item // items in the list from which the user opened the item
	item        models.Item   // item as the screen shows it now
	state       readState
	differ      map[string]string // attributes that differ from the list, with a description of the difference
	plain       bool              // show titles instead of attribute names, and local times

	masker *models.Masker // masker that facts uses
	facts  itemFacts
	moves  []changes.Move
	past   []timeline.Entry // masked, newest first
}

// itemFacts contains data that the screen computes once per item and masker.
type itemFacts struct {
	entity    *models.Entity // nil if no entity matches
	reason    string         // if no entity matches: the mismatch with the nearest entity
	name, id  string
	filed     string      // ID in file names, masked even while personal data is revealed
	masked    models.Item // source of all displayed values
	keyText   string
	keys      []keyFact
	missing   []string
	expires   time.Time
	relations []present.Relation
	defects   []change.Defect // masked defects of the item itself
}

func (s *itemData) remake() {
	s.masker = s.env.Session.Masker()
	s.facts = newItemFacts(s.env, s.masker, s.table, s.item)
	s.moves = nil
	if e := s.facts.entity; e != nil {
		s.moves = s.env.Planner.Moves(e, s.item)
	}
}

// isChecked reports whether the screen has read the item. Only then do its defects exist in the table.
func (s *itemData) isChecked() bool { return s.state == readDone }

func (s *itemData) wasRead() bool { return s.state == readDone || s.state == readGone }

func newItemFacts(env *screen.Env, masker *models.Masker, table *models.Table, it models.Item) itemFacts {
	f := itemFacts{masked: masker.Item(table, it), name: "Unknown item"}
	f.keyText = table.KeyText(f.masked)
	r, ok := env.Session.Recognize(table, it)
	if !ok {
		f.reason = present.WhyUnknown(env, masker, table, it)
		f.id, f.filed = f.keyText, table.KeyText(present.UnrevealedMasker(env, masker).Item(table, it))
		return f
	}
	e := r.Entity
	f.entity, f.name = e, present.EntityName(e)
	f.id, f.filed = present.ItemTitle(e, masker, r, it).Text, present.ItemID(e, present.UnrevealedMasker(env, masker), r, it).Text
	f.keys = keyFacts(e, masker, it)
	f.missing = e.MissingAttributes(it)
	f.expires, _ = table.Expires(it)
	f.relations = present.RelationsOf(env, masker, table, it, f.masked)
	f.defects = env.Drift.DefectsShown(masker, table, it)
	return f
}

func (f *itemFacts) drifted() int {
	return len(slices.DeleteFunc(slices.Clone(f.keys), func(k keyFact) bool { return k.problem == "" }))
}

func (s *itemData) label(path string) string {
	return present.Presenter{Titles: s.plain}.Label(s.facts.entity, path)
}

func (s *itemData) newSummaryData() summaryData {
	f := &s.facts
	k := summaryData{
		name: f.name, id: f.id, entity: f.entity, item: f.masked, expires: f.expires, moves: s.moves, entries: s.past,
		session: s.env.Session.Viewer, label: s.label, now: s.env.Now(), from: s.rank,
	}
	if f.entity != nil {
		k.actions, k.queues = s.env.Session.Profile().ActionsOf(f.entity), s.env.Planner.Memberships(f.entity, s.item)
	}
	return k
}

func (s *itemData) problem() string {
	switch f := &s.facts; {
	case f.entity == nil:
		return "? matches no entity: " + f.reason
	case !s.wasRead():
		return ""
	case len(f.missing) > 0:
		text := "! " + present.Plural(len(f.missing), "required attribute") + " missing: " +
			strings.Join(models.NamesOf(f.missing, s.label), ", ")
		if len(f.missing) > 1 {
			text += ". An update to a key that does not exist creates such a partial item."
		}
		return text
	case !s.isChecked():
		return ""
	case f.drifted() > 0:
		return "✗ lists may show it in the wrong place: " + present.Plural(f.drifted(), "key") + " disagree with the attributes"
	case len(f.defects) > 0:
		text := "✗ " + present.Join(s.label(f.defects[0].Attribute), f.defects[0].Text, ": ")
		if n := len(f.defects) - 1; n > 0 {
			text += " +" + present.Thousands(n) + " more"
		}
		return text
	}
	return ""
}
