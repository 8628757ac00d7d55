package draft

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ddbdesk/ddbdesk/models"
)

// A referenceTable is a table in the style of public projects, with the schema that a person would write for it.
type referenceTable struct {
	name string
	// heldOut is set if the drafting code was never adjusted to this table.
	heldOut bool
	// keys contains lines "NAME PARTITION [SORT]", first for the table with the name -, then for its indexes. A key may
	// be NAME:N.
	keys  string
	ttl   string
	kinds []referenceEntity
}

// A referenceEntity is an entity. Its templates produce its keys. A value whose name begins with = occurs only in keys.
type referenceEntity struct {
	name    string
	count   int
	keys    map[string]string // templates of composed key attributes; {=x} for values that occur only in keys
	formats map[string]models.Format
	refers  map[string]string // Kind.attribute by attribute
	make    func(g *valueGenerator, i int) map[string]any
	// when contains the conditions of keys, by attribute; "" means that the template implies the condition.
	when map[string]string
	// absent reports whether an item is missing from an index, by the prefix of the index's keys.
	absent map[string]func(values map[string]any) bool
}

// A valueGenerator generates values. It can reuse earlier values by name.
type valueGenerator struct {
	*rand.Rand
	values map[string][]string
}

func (m *valueGenerator) letters(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[m.IntN(len(alphabet))])
	}
	return b.String()
}

const (
	crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	hexDigits = "0123456789abcdef"
)

func (m *valueGenerator) uuid() string {
	h := m.letters(hexDigits, 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}
func (m *valueGenerator) ulid() string  { return "01K" + m.letters(crockford, 23) }
func (m *valueGenerator) ksuid() string { return "3" + m.letters(base62, 26) }
func (m *valueGenerator) sha() string {
	sum := sha256.Sum256([]byte(strconv.Itoa(m.Int())))
	return hex.EncodeToString(sum[:])
}

func (m *valueGenerator) word() string {
	list := strings.Fields("amber basil cedar delta ember fjord grove haven indigo juniper kelp lotus maple nectar olive pine quartz river sage tulip")
	return list[m.IntN(len(list))]
}

func (m *valueGenerator) name() string { return m.word() + "-" + m.word() + strconv.Itoa(m.IntN(90)) }

func (m *valueGenerator) pick(list ...string) string {
	return list[m.IntN(len(list))]
}

func (m *valueGenerator) newValue(kind, value string) string {
	m.values[kind] = append(m.values[kind], value)
	return value
}

func (m *valueGenerator) earlierValue(kind string) string {
	return m.values[kind][m.IntN(len(m.values[kind]))]
}

func (m *valueGenerator) at() time.Time {
	return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(m.Int64N(int64(300*24*time.Hour))) / 1e6 * 1e6)
}
func (m *valueGenerator) iso() string         { return m.at().Format("2006-01-02T15:04:05Z") }
func (m *valueGenerator) ms() string          { return m.at().Format("2006-01-02T15:04:05.000Z") }
func (m *valueGenerator) number(n int) string { return strconv.Itoa(m.IntN(n)) }

type n string

func epoch(t time.Time) n { return n(strconv.FormatInt(t.Unix(), 10)) }

func (h referenceTable) table() *Table {
	t := &Table{Table: models.Table{ID: h.name, Name: h.name, TTL: h.ttl}}
	for line := range strings.Lines(h.keys) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		key := func(i int) models.Key {
			if i >= len(f) {
				return models.Key{}
			}
			name, kind, _ := strings.Cut(f[i], ":")
			return models.Key{Name: name, Type: models.Type(kind + "S")[:1]}
		}
		if f[0] == "-" {
			t.PartitionKey, t.SortKey = key(1), key(2)
			continue
		}
		t.Indexes = append(t.Indexes, &models.Index{
			Name: f[0], PartitionKeys: models.KeyList(key(1)), SortKeys: models.KeyList(key(2)), Projection: models.ProjectionAll,
		})
	}
	return t
}

