package draft

import (
	"fmt"
	"strconv"
	"time"

	"github.com/ddbdesk/ddbdesk/models"
)

func init() { referenceTables = append(referenceTables, formatTables...) }

func millis(t time.Time) n { return n(strconv.FormatInt(t.UnixMilli(), 10)) }

// formatTables are tables whose keys need a less common format, and tables whose keys only seem to need one.
var formatTables = []referenceTable{
	{name: "store-finder", keys: "- PK SK", kinds: []referenceEntity{
		{
			name: "Brand", count: 6, keys: keyMap{"PK": "BRAND#{brand}", "SK": "BRAND"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"brand": g.newValue("brand", g.word()+strconv.Itoa(i)), "founded": n("1987"), "site": g.name()}
			},
		},
		{
			name: "Store", count: 120, keys: keyMap{"PK": "BRAND#{brand}", "SK": "STORE#{country}[#{state}[#{city}]]"},
			refers: keyMap{"brand": "Brand.brand"}, formats: formatMap{"openedAt": models.ISO8601},
			make: func(g *valueGenerator, i int) map[string]any {
				v := map[string]any{"brand": g.earlierValue("brand"), "country": g.letters("ABCDEFGH", 2), "openedAt": g.iso(), "staff": n(g.number(60))}
				if i%3 > 0 {
					v["state"] = g.letters("KLMNOPQ", 2)
				}
				if i%3 > 1 {
					v["city"] = g.name()
				}
				return v
			},
		},
	}},
	{name: "settings", keys: "- PK SK\nGSI1 GSI1PK GSI1SK", kinds: []referenceEntity{{
		name: "Setting", count: 90, keys: keyMap{
			"PK": "APP#{app}", "SK": "SETTING#{flag}[#{stage}]", "GSI1PK": "FLAG#{flag}", "GSI1SK": "{app}[#{stage}]#V",
		},
		make: func(g *valueGenerator, i int) map[string]any {
			v := map[string]any{"app": g.word(), "flag": g.name() + strconv.Itoa(i/2), "on": g.IntN(2) == 0, "changedBy": g.name()}
			if i%2 == 0 {
				v["stage"] = g.pick("alpha", "beta", "live")
			}
			return v
		},
	}}},
	{name: "folders", keys: "- PK SK", kinds: []referenceEntity{
		{
			name: "Folder", count: 30, keys: keyMap{"PK": "ROOT#{root}", "SK": "ENTRY#{folder}"}, formats: formatMap{"createdAt": models.ISO8601},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"root": g.pick("r100", "r200"), "folder": g.newValue("folder", g.name()+strconv.Itoa(i)), "createdAt": g.iso(), "shared": g.IntN(2) == 0}
			},
		},
		{
			name: "File", count: 80, keys: keyMap{"PK": "ROOT#{root}", "SK": "ENTRY#{folder}#{file}"}, formats: formatMap{"createdAt": models.ISO8601},
			refers: keyMap{"folder": "Folder.folder"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{
					"root": g.pick("r100", "r200"), "folder": g.earlierValue("folder"), "file": g.name() + strconv.Itoa(i) + ".txt", "createdAt": g.iso(),
					"size": n(g.number(1e6)), "type": g.pick("text", "image"),
				}
			},
		},
	}},
	{name: "people", keys: "- PK SK\nGSI1 GSI1PK GSI1SK", kinds: []referenceEntity{{
		name: "Person", count: 80, keys: keyMap{
			"PK": "PERSON#{personId}", "SK": "PERSON", "GSI1PK": "NAME#{lastName:first 2}", "GSI1SK": "{lastName}#{firstName}",
		}, formats: formatMap{"personId": models.UUID},
		make: func(g *valueGenerator, _ int) map[string]any {
			return map[string]any{"personId": g.uuid(), "lastName": g.word() + g.word(), "firstName": g.word(), "age": n(g.number(90))}
		},
	}}},
	{name: "leaders", keys: "- PK SK\nByBucket bucket:N score:N\nGSI2 GSI2PK GSI2SK:N", kinds: []referenceEntity{{
		name: "Leader", count: 150, keys: keyMap{
			"PK": "GAME#{game}", "SK": "PLAYER#{playerId}", "bucket": "{score:div 100}", "GSI2PK": "SEGMENT#{playerNo:div 1000 04d}", "GSI2SK": "{score}",
		}, formats: formatMap{"playerId": models.ULID},
		make: func(g *valueGenerator, _ int) map[string]any {
			return map[string]any{"game": g.pick("asteroid", "maze", "pong"), "playerId": g.ulid(), "score": n(g.number(99999)), "playerNo": n(g.number(80000))}
		},
	}}},
	{name: "feeds", keys: "- PK SK\nByNewest feed newest:N", kinds: []referenceEntity{{
		name: "Post", count: 100, keys: keyMap{
			"PK": "USER#{userId}", "SK": "POST#{createdAt:9999999999999 - epoch-millis}", "newest": "{createdAt:9999999999999 - epoch-millis}",
		}, formats: formatMap{"userId": models.UUID, "createdAt": models.ISO8601Millis},
		make: func(g *valueGenerator, i int) map[string]any {
			if i%5 == 0 {
				g.newValue("user", g.uuid())
			}
			return map[string]any{"userId": g.values["user"][len(g.values["user"])-1], "createdAt": g.ms(), "feed": g.pick("news", "jobs"), "text": g.name()}
		},
	}}},
	{name: "log-lines", keys: "- PK SK", kinds: []referenceEntity{{
		name: "Line", count: 100, keys: keyMap{"PK": "LOG#{host}", "SK": "{loggedAt:9007199254740991 - epoch-micros}#{requestId}"},
		formats: formatMap{"loggedAt": models.EpochMicros, "requestId": models.UUID, "took": models.EpochDecimal},
		make: func(g *valueGenerator, _ int) map[string]any {
			at := g.at().Add(time.Duration(g.IntN(1e6)) * 1000)
			return map[string]any{
				"host": g.name(), "loggedAt": n(strconv.FormatInt(at.UnixMicro(), 10)), "requestId": g.uuid(), "message": g.name(),
				"took": n(fmt.Sprintf("%d.%02d", at.Unix(), 1+g.IntN(98))),
			}
		},
	}}},
	{name: "invoices", keys: "- PK SK\nGSI1 GSI1PK GSI1SK\nGSI2 GSI2PK GSI2SK\nGSI3 GSI3PK GSI3SK", kinds: []referenceEntity{{
		name: "Invoice", count: 150, keys: keyMap{
			"PK": "INVOICE#{invoiceId}", "SK": "INVOICE", "GSI1PK": "UNPAID#{team}", "GSI1SK": "{sentAt}", "GSI2PK": "LIVE#{team}", "GSI2SK": "{sentAt}",
			"GSI3PK": "FLAGGED", "GSI3SK": "{flaggedAt}",
		},
		when: keyMap{
			"GSI1PK": "has [dueAt] lacks [paidAt]", "GSI1SK": "has [dueAt] lacks [paidAt]", "GSI2PK": "lacks [archivedAt]", "GSI2SK": "lacks [archivedAt]",
			"GSI3PK": "has [flaggedAt]",
		},
		formats: formatMap{
			"invoiceId": models.ULID, "sentAt": models.ISO8601, "dueAt": models.ISO8601, "paidAt": models.ISO8601, "archivedAt": models.ISO8601,
			"flaggedAt": models.ISO8601,
		},
		absent: map[string]func(map[string]any) bool{
			"GSI1": func(v map[string]any) bool { return lacks("dueAt")(v) || !lacks("paidAt")(v) },
			"GSI2": func(v map[string]any) bool { return !lacks("archivedAt")(v) }, "GSI3": lacks("flaggedAt"),
		},
		make: func(g *valueGenerator, _ int) map[string]any {
			v := map[string]any{"invoiceId": g.ulid(), "team": g.word(), "sentAt": g.iso(), "cents": n(g.number(90000))}
			for name, odds := range map[string]int{"dueAt": 2, "paidAt": 3, "archivedAt": 4, "flaggedAt": 5} {
				if g.IntN(odds) == 0 {
					v[name] = g.iso()
				}
			}
			return v
		},
	}}},
	{name: "namespaces", keys: "- PK SK", kinds: []referenceEntity{{
		name: "Resource", count: 90, keys: keyMap{"PK": "NS#{namespace}#{resource}", "SK": "R"},
		make: func(g *valueGenerator, i int) map[string]any {
			v := map[string]any{"namespace": "", "resource": g.name() + strconv.Itoa(i), "weight": n(g.number(90))}
			if i%3 > 0 {
				v["namespace"] = g.word()
			}
			return v
		},
	}}},
	{name: "periods", keys: "- PK SK\nGSI1 GSI1PK GSI1SK:N\nByDay day createdAt:N", kinds: []referenceEntity{{
		name: "Visit", count: 120, keys: keyMap{
			"PK": "SITE#{site}#{createdAt:month}", "SK": "{createdAt}#{visitor}", "GSI1PK": "WEEK#{createdAt:week}", "GSI1SK": "{createdAt}", "day": "{createdAt:date}",
		}, formats: formatMap{"createdAt": models.EpochSeconds, "visitor": models.UUID},
		make: func(g *valueGenerator, _ int) map[string]any {
			return map[string]any{"site": g.word(), "createdAt": epoch(g.at()), "visitor": g.uuid(), "page": g.name()}
		},
	}}},

	// These tables seem to need a word but do not.
	{name: "copies", keys: "- id\nByChange changedAt:N", kinds: []referenceEntity{{
		name: "Copy", count: 80, formats: formatMap{"id": models.UUID, "changedAt": models.EpochMillis, "madeAt": models.EpochMillis},
		make: func(g *valueGenerator, _ int) map[string]any {
			at := millis(g.at())
			return map[string]any{"id": g.uuid(), "changedAt": at, "madeAt": at, "note": g.name()} // unchanged yet
		},
	}}},
	{name: "small-numbers", keys: "- pk sk\nByLevel level:N points:N", kinds: []referenceEntity{{
		name: "SmallNumber", count: 90, keys: keyMap{"pk": "P#{playerId}", "sk": "N"}, formats: formatMap{"playerId": models.UUID},
		make: func(g *valueGenerator, _ int) map[string]any {
			return map[string]any{"playerId": g.uuid(), "level": n(g.number(4)), "points": n(g.number(100)), "lives": n(g.number(5)), "coins": n(g.number(50))}
		},
	}}},

	// The drafting code was never adjusted to the last six tables.
	{name: "org-units", heldOut: true, keys: "- tenantId unitPath\nByManager managerKey unitPath", kinds: []referenceEntity{{
		name: "OrgUnit", count: 100, keys: keyMap{
			"unitPath": "UNIT/{division}[/{department}[/{team}]]", "managerKey": "MANAGER/{manager}",
		}, formats: formatMap{"tenantId": models.UUID}, absent: map[string]func(map[string]any) bool{"manager": lacks("manager")},
		make: func(g *valueGenerator, i int) map[string]any {
			if i%20 == 0 {
				g.newValue("tenant", g.uuid())
			}
			v := map[string]any{"tenantId": g.earlierValue("tenant"), "division": g.name(), "headcount": n(g.number(90)), "costCenter": "CC" + g.number(900)}
			if g.IntN(4) > 0 {
				v["department"] = g.name()
				if g.IntN(3) > 0 {
					v["team"] = g.word()
				}
			}
			if g.IntN(2) == 0 {
				v["manager"] = g.name()
			}
			return v
		},
	}}},
	{name: "parcels", heldOut: true, keys: "- PK SK\nGSI1 GSI1PK GSI1SK\nGSI2 GSI2PK GSI2SK:N", kinds: []referenceEntity{
		{
			name: "Depot", count: 12, keys: keyMap{"PK": "DEPOT#{depot}", "SK": "DEPOT#{depot}"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"depot": g.newValue("depot", "D"+strconv.Itoa(1000+i*7)), "address": g.name(), "doors": n(g.number(30))}
			},
		},
		{
			name: "Parcel", count: 140, keys: keyMap{
				"PK": "PARCEL#{parcelId}", "SK": "PARCEL", "GSI1PK": "ZIP#{zip:first 3}", "GSI1SK": "{zip}#{parcelId}",
				"GSI2PK": "DEPOT#{depot}", "GSI2SK": "{receivedAt:epoch-seconds}",
			}, formats: formatMap{"parcelId": models.KSUID, "receivedAt": models.ISO8601, "deliveredAt": models.ISO8601}, refers: keyMap{"depot": "Depot.depot"},
			when:   keyMap{"GSI2PK": "lacks [deliveredAt]", "GSI2SK": "lacks [deliveredAt]"},
			absent: map[string]func(map[string]any) bool{"GSI2": func(v map[string]any) bool { return !lacks("deliveredAt")(v) }},
			make: func(g *valueGenerator, _ int) map[string]any {
				v := map[string]any{"parcelId": g.ksuid(), "zip": fmt.Sprintf("%05d", g.IntN(99999)), "depot": g.earlierValue("depot"), "receivedAt": g.iso(), "grams": n(g.number(30000))}
				if g.IntN(3) > 0 {
					v["deliveredAt"] = g.iso()
				}
				return v
			},
		},
	}},
	{name: "rounds", heldOut: true, keys: "- PK SK\nByNewest kind newestFirst:N", kinds: []referenceEntity{
		{
			name: "Match", count: 90, keys: keyMap{
				"PK": "LEAGUE#{league}", "SK": "MATCH#{playedAt:9999999999 - epoch-seconds}#{matchId}", "newestFirst": "{playedAt:9999999999 - epoch-seconds}",
			}, formats: formatMap{"playedAt": models.EpochSeconds, "matchId": models.ULID},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"league": g.pick("north", "south"), "playedAt": epoch(g.at()), "matchId": g.newValue("match", g.ulid()), "kind": g.pick("cup", "round"), "home": n(g.number(7))}
			},
		},
		{
			name: "Goal", count: 90, keys: keyMap{"PK": "MATCH#{matchId}", "SK": "GOAL#{minute:03d}#{player}"}, refers: keyMap{"matchId": "Match.matchId"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"matchId": g.earlierValue("match"), "minute": n(g.number(90)), "player": g.name(), "penalty": g.IntN(9) == 0}
			},
		},
	}},
	{name: "pages", heldOut: true, keys: "- pk sk\ngsi1 gsi1pk gsi1sk\nByPage pageNo:N entryNo:N", kinds: []referenceEntity{{
		name: "Entry", count: 160, keys: keyMap{
			"pk": "BOOK_{bookId}", "sk": "ENTRY_{entryNo:08d}", "pageNo": "{entryNo:div 50}", "gsi1pk": "DAY_{writtenAt:date}", "gsi1sk": "{writtenAt}",
		}, formats: formatMap{"writtenAt": "%Y-%m-%dT%H:%M:%S.%fZ", "bookId": models.ULID},
		make: func(g *valueGenerator, i int) map[string]any {
			at := g.at().Add(time.Duration(g.IntN(1e6)) * 1000)
			if i%20 == 0 {
				g.newValue("book", g.ulid())
			}
			return map[string]any{"bookId": g.earlierValue("book"), "entryNo": n(strconv.Itoa(g.IntN(4000))), "writtenAt": at.Format("2006-01-02T15:04:05.000000Z"), "by": g.name()}
		},
	}}},
	{name: "regions", heldOut: true, keys: "- PK SK", kinds: []referenceEntity{
		{
			name: "Region", count: 20, keys: keyMap{"PK": "REGION#{region}", "SK": "META"}, formats: formatMap{"updatedAt": models.EpochSeconds},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"region": g.newValue("region", g.name()+strconv.Itoa(i)), "updatedAt": epoch(g.at()), "capital": g.word()}
			},
		},
		{
			name: "District", count: 60, keys: keyMap{"PK": "REGION#{region}#{district}", "SK": "META"}, formats: formatMap{"updatedAt": models.EpochSeconds},
			refers: keyMap{"region": "Region.region"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"region": g.earlierValue("region"), "district": g.name() + strconv.Itoa(i), "updatedAt": epoch(g.at()), "people": n(g.number(90000))}
			},
		},
	}},
	{name: "subscriptions", heldOut: true, ttl: "endsAt", keys: "- customer subscription\nRenewals renewalMonth renewsAt:N\nTrials trialKey renewsAt:N", kinds: []referenceEntity{{
		name: "Subscription", count: 130, keys: keyMap{"renewalMonth": "{renewsAt:month}", "trialKey": "TRIAL#{renewsAt:month}"},
		when: keyMap{"trialKey": "has [trialDays] lacks [cancelledAt]"},
		formats: formatMap{
			"customer": models.UUID, "subscription": models.ULID, "renewsAt": models.EpochSeconds, "endsAt": models.EpochSeconds, "cancelledAt": models.ISO8601,
		},
		absent: map[string]func(map[string]any) bool{"trial": func(v map[string]any) bool { return lacks("trialDays")(v) || !lacks("cancelledAt")(v) }},
		make: func(g *valueGenerator, _ int) map[string]any {
			at := g.at()
			v := map[string]any{"customer": g.uuid(), "subscription": g.ulid(), "renewsAt": epoch(at), "cents": n(g.number(9900))}
			if g.IntN(2) == 0 {
				v["trialDays"] = n("14")
			}
			if g.IntN(3) == 0 {
				v["cancelledAt"], v["endsAt"] = g.iso(), epoch(at.AddDate(0, 2, 0))
			}
			return v
		},
	}}},
}
