package config

import (
	"net/url"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

// maxValid is the longest time for which a request can be applied.
const maxValid = 30 * 24 * time.Hour

func (r *reader) requests(path string, d requestsDecl) Requests {
	out := Requests{Table: d.Table, URL: d.Notify.URL}
	if r.Has(path+".table") && !models.IsTableName(d.Table) {
		r.Errorf(path+".table", "use 3 to 255 letters, digits, '_', '.' and '-'", "invalid table name %q", models.Printable(d.Table))
	}
	if r.Has(path + ".expires") {
		valid, err := time.ParseDuration(d.Expires)
		if err != nil || valid < time.Minute || valid > maxValid {
			r.Errorf(path+".expires", "use a duration from 1m to 720h, such as 72h", "invalid duration %q", models.Printable(d.Expires))
		}
		out.Valid = valid
	}
	if r.Has(path + ".notify.url") {
		u, err := url.Parse(d.Notify.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			r.Errorf(path+".notify.url", "use a URL such as https://hooks.example.com/T1", "invalid HTTP URL")
		}
	}
	return out
}
