package requests

import "github.com/ddbdesk/ddbdesk/models"

// Known returns the requests of the last List and those that the inbox filed since, newest first, or nil if there are
// none. It sends no requests. The result changes with every List and File.
func (in *Inbox) Known() *[]Entry { return in.known.Load() }

// PendingOf returns the known pending requests to change one item, newest first.
func (in *Inbox) PendingOf(t *models.Table, key models.Item) (list []Entry) {
	known := in.Known()
	for i := 0; known != nil && i < len(*known); i++ {
		e := (*known)[i]
		table, subject := in.Item(e.Request)
		if table == t && models.EqualItems(subject, key) && e.State.Pending() && e.Target == in.s.Target().Place() {
			list = append(list, e)
		}
	}
	return list
}
