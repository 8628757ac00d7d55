// This file looks into errors of the store.

package session

import (
	"errors"

	"github.com/ddbdesk/ddbdesk/internal/store"
)

func asStoreError(err error, target **store.Error) bool { return errors.As(err, target) }
