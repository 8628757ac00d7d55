package changes_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/testing/fixture"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// board is a schema with cards that have consecutive numbers and a column in their key, and with a setting that a put
// replaces.
const board = `
name: board
title: Board
tables: {board: {name: board, partition_key: PK, sort_key: SK, indexes: {GSI1: {partition_key: GSI1PK, sort_key: GSI1SK, projection: ALL}}}}
entities:
  Card:
    table: board
    keys: {PK: "BOARD#{board}", SK: "{column}#{number:06d}", GSI1PK: "TEAM#{team}", GSI1SK: "{column}#{number:06d}"}
    version: version
    attributes:
      board: {type: S, required: true}
      column: {type: S, key_only: true, enum: [todo, done]}
      number: {type: N, required: true}
      team: {type: S, required: true}
      note: {type: S}
      version: {type: N}
  Setting:
    table: board
    keys: {PK: "BOARD#{board}", SK: "SETTING#{name}"}
    attributes:
      board: {type: S, required: true}
      name: {type: S, required: true}
      value: {type: S, required: true}
      unit: {type: S}
patterns:
  cards: {operation: query, key: {PK: "BOARD#{board}", SK: {begins_with: "{column}#"}}, order: descending, consistent: true, returns: [Card]}
actions:
  add-card:
    entity: Card
    kind: put
    inputs: {column: {default: todo}, number: {default: "{last.number|0} + 1"}, team: {}}
    reads: {last: {pattern: cards, key: {column: todo}, optional: true}}
    set: {team: "{team}"}
  finish-card: {entity: Card, kind: move, inputs: {to: {default: done}, text: {required: false}}, set: {column: "{to}", note: "{text}"}}
  set-value: {entity: Setting, kind: put, replace: true, inputs: {value: {}, unit: {required: false}}, set: {value: "{value}", unit: "{unit}"}}
`

func boardFixture(t *testing.T) *fixture.Fixture {
	t.Helper()
	p, err := profiles.Load("board.yaml", []byte(board), nil)
	if err != nil {
		t.Fatal(err)
	}
	return fixtureAs(t, "ana", p, fixture.Connect(t, fixture.Database(t)))
}

func mustPlan(t *testing.T, w *fixture.Fixture, action string, inputs map[string]string) *change.Plan {
	t.Helper()
	p, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action(action), inputs, "")
	if err != nil {
		t.Fatalf("%s %v: %v", action, inputs, err)
	}
	return p
}

func committed(t *testing.T, w *fixture.Fixture, p *change.Plan) *change.Plan {
	t.Helper()
	done, err := w.Workspace.Committer.Commit(t.Context(), p)
	if err != nil {
		t.Fatalf("%s: %v", p.Action.ID, err)
	}
	return done.Plan
}

func mustUndo(t *testing.T, w *fixture.Fixture, p *change.Plan) {
	t.Helper()
	undo, err := w.Workspace.Planner.PlanUndo(t.Context(), p, "")
	if err != nil {
		t.Fatalf("undo of %s: %v", p.Action.ID, err)
	}
	committed(t, w, undo)
}

// boardItems returns items of the board as JSON.
func boardItems(t *testing.T, w *fixture.Fixture, keys ...string) (list []string) {
	t.Helper()
	for _, sk := range keys {
		key := models.Item{"PK": models.StringValue("BOARD#a"), "SK": models.StringValue(sk)}
		it, err := w.Workspace.Reading.Get(t.Context(), w.Profile.Tables[0], key)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if it != nil {
			text = string(it.AppendJSON(nil))
		}
		list = append(list, text)
	}
	return list
}

// The next number is the key of the new item, so two users who plan at the same time cannot both create it.
func TestNextNumberIsAssignedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := boardFixture(t)
		inputs := map[string]string{"board": "a", "team": "x"}
		committed(t, w, mustPlan(t, w, "add-card", inputs))
		second, late := mustPlan(t, w, "add-card", inputs), mustPlan(t, w, "add-card", inputs)
		committed(t, w, second)
		_, err := w.Workspace.Committer.Commit(t.Context(), late)
		if _, conflict := errors.AsType[*change.Conflict](err); !conflict {
			t.Fatalf("committing a number twice: got %v, want a conflict", err)
		}
		third := committed(t, w, mustPlan(t, w, "add-card", inputs))
		if sk, _ := third.Writes[0].Key.Text("SK"); sk != "todo#000003" {
			t.Errorf("the key of the third card is %s, want todo#000003", sk)
		}
		mustUndo(t, w, third)
		if got := boardItems(t, w, "todo#000002", "todo#000003"); got[0] == "" || got[1] != "" {
			t.Errorf("after the undo: got %q, want only the first card", got)
		}
	})
}

