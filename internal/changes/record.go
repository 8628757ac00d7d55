package changes

import (
	"encoding/base64"
	"errors"

	"github.com/ddbdesk/ddbdesk/internal/session"
)

// recordPurpose is the encryption purpose of change records.
const recordPurpose = "ddbdesk change record 1"

// openRecord decrypts the record of a change. Its error wraps session.ErrInput unless it cannot read the key.
func (j *Journal) openRecord(c PastChange) ([]byte, error) {
	text := c.Intent.Detail.Record
	if c.Outcome != nil && c.Outcome.Detail.Record != "" {
		text = c.Outcome.Detail.Record // It contains the item that DynamoDB deleted.
	}
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(sealed) == 0 {
		return nil, session.InputErrorf("journal entry %s has no record of its writes", c.Intent.ID)
	}
	record, err := j.s.Sealer().Open(sealed, recordPurpose)
	if errors.Is(err, session.ErrForeign) {
		return nil, session.InputErrorf("the record of journal entry %s was %v; read it on the machine that applied the change",
			c.Intent.ID, err)
	}
	return record, err
}