// items generates the items, by kind.
func (h referenceTable) items() [][]models.Item {
	g := &valueGenerator{rand.New(rand.NewPCG(uint64(len(h.name)), uint64(h.name[0]))), map[string][]string{}}
	out := make([][]models.Item, len(h.kinds))
	previous := map[string]bool{}
	t := h.table()
	for k, kind := range h.kinds {
		for i := range kind.count {
			values := kind.make(g, i)
			texts, it := map[string]string{}, models.Item{}
			for name, v := range values {
				switch v := v.(type) {
				case string:
					texts[strings.TrimPrefix(name, "=")] = v
					if name[0] != '=' {
						it[name] = models.StringValue(v)
					}
				case n:
					texts[name], it[name] = string(v), &types.AttributeValueMemberN{Value: string(v)}
				case bool:
					it[name] = &types.AttributeValueMemberBOOL{Value: v}
				case []string:
					it[name] = &types.AttributeValueMemberSS{Value: v}
				}
			}
		keys:
			for name, template := range kind.keys {
				if _, isSet := values[name]; isSet {
					continue
				}
				for prefix, absent := range kind.absent {
					if strings.HasPrefix(name, prefix) && absent(values) {
						delete(it, name)
						continue keys
					}
				}
				text, err := models.MustTemplate(strings.ReplaceAll(template, "{=", "{")).Format(models.MapValues(texts))
				if err != nil {
					panic(fmt.Sprintf("%s.%s %s: %v", h.name, kind.name, template, err))
				}
				it[name] = models.StringValue(text)
				if slices.ContainsFunc(t.KeyAttributes(), func(k models.Key) bool { return k.Name == name && k.Type == models.TypeN }) {
					it[name] = &types.AttributeValueMemberN{Value: text}
				}
			}
			key, ok := t.PrimaryKey(it)
			if !ok {
				panic(h.name + "." + kind.name + " has no key")
			}
			if id := string(key.AppendDynamoDBJSON(nil)); !previous[id] {
				previous[id] = true
				out[k] = append(out[k], it)
			}
		}
	}
	return out
}

type (
	keyMap    = map[string]string
	formatMap = map[string]models.Format
)

func lacks(name string) func(map[string]any) bool {
	return func(values map[string]any) bool { _, ok := values[name]; return !ok }
}

func hasOtherValue(name string, want ...string) func(map[string]any) bool {
	return func(values map[string]any) bool {
		return !strings.Contains(" "+strings.Join(want, " ")+" ", fmt.Sprint(" ", values[name], " "))
	}
}

