package lint

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ddbdesk/ddbdesk/models"
)

// ttlNameDiffers compares case-sensitively, as DynamoDB does with attribute names.
func ttlNameDiffers(_ *linter, t *models.Table, report reporter) {
	if t.TTLDocumented == "" || t.TTLDocumented == t.TTL {
		return
	}
	how := "a different name"
	if strings.EqualFold(t.TTLDocumented, t.TTL) {
		how = "the same name in different case, which DynamoDB treats as a different name"
	}
	report("ttl_documented", "enable TTL on "+t.TTL, "TTL is enabled on %s but the items have %s, %s, so nothing ever expires",
		t.TTLDocumented, t.TTL, how)
}

// ttlMissing looks at tables where all items of another entity expire. One that expires only in some cases, such as
// when it is deleted, says nothing about others.
func ttlMissing(l *linter, e *models.Entity, report reporter) {
	ttl := e.Table.TTL
	if ttl == "" || e.Undocumented || e.Attribute(ttl) != nil {
		return
	}
	for _, o := range l.EntitiesOf(e.Table) {
		if a := o.Attribute(ttl); a != nil && a.Required {
			report("attributes", "add "+ttl+", or document that its items are kept forever",
				"%s has no %s, unlike %s in the same table, so its items never expire", e.Name, ttl, o.Name)
			return
		}
	}
}

// ttlNotEpoch finds TTL attributes that are not a number of seconds. DynamoDB ignores them, and takes milliseconds
// for a time far in the future. Source: Amazon DynamoDB Developer Guide, "Using time to live (TTL)".
func ttlNotEpoch(_ *linter, e *models.Entity, report reporter) {
	a := e.Attribute(e.Table.TTL)
	if e.Table.TTL == "" || a == nil || a.Type == models.TypeN && a.Format == models.EpochSeconds {
		return
	}
	what := string(a.Type) + " " + string(a.Format)
	report("attributes."+a.Name, "use {type: N, format: epoch-seconds}",
		"TTL attribute %s is %s; DynamoDB expires items only by a number of epoch seconds", a.Name, strings.TrimSpace(what))
}

var expiryName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)expir|valid_?until|^ttl$`) })

func expiryNotTTL(_ *linter, e *models.Entity, report reporter) {
	ttl := e.Attribute(e.Table.TTL)
	for _, a := range e.Attributes {
		if e.Table.TTL == "" || a == ttl || !a.Format.IsTime() || !expiryName().MatchString(a.Name) {
			continue
		}
		switch {
		case ttl == nil:
			report("attributes."+a.Name, "add "+e.Table.TTL+" with the same time in epoch seconds",
				"%s gives the expiry of %s, but TTL uses %s, which the entity lacks", a.Name, e.Name, e.Table.TTL)
		case ttl.Equals != a.Name:
			report("attributes."+a.Name, "write equals: "+a.Name+" at "+ttl.Name+" if both are the same time",
				"%s has two expiry times, %s and %s, and nothing states whether they agree", e.Name, a.Name, ttl.Name)
		}
	}
}

func expiredStillRead(l *linter, t *models.Table, report reporter) {
	var names []string
	for _, e := range l.EntitiesOf(t) {
		if e.Attribute(t.TTL) == nil {
			continue
		}
		for _, p := range l.Patterns {
			if p.IsRead() && slices.Contains(p.Returns, e) {
				names = append(names, e.Name)
				break
			}
		}
	}
	if t.TTL != "" && len(names) > 0 {
		report("ttl", "compare "+t.TTL+" with the current time",
			"an expired %s stays readable until DynamoDB deletes it, usually within two days; check its expiry before use",
			strings.Join(names, ", "))
	}
}
