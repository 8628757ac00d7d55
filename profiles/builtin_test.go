package profiles_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/ddbdesk/ddbdesk/accesspatterns/change"
	"github.com/ddbdesk/ddbdesk/models"
	"github.com/ddbdesk/ddbdesk/profiles"
)

// A changeCase is an action on a sample item. What is expected may name values
// of the item as it was: {bidId}.
type changeCase struct {
	action string
	inputs map[string]string
	fits   func(models.Item) bool // which sample items will do, nil for any
	change models.Item            // of the sample item, first
	// writes and undo say what is written, one line each; no undo stands for an
	// action that cannot be undone.
	writes, undo []string
}

var changeCases = map[string][]changeCase{
	"authbridge": {
		{
			action: "extend-expiry",
			inputs: map[string]string{"expiresAt": "2026-08-01"},
			writes: []string{
				"Update Verification: expiresAt=2026-08-01T00:00:00Z ttl=1785542400 updatedAt=2026-03-01T12:00:00Z",
				"Put AuditLog: GSI3PK=USER#kagiso GSI3SK=2026-03-01T12:00:00Z#UUID7 PK=AUDIT#2026-03-01 SK=2026-03-01T12:00:00Z#UUID7 " +
					`action=extend-expiry after={"expiresAt":"2026-08-01T00:00:00Z"} before={"expiresAt":"{expiresAt}"} eventId=UUID7 ` +
					"reason=asked for timestamp=2026-03-01T12:00:00Z userId=kagiso verificationId={verificationId}",
			},
			undo: []string{
				"Update Verification: expiresAt={expiresAt} ttl={ttl} updatedAt=2026-03-01T12:01:00Z",
				"Put AuditLog: GSI3PK=USER#kagiso GSI3SK=2026-03-01T12:01:00Z#UUID7 PK=AUDIT#2026-03-01 SK=2026-03-01T12:01:00Z#UUID7 " +
					`action=undo-extend-expiry after={"expiresAt":"{expiresAt}"} before={"expiresAt":"2026-08-01T00:00:00Z"} eventId=UUID7 ` +
					"reason=asked for timestamp=2026-03-01T12:01:00Z userId=kagiso verificationId={verificationId}",
			},
		},
		{
			action: "create-verification", // The audit entry has no email address.
			inputs: map[string]string{
				"verificationId": "ver_new", "clientId": "client_a", "documentType": "omang", "email": "thabo@example.com", "externalId": "cust_1",
			},
			writes: []string{
				"Put Verification: GSI1PK=CLIENT#client_a GSI1SK=created#2026-03-01T12:00:00Z GSI2PK=DATE#2026-03-01 " +
					"GSI2SK=2026-03-01T12:00:00Z#ver_new PK=CASE#ver_new SK=META clientId=client_a createdAt=2026-03-01T12:00:00Z " +
					`customerMetadata={"email":"thabo@example.com","externalId":"cust_1"} documentType=omang ` +
					"expiresAt=2026-03-31T12:00:00Z status=created ttl=1774958400 updatedAt=2026-03-01T12:00:00Z verificationId=ver_new",
				"Put AuditLog: GSI3PK=USER#kagiso GSI3SK=2026-03-01T12:00:00Z#UUID7 PK=AUDIT#2026-03-01 SK=2026-03-01T12:00:00Z#UUID7 " +
					`action=create-verification after={"clientId":"client_a","createdAt":"2026-03-01T12:00:00Z","documentType":"omang",` +
					`"expiresAt":"2026-03-31T12:00:00Z","status":"created","ttl":1774958400,"verificationId":"ver_new"} eventId=UUID7 ` +
					"reason=asked for timestamp=2026-03-01T12:00:00Z userId=kagiso verificationId=ver_new",
			},
			undo: []string{
				"Delete Verification:",
				"Put AuditLog: GSI3PK=USER#kagiso GSI3SK=2026-03-01T12:01:00Z#UUID7 PK=AUDIT#2026-03-01 SK=2026-03-01T12:01:00Z#UUID7 " +
					"action=undo-create-verification eventId=UUID7 " +
					"reason=asked for timestamp=2026-03-01T12:01:00Z userId=kagiso verificationId=ver_new",
			},
		},
		{
			action: "erase-case", // The audit entry has no data of the customer.
			writes: []string{
				"Delete Verification:",
				"Put AuditLog: GSI3PK=USER#kagiso GSI3SK=2026-03-01T12:00:00Z#UUID7 PK=AUDIT#2026-03-01 SK=2026-03-01T12:00:00Z#UUID7 " +
					"action=erase-case eventId=UUID7 reason=asked for timestamp=2026-03-01T12:00:00Z userId=kagiso verificationId={verificationId}",
			},
		},
	},
	"ebay-sniper": {
		{
			action: "record-outcome",
			inputs: map[string]string{"outcome": "PLACED"},
			fits:   in("status", "PENDING"),
			writes: []string{
				"Update Bid: status=PLACED updatedAt=1772366400",
				`Put BidHistory: action=PLACE bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for"} ebayItemId={ebayItemId} ` +
					"historyId=1772366400#PLACE#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "record-outcome",
			inputs: map[string]string{"outcome": "LOST", "finalPrice": "3999"},
			fits:   in("status", "PLACED"),
			writes: []string{
				"Update Bid: currentPrice=3999 status=LOST updatedAt=1772366400",
				`Put BidHistory: action=LOSE bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for"} ebayItemId={ebayItemId} finalPrice=3999 ` +
					"historyId=1772366400#LOSE#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "erase-user",
			writes: []string{"Delete User:"},
		},
		{
			action: "cancel-bid",
			fits:   carries("schedulerJobId"),
			writes: []string{
				"Update Bid: status=CANCELLED updatedAt=1772366400",
				`Put BidHistory: action=CANCEL bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for","schedulerJobId":"{schedulerJobId}"} ebayItemId={ebayItemId} ` +
					"historyId=1772366400#CANCEL#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
			undo: []string{
				"Update Bid: status=PENDING updatedAt=1772366460",
				`Put BidHistory: action=UPDATE bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for","schedulerJobId":"{schedulerJobId}","undoes":"CANCEL"} ebayItemId={ebayItemId} ` +
					"historyId=1772366460#UPDATE#{bidId} originalBidId={bidId} timestamp=1772366460 userId={userId}",
			},
		},
		{
			action: "correct-bid-amount",
			inputs: map[string]string{"maxBidAmount": "4200"},
			writes: []string{
				"Update Bid: maxBidAmount=4200 updatedAt=1772366400",
				`Put BidHistory: action=UPDATE bidAmount=4200 details={"by":"kagiso","previousAmount":{maxBidAmount},"reason":"asked for"} ebayItemId={ebayItemId} ` +
					"historyId=1772366400#UPDATE#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "record-win",
			inputs: map[string]string{"finalPrice": "3999"},
			writes: []string{
				"Update Bid: currentPrice=3999 status=WON updatedAt=1772366400",
				`Put BidHistory: action=WIN bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for"} ebayItemId={ebayItemId} finalPrice=3999 ` +
					"historyId=1772366400#WIN#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "record-loss", // without a price, the last one that was read stays
			writes: []string{
				"Update Bid: status=LOST updatedAt=1772366400",
				`Put BidHistory: action=LOSE bidAmount={maxBidAmount} details={"by":"kagiso","reason":"asked for"} ebayItemId={ebayItemId} ` +
					"historyId=1772366400#LOSE#{bidId} originalBidId={bidId} timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "create-bid",
			inputs: map[string]string{
				"bidId": "11111111-2222-4333-8444-555555555555", "ebayItemId": "256118207341", "itemTitle": "Brass sextant",
				"maxBidAmount": "900", "currentPrice": "700", "auctionEndTime": "now+2h",
			},
			writes: []string{
				"Put Bid: auctionEndTime=1772373600 bidId=11111111-2222-4333-8444-555555555555 createdAt=1772366400 " +
					"currentPrice=700 ebayItemId=256118207341 " +
					"itemTitle=Brass sextant maxBidAmount=900 status=PENDING updatedAt=1772366400 userId={userId}",
				`Put BidHistory: action=CREATE bidAmount=900 details={"by":"kagiso","reason":"asked for"} ebayItemId=256118207341 ` +
					"historyId=1772366400#CREATE#11111111-2222-4333-8444-555555555555 " +
					"originalBidId=11111111-2222-4333-8444-555555555555 timestamp=1772366400 userId={userId}",
			},
		},
		{
			action: "deactivate-user",
			writes: []string{"Update User: isActive=false updatedAt=1772366400"},
			undo:   []string{"Update User: isActive=true updatedAt=1772366460"},
		},
		{
			action: "unlink-ebay",
			fits:   carries("ebayTokens", "ebayAccountId"),
			writes: []string{"Update User: ebayAccountId= ebayTokens= updatedAt=1772366400"},
		},
	},
	"form-bridge": {
		{
			action: "clear-rate-limit",
			writes: []string{"Delete RateLimitSite:"},
			undo: []string{
				"Put RateLimitSite: GSI1PK=RATE#{site_id} GSI1SK=TIME#{timestamp} PK=RATE#{site_id} SK=TIME#{timestamp} " +
					"request_type={request_type} timestamp={timestamp} ttl={ttl}",
			},
		},
		{
			action: "clear-ip-rate-limit",
			writes: []string{"Delete RateLimitIP:"},
			undo: []string{
				"Put RateLimitIP: GSI1PK=RATE#{client_ip} GSI1SK=TIME#{timestamp} PK=RATE#{client_ip} SK=TIME#{timestamp} " +
					"action={action} timestamp={timestamp} ttl={ttl}",
			},
		},
		{
			action: "rotate-api-key",
			inputs: map[string]string{"api_key_hash": strings.Repeat("ab", 32)},
			writes: []string{
				"Update SiteCredentials: api_key_hash=" + strings.Repeat("ab", 32),
				"Delete APIKeyLookup:",
				"Put APIKeyLookup: GSI1PK=SITE#{site_id} GSI1SK=API_KEY PK=API#" + strings.Repeat("ab", 32) + " SK=LOOKUP " +
					"created_at=2026-03-01T12:00:00Z domain={domain} last_used=2026-03-01T12:00:00Z site_id={site_id}",
			},
			undo: []string{
				"Update SiteCredentials: api_key_hash={api_key_hash}",
				"Put APIKeyLookup: GSI1PK=SITE#{site_id} GSI1SK=API_KEY PK=API#{api_key_hash} SK=LOOKUP " +
					"created_at={key.created_at} domain={domain} last_used={key.last_used} site_id={site_id}",
				"Delete APIKeyLookup:",
			},
		},
		{
			action: "suspend-site",
			writes: []string{"Update SiteCredentials: GSI1SK=SUSPENDED status=suspended"},
			undo:   []string{"Update SiteCredentials: GSI1SK=ACTIVE status=active"},
		},
		{
			action: "suspend-site",
			inputs: map[string]string{"deleteKey": "true"},
			writes: []string{"Update SiteCredentials: GSI1SK=SUSPENDED status=suspended", "Delete APIKeyLookup:"},
			undo: []string{
				"Update SiteCredentials: GSI1SK=ACTIVE status=active",
				"Put APIKeyLookup: GSI1PK=SITE#{site_id} GSI1SK=API_KEY PK=API#{api_key_hash} SK=LOOKUP " +
					"created_at={key.created_at} domain={domain} " +
					"last_used={key.last_used} site_id={site_id}",
			},
		},
		{
			action: "disable-site",
			writes: []string{"Update SiteCredentials: GSI1SK=DISABLED status=disabled", "Delete APIKeyLookup:"},
			undo: []string{
				"Update SiteCredentials: GSI1SK={GSI1SK} status={status}",
				"Put APIKeyLookup: GSI1PK=SITE#{site_id} GSI1SK=API_KEY PK=API#{api_key_hash} SK=LOOKUP " +
					"created_at={key.created_at} domain={domain} " +
					"last_used={key.last_used} site_id={site_id}",
			},
		},
		{
			action: "reactivate-site", // its key is there still
			writes: []string{"Update SiteCredentials: GSI1SK=ACTIVE status=active"},
			undo:   []string{"Update SiteCredentials: GSI1SK=SUSPENDED status=suspended"},
		},
		{
			action: "expire-registration",
			writes: []string{"Update Registration: GSI1SK=STATUS#expired status=expired"},
			undo:   []string{"Update Registration: GSI1SK=STATUS#pending status=pending"},
		},
		{
			action: "suspend-agency",
			writes: []string{"Update Agency: GSI1SK=SUSPENDED status=suspended"},
			undo:   []string{"Update Agency: GSI1SK=ACTIVE status=active"},
		},
		{
			action: "add-site-to-agency",
			inputs: newSite,
			fits: func(it models.Item) bool {
				return itemText(it, "status") == "active" && itemText(it, "current_sites") == "3"
			},
			writes: []string{
				"Update Agency: current_sites=4",
				"Put AgencySite: GSI1PK=SITE#site-9 GSI1SK=AGENCY#{agency_id} PK=AGENCY#{agency_id} SK=SITE#site-9 " +
					"added_at=2026-03-01T12:00:00Z " +
					"agency_id={agency_id} domain=shop.example role=member site_id=site-9",
			},
			undo: []string{"Update Agency: current_sites=3", "Delete AgencySite:"},
		},
		{
			action: "record-security-event",
			inputs: map[string]string{
				"timestamp": "now", "event_type": "auth_failure", "client_ip": "192.0.2.77", "user_agent": "curl/8.9.1",
			},
			writes: []string{
				"Put SecurityEvent: GSI1PK=SECURITY#auth_failure GSI1SK=TIME#2026-03-01T12:00:00Z PK=FAILED#{site_id} " +
					"SK=TIME#2026-03-01T12:00:00Z " +
					`client_ip=192.0.2.77 details={"note":"asked for","recorded_by":"kagiso"} event_type=auth_failure site_id={site_id} ` +
					"timestamp=2026-03-01T12:00:00Z ttl=1774958400 user_agent=curl/8.9.1",
			},
			undo: []string{"Delete SecurityEvent:"},
		},
		{
			action: "record-rate-limit-event",
			inputs: map[string]string{"timestamp": "now", "request_type": "api"},
			writes: []string{
				"Put RateLimitSite: GSI1PK=RATE#{site_id} GSI1SK=TIME#1772366400 PK=RATE#{site_id} SK=TIME#1772366400 " +
					"request_type=api timestamp=1772366400 ttl=1772452800",
			},
			undo: []string{"Delete RateLimitSite:"},
		},
		{
			action: "purge-version-cache",
			writes: []string{"Delete VersionInfo:"},
			undo: []string{
				"Put VersionInfo: GSI1PK={GSI1PK} GSI1SK=RELEASE PK=PLUGIN_VERSION#latest SK=INFO cached_at={cached_at} ttl={ttl} " +
					"version_info={version_info}",
			},
		},
	},
	"zentriqvision": {
		{
			action: "suspend-org",
			writes: []string{"Update Organization: status=INACTIVE"},
			undo:   []string{"Update Organization: status=ACTIVE"},
		},
		{
			action: "reactivate-org",
			change: models.Item{"status": models.StringValue("INACTIVE")},
			writes: []string{"Update Organization: status=ACTIVE"},
			undo:   []string{"Update Organization: status=INACTIVE"},
		},
		{
			action: "delete-video",
			writes: []string{"Delete Video:"},
			undo: []string{
				"Put Video: PK={PK} SK={SK} duration={duration} fileName={fileName} fileSize={fileSize} s3Key={s3Key} status={status} " +
					"uploadedAt={uploadedAt} userId={userId} videoId={videoId}",
			},
		},
		{
			action: "erase-person",
			writes: []string{"Delete Person:"},
		},
		{
			action: "correct-user-contact",
			inputs: map[string]string{"phone": "+27115550100"},
			writes: []string{"Update User: phone=+27115550100"},
			undo:   []string{"Update User: phone={phone}"},
		},
		{
			action: "requeue-video",
			inputs: map[string]string{"status": "UPLOADED"},
			writes: []string{"Update Video: status=UPLOADED"},
			undo:   []string{"Update Video: status=PROCESSED"},
		},
	},
}

func carries(attributes ...string) func(models.Item) bool {
	return func(it models.Item) bool {
		return !slices.ContainsFunc(attributes, func(name string) bool { _, ok := it[name]; return !ok })
	}
}

func in(attribute, state string) func(models.Item) bool {
	return func(it models.Item) bool { return itemText(it, attribute) == state }
}

func itemText(it models.Item, path string) string {
	s, _ := it.Text(path)
	return s
}

func TestChangesWriteWhatTheDocumentSays(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(changeCases)) {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changeCases[name] {
			t.Run(name+"."+c.action, func(t *testing.T) {
				db, byEntity := sampleTables(t, p, 7)
				a := p.Action(c.action)
				for i, it := range byEntity[a.Entity] {
					byEntity[a.Entity][i] = it.Clone()
					maps.Copy(byEntity[a.Entity][i], c.change)
				}
				it := suitable(t, a, byEntity[a.Entity], c.fits)
				db.put(a.Entity.Table, it)
				plan, given := plannedChange(t, a, db, it, c.inputs)
				names := itemNames(p, db, a.Entity, it)
				if diff := cmp.Diff(filled(c.writes, names), changeLines(plan)); diff != "" {
					t.Errorf("writes:\n%s", diff)
				}
				if err := db.commit(plan); err != nil {
					t.Fatal(err)
				}
				given.Now = actionTime.Add(time.Minute)
				back, err := plan.Undo(t.Context(), given, db.get)
				var conflict *change.Conflict
				if c.undo == nil && errors.As(err, &conflict) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(filled(c.undo, names), changeLines(back)); diff != "" {
					t.Errorf("undo:\n%s", diff)
				}
			})
		}
	}
}

// The credentials of a site change with every request. A change of the site
// must neither wait for that to stop nor take it back.
func TestChangesOfSitesLeaveTrafficAlone(t *testing.T) {
	p, err := profiles.Open("form-bridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	traffic := []string{"last_seen", "request_count", "rate_limit_remaining"}
	for _, id := range []string{"suspend-site", "reactivate-site", "disable-site"} {
		db, byEntity := sampleTables(t, p, 7)
		a := p.Action(id)
		plan, _ := plannedChange(t, a, db, suitable(t, a, byEntity[a.Entity], nil), nil)
		site := plan.Writes[0]
		for _, c := range site.Condition {
			if slices.Contains(traffic, c.Attribute) {
				t.Errorf("%s needs %s", id, c)
			}
		}
		for _, c := range site.Changes {
			if slices.Contains(traffic, c.Path) {
				t.Errorf("%s writes %s", id, c.Path)
			}
		}
	}
}

func TestReactivatedSiteGetsItsKeyBack(t *testing.T) {
	p, err := profiles.Open("form-bridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		inputs map[string]string
		want   []string
	}{
		{"as a rule", nil, []string{
			"Update SiteCredentials: GSI1SK=ACTIVE status=active",
			"Put APIKeyLookup: GSI1PK=SITE#{site_id} GSI1SK=API_KEY PK=API#{api_key_hash} SK=LOOKUP created_at={activated_at} " +
				"domain={domain} " +
				"last_used={last_seen} site_id={site_id}",
		}},
		{
			"unless it was revoked",
			map[string]string{"restoreKey": "false"},
			[]string{"Update SiteCredentials: GSI1SK=ACTIVE status=active"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, byEntity := sampleTables(t, p, 7)
			a := p.Action("reactivate-site")
			it := suitable(t, a, byEntity[a.Entity], nil)
			delete(db, itemKey(
				a.Entity.Table,
				models.Item{"PK": models.StringValue("API#" + itemText(it, "api_key_hash")), "SK": models.StringValue("LOOKUP")},
			))
			plan, _ := plannedChange(t, a, db, it, c.inputs)
			if diff := cmp.Diff(filled(c.want, itemNames(p, db, a.Entity, it)), changeLines(plan)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChangesThatTheItemsForbid(t *testing.T) {
	for _, c := range []struct {
		profile, action string
		change          models.Item // of the sample item, first
		inputs          map[string]string
		want            string
	}{
		{"ebay-sniper", "cancel-bid", models.Item{"status": models.StringValue("PLACED")}, nil, "status is PLACED"},
		{
			"ebay-sniper", "correct-bid-amount",
			models.Item{"status": models.StringValue("WON")},
			map[string]string{"maxBidAmount": "1"},
			"status is WON",
		},
		{"form-bridge", "reactivate-site", models.Item{"status": models.StringValue("disabled")}, nil, "status is disabled"},
		{"form-bridge", "add-site-to-agency", models.Item{"status": models.StringValue("suspended")}, newSite, "the agency is suspended"},
		{
			"form-bridge", "add-site-to-agency",
			models.Item{"status": models.StringValue("active"), "current_sites": number("10"), "max_sites": number("10")},
			newSite, "its maximum number of sites",
		},
		{
			"form-bridge", "change-max-sites",
			models.Item{"current_sites": number("10")},
			map[string]string{"max_sites": "9"},
			"more sites than that",
		},
		{"zentriqvision", "activate-organisation", nil, nil, "status is ACTIVE"},
	} {
		t.Run(c.profile+"."+c.action, func(t *testing.T) {
			p, err := profiles.Open(c.profile, nil)
			if err != nil {
				t.Fatal(err)
			}
			db, byEntity := sampleTables(t, p, 7)
			a := p.Action(c.action)
			it := byEntity[a.Entity][0].Clone()
			maps.Copy(it, c.change)
			db.put(a.Entity.Table, it)
			_, _, err = planChange(t, a, db, it, c.inputs)
			var conflict *change.Conflict
			if !errors.As(err, &conflict) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want a conflict that says %q", err, c.want)
			}
		})
	}
}

var newSite = map[string]string{"site_id": "site-9", "domain": "shop.example", "role": "member"}

func number(text string) types.AttributeValue { return &types.AttributeValueMemberN{Value: text} }

// A key that belongs to somebody else is not deleted with the site.
func TestDisabledSiteKeepsForeignKey(t *testing.T) {
	p, err := profiles.Open("form-bridge", nil)
	if err != nil {
		t.Fatal(err)
	}
	db, byEntity := sampleTables(t, p, 7)
	a := p.Action("disable-site")
	it := suitable(t, a, byEntity[a.Entity], nil)
	id := itemKey(
		a.Entity.Table,
		models.Item{"PK": models.StringValue("API#" + itemText(it, "api_key_hash")), "SK": models.StringValue("LOOKUP")},
	)
	key := db[id].Clone()
	key["site_id"] = models.StringValue("somebody-else")
	db[id] = key
	if _, _, err := planChange(t, a, db, it, nil); err == nil || !strings.Contains(err.Error(), "belongs to another site") {
		t.Errorf("got %v", err)
	}
	if _, _, err := planChange(t, a, db, it, map[string]string{"deleteKey": "false"}); err != nil {
		t.Errorf("without the key: %v", err)
	}
}

// What no document asks for, and what users and the service do themselves, is
// switched off.
func TestChangesThatAreOn(t *testing.T) {
	want := map[string][]string{
		"ebay-sniper": {"cancel-bid", "deactivate-user", "reactivate-user", "unlink-ebay"},
		"form-bridge": {
			"suspend-site", "reactivate-site", "disable-site", "expire-registration", "suspend-agency", "reactivate-agency",
			"remove-site-from-agency", "change-max-sites", "purge-validation", "purge-version-cache",
			"clear-rate-limit", "clear-ip-rate-limit",
		},
		"zentriqvision": nil,
	}
	for name, ids := range want {
		p, err := profiles.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var on []string
		for _, a := range p.Actions {
			if a.Off == "" {
				on = append(on, a.ID)
			}
		}
		if diff := cmp.Diff(ids, on); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// suitable returns the first sample item in a state that the action starts in.
func suitable(t *testing.T, a *change.Action, items []models.Item, fits func(models.Item) bool) models.Item {
	t.Helper()
	for _, it := range items {
		if a.Lifecycle != nil && !slices.Contains(a.From(), itemText(it, a.Lifecycle.Attribute)) || fits != nil && !fits(it) {
			continue
		}
		return it
	}
	t.Fatalf("no sample %s allows %s", a.Entity.Name, a.ID)
	return nil
}

// plannedChange plans the action on the item, and checks that every key it writes is
// what the entity makes of the attributes.
func plannedChange(t *testing.T, a *change.Action, db tableSet, it models.Item, inputs map[string]string) (*change.Plan, change.Given) {
	t.Helper()
	p, given, err := planChange(t, a, db, it, inputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range p.Writes {
		for _, k := range w.Entity.KeyStates(w.After) {
			if w.After != nil && k.Problem != "" {
				t.Errorf("%s of %s: %s", k.Name, w.Entity.Name, k.Problem)
			}
		}
	}
	return p, given
}

// keyPlaceholders returns the placeholders of the entity's primary key.
func keyPlaceholders(e *models.Entity) []string {
	partition, _ := e.KeyTemplate(e.Table.PartitionKey.Name)
	sort, _ := e.KeyTemplate(e.Table.SortKey.Name)
	return append(partition.Placeholders(), sort.Placeholders()...)
}

// planChange gathers what the action needs and plans it. The key of the item is given
// besides the inputs.
func planChange(t *testing.T, a *change.Action, db tableSet, it models.Item, inputs map[string]string) (*change.Plan, change.Given, error) {
	t.Helper()
	given := change.Given{
		Inputs: map[string]string{}, Actor: "kagiso", Reason: "asked for", Token: "11111111-2222-4333-8444-555555555555",
		Now: actionTime,
	}
	values := a.Entity.Values(it)
	for _, name := range keyPlaceholders(a.Entity) {
		given.Inputs[name], _ = values(name)
	}
	maps.Copy(given.Inputs, inputs)
	b, err := a.Gather(t.Context(), given, db.get)
	if err != nil {
		return nil, given, err
	}
	p, err := a.Plan(b)
	return p, given, err
}

// changeLines writes each write of a plan as one line: what an update sets, what a
// put holds.
func changeLines(p *change.Plan) []string {
	var list []string
	for _, w := range p.Writes {
		line := fmt.Sprintf("%s %s:", w.Operation, w.Entity.Name)
		for _, c := range w.Changes {
			line += " " + c.Path + "=" + valueText(models.Item{"v": c.After}, "v")
		}
		list = append(list, orderedID.ReplaceAllString(line, "UUID7"))
	}
	return list
}

var orderedID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// valueText spells a value: scalars as they are, documents as JSON.
func valueText(it models.Item, name string) string {
	if it[name] == nil {
		return ""
	}
	if s, ok := it.Text(name); ok {
		return s
	}
	return string(models.AppendValueJSON(nil, it[name]))
}

// itemNames returns what {name} stands for: attributes of the item, what its
// key holds, and of the API key of a site.
func itemNames(p *profiles.Profile, db tableSet, e *models.Entity, it models.Item) func(string) string {
	values := e.Values(it)
	key := models.Item{}
	if hash, ok := it.Text("api_key_hash"); ok {
		table := p.Entity("APIKeyLookup").Table
		key = db[itemKey(table, models.Item{"PK": models.StringValue("API#" + hash), "SK": models.StringValue("LOOKUP")})].Clone()
	}
	return func(name string) string {
		if of, ok := strings.CutPrefix(name, "key."); ok {
			return valueText(key, of)
		}
		if v, ok := values(name); ok {
			return v
		}
		return valueText(it, name)
	}
}

var placeholder = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_.]*\}`)

func filled(lines []string, value func(string) string) []string {
	var list []string
	for _, l := range lines {
		list = append(list, placeholder.ReplaceAllStringFunc(l, func(s string) string { return value(s[1 : len(s)-1]) }))
	}
	return list
}