// referenceTables lists the reference tables. The attribute names are irrelevant, because only the values matter.
var referenceTables = []referenceTable{
	{name: "event-store", keys: "- aggregateId version:N\nByType eventType occurredAt", kinds: []referenceEntity{
		{
			name: "Cart", count: 60, keys: keyMap{"aggregateId": "ShoppingCart|{=id}"}, formats: formatMap{"occurredAt": models.ISO8601Any},
			make: func(g *valueGenerator, i int) map[string]any {
				id := g.values["cart"]
				if i%4 == 0 || len(id) == 0 {
					g.newValue("cart", g.uuid())
				}
				zone := time.FixedZone("", []int{3600, 7200, -5 * 3600}[g.IntN(3)])
				return map[string]any{
					"=id": g.earlierValue("cart"), "version": n(strconv.Itoa(i)), "eventType": g.pick("ItemAdded", "ItemRemoved", "CheckedOut"),
					"occurredAt": g.at().In(zone).Format(time.RFC3339), "payload": g.name(), "cartTotal": n(g.number(9000)),
				}
			},
		},
		{
			name: "Customer", count: 40, keys: keyMap{"aggregateId": "Customer|{=id}"}, formats: formatMap{"occurredAt": models.ISO8601Any},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{
					"=id": g.uuid(), "version": n(g.number(9)), "eventType": g.pick("Registered", "Renamed"),
					"occurredAt": g.at().In(time.FixedZone("", 3600*(1+g.IntN(4)))).Format(time.RFC3339), "payload": g.name(), "channel": g.pick("web", "app"),
				}
			},
		},
	}},
	{name: "cms", keys: "- PK SK\nGSI1 GSI1PK GSI1SK", kinds: []referenceEntity{
		{
			name: "Tenant", count: 8, keys: keyMap{"PK": "T#{tenant}", "SK": "A"}, formats: formatMap{"createdOn": models.ISO8601Millis},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"tenant": g.newValue("tenant", g.name()+strconv.Itoa(i)), "createdOn": g.ms(), "plan": g.pick("free", "pro")}
			},
		},
		{
			name: "Entry", count: 70, keys: keyMap{"PK": "T#{tenant}#CMS#CME#{id}", "SK": "REV#{revision:04d}", "GSI1PK": "T#{tenant}#CMS#CME", "GSI1SK": "{slug}"},
			formats: formatMap{"id": models.ULID, "savedOn": models.ISO8601Millis}, refers: keyMap{"tenant": "Tenant.tenant"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{
					"tenant": g.earlierValue("tenant"), "id": g.newValue("entry", g.ulid()), "revision": n(strconv.Itoa(1 + g.IntN(9))),
					"slug": g.name() + strconv.Itoa(i), "savedOn": g.ms(), "locked": g.IntN(2) == 0,
				}
			},
		},
		{
			name: "Group", count: 40, keys: keyMap{"PK": "T#{tenant}#CMS#CMG", "SK": "{slug}", "GSI1PK": "T#{tenant}#CMS#CMG", "GSI1SK": "{slug}"},
			refers: keyMap{"tenant": "Tenant.tenant"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"tenant": g.earlierValue("tenant"), "slug": g.name() + strconv.Itoa(i), "icon": g.word()}
			},
		},
	}},
	{name: "telemetry", ttl: "purge", keys: "- device moment", kinds: []referenceEntity{
		{
			name: "Device", count: 20, keys: keyMap{"device": "DEVICE_{serial}", "moment": "INFO"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"serial": g.newValue("serial", g.letters(hexDigits, 12)), "model": g.pick("x1", "x2"), "firmware": "1." + g.number(9)}
			},
		},
		{
			name: "Reading", count: 120, keys: keyMap{"device": "DEVICE_{serial}", "moment": "READING_{=taken}"}, refers: keyMap{"serial": "Device.serial"},
			formats: formatMap{"purge": models.EpochSeconds},
			make: func(g *valueGenerator, _ int) map[string]any {
				at := g.at().Add(time.Duration(g.IntN(1e9)))
				return map[string]any{
					"serial": g.earlierValue("serial"), "=taken": at.Format("2006-01-02T15:04:05.000000000Z"), "celsius": n(g.number(40)),
					"purge": epoch(at.AddDate(1, 0, 0)),
				}
			},
		},
	}},
	{name: "usage-counters", keys: "- counterKey period:N\nByMonth month:N counterKey", kinds: []referenceEntity{
		{
			name: "Counter", count: 150, keys: keyMap{"counterKey": "usage.{service}.{customerId}", "month": "{period:%Y%m}"},
			formats: formatMap{"period": "%Y%m%d%H", "month": "%Y%m", "customerId": models.UUID},
			make: func(g *valueGenerator, i int) map[string]any {
				at := g.at()
				if i%5 == 0 {
					g.newValue("customer", g.uuid())
				}
				return map[string]any{
					"service": g.pick("search", "mail", "store"), "customerId": g.earlierValue("customer"), "period": n(at.Format("2006010215")),
					"month": n(at.Format("200601")), "hits": n(g.number(100000)), "lastHour": n(g.number(100)),
				}
			},
		},
	}},
	{name: "chat", keys: "- PK SK\nInverse SK PK", kinds: []referenceEntity{
		{
			name: "User", count: 25, keys: keyMap{"PK": "USER-{userId}", "SK": "PROFILE"}, formats: formatMap{"userId": models.KSUID, "email": models.Email},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"userId": g.newValue("user", g.ksuid()), "email": g.word() + strconv.Itoa(i) + "@example.com", "joined": g.iso()}
			},
		},
		{
			name: "Room", count: 12, keys: keyMap{"PK": "ROOM-{roomId}", "SK": "ROOM"}, formats: formatMap{"roomId": models.KSUID},
			refers: keyMap{"creator": "User.userId"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"roomId": g.newValue("room", g.ksuid()), "topic": g.name(), "creator": g.earlierValue("user")}
			},
		},
		{
			name: "Member", count: 60, keys: keyMap{"PK": "ROOM-{roomId}", "SK": "MEMBER-{userId}"},
			refers: keyMap{"roomId": "Room.roomId", "userId": "User.userId"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"roomId": g.earlierValue("room"), "userId": g.earlierValue("user"), "role": g.pick("owner", "guest"), "since": g.iso()}
			},
		},
		{
			name: "Message", count: 120, keys: keyMap{"PK": "ROOM-{roomId}", "SK": "MSG-{=messageId}"},
			refers: keyMap{"roomId": "Room.roomId", "sender": "User.userId"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"roomId": g.earlierValue("room"), "=messageId": g.ulid(), "sender": g.earlierValue("user"), "body": g.name() + " " + g.name()}
			},
		},
	}},
	{name: "payments", keys: "- PK SK\nOpen openPK openSK\nDue duePK dueSK", kinds: []referenceEntity{
		{
			name: "Customer", count: 20, keys: keyMap{"PK": "CUSTOMER#{customerId}", "SK": "CUSTOMER#{customerId}"}, formats: formatMap{"customerId": models.ULID},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"customerId": g.newValue("customer", "cus_"+g.ulid()), "currency": g.pick("EUR", "USD")}
			},
		},
		{
			name: "Payment", count: 100, keys: keyMap{
				"PK": "CUSTOMER#{customerId}", "SK": "PAYMENT#{paymentId}", "openPK": "OPEN", "openSK": "{createdAt}",
				"duePK": "DUE#{dueOn}", "dueSK": "{paymentId}",
			}, formats: formatMap{"paymentId": models.ULID, "createdAt": models.ISO8601, "requestHash": models.SHA256, "dueOn": models.Date},
			refers: keyMap{"customerId": "Customer.customerId"},
			when:   keyMap{"openPK": "status [pending review]", "openSK": "status [pending review]", "dueSK": "has [dueOn]"},
			absent: map[string]func(map[string]any) bool{"open": hasOtherValue("status", "pending", "review"), "due": lacks("dueOn")},
			make: func(g *valueGenerator, _ int) map[string]any {
				v := map[string]any{
					"customerId": g.earlierValue("customer"), "paymentId": "pay_" + g.ulid(), "createdAt": g.iso(), "requestHash": g.sha(),
					"status": g.pick("pending", "review", "settled", "refused"), "cents": n(g.number(90000)),
				}
				if g.IntN(3) == 0 {
					v["dueOn"] = g.at().Format("2006-01-02")
				}
				return v
			},
		},
	}},
	{name: "artifacts", keys: "- path revision\nByDigest digest path", kinds: []referenceEntity{
		{
			name: "Artifact", count: 120, keys: keyMap{"path": "org/{org}/repo/{repo}/{file}", "revision": "r/{build:06d}"}, formats: formatMap{"digest": models.SHA256},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{
					"org": g.pick("acme", "globex", "initech"), "repo": g.word(), "file": g.name() + ".tgz", "build": n(g.number(9000)),
					"digest": g.sha(), "bytes": n(g.number(1e6)), "tags": []string{g.word()},
				}
			},
		},
	}},
	{name: "web-sessions", ttl: "expires", keys: "- sessionId\nByUser userId lastSeen:N", kinds: []referenceEntity{
		{
			name: "WebSession", count: 80, formats: formatMap{"sessionId": models.UUID, "lastSeen": models.EpochMillis, "expires": models.EpochSeconds},
			make: func(g *valueGenerator, _ int) map[string]any {
				at := g.at()
				return map[string]any{
					"sessionId": g.uuid(), "userId": g.word() + strconv.Itoa(g.IntN(20)), "lastSeen": n(strconv.FormatInt(at.UnixMilli(), 10)),
					"expires": epoch(at.AddDate(0, 1, 0)), "agent": g.word(),
				}
			},
		},
	}},
	{name: "cloud-assets", keys: "- PK SK", kinds: []referenceEntity{
		{
			name: "Instance", count: 40, keys: keyMap{"PK": "ACCOUNT#{account}", "SK": "EC2#{instanceId}"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"account": g.pick("111122223333", "444455556666", "777788889999"), "instanceId": "i-" + g.letters(hexDigits, 17), "size": g.pick("small", "large")}
			},
		},
		{
			name: "Bucket", count: 40, keys: keyMap{"PK": "ACCOUNT#{account}", "SK": "S3#{bucket}"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"account": g.pick("111122223333", "444455556666"), "bucket": g.name() + strconv.Itoa(i), "objects": n(g.number(1e6))}
			},
		},
		{
			name: "Rule", count: 40, keys: keyMap{"PK": "ACCOUNT#{account}", "SK": "L7RULE#{port:05d}#V2#{=ruleId}"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"account": g.pick("111122223333", "444455556666"), "port": n(g.number(60000)), "=ruleId": g.letters(hexDigits, 8), "allow": g.IntN(2) == 0}
			},
		},
	}},
	{name: "arcade", keys: "- PK SK\nRank game score:N", kinds: []referenceEntity{
		{
			name: "Player", count: 20, keys: keyMap{"PK": "PLAYER:{playerId}", "SK": "PROFILE"}, formats: formatMap{"playerId": models.UUID},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"playerId": g.newValue("player", g.uuid()), "country": g.pick("BW", "NA", "ZA")}
			},
		},
		{
			name: "Score", count: 100, keys: keyMap{"PK": "PLAYER:{playerId}", "SK": "SCORE:{=reversed}"}, refers: keyMap{"playerId": "Player.playerId"},
			formats: formatMap{"playedAt": models.EpochMillis},
			make: func(g *valueGenerator, _ int) map[string]any {
				at := g.at()
				return map[string]any{
					"playerId": g.earlierValue("player"), "=reversed": fmt.Sprintf("%013d", 9999999999999-at.Add(time.Second).UnixMilli()-int64(g.IntN(999))),
					"playedAt": n(strconv.FormatInt(at.UnixMilli(), 10)), "game": g.pick("asteroid", "maze", "pong"), "score": n(g.number(99999)),
				}
			},
		},
	}},

	// In these tables, values resemble keys with several parts, or items resemble two entities.
	{name: "preferences", keys: "- userId setting", kinds: []referenceEntity{{
		name: "Preference", count: 90, formats: formatMap{"userId": models.UUID},
		make: func(g *valueGenerator, i int) map[string]any {
			if i%3 == 0 {
				g.newValue("user", g.uuid())
			}
			return map[string]any{"userId": g.values["user"][len(g.values["user"])-1], "setting": []string{"theme", "language", "timezone"}[i%3], "value": g.word()}
		},
	}}},
	{name: "catalog", keys: "- sku", kinds: []referenceEntity{{name: "Product", count: 80, make: func(g *valueGenerator, i int) map[string]any {
		return map[string]any{"sku": g.pick("TSH", "PNT", "HAT", "SOX") + "-" + strconv.Itoa(100+i), "title": g.name(), "cents": n(g.number(9000))}
	}}}},
	{name: "resources", keys: "- resourceArn", kinds: []referenceEntity{{name: "Resource", count: 60, make: func(g *valueGenerator, i int) map[string]any {
		return map[string]any{"resourceArn": "arn:aws:s3:::" + g.name() + strconv.Itoa(i), "owner": g.word(), "cost": n(g.number(900))}
	}}}},
	{name: "crawled", keys: "- address fetchedAt", kinds: []referenceEntity{{
		name: "Page", count: 60, formats: formatMap{"address": models.URL, "fetchedAt": models.ISO8601},
		make: func(g *valueGenerator, i int) map[string]any {
			return map[string]any{"address": "https://" + g.word() + ".example/" + g.word() + "/" + strconv.Itoa(i), "fetchedAt": g.iso(), "status": n("200")}
		},
	}}},
	{name: "articles", keys: "- PK SK", kinds: []referenceEntity{{
		name: "Article", count: 80, keys: keyMap{"PK": "ARTICLE#{slug}", "SK": "REV#{revision}"},
		make: func(g *valueGenerator, i int) map[string]any {
			v := map[string]any{"slug": g.name() + strconv.Itoa(i/2), "revision": n(strconv.Itoa(i % 2)), "type": g.pick("draft", "published"), "text": g.name()}
			if v["type"] == "published" {
				v["publishedBy"] = g.word()
			}
			return v
		},
	}}},
	{name: "activity", keys: "- subjectId sequence:N", kinds: []referenceEntity{{name: "Activity", count: 90, make: func(g *valueGenerator, i int) map[string]any {
		return map[string]any{"subjectId": g.pick("cus_", "ord_", "inv_") + g.ulid(), "sequence": n(strconv.Itoa(i)), "verb": g.pick("made", "sent")}
	}}}},
	{name: "flags", keys: "- environment flag", kinds: []referenceEntity{{name: "Flag", count: 60, make: func(g *valueGenerator, i int) map[string]any {
		return map[string]any{"environment": g.pick("dev", "staging", "prod"), "flag": []string{"new-cart", "dark-mode", "beta_search", "fast.path"}[i%4] + g.pick("", "-v2", "-eu"), "on": i%2 == 0}
	}}}},

	// The drafting code was never adjusted to the last five tables.
	{name: "bookings", heldOut: true, keys: "- resource night:N\nGuest guestId night:N", kinds: []referenceEntity{
		{
			name: "Booking", count: 140, keys: keyMap{"resource": "HOTEL.{hotelId}.ROOM.{roomNumber}"}, formats: formatMap{"night": "%Y%m%d", "guestId": models.ULID, "bookedAt": models.ISO8601Any},
			make: func(g *valueGenerator, _ int) map[string]any {
				at := g.at()
				return map[string]any{
					"hotelId": g.pick("h101", "h102", "h103"), "roomNumber": n(strconv.Itoa(100 + g.IntN(300))), "night": n(at.Format("20060102")),
					"guestId": g.ulid(), "bookedAt": at.Add(time.Duration(g.IntN(1e9))).Format(time.RFC3339Nano), "adults": n(strconv.Itoa(1 + g.IntN(3))),
				}
			},
		},
	}},
	{name: "inventory", heldOut: true, keys: "- pid sid\nByKind kind updated", kinds: []referenceEntity{
		{
			name: "Stock", count: 120, keys: keyMap{"pid": "STOCK|{sku}", "sid": "WH|{warehouse}"}, formats: formatMap{"updated": models.ISO8601},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{
					"sku": "sku-" + g.letters(hexDigits, 6), "warehouse": g.pick("north", "south", "harbor"), "kind": g.pick("raw", "finished"),
					"updated": g.iso(), "quantity": n(g.number(500)),
				}
			},
		},
		{
			name: "Product", count: 60, keys: keyMap{"pid": "PRODUCT|{sku}", "sid": "V|{edition}"}, formats: formatMap{"updated": models.ISO8601},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"sku": "sku-" + g.letters(hexDigits, 6), "edition": n(strconv.Itoa(1 + g.IntN(4))), "updated": g.iso(), "title": g.name()}
			},
		},
	}},
	{name: "helpdesk", heldOut: true, keys: "- PK SK\nAssigned assigneePK assigneeSK\nBacklog backlogPK backlogSK", kinds: []referenceEntity{
		{
			name: "Agent", count: 15, keys: keyMap{"PK": "agent/{agentId}", "SK": "agent"}, formats: formatMap{"agentId": models.UUID},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"agentId": g.newValue("agent", g.uuid()), "team": g.pick("blue", "red")}
			},
		},
		{
			name: "Ticket", count: 100, keys: keyMap{
				"PK": "ticket/{ticketId}", "SK": "ticket", "assigneePK": "assignee/{assignedTo}", "assigneeSK": "{openedAt}",
				"backlogPK": "backlog", "backlogSK": "{openedAt}",
			}, formats: formatMap{"ticketId": models.ULID, "openedAt": models.ISO8601Millis},
			refers: keyMap{"assignedTo": "Agent.agentId"},
			when:   keyMap{"assigneeSK": "has [assignedTo]", "backlogPK": "state [new]", "backlogSK": "state [new]"},
			absent: map[string]func(map[string]any) bool{"assignee": lacks("assignedTo"), "backlog": hasOtherValue("state", "new")},
			make: func(g *valueGenerator, _ int) map[string]any {
				v := map[string]any{"ticketId": g.newValue("ticket", "tkt_"+g.ulid()), "openedAt": g.ms(), "state": g.pick("new", "working", "done"), "subject": g.name() + " broken"}
				if v["state"] != "new" {
					v["assignedTo"] = g.earlierValue("agent")
				}
				return v
			},
		},
		{
			name: "Comment", count: 120, keys: keyMap{"PK": "ticket/{ticketId}", "SK": "comment/{writtenAt}/{=commentId}"}, formats: formatMap{"writtenAt": models.ISO8601Millis},
			refers: keyMap{"ticketId": "Ticket.ticketId", "writer": "Agent.agentId"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"ticketId": g.earlierValue("ticket"), "writtenAt": g.ms(), "=commentId": g.letters(hexDigits, 8), "writer": g.earlierValue("agent"), "text": g.name() + " " + g.name()}
			},
		},
	}},
	{name: "ledger", heldOut: true, keys: "- account entry\nMonths monthKey entry", kinds: []referenceEntity{
		{
			name: "Account", count: 20, keys: keyMap{"account": "ACCT-{number:06d}", "entry": "HEAD"},
			make: func(g *valueGenerator, i int) map[string]any {
				return map[string]any{"number": n(g.newValue("account", strconv.Itoa(10+i*37))), "holder": g.name(), "openedAt": g.at().Format("2006-01-02T15:04:05+00:00")}
			},
		},
		{
			name: "Posting", count: 150, keys: keyMap{"account": "ACCT-{number:06d}", "entry": "POST-{postedAt}", "monthKey": "{postedAt:month}.{number}"},
			formats: formatMap{"postedAt": models.ISO8601Millis}, refers: keyMap{"number": "Account.number"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"number": n(g.earlierValue("account")), "postedAt": g.ms(), "cents": n(g.number(99999)), "memo": g.name()}
			},
		},
	}},
	{name: "fleet", heldOut: true, ttl: "dropAfter", keys: "- unit record\nBoard boardKey record", kinds: []referenceEntity{
		{
			name: "Vehicle", count: 25, keys: keyMap{"unit": "fleet/{fleet}/vehicle/{vin}", "record": "card"},
			make: func(g *valueGenerator, _ int) map[string]any {
				return map[string]any{"fleet": g.pick("east", "west"), "vin": g.newValue("vin", "W"+g.letters(crockford, 16)), "plate": g.letters(crockford, 6)}
			},
		},
		{
			name: "Trip", count: 120, keys: keyMap{"unit": "fleet/{fleet}/vehicle/{vin}", "record": "trip/{tripId}", "boardKey": "trips/{month}"},
			formats: formatMap{"tripId": models.KSUID, "month": "%Y%m", "dropAfter": models.EpochSeconds}, refers: keyMap{"vin": "Vehicle.vin"},
			make: func(g *valueGenerator, _ int) map[string]any {
				at := g.at()
				return map[string]any{
					"fleet": g.pick("east", "west"), "vin": g.earlierValue("vin"), "tripId": g.ksuid(), "month": n(at.Format("200601")),
					"dropAfter": epoch(at.AddDate(2, 0, 0)), "km": n(g.number(900)),
				}
			},
		},
	}},
}
