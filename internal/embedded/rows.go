package embedded

import (
	"bytes"

	"github.com/ddbdesk/ddbdesk/internal/embedded/attribute"
)

func bucketName(tb *table, ix *index) []byte {
	if ix == nil {
		return []byte(tb.ID)
	}
	return []byte(tb.ID + "/" + ix.Name)
}

func (t *tx) item(tb *table, key []byte) (attribute.Item, error) {
	rows, err := t.rows(tb)
	if err != nil {
		return nil, err
	}
	data, err := rows.get(key)
	if data == nil || err != nil {
		return nil, err
	}
	return attribute.DecodeItem(data)
}

func (t *tx) replaceItem(tb *table, key []byte, before, after attribute.Item) error {
	t.written = true
	rows, err := t.rows(tb)
	if err != nil {
		return err
	}
	t.count(tb, nil, before, after)
	if after == nil {
		err = rows.delete(key)
	} else {
		err = rows.put(key, attribute.EncodeItem(after))
	}
	if err != nil {
		return err
	}
	for _, ix := range tb.Indexes {
		if err := t.writeEntry(tb, ix, before, after); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) writeEntry(tb *table, ix *index, before, after attribute.Item) error {
	t.written = true
	oldEntry, hadKey := tb.entryKey(ix, before)
	newEntry, isIn := tb.entryKey(ix, after)
	if !hadKey {
		before = nil
	}
	if !isIn {
		after = nil
	}
	t.count(tb, ix, before, after)
	if bytes.Equal(oldEntry, newEntry) {
		return nil
	}
	entries, err := t.entries(tb, ix)
	if err != nil {
		return err
	}
	if hadKey {
		if err := entries.delete(oldEntry); err != nil {
			return err
		}
	}
	if isIn {
		return entries.put(newEntry, []byte{})
	}
	return nil
}

func (t *tx) fillIndex(tb *table, ix *index) error {
	rows, err := t.rows(tb)
	if err != nil {
		return err
	}
	return rows.walk(keyRange{}, false, func(_, data []byte) (bool, error) {
		it, err := attribute.DecodeItem(data)
		if err != nil {
			return false, err
		}
		return true, t.writeEntry(tb, ix, nil, it)
	})
}

// walk visits rows until visit returns false. A row is valid only until visit returns.
func (t *tx) walk(tb *table, ix *index, r keyRange, backward bool, visit func(row []byte) (bool, error)) error {
	rows, err := t.rows(tb)
	if err != nil {
		return err
	}
	if ix == nil {
		return rows.walk(r, backward, func(_, row []byte) (bool, error) { return visit(row) })
	}
	entries, err := t.entries(tb, ix)
	if err != nil {
		return err
	}
	return entries.walk(r, backward, func(entryKey, _ []byte) (bool, error) {
		key, err := tb.rowKeyOf(ix, entryKey)
		if err != nil {
			return false, entries.damagedError(err.Error())
		}
		row, err := rows.get(key)
		switch {
		case err != nil:
			return false, err
		case row == nil:
			return false, entries.damagedError("item of an entry is missing")
		}
		return visit(row)
	})
}

func isInRange(key []byte, r keyRange, backward bool) bool {
	if backward {
		return bytes.Compare(key, r.from) >= 0
	}
	return r.to == nil || bytes.Compare(key, r.to) < 0
}
