package changes

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/internal/seal"
	"github.com/ddbdesk/ddbdesk/internal/session"
)

// recordPurpose is the purpose of encrypted records of changes.
const recordPurpose = "ddbdesk change record 1"

// keyedRecord begins the text of a record that has a key of its own, by the token of the change.
const keyedRecord = "keyed:"

func recordKeys(s *session.Viewer) seal.Keyring { return s.Sealer().Keyring(s.JournalPath() + ".keys") }

func subjects(writes []change.Write) []string {
	var list []string
	for _, w := range writes {
		if w.Operation != change.Check {
			list = append(list, w.Table.Name+"\x00"+string(w.Key.AppendDynamoDBJSON(nil)))
		}
	}
	return list
}

// openRecord returns an error that wraps session.ErrInput unless the key cannot be read.
func (j *Journal) openRecord(c PastChange) ([]byte, error) {
	text, keyed := strings.CutPrefix(c.Intent.Detail.Record, keyedRecord)
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(sealed) == 0 {
		return nil, session.InputErrorf("journal entry %s has no record of its writes", c.Intent.ID)
	}
	var record []byte
	if keyed {
		record, err = recordKeys(j.s).Open(c.Intent.Detail.Token, sealed, recordPurpose)
	} else {
		record, err = j.s.Sealer().Open(sealed, recordPurpose)
	}
	switch {
	case errors.Is(err, seal.ErrErased):
		return nil, session.InputErrorf("the record of journal entry %s cannot be read: an item of the change was erased, or %s was changed",
			c.Intent.ID, j.s.JournalPath()+".keys")
	case errors.Is(err, seal.ErrForeign):
		return nil, session.InputErrorf("the record of journal entry %s was %v; read it on the machine that applied the change",
			c.Intent.ID, err)
	}
	return record, err
}

// eraseRecords comes before the outcome is recorded: if it is interrupted, the change stays open, and Resolve erases
// the records.
func eraseRecords(ctx context.Context, s *session.Viewer, p *change.Plan) (int, error) {
	if !p.Action.Erases {
		return 0, nil
	}
	var deleted []change.Write
	for _, w := range p.Writes {
		if w.Operation == change.Delete {
			deleted = append(deleted, w)
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readLimit)
	defer cancel()
	n, err := recordKeys(s).Erase(ctx, subjects(deleted))
	if err != nil {
		return 0, fmt.Errorf("the records of the item on this machine are still readable: %w", err)
	}
	return n, nil
}