// Neither a move nor its undo overwrites an item.
func TestMoveDoesNotOverwrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := boardFixture(t)
		committed(t, w, mustPlan(t, w, "add-card", map[string]string{"board": "a", "team": "x"}))
		before := boardItems(t, w, "todo#000001")[0]
		inputs := map[string]string{"board": "a", "column": "todo", "number": "1", "text": "well done"}
		p := mustPlan(t, w, "finish-card", inputs)
		replanned := mustPlan(t, w, "finish-card", inputs)
		moved := committed(t, w, p)
		const want = `{"GSI1PK":"TEAM#x","GSI1SK":"done#000001","PK":"BOARD#a","SK":"done#000001","board":"a","note":"well done","number":1,"team":"x","version":2}`
		if got := boardItems(t, w, "todo#000001", "done#000001"); got[0] != "" || got[1] != want {
			t.Errorf("after the move: got %q, want only the card in done", got)
		}
		if _, err := w.Workspace.Committer.Commit(t.Context(), replanned); err == nil {
			t.Error("Commit accepted the same move twice")
		}
		mustUndo(t, w, moved)
		if got := boardItems(t, w, "todo#000001", "done#000001"); got[0] != before || got[1] != "" {
			t.Errorf("after the undo: got %q, want %s", got, before)
		}
		moved = committed(t, w, mustPlan(t, w, "finish-card", inputs))
		committed(t, w, mustPlan(t, w, "add-card", map[string]string{"board": "a", "team": "y"}))
		if _, err := w.Workspace.Planner.PlanUndo(t.Context(), moved, ""); err == nil {
			t.Error("PlanUndo accepted a key that another card uses")
		}
		_, err := w.Workspace.Planner.Plan(t.Context(), w.Profile.Action("finish-card"),
			map[string]string{"board": "a", "column": "done", "number": "1"}, "")
		if err == nil || err.Error() != "Card: the item already has this key" {
			t.Errorf("a move to the same key: got %v", err)
		}
	})
}

// A move deletes the whole old item, so it compares all attributes: another program may not update the version.
func TestMoveComparesWholeItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := boardFixture(t)
		committed(t, w, mustPlan(t, w, "add-card", map[string]string{"board": "a", "team": "x"}))
		p := mustPlan(t, w, "finish-card", map[string]string{"board": "a", "column": "todo", "number": "1"})
		noted := p.SubjectBefore().Clone()
		noted["note"] = models.StringValue("from elsewhere")
		w.Put(t, w.Profile.Tables[0], noted)
		_, err := w.Workspace.Committer.Commit(t.Context(), p)
		if _, conflict := errors.AsType[*change.Conflict](err); !conflict {
			t.Fatalf("moving a card with a new note: got %v, want a conflict", err)
		}
		if got := boardItems(t, w, "todo#000001", "done#000001"); got[0] == "" || got[1] != "" {
			t.Errorf("after the conflict: got %q, want only the card in todo", got)
		}
	})
}

// If an optional part of a key has no value, ddbdesk reads the item without it.
func TestReadingOmitsOptionalKeyPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := profiles.Load("limits.yaml", []byte(`
name: limits
title: Limits
tables: {limits: {name: limits, partition_key: PK, sort_key: SK}}
entities:
  Limit:
    table: limits
    keys: {PK: "LIMIT#{kind}", SK: "L[#{year}]"}
    attributes: {kind: {type: S, required: true}, year: {type: S}, most: {type: N, required: true}}
  Note:
    table: limits
    keys: {PK: "NOTE#{note}", SK: N}
    attributes: {note: {type: S, required: true}, text: {type: S, required: true}}
actions:
  set-limit: {entity: Limit, kind: put, inputs: {most: {type: number}}, set: {most: "{most}"}}
  note:
    entity: Note
    kind: put
    inputs: {year: {type: string, required: false}}
    reads: {limit: {entity: Limit, key: {kind: day}}}
    set: {text: "at most {limit.most}"}
`), nil)
		if err != nil {
			t.Fatal(err)
		}
		w := fixtureAs(t, "ana", p, fixture.Connect(t, fixture.Database(t)))
		committed(t, w, mustPlan(t, w, "set-limit", map[string]string{"kind": "day", "most": "5"}))
		committed(t, w, mustPlan(t, w, "set-limit", map[string]string{"kind": "day", "year": "2027", "most": "7"}))
		for year, want := range map[string]string{"": "at most 5", "2027": "at most 7"} {
			inputs := map[string]string{"note": "n"}
			if year != "" {
				inputs["year"] = year
			}
			if text, _ := mustPlan(t, w, "note", inputs).Writes[0].After.Text("text"); text != want {
				t.Errorf("year %q: text = %q, want %q", year, text, want)
			}
		}
	})
}

// A put that replaces an item compares the whole old item.
func TestReplacementComparesReplacedItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := boardFixture(t)
		set := func(value, unit string) *change.Plan {
			inputs := map[string]string{"board": "a", "name": "limit", "value": value}
			if unit != "" {
				inputs["unit"] = unit
			}
			return mustPlan(t, w, "set-value", inputs)
		}
		first, other := set("5", "cards"), set("6", "")
		first = committed(t, w, first)
		if _, err := w.Workspace.Committer.Commit(t.Context(), other); err == nil {
			t.Error("Commit overwrote an item that did not exist in the plan")
		}
		second := committed(t, w, set("7", ""))
		const want = `{"PK":"BOARD#a","SK":"SETTING#limit","board":"a","name":"limit","value":"7"}`
		if got := boardItems(t, w, "SETTING#limit"); got[0] != want {
			t.Errorf("got %q, want %s", got, want)
		}
		mustUndo(t, w, second)
		mustUndo(t, w, first)
		if got := boardItems(t, w, "SETTING#limit"); got[0] != "" {
			t.Errorf("after both undos: got %q, want no item", got)
		}
		committed(t, w, set("5", "cards"))
		stale := set("8", "cards")
		w.Put(t, w.Profile.Tables[0], models.Item{
			"PK": models.StringValue("BOARD#a"), "SK": models.StringValue("SETTING#limit"), "board": models.StringValue("a"),
			"name": models.StringValue("limit"), "value": models.StringValue("5"), "unit": models.StringValue("columns"),
		})
		if _, err := w.Workspace.Committer.Commit(t.Context(), stale); err == nil {
			t.Error("Commit overwrote a concurrent change")
		}
	})
}
